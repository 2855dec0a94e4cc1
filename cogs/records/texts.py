"""What is said about game records."""

from __future__ import annotations

import discord

from bot.language import _, ngettext, pgettext, told
from bot.model.match import Match
from engine import O, X, shorten
from engine.records import EndReason, GameRecord, Result


def exported(match: Match) -> str:
    """Say what the file is and what can be done with it."""
    return _("The record of game {number}. `/import` plays on from it.").format(number=match.id)


def shared(match: Match, name: str) -> str:
    """Say who shows a game to everybody."""
    words = _("### {name} shares game {number}")
    return words.format(name=discord.utils.escape_markdown(name), number=match.id)


def winner_of(record: GameRecord) -> int | None:
    """Return the side that won, None for a draw."""
    return {Result.X_WINS: X, Result.O_WINS: O}.get(record.result)


def ending(record: GameRecord) -> str:
    """Say in a few words how a game ended that did not end on the board."""
    result = told(record.result.sentence)
    if not record.end:
        return result
    # A record may name reasons in words of its own.
    known: dict[str, str] = {
        EndReason.BOARD: pgettext("how a game ended", "on the board"),
        EndReason.RESIGNED: pgettext("how a game ended", "resigned"),
        EndReason.TIME: pgettext("how a game ended", "out of time"),
        EndReason.AGREED: pgettext("how a game ended", "agreed"),
    }
    reason = known.get(record.end, shorten(record.end))
    return f"{result} ({reason})"


def finished(record: GameRecord) -> str:
    """Say who played a finished game, and that there is nothing to play on."""
    # A record's names may be longer than a message.
    x, o = (discord.utils.escape_markdown(shorten(name)) for name in record.players)
    heading = _("### {x} (X) against {o} (O)").format(x=x, o=o)
    if record.date:
        heading += f" · {record.date:%Y-%m-%d}"
    moves = ngettext("{count} move", "{count} moves", len(record.moves))
    played = f"{moves.format(count=len(record.moves))}, {ending(record)}."
    advice = _(
        "This game is finished: there is nothing to play on. Leave the result out (`*`) and some "
        "moves off to try from an earlier position."
    )
    return f"{heading}\n{played} {advice}"
