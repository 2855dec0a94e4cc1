"""Somebody has their data deleted."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import event

from bot.model.challenges import Offer
from bot.model.clocks import ClockRules
from bot.model.errors import ChallengeClosedError, NotAPlayerError, StorageFailedError
from bot.model.match import Match, Person
from bot.model.preferences import PlayerPreferences
from bot.model.ratings.pools import Reason
from bot.services.ratings import RatingBook
from bot.services.starting import start_against_computer
from bot.storage import erasing, open_storage
from bot.storage.erasing import Outdated, Subject
from cogs.audience import told_names
from engine.records import EndReason
from tests.bot.services.conftest import ANNA, BEN, CLEO
from tests.bot.services.privacy.conftest import (
    DORA,
    GUILD,
    Life,
    columns_with,
    contents,
    person_columns,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection

ROOT = Path(__file__).resolve().parents[4]


async def test_no_column_holds_their_number_afterwards_but_the_blocks_of_others(life: Life):
    before = columns_with(await life.contents(), ANNA.id)
    assert before == person_columns(), "the life led here has to fill every column with her number"

    await life.privacy.erase(ANNA.id)

    found = await life.contents()
    assert columns_with(found, ANNA.id) == {("block", "other_id")}
    assert not any("Anna" in str(row) for rows in found.values() for row in rows)


async def test_the_file_itself_holds_neither_name_nor_wishes(life: Life, database_path: Path):
    """Otherwise deleted data could still be read in the database's free pages."""
    await start_against_computer(life.matches, person=Person(id=77, name="Zyxwvut"), level=1)
    await life.restart()
    assert b"Zyxwvut" in files_of(database_path)[database_path.name]

    await life.privacy.erase(77)

    # The bot keeps running, with its readers open.
    assert await life.matches.load(1)
    assert all(b"Zyxwvut" not in content for content in files_of(database_path).values())
    await life.stop()
    assert all(b"Zyxwvut" not in content for content in files_of(database_path).values())


