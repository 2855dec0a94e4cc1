"""The daily puzzle apart from Discord: which it is, where and when it is due, and streaks."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from bot.model.hosting import Shards
from bot.model.preferences import ServerSettings
from bot.model.puzzles import (
    MOST_TRIES,
    Daily,
    DailyRow,
    DailyStreak,
    PuzzleRow,
    Round,
    RoundRow,
    SolverRow,
    Try,
    Turnout,
    note_try,
    post_at,
    start_of,
    streak_of,
)
from bot.services.preferences import ServerStore
from bot.services.puzzles import PuzzleBook
from bot.storage import dailies
from bot.storage.puzzles import choose_puzzle_of
from engine import load_puzzles

if TYPE_CHECKING:
    from bot.storage import Database

DAY = 20_780
HOURS = timedelta(hours=1)


@pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
async def test_each_server_has_a_minute_of_its_own_and_is_due_once(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQL agrees with `post_at`; with many servers no minute gets too many."""
    monkeypatch.setattr(dailies, "MOST_AT_ONCE", 4)
    rng, store, now = random.Random(4), ServerStore(database), start_of(DAY)

    def clock() -> datetime:
        return now

    book = PuzzleBook(database, clock)
    servers = {(rng.getrandbits(41) << 22) + rng.getrandbits(12): hour for hour in [*range(24), 25]}
    for guild_id, hour in servers.items():
        settings = ServerSettings(
            daily_channel=guild_id + 1, daily_hour=hour if hour < 24 else None
        )
        await store.put(guild_id, settings if hour else ServerSettings(daily_hour=3))
    found: Counter[tuple[int, int]] = Counter()
    for _step in range(2 * 24 * 4):  # two days in quarters of an hour
        for row in await book.enter_due():
            hour = servers[row.message_id]
            at = post_at(row.number, row.message_id, None if hour == 25 else hour)
            # The first time, also those due in the twelve hours before.
            assert at <= now < at + (timedelta(minutes=15) if now > start_of(DAY) else 12 * HOURS)
            assert row.channel_id == row.message_id + 1
            found[row.message_id, row.number] += 1
        now += timedelta(minutes=15)
    assert set(found.values()) == {1}
    assert {guild_id for guild_id, _day in found} == {
        each for each, hour in servers.items() if hour
    }

    minutes = Counter(post_at(DAY, rng.getrandbits(41) << 22, 9).minute for _server in range(6000))
    assert len(minutes) == 60
    assert max(minutes.values()) < 160

    monkeypatch.undo()
    # Each process handles the servers of its shards, and a server may begin tomorrow.
    now += 12 * HOURS
    halves = [
        {each.message_id for each in await database.read(dailies.list_due, now, half)}
        for half in map(Shards.parse, ("0/2", "1/2"))
    ]
    all_due = {each.message_id for each in await database.read(dailies.list_due, now)}
    assert halves[0] | halves[1] == all_due
    assert not halves[0] & halves[1]
    await book.skip_post(min(all_due))
    rest = {each.message_id for each in await database.read(dailies.list_due, now)}
    assert rest == all_due - {min(all_due)}


async def test_every_puzzle_has_its_turn_and_more_of_them_change_no_day(database: Database) -> None:
    ids = [f"puzzle{number}" for number in range(20)]

    chosen: dict[int, str] = {}
    for day in range(DAY, DAY + 20):
        chosen[day] = await database.write(choose_puzzle_of, day, ids)
    assert set(chosen.values()) == set(ids)
    # The file grows at both ends of the order: days keep their puzzle, and none returns too soon.
    more = ["new1", *ids[:7], "new2", *ids[7:], "new3"]
    for day in range(DAY + 10, DAY + 46):
        found = await database.write(choose_puzzle_of, day, more)
        assert found == chosen.setdefault(day, found)
    for day in range(DAY + 20, DAY + 46):
        assert chosen[day] not in [chosen.get(before) for before in range(day - 22, day)]
    # It is the same one everywhere, even if nobody asked on the days before.
    assert await database.write(choose_puzzle_of, 7, ids) == ids[7]
    one, other = [PuzzleBook(database), PuzzleBook(database)]
    assert await one.puzzle_of(DAY + 99) == await other.puzzle_of(DAY + 99)


def row(day: int, won: int | None = 1, *, after: int = 0) -> DailyRow:
    """Return an attempt at a day's puzzle, decided `after` days later."""
    at = start_of(day + after) + 23 * HOURS
    return DailyRow(player_id=1, day=day, begun_at=at, won=won, decided_at=(won and at) or at)


@pytest.mark.parametrize(
    ("rows", "today", "streak"),
    [
        ([], 5, DailyStreak()),
        ([row(5)], 5, DailyStreak(1, 1)),
        ([row(3), row(4)], 5, DailyStreak(2, 2)),  # today's is still to come
        ([row(3), row(4)], 6, DailyStreak(2, 2)),  # yesterday's can still be solved
        ([row(3), row(4)], 7, DailyStreak(0, 2)),
        ([row(3), row(4), row(5, 0)], 5, DailyStreak(0, 2)),
        ([row(1), row(2), row(3), row(5), row(6)], 6, DailyStreak(2, 3)),
        ([row(4), row(5, after=1), row(6)], 6, DailyStreak(3, 3)),  # on the day after
        ([row(4), row(5, after=2), row(6)], 7, DailyStreak(1, 1)),  # too late
        ([row(6), row(4), row(5)], 6, DailyStreak(3, 3)),  # in whatever order they are stored
        ([row(5, after=-3), row(6, after=-3)], 6, DailyStreak(2, 2)),  # the clock was set back
        ([row(9), row(10)], 5, DailyStreak(2, 2)),  # and is still behind
    ],
)
def test_streaks_count_by_the_days_of_puzzles(
    rows: list[DailyRow], today: int, streak: DailyStreak
) -> None:
    assert streak_of(rows, today) == streak
    open_today = replace(row(today), won=None, decided_at=None)
    if all(each.day != today for each in rows):
        assert streak_of([*rows, open_today], today) == streak


def test_tries_are_told_until_the_end_and_not_without_one() -> None:
    puzzle, now = load_puzzles("standard")[0], start_of(DAY)
    daily = Daily(row=row(DAY), streak=DailyStreak(), turnout=Turnout(), is_late=False)
    key: dict[str, Any] = {"variant_key": "standard", "puzzle_id": puzzle.id}
    found = Round(
        puzzle=puzzle,
        row=RoundRow(player_id=1, begun_at=now, **key),
        solver=SolverRow(player_id=1),
        rated=PuzzleRow(value=1500.0, **key),
        daily=daily,
    )

    def tries(made: str, *, solved: bool = False) -> str:
        after = found
        for each in made:
            is_last = solved and each == Try.RIGHT
            after = note_try(after, Try(each), puzzle.turns if is_last else after.turn)
        assert after.daily is not None
        return after.daily.row.tries

    assert tries("whhwwhs") == "whwwhs"
    assert tries("wssrw") == "ws"
    assert tries("wrsss", solved=True) == "wr"
    assert tries("w" * 99) == "w" * MOST_TRIES
