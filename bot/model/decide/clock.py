"""What follows from a clock that has run out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.model import changes
from bot.model.clock_rules import format_span
from bot.model.decide.facts import check_ongoing, side_of
from bot.model.errors import ClockRunningError
from bot.model.match import EndReason
from bot.model.running_clocks import LATENCY

if TYPE_CHECKING:
    from bot.model.actions import ClaimTime, Forfeit, Request
    from bot.model.changes import Change
    from bot.model.decide.facts import Facts
    from bot.model.match import Match


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
