"""What is done on the board: moving, swapping seats, resigning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.model import changes
from bot.model.changes import Moment
from bot.model.decide.facts import check_ongoing, forfeit_if_late, side_of
from bot.model.match import EndReason
from bot.model.turns import check_turn, was_played, was_swapped

if TYPE_CHECKING:
    from bot.model.actions import Play, Reply, Request, Resign, Swap
    from bot.model.changes import Change
    from bot.model.decide.facts import Facts
    from bot.model.match import Match


def play(match: Match, action: Play, request: Request, facts: Facts) -> Change | None:
    """Play a cell, if it is one's turn in the position that was seen."""
    side_of(match, request)
    if was_played(match, request, action.cell):
        return None
    late = forfeit_if_late(match, request, facts)
    if late is not None:
        return late
    check_turn(match, request)
    return changes.move(match, action.cell, _end_of_turn(match, request, facts))


def swap(match: Match, action: Swap, request: Request, facts: Facts) -> Change | None:
    """Take the other seat, if it is one's turn and the rules let one choose."""
    del action
    side_of(match, request)
    if was_swapped(match, request):
        return None
    late = forfeit_if_late(match, request, facts)
    if late is not None:
        return late
    check_turn(match, request)
    return changes.swap(match, _end_of_turn(match, request, facts))


def reply(match: Match, action: Reply, request: Request, facts: Facts) -> Change | None:
    """Do what the computer has thought of, unless the match has gone on meanwhile."""
    if match.level_to_move is None or match.revision != request.revision:
        return None
    when = _end_of_turn(match, request, facts)
    return changes.swap(match, when) if action.swaps else changes.move(match, action.cell, when)


def resign(match: Match, action: Resign, request: Request, facts: Facts) -> Change | None:
    """Give the match up, whoever's turn it is."""
    del action
    side = side_of(match, request)
    if match.end_reason is EndReason.RESIGNED and match.winner == 1 - side:
        return None
    check_ongoing(match)
    late = forfeit_if_late(match, request, facts)
    return changes.resignation(match, side, facts.now) if late is None else late


def _end_of_turn(match: Match, request: Request, facts: Facts) -> Moment:
    next_seat = match.seats[1 - match.position.side]
    return Moment(
        now=facts.now,
        pressed_at=facts.pressed_at(match, request.late_by),
        away_until=facts.away_until(match, next_seat),
    )
