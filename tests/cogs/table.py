"""The real bot over a real WebSocket and HTTP, with people to play it."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
from pydantic import SecretStr

from bot.app import application
from bot.client import GameBot, point_at
from bot.language import mentioned
from bot.settings import Settings
from deploy.sandbox import Interaction, Sandbox
from deploy.sandbox.forms import read_message_form
from tests.empty_database import put_empty_database
from tests.openapi import mistakes

JSON = dict[str, Any]

PATIENCE_S = 60.0
"""How late an answer may be in tests of anything but lateness."""


@dataclass(frozen=True, slots=True)
class Board:
    """A message with a game in it, as a player sees it."""

    message: JSON

    @property
    def id(self) -> int:
        return int(self.message["id"])

    @property
    def parts(self) -> list[JSON]:
        return list(_walk(self.message["components"]))

    @property
    def text(self) -> str:
        return "\n".join(part["content"] for part in self.parts if part["type"] == 10)

    @property
    def alt(self) -> str:
        galleries = [part for part in self.parts if part["type"] == 12]
        return str(galleries[0]["items"][0]["description"]) if galleries else ""

    @property
    def buttons(self) -> dict[str, str]:
        """Custom ids of the buttons that can be pressed, by label."""
        return {
            part["label"]: part["custom_id"]
            for part in self.parts
            if part["type"] == 2 and "custom_id" in part and not part.get("disabled")
        }

    def starting(self, kind: str) -> list[str]:
        """Return the custom ids of the buttons of one kind that can be pressed."""
        return [each for each in self.buttons.values() if each.startswith(f"{kind}:")]


@dataclass(slots=True)
class Table:
    """A bot, the world it serves, and the hands of its people."""

    sandbox: Sandbox
    bot: GameBot
    ann: int = field(init=False)
    ben: int = field(init=False)
    channel: int = field(init=False)

    def __post_init__(self) -> None:
        people = self.sandbox.world.people
        self.ann, self.ben = people[0].id, people[1].id
        self.channel = self.sandbox.world.channel_called("general").id

    async def command(
        self, name: str, /, *, user: int | None = None, channel: int | None = None, **options: Any
    ) -> Interaction:
        """Use a slash command and wait until it is answered and all its work is done."""
        interaction = await self.sandbox.people.slash(
            user or self.ann, channel or self.channel, name, options
        )
        await interaction.settled()
        await self.quiet()
        return interaction

    async def menu(
        self, name: str, /, *, of: int, user: int | None = None, channel: int | None = None
    ) -> Interaction:
        """Use a command in somebody's context menu and wait until all its work is done."""
        interaction = await self.sandbox.people.use_on_user(
            user or self.ann, channel or self.channel, name, of
        )
        await interaction.settled()
        await self.quiet()
        return interaction

    async def start(self, *, user: int | None = None, **options: Any) -> Board:
        """Start a game and return its board."""
        await self.command("play", user=user, **({"level": 1} | options))
        return self.newest()

    async def press(self, board: Board, custom_id: str, *, user: int | None = None) -> Interaction:
        """Press a button and wait until it is answered and all its work is done."""
        interaction = await self.sandbox.people.press(user or self.ann, board.id, custom_id)
        await interaction.wait()
        await self.quiet()
        return interaction

    async def press_at_once(self, board: Board, custom_ids: list[str]) -> list[Interaction]:
        """Press several buttons before any of the presses has been answered."""
        pressed = [await self.sandbox.people.press(self.ann, board.id, each) for each in custom_ids]
        await asyncio.gather(*(each.wait() for each in pressed))
        await self.quiet()
        return pressed

    async def play(self, board: Board, *, user: int | None = None, pick: int = 0) -> Board:
        """Make one whole move: on a free choice the board first, then the cell."""
        boards = board.starting("board")
        if boards:
            await self.press(board, boards[pick % len(boards)], user=user)
            board = self.again(board)
        cells = board.starting("cell")
        await self.press(board, cells[pick % len(cells)], user=user)
        return self.again(board)

    async def play_on(self, board: Board, rng: random.Random, *, most: int) -> Board:
        """Click at random until the game is over, `most` times at most."""
        for _ in range(most):
            offered = board.starting("board") or board.starting("cell")
            if not offered:
                break
            await self.press(board, rng.choice(offered))
            board = self.again(board)
        return board

    async def files(self, board: Board) -> dict[str, bytes]:
        """Return what a message shows, downloaded as a chat program would, by file name."""
        media = [item["media"] for part in board.parts for item in part.get("items", [])]
        media += [part["file"] for part in board.parts if part["type"] == 13]
        found = {}
        async with aiohttp.ClientSession() as session:
            for each in media:
                async with session.get(each["url"]) as answer:
                    found[each["url"].rsplit("/", 1)[-1].split("?")[0]] = await answer.read()
        return found

    def post(self, *parts: JSON) -> Board:
        """Post a message of the bot with these buttons and menus in the channel."""
        world = self.sandbox.world
        rows = [{"type": 1, "components": [each]} for each in parts]
        body = {"flags": 1 << 15, "components": rows}  # IS_COMPONENTS_V2
        form = read_message_form(body, [], upload_bytes=world.limits.upload_bytes)
        channel = world.channel(self.channel)
        return Board(
            {
                "id": self.sandbox.messages.post(
                    channel=channel, author_id=world.bot_id, form=form
                ).id
            }
        )

    async def quiet(self) -> None:
        """Wait until the bot is answering nobody, and every board is as it should be."""
        async with asyncio.timeout(60):
            await asyncio.sleep(0)  # tasks that were just created start
            await self.bot.idle.wait()
            await self.bot.publisher.has_begun.wait()
            await self.bot.replies.settled()
            await self.bot.publisher.settled()

    def seen(self, user: int | None = None, channel: int | None = None) -> list[JSON]:
        """Return what a person sees, except calls to games, which come at any time."""
        everything = self.everything(user, channel)
        return [each for each in everything if not each["content"].startswith("<@")]

    def everything(self, user: int | None = None, channel: int | None = None) -> list[JSON]:
        return self.sandbox.people.visible_messages(user or self.ann, channel or self.channel)

    def newest(self, user: int | None = None, channel: int | None = None) -> Board:
        """Return the newest message that shows a game."""
        shown = [Board(message) for message in self.seen(user, channel)]
        return [board for board in shown if board.alt][-1]

    def again(self, board: Board) -> Board:
        """Return a board as it is now."""
        return next(Board(each) for each in self.seen() if int(each["id"]) == board.id)

    def whispers(self, user: int) -> list[str]:
        """Return what the bot has told `user` alone, oldest first."""
        return [each["content"] for each in self.seen(user) if each["flags"] & 64]


