"""A match as a game record: for other programs, and to be imported again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine import O, X, records
from engine.records import UNKNOWN_PLAYER, EndReason

if TYPE_CHECKING:
    from collections.abc import Container

    from bot.model.match import Match, Seat

_RESULTS: Final = {X: records.Result.X_WINS, O: records.Result.O_WINS, None: records.Result.DRAW}


def record_of(match: Match, named: Container[int] | None = None) -> records.GameRecord:
    """Return a match as a record: the game, who has which mark now, and how it ended.

    The date is the day of its start, in UTC. With `named`, only those people are named.
    """
    return records.GameRecord.of_game(
        match.game,
        result=_RESULTS[match.winner]
        if match.is_over and not match.is_annulled
        else records.Result.UNFINISHED,
        # An end on the board follows from the moves.
        end=None if match.end_reason in (None, EndReason.BOARD) else match.end_reason.value,
        # Always in English: records are read by programs and by others.
        players=(_name(match.seats[0], named), _name(match.seats[1], named)),
        date=match.created_at.date(),
    )


def _name(seat: Seat, named: Container[int] | None) -> str:
    if named is None or seat.player_id is None or seat.player_id in named:
        return seat.name
    return UNKNOWN_PLAYER
