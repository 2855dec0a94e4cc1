"""`/puzzles race`: up to ten people, the same puzzles, ninety seconds.

The race is shown by one message that everybody sees, with a thread below it to talk in. Each plays
in a private message of their own, which only this process can reach: after a restart a button
brings it back.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, Final

import discord
import structlog
from discord.ext import commands
from discord.utils import escape_markdown, format_dt

from bot.client import GameBot, Interaction
from bot.language import _, label, percent
from bot.model.errors import StorageFailedError
from bot.model.puzzle_runs import MOST_RACERS, RACE_SECONDS, RaceRow, RunRow
from bot.storage import puzzle_runs as rows
from cogs import threads
from cogs.answering import Button, DiscordError, Fault, GameItem, answer, asking, copies, sealed
from cogs.audience import own_language, person_of, presentation_among
from cogs.pages import post
from cogs.play.showing import edit_message
from cogs.puzzles.run_pages import (
    LATEST,
    NoServerError,
    place_line,
    shown,
    stamp,
    waiting_view,
)

JOIN: Final = r"race-join:(?P<race_id>\d{1,18})"
START: Final = r"race-start:(?P<race_id>\d{1,18})"
NEW: Final = r"race-new"

REST_S: Final = 1.5
"""The least time between two edits: Discord takes five in five seconds for a channel."""

LOOKS_EVERY_S: Final = 4.0
"""How often the standings are updated during a race."""

TRIED_FOR: Final = timedelta(minutes=5)
"""How long after a race ends the bot keeps trying to show its result."""

Racers = list[tuple[RunRow, str]]
Edit = Callable[..., Awaitable[Any]]

log = structlog.get_logger(__name__)


class Stage(Enum):
    """How far a race has come."""

    LOBBY = "lobby"
    RACING = "racing"
    OVER = "over"
    OFF = "off"  # nobody else has joined


class Races(commands.Cog):
    """Follows races from the lobby to the result."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._changed: dict[int, asyncio.Event] = defaultdict(asyncio.Event)
        # The private messages in which somebody waits for the start.
        self._waiting: dict[int, dict[int, tuple[Interaction, Edit]]] = defaultdict(dict)
        self._talking: set[int] = set()  # those that have a thread, or cannot have one

    async def cog_load(self) -> None:
        """Resume the races that were going on."""
        self._resuming = asyncio.create_task(self._resume(), name="races")

    async def cog_unload(self) -> None:
        """Stop following; the database knows every race."""
        tasks = [self._resuming, *self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _resume(self) -> None:
        await self.bot.ready_once.wait()
        for race in await self.bot.puzzles.database.read(rows.list_untold_races):
            if self.bot.get_guild(race.guild_id) is not None:  # else another process follows it
                await self.on_race_changed(race.id)

    @commands.Cog.listener()
    async def on_race_changed(
        self,
        race_id: int,
        interaction: Interaction | None = None,
        edit: Edit | None = None,
    ) -> None:
        """Look at a race at once; `edit` changes the private message of who has joined it."""
        if interaction is not None and edit is not None:
            self._waiting[race_id][interaction.user.id] = interaction, edit
        self._changed[race_id].set()
        if race_id not in self._tasks:
            task = asyncio.create_task(self._follow(race_id), name=f"race {race_id}")
            self._tasks[race_id] = task
            task.add_done_callback(lambda _task: self._forget(race_id))

    def _forget(self, race_id: int) -> None:
        for each in (self._tasks, self._changed, self._waiting):
            each.pop(race_id, None)
        self._talking.discard(race_id)

    async def _follow(self, race_id: int) -> None:
        """Show a race until its result is shown, or cannot be."""
        before: object = None
        while True:
            self._changed[race_id].clear()
            lasts = LOOKS_EVERY_S
            try:
                race, racers = await self.bot.puzzles.database.read(rows.load_race, race_id)
                now = self.bot.puzzles.clock()
                before = await self._look(race, racers, now, before)
                if before is None:
                    return
                if now < race.starts_at:
                    lasts = min(lasts, (race.starts_at - now).total_seconds())
            except StorageFailedError as error:
                log.warning("race not followed", race=race_id, reason=str(error))
            except Exception:
                log.exception("race not followed", race=race_id)
            await asyncio.sleep(REST_S)
            with suppress(TimeoutError):
                async with asyncio.timeout(lasts - REST_S):
                    await self._changed[race_id].wait()

    async def _look(self, race: RaceRow, racers: Racers, now: datetime, before: object) -> object:
        """Show what has changed since `before`; return what is shown now, None at the end."""
        stage = _stage_of(race, racers, now)
        shown_now: object = (
            stage,
            race.starts_at,
            [(run.player_id, run.score) for run, _n in racers],
        )
        is_last = stage in (Stage.OVER, Stage.OFF)
        if stage is Stage.RACING:
            await self._hand_out(race, racers)
        try:
            if shown_now != before and race.message_id is not None:
                view = await _drawn(self.bot, race, racers, stage)
                await edit_message(self.bot, race.channel_id, race.message_id, (view, []))
        except DiscordError as error:
            log.info("race not shown", race=race.id, reason=str(error))
            is_last = error.fault is not Fault.PASSING or now > race.ends_at + TRIED_FOR
            shown_now = before or ()
        if stage is Stage.RACING and race.id not in self._talking:
            self._talking.add(race.id)
            await self._open_thread(race, racers)
        if not is_last:
            return shown_now
        await self.bot.puzzles.database.write(rows.change_race, race.id, is_told=1)
        return None

    async def _open_thread(self, race: RaceRow, racers: Racers) -> None:
        """Open a thread where the racers can talk; if that fails, the race goes on without one."""
        if race.message_id is None:
            return
        presentation = await presentation_among(self.bot, [], race.guild_id)
        with presentation.spoken():
            name = _("Puzzle race")
        try:
            await threads.start_thread(self.bot, race.channel_id, race.message_id, name)
            await threads.invite(self.bot, race.message_id, [run.player_id for run, _n in racers])
        except DiscordError as error:
            log.info("race has no thread", race=race.id, reason=str(error))

    async def _hand_out(self, race: RaceRow, racers: Racers) -> None:
        """Show their first puzzle to everybody who waits."""
        waiting = self._waiting.pop(race.id, {})
        found = await asyncio.gather(
            *(
                _give(race, run, *waiting[run.player_id])
                for run, _name in racers
                if run.player_id in waiting
            ),
            return_exceptions=True,
        )
        for error in filter(None, found):
            log.info("board not handed out", race=race.id, reason=str(error))


async def _give(race: RaceRow, run: RunRow, interaction: Interaction, edit: Edit) -> None:
    async with own_language(interaction):
        view, files = await shown(interaction, run, at=race.starts_at)
    with asking():
        await edit(view=view, attachments=copies(files))


def _stage_of(race: RaceRow, racers: Sequence[object], now: datetime) -> Stage:
    if now < race.starts_at:
        return Stage.LOBBY
    if len(racers) < 2:
        return Stage.OFF
    return Stage.RACING if now < race.ends_at + LATEST else Stage.OVER


async def _drawn(
    bot: GameBot, race: RaceRow, racers: Racers, stage: Stage
) -> discord.ui.LayoutView:
    """Lay out a race as everybody sees it."""
    presentation = await presentation_among(bot, [], race.guild_id)
    with presentation.spoken():
        said = _lobby(race, racers) if stage is Stage.LOBBY else _standings(race, racers, stage)
        container = discord.ui.Container[Any](discord.ui.TextDisplay(said))
        container.add_item(discord.ui.ActionRow(*_buttons(race, racers, stage)))
        return sealed(container)


def _lobby(race: RaceRow, racers: Racers) -> str:
    names = [escape_markdown(name) for _run, name in racers]
    how = _(
        "{count} seconds, the same puzzles for everybody, each in a private message. Each right "
        "move is a point."
    )
    start = _("Starts {when}, or earlier if {host} starts it.")
    there = _("**In the race ({count} of {most}):** {names}")
    return "\n".join(
        [
            _("### Puzzle race"),
            how.format(count=RACE_SECONDS),
            start.format(when=format_dt(race.starts_at, "R"), host=names[0] if names else "…"),
            there.format(count=len(names), most=MOST_RACERS, names=", ".join(names)),
        ]
    )


def _standings(race: RaceRow, racers: Racers, stage: Stage) -> str:
    """List the standings; after the end, also how accurate each racer was."""
    if stage is Stage.OFF:
        return "\n".join([_("### Puzzle race"), _("Nobody else joined, so there was no race.")])
    lines = [_("### Puzzle race: the result")]
    if stage is Stage.RACING:
        lines = [_("### Puzzle race, ends {when}").format(when=format_dt(race.ends_at, "R"))]
    for run, name in sorted(racers, key=lambda each: (-each[0].score, each[0].id)):
        rank = 1 + sum(other.score > run.score for other, _n in racers)
        tried = run.moves + run.errors
        is_told = stage is Stage.OVER and tried
        share = _("accuracy {share}").format(share=percent(run.moves / tried)) if is_told else ""
        lines.append(place_line(rank, name, run.score, f" · {share}" if share else ""))
    return "\n".join(lines)


def _buttons(race: RaceRow, racers: Racers, stage: Stage) -> list[Button]:
    green, join = discord.ButtonStyle.success, f"race-join:{race.id}"
    if stage is Stage.RACING:
        return [Button(label=label("My puzzle"), custom_id=join, style=green)]
    if stage is not Stage.LOBBY:
        return [Button(label=label("New race"), custom_id="race-new")]
    is_full = len(racers) >= MOST_RACERS
    return [
        Button(label=label("Join"), custom_id=join, style=green, disabled=is_full),
        Button(label=label("Start now"), custom_id=f"race-start:{race.id}", disabled=is_full),
    ]


async def open_race(interaction: Interaction) -> None:
    """Answer with the lobby of a new race.

    Raises:
        NoServerError: If not everybody could see it, or the bot could not keep it up to date.
    """
    bot, database = interaction.client, interaction.client.puzzles.database
    race, run = await _opened(interaction)
    racers = [(run, interaction.user.display_name)]
    answered = await answer(interaction, view=await _drawn(bot, race, racers, Stage.LOBBY))
    if answered.is_private:
        await database.write(rows.change_race, race.id, is_told=1)
        raise NoServerError
    await database.write(rows.change_race, race.id, message_id=answered.message_id)
    bot.dispatch("race_changed", race.id)
    view = await waiting_view(run, race)
    with asking():
        sent = await interaction.followup.send(view=view, ephemeral=True, wait=True)
    bot.dispatch("race_changed", race.id, interaction, sent.edit)


async def _opened(interaction: Interaction) -> tuple[RaceRow, RunRow]:
    """Store a new race hosted by the user."""
    bot, guild_id, channel_id = interaction.client, interaction.guild_id, interaction.channel_id
    if guild_id is None or channel_id is None or bot.get_guild(guild_id) is None:
        raise NoServerError
    return await bot.puzzles.database.write(
        rows.open_race,
        person_of(interaction.user),
        guild_id=guild_id,
        channel_id=channel_id,
        seed=bot.puzzles.rng.getrandbits(48),
        at=stamp(interaction),
    )


class JoinButton(GameItem, template=JOIN):
    """Adds the user to a race, or shows them their puzzle in it."""

    race_id: int

    async def pressed(self, interaction: Interaction) -> None:
        """Answer with the private message they play in."""
        bot, at, person = interaction.client, stamp(interaction), person_of(interaction.user)
        race, run = await bot.puzzles.database.write(rows.join_race, self.race_id, person, at)
        if run.has_begun(at):
            await post(interaction, *await shown(interaction, run))
            return
        await post(interaction, await waiting_view(run, race), [])
        bot.dispatch("race_changed", race.id, interaction, interaction.edit_original_response)


class StartButton(GameItem, template=START):
    """Starts a race early."""

    race_id: int

    async def pressed(self, interaction: Interaction) -> None:
        """Show when it starts."""
        bot, at = interaction.client, stamp(interaction)
        user_id = interaction.user.id
        race = await bot.puzzles.database.write(rows.start_race, self.race_id, user_id, at)
        race, racers = await bot.puzzles.database.read(rows.load_race, race.id)
        view = await _drawn(bot, race, racers, _stage_of(race, racers, at))
        await post(interaction, view, [], update=True)
        bot.dispatch("race_changed", race.id)


class NewRaceButton(GameItem, template=NEW):
    """Opens another race."""

    async def pressed(self, interaction: Interaction) -> None:
        """Post its lobby."""
        await open_race(interaction)


BUTTONS = (JoinButton, StartButton, NewRaceButton)
