"""What is said about the worth of moves."""

from __future__ import annotations

from collections.abc import Sequence

import discord

from bot.language import _, ngettext, percent, pgettext, told
from bot.model.match import Match
from cogs.people import told_names
from engine import MARKS, Analysis, Hint, Judgement, MoveReview, Proof, format_move

LISTED = 6
"""So many moves are listed in a review; the picture shows them all."""


COSTLY = (Judgement.MISTAKE, Judgement.BLUNDER)


def hints(match: Match, found: Sequence[Hint]) -> str:
    """List the best moves with their chances, for the one whose turn it is."""
    heading = _("### Game {number}: {side} to move").format(
        number=match.id, side=MARKS[match.position.side]
    )
    note = _("-# Chances with good play from both; a draw counts half.")
    return "\n".join([heading, *(_hint(match, hint) for hint in found), note])


def _hint(match: Match, hint: Hint) -> str:
    cells = [format_move(move, match.rules) for move in hint.line]
    said = f"- **{cells[0]}**: {_chance(hint)}"
    if cells[1:]:
        said += _(", then likely {moves}").format(moves=" ".join(cells[1:4]))
    return said


def _chance(hint: Hint) -> str:
    if hint.proven is None:
        return percent(hint.chance)
    sure = {
        Proof.WIN: _("a certain win"),
        Proof.DRAW: _("a certain draw"),
        Proof.LOSS: _("a certain loss"),
    }[hint.proven]
    if not hint.at_most_plies:
        return sure
    within = ngettext(
        "{result} in at most {count} ply",
        "{result} in at most {count} plies",
        hint.at_most_plies,
    )
    return within.format(result=sure, count=hint.at_most_plies)


def graph_title(match: Match) -> str:
    """Say in the picture of a review which game it is."""
    words = _("Game {number}: {result}")
    return words.format(number=match.id, result=told(match.result_in_words))


def review(match: Match, analysis: Analysis) -> str:
    """Say how well both played, and which moves decided the game."""
    x, o = (discord.utils.escape_markdown(name) for name in told_names(match))
    accuracy = analysis.accuracy
    lines = [
        _("### Review of game {number}").format(number=match.id),
        f"**{x}** (X): {_accuracy(accuracy.x)} · **{o}** (O): {_accuracy(accuracy.o)}",
    ]
    decisive = sorted(analysis.reviews, key=lambda each: each.loss, reverse=True)
    costly = [each for each in decisive if each.judgement in COSTLY][:LISTED]
    if costly:
        lines.append(_("The moves that cost most:"))
        # The last one is after which whoever won was ahead to the end.
        turned = analysis.turning_points[-1:]
        lines += [
            _costly(match, each, has_turned=each in turned)
            for each in sorted(costly, key=lambda each: each.ply)
        ]
    else:
        lines.append(_("Nobody made a mistake worth naming."))
    note = _(
        "-# Accuracy: 100 for playing the best move every time. Percentages are what the player "
        "could expect before and after the move."
    )
    return "\n".join([*lines, note])


def replay(match: Match, *, has_bar: bool) -> str:
    """Say which game is shown again, and how its replay comes to show the chances."""
    x, o = (discord.utils.escape_markdown(name) for name in told_names(match))
    heading = _("### Game {number}: {x} (X) against {o} (O)").format(number=match.id, x=x, o=o)
    said = f"{heading}\n{told(match.result_in_words)}."
    if not has_bar:
        note = _("-# After a `/review` of this game its replay shows the chances as well.")
        said += f"\n{note}"
    return said


def _accuracy(value: float | None) -> str:
    if value is None:
        return _("no choices to judge")
    return _("accuracy {value}").format(value=f"{value:.0f}")


def _costly(match: Match, found: MoveReview, *, has_turned: bool) -> str:
    words = _("- Move {number}, {side} **{move}**: {judgement} ({before} to {after}); {better}")
    judgement = {
        Judgement.MISTAKE: pgettext("a bad move", "mistake"),
        Judgement.BLUNDER: pgettext("a bad move", "blunder"),
    }[found.judgement]
    if has_turned:
        judgement += ", " + _("the turning point")
    better = format_move(found.best_move, match.rules)
    return words.format(
        number=found.ply + 1,
        side=MARKS[found.side],
        move=format_move(found.move, match.rules),
        judgement=judgement,
        before=percent(found.chance_before),
        after=percent(found.chance_after),
        better=_("better was **{move}**").format(move=better),
    )
