"""Searches done by dask workers, and by threads where none answers."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Generator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from distributed import Client, Scheduler
from distributed.client import AllExit
from structlog.testing import capture_logs

from bot import cluster
from bot.cluster import Cluster, open_cluster
from bot.host_errors import StartError
from bot.services import analysis
from bot.services.analysis import Analyst
from bot.services.computer import ComputerPlayers, SearchStoppedError
from engine import LEVELS, Game, Position, Rules, choose_move
from tests.dask import running_scheduler, running_worker, worker_process
from tests.waiting import until

AFTER_ONE = Position.initial(Rules()).after(40)
BOUNDED = replace(LEVELS[-1], iterations=2_000, seconds=60.0)


@pytest.fixture(autouse=True)
def looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_LOOK_S", 0.02)
    monkeypatch.setattr(cluster, "_PATIENCE_S", 2.0)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no answer be late: how busy the test machine is must not decide a test."""
    monkeypatch.setattr(cluster, "_GRACE_S", 3.0)


PATIENT_S = 3.6  # what is left of it beside that is for the search


@asynccontextmanager
async def used(scheduler: Scheduler) -> AsyncIterator[Cluster]:
    """Use a scheduler as soon as it has a worker."""
    async with open_cluster(scheduler.address) as found:
        assert found is not None
        await until(lambda: found.threads > 0)
        yield found


def take(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


@pytest.mark.usefixtures("patient")
async def test_a_worker_does_what_a_thread_does_and_a_thread_does_it_when_it_dies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis, "HINT_SECONDS", 0.05)
    monkeypatch.setattr(analysis, "MOST_SECONDS_A_MOVE", 0.01)
    async with (
        running_scheduler() as scheduler,
        worker_process(scheduler.address, tmp_path) as worker,
        used(scheduler) as elsewhere,
        ComputerPlayers(threads=1, seconds=PATIENT_S, cluster=elsewhere) as computer,
        Analyst(elsewhere) as analyst,
    ):
        search = partial(choose_move, AFTER_ONE, BOUNDED, seed=5)
        there = await elsewhere.ask(search, expected_s=30.0, longest_wait_s=0.0)
        assert there == replace(search(), seconds=there.seconds if there else 0.0)

        assert (await computer.think(AFTER_ONE, 10)).move in AFTER_ONE.legal_moves
        assert (await computer.think(AFTER_ONE, 9)).move in AFTER_ONE.legal_moves
        assert elsewhere.answered == 2, "level 9 takes milliseconds: it stays here"
        assert len(await analyst.hints(AFTER_ONE)) == 3
        game = Game.replay(Rules(), (40, 36, 0))
        assert len((await analyst.review(game)).reviews) == 3
        assert elsewhere.answered == 4

        thinking = asyncio.create_task(computer.think(AFTER_ONE, 10))
        await until(lambda: any(each.processing for each in scheduler.workers.values()))
        worker.kill()
        assert (await thinking).move in AFTER_ONE.legal_moves
        assert len(await analyst.hints(AFTER_ONE)) == 3
        assert elsewhere.answered == 4


@pytest.mark.usefixtures("patient")
async def test_threads_search_while_the_scheduler_is_away() -> None:
    with capture_logs() as lines:
        async with (
            running_scheduler() as scheduler,
            running_worker(scheduler.address),
            used(scheduler) as elsewhere,
            ComputerPlayers(threads=1, seconds=PATIENT_S, cluster=elsewhere) as computer,
        ):
            port = int(scheduler.address.rpartition(":")[2])
            thinking = asyncio.create_task(computer.think(AFTER_ONE, 10))
            await until(lambda: any(each.processing for each in scheduler.workers.values()))
            await scheduler.close()
            assert (await thinking).move in AFTER_ONE.legal_moves
            await until(lambda: not elsewhere.threads)
            for _ in range(3):
                assert (await computer.think(AFTER_ONE, 10)).move in AFTER_ONE.legal_moves
            assert elsewhere.answered == 0

            async with running_scheduler(port) as again, running_worker(again.address):
                await until(lambda: elsewhere.threads)
                await computer.think(AFTER_ONE, 10)
                assert elsewhere.answered == 1

    said = [line["event"] for line in lines if line["event"].startswith("searches")]
    assert said[:3] == ["searches go to workers", "searches stay here", "searches go to workers"]


