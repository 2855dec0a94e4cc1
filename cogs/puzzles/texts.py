"""Texts about puzzles."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from discord.utils import escape_markdown, format_dt

from bot.language import _, mark_of, ngettext, told
from bot.model.puzzles import Daily, DailyRow, DailyStreak, Round, Try, Turnout, start_of
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

SQUARES: Final = {Try.RIGHT: "🟩", Try.WRONG: "🟥", Try.HINT: "🟨", Try.SOLUTION: "⬛"}


def heading(puzzle: Puzzle, *, is_daily: bool) -> str:
    """Say what to do."""
    words = (
        _("### Daily puzzle: {mark} to move and win")
        if is_daily
        else _("### Puzzle: {mark} to move and win")
    )
    return words.format(mark=mark_of(puzzle.side))


def date(day: int) -> str:
    """Name a day, as readers' clients write it."""
    # Noon is on the same day in almost every time zone.
    return format_dt(start_of(day) + timedelta(hours=12), "D")


def post(puzzle: Puzzle, day: int, before: Turnout) -> str:
    """Say to a server what today's puzzle is, and how that of the day before went."""
    lines = [heading(puzzle, is_daily=True), last_move(puzzle, 0)]
    lines.append(f"-# {date(day)} · " + _("the same for everyone, and only you see your moves"))
    if before.tried:
        lines.append("-# " + _("Yesterday: {turnout}").format(turnout=turnout(before)))
    return "\n".join(lines)


def turnout(found: Turnout) -> str:
    """Say how many have solved it."""
    words = ngettext(
        "solved by {solved} of {count} person", "solved by {solved} of {count} people", found.tried
    )
    return words.format(solved=found.solved, count=found.tried)


def shared(name: str, row: DailyRow, days: int) -> str:
    """Tell others how somebody did, without giving anything away."""
    words = (
        _("**{name}** solved the daily puzzle of {date}")
        if row.won
        else _("**{name}** tried the daily puzzle of {date}")
    )
    squares = "".join(SQUARES[Try(each)] for each in row.tries)
    if days > 1:
        in_a_row = ngettext("{count} day in a row", "{count} days in a row", days)
        squares += f" · {in_a_row.format(count=days)}"
    return f"{words.format(name=escape_markdown(name), date=date(row.day))}\n{squares}"


def _standing(daily: Daily) -> str:
    """Say how the streak stands, and how others did once one's own attempt is decided."""
    parts = [_("Too late for the streak") if daily.is_late else streak(daily.streak)]
    if daily.row.won is not None:
        parts.append(turnout(daily.turnout))
    return "-# " + " · ".join(parts)


def streak(found: DailyStreak) -> str:
    """Say for how many days in a row somebody has solved the daily puzzle."""
    words = _("Daily puzzle streak: {count} · best {best}")
    return words.format(count=found.current, best=found.best)


def last_move(puzzle: Puzzle, found: int, *, is_right: bool = False) -> str:
    """Say what the opponent played last; with `is_right`, that the move just found was right."""
    move = puzzle.solution[2 * found - 1] if found else puzzle.moves[-1]
    played = _("{name} played **{move}**.").format(
        name=mark_of(other(puzzle.side)), move=format_move(move, puzzle.rules)
    )
    return " ".join([_("**Right!**"), played, _("Find the next move.")]) if is_right else played


def stakes(found: Round) -> str:
    """Say what counts as not solved; once that is decided, how the attempt counted."""
    standing = [] if found.daily is None else [_standing(found.daily)]
    if found.won is None:
        rule = _("-# A wrong move, a hint or the solution counts as not solved.")
        return "\n".join([rule, *standing])
    counted = _("Solved at the first try") if found.won else _("Not solved at the first try")
    change = "" if found.gain is None else f" ({found.gain:+d})".replace("-", "\N{MINUS SIGN}")
    return "\n".join([f"-# {counted} · {told(found.solver.words)}{change}", *standing])


def footer(found: Round) -> str:
    """Say which puzzle it is; how hard, once that gives nothing away."""
    variant = told(load_variant(found.puzzle.rules.key).name)
    parts = [] if found.daily is None else [date(found.daily.row.day)]
    parts += [_("Puzzle {id}").format(id=found.puzzle.id), variant]
    if found.won is not None:
        parts.append(_("rating {rating}").format(rating=round(found.rated.value)))
        tried = ngettext("tried {count} time", "tried {count} times", found.rated.plays)
        parts.append(tried.format(count=found.rated.plays))
    return "-# " + " · ".join([*parts, _("`/rules` explains")])


def hint(puzzle: Puzzle, found: int, *, is_whole: bool) -> str:
    """Name the board of the move, or the whole move."""
    move = puzzle.solution[2 * found]
    if is_whole:
        return _("Hint: play **{move}**.").format(move=format_move(move, puzzle.rules))
    return _("Hint: play in **board {board}**.").format(board=move // 9 + 1)


def does_not_win(move: Cell, puzzle: Puzzle) -> str:
    """Say in the picture what is wrong with a move."""
    return _("{move} does not win").format(move=format_move(move, puzzle.rules))


def wrong(before: Position, attempt: Attempt, refuted: Refutation | None) -> str:
    """Say why the last move of an attempt does not win; `refuted` is None if it ended the game."""
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


def solved(found: Round) -> str:
    """Say that it is done, and what it was about."""
    praise = _("**Solved!**") if found.won else _("**That's it**, though not on your first try.")
    return "\n".join([praise, *_explanation(found.puzzle)])


def line(puzzle: Puzzle, ply: int) -> str:
    """Return the solution with the moves to be found in bold, and what it is about."""
    moves = [format_move(move, puzzle.rules) for move in puzzle.solution]
    told_moves = [move if place % 2 else f"**{move}**" for place, move in enumerate(moves)]
    said = [_("Solution: {moves}").format(moves=" ".join(told_moves))]
    return "\n".join([*said, *(_explanation(puzzle) if ply == len(moves) else ())])


def _explanation(puzzle: Puzzle) -> list[str]:
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
