"""A little world of people who play while things go wrong around the bot.

Each person is a task with random numbers of their own: they use what they see, wait for the answer
as long as people do, and go on. `tests.faults.judging` says what must hold when all is calm.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import discord
from discord.webhook import async_ as webhooks
from sqlalchemy import Connection, text

from bot import client, clock
from bot.client import GameBot
from bot.model import clocks
from bot.model.errors import RestartingError
from bot.model.preferences import Notices
from bot.services import notifications, publisher
from bot.settings import Settings
from cogs import answering
from cogs.notices import cog as notices
from cogs.play import showing
from deploy.sandbox import Interaction, Sandbox, World, running_sandbox
from deploy.sandbox.components import walk
from deploy.sandbox.errors import HandError, NoAnswerError
from deploy.sandbox.model import Message
from tests.cogs.table import PATIENCE_S, running_bot, settings_for

PEOPLE = ("Dora", "Emil")
"""Who plays besides the people of every sandbox."""

WAYS = (Notices.DM, Notices.CHANNEL, Notices.AUTO, Notices.CHANNEL, Notices.NONE)
LOOKED_AT = 25
"""How many of a channel's newest messages people still look at."""

WAITS_S = 1.0
"""How long a person waits for an answer before they do something else."""

MOST_GAMES = 12

LIBRARY_HASTE = 0.02
"""The fraction to which the library's own pauses are shortened."""

WEIGHTS = {
    **dict.fromkeys(("cell", "board"), 14.0),
    **dict.fromkeys(("accept", "swap"), 6.0),
    **dict.fromkeys(("agree", "again", "rematch", "undo"), 3.0),
    **dict.fromkeys(("bump", "decline", "hint", "really-resign", "unmute"), 1.0),
    **dict.fromkeys(("resign", "mute", "withdraw"), 0.3),
}
"""How often people press a button, by the kind in its custom id; others are rare."""

BARRED = ("privacy", "lesson", "here")
"""What nobody presses: it ends everything, is no game, or makes a second board on purpose."""

COMMANDS: tuple[tuple[str, dict[str, Any], float], ...] = (
    ("play", {"level": 1}, 3.0),
    ("play", {"level": 2, "first": "computer"}, 1.0),
    ("play", {"level": 1, "variant": "pie", "rated": True}, 1.0),
    ("challenge", {}, 1.0),
    ("challenge", {"clock": "3d", "rated": True}, 3.0),
    ("challenge", {"clock": "5+3", "rated": False}, 1.0),
    ("board", {}, 3.0),
    ("lobby", {}, 0.5),
    ("settings", {}, 0.5),
    ("profile", {}, 0.3),
    ("history", {}, 0.3),
    ("explore", {}, 0.3),
)


