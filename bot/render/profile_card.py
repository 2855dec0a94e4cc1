"""A player's profile as one picture: rating over time, record, form, achievements."""

from dataclasses import KW_ONLY, dataclass
from typing import Final

from bot.language import _, ngettext
from bot.render.captions import ENGLISH, Captions
from bot.render.card import HEAD, MARGIN, Card, told
from bot.render.rating_graph import RatingPoint, draw_rating_chart, told_ratings
from bot.render.record_rows import (
    GAP,
    INNER,
    ROW,
    TILE,
    Record,
    Result,
    draw_heading,
    draw_plates,
    draw_record,
    draw_tile,
    told_record,
    told_results,
)
from bot.render.text import font, writable_text
from bot.render.theme import DARK, Theme, mix
from bot.render.words import LETTERS, one_line
from engine import O, X

_CHART: Final = 250
_HEADING: Final = 40
_MOST_RECORDS: Final = 6
_MOST_FORM: Final = 10
_MOST_ACHIEVEMENTS: Final = 8
_CHIP: Final = 42
_NARROW, _TILE_GAP = 156, 10


@dataclass(frozen=True, slots=True)
class ProfilePicture:
    """Everything that a profile shows.

    Attributes:
        name: Any text.
        rating: In points; None without rated games.
        subtitle: Variant and rank, say.
        is_provisional: Whether the rating is uncertain.
        best: The highest rating.
        is_best_provisional: Whether that one is uncertain.
        history: The rating over time.
        sides: The record as X and as O.
        records: The record by variant; the first six are shown.
        streak: Games won in a row up to now.
        best_streak: The most games ever won in a row.
        form: The last results, the newest last; ten are shown.
        levels: For each level of the computer, the weakest first, whether it was beaten.
        achievements: Their names; eight are shown.
        theme: Colours and shapes.
        captions: The words.
    """

    name: str
    rating: float | None = None
    _: KW_ONLY
    subtitle: str = ""
    is_provisional: bool = False
    best: float | None = None
    is_best_provisional: bool = False
    history: tuple[RatingPoint, ...] = ()
    sides: tuple[Record, Record] = (Record(label="as X"), Record(label="as O"))
    records: tuple[Record, ...] = ()
    streak: int = 0
    best_streak: int = 0
    form: tuple[Result, ...] = ()
    levels: tuple[bool, ...] = ()
    achievements: tuple[str, ...] = ()
    theme: Theme = DARK
    captions: Captions = ENGLISH

    @property
    def games(self) -> int:
        """How many games were played."""
        return sum(record.games for record in self.sides)


def draw_profile(picture: ProfilePicture) -> bytes:
    """Return a profile as a PNG, some 40 KB; takes about 60 ms."""
    records = picture.records[:_MOST_RECORDS]
    lines = _chip_lines(picture.achievements[:_MOST_ACHIEVEMENTS])
    height = HEAD + 6 + 2 * TILE + _TILE_GAP + 12 + _CHART + 8
    height += _HEADING + (2 + len(records)) * (ROW + GAP)
    height += bool(lines) * _HEADING + len(lines) * (_CHIP + 8) + MARGIN
    card = Card(picture.theme, height)
    name = writable_text(picture.name, fallback=picture.captions.nameless)
    card.title(name, writable_text(picture.subtitle, fallback=""))
    top = HEAD + 6
    _draw_tiles(card, picture, top)
    top += 2 * TILE + _TILE_GAP + 12
    area = (MARGIN, top, INNER, _CHART)
    draw_rating_chart(
        card,
        area,
        picture.history,
        is_provisional=picture.is_provisional,
        captions=picture.captions,
    )
    top += _CHART + 8
    draw_heading(card, picture.captions.record, top, _HEADING)
    top += _HEADING
    for side in (X, O):
        draw_record(card, picture.sides[side], top, side=side)
        top += ROW + GAP
    for record in records:
        draw_record(card, record, top)
        top += ROW + GAP
    if lines:
        draw_heading(card, picture.captions.achievements, top, _HEADING)
        top += _HEADING
        _draw_chips(card, lines, top)
    return card.png()


