"""A player's profile, and two players against each other, each as one picture."""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from typing import Final

from bot.language import _, mark_of, ngettext, pgettext
from bot.render.card import (
    HEAD,
    LEAST_FONT,
    MARGIN,
    WIDTH,
    Area,
    Card,
    CardPicture,
    Tally,
    writable_name,
)
from bot.render.describe import one_line, rounded, told
from bot.render.graphs import NO_GAMES, UNPLACED, RatingPoint, draw_rating_chart, told_ratings
from bot.render.masks import font, writable_text
from bot.render.theme import mix
from engine import O, Side, X

_ROW, _GAP = 40, 4
_INNER: Final = WIDTH - 2 * MARGIN
_PLATE, _PLATE_STEP = 30, 33
_TILE: Final = 80
_NARROW, _TILE_GAP = 156, 10
_HEADING: Final = 34
_RECORD_BAR: Final = (MARGIN + 426, 84)
_RECORD_SIZES: Final = (25, 23, LEAST_FONT)
_CHART: Final = 256
_CHIP: Final = 40
_SCORE: Final = 160
_SCORE_BAR: Final = 18
_MOST_RECORDS, _MOST_BETWEEN = 6, 5
_MOST_FORM: Final = 10
_MOST_ACHIEVEMENTS: Final = 8
_MOST_GAMES: Final = 20


class PlayerResult(StrEnum):
    """How a game ended for the player."""

    WON = "won"
    DRAWN = "drawn"
    LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Tally):
    """Games won, drawn and lost under a heading, such as a variant."""

    label: str


_SIDES: Final = (Record(label="as X"), Record(label="as O"))


@dataclass(frozen=True, slots=True)
class ProfilePicture(CardPicture):
    """Everything that a profile shows.

    Attributes:
        name: Any text.
        rating: In points; None without rated games.
        placement: Shown in place of the rating, such as "3/5"; empty once the rating is shown.
        records: The record by variant; the first six are shown, on the second page.
        streak: Games won in a row up to now.
        form: The last results, the newest last; ten are shown.
        levels: For each level of the computer, the weakest first, whether it was beaten.
        achievements: Their names; eight are shown, on the second page.
    """

    name: str
    rating: float | None = None
    _: KW_ONLY
    placement: str = ""
    is_provisional: bool = False
    best: float | None = None
    is_best_provisional: bool = False
    history: tuple[RatingPoint, ...] = ()
    sides: tuple[Record, Record] = _SIDES
    records: tuple[Record, ...] = ()
    streak: int = 0
    best_streak: int = 0
    form: tuple[PlayerResult, ...] = ()
    levels: tuple[bool, ...] = ()
    achievements: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VersusPicture(CardPicture):
    """Everything that is shown of two players.

    Attributes:
        names: The player whose results these are, and the opponent; any text.
        record: All games between them.
        ratings: What is written below their names, empty for nothing.
        records: The record by variant; the first five are shown.
        games: The last results, the newest last; twenty are shown.
    """

    names: tuple[str, str]
    record: Record
    _: KW_ONLY
    ratings: tuple[str, str] = ("", "")
    sides: tuple[Record, Record] = _SIDES
    records: tuple[Record, ...] = ()
    games: tuple[PlayerResult, ...] = ()


def draw_profile(picture: ProfilePicture) -> bytes:
    """Return a profile as a PNG, some 40 KB; takes about 60 ms."""
    height = HEAD + 2 * (_TILE + _TILE_GAP) + _CHART + 6 + _records_height() + MARGIN
    card = Card(picture.theme, height)
    card.title(writable_name(picture.name), picture.subtitle)
    _draw_tiles(card, picture, HEAD)
    top = HEAD + 2 * (_TILE + _TILE_GAP)
    area = (MARGIN, top, _INNER, _CHART)
    empty = _(UNPLACED if picture.placement else NO_GAMES)
    draw_rating_chart(card, area, picture.history, empty, is_provisional=picture.is_provisional)
    _draw_records(card, picture, top + _CHART + 6)
    return card.png()


def draw_statistics(picture: ProfilePicture) -> bytes:
    """Return the second page of a profile as a PNG: records by variant, and achievements."""
    records = picture.records[:_MOST_RECORDS]
    lines = _chip_lines(picture.achievements[:_MOST_ACHIEVEMENTS])
    height = HEAD + _records_height(records) + 6
    height += bool(lines) * _HEADING + len(lines) * (_CHIP + 6) + 8
    card = Card(picture.theme, height)
    card.title(writable_name(picture.name), picture.subtitle)
    top = _draw_records(card, picture, HEAD, records) + 6
    if lines:
        _draw_heading(card, _("Achievements"), top)
        _draw_chips(card, lines, top + _HEADING)
    return card.png()


