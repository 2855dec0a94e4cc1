"""What is stored of ratings, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRow:
    """A player's rating in a pool, as it was after the last game."""

    pool: str
    player_id: int
    value: float
    deviation: float
    volatility: float
    games: int
    opponents: int
    telling: int
    best: float | None
    last_game_at: datetime
    listed_until: datetime | None
    won: int = 0
    drawn: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRow:
    """What a match has made of a player's rating."""

    match_id: int
    player_id: int
    pool: str
    opponent_id: int | None
    level: int | None
    value_before: float
    deviation_before: float
    volatility_before: float
    value_after: float
    deviation_after: float
    volatility_after: float
    changed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedMatchRow:
    """A match that was meant to be rated; it counts unless there is a reason."""

    match_id: int
    reason: str | None
    first_id: int
    second_id: int | None
    opening: str | None
    winner: int | None
    ended_at: datetime
