"""How a run through puzzles looks, and its texts. Custom ids stay in use: never change one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import discord
from discord.utils import escape_markdown, format_dt

from bot.language import _, label, mark_of, ngettext, percent
from bot.model.puzzle_runs import Bests, RunKind, RunPlace, RunRow, RunStep, Verdict, position_in
from bot.render import Advice, BoardPicture, CellNote, describe_position, draw_board
from cogs.answering import picture, sealed
from cogs.audience import Presentation
from cogs.pages import NUMBER, compact
from cogs.play.layout import IMAGE_NAME, board_rows, cell_rows, chosen_path
from cogs.play.texts import text_board, to_do
from engine import Position, Puzzle, X, format_move, other

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

_RUN: Final = r"(?P<run_id>\d{1,18})"
_PUZZLE: Final = rf"{_RUN}:(?P<puzzle_id>[a-z2-7]{{8}})"
_TURN: Final = r"(?P<turn>\d{1,2})"
_KIND: Final = r"(?P<kind>storm|streak|race)"

SHOW: Final = rf"run:{_PUZZLE}:(?P<board>\d)"  # 0: no board is chosen
CELL: Final = rf"run-cell:{_PUZZLE}:{_TURN}:(?P<cell>\d{{1,2}})"
SKIP: Final = rf"run-skip:{_PUZZLE}:{_TURN}"
END: Final = rf"run-end:{_RUN}"
NEW: Final = r"run-new:(?P<kind>storm|streak)"
TOP: Final = rf"run-top:{_KIND}:(?P<period>[wla]):(?P<owner>{NUMBER}):(?P<page>\d{{1,4}})"

ROWS: Final = 10
WEEK, LAST_WEEK, EVER = "w", "l", "a"

Button = discord.ui.Button[Any]
Shown = tuple[discord.ui.LayoutView, list[discord.File]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """A run as its player sees it.

    Attributes:
        run: Their run.
        line: The puzzles of the run.
        at: When they look, by Discord's clock.
        name: What they are called.
        presentation: How they want things shown.
        step: What their press did; None if nothing.
        board: The board they have chosen to play in, from 1; 0 if none.
        bests: Their best scores; None if they are not shown.
    """

    run: RunRow
    line: Sequence[Puzzle]
    at: datetime
    name: str
    presentation: Presentation
    step: RunStep | None = None
    board: int = 0
    bests: Bests | None = None

    @property
    def puzzle(self) -> Puzzle:
        """The one to be solved next; the last one at the end."""
        return self.line[min(self.run.place, len(self.line) - 1)]


def kind_name(kind: RunKind) -> str:
    """Return the name of a kind of run."""
    return {
        RunKind.STORM: _("Puzzle storm"),
        RunKind.STREAK: _("Puzzle streak"),
        RunKind.RACE: _("Puzzle race"),
    }[kind]


async def draw(sight: Sight) -> Shown:
    """Lay out the next question of a run, or its result."""
    if sight.run.is_over(sight.at):
        return await _result(sight)
    position = position_in(sight.run, sight.puzzle)
    path = chosen_path(position, (sight.board - 1,))
    is_chosen = path != chosen_path(position, ())
    board, file = await _board(sight, path)
    colour = discord.Colour.from_rgb(*sight.presentation.theme.marks[sight.puzzle.side])
    if sight.step is not None and sight.step.verdict is Verdict.WRONG:
        colour = discord.Colour.red()
    said = discord.ui.TextDisplay[Any](_question(sight, position, path, is_chosen=is_chosen))
    container = discord.ui.Container[Any](said, board, accent_colour=colour)
    if sight.presentation.text_board:
        container.add_item(discord.ui.TextDisplay(text_board(position, path)))
    for row in _rows(sight, position, path, is_chosen=is_chosen):
        container.add_item(discord.ui.ActionRow(*row))
    if not sight.run.moves + sight.run.errors:
        lines = [_how_to(RunKind(sight.run.kind)), _bests(sight)]
        container.add_item(discord.ui.TextDisplay("\n".join(filter(None, lines))))
    return sealed(container), [file]


def _question(sight: Sight, position: Position, path: tuple[int, ...], *, is_chosen: bool) -> str:
    """Say how the run stands, and what to do."""
    run, puzzle = sight.run, sight.puzzle
    return "\n".join(
        [
            _heading(run),
            *_told(sight),
            _last_move(run, puzzle),
            to_do(position, escape_markdown(sight.name), path, is_chosen=is_chosen),
        ]
    )


def _rows(
    sight: Sight, position: Position, path: tuple[int, ...], *, is_chosen: bool
) -> list[list[Button]]:
    """Return the cells or boards to choose from, and what else can be done."""
    run, puzzle = sight.run, sight.puzzle
    if path:
        rows = cell_rows(position, path, partial(_id, "run-cell", run, puzzle, run.found))
    else:
        rows = board_rows(position, path, lambda way: _id("run", run, puzzle, way[0] + 1))
    controls = []
    if is_chosen:
        controls.append(Button(label=label("Other board"), custom_id=_id("run", run, puzzle, 0)))
    if run.can_skip:
        skip = _id("run-skip", run, puzzle, run.found)
        controls.append(Button(label=label("Skip this move"), custom_id=skip))
    if run.race_id is None:
        controls.append(Button(label=label("End run"), custom_id=f"run-end:{run.id}"))
    return [*rows, controls] if controls else rows


def waiting(run: RunRow, puzzle: Puzzle, starts_at: datetime) -> discord.ui.LayoutView:
    """Lay out what somebody sees before a race starts."""
    words = _("**You're in!** Your first puzzle appears here when the race starts, {when}.")
    said = words.format(when=format_dt(starts_at, "R"))
    show = Button(label=label("Show my puzzle"), custom_id=_id("run", run, puzzle, 0))
    heading = f"### {kind_name(RunKind.RACE)}"
    return sealed("\n".join([heading, said, _how_to(RunKind.RACE)]), [show])


def _heading(run: RunRow) -> str:
    kind = RunKind(run.kind)
    return f"### {kind_name(kind)} · {_score(kind, run.score)}"


def _score(kind: RunKind, score: int) -> str:
    if kind is RunKind.RACE:
        words = ngettext("{count} point", "{count} points", score)
    else:
        words = ngettext("{count} solved", "{count} solved", score)
    return words.format(count=score)


def _told(sight: Sight) -> list[str]:
    """Say what the press has done, and how much time is left."""
    run, lines = sight.run, []
    if sight.step is not None:
        lines.append(_news(run, sight.step))
    if run.ends_at is not None:
        left = max(0, round((run.ends_at - sight.at).total_seconds()))
        words = _("**{left}** left, ends {when}")
        clock = words.format(left=f"{left // 60}:{left % 60:02}", when=format_dt(run.ends_at, "R"))
        combo = _("combo {count}").format(count=run.combo)
        lines.append(f"{clock} · {combo}" if run.combo > 1 else clock)
    return lines


def _news(run: RunRow, step: RunStep) -> str:
    move, best = (format_move(each, step.puzzle.rules) for each in (step.move, step.best))
    said = {
        Verdict.RIGHT: " ".join([_("**Right!**"), _("Find the next move.")]),
        Verdict.SOLVED: _("**Solved!**"),
        Verdict.SKIPPED: _("Skipped: **{best}** wins."),
        Verdict.WRONG: _("**Not quite.** {move} does not win, **{best}** does."),
    }[step.verdict].format(move=move, best=best)
    if run.race_id is not None and step.bonus:
        points = ngettext("{count} bonus point", "{count} bonus points", step.bonus)
        return f"{said} {points.format(count=step.bonus)}"
    change = -run.rules.mistake_s if step.verdict is Verdict.WRONG else step.bonus
    if not change:
        return said
    signed = f"{change:+d}".replace("-", "\N{MINUS SIGN}")
    return " ".join([said, _("{change} s").format(change=signed)])


def _last_move(run: RunRow, puzzle: Puzzle) -> str:
    move = puzzle.solution[2 * run.found - 1] if run.found else puzzle.moves[-1]
    return _("{name} played **{move}**.").format(
        name=mark_of(other(puzzle.side)), move=format_move(move, puzzle.rules)
    )


def _how_to(kind: RunKind) -> str:
    """Explain how a kind of run works."""
    return {
        RunKind.STORM: _(
            "-# Solve as many puzzles as you can in 3 minutes: the clock starts with your first "
            "move. 5, 12, 20 and 30 right moves in a row earn time, a mistake costs 10 seconds."
        ),
        RunKind.STREAK: _(
            "-# No clock, but each puzzle is harder and the first mistake ends the streak. You "
            "may skip one move."
        ),
        RunKind.RACE: _(
            "-# Each right move is a point; 5, 12, 20 and 30 in a row earn more. After a mistake "
            "comes the next puzzle. You may skip one move."
        ),
    }[kind]


def _bests(sight: Sight) -> str:
    if sight.bests is None or not sight.bests.ever:
        return ""
    words = _("-# Your best: {day} today, {week} this week, {ever} ever.")
    best = sight.bests
    return words.format(day=best.day, week=best.week, ever=best.ever)


async def _board(
    sight: Sight, path: tuple[int, ...] = (), notes: tuple[CellNote, ...] = ()
) -> tuple[discord.ui.MediaGallery[Any], discord.File]:
    puzzle, position = sight.puzzle, position_in(sight.run, sight.puzzle)
    you, them = _("You"), _("Opponent")
    names = (you, them) if puzzle.side == X else (them, you)
    board = BoardPicture(
        position, names=names, selected=path, notes=notes, theme=sight.presentation.theme
    )
    # Drawing takes milliseconds, but many may be in the middle of a run at once.
    png = await asyncio.to_thread(draw_board, board)
    alt = describe_position(position, names, selected=path, notes=notes)
    return picture(IMAGE_NAME, png, alt)


async def _result(sight: Sight) -> Shown:
    """Say how a run went; for a streak, show the move that was missed."""
    run, files = sight.run, []
    container = discord.ui.Container[Any](
        discord.ui.TextDisplay(_summary(sight)), accent_colour=discord.Colour.gold()
    )
    if run.kind == RunKind.STREAK.value and run.errors:
        best = sight.puzzle.solution[2 * run.found]
        note = CellNote(best, Advice.BEST, mark=sight.puzzle.side)
        board, file = await _board(sight, notes=(note,))
        container.add_item(board)
        files.append(file)
    if run.race_id is None:
        new, blue = f"run-new:{run.kind}", discord.ButtonStyle.primary
        row = discord.ui.ActionRow[Any](
            Button(label=label("Play again"), custom_id=new, style=blue)
        )
        if run.guild_id is not None:
            # It belongs to nobody, so it opens a new message.
            top = top_id(RunKind(run.kind), WEEK, 0, 0)
            row.add_item(Button(label=label("Leaderboard"), custom_id=top))
        container.add_item(row)
    return sealed(container), files


def _summary(sight: Sight) -> str:
    """Say how a run went."""
    run, lines, facts = sight.run, [_heading(sight.run)], []
    if sight.step is not None:
        lines.append(_news(run, sight.step))
    if run.rules.seconds and run.ends_at and sight.at > run.ends_at:
        lines.append(_("Time's up!"))
    if run.moves + run.errors:
        share = percent(run.moves / (run.moves + run.errors))
        facts.append(_("accuracy {share}").format(share=share))
    if run.best_combo > 1:
        facts.append(_("best combo {count}").format(count=run.best_combo))
    if run.highest:
        facts.append(_("hardest solved: {rating}").format(rating=run.highest))
    told = " · ".join(facts)
    lines.append(f"{told[:1].upper()}{told[1:]}")
    if sight.bests is not None and run.score and run.score >= sight.bests.ever:
        lines.append(_("**Your best so far!**"))
    return "\n".join(filter(None, [*lines, _bests(sight)]))


def _id(name: str, run: RunRow, puzzle: Puzzle, *numbers: int) -> str:
    return ":".join((name, str(run.id), puzzle.id, *map(str, numbers)))


def top_id(kind: RunKind, period: str, owner: int, page: int) -> str:
    """Write the custom id of a button to a page of a leaderboard."""
    return f"run-top:{kind.value}:{period}:{compact(owner)}:{page}"


def leaderboard(
    kind: RunKind,
    period: str,
    owner: int,
    page: int,
    *,
    places: Sequence[RunPlace],
    own: Sequence[RunPlace],
) -> discord.ui.LayoutView:
    """Lay out a page of a server's leaderboard; another page follows if it is too long."""
    periods = {WEEK: _("This week"), LAST_WEEK: _("Last week"), EVER: _("All time")}
    lines = [_("### {kind}: the best of this server").format(kind=kind_name(kind))]
    lines[0] += f" · {periods[period]}"
    lines += [place_line(each.rank, each.name, each.score) for each in places[:ROWS]]
    if not places:
        lines.append(_("No results yet. Be the first: `/puzzles storm` or `/puzzles streak`."))
    for entry in own:
        words = _("-# You are number {rank} with {score}.")
        lines.append(words.format(rank=entry.rank, score=entry.score))
    target = partial(top_id, kind, owner=owner)
    turns = [
        _to(label("Previous"), target(period, page=max(0, page - 1)), "<", page > 0),
        _to(label("Next"), target(period, page=page + 1), ">", len(places) > ROWS),
    ]
    kinds = [
        _to(kind_name(each), top_id(each, period, owner, 0), each.value, each is not kind)
        for each in (RunKind.STORM, RunKind.STREAK)
    ]
    when = [_to(word, target(key, page=0), key, key != period) for key, word in periods.items()]
    return sealed("\n".join(lines), [*turns, *kinds], when)


def place_line(rank: int, name: str, score: int, more: str = "") -> str:
    """Say who has which place."""
    # Not as a list: Discord would number those of the same rank one by one.
    return f"**{rank}.** {escape_markdown(name)} · **{score}**{more}"


def _to(text: str, custom_id: str, unused: str, leads: bool) -> Button:
    """Return a button; a disabled one that leads nowhere has an id of its own."""
    return Button(
        label=text, custom_id=custom_id if leads else f"run-top:none:{unused}", disabled=not leads
    )