async def test_nor_does_it_once_a_reader_that_was_in_the_way_is_done(
    life: Life, database_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("bot.storage.database.EMPTY_AGAIN_S", 0.02)
    await start_against_computer(life.matches, person=Person(id=77, name="Zyxwvut"), level=1)
    with closing(sqlite3.connect(database_path)) as backup:
        backup.execute("BEGIN")
        backup.execute("SELECT * FROM player").fetchall()
        await life.privacy.erase(77)
        log_file = f"{database_path.name}-wal"
        assert b"Zyxwvut" in files_of(database_path)[log_file]
    for _ in range(500):
        if not files_of(database_path)[log_file]:
            break
        await asyncio.sleep(0.01)

    assert all(b"Zyxwvut" not in content for content in files_of(database_path).values())


def files_of(path: Path) -> dict[str, bytes]:
    """Return the content of a database and of everything that lies beside it, by name."""
    return {each.name: each.read_bytes() for each in path.parent.iterdir()}


@pytest.mark.parametrize("forgetting", ["tidy_up", "forget_guild"])
async def test_what_is_dropped_by_itself_does_not_stay_in_the_log(
    life: Life, database_path: Path, forgetting: str
):
    await life.begin()
    assert files_of(database_path)[f"{database_path.name}-wal"]

    await (life.privacy.tidy_up() if forgetting == "tidy_up" else life.privacy.forget_guild(GUILD))

    assert files_of(database_path)[f"{database_path.name}-wal"] == b""


async def test_games_stay_with_a_stand_in_and_all_their_moves(life: Life):
    before = await life.matches.load(1)

    await life.privacy.erase(ANNA.id)

    after = await life.matches.load(1)
    assert told_names(after) == ("Deleted player", "Ben")
    assert not after.has_player(ANNA.id)
    assert (after.moves, after.winner, after.ended_at) == (
        before.moves,
        before.winner,
        before.ended_at,
    )


async def test_what_opponents_have_won_and_whom_they_have_met_stays(life: Life):
    book = RatingBook(life.database, life.clock)
    before = await book.profile_of(BEN.id)
    ongoing = len(await life.matches.ongoing_of(BEN.id))

    await life.privacy.erase(ANNA.id)

    after = await book.profile_of(BEN.id)
    # All that has changed is the ongoing game that she has given up.
    assert ongoing == 1
    assert sum(record.won for record in map(_total, [after])) == 1 + _total(before).won
    assert _total(after).lost == _total(before).lost == 2
    assert [head.name for head in after.opponents] == ["Deleted player"]
    assert [head.record.lost for head in after.opponents] == [2]


def _total(profile: Any) -> Any:
    return profile.opponents[0].record


async def test_two_opponents_cannot_tell_that_they_have_played_the_same_person(life: Life):
    await life.privacy.erase(ANNA.id)

    stand_ins = {}
    for name, user in (("Ben", BEN), ("Cleo", CLEO)):
        match = await life.matches.latest_for(user.id)
        stand_ins[name] = {seat.player_id or 0 for seat in match.seats} - {user.id}
    assert stand_ins["Ben"].isdisjoint(stand_ins["Cleo"])
    assert all(number < 0 for numbers in stand_ins.values() for number in numbers)


async def test_ongoing_games_are_given_up_and_rated(life: Life):
    rated = next(match for match in await life.matches.ongoing_of(BEN.id) if match.rated)
    rated = await life.play(rated, 40, 39, 30)

    erased = await life.privacy.erase(ANNA.id)

    match = await life.matches.load(rated.id)
    assert rated.id in erased.matches
    assert len(erased.matches) == 3
    assert (match.end_reason, match.winner) == (EndReason.RESIGNED, match.side_of(BEN.id))
    verdict = await RatingBook(life.database).changes_of(rated.id)
    assert verdict is not None
    assert [change.player_id for change in verdict.changes] == [BEN.id]


async def test_who_goes_does_not_win_what_the_other_has_not_lost_but_may_have_run_out(life: Life):
    """Ben's time is over: that decides the match, not Anna's leaving."""
    match = await life.begin_between(clock=ClockRules.parse("1h"))
    match = await life.play(match, 40)
    life.clock.instant += timedelta(hours=2)

    await life.privacy.erase(ANNA.id)

    match = await life.matches.load(match.id)
    assert match.end_reason is EndReason.TIME
    assert match.winner == 1 - (match.side_of(BEN.id) or 0)


async def test_challenges_are_closed_and_cannot_be_accepted_any_more(life: Life):
    mine = (await life.challenges.open_challenges())[0]
    theirs = next(
        each for each in await life.challenges.challenges_of(BEN.id) if each.opponent is not None
        and each.opponent.id == ANNA.id
    )  # fmt: skip

    erased = await life.privacy.erase(ANNA.id)

    assert {mine.id, theirs.id} <= set(erased.challenges)
    with pytest.raises(ChallengeClosedError, match="Deleted player has withdrawn it"):
        await life.challenges.accept(mine.id, person=BEN)
    closed = await life.challenges.load(theirs.id)
    assert str(closed.status_in_words) == "Deleted player has declined it"


async def test_what_is_in_memory_is_forgotten(life: Life):
    match = await life.matches.load(1)
    assert (await life.preferences.of(ANNA.id)).theme == "light"

    await life.privacy.erase(ANNA.id)

    assert await life.preferences.of(ANNA.id) == PlayerPreferences()
    with pytest.raises(NotAPlayerError, match="between Deleted player and Ben"):
        await life.matches.load(match.id, user_id=ANNA.id)


async def test_they_can_come_back_as_somebody_new(life: Life):
    await life.privacy.erase(ANNA.id)

    match = await life.begin()

    profile = await RatingBook(life.database).profile_of(ANNA.id)
    assert match.names[0] == "Anna"
    assert profile.ratings == ()
    assert await life.matches.ongoing_of(ANNA.id) == [match]
    assert (await life.privacy.erase(ANNA.id)).matches == (match.id,)


@pytest.mark.parametrize(("days", "reason"), [(6, Reason.BEGUN_ANEW), (8, None)])
async def test_who_comes_back_plays_a_week_without_ratings(
    life: Life, days: int, reason: Reason | None
):
    """Otherwise deleting would undo the limits on rated games, and any bad rating."""
    await life.privacy.erase(ANNA.id)
    life.clock.instant += timedelta(days=days)

    match = await life.finished(rated=True)

    verdict = await RatingBook(life.database).changes_of(match.id)
    assert verdict is not None
    assert verdict.reason is reason


async def test_a_block_of_somebody_else_outlives_the_one_blocked(life: Life):
    """Otherwise a blocked player could undo it by deleting their data."""
    await life.privacy.erase(ANNA.id)

    assert await life.challenges.blocked_by(DORA.id) == [ANNA.id]
    assert await life.challenges.blocked_by(ANNA.id) == []


async def test_both_of_a_pair_can_go(life: Life):
    await life.privacy.erase(ANNA.id)
    await life.privacy.erase(BEN.id)

    match = await life.matches.load(1)
    assert told_names(match) == ("Deleted player", "Deleted player")
    assert len({seat.player_id for seat in match.seats}) == 2
    assert columns_with(await life.contents(), BEN.id) == set()


async def test_who_was_never_here_is_deleted_without_a_word(life: Life):
    before = await life.contents()

    assert (await life.privacy.erase(424242)).matches == ()

    after = await life.contents()
    for changing in ("erasure", "setting", "player"):  # noted like everybody's
        del before[changing], after[changing]
    assert after == before


async def test_a_match_that_begins_meanwhile_is_given_up_too(
    life: Life, monkeypatch: pytest.MonkeyPatch
):
    begun: list[Match] = []
    list_ids = erasing.list_match_ids
    ongoing_of = life.matches.ongoing_of

    async def slow(user_id: int) -> list[Match]:
        if not begun:
            begun.append(await life.begin())
        return await ongoing_of(user_id)

    monkeypatch.setattr(life.matches, "ongoing_of", slow)

    erased = await life.privacy.erase(ANNA.id)

    assert begun[0].id in erased.matches
    assert await life.database.read(lambda c: list_ids(c, ANNA.id)) == []


async def test_a_failure_at_any_statement_leaves_everything_as_it_was(life: Life):
    before = await life.contents()
    failed_at = left = 0

    def fail(_connection: Connection, _cursor: Any, statement: str, *_rest: Any) -> None:
        nonlocal left
        if "ROLLBACK" in statement or "RELEASE" in statement:
            return
        left -= 1
        if left == 0:
            raise RuntimeError("the machine breaks")

    engine = life.database.writing.engine.sync_engine
    event.listen(engine, "before_cursor_execute", fail)
    while True:
        failed_at += 1
        left = failed_at
        try:
            await life.privacy.erase(ANNA.id)
        except (RuntimeError, StorageFailedError):
            event.remove(engine, "before_cursor_execute", fail)
            assert await life.contents() == before, failed_at
            assert told_names(await life.matches.load(1)) == ("Anna", "Ben")
            event.listen(engine, "before_cursor_execute", fail)
        else:
            break
    event.remove(engine, "before_cursor_execute", fail)

    assert failed_at > 20
    assert columns_with(await life.contents(), ANNA.id) == {("block", "other_id")}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("statement", [3, 12, 25])
async def test_a_process_killed_in_the_middle_leaves_everything_as_it_was(
    life: Life, database_url: str, statement: int
):
    await life.stop()
    module = "tests.bot.services.privacy.killed"
    killed = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module, database_url, str(statement)), cwd=ROOT
    )
    await asyncio.wait_for(killed.wait(), 60)

    async with open_storage(database_url) as database:
        found = await database.read(contents)
    assert killed.returncode == -9
    assert columns_with(found, ANNA.id) == person_columns()
    assert found["erasure"] == []


