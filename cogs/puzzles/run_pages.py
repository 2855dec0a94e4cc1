"""How a run through puzzles looks, and its texts. Custom ids stay in use: never change one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

import discord
from discord.utils import escape_markdown, format_dt

from bot.client import Interaction
from bot.clock import to_milliseconds
from bot.language import _, label, ngettext, percent
from bot.model.errors import PlayerError
from bot.model.puzzle_runs import (
    VARIANT_KEY,
    Bests,
    RaceRow,
    RunKind,
    RunPlace,
    RunRow,
    RunStep,
    Verdict,
    fitted,
    line_of,
    position_in,
)
from bot.render import Advice, CellNote
from bot.services.puzzles import puzzles_of
from bot.storage import puzzle_runs as rows
from cogs.answering import Button, sealed
from cogs.audience import Presentation, own_presentation
from cogs.pages import NUMBER, Contents, compact
from cogs.play.layout import chosen_path
from cogs.play.texts import to_do
from cogs.puzzles import texts
from cogs.puzzles.pages import Page, choices, draw, draw_position
from engine import Position, Puzzle, format_move

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

LATEST: Final = timedelta(seconds=3)
"""How long a press made in time may take to arrive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sight:
    """A run as its player sees it.

    Attributes:
        line: The puzzles of the run.
        at: When they look, by Discord's clock.
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


class NoServerError(PlayerError):
    """Something that exists only in servers was asked for elsewhere."""

    def __init__(self) -> None:
        super().__init__(_("This is only possible in a server that I'm a member of."))


def stamp(interaction: Interaction) -> datetime:
    """Return when Discord received a press: the time that counts in runs."""
    return to_milliseconds(interaction.created_at)


async def shown(
    interaction: Interaction,
    run: RunRow,
    step: RunStep | None = None,
    board: int = 0,
    at: datetime | None = None,
) -> Contents:
    """Lay out somebody's run as it stands at their press, or at another moment."""
    at, bests = at or stamp(interaction), None
    is_still = run.is_over(at) or not run.moves + run.errors
    if is_still and run.race_id is None:
        read = interaction.client.puzzles.database.read
        bests = await read(rows.load_bests, run.player_id, run.kind, at)
    line = line_of(await puzzles_of(VARIANT_KEY), run)
    sight = _Sight(
        run=fitted(run, line),
        line=line,
        at=at,
        name=interaction.user.display_name,
        presentation=await own_presentation(interaction),
        step=step,
        board=board,
        bests=bests,
    )
    return await (_result(sight) if run.is_over(at) else draw(_question(sight)))


def kind_name(kind: str) -> str:
    """Return the name of a kind of run."""
    return {
        RunKind.STORM: _("Puzzle storm"),
        RunKind.STREAK: _("Puzzle streak"),
        RunKind.RACE: _("Puzzle race"),
    }[RunKind(kind)]


def _question(sight: _Sight) -> Page:
    """Say how the run stands, and ask for the next move."""
    run, puzzle = sight.run, sight.puzzle
    position = position_in(run, puzzle)
    path = chosen_path(position, (sight.board - 1,))
    is_chosen = path != chosen_path(position, ())
    is_wrong = sight.step is not None and sight.step.verdict is Verdict.WRONG
    lines = [
        _heading(run),
        *_told(sight),
        texts.last_move(puzzle, run.found),
        to_do(position, escape_markdown(sight.name), path, is_chosen=is_chosen),
    ]
    below = [] if run.moves + run.errors else [_how_to(run.kind), _bests(sight)]
    return Page(
        puzzle=puzzle,
        presentation=sight.presentation,
        position=position,
        said="\n".join(lines),
        rows=_rows(sight, position, path, is_chosen=is_chosen),
        below="\n".join(filter(None, below)),
        colour=discord.Colour.red() if is_wrong else None,
        path=path,
    )


def _rows(
    sight: _Sight, position: Position, path: tuple[int, ...], *, is_chosen: bool
) -> list[list[Button]]:
    """Return the cells or boards to choose from, and what else can be done."""
    run, puzzle = sight.run, sight.puzzle
    cell_id, board_id = (
        partial(_id, "run-cell", run, puzzle, run.found),
        partial(_id, "run", run, puzzle),
    )
    rows, controls = choices(position, path, cell_id, board_id), []
    if is_chosen:
        controls.append(Button(label=label("Other board"), custom_id=board_id(0)))
    if run.can_skip:
        skip = _id("run-skip", run, puzzle, run.found)
        controls.append(Button(label=label("Skip this move"), custom_id=skip))
    if run.race_id is None:
        controls.append(Button(label=label("End run"), custom_id=f"run-end:{run.id}"))
    return [*rows, controls] if controls else rows


async def waiting_view(run: RunRow, race: RaceRow) -> discord.ui.LayoutView:
    """Lay out what somebody sees before a race starts."""
    words = _("**You're in!** Your first puzzle appears here when the race starts, {when}.")
    said = words.format(when=format_dt(race.starts_at, "R"))
    first = line_of(await puzzles_of(VARIANT_KEY), run)[0]
    show = Button(label=label("Show my puzzle"), custom_id=_id("run", run, first, 0))
    heading = f"### {kind_name(RunKind.RACE)}"
    return sealed("\n".join([heading, said, _how_to(RunKind.RACE)]), [show])


def _heading(run: RunRow) -> str:
    if run.kind == RunKind.RACE:
        words = ngettext("{count} point", "{count} points", run.score)
    else:
        words = ngettext("{count} solved", "{count} solved", run.score)
    return f"### {kind_name(run.kind)} · {words.format(count=run.score)}"


def _told(sight: _Sight) -> list[str]:
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


def _how_to(kind: str) -> str:
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
    }[RunKind(kind)]


def _bests(sight: _Sight) -> str:
    if sight.bests is None or not sight.bests.ever:
        return ""
    words = _("-# Your best: {day} today, {week} this week, {ever} ever.")
    best = sight.bests
    return words.format(day=best.day, week=best.week, ever=best.ever)


async def _result(sight: _Sight) -> Contents:
    """Say how a run went; for a streak, show the move that was missed."""
    run, puzzle, files = sight.run, sight.puzzle, []
    container = discord.ui.Container[Any](
        discord.ui.TextDisplay(_summary(sight)), accent_colour=discord.Colour.gold()
    )
    if run.kind == RunKind.STREAK and run.errors:
        best = CellNote(puzzle.solution[2 * run.found], Advice.BEST, mark=puzzle.side)
        look, position = sight.presentation, position_in(run, puzzle)
        missed = Page(puzzle=puzzle, presentation=look, position=position, notes=(best,))
        board, file = await draw_position(missed)
        container.add_item(board)
        files.append(file)
    if run.race_id is None:
        new, blue = f"run-new:{run.kind}", discord.ButtonStyle.primary
        row = discord.ui.ActionRow[Any](
            Button(label=label("Play again"), custom_id=new, style=blue)
        )
        if run.guild_id is not None:
            # It belongs to nobody, so it opens a new message.
            top = top_id(run.kind, WEEK, 0, 0)
            row.add_item(Button(label=label("Leaderboard"), custom_id=top))
        container.add_item(row)
    return sealed(container), files


def _summary(sight: _Sight) -> str:
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


def top_id(kind: str, period: str, owner: int, page: int) -> str:
    """Write the custom id of a button to a page of a leaderboard."""
    return f"run-top:{kind}:{period}:{compact(owner)}:{page}"


def leaderboard(
    kind: str,
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
        _to(kind_name(each), top_id(each, period, owner, 0), each, each != kind)
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
