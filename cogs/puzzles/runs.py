"""`/puzzles`: storm, streak and their leaderboards; the buttons of runs."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from functools import partial
from typing import Final

import structlog
from discord import app_commands
from discord.ext import commands

from bot.client import GameBot, Interaction
from bot.model.errors import PlayerError
from bot.model.puzzle_runs import VARIANT_KEY, NotStartedError, RunKind, RunRow, RunStep, week_of
from bot.services.puzzles import puzzles_of
from bot.storage import puzzle_runs as rows
from cogs.answering import DiscordError, GameItem, answering, fulfil
from cogs.audience import own_language, person_of
from cogs.pages import belongs_to, post, presentation_of_page, spread
from cogs.puzzles import run_pages as pages
from cogs.puzzles.races import open_race
from cogs.puzzles.run_pages import (
    CELL,
    END,
    LATEST,
    NEW,
    SHOW,
    SKIP,
    TOP,
    NoServerError,
    shown,
    stamp,
)

log = structlog.get_logger(__name__)

KIND_CHOICES: Final = [
    app_commands.Choice(name="Storm", value=RunKind.STORM),
    app_commands.Choice(name="Streak", value=RunKind.STREAK),
]
PERIOD_CHOICES: Final = [
    app_commands.Choice(name="This week", value=pages.WEEK),
    app_commands.Choice(name="Last week", value=pages.LAST_WEEK),
    app_commands.Choice(name="All time", value=pages.EVER),
]


class Runs(commands.GroupCog, group_name="puzzles"):
    """Solve puzzles on time, without a mistake, or in a race."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot
        self._endings: dict[int, asyncio.Task[None]] = {}

    async def cog_unload(self) -> None:
        """Stop waiting for runs to end: the next press shows the result."""
        for task in self._endings.values():
            task.cancel()
        await asyncio.gather(*self._endings.values(), return_exceptions=True)

    @commands.Cog.listener()
    async def on_run_shown(self, interaction: Interaction, run: RunRow) -> None:
        """Put the result into the message once the time of a run is up."""
        if before := self._endings.pop(run.id, None):
            before.cancel()
        if run.ends_at is not None and not run.is_over(stamp(interaction)):
            task = asyncio.create_task(_end(interaction, run, run.ends_at), name=f"run {run.id}")
            self._endings[run.id] = task
            task.add_done_callback(partial(self._forget, run.id))

    def _forget(self, run_id: int, task: asyncio.Task[None]) -> None:
        if self._endings.get(run_id) is task:
            del self._endings[run_id]

    @app_commands.command()
    async def storm(self, interaction: Interaction) -> None:
        """Solve as many puzzles as you can in 3 minutes."""
        async with answering(interaction):
            await _begin(interaction, RunKind.STORM)

    @app_commands.command()
    async def streak(self, interaction: Interaction) -> None:
        """Solve ever harder puzzles until your first mistake."""
        async with answering(interaction):
            await _begin(interaction, RunKind.STREAK)

    @app_commands.command()
    async def race(self, interaction: Interaction) -> None:
        """Race up to nine others through the same puzzles for 90 seconds."""
        async with answering(interaction):
            await open_race(interaction)

    @app_commands.command()
    @app_commands.describe(
        kind="Of storms or of streaks; default: storms",
        period="Default: this week, which begins on Monday in UTC",
    )
    @app_commands.choices(kind=KIND_CHOICES, period=PERIOD_CHOICES)
    async def leaderboard(
        self,
        interaction: Interaction,
        kind: str = RunKind.STORM,
        period: str = pages.WEEK,
    ) -> None:
        """See the best storms and streaks of this server."""
        async with answering(interaction):
            await _post_board(interaction, kind, period, 0)


async def _end(interaction: Interaction, run: RunRow, ends_at: datetime) -> None:
    book = interaction.client.puzzles
    await asyncio.sleep((ends_at - book.clock() + LATEST).total_seconds())
    try:
        run = await book.database.read(rows.load_run, run.player_id, run.id)
        async with own_language(interaction):
            view, files = await shown(interaction, run, at=ends_at + timedelta(milliseconds=1))
        await fulfil(interaction, view=view, files=files)
    except (DiscordError, PlayerError) as error:
        log.info("result not shown", run=run.id, reason=str(error))


