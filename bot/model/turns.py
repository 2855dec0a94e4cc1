"""Whose turn it is, which board is current, and whether a click has been made before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.model.errors import MatchOverError, NotYourTurnError, StaleBoardError
from bot.model.events import BOARD_CHANGES, EventKind
from engine import O, X

if TYPE_CHECKING:
    from bot.model.actions import Request
    from bot.model.match import Match


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


def check_turn(match: Match, request: Request) -> None:
    """Make sure that whoever asks, and has a seat, may move now.

    Raises:
        MatchOverError: If the match has ended.
        StaleBoardError: If it is no longer as they saw it.
        NotYourTurnError: If the other seat is to move.
    """
    seat = match.seat_to_move
    if seat is None:
        raise MatchOverError(match)
    if request.ply is not None and (
        request.ply != match.ply or not is_current(match, request.revision)
    ):
        raise StaleBoardError(match, request.ply)
    if seat.player_id != request.user_id:
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


def was_played(match: Match, request: Request, cell: int) -> bool:
    """Tell whether whoever asks has played just this cell at the ply that they saw."""
    ply = request.ply
    if ply is None or not 0 <= ply < match.ply or match.moves[ply] != cell:
        return False
    side = ply % 2  # X plays the even plies in every variant
    if match.swapped and ply == 0:
        side = 1 - side  # who had that side then has the other one now
    return match.seats[side].player_id == request.user_id


def was_swapped(match: Match, request: Request) -> bool:
    """Tell whether whoever asks has swapped seats at the ply that they saw."""
    return match.swapped and any(
        event.kind is EventKind.SWAP
        and event.ply == request.ply
        and match.seats[1 - event.side].player_id == request.user_id
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
