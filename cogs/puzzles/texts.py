"""What is said about a puzzle."""

from __future__ import annotations

from bot.language import _, mark_of, ngettext, told
from bot.model.puzzles import Round
from bot.render.describe import told_result
from engine import (
    Attempt,
    Cell,
    Position,
    Proof,
    Puzzle,
    Refutation,
    format_move,
    load_variant,
    other,
)


def heading(puzzle: Puzzle) -> str:
    """Say what is to be done."""
    return _("### Puzzle: {mark} to move and win").format(mark=mark_of(puzzle.side))


def last_move(puzzle: Puzzle, found: int, *, is_right: bool) -> str:
    """Say what the opponent played last, and that the move before was right if it has just been."""
    move = puzzle.solution[2 * found - 1] if found else puzzle.moves[-1]
    played = _("{name} played **{move}**.").format(
        name=mark_of(other(puzzle.side)), move=format_move(move, puzzle.rules)
    )
    return " ".join([_("**Right!**"), played, _("Find the next move.")]) if is_right else played


def stakes(found: Round) -> str:
    """Say what counts, before anything is pressed, or what has been counted."""
    if found.row.won is None:
        return _("-# A wrong move, a hint or the solution counts as not solved.")
    counted = _("Solved at the first try") if found.row.won else _("Not solved at the first try")
    change = "" if found.gain is None else f" ({found.gain:+d})".replace("-", "\N{MINUS SIGN}")
    return f"-# {counted} · {told(found.solver.words)}{change}"


def footer(puzzle: Puzzle, found: Round) -> str:
    """Say which puzzle it is; how hard, once that gives nothing away."""
    variant = told(load_variant(found.row.variant_key).name)
    parts = [_("Puzzle {id}").format(id=puzzle.id), variant]
    if found.row.won is not None:
        parts.append(_("rating {rating}").format(rating=round(found.rated.value)))
        tried = ngettext("tried {count} time", "tried {count} times", found.rated.plays)
        parts.append(tried.format(count=found.rated.plays))
    return "-# " + " · ".join([*parts, _("`/rules` explains")])


def hint(puzzle: Puzzle, found: int, *, is_whole: bool) -> str:
    """Say in which board the move is, or where."""
    move = puzzle.solution[2 * found]
    if is_whole:
        return _("Hint: play **{move}**.").format(move=format_move(move, puzzle.rules))
    return _("Hint: play in **board {board}**.").format(board=move // 9 + 1)


def does_not_win(move: Cell, puzzle: Puzzle) -> str:
    """Say in the picture what is wrong with a move."""
    return _("{move} does not win").format(move=format_move(move, puzzle.rules))


def wrong(before: Position, attempt: Attempt, refuted: Refutation | None) -> str:
    """Say why a move does not win.

    Args:
        before: The position it was played in.
        attempt: Ends with it.
        refuted: The reply to it; None if it has ended the game.
    """
    position, side = attempt.game.position, before.side
    opponent, move = mark_of(other(side)), format_move(attempt.game.moves[-1], before.rules)
    if refuted is None:
        assert position.outcome is not None, "else there is a reply"
        result = told_result(position.outcome, before.rules.depth)
        return _("**Not quite.** {move} ends the game: {result}.").format(move=move, result=result)
    after, reply = position.after(refuted.reply), format_move(refuted.reply, before.rules)
    board = refuted.reply // 9
    if after.outcome is not None and after.outcome.winner == other(side):
        words = _("**Not quite.** {move} lets {mark} win the game with {reply}.")
        return words.format(move=move, mark=opponent, reply=reply)
    if after.board_status(board).winner == other(side):
        words = _("**Not quite.** {move} lets {mark} win board {board} with {reply}.")
    else:
        words = _("**Not quite.** {mark} answers {move} with {reply}.")
    said = words.format(move=move, mark=opponent, reply=reply, board=board + 1)
    return f"{said} {_outlook(refuted).format(mark=opponent)}"


def _outlook(refuted: Refutation) -> str:
    if refuted.proven is Proof.WIN:
        return _("From there {mark} wins by force.")
    return _("From there you can no longer force a win.")


def solved(puzzle: Puzzle, found: Round) -> str:
    """Say that it is done, and what it was about."""
    praise = (
        _("**Solved!**") if found.row.won else _("**That's it**, though not on your first try.")
    )
    return "\n".join([praise, *explanation(puzzle)])


def line(puzzle: Puzzle, ply: int) -> str:
    """Return the solution with the moves to be found in bold, and what it is about."""
    moves = [format_move(move, puzzle.rules) for move in puzzle.solution]
    told_moves = [move if place % 2 else f"**{move}**" for place, move in enumerate(moves)]
    said = [_("Solution: {moves}").format(moves=" ".join(told_moves))]
    return "\n".join([*said, *(explanation(puzzle) if ply == len(moves) else ())])


def explanation(puzzle: Puzzle) -> list[str]:
    """Say what a solution is about, from its themes, and how the game goes on."""
    ideas = [each for each in puzzle.themes if each.is_idea]
    lines = [f"- **{told(each.name)}**: {told(each.summary)}" for each in ideas]
    end = puzzle.attempt(puzzle.solution[::2]).game.position
    if end.outcome is None:
        lines.append(
            _("From here on {mark} wins in more than one way.").format(mark=mark_of(puzzle.side))
        )
    others = " · ".join(told(each.name) for each in puzzle.themes if not each.is_idea)
    return [*lines, f"-# {others}"]