def describe_profile(picture: ProfilePicture) -> str:
    """Return the profile in words, at most 1024 characters."""
    heading = one_line(f"{picture.name}, {picture.subtitle}", 160).rstrip(", ")
    sentences = [f"{heading}."]
    rating, best = _ratings(picture)
    if picture.placement:
        sentences.append(_("Placement {count}.").format(count=picture.placement))
    elif picture.rating is not None:
        sentences.append(_("Rating {rating}.").format(rating=rating))
    if picture.best is not None:
        sentences.append(_("Best rating {rating}.").format(rating=best))
    sentences += _told_sides(picture)
    won = ngettext(
        "Won in a row: {count} game, at best {best}.",
        "Won in a row: {count} games, at best {best}.",
        picture.streak,
    )
    sentences.append(won.format(count=picture.streak, best=picture.best_streak))
    sentences += _told_results(picture.form[-_MOST_FORM:])
    beaten = [str(level) for level, was in enumerate(picture.levels, start=1) if was]
    if beaten:
        told_levels = _("Levels of the computer beaten: {levels}.")
        sentences.append(told_levels.format(levels=", ".join(beaten)))
    empty = _(UNPLACED) if picture.placement else ""
    sentences += [*told_ratings(picture.history, empty), *_told_variants(picture)]
    if picture.achievements:
        names = ", ".join(one_line(name, 40) for name in picture.achievements[:_MOST_ACHIEVEMENTS])
        sentences.append(_("Achievements: {names}.").format(names=names))
    return told(sentences)


def draw_versus(picture: VersusPicture) -> bytes:
    """Return two players against each other as a PNG, some 25 KB; takes about 40 ms."""
    records = picture.records[:_MOST_BETWEEN]
    height = HEAD + _SCORE + 10 + 10
    height += _TILE + 6 + _records_height(records) if picture.record.games else _ROW
    card = Card(picture.theme, height)
    card.title(" \N{EN DASH} ".join(_names(picture)), picture.subtitle)
    _draw_score(card, picture, HEAD)
    top = HEAD + _SCORE + 10
    if not picture.record.games:
        area = (MARGIN, top, _INNER, _ROW)
        card.write(
            _("They have not finished a game yet"), area, card.theme.muted, (24, LEAST_FONT), "m"
        )
        return card.png()
    met = _("Games against each other, the newest last")
    games = _lettered(picture.games[-_MOST_GAMES:])
    _draw_plates(card, (MARGIN, top, _INNER, _TILE), met, games)
    _draw_records(card, picture, top + _TILE + 6, records)
    return card.png()


def describe_versus(picture: VersusPicture) -> str:
    """Return the two players in words, at most 1024 characters."""
    first, second = (one_line(name, 60) for name in picture.names)
    record = picture.record
    if not record.games:
        nothing = _("{name} and {other} have not finished a game against each other yet.")
        return told([nothing.format(name=first, other=second)])
    words = ngettext(
        "{name} against {other}: {count} game, {record}.",
        "{name} against {other}: {count} games, {record}.",
        record.games,
    )
    count = words.format(name=first, other=second, count=record.games, record=_told_record(record))
    games = _told_results(picture.games[-_MOST_GAMES:])
    return told([count, *_told_sides(picture), *games, *_told_variants(picture)])


# Records and results, of one player and of two.


def _told_record(record: Record) -> str:
    return _("{won} won, {drawn} drawn, {lost} lost").format(
        won=record.wins, drawn=record.draws, lost=record.losses
    )


def _told_sides(picture: ProfilePicture | VersusPicture) -> list[str]:
    return [f"{mark_of(side)}: {_told_record(picture.sides[side])}." for side in (X, O)]


def _told_variants(picture: ProfilePicture | VersusPicture) -> list[str]:
    shown = picture.records[:_MOST_RECORDS]
    return [f"{one_line(record.label, 40)}: {_told_record(record)}." for record in shown]


def _lettered(results: Iterable[PlayerResult]) -> list[tuple[str, PlayerResult]]:
    letters = {
        PlayerResult.WON: pgettext("one letter: a game that was won", "W"),
        PlayerResult.DRAWN: pgettext("one letter: a game that was drawn", "D"),
        PlayerResult.LOST: pgettext("one letter: a game that was lost", "L"),
    }
    return [(letters[result], result) for result in results]


