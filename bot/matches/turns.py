"""Whose turn it is, and whether a click has been made before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.errors import MatchOverError, NotYourTurnError, StaleBoardError
from bot.matches.model import EventKind

if TYPE_CHECKING:
    from bot.matches.model import Match


def check_turn(match: Match, user_id: int, ply: int) -> None:
    """Make sure that a person with a seat may move now, seeing the position at `ply`.

    Raises:
        MatchOverError: If the match has ended.
        StaleBoardError: If it is no longer at `ply`.
        NotYourTurnError: If the other seat is to move.
    """
    seat = match.seat_to_move
    if seat is None:
        raise MatchOverError(match)
    if match.ply != ply:
        raise StaleBoardError(match, ply)
    if seat.player_id != user_id:
        raise NotYourTurnError(match)


def was_played(match: Match, user_id: int, ply: int, move: int) -> bool:
    """Tell whether a person has made just this move at an earlier ply."""
    if not 0 <= ply < match.ply or match.moves[ply] != move:
        return False
    side = ply % 2  # X plays the even plies in every variant
    for event in match.events:
        if event.kind is EventKind.SWAP and ply < event.ply:
            side = 1 - side  # who had that side then has the other one now
    return match.seats[side].player_id == user_id


def was_swapped(match: Match, user_id: int, ply: int) -> bool:
    """Tell whether a person has swapped seats at that ply already."""
    return any(
        event.kind is EventKind.SWAP
        and event.ply == ply
        and match.seats[1 - event.side].player_id == user_id
        for event in match.events
    )
