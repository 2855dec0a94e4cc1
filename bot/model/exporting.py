"""A match as a record that lasts outside: for other programs, and to be read in again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.model.match import EndReason
from engine import O, X, records

if TYPE_CHECKING:
    from bot.model.match import Match

_RESULTS: Final = {X: records.Result.X_WINS, O: records.Result.O_WINS, None: records.Result.DRAW}
_ENDS: Final = {
    EndReason.BOARD: None,  # its moves say so
    EndReason.RESIGNED: records.EndReason.RESIGNED.value,
    EndReason.TIME: records.EndReason.TIME.value,
    EndReason.AGREED: records.EndReason.AGREED.value,
}


def record_of(match: Match) -> records.GameRecord:
    """Return a match as a record: the game, who has which mark now, and how it ended.

    The date is the day of its start, in UTC.
    """
    return records.GameRecord.of_game(
        match.game,
        result=_RESULTS[match.winner] if match.is_over else records.Result.UNFINISHED,
        end=None if match.end_reason is None else _ENDS[match.end_reason],
        # In English, whoever asks: records are read by programs and by others.
        players=(match.seats[0].name, match.seats[1].name),
        date=match.created_at.date(),
    )
