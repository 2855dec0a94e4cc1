"""What the rows of a match hold: values that `matches.py` reads and writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime, timedelta

ONGOING = "ongoing"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRow:
    """Who has a side: a player with a name, or the computer at a level."""

    player_id: int | None = None
    name: str | None = None
    level: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """Something that is no move; `ply` is that of the position it left."""

    number: int
    ply: int
    kind: str
    side: int
    happened_at: datetime
    cells: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRow:
    """A match as it is stored; `seats` are those of sides 0 and 1 now."""

    id: int
    variant_key: str
    rules: str
    opening_code: str | None
    status: str
    ply: int
    to_move: int | None
    winner: int | None
    end_reason: str | None
    previous_id: int | None
    guild_id: int | None
    channel_id: int | None
    message_id: int | None
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None
    rated: int = 0
    clock: str | None = None
    deadline_at: datetime | None = None
    remind_at: datetime | None = None
    left_x: timedelta | None = None
    left_o: timedelta | None = None
    revision: int
    seats: tuple[SeatRow, SeatRow]
    moves: tuple[int, ...]
    events: tuple[EventRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What follows from the moves and is stored with them."""

    status: str
    to_move: int | None
    winner: int | None
    end_reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimesRow:
    """What the clocks of a match show, as it is stored."""

    deadline_at: datetime | None = None
    remind_at: datetime | None = None
    left_x: timedelta | None = None
    left_o: timedelta | None = None
