"""The book at work: real matches that end in the service, and older files."""

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
from bot.services.starting import start_against_computer
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
    put_empty_database(url)
    async with open_storage(url) as database, ComputerPlayers(threads=1, seconds=0.1) as computer:
        book = RatingBook(database, clock)
        async with MatchService(
            database, computer, clock=clock, rng=random.Random(1), watches_clock=False
        ) as matches:
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
        match = await start_against_computer(
            matches, person=ANNA, level=1, rated=True, guild_id=GUILD
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
        match = await start_against_computer(matches, person=ANNA, level=2, rated=True)
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
        match = await start_against_computer(matches, person=ANNA, level=1, rated=True)
        await matches.perform(match.id, Resign(), user_id=ANNA.id)

        told = await book.changes_of(match.id)

        assert told is not None
        assert told.reason is Reason.TOO_SHORT


async def test_casual_matches_are_not_rated(database_url: str) -> None:
    async with server(database_url) as (matches, book):
        match = await start_against_computer(matches, person=ANNA, level=1)
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


def test_who_has_played_in_a_server_before_is_on_its_boards(
    database_url: str, database_path: Path, tmp_path: Path
) -> None:
    """Games between two people count; for ratings, so do rated ones against the computer."""
    database_path.parent.mkdir()
    folder = tmp_path / "before"
    shutil.copytree(
        Path(migrate.__file__).with_name("migrations"),
        folder,
        ignore=shutil.ignore_patterns("r001[1-9]_*", "__pycache__"),
    )
    migrate.upgrade_locked(database_path, folder)
    with closing(sqlite3.connect(database_path)) as connection, connection:
        connection.execute("INSERT INTO player VALUES (1, 'Anna', 0, 0), (2, 'Bert', 0, 0)")
        connection.execute("INSERT INTO player VALUES (-1, 'Deleted player', 0, 0)")
        for number, guild, opponent, winner, variant in (
            (1, 7, (2, None), 0, "standard"),
            (2, 7, (2, None), None, "standard"),
            (3, 7, (-1, None), 1, "standard"),
            (4, 7, (1, None), 0, "standard"),
            (5, 7, (None, 3), 0, "standard"),
            (6, 7, (2, None), 0, "goal=five"),
            (7, None, (2, None), 0, "standard"),
            (8, 8, (None, 3), 0, "majority"),
        ):
            connection.execute(
                "INSERT INTO match (id, variant_key, rules, status, ply, winner, end_reason,"
                " guild_id, created_at, updated_at, ended_at) VALUES (?, ?, ?, 'finished', 9, ?,"
                " 'board', ?, 0, 0, 0)",
                (number, variant, variant, winner, guild),
            )
            connection.execute("INSERT INTO seat VALUES (?, 0, 1, NULL)", (number,))
            connection.execute("INSERT INTO seat VALUES (?, 1, ?, ?)", (number, *opponent))
        for player, games, deviation, best in ((1, 5, 239, None), (2, 9, 250, None)):
            connection.execute(
                "INSERT INTO rating (pool, player_id, value, deviation, volatility, games,"
                " opponents, telling, best, last_game_at) VALUES ('standard', ?, 1500, ?, 0.06,"
                " ?, 1, 1, ?, 0)",
                (player, deviation, games, best),
            )
        connection.execute(
            "INSERT INTO rating_change VALUES (1, 1, 'standard', 2, NULL, 1, 1, 1, 1, 1, 1, 0)"
        )

    upgrade(database_url)

    with closing(sqlite3.connect(database_path)) as connection:
        found = connection.execute("SELECT * FROM guild_player ORDER BY 1, 2, 3").fetchall()
        placed = connection.execute("SELECT player_id, placed_after FROM rating").fetchall()
    assert found == [
        (7, "standard", 1, 1500 - 2 * 239, 3, 1, 1, pytest.approx(1 - 1e-6)),
        (7, "standard", 2, None, 2, 0, 1, pytest.approx(-1e-6)),
    ]
    assert placed == [(1, 5), (2, None)]