def _told_results(results: Sequence[PlayerResult]) -> list[str]:
    letters = " ".join(letter for letter, _result in _lettered(results))
    return [_("Last games, newest last: {letters}.").format(letters=letters)] if letters else []


def _records_height(records: tuple[Record, ...] = ()) -> int:
    return _HEADING + (2 + len(records)) * (_ROW + _GAP)


def _draw_records(
    card: Card,
    picture: ProfilePicture | VersusPicture,
    top: int,
    records: tuple[Record, ...] = (),
) -> int:
    """Draw the records as X and as O and further ones; return where the next thing may begin."""
    _draw_heading(card, _("Won, drawn, lost"), top)
    top += _HEADING
    sides = [(record, side) for side, record in enumerate(picture.sides)]
    for record, side in [*sides, *((each, None) for each in records)]:
        _draw_record(card, record, top, side)
        top += _ROW + _GAP
    return top


def _draw_heading(card: Card, text: str, top: int) -> None:
    card.write(text, (MARGIN, top, _INNER, _HEADING), card.theme.muted, (24, LEAST_FONT))


def _draw_record(card: Card, record: Record, top: int, side: Side | None) -> None:
    """Draw the games under a heading as numbers and a bar, with the mark of a side if one is."""
    theme = card.theme
    card.block((MARGIN, top, _INNER, _ROW), theme.surface, 10)
    left = MARGIN + 14
    if side is not None:
        card.mark(side, (MARGIN + 8, top + 2), 36, theme.marks[side])
        left += 36
    start, width = _RECORD_BAR
    label = writable_text(record.label, fallback="-")
    card.write(label, (left, top, start - left - 14, _ROW), theme.text, _RECORD_SIZES)
    if record.games:
        card.shares((start, top + 13, width, _ROW - 26), record, theme.surface, 7)
    numbers = f"{record.wins}/{record.draws}/{record.losses}"
    end = WIDTH - MARGIN - 12
    room = end - start - width - 8
    card.write(numbers, (end - room, top, room, _ROW), theme.text, (23, LEAST_FONT), "r")


def _draw_tile(card: Card, area: Area, label: str) -> Area:
    """Draw a tile with its label; return where its value stands."""
    left, top, width, height = area
    card.block(area, card.theme.surface, 14)
    card.write(label, (left + 2, top + 4, width - 4, 28), card.theme.muted, (LEAST_FONT,), "m")
    return left + 4, top + 32, width - 8, height - 38


def _draw_plates(
    card: Card, area: Area, label: str, plates: Sequence[tuple[str, PlayerResult | None]]
) -> None:
    """Draw a tile with plates under its label; those without a result are faint."""
    left, top, width, _height = area
    inner = _draw_tile(card, area, label)
    start = left + (width - _PLATE_STEP * len(plates) + _PLATE_STEP - _PLATE) // 2
    for place, (text, result) in enumerate(plates):
        _draw_plate(card, text, result, (start + place * _PLATE_STEP, top + 38, _PLATE, _PLATE))
    if not plates:
        card.write("-", inner, card.theme.muted, (32,), "m")


def _draw_plate(card: Card, text: str, result: PlayerResult | None, area: Area) -> None:
    """Draw a letter on a plate: full if won, hollow if lost, grey between."""
    theme = card.theme
    left, top, size, _height = area
    ink = theme.text
    if result is PlayerResult.WON:
        card.block(area, theme.accent, 8)
        ink = theme.ink
    elif result is PlayerResult.DRAWN:
        card.block(area, mix(theme.surface, theme.text, 0.22), 8)
    else:
        faint = 0.4 if result is PlayerResult.LOST else 0.16
        card.block(area, mix(theme.surface, theme.text, faint), 8)
        card.block((left + 2, top + 2, size - 4, size - 4), theme.surface, 6)
        ink = theme.text if result is PlayerResult.LOST else theme.muted
    card.write(text, area, ink, (LEAST_FONT,), "m")


# Of the profile only.


def _ratings(picture: ProfilePicture) -> tuple[str, str]:
    now = (picture.rating, picture.is_provisional)
    best = (picture.best, picture.is_best_provisional)
    first, second = ("-" if each is None else rounded(each, mark) for each, mark in (now, best))
    return first, second