async def test_what_comes_too_late_or_is_not_wanted_any_more_is_dropped() -> None:
    async with (
        running_scheduler() as scheduler,
        running_worker(scheduler.address, threads=2),
        used(scheduler) as elsewhere,
        ComputerPlayers(threads=1, seconds=0.8, cluster=elsewhere) as computer,
    ):
        asked = partial(elsewhere.ask, longest_wait_s=0.0)
        assert await asked(partial(take, 0.4), expected_s=0.01) is None, "that is too late"
        assert await asked(partial(int, "none"), expected_s=9.0) is None, "a thread may say why"
        assert elsewhere.failed == 2

        stop = threading.Event()
        thinking = asyncio.create_task(computer.think(AFTER_ONE, 10, stop=stop))
        await until(lambda: elsewhere.running)
        stop.set()  # the match has gone on meanwhile
        with pytest.raises(SearchStoppedError):
            await thinking

        busy = [asyncio.create_task(asked(partial(take, 0.2), expected_s=9.0)) for _ in range(2)]
        await until(lambda: elsewhere.running == 2)
        assert (await computer.think(AFTER_ONE, 10)).move in AFTER_ONE.legal_moves
        assert elsewhere.refused == 1, "nobody waits for a worker where all are busy"
        assert await asyncio.gather(*busy) == [0.2, 0.2]


class Asked:
    """What dask returns for a request, as a crash of its scheduler may leave it."""

    def __init__(self, waiting: Callable[[], Coroutine[None, None, None]]) -> None:
        self._waiting = waiting

    def __await__(self) -> Generator[None, None, None]:
        return self._waiting().__await__()

    def release(self) -> None:
        pass


async def goes_on() -> None:
    with suppress(asyncio.CancelledError):
        await asyncio.Event().wait()
    await asyncio.Event().wait()


async def is_cancelled() -> None:
    """As by another request that timed out: dask fetches the answers of both at once."""
    raise asyncio.CancelledError


@pytest.mark.parametrize("waiting", [goes_on, is_cancelled])
async def test_a_cancellation_of_dask_s_is_no_answer_and_no_end_of_the_bot(
    waiting: Callable[[], Coroutine[None, None, None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        running_scheduler() as scheduler,
        running_worker(scheduler.address),
        used(scheduler) as elsewhere,
    ):
        monkeypatch.setattr(elsewhere._client, "submit", lambda *_, **__: Asked(waiting))
        async with asyncio.timeout(20):
            ask = elsewhere.ask(partial(take, 0.0), expected_s=0.01, longest_wait_s=0.0)
            assert await ask is None
        assert (elsewhere.failed, elsewhere.running) == (1, 0)


async def test_leaving_ends_even_while_dask_swallows_a_cancellation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    closing, really_close = asyncio.Event(), Client._close

    async def swallow(client: Client, **given: bool) -> None:
        closing.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await really_close(client, **given)

    async with (
        asyncio.timeout(20),
        running_scheduler() as scheduler,
        running_worker(scheduler.address),
        used(scheduler),
    ):
        monkeypatch.setattr(Client, "_close", swallow)
        await scheduler.close()
        await closing.wait()


async def test_what_dask_forgets_is_no_error_of_the_bot(caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(2):
        cluster._load()
    for error in (AllExit(), ValueError("a bug of ours")):
        asyncio.get_running_loop().call_exception_handler({"message": "lost", "exception": error})

    told = [each.exc_info for each in caplog.records if each.name == "asyncio"]
    assert [each and each[0] for each in told] == [ValueError]


async def test_without_dask_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(StartError, match=r"pip install -r deploy/requirements-cluster\.txt"):
        async with open_cluster("tcp://127.0.0.1:8786"):
            pass
    async with open_cluster(None) as nothing:
        assert nothing is None