class _Hasty:
    """The module asyncio for the library, with shorter pauses."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds * LIBRARY_HASTE)


@contextmanager
def in_haste(**changes: float) -> Iterator[None]:
    """Retry soon, notify people who are present too, and let nothing be too late."""
    at_once, hasty = timedelta(), _Hasty()
    with ExitStack() as stack:
        for module, values in (
            (publisher, {"FIRST_PAUSE_S": 0.02, "LONGEST_PAUSE_S": 0.2}),
            (
                notifications,
                {
                    "PRESENT_FOR": at_once,
                    "FIRST_PAUSE": timedelta(milliseconds=20),
                    "LONGEST_PAUSE": timedelta(milliseconds=200),
                },
            ),
            (clocks, {"CALLED_AFTER": at_once}),
            (notices, {"PAUSE_S": 0.0}),
            (answering, {"WHISPERS_AFTER_S": (0.0, 0.02, 0.1, 0.2), "WHISPER_WITHIN_S": 2.0}),
            (showing, {"EDIT_WITHIN_S": 2.0}),
            (client, {"SYNC_AGAIN_S": 0.05, "LONGEST_SYNC_PAUSE_S": 0.2}),
            (
                clock,
                {"REPLY_WITHIN_S": PATIENCE_S, "BEGIN_WITHIN_S": PATIENCE_S}
                | {"SEND_WITHIN_S": 2.0, "LEAST_S": 0.5}
                | changes,
            ),
            (discord.http, {"asyncio": hasty}),
            (discord.shard, {"asyncio": hasty}),
            (discord.client, {"asyncio": hasty}),
            (webhooks, {"asyncio": hasty}),
        ):
            for name, value in values.items():
                stack.enter_context(patch.object(module, name, value))
        gateway = discord.gateway.DiscordWebSocket
        for kind, name in ((discord.http.Route, "BASE"), (gateway, "DEFAULT_GATEWAY")):
            stack.enter_context(
                patch.object(kind, name, getattr(kind, name))
            )  # put back afterwards
        yield


@dataclass(slots=True)
class Company:
    """The people of a sandbox, and the bot that serves them at the moment."""

    sandbox: Sandbox
    settings: Settings
    seed: int
    bot: GameBot = field(init=False)
    users: list[int] = field(default_factory=list)
    acts: list[Interaction] = field(default_factory=list)
    """What people did since the last look."""
    done: int = 0

    @property
    def world(self) -> World:
        return self.sandbox.world

    async def prepare(self) -> None:
        """Set up people and places, and everybody's own choice of notifications."""
        world = self.world
        guild = world.guilds[world.channel_called("general").guild_id or 0]
        for name in PEOPLE:
            world.add_member(guild, world.add_user(name, username=name.lower()))
        world.limits.direct_openings = (10**6, 60.0)
        world.limits.late_edits_per_hour = 10**6
        self.users = [each.id for each in world.people]
        for user, way, language in zip(
            self.users, WAYS, ("en-GB", "de", "ru", "de", "en-GB"), strict=True
        ):
            self.sandbox.people.set_person(user, locale=language)
            await self.bot.preferences.change(user, notices=way, language="en")
        await self.bot.servers.change(guild.id, feed_channel=world.channel_called("games").id)
        await self.sandbox.people.open_direct(self.users[0])

    async def play(self, acts: int, part: object) -> None:
        """Let everybody act for a while, `acts` acts in total."""
        each, rest = divmod(acts, len(self.users))
        await asyncio.gather(
            *(
                self._live(
                    user, each + (number < rest), random.Random(f"{self.seed} {part} {user}")
                )
                for number, user in enumerate(self.users)
            )
        )

    async def _live(self, user: int, acts: int, rng: random.Random) -> None:
        for _ in range(acts):
            with suppress(HandError, RestartingError):
                interaction = await self._act(user, rng)
                self.acts.append(interaction)
                self.done += 1
                with suppress(TimeoutError, NoAnswerError):
                    await asyncio.wait_for(interaction.wait(), WAITS_S)
            await asyncio.sleep(rng.uniform(0.0, 0.01))

    async def _act(self, user: int, rng: random.Random) -> Interaction:
        people, offered = self.sandbox.people, list(self._offered(user))
        if offered and rng.random() < 0.85:
            weights = [WEIGHTS.get(each[1].partition(":")[0], 0.1) for each in offered]
            message, custom_id = rng.choices(offered, weights)[0]
            return await people.press(user, message.id, custom_id)
        weights = [weight for _name, _options, weight in COMMANDS]
        name, options, _weight = rng.choices(COMMANDS, weights)[0]
        if name in ("play", "challenge") and len(await self.bot.matches.ongoing_of(user)) > 4:
            name, options = "board", {}
        if name == "challenge" and options:
            other = rng.choice([each for each in self.users if each != user])
            options = options | {"player": str(other)}
        return await people.slash(user, self._place(user, rng), name, options)

    def _place(self, user: int, rng: random.Random) -> int:
        there = [
            each.id
            for each in self.world.channels.values()
            if self.world.can_see(user, each) and each.name in ("general", None, "")
            if each.guild_id is None
            or self.world.bot_id in self.world.guilds[each.guild_id].members
        ]
        return rng.choice(there)

    def _offered(self, user: int) -> Iterator[tuple[Message, str]]:
        """Yield the buttons that a person sees, except those in `BARRED`."""
        for messages in self.world.messages.values():
            for message in list(messages.values())[-LOOKED_AT:]:
                if message.author_id == self.world.bot_id and self.world.sees_message(
                    user, message
                ):
                    for part in live_buttons(message):
                        if not part.startswith(BARRED):
                            yield message, part

    async def numbers(self) -> list[int]:
        """Return the numbers of all matches."""
        return await self.bot.matches.database.read(_numbers)

    async def settle(self, seconds: float = 30.0) -> list[str]:
        """Wait until nothing is left to do; return what does not finish."""
        bot = self.bot
        telling: Any = bot.get_cog("Notices")
        busy: dict[str, object] = {}
        try:
            async with asyncio.timeout(seconds):
                while True:
                    await bot.idle.wait()
                    await bot.publisher.has_begun.wait()
                    await bot.replies.settled()
                    await bot.publisher.settled()
                    busy = {
                        "answers": bot.answering,
                        "boards": bot.publisher.pending,
                        "notices": telling.telling.is_waiting or telling.current,
                    }
                    if not any(busy.values()):
                        return []
                    await asyncio.sleep(0.02)
        except TimeoutError:
            pending = bot.publisher.pending
            return [f"does not settle: {busy}, answering {bot.answering}, publisher {pending}"]


def _numbers(connection: Connection) -> list[int]:
    return list(connection.execute(text("SELECT id FROM match")).scalars())


def live_buttons(message: Message) -> list[str]:
    """Return the custom ids of the buttons of a message that can be pressed."""
    return [
        part["custom_id"]
        for part in walk(message.components)
        if part["type"] == 2 and "custom_id" in part and not part.get("disabled")
    ]


@asynccontextmanager
async def company(seed: int, world: World | None = None, **changes: Any) -> AsyncIterator[Company]:
    """Run a sandbox with people in it; the bot is started by `serving`."""
    with tempfile.TemporaryDirectory() as folder:
        async with running_sandbox(world=world) as sandbox:
            sandbox.world.limits.answer_seconds = PATIENCE_S
            changes = {"computer_seconds": 0.05} | changes
            settings = settings_for(sandbox, Path(folder), **changes)
            yield Company(sandbox, settings, seed)


@asynccontextmanager
async def serving(people: Company) -> AsyncIterator[GameBot]:
    """Run the bot for a company until the block ends."""
    async with running_bot(people.settings) as bot:
        people.bot = bot
        if not people.users:
            await people.prepare()
        yield bot
