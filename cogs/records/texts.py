"""What is said about game records."""

from __future__ import annotations

import discord

from bot.matches import Match
from engine import O, X
from engine.records import GameRecord, Result


def exported(match: Match) -> str:
    """Say what the file is and what can be done with it."""
    return (
        f"The record of game {match.id}. `/import` plays on from it; "
        "`python -m engine record` reads it."
    )


def winner_of(record: GameRecord) -> int | None:
    """Return the side that won, None for a draw."""
    return {Result.X_WINS: X, Result.O_WINS: O}.get(record.result)


def ending(record: GameRecord) -> str:
    """Say in a few words how a game ended that did not end on the board."""
    why = f" ({record.end})" if record.end else ""
    return f"{record.result.words}{why}"


def finished(record: GameRecord) -> str:
    """Say who played a finished game, and that there is nothing to play on."""
    x, o = (discord.utils.escape_markdown(name) for name in record.players)
    played = f" on {record.date:%Y-%m-%d}" if record.date else ""
    return (
        f"### {x} (X) against {o} (O){played}\n"
        f"{len(record.moves)} moves, {ending(record)}. This game is finished: there is nothing to "
        "play on. Leave the result out (`*`) and some moves off to try from an earlier position."
    )
