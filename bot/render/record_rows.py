"""What was won, drawn and lost, as rows with bars and as lettered plates."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from bot.language import _
from bot.render.captions import Captions
from bot.render.card import MARGIN, WIDTH, Area, Card
from bot.render.text import writable_text
from bot.render.theme import mix

ROW, GAP = 46, 4
INNER: Final = WIDTH - 2 * MARGIN
PLATE, PLATE_STEP = 30, 33
TILE: Final = 84
_BAR: Final = (MARGIN + 284, 250)
_SIZES: Final = (25, 23, 21, 19)


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


def told_record(record: Record) -> str:
    """Return a record in words."""
    return _("{won} won, {drawn} drawn, {lost} lost").format(
        won=record.wins, drawn=record.draws, lost=record.losses
    )


def told_results(results: Sequence[Result], captions: Captions) -> str:
    """Return results as their letters."""
    return " ".join(captions.letters[list(Result).index(result)] for result in results)


def draw_heading(card: Card, text: str, top: int, height: int) -> None:
    """Write what the rows below are about."""
    card.write(text, (MARGIN, top, INNER, height), card.theme.muted, (24, 22))


def draw_record(card: Card, record: Record, top: int, *, side: int | None = None) -> None:
    """Draw the games under a heading as numbers and a bar, with the mark of a side if one is."""
    theme = card.theme
    card.block((MARGIN, top, INNER, ROW), theme.surface, 10)
    left = MARGIN + 14
    if side is not None:
        card.mark(side, (MARGIN + 8, top + 5), 36, theme.marks[side])
        left += 36
    label = writable_text(record.label, fallback="-")
    card.write(label, (left, top, _BAR[0] - left - 14, ROW), theme.text, _SIZES)
    start, width = _BAR
    if record.games:
        bar = (start, top + 16, width, ROW - 32)
        card.block(bar, mix(theme.surface, theme.text, 0.16), 7)
        reach = round(width * (record.wins + record.draws) / record.games)
        card.block((*bar[:2], reach, bar[3]), mix(theme.surface, theme.text, 0.48), 7)
        won = round(width * record.wins / record.games)
        card.block((*bar[:2], won, bar[3]), theme.accent, 7)
    numbers = f"{record.wins} / {record.draws} / {record.losses}"
    end = WIDTH - MARGIN - 12
    room = end - start - width - 8
    card.write(numbers, (end - room, top, room, ROW), theme.text, (23, 21, 19, 17), "r")


def draw_tile(card: Card, area: Area, label: str, value: str, *, strong: bool = False) -> None:
    """Draw a number under its label."""
    left, top, width, height = area
    theme = card.theme
    card.block(area, theme.surface, 14)
    card.write(label, (left + 6, top + 6, width - 12, 28), theme.muted, (21, 19, 17, 15), "m")
    ink = theme.accent if strong else theme.text
    card.write(value, (left + 4, top + 34, width - 8, height - 40), ink, (38, 32, 26), "m")


def draw_plates(
    card: Card, area: Area, label: str, plates: Sequence[tuple[str, Result | None]]
) -> None:
    """Draw a tile with plates under its label; those without a result are faint."""
    left, top, width, height = area
    card.block(area, card.theme.surface, 14)
    box = (left + 6, top + 6, width - 12, 28)
    card.write(label, box, card.theme.muted, (21, 19, 17, 15), "m")
    start = left + (width - PLATE_STEP * len(plates) + PLATE_STEP - PLATE) // 2
    for place, (text, result) in enumerate(plates):
        _draw_plate(card, text, result, (start + place * PLATE_STEP, top + 42, PLATE, PLATE))
    if not plates:
        card.write("-", (left, top + 34, width, height - 40), card.theme.muted, (32,), "m")


def _draw_plate(card: Card, text: str, result: Result | None, area: Area) -> None:
    """Draw a letter on a plate: full if won, hollow if lost, grey between."""
    theme = card.theme
    left, top, size, _height = area
    ink = theme.text
    if result is Result.WON:
        card.block(area, theme.accent, 8)
        ink = theme.ink
    elif result is Result.DRAWN:
        card.block(area, mix(theme.surface, theme.text, 0.22), 8)
    else:
        faint = 0.4 if result is Result.LOST else 0.16
        card.block(area, mix(theme.surface, theme.text, faint), 8)
        card.block((left + 2, top + 2, size - 4, size - 4), theme.surface, 6)
        ink = theme.text if result is Result.LOST else theme.muted
    card.write(text, area, ink, (20, 18), "m")
