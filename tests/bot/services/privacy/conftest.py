"""A server with somebody who has left traces everywhere."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import Connection, Table, insert, select

from bot.model.actions import Play, Resign
from bot.model.challenges import Offer
from bot.model.match import Match, Person
from bot.model.preferences import Notices, PlayerPreferences
from bot.model.puzzles import Try, Wanted
from bot.services.preferences import PreferenceStore
from bot.services.privacy import PrivacyService
from bot.services.puzzles import PuzzleBook
from bot.services.vacations import set_vacation
from bot.storage.puzzle_runs import open_race
from bot.storage.schema import guild_player, metadata
from engine.records import EndReason
from tests.bot.services.conftest import ANNA, BEN, CLEO, Server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

DORA = Person(id=100_000_000_000_000_004, name="Dora")
GUILD = 300

NOT_PEOPLE = {
    *("match_id", "previous_id", "guild_id", "channel_id", "message_id", "challenge_id"),
    *("puzzle_id", "race_id"),
}
"""Numbers that are not a person's. To add a column with a person's number, extend `live`."""

Column = tuple[str, str]
Contents = dict[str, list[tuple[Any, ...]]]


def person_columns() -> set[Column]:
    """Return every column of the schema that holds people's numbers."""
    found = {
        (table.name, column.name)
        for table in metadata.tables.values()
        for column in table.columns
        if column.name.endswith("_id") and column.name not in NOT_PEOPLE
    }
    return found | {("player", "id")}


def contents(connection: Connection) -> Contents:
    """Return every row of every table."""

    def rows(table: Table) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in connection.execute(select(table))]

    return {table.name: rows(table) for table in metadata.sorted_tables}


def columns_with(found: Contents, number: int) -> set[Column]:
    """Return the columns that hold a number somewhere, alone or within a text."""
    return {
        (name, column.name)
        for name, rows in found.items()
        for row in rows
        for column, value in zip(metadata.tables[name].columns, row, strict=True)
        if value == number or (isinstance(value, str) and str(number) in value)
    }


class Life(Server):
    """A server where Anna has done everything that there is to do."""

    privacy: PrivacyService
    preferences: PreferenceStore

    async def start(self) -> None:
        await super().start()
        self.preferences = PreferenceStore(self.database, self.clock)
        self.privacy = PrivacyService(self.matches, forget=[self.preferences.forget])

    async def finished(self, **options: Any) -> Match:
        """Let Anna and Ben play a few moves, then Ben resign."""
        match = await self.play(await self.begin_between(**options), 40, 39, 30)
        return await self.matches.perform(match.id, Resign(), user_id=BEN.id)

    async def against_computer(self) -> Match:
        """Let Anna play a rated game against the computer and resign."""
        match = await self.begin(rated=True, guild_id=GUILD)
        while match.ply < 4:
            move = match.position.legal_moves[0]
            match = await self.matches.perform(match.id, Play(move), user_id=ANNA.id, ply=match.ply)
            match = await self.matches.reply(match.id)
        return await self.matches.perform(match.id, Resign(), user_id=ANNA.id)

    async def live(self) -> None:
        """Leave traces of Anna in every column that holds people's numbers."""
        await self.finished(rated=True, guild_id=GUILD)
        await self.finished()
        await self.against_computer()
        cleos = await self.challenges.offer(Offer(challenger=CLEO, opponent=ANNA, guild_id=GUILD))
        await self.challenges.accept(cleos.id, person=ANNA)
        await self.begin_between(rated=True)
        await self.begin()
        await self.offer(opponent=None)
        await self.challenges.offer(Offer(challenger=BEN, opponent=ANNA))
        await self.challenges.offer(Offer(challenger=BEN, opponent=CLEO))
        declined = await self.challenges.offer(Offer(challenger=DORA, opponent=ANNA))
        await self.challenges.decline(declined.id, user_id=ANNA.id)
        await self.challenges.block(ANNA.id, DORA.id)
        await self.challenges.block(DORA.id, ANNA.id)
        await set_vacation(self.matches, ANNA.id, self.clock() + timedelta(days=3))
        puzzles = PuzzleBook(self.database, self.clock)
        puzzle = (await puzzles.give(ANNA, Wanted(variant_key="standard"), resume=True)).puzzle
        await puzzles.give_up(ANNA.id, "standard", puzzle.id, Try.SOLUTION)
        await puzzles.answer_daily(ANNA, puzzles.today)
        here = {"guild_id": GUILD, "channel_id": 5, "seed": 1}
        await self.database.write(open_race, ANNA, **here, at=self.clock())
        await self.preferences.put(ANNA.id, PlayerPreferences(notices=Notices.DM, theme="light"))

        def meet_more(connection: Connection) -> None:
            # Ben's number is higher than Anna's, and people with lower ones have met her too.
            played = dict.fromkeys(("games", "won", "drawn"), 1)
            played |= {"guild_id": 301, "player_id": ANNA.id}
            connection.execute(insert(guild_player), played | {"pool": "standard"})
            for name in ("notice", "news", "unreached", "mute", "screen"):
                table = metadata.tables[name]
                row: dict[str, object] = dict.fromkeys(table.columns.keys(), 1)
                row |= {key: self.clock() for key in row if key.endswith("_at")}
                row["player_id"] = ANNA.id
                connection.execute(insert(table), row)
            lower = {"match_id": 2, "reason": "same_pair", "first_id": 5, "second_id": ANNA.id}
            connection.execute(
                insert(metadata.tables["rated_match"]), lower | {"ended_at": self.clock()}
            )

        await self.database.write(meet_more)

    async def contents(self) -> Contents:
        return await self.database.read(contents)


@pytest.fixture
async def life(database_url: str) -> AsyncIterator[Life]:
    """A server with Anna's traces."""
    life = Life(database_url)
    await life.start()
    await life.live()
    yield life
    await life.stop()


__all__ = ["ANNA", "BEN", "CLEO", "DORA", "EndReason"]
