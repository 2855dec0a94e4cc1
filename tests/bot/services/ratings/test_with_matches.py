"""The book at work: real matches that end in the service, and files of before."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bot.model.actions import Play, Resign
from bot.model.match import Person
from bot.model.ratings.pools import Reason
from bot.services.computer import ComputerPlayers
from bot.services.matches import MatchService
from bot.services.ratings import RatingBook
from bot.storage import migrate, open_storage, upgrade
from tests.bot.fakes import FakeClock
from tests.bot.services.ratings.league import GUILD, person, rating_of
from tests.empty_database import put_empty_database

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.model.match import Match

ANNA = Person(id=person(1), name="Anna")


@asynccontextmanager
async def server(url: str) -> AsyncIterator[tuple[MatchService, RatingBook]]:
    clock = FakeClock()
    put_empty_database(Path(url.removeprefix("sqlite+aiosqlite:///")))
    async with open_storage(url) as database, ComputerPlayers(threads=1, seconds=0.1) as computer:
        book = RatingBook(database, clock)
        async with MatchService(database, computer, clock=clock, rng=random.Random(1)) as matches:
            yield matches, book


async def play_some(matches: MatchService, match: Match, plies: int) -> Match:
    while match.ply < plies and not match.is_over:
        if match.level_to_move is None:
            move = match.position.legal_moves[0]
            match = await matches.perform(match.id, Play(move), user_id=ANNA.id, ply=match.ply)
        else:
            match = await matches.reply(match.id)
    return match


async def test_a_resigned_match_is_rated_with_its_end(database_url: str) -> None:
    async with server(database_url) as (matches, book):
        match = await matches.start_against_computer(
            person=ANNA, level=1, rated=True, guild_id=GUILD
        )
        await play_some(matches, match, 4)
        assert await book.changes_of(match.id) is None
        await matches.perform(match.id, Resign(), user_id=ANNA.id)
        await matches.perform(match.id, Resign(), user_id=ANNA.id)

        told = await book.changes_of(match.id)

        assert told is not None
        change = told.of(ANNA.id)
        assert change is not None
        assert change.gain < 0
        assert (await rating_of(book, ANNA.id, "standard")).games == 1
    async with server(database_url) as (_, book):
        assert await book.changes_of(match.id) == told


async def test_a_match_played_to_its_end_is_rated(database_url: str) -> None:
    async with server(database_url) as (matches, book):
        match = await matches.start_against_computer(person=ANNA, level=2, rated=True)
        ended = await play_some(matches, match, 81)

        assert ended.is_over
        told = await book.changes_of(match.id)
        assert told is not None
        assert told.reason is None
        (entry,) = (await book.history_of(ANNA.id)).entries
        assert entry.match_id == match.id
        assert entry.value_after is not None


async def test_a_match_given_up_at_once_does_not_count(database_url: str) -> None:
    async with server(database_url) as (matches, book):
        match = await matches.start_against_computer(person=ANNA, level=1, rated=True)
        await matches.perform(match.id, Resign(), user_id=ANNA.id)

        told = await book.changes_of(match.id)

        assert told is not None
        assert told.reason is Reason.TOO_SHORT


async def test_casual_matches_are_not_rated(database_url: str) -> None:
    async with server(database_url) as (matches, book):
        match = await matches.start_against_computer(person=ANNA, level=1)
        await play_some(matches, match, 4)
        await matches.perform(match.id, Resign(), user_id=ANNA.id)

        assert await book.changes_of(match.id) is None


@pytest.fixture
def scripts_before_ratings(tmp_path: Path) -> Path:
    """The folder of revisions as it was before there were ratings."""
    folder = tmp_path / "revisions"
    shutil.copytree(
        Path(migrate.__file__).with_name("migrations"),
        folder,
        ignore=shutil.ignore_patterns("r000[4-9]_*", "r001*", "__pycache__"),
    )
    return folder


def test_who_has_played_in_a_server_before_is_known_there(
    database_url: str, database_path: Path, scripts_before_ratings: Path
) -> None:
    database_path.parent.mkdir()
    migrate.upgrade_locked(database_path, scripts_before_ratings)
    with closing(sqlite3.connect(database_path)) as connection, connection:
        connection.execute("INSERT INTO player VALUES (1, 'Anna', 0, 0), (2, 'Bert', 0, 0)")
        for number, guild, at in ((1, 7, 10), (2, 7, 30), (3, None, 40), (4, 8, 50)):
            connection.execute(
                "INSERT INTO match (id, variant_key, rules, status, ply, to_move, guild_id,"
                " created_at, updated_at) VALUES (?, 'standard', 'standard', 'ongoing', 0, 0,"
                " ?, ?, ?)",
                (number, guild, at, at),
            )
            opponent = (2, None) if number == 4 else (None, 3)
            connection.execute("INSERT INTO seat VALUES (?, 0, 1, NULL)", (number,))
            connection.execute("INSERT INTO seat VALUES (?, 1, ?, ?)", (number, *opponent))

    upgrade(database_url)

    with closing(sqlite3.connect(database_path)) as connection:
        members = connection.execute("SELECT * FROM guild_member ORDER BY 1, 2").fetchall()
    assert members == [(7, 1, 30), (8, 1, 50), (8, 2, 50)]
