from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from structlog.testing import capture_logs

from bot.model.errors import ComputerFailedError, RestartingError, UnknownLevelError
from bot.model.starting import find_level
from bot.services.computer import ComputerPlayers, KeptTree, SearchStoppedError
from engine import (
    LEVELS,
    GameOverError,
    Limit,
    Position,
    Rules,
    Searcher,
    SearchReport,
    choose_move,
)
from tests.bot.fakes import SlowSearch

if TYPE_CHECKING:
    from engine import Level

START = Position.initial(Rules())


def test_every_level_is_found() -> None:
    assert [find_level(level.number) for level in LEVELS] == list(LEVELS)


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: f"level {level.number}")
async def test_every_level_finds_a_legal_move(level: Level) -> None:
    async with ComputerPlayers(threads=1, seconds=0.1) as computer:
        report = await computer.think(START.after(40), level.number)

    assert report.move in START.after(40).legal_moves


async def test_an_unknown_level_is_refused() -> None:
    async with ComputerPlayers(threads=1, seconds=0.1) as computer:
        with pytest.raises(UnknownLevelError, match="from 1 to 10"):
            await computer.think(START, 99)


async def test_searches_run_beside_each_other() -> None:
    search = SlowSearch()
    async with ComputerPlayers(threads=3, seconds=0.1, search=search) as computer:
        choices = [asyncio.create_task(computer.think(START, 1)) for _ in range(3)]
        for _ in range(3):
            await asyncio.to_thread(search.begun.acquire)
        search.go_on.set()

        reports = await asyncio.gather(*choices)
        assert all(report.move in START.legal_moves for report in reports)


async def test_waiting_for_a_thread_is_part_of_the_budget() -> None:
    """The player waits for both, and the time left is shared with others that wait."""
    given: list[float] = []

    def search(
        position: Position, level: Level, stop: threading.Event, max_seconds: float
    ) -> SearchReport:
        given.append(max_seconds)
        while len(given) == 1 and computer.thinking < 4:  # everybody's time runs from here on
            time.sleep(0.001)
        time.sleep(0.1)
        return choose_move(position, level, seed=1, stop=stop, max_seconds=0.01)

    async with ComputerPlayers(threads=1, seconds=0.25, search=search) as computer:
        await asyncio.gather(*(computer.think(START, 10) for _ in range(4)))

    assert 0.2 < given[0] <= 0.25, "nobody else was there yet"
    assert given[1] <= 0.15 / 3, "two more wait for what is left"
    assert given[3] == 0.02


async def test_a_quick_reply_does_not_wait_for_long_ones() -> None:
    search = SlowSearch()
    async with ComputerPlayers(threads=2, seconds=60, search=search) as computer:
        long = [asyncio.create_task(computer.think(START, 10)) for _ in range(5)]
        for _ in range(2):
            await asyncio.to_thread(search.begun.acquire)
        quick = asyncio.create_task(computer.think(START, 1))
        await asyncio.to_thread(search.begun.acquire)

        assert search.levels == [10, 10, 1]
        search.go_on.set()
        await asyncio.gather(quick, *long)


async def test_the_shortest_goes_first_and_nobody_waits_for_ever() -> None:
    search = SlowSearch()
    async with ComputerPlayers(threads=1, seconds=60, search=search) as computer:
        running = [asyncio.create_task(computer.think(START, level)) for level in (1, 2)]
        for _ in range(2):
            await asyncio.to_thread(search.begun.acquire)
        waiting = []
        for level in (10, 9, 1):  # a long one, and two that come later
            waiting.append(asyncio.create_task(computer.think(START, level)))
            await asyncio.sleep(0)
        await asyncio.sleep(1.0)  # from now on nobody overtakes the long one
        waiting.append(asyncio.create_task(computer.think(START, 3)))
        await asyncio.sleep(0)
        search.go_on.set()
        await asyncio.gather(*running, *waiting)

    assert search.levels == [1, 2, 1, 9, 10, 3]


