"""Whose turn it is, which board is current, and whether a click has been made before."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.errors import MatchOverError, NotYourTurnError, StaleBoardError
from bot.matches.events import BOARD_CHANGES, EventKind
from engine import O, X

if TYPE_CHECKING:
    from bot.matches.model import Match


@dataclass(frozen=True, slots=True)
class Press:
    """A button that somebody pressed on a board.

    Attributes:
        user_id: Who.
        ply: Which position they saw.
        revision: Which revision they saw; None for whatever is current at that ply.
        late_by: How long the press has been on its way: no time of theirs.
    """

    user_id: int
    ply: int
    revision: int | None = None
    late_by: timedelta = timedelta()


@dataclass(frozen=True, slots=True, kw_only=True)
class BackTo:
    """An earlier moment of a match to go back to.

    Attributes:
        ply: How many moves are left then.
        is_swap: Whether it is the choice between a move and a swap that was taken as swap.
        undoes_swap: Whether a swap of seats is undone on the way.
    """

    ply: int
    is_swap: bool = False
    undoes_swap: bool = False


def check_turn(match: Match, user_id: int, ply: int, revision: int | None = None) -> None:
    """Make sure that a person with a seat may move now, seeing the position at `ply`.

    Args:
        match: As it is.
        user_id: Who wants to move.
        ply: Which position they saw.
        revision: Which revision they saw; None for whatever is current at that ply.

    Raises:
        MatchOverError: If the match has ended.
        StaleBoardError: If it is no longer as they saw it.
        NotYourTurnError: If the other seat is to move.
    """
    seat = match.seat_to_move
    if seat is None:
        raise MatchOverError(match)
    if match.ply != ply or not is_current(match, revision):
        raise StaleBoardError(match, ply)
    if seat.player_id != user_id:
        raise NotYourTurnError(match)


def is_current(match: Match, revision: int | None) -> bool:
    """Tell whether nothing but words has been exchanged since a revision at this ply.

    An offer changes neither marks nor seats: who has not seen it may move all the same.
    """
    if revision is None:
        return True
    return revision <= match.revision and not any(
        event.number >= revision and event.kind in BOARD_CHANGES for event in match.events
    )


def was_played(match: Match, user_id: int, ply: int, move: int) -> bool:
    """Tell whether a person has made just this move at an earlier ply."""
    if not 0 <= ply < match.ply or match.moves[ply] != move:
        return False
    side = ply % 2  # X plays the even plies in every variant
    if match.swapped and ply == 0:
        side = 1 - side  # who had that side then has the other one now
    return match.seats[side].player_id == user_id


def was_swapped(match: Match, user_id: int, ply: int) -> bool:
    """Tell whether a person has swapped seats at that ply already."""
    return match.swapped and any(
        event.kind is EventKind.SWAP
        and event.ply == ply
        and match.seats[1 - event.side].player_id == user_id
        for event in match.events
    )


def last_turn_of(match: Match, side: int) -> BackTo | None:
    """Return the moment before the last turn of whoever plays a side now.

    A turn is a move or a swap. None if there is none beside the opening's moves.
    """
    swapped = match.swapped
    first = max(len(match.game.opening_moves), 1 if swapped else 0)
    for ply in range(match.ply - 1, first - 1, -1):
        if ply % 2 == side:
            return BackTo(ply=ply)
    if not swapped:
        return None
    # Whoever has X has swapped; whoever has O has made the first move.
    if side == X:
        return BackTo(ply=1, is_swap=True, undoes_swap=True)
    assert side == O, "there are two sides"
    return BackTo(ply=0, undoes_swap=True)
