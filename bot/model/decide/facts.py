"""What a decision goes by, beside the match and the request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING

from bot.clock import to_milliseconds
from bot.model import changes
from bot.model.clock_rules import ClockKind
from bot.model.errors import MatchOverError, NotAPlayerError
from bot.model.running_clocks import LATENCY

if TYPE_CHECKING:
    from bot.model.actions import Request
    from bot.model.changes import Change
    from bot.model.match import Match, Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is so at the moment of a decision.

    Attributes:
        now: When that is.
        away: Until when each player who is on vacation will be, by their number.
    """

    now: datetime
    away: Mapping[int, datetime] = field(default_factory=lambda: MappingProxyType({}))

    def away_until(self, match: Match, seat: Seat) -> datetime | None:
        """Return until when the player of a seat is on vacation, where that matters."""
        if match.clock.kind is not ClockKind.CORRESPONDENCE or seat.player_id is None:
            return None
        until = self.away.get(seat.player_id)
        return until if until is not None and until > self.now else None

    def pressed_at(self, match: Match, late_by: timedelta) -> datetime:
        """Return when something was asked for that has been on its way for so long.

        Never before the match was last changed: nobody can have answered that earlier.
        """
        late_by = min(max(timedelta(), late_by), LATENCY)
        return max(to_milliseconds(self.now - late_by), min(match.updated_at, self.now))


def side_of(match: Match, request: Request) -> int:
    """Return the side of whoever asks.

    Raises:
        NotAPlayerError: If they have no seat in the match.
    """
    side = None if request.user_id is None else match.side_of(request.user_id)
    if side is None:
        raise NotAPlayerError(match)
    return side


def check_ongoing(match: Match) -> None:
    """Make sure that a match goes on.

    Raises:
        MatchOverError: If it has ended.
    """
    if match.is_over:
        raise MatchOverError(match)


def forfeit_if_late(match: Match, request: Request, facts: Facts) -> Change | None:
    """Return the end of a match whose side to move has run out of time; None if it has not.

    Whoever is to move says by their request when they made it. Anybody else waits for one that
    may be on its way.
    """
    pressed_at = facts.pressed_at(match, request.late_by)
    seat = match.seat_to_move
    in_turn = seat is not None and seat.player_id == request.user_id
    if match.is_overdue(pressed_at if in_turn else pressed_at - LATENCY):
        return changes.forfeit(match, facts.now, instead=True)
    return None