async def test_who_stops_waiting_takes_no_thread() -> None:
    search = SlowSearch()
    async with ComputerPlayers(threads=1, seconds=60, search=search) as computer:
        running = asyncio.create_task(computer.think(START, 10))
        await asyncio.to_thread(search.begun.acquire)
        waiting = [asyncio.create_task(computer.think(START, 10)) for _ in range(2)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        search.go_on.set()
        results = await asyncio.gather(running, *waiting, return_exceptions=True)

    assert [type(result) for result in results] == [
        SearchReport,
        asyncio.CancelledError,
        SearchReport,
    ]
    assert search.calls == 2


async def test_a_cancelled_caller_stops_the_search() -> None:
    search = SlowSearch()
    async with ComputerPlayers(threads=1, seconds=0.1, search=search) as computer:
        choice = asyncio.create_task(computer.think(START, 1))
        await asyncio.to_thread(search.begun.acquire)
        choice.cancel()
        with pytest.raises(asyncio.CancelledError):
            await choice
        await asyncio.to_thread(search.ended.acquire)


async def test_a_search_that_is_stopped_has_no_move() -> None:
    search, stop = SlowSearch(), threading.Event()
    async with ComputerPlayers(threads=1, seconds=0.1, search=search) as computer:
        choice = asyncio.create_task(computer.think(START, 1, stop=stop))
        late = threading.Event()
        late.set()
        await asyncio.to_thread(search.begun.acquire)
        stop.set()

        with pytest.raises(SearchStoppedError):
            await choice
        with pytest.raises(SearchStoppedError):
            await computer.think(START, 1, stop=late)

    assert search.calls == 1


async def test_a_search_that_breaks_is_logged_and_the_pool_lives() -> None:
    def search(
        position: Position, level: Level, stop: threading.Event, max_seconds: float
    ) -> SearchReport:
        if level.number == 2:
            raise MemoryError("in the search")
        return choose_move(position, level, seed=1, stop=stop, max_seconds=max_seconds)

    async with ComputerPlayers(threads=1, seconds=0.1, search=search) as computer:
        with capture_logs() as lines:
            for _ in range(3):
                with pytest.raises(ComputerFailedError):
                    await computer.think(START, 2)

        assert (await computer.think(START, 1)).move in START.legal_moves

    assert [line["event"] for line in lines] == ["search failed"] * 3


async def test_closing_ends_searches_and_those_that_wait() -> None:
    search = SlowSearch()
    async with ComputerPlayers(threads=1, seconds=0.1, search=search) as computer:
        choices = [asyncio.create_task(computer.think(START, 10)) for _ in range(3)]
        await asyncio.to_thread(search.begun.acquire)

    results = await asyncio.gather(*choices, return_exceptions=True)
    assert [type(result) for result in results] == [RestartingError] * 3
    assert (search.calls, search.stopped) == (1, 1)
    with pytest.raises(RestartingError):
        await computer.think(START, 1)


def test_a_tree_is_kept_for_the_next_move_of_its_game() -> None:
    tree, limit = KeptTree(nodes=5000), Limit(iterations=300)

    def think(position: Position) -> tuple[Searcher, SearchReport]:
        with tree.lend(position) as searcher:
            return searcher, searcher.search(position, limit, seed=1)

    first, report = think(START)
    reply = START.after(report.move).after(report.principal_line[1])
    again, second = think(reply)

    assert again is first
    assert sum(second.visits.values()) > second.iterations == 300
    back, third = think(START)  # taken back: another tree
    assert back is not first
    assert sum(third.visits.values()) == 300
    assert think(START.after(0))[0] is back  # the games began alike so far
    elsewhere = Position.initial(Rules.parse("majority"))
    assert think(elsewhere)[0] not in (first, back)
    assert think(START.after(0))[0] is not back  # only one is kept
    last = think(elsewhere)[0]
    with pytest.raises(GameOverError), tree.lend(elsewhere) as searcher:
        raise GameOverError("")
    assert searcher is last
    assert think(elsewhere)[0] is not last


@pytest.mark.parametrize("key", ["standard", "sttt-map"])
async def test_the_highest_level_goes_on_with_its_tree(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    followed: list[bool] = []
    follow = Searcher.search

    def search(self: Searcher, position: Position, *rest: Any, **options: Any) -> SearchReport:
        followed.append(self.follows(position))
        return follow(self, position, *rest, **options)

    monkeypatch.setattr(Searcher, "search", search)
    async with ComputerPlayers(threads=1, seconds=0.1) as computer:
        position = Position.initial(Rules.parse(key)).after(40)
        for level in (10, 10, 9):
            position = position.after((await computer.think(position, level)).move)

    assert followed == [False, True, False]