def _draw_tiles(card: Card, picture: ProfilePicture, top: int) -> None:
    """Draw rating, streak and form, below them best rating, games and levels beaten."""
    theme = card.theme
    lower = top + _TILE + _TILE_GAP
    first, second, third = (MARGIN + place * (_NARROW + _TILE_GAP) for place in range(3))
    rating, best = _ratings(picture)
    strength = pgettext("head of a column", "rating")
    if picture.placement:
        strength, rating = pgettext("above a number", "placement"), picture.placement
    games = sum(record.games for record in picture.sides)
    for left, y, label, value, ink in (
        (first, top, strength, rating, theme.accent),
        # For translators: above a number in a narrow tile; fourteen letters are enough room.
        (second, top, pgettext("above a number", "won in a row"), f"{picture.streak}", theme.text),
        (first, lower, pgettext("above a number", "best rating"), best, theme.text),
        (second, lower, pgettext("above a number", "games played"), f"{games}", theme.text),
    ):
        inner = _draw_tile(card, (left, y, _NARROW, _TILE), label)
        card.write(value, inner, ink, (38, 32, 26), "m")
    wide = MARGIN + _INNER - third
    form = _lettered(picture.form[-_MOST_FORM:])
    label = _("last games, best streak {best}").format(best=picture.best_streak)
    _draw_plates(card, (third, top, wide, _TILE), label, form)
    levels = [
        (f"{level}", PlayerResult.WON if was else None)
        for level, was in enumerate(picture.levels, start=1)
    ]
    label = pgettext("above the numbers of levels", "levels of the computer beaten")
    _draw_plates(card, (third, lower, wide, _TILE), label, levels)


def _chip_lines(names: tuple[str, ...]) -> list[list[tuple[str, int]]]:
    """Return the achievements with their widths, line by line."""
    lines: list[list[tuple[str, int]]] = []
    room = 0
    for name in names:
        text = writable_text(name, fallback="?")
        width = min(_INNER, round(font(22).getlength(text)) + 62)
        if not lines or width > room:
            lines.append([])
            room = _INNER
        lines[-1].append((text, width))
        room -= width + 8
    return lines


def _draw_chips(card: Card, lines: list[list[tuple[str, int]]], top: int) -> None:
    """Draw the achievements as plates, each with a tick."""
    theme = card.theme
    for row, line in enumerate(lines):
        left, y = MARGIN, top + row * (_CHIP + 6)
        for text, width in line:
            card.block((left, y, width, _CHIP), mix(theme.surface, theme.accent, 0.16), _CHIP)
            tick = ((left + 17.0, y + 21.0), (left + 24.0, y + 28.0), (left + 36.0, y + 13.0))
            card.stroke([tick], 4.5, theme.accent)
            card.write(text, (left + 46, y, width - 58, _CHIP), theme.text, (22,))
            left += width + 8


# Of two players only.


def _names(picture: VersusPicture) -> list[str]:
    return [writable_name(name) for name in picture.names]


def _draw_score(card: Card, picture: VersusPicture, top: int) -> None:
    """Draw both players' wins at their ends of a bar, and the draws in its middle."""
    theme, record = card.theme, picture.record
    card.block((MARGIN, top, _INNER, _SCORE), theme.surface, 16)
    left, width = MARGIN + 18, _INNER - 36
    half = width // 2 - 8
    inks = (theme.accent, theme.text)
    for place, (name, rating) in enumerate(zip(_names(picture), picture.ratings, strict=True)):
        x, align = (left, "l") if place == 0 else (left + width - half, "r")
        card.write(name, (x, top + 6, half, 36), theme.text, (28, 26, 24, LEAST_FONT), align)
        said = writable_text(rating, fallback="")
        card.write(said, (x, top + 40, half, 28), theme.muted, (LEAST_FONT,), align)
        wins = f"{(record.wins, record.losses)[place]}"
        x = (left, left + width - 200)[place]
        card.write(wins, (x, top + 68, 200, 56), inks[place], (52, 44, 36), align)
    middle = (left + width // 2 - 90, top + 62, 180, 38)
    card.write(f"{record.draws}", middle, theme.muted, (36, 32, 28), "m")
    box = (middle[0], top + 98, 180, 26)
    drawn = pgettext("below the number of games", "drawn")
    card.write(drawn, box, theme.muted, (LEAST_FONT,), "m")
    bar = (left, top + _SCORE - _SCORE_BAR - 12, width, _SCORE_BAR)
    card.block(bar, mix(theme.surface, theme.text, 0.2), 8)
    if record.games:
        won = round(width * record.wins / record.games)
        lost = round(width * record.losses / record.games)
        card.block((left + width - lost, bar[1], lost, _SCORE_BAR), theme.text, 8)
        card.block((left, bar[1], won, _SCORE_BAR), theme.accent, 8)
