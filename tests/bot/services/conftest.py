"""A service on a real file, with a computer that thinks fast."""

from __future__ import annotations

import random
import sqlite3
from contextlib import AsyncExitStack, closing
from typing import TYPE_CHECKING, Any

import pytest

from bot.model.actions import Play
from bot.model.challenges import Offer
from bot.model.match import Person
from bot.services.challenges import ChallengeService
from bot.services.computer import ComputerPlayers
from bot.services.matches import MatchService
from bot.services.starting import start_against_computer
from bot.storage import open_storage
from bot.storage.preferences import find_setting
from tests.bot.fakes import FakeClock
from tests.empty_database import put_empty_database

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from bot.model.challenges import Challenge
    from bot.model.hosting import Shards
    from bot.model.match import Match
    from bot.storage import Database

ANNA = Person(id=100_000_000_000_000_001, name="Anna")
BEN = Person(id=100_000_000_000_000_002, name="Ben")
CLEO = Person(id=100_000_000_000_000_003, name="Cleo")


class Server:
    """Everything in the bot that keeps state; it can be restarted on the same file."""

    database: Database
    computer: ComputerPlayers
    matches: MatchService
    challenges: ChallengeService

    def __init__(self, url: str, shards: Shards | None = None) -> None:
        self.url = url
        self.shards = shards
        self.clock = FakeClock()
        self.search: Callable[..., Any] | None = None
        self._parts: AsyncExitStack | None = None

    async def start(self) -> None:
        parts = AsyncExitStack()
        self._parts = parts
        put_empty_database(self.url)
        self.database = await parts.enter_async_context(open_storage(self.url, self.shards))
        search: dict[str, Any] = {} if self.search is None else {"search": self.search}
        self.computer = await parts.enter_async_context(
            ComputerPlayers(threads=2, seconds=0.2, **search)
        )
        self.matches = await parts.enter_async_context(
            MatchService(
                self.database,
                self.computer,
                clock=self.clock,
                rng=random.Random(1),
                watches_clock=False,
            )
        )
        self.challenges = ChallengeService(self.matches)

    async def stop(self) -> None:
        if self._parts is not None:
            parts, self._parts = self._parts, None
            await parts.aclose()

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    async def crash(self) -> None:
        """Stop as in a crash: the last heartbeat is from before it."""
        note = await self.database.read(lambda c: find_setting(c, "heartbeat"))
        await self.stop()
        path = self.url.removeprefix("sqlite+aiosqlite:///")
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE setting SET value = ? WHERE key = 'heartbeat'", (note,))

    async def begin(self, **options: object) -> Match:
        """Start a match of Anna's at the lowest level."""
        given: dict[str, object] = {"person": ANNA, "level": 1} | options
        return await start_against_computer(self.matches, **given)  # type: ignore[arg-type]

    async def offer(self, **options: object) -> Challenge:
        """Let Anna offer Ben a match; she is to play X."""
        given: dict[str, object] = {"challenger": ANNA, "opponent": BEN, "side": 0} | options
        return await self.challenges.offer(Offer(**given))  # type: ignore[arg-type]

    async def begin_between(self, **options: object) -> Match:
        """Start a match between Anna, X, and Ben, O."""
        challenge = await self.offer(**options)
        return await self.challenges.accept(challenge.id, person=BEN)

    async def play(self, match: Match, *moves: int) -> Match:
        """Play these moves for the side to move."""
        for move in moves:
            seat = match.seat_to_move
            assert seat is not None
            assert seat.player_id is not None
            match = await self.matches.perform(
                match.id, Play(move), user_id=seat.player_id, ply=match.ply, revision=match.revision
            )
        return match


@pytest.fixture
async def server(database_url: str) -> AsyncIterator[Server]:
    """A running server."""
    server = Server(database_url)
    await server.start()
    yield server
    await server.stop()
