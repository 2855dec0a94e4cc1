"""What somebody's finished matches amount to, as they are counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from datetime import datetime

FINISHED: Final = "finished"
WON: Final = "won"
DRAWN: Final = "drawn"
LOST: Final = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class TallyRow:
    """How many matches of one kind ended in one way."""

    variant_key: str
    side: int
    level: int | None
    result: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StreakRow:
    """The same result so many times in a row."""

    result: str
    length: int
    last_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OpponentRow:
    """How it went against somebody."""

    player_id: int
    name: str
    won: int
    drawn: int
    lost: int