def _walk(components: list[JSON]) -> Iterator[JSON]:
    for part in components:
        yield part
        yield from _walk(part.get("components", []))
        yield from _walk([part["accessory"]] if "accessory" in part else [])


def settings_for(sandbox: Sandbox, folder: Path, **changes: Any) -> Settings:
    """Return settings that point a bot at `sandbox`, with its database in `folder`."""
    url = changes.setdefault("database_url", f"sqlite+aiosqlite:///{folder / 'matches.sqlite3'}")
    put_empty_database(url)
    return Settings(
        _env_file=None,
        discord_token=SecretStr(sandbox.token),
        discord_api_base=sandbox.api_base,
        discord_gateway_url=sandbox.gateway_url,
        # Tests click faster than people.
        **{"clicks_per_second": 0.0} | changes,
    )


@asynccontextmanager
async def running_bot(settings: Settings) -> AsyncIterator[GameBot]:
    """Run the bot as `python -m bot run` does, for as long as the block takes."""
    point_at(settings)
    async with application(settings) as bot:
        assert settings.discord_token is not None
        serving = asyncio.create_task(bot.serve(settings.discord_token))
        ready = asyncio.create_task(bot.ready_once.wait())
        await asyncio.wait({serving, ready}, return_when=asyncio.FIRST_COMPLETED, timeout=20)
        assert bot.ready_once.is_set(), serving
        assert bot.syncing is not None
        await bot.syncing
        yield bot
        await bot.drain()
        await bot.close()
        await serving


def commands_named(text: str) -> str:
    """Return a text with `/name` for every mention of a command: ids differ from run to run."""
    return re.sub(r"</([\w -]+):\d+>", r"`/\1`", text)


def readers_among(items: Iterable[type[Any]], custom_id: str) -> list[str]:
    """Return the names of those buttons and menus of a feature that match a custom id."""
    return [
        item.__name__
        for item in items
        if item.__discord_ui_compiled_template__.fullmatch(custom_id)
    ]


def raw_commands(sandbox: Sandbox) -> list[str]:
    """Return the texts sent with a command that is no mention, except texts to be copied."""
    bodies = [each.body for each in sandbox.requests if isinstance(each.body, dict)]
    texts = [text for body in bodies for text in _contents(body)]
    return [each for each in texts if not each.startswith("```") and mentioned(each) != each]


def _contents(part: Any) -> Iterator[str]:
    for each in part if isinstance(part, list) else [part] if isinstance(part, dict) else []:
        if isinstance(each, dict):
            if isinstance(each.get("content"), str):
                yield each["content"]
            for inner in each.values():
                yield from _contents(inner)


def mistakes_in(sandbox: Sandbox) -> list[str]:
    """Return what is wrong with the bodies that the bot sent, by Discord's own description."""
    return mistakes((each.method, each.path, each.body) for each in sandbox.requests)