async def test_two_deletions_at_once_are_one(life: Life):
    await asyncio.gather(*(life.privacy.erase(ANNA.id) for _ in range(5)))

    assert len((await life.contents())["erasure"]) == 1


async def messages_of(life: Life) -> list[Outdated]:
    """Store where Anna's matches and challenge are shown, and return them, newest first."""
    matches = sorted(await life.database.read(lambda c: erasing.list_match_ids(c, ANNA.id)))
    for number in matches[1:]:
        await life.matches.place(number, channel_id=5, message_id=1000 + number)
    offered = await life.challenges.offer(Offer(challenger=ANNA, opponent=None))
    await life.challenges.place_challenge(offered.id, channel_id=5, message_id=2000)
    others = await life.challenges.offer(Offer(challenger=BEN, opponent=CLEO))
    await life.challenges.place_challenge(others.id, channel_id=5, message_id=2001)
    shown = [Outdated(Subject.MATCH, number) for number in matches[:0:-1]]
    return [*shown, Outdated(Subject.CHALLENGE, offered.id)]


async def test_messages_known_to_name_them_are_noted_until_they_are_crossed_out(life: Life):
    expected = await messages_of(life)

    await life.privacy.erase(ANNA.id)
    await life.privacy.erase(ANNA.id)
    await life.restart()

    noted = await life.privacy.list_outdated()
    assert len(expected) > 4
    assert noted == expected
    for _ in range(2):
        await life.privacy.cross_out(noted[1])
    assert await life.privacy.list_outdated() == [noted[0], *noted[2:]]


async def test_a_message_that_names_two_who_are_gone_is_noted_once(life: Life):
    await messages_of(life)

    await life.privacy.erase(ANNA.id)
    await life.privacy.erase(BEN.id)

    noted = await life.privacy.list_outdated()
    assert len(noted) == len(set(noted))


async def test_what_is_past_its_time_is_dropped(life: Life):
    await life.privacy.erase(ANNA.id)
    await life.privacy.tidy_up()
    kept = await life.contents()
    life.clock.instant += erasing.REMEMBERED_FOR

    await life.privacy.tidy_up()

    found = await life.contents()
    assert len(kept["erasure"]) == 1
    assert found["erasure"] == []


async def test_a_server_that_the_bot_has_left_is_forgotten(life: Life):
    members = [row for row in (await life.contents())["guild_player"] if row[0] == GUILD]
    assert members

    await life.privacy.forget_guild(GUILD)

    left = (await life.contents())["guild_player"]
    assert [row for row in left if row[0] == GUILD] == []
    assert left != []
