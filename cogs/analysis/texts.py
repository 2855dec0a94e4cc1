"""What is said about the worth of moves."""

from __future__ import annotations

from collections.abc import Sequence

import discord

from bot.matches import Match
from engine import Analysis, Hint, MoveReview, Proof, format_move

LISTED = 6
"""So many moves are listed in a review; the picture shows them all."""

MARKS = ("X", "O")


def hints(match: Match, found: Sequence[Hint]) -> str:
    """List the best moves with their chances, for the one whose turn it is."""
    heading = f"### Game {match.id}: {MARKS[match.position.side]} to move"
    return "\n".join([heading, *(_hint(match, hint) for hint in found), HINT_NOTE])


HINT_NOTE = "-# Chances with good play from both; a draw counts half. Only you can see this."


def _hint(match: Match, hint: Hint) -> str:
    cells = [format_move(move, match.rules) for move in hint.line]
    follows = f", then likely {' '.join(cells[1:4])}" if cells[1:] else ""
    return f"- **{cells[0]}**: {_chance(hint)}{follows}"


def _chance(hint: Hint) -> str:
    if hint.proven is None:
        return f"{hint.chance:.0%}"
    sure = {Proof.WIN: "a certain win", Proof.DRAW: "a certain draw", Proof.LOSS: "a certain loss"}
    within = f" in at most {hint.at_most_plies} plies" if hint.at_most_plies else ""
    return sure[hint.proven] + within


def review(match: Match, analysis: Analysis) -> str:
    """Say how well both played, and which moves decided the game."""
    x, o = (discord.utils.escape_markdown(name) for name in match.names)
    accuracy = analysis.accuracy
    lines = [
        f"### Review of game {match.id}",
        f"**{x}** (X): {_accuracy(accuracy.x)} · **{o}** (O): {_accuracy(accuracy.o)}",
    ]
    decisive = sorted(analysis.reviews, key=lambda each: each.loss, reverse=True)
    costly = [each for each in decisive if each.judgement in COSTLY][:LISTED]
    if costly:
        lines.append("The moves that cost most:")
        lines += [_costly(match, each) for each in sorted(costly, key=lambda each: each.ply)]
    else:
        lines.append("Nobody made a mistake worth naming.")
    return "\n".join([*lines, REVIEW_NOTE])


def replay(match: Match) -> str:
    """Say which game is shown again."""
    x, o = (discord.utils.escape_markdown(name) for name in match.names)
    return f"### Game {match.id}: {x} (X) against {o} (O)\n{match.result_in_words}."


COSTLY = ("mistake", "blunder")

REVIEW_NOTE = (
    "-# Accuracy: 100 for playing the best move every time. Percentages are what the player could "
    "expect before and after the move."
)


def _accuracy(value: float | None) -> str:
    return "no choices to judge" if value is None else f"accuracy {value:.0f}"


def _costly(match: Match, found: MoveReview) -> str:
    played = format_move(found.move, match.rules)
    better = format_move(found.best_move, match.rules)
    turn = ", the turning point" if found.is_turning_point else ""
    return (
        f"- Move {found.ply + 1}, {MARKS[found.side]} **{played}**: {found.judgement}{turn} "
        f"({found.chance_before:.0%} to {found.chance_after:.0%}); better was **{better}**"
    )
