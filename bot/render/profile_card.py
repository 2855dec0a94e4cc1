"""A player's profile as one picture: rating over time, record, form, achievements."""

from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from typing import Final

from bot.render.captions import ENGLISH, Captions
from bot.render.card import HEAD, MARGIN, WIDTH, Area, Card, told
from bot.render.rating_graph import RatingPoint, draw_rating_chart, told_ratings
from bot.render.text import font, writable_text
from bot.render.theme import DARK, Theme, mix
from bot.render.words import LETTERS, counted, one_line
from engine import O, X

_CHART: Final = 250
_TILE: Final = 84
_ROW, _GAP = 46, 4
_HEADING: Final = 40
_MOST_RECORDS: Final = 6
_MOST_FORM: Final = 10
_MOST_ACHIEVEMENTS: Final = 8
_CHIP: Final = 42
_BAR: Final = (MARGIN + 284, 250)
_SIZES: Final = (25, 23, 21)
_INNER: Final = WIDTH - 2 * MARGIN


class Result(StrEnum):
    """How a game ended for the player; the value is the letter in English."""

    WON = "W"
    DRAWN = "D"
    LOST = "L"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Games won, drawn and lost under some heading, a variant say."""

    label: str
    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """How many games were played."""
        return self.wins + self.draws + self.losses


@dataclass(frozen=True, slots=True)
class ProfilePicture:
    """Everything that a profile shows.

    Attributes:
        name: Any text.
        rating: In points; None without rated games.
        subtitle: Variant and rank, say.
        is_provisional: Whether the rating is uncertain.
        history: The rating over time.
        sides: The record as X and as O.
        records: The record by variant; the first six are shown.
        streak: Games won in a row up to now.
        best_streak: The most games ever won in a row.
        form: The last results, the newest last; ten are shown.
        achievements: Their names; eight are shown.
        theme: Colours and shapes.
        captions: The words.
    """

    name: str
    rating: float | None = None
    _: KW_ONLY
    subtitle: str = ""
    is_provisional: bool = False
    history: tuple[RatingPoint, ...] = ()
    sides: tuple[Record, Record] = (Record(label="as X"), Record(label="as O"))
    records: tuple[Record, ...] = ()
    streak: int = 0
    best_streak: int = 0
    form: tuple[Result, ...] = ()
    achievements: tuple[str, ...] = ()
    theme: Theme = DARK
    captions: Captions = ENGLISH


def draw_profile(picture: ProfilePicture) -> bytes:
    """Return a profile as a PNG, some 40 KB; takes about 60 ms."""
    records = picture.records[:_MOST_RECORDS]
    lines = _chip_lines(picture.achievements[:_MOST_ACHIEVEMENTS])
    height = HEAD + 6 + _TILE + 12 + _CHART + 8 + _HEADING + (2 + len(records)) * (_ROW + _GAP)
    height += bool(lines) * _HEADING + len(lines) * (_CHIP + 8) + MARGIN
    card = Card(picture.theme, height)
    name = writable_text(picture.name, fallback="Player")
    card.title(name, writable_text(picture.subtitle, fallback=""))
    top = HEAD + 6
    _draw_tiles(card, picture, top)
    top += _TILE + 12
    area = (MARGIN, top, _INNER, _CHART)
    draw_rating_chart(
        card,
        area,
        picture.history,
        is_provisional=picture.is_provisional,
        captions=picture.captions,
    )
    top += _CHART + 8
    _heading(card, picture.captions.record, top)
    top += _HEADING
    for side in (X, O):
        _draw_record(card, picture.sides[side], top, side=side)
        top += _ROW + _GAP
    for record in records:
        _draw_record(card, record, top)
        top += _ROW + _GAP
    if lines:
        _heading(card, picture.captions.achievements, top)
        top += _HEADING
        _draw_chips(card, lines, top)
    return card.png()


def describe_profile(picture: ProfilePicture) -> str:
    """Return the profile in words, at most 1024 characters."""
    heading = one_line(f"{picture.name}, {picture.subtitle}", 160).rstrip(", ")
    sentences = [f"{heading}."]
    if picture.rating is not None:
        sentences.append(f"Rating {_rating(picture)}.")
    sentences += [f"{LETTERS[side]}: {_told_record(picture.sides[side])}." for side in (X, O)]
    sentences.append(
        f"Won in a row: {counted(picture.streak, 'game')}, at best {picture.best_streak}."
    )
    if picture.form:
        form = " ".join(result.value for result in picture.form[-_MOST_FORM:])
        sentences.append(f"Last games, newest last: {form}.")
    sentences += told_ratings(picture.history)
    shown = picture.records[:_MOST_RECORDS]
    sentences += [f"{one_line(record.label, 40)}: {_told_record(record)}." for record in shown]
    if picture.achievements:
        names = ", ".join(one_line(name, 40) for name in picture.achievements[:_MOST_ACHIEVEMENTS])
        sentences.append(f"Achievements: {names}.")
    return told(sentences)


def _told_record(record: Record) -> str:
    return f"{record.wins} won, {record.draws} drawn, {record.losses} lost"


def _rating(picture: ProfilePicture) -> str:
    if picture.rating is None:
        return "-"
    return f"{round(picture.rating)}{'?' * picture.is_provisional}"


def _heading(card: Card, text: str, top: int) -> None:
    card.write(text, (MARGIN, top, _INNER, _HEADING), card.theme.muted, (24,))


def _draw_tiles(card: Card, picture: ProfilePicture, top: int) -> None:
    """Draw rating, streak and form as three tiles."""
    theme, captions = card.theme, picture.captions
    tiles = (
        (0, 156, captions.rating, _rating(picture), theme.accent),
        (166, 156, captions.in_a_row, f"{picture.streak}", theme.text),
    )
    for left, width, label, value, ink in tiles:
        card.block((MARGIN + left, top, width, _TILE), theme.surface, 14)
        card.write(
            label, (MARGIN + left + 6, top + 6, width - 12, 28), theme.muted, (21, 19, 17), "m"
        )
        card.write(value, (MARGIN + left, top + 34, width, 44), ink, (38, 32), "m")
    left, width = MARGIN + 332, _INNER - 332
    card.block((left, top, width, _TILE), theme.surface, 14)
    best = captions.last_games.format(best=picture.best_streak)
    card.write(best, (left + 6, top + 6, width - 12, 28), theme.muted, (21, 19), "m")
    form = picture.form[-_MOST_FORM:]
    size, step = 30, 33
    start = left + (width - step * len(form) + step - size) // 2
    for place, result in enumerate(form):
        letter = captions.letters[list(Result).index(result)]
        _draw_result(card, result, letter, (start + place * step, top + 42, size, size))
    if not form:
        card.write("-", (left, top + 34, width, 44), theme.muted, (32,), "m")


def _draw_result(card: Card, result: Result, letter: str, area: Area) -> None:
    """Draw a letter on a plate: full if won, hollow if lost, grey between."""
    theme = card.theme
    left, top, size, _ = area
    ink = theme.text
    if result is Result.WON:
        card.block(area, theme.accent, 8)
        ink = theme.ink
    elif result is Result.DRAWN:
        card.block(area, mix(theme.surface, theme.text, 0.22), 8)
    else:
        card.block(area, mix(theme.surface, theme.text, 0.4), 8)
        card.block((left + 2, top + 2, size - 4, size - 4), theme.surface, 6)
    card.write(letter, area, ink, (20,), "m")


def _draw_record(card: Card, record: Record, top: int, *, side: int | None = None) -> None:
    """Draw the games under a heading as numbers and a bar."""
    theme = card.theme
    card.block((MARGIN, top, _INNER, _ROW), theme.surface, 10)
    left = MARGIN + 14
    if side is not None:
        card.mark(side, (MARGIN + 8, top + 5), 36, theme.marks[side])
        left += 36
    label = writable_text(record.label, fallback="Other")
    card.write(label, (left, top, _BAR[0] - left - 14, _ROW), theme.text, _SIZES)
    start, width = _BAR
    if record.games:
        bar = (start, top + 16, width, _ROW - 32)
        card.block(bar, mix(theme.surface, theme.text, 0.16), 7)
        reach = round(width * (record.wins + record.draws) / record.games)
        card.block((*bar[:2], reach, bar[3]), mix(theme.surface, theme.text, 0.48), 7)
        won = round(width * record.wins / record.games)
        card.block((*bar[:2], won, bar[3]), theme.accent, 7)
    numbers = f"{record.wins} / {record.draws} / {record.losses}"
    end = WIDTH - MARGIN - 12
    room = end - start - width - 8
    card.write(numbers, (end - room, top, room, _ROW), theme.text, (23, 21, 19, 17), "r")


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
        left, y = MARGIN, top + row * (_CHIP + 8)
        for text, width in line:
            card.block((left, y, width, _CHIP), mix(theme.surface, theme.accent, 0.16), _CHIP)
            tick = ((left + 17.0, y + 22.0), (left + 24.0, y + 29.0), (left + 36.0, y + 14.0))
            card.stroke([tick], 4.5, theme.accent)
            card.write(text, (left + 46, y, width - 58, _CHIP), theme.text, (22,))
            left += width + 8