async def _begin(interaction: Interaction, kind: str, *, update: bool = False) -> None:
    """Answer with a run: the one that was left, or a new one."""
    bot, at, person = interaction.client, stamp(interaction), person_of(interaction.user)
    asked = RunRow(
        player_id=person.id,
        kind=kind,
        seed=bot.puzzles.rng.getrandbits(48),
        guild_id=interaction.guild_id,
        begun_at=at,
    )
    run = await bot.puzzles.database.write(rows.begin_run, person, asked)
    view, files = await shown(interaction, run)
    await post(interaction, view, files, ephemeral=True, update=update)


class _RunItem(GameItem, template=r"(?!)"):
    """A button of a run."""

    run_id: int

    async def update(
        self,
        interaction: Interaction,
        run: RunRow,
        step: RunStep | None = None,
        board: int = 0,
    ) -> None:
        """Show it in the clicked message."""
        await post(interaction, *await shown(interaction, run, step, board), update=True)
        interaction.client.dispatch("run_shown", interaction, run)


class RunButton(_RunItem, template=SHOW):
    """Shows a run as it stands, or what lies in the board chosen in it."""

    board: int

    async def pressed(self, interaction: Interaction) -> None:
        """Show it, unless it is a race that has not started."""
        read = interaction.client.puzzles.database.read
        run = await read(rows.load_run, interaction.user.id, self.run_id)
        if not run.has_begun(stamp(interaction)):
            raise NotStartedError
        await self.update(interaction, run, board=self.board)


class RunCellButton(_RunItem, template=CELL):
    """Plays a cell."""

    puzzle_id: str
    turn: int
    cell: int | None

    async def pressed(self, interaction: Interaction) -> None:
        """Count it once, and show what comes next."""
        run, step = await interaction.client.puzzles.database.write(
            rows.press,
            interaction.user.id,
            self.run_id,
            await puzzles_of(VARIANT_KEY),
            puzzle_id=str(self.puzzle_id),
            turn=self.turn,
            move=self.cell,
            at=stamp(interaction),
        )
        await self.update(interaction, run, step)


class RunSkipButton(RunCellButton, template=SKIP):
    """Skips a move."""

    cell = None


class EndButton(_RunItem, template=END):
    """Ends a run before its time."""

    async def pressed(self, interaction: Interaction) -> None:
        """Show how it went."""
        database, user_id = interaction.client.puzzles.database, interaction.user.id
        run = await database.write(rows.end_run, user_id, self.run_id, stamp(interaction))
        await self.update(interaction, run)


class NewRunButton(GameItem, template=NEW):
    """Begins another run."""

    kind: str

    async def pressed(self, interaction: Interaction) -> None:
        """Put it into the message."""
        await _begin(interaction, self.kind, update=True)


class TopButton(GameItem, template=TOP):
    """Turns to another page of a leaderboard, or to another leaderboard."""

    kind: str
    period: str
    owner: str
    page: int

    async def pressed(self, interaction: Interaction) -> None:
        """Show it here; to somebody else, or below a run, in a message of its own."""
        owner = spread(str(self.owner))
        update = owner > 0 and belongs_to(interaction, owner)
        await _post_board(interaction, self.kind, self.period, self.page, update=update)


async def _post_board(
    interaction: Interaction,
    kind: str,
    period: str,
    page: int,
    *,
    update: bool = False,
) -> None:
    """Answer with a page of this server's leaderboard, or turn the clicked one to it.

    Raises:
        NoServerError: If it is asked for elsewhere.
    """
    if interaction.guild_id is None:
        raise NoServerError
    week, length = week_of(stamp(interaction)), timedelta(days=7)
    since, until = {
        pages.WEEK: (week, week + length),
        pages.LAST_WEEK: (week - length, week),
        pages.EVER: (None, week + length),
    }[period]
    user_id, first = interaction.user.id, page * pages.ROWS
    here = rows.RunBoard(guild_id=interaction.guild_id, kind=kind, since=since, until=until)
    read = interaction.client.puzzles.database.read
    places = await read(rows.list_places, here, first=first, limit=pages.ROWS + 1)
    own = await read(rows.list_places, here, first=0, limit=1, player_id=user_id)
    presentation = await presentation_of_page(interaction, update=update)
    with presentation.spoken():
        view = pages.leaderboard(kind, period, user_id, page, places=places, own=own)
    await post(interaction, view, [], update=update)


BUTTONS = (RunButton, RunCellButton, RunSkipButton, EndButton, NewRunButton, TopButton)
