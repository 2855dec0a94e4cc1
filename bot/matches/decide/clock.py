"""What follows from a clock that has run out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.errors import ClockRunningError
from bot.matches import changes
from bot.matches.clocks import format_span
from bot.matches.decide.facts import check_ongoing, side_of
from bot.matches.model import EndReason
from bot.matches.timing import LATENCY

if TYPE_CHECKING:
    from bot.matches.actions import ClaimTime, Forfeit, Request
    from bot.matches.changes import Change
    from bot.matches.decide.facts import Facts
    from bot.matches.model import Match


def claim_time(match: Match, action: ClaimTime, request: Request, facts: Facts) -> Change | None:
    """End a match for a player, if the side to move has no time left.

    No press made in time can be on its way any more then.
    """
    side_of(match, request)
    if match.end_reason is EndReason.TIME:
        return None
    check_ongoing(match)
    if match.is_overdue(facts.now - LATENCY):
        return changes.forfeit(match, facts.now)
    left = match.time_left(match.position.side, facts.now)
    raise ClockRunningError(match, left, None if left is None else format_span(left))


def forfeit(match: Match, action: Forfeit, request: Request, facts: Facts) -> Change | None:
    """End a match by the clock itself; None if somebody was faster."""
    del action, request
    return changes.forfeit(match, facts.now) if match.is_overdue(facts.now - LATENCY) else None