def describe_profile(picture: ProfilePicture) -> str:
    """Return the profile in words, at most 1024 characters."""
    heading = one_line(f"{picture.name}, {picture.subtitle}", 160).rstrip(", ")
    sentences = [f"{heading}."]
    if picture.rating is not None:
        sentences.append(_("Rating {rating}.").format(rating=_rating(picture)))
    if picture.best is not None:
        sentences.append(_("Best rating {rating}.").format(rating=_best(picture)))
    sentences += [f"{LETTERS[side]}: {told_record(picture.sides[side])}." for side in (X, O)]
    won = ngettext(
        "Won in a row: {count} game, at best {best}.",
        "Won in a row: {count} games, at best {best}.",
        picture.streak,
    )
    sentences.append(won.format(count=picture.streak, best=picture.best_streak))
    if picture.form:
        form = told_results(picture.form[-_MOST_FORM:], picture.captions)
        sentences.append(_("Last games, newest last: {letters}.").format(letters=form))
    beaten = [str(level) for level, was in enumerate(picture.levels, start=1) if was]
    if beaten:
        told_levels = _("Levels of the computer beaten: {levels}.")
        sentences.append(told_levels.format(levels=", ".join(beaten)))
    sentences += told_ratings(picture.history)
    shown = picture.records[:_MOST_RECORDS]
    sentences += [f"{one_line(record.label, 40)}: {told_record(record)}." for record in shown]
    if picture.achievements:
        names = ", ".join(one_line(name, 40) for name in picture.achievements[:_MOST_ACHIEVEMENTS])
        sentences.append(_("Achievements: {names}.").format(names=names))
    return told(sentences)


def _rating(picture: ProfilePicture) -> str:
    return _shown(picture.rating, is_provisional=picture.is_provisional)


def _best(picture: ProfilePicture) -> str:
    return _shown(picture.best, is_provisional=picture.is_best_provisional)


def _shown(rating: float | None, *, is_provisional: bool) -> str:
    return "-" if rating is None else f"{round(rating)}{'?' * is_provisional}"


def _draw_tiles(card: Card, picture: ProfilePicture, top: int) -> None:
    """Draw rating, streak and form, below them best rating, games and levels beaten."""
    words = picture.captions
    lower = top + TILE + _TILE_GAP
    first, second, third = (MARGIN + place * (_NARROW + _TILE_GAP) for place in range(3))
    wide = MARGIN + INNER - third
    rating = (first, top, _NARROW, TILE)
    draw_tile(card, rating, words.rating, _rating(picture), strong=True)
    draw_tile(card, (second, top, _NARROW, TILE), words.in_a_row, f"{picture.streak}")
    form = [
        (words.letters[list(Result).index(result)], result) for result in picture.form[-_MOST_FORM:]
    ]
    label = words.last_games.format(best=picture.best_streak)
    draw_plates(card, (third, top, wide, TILE), label, form)
    draw_tile(card, (first, lower, _NARROW, TILE), words.best, _best(picture))
    draw_tile(card, (second, lower, _NARROW, TILE), words.played, f"{picture.games}")
    levels = [
        (f"{level}", Result.WON if was else None)
        for level, was in enumerate(picture.levels, start=1)
    ]
    draw_plates(card, (third, lower, wide, TILE), words.levels, levels)


def _chip_lines(names: tuple[str, ...]) -> list[list[tuple[str, int]]]:
    """Return the achievements with their widths, line by line."""
    lines: list[list[tuple[str, int]]] = []
    room = 0
    for name in names:
        text = writable_text(name, fallback="?")
        width = min(INNER, round(font(22).getlength(text)) + 62)
        if not lines or width > room:
            lines.append([])
            room = INNER
        lines[-1].append((text, width))
        room -= width + 8
    return lines


def _draw_chips(card: Card, lines: list[list[tuple[str, int]]], top: int) -> None:
    """Draw the achievements as plates, each with a tick."""
    theme = card.theme
    for row, line in enumerate(lines):
        left, y = MARGIN, top + row * (_CHIP + 8)
        for text, width in line:
            card.block((left, y, width, _CHIP), mix(theme.surface, theme.accent, 0.16), _CHIP)
            tick = ((left + 17.0, y + 22.0), (left + 24.0, y + 29.0), (left + 36.0, y + 14.0))
            card.stroke([tick], 4.5, theme.accent)
            card.write(text, (left + 46, y, width - 58, _CHIP), theme.text, (22,))
            left += width + 8
