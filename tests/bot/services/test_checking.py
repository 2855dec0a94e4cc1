"""A database as the services leave it is sound, and each kind of damage is named."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from bot.model.actions import Play, Resign
from bot.model.challenges import Offer
from bot.model.clocks import ClockRules
from bot.model.match import Match
from bot.model.puzzles import DAILY_VARIANT, Try, Wanted
from bot.services.privacy import PrivacyService
from bot.services.puzzles import PuzzleBook
from bot.storage.checking import check_file
from bot.storage.puzzle_runs import open_race
from tests.bot.services.conftest import ANNA, BEN, CLEO, Server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

GUILD = 300


class Town(Server):
    """A server where much has happened, in matches 1 to 7."""

    async def finish(self, match: Match, winner: int) -> Match:
        match = await self.play(match, 40, 39, 30, 27)
        loser = match.seats[1 - winner].player_id
        assert loser is not None
        return await self.matches.perform(match.id, Resign(), user_id=loser)

    async def live(self) -> None:
        rated = {"rated": True, "guild_id": GUILD, "clock": ClockRules.parse("3d")}
        await self.finish(await self.begin_between(**rated), 0)  # 1
        self.clock.instant += timedelta(days=2)
        await self.finish(await self.begin_between(**rated), 1)  # 2
        open_now = await self.begin_between(**rated, channel_id=7)  # 3
        await self.play(open_now, 40, 39)
        alone = await self.begin(rated=True, guild_id=GUILD, clock=ClockRules.parse("5+3"))  # 4
        while alone.level_to_move is None and alone.ply < 8:
            move = alone.position.legal_moves[0]
            await self.matches.perform(alone.id, Play(move), user_id=ANNA.id, ply=alone.ply)
            alone = await self.matches.reply(alone.id)
        await self.matches.perform(alone.id, Resign(), user_id=ANNA.id)
        whole = await self.begin_between(guild_id=GUILD)  # 5
        while not whole.is_over:
            whole = await self.play(whole, whole.position.legal_moves[0])
        with_cleo = await self.challenges.offer(
            Offer(challenger=CLEO, opponent=ANNA, guild_id=GUILD)
        )
        await self.challenges.accept(with_cleo.id, person=ANNA)  # 6
        await self.offer(opponent=None)
        await self.begin(channel_id=8)  # 7
        await self.challenges.offer(Offer(challenger=BEN, opponent=ANNA, channel_id=8))
        puzzles, wanted = PuzzleBook(self.database, self.clock), Wanted(variant_key="standard")
        for person in (ANNA, BEN, CLEO):
            puzzle = (await puzzles.give(person, wanted, resume=False)).puzzle
            await puzzles.give_up(person.id, "standard", puzzle.id, Try.SOLUTION)
            day = puzzles.today
            daily = (await puzzles.give_daily(person, day)).puzzle
            await puzzles.give_up(person.id, DAILY_VARIANT, daily.id, Try.HINT, day)
            await puzzles.give(person, wanted, resume=False)  # is left open
        here = {"guild_id": 300, "channel_id": 8, "seed": 1}
        await self.database.write(open_race, ANNA, **here, at=self.clock())
        await PrivacyService(self.matches).erase(CLEO.id)


@pytest.fixture
async def town(database_url: str) -> AsyncIterator[Town]:
    town = Town(database_url)
    await town.start()
    await town.live()
    yield town
    await town.stop()


DAMAGES = {
    # What is stored beside the moves.
    "UPDATE match SET ply = ply + 1 WHERE id = 1": "The ply of match 1 differs from",
    "UPDATE move SET ply = 9 WHERE match_id = 1 AND ply = 3": "match 1 are not numbered",
    "UPDATE match SET revision = 9 WHERE id = 3": "Match 3 is at revision 9, but its rows make 2",
    "UPDATE move SET cell = 0 WHERE match_id = 1 AND ply = 1": "Match 1 cannot be replayed: ",
    "UPDATE match SET rules = 'chess' WHERE id = 1": "Match 1 cannot be replayed: ",
    "UPDATE match SET to_move = 1 WHERE id = 3": "Match 3 waits for side 1 instead of 0",
    "UPDATE match SET winner = 1 - winner WHERE id = 5": "Match 5 has the winner",
    "UPDATE match SET winner = NULL WHERE id = 1": "Match 1 has the winner None",
    "UPDATE match SET end_reason = 'board' WHERE id = 1": "Match 1 has not ended on the board",
    "UPDATE match SET end_reason = NULL, ended_at = NULL WHERE id = 1": (
        "Match 1 is finished, with the end reason None"
    ),
    "UPDATE match SET status = 'paused', to_move = NULL WHERE id = 3": (
        "A match.status is 'paused', which is unknown"
    ),
    "DELETE FROM seat WHERE match_id = 1 AND side = 1": "Match 1 does not have two seats",
    "UPDATE seat SET player_id = 77 WHERE match_id = 7 AND player_id": (
        "A row of seat refers to a row of player that does not exist"
    ),
    # Clocks.
    "UPDATE match SET deadline_at = NULL WHERE id = 3": "stopped on a person's turn",
    "UPDATE match SET deadline_at = 1 WHERE id = 1": "In match 1 a clock runs",
    "UPDATE match SET left_o = NULL WHERE id = 3": "Match 3 has times without a clock, or",
    "UPDATE match SET remind_at = 1 WHERE id = 1": "A reminder is due in match 1",
    "INSERT INTO downtime VALUES (5, 4)": "The bot's absence from 5 ended before it began",
    # Numbers, challenges, and what is shown and told.
    "UPDATE sqlite_sequence SET seq = 2 WHERE name = 'match'": (
        "The number 7 of a match would be assigned again"
    ),
    "UPDATE challenge SET match_id = 4 WHERE match_id = 1": "Challenge 1 is accepted, but",
    "UPDATE screen SET shown_revision = 99 WHERE match_id = 3": "match 3 is recorded as newer",
    "UPDATE screen SET shown_as = 'upside down'": "A screen.shown_as is 'upside down'",
    "INSERT INTO outbox VALUES ('result', 1, 1, 99, NULL, 0)": "names match 99, which does not",
    "INSERT INTO outbox VALUES ('call', 1, 1, 99, NULL, 0)": (
        "The outbox names challenge 99, which does not exist"
    ),
    "INSERT INTO outbox VALUES ('rumour', 1, 1, 1, NULL, 0)": "A outbox.kind is 'rumour'",
    "INSERT INTO news VALUES (3, 5, 'turn', 1, 1, NULL)": "News of match 3 is newer",
    "UPDATE news SET revision = 99 WHERE match_id = 3": "News of match 3 is newer",
    "INSERT INTO notice VALUES (3, 5, 1, 1, 1)": "Player 5 was notified of match 3",
    # Ratings.
    "DELETE FROM rated_match WHERE match_id = 1": "Match 1 is rated and finished but",
    "UPDATE rated_match SET winner = 1 WHERE match_id = 1": "record of match 1 does not agree",
    "DELETE FROM rating_change WHERE match_id = 1 AND player_id = :anna": (
        "Match 1 did not change the rating of each"
    ),
    "UPDATE rating SET value = value + 1 WHERE player_id = :ben": (
        "The rating of player :ben in standard does not follow from"
    ),
    "UPDATE rating_change SET value_before = value_before + 1 WHERE match_id = 2": (
        "The chain of ratings of player :anna in standard is broken"
    ),
    "UPDATE rating SET won = won + 1 WHERE player_id = :ben": "of player :ben in standard counts",
    "DELETE FROM rating WHERE player_id = :ben": "of player :ben in standard counts other games",
    "UPDATE rating SET listed_until = 1 WHERE player_id = :ben": (
        "Player :ben is on the leaderboard of standard for the wrong time"
    ),
    "UPDATE guild_player SET won = won + 1 WHERE player_id = :ben": (
        "boards of server 300 count other games of standard than player :ben"
    ),
    "DELETE FROM guild_player WHERE player_id = :anna": "standard than player :anna",
    "UPDATE guild_player SET careful = NULL WHERE player_id = :ben": "standard than player :ben",
    "UPDATE guild_player SET careful = careful + 1 WHERE player_id = :ben": (
        "The place of player :ben on the boards of server 300"
    ),
    "UPDATE guild_player SET wins = 0 WHERE player_id = :ben": "The place of player :ben on",
    "UPDATE puzzle_player SET value = value + 1 WHERE player_id = :ben": (
        "The puzzle rating of player :ben does not follow from"
    ),
    "DELETE FROM puzzle_round WHERE player_id = :ben": "puzzle rating of player :ben does not",
    "DELETE FROM puzzle_player WHERE player_id = :anna": "puzzle rating of player :anna does not",
    "UPDATE daily_puzzle SET puzzle_id = 'gone'": "The daily puzzle of player :ben on day",
    "UPDATE puzzle SET plays = 0": "of standard than are counted",
    # The explorer.
    "UPDATE opening_move SET move = move + 1 WHERE match_id = 4": "other moves of match 4 than",
    "UPDATE opening_move SET match_id = 3 WHERE match_id = 5": "that belong to no finished match",
    "UPDATE opening_total SET o_wins = o_wins + 1": "The explorer's counts of move",
    "DELETE FROM opening_total WHERE guild_id = 0": "The explorer's sums leave out games",
    "UPDATE puzzle_run SET combo = 1": "The figures of puzzle run 1 contradict each other",
    "UPDATE puzzle_race SET seed = 2": "Puzzle run 1 does not end with its race",
    "UPDATE puzzle_run SET race_id = NULL": "The figures of puzzle run 1 contradict each other",
    # Deletions.
    "INSERT INTO player VALUES (:cleo, 'Cleo', 0, 0)": "Player :cleo has deleted their data",
    "DELETE FROM setting WHERE key = 'erasure_key'": "the key of their fingerprints is missing",
    "INSERT INTO rating SELECT pool, 0, value, deviation, volatility, games, opponents, telling, "
    "best, last_game_at, listed_until, won, drawn, placed_after FROM rating LIMIT 1": (
        "The number 0 belongs to nobody, yet"
    ),
    # The file.
    "DROP TABLE outbox": "The file cannot be read: no such table: outbox",
}


def filled_in(words: str) -> str:
    for name, person in (("anna", ANNA), ("ben", BEN), ("cleo", CLEO)):
        words = words.replace(f":{name}", str(person.id))
    return words


async def test_each_kind_of_damage_is_told(town: Town, database_path: Path, tmp_path: Path) -> None:
    await town.stop()
    assert check_file(database_path) == []
    missed = {}
    for damage, sentence in DAMAGES.items():
        broken = tmp_path / "broken.sqlite3"
        shutil.copy(database_path, broken)
        with closing(sqlite3.connect(broken)) as connection, connection:
            connection.execute("PRAGMA ignore_check_constraints = ON")
            assert connection.execute(filled_in(damage)).rowcount, damage
        found = check_file(broken)
        if not any(filled_in(sentence) in each for each in found):
            missed[damage] = found

    assert missed == {}


def tear(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[5 * 4096 : 6 * 4096] = b"x" * 4096
    path.write_bytes(content)


async def test_torn_pages_are_told(town: Town, database_path: Path) -> None:
    await town.stop()
    tear(database_path)

    (first, *_) = check_file(database_path)

    assert first.startswith(("The file is damaged: ", "The file cannot be read: "))


async def test_a_server_that_was_forgotten_is_counted_from_then_on(
    town: Town, database_path: Path
) -> None:
    """Games played there before are still among the matches."""
    privacy = PrivacyService(town.matches)
    await privacy.forget_guild(GUILD)
    assert check_file(database_path) == []
    town.clock.instant += timedelta(days=2)
    await town.finish(await town.begin_between(rated=True, guild_id=GUILD), 0)
    assert check_file(database_path) == []

    await town.database.write(lambda c: c.execute(text("UPDATE guild_player SET games = 2")))

    assert len(check_file(database_path)) >= 2


async def test_a_running_bot_is_checked_and_nothing_is_changed(
    town: Town, database_path: Path
) -> None:
    def contents() -> list[bytes]:
        return [each.read_bytes() for each in sorted(database_path.parent.glob("*sqlite3*[!m]"))]

    before = contents()
    assert check_file(database_path) == []
    assert contents() == before
