from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from contextlib import ExitStack
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot import operations as module
from bot.model.errors import OverloadedError, RestartingError
from bot.operations import (
    ALWAYS_ADMITTED,
    ANSWER_WITHIN_S,
    BURST_S,
    CLICK,
    FIRST_GUESS,
    HEAVY,
    Allowance,
    Concurrency,
    Limits,
    Operations,
    Workers,
    look_at,
)

if TYPE_CHECKING:
    from collections.abc import Callable


async def test_a_cancelled_caller_does_not_stop_what_was_begun() -> None:
    operations, done = Operations(), asyncio.Event()

    async def work() -> None:
        await asyncio.sleep(0.01)
        done.set()

    caller = asyncio.create_task(operations.run(work()))
    await asyncio.sleep(0)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert not done.is_set()
    await operations.close()

    assert done.is_set()


async def test_an_error_that_nobody_waits_for_is_no_noise() -> None:
    """Warnings are errors here, and asyncio reports errors that were never retrieved."""
    operations = Operations()
    reported: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, what: reported.append(what))

    async def work() -> None:
        await asyncio.sleep(0)
        raise ValueError("too late")

    caller = asyncio.create_task(operations.run(work()))
    await asyncio.sleep(0)
    caller.cancel()
    await asyncio.gather(caller, return_exceptions=True)
    await operations.close()

    assert reported == []


async def test_nothing_is_begun_after_closing() -> None:
    operations = Operations()
    await operations.close()

    async def work() -> None:
        raise AssertionError("begun")

    with pytest.raises(RestartingError):
        await operations.run(work())


async def test_what_was_cancelled_has_nothing_to_look_at() -> None:
    """The loop reports a callback that raises, and an error that was never retrieved."""
    loop = asyncio.get_running_loop()
    reported: list[object] = []
    loop.set_exception_handler(lambda _loop, what: reported.append(what))
    cancelled, failed = loop.create_future(), loop.create_future()
    for future in (cancelled, failed):
        future.add_done_callback(look_at)

    cancelled.cancel()
    failed.set_exception(ValueError("nobody waits"))
    await asyncio.sleep(0)
    del failed, future

    assert reported == []


class Gate:
    """Work that waits until the gate is opened, and notes the order in which it began."""

    def __init__(self) -> None:
        self.opened = threading.Event()
        self.begun: list[object] = []

    def work(self, name: object) -> object:
        self.begun.append(name)
        assert self.opened.wait(20)
        return name


async def asked(workers: Workers, work: Callable[..., object], name: object, **how: float | int):
    """Ask for work and let its request be queued."""
    task = asyncio.create_task(workers.run(work, name, **how))  # type: ignore[arg-type]
    await asyncio.sleep(0)
    return task


async def test_many_requests_of_one_do_not_delay_another() -> None:
    gate = Gate()
    async with Workers("test", threads=1) as workers:
        many = [
            await asked(workers, gate.work, ("Anna", each), expected_s=1.0, who=1)
            for each in range(40)
        ]
        one = await asked(workers, gate.work, "Ben", expected_s=1.0, who=2)
        gate.opened.set()
        await asyncio.gather(one, *many)

    assert gate.begun.index("Ben") == 1, "after the one that was being done"
    assert [each[1] for each in gate.begun if each != "Ben"] == list(range(40))  # type: ignore[index]


async def test_who_would_wait_too_long_is_told_when_to_come_back() -> None:
    gate = Gate()
    async with Workers("test", threads=1, longest_wait_s=5.0) as workers:
        taken = [await asked(workers, gate.work, 1, expected_s=2.0, who=1) for _ in range(3)]
        with pytest.raises(OverloadedError, match="in about 6 seconds") as error:
            await workers.run(gate.work, 1, expected_s=2.0, who=1)
        another = await asked(workers, gate.work, 2, expected_s=1.9, who=2)
        with pytest.raises(OverloadedError, match="in about 4 seconds"):
            await workers.run(gate.work, 3, expected_s=1.9, who=3, longest_wait_s=3.0)
        assert (workers.running, workers.waiting, workers.refused) == (1, 3, 2)
        gate.opened.set()
        await asyncio.gather(another, *taken)

    assert error.value.again_in_s == 6
    assert gate.begun == [1, 2, 1, 1]


async def test_who_has_waited_too_long_is_told_as_well() -> None:
    """What was expected to be short need not be."""
    gate = Gate()
    async with Workers("test", threads=1, longest_wait_s=0.05) as workers:
        running = [await asked(workers, gate.work, 1, expected_s=0.01) for _ in range(2)]
        with pytest.raises(OverloadedError, match="in about 1 second"):
            await workers.run(gate.work, 2, expected_s=0.01)
        assert (workers.waiting, workers.refused) == (0, 1)
        gate.opened.set()
        await asyncio.gather(*running)

    assert gate.begun == [1, 1]


async def test_a_cancelled_caller_keeps_its_thread_until_the_work_has_ended() -> None:
    gate = Gate()
    async with Workers("test", threads=1) as workers:
        first = await asked(workers, gate.work, 1, expected_s=1.0)
        second = await asked(workers, gate.work, 2, expected_s=1.0)
        third = await asked(workers, gate.work, 3, expected_s=1.0)
        for task in (first, third):
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert (workers.running, workers.waiting) == (1, 1)
        gate.opened.set()
        assert await second == 2
        assert (workers.running, workers.waiting) == (0, 0)

    assert gate.begun == [1, 2]


async def test_a_turn_that_nobody_takes_goes_to_the_next() -> None:
    """The one whose turn it is may be cancelled before it runs again."""
    gate = Gate()
    gate.opened.set()
    async with Workers("test", threads=1) as workers:
        lost = asyncio.create_task(workers.run(gate.work, 1, expected_s=1.0))
        await asyncio.sleep(0)  # it has its turn, but has not used it yet
        lost.cancel()
        assert await workers.run(gate.work, 2, expected_s=1.0) == 2
        assert (workers.running, workers.waiting) == (0, 0)
        with pytest.raises(asyncio.CancelledError):
            await lost


async def test_what_work_needs_is_learnt() -> None:
    """By doing it: quick work is not put behind work that takes long."""
    gate, order = Gate(), []

    def quick(_name: object) -> None:
        order.append("quick")

    def slow(_name: object) -> None:
        order.append("slow")
        time.sleep(0.1)

    async with Workers("test", threads=1, quick_s=0.0) as workers:
        for _ in range(10):
            await workers.run(quick, 0)
            await workers.run(slow, 0)
        order.clear()
        running = await asked(workers, gate.work, 0, expected_s=1.0)
        tasks = [await asked(workers, each, 0) for each in (slow, quick)]
        gate.opened.set()
        await asyncio.gather(running, *tasks)

    assert order == ["quick", "slow"]


async def test_work_that_fails_gives_its_thread_back_and_speaks_the_callers_language() -> None:
    language: ContextVar[str] = ContextVar("language")
    language.set("Russian")

    def fail() -> None:
        raise ValueError(language.get())

    async with Workers("test", threads=1) as workers:
        for _ in range(3):
            with pytest.raises(ValueError, match="Russian"):
                await workers.run(fail)
        assert (workers.running, workers.waiting) == (0, 0)


async def test_closing_ends_those_that_wait() -> None:
    gate = Gate()
    workers = Workers("test", threads=1)
    running = await asked(workers, gate.work, 1, expected_s=1.0)
    waiting = await asked(workers, gate.work, 2, expected_s=1.0)
    closing = asyncio.create_task(workers.close())
    with pytest.raises(RestartingError):
        await waiting
    with pytest.raises(RestartingError):
        await workers.run(gate.work, 3)
    gate.opened.set()
    assert await running == 1
    await closing

    assert gate.begun == [1]


class Seconds:
    """A clock that moves only when told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_an_allowance_is_a_burst_and_a_rate() -> None:
    clock = Seconds()
    allowance = Allowance(a_second=2.0, burst_s=5.0, clock=clock)

    assert [allowance.wait_s(1, 1.0) for _ in range(10)] == [0.0] * 10
    assert allowance.wait_s(1, 1.0) == allowance.wait_s(1, 1.0) == pytest.approx(0.5)
    assert allowance.wait_s(2, 1.0) == 0.0, "another one has their own"
    clock.now += 0.5
    assert allowance.wait_s(1, 1.0) == 0.0
    assert allowance.wait_s(1, 4.0) == pytest.approx(2.0)


def test_what_is_heavy_leaves_something_for_what_is_not() -> None:
    allowance = Allowance(a_second=1.0, burst_s=10.0, clock=Seconds())

    assert allowance.wait_s(1, 6.0, keep_s=3.0) == 0.0
    assert allowance.wait_s(1, 6.0, keep_s=3.0) == pytest.approx(5.0)
    assert [allowance.wait_s(1, 1.0) for _ in range(5)] == [0.0] * 4 + [pytest.approx(1.0)]


@given(st.lists(st.tuples(st.floats(0, 3), st.sampled_from([CLICK, HEAVY])), max_size=200))
def test_nobody_gets_more_than_their_allowance(steps: list[tuple[float, float]]) -> None:
    """And anyone who waits as long as told gets what they asked for."""
    clock = Seconds()
    allowance, taken = Allowance(a_second=5.0, burst_s=40.0, clock=clock), []
    for pause_s, cost in steps:
        clock.now += pause_s
        if wait_s := allowance.wait_s(1, cost):
            clock.now += wait_s + 1e-6
            assert allowance.wait_s(1, cost) == 0.0
        taken.append((clock.now, cost))
        assert all(
            sum(other for at, other in taken if since <= at) <= 5.0 * (40.0 + clock.now - since) + 1
            for since, _cost in taken
        )


def test_those_who_have_asked_for_nothing_lately_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST_REMEMBERED", 100)
    clock = Seconds()
    allowance = Allowance(a_second=1.0, burst_s=10.0, clock=clock)
    for user_id in range(1000):
        allowance.wait_s(user_id, 1.0)
    assert len(allowance) == 100

    clock.now += 11.0
    allowance.wait_s(1, 1.0)
    assert len(allowance) == 1


def test_fast_play_is_never_limited() -> None:
    """Four clicks a second for ten minutes, even after ten replays at once."""
    clock = Seconds()
    limits = Limits(5.0)
    limits.people = Allowance(a_second=5.0, burst_s=BURST_S, clock=clock)
    refused = [limits.take(HEAVY, 1, None) for _ in range(40)]
    assert [each is None for each in refused] == [True] * 10 + [False] * 30
    assert str(refused[-1]) == "Slow down: please try again in 3 seconds."

    for _ in range(4 * 600):
        clock.now += 0.25
        assert limits.take(CLICK, 1, 7) is None
    assert limits.refused == 30


def test_a_server_is_limited_in_what_is_heavy_alone() -> None:
    limits = Limits(5.0)
    heavy = [limits.take(HEAVY, user_id, 7) for user_id in range(100)]
    assert [each is None for each in heavy] == [True] * 60 + [False] * 40
    assert str(heavy[-1]) == (
        "Slow down: too many requests come from this server. Please try again in 1 second."
    )
    assert limits.take(HEAVY, 100, 8) is None, "another server"
    assert limits.take(HEAVY, 101, None) is None, "and nowhere"
    assert [limits.take(CLICK, user_id, 7) for user_id in range(1000)] == [None] * 1000
    assert [Limits(0.0).take(HEAVY, 1, 7) for _ in range(1000)] == [None] * 1000


def test_as_many_are_answered_at_once_as_will_be_in_time() -> None:
    """A machine that takes `each_s` per request, and gets twelve times what it can do."""
    for each_s in (0.004, 0.02, 0.1):
        clock, running, told = Seconds(), deque[tuple[float, int, Any]](), []
        concurrency, done_s, admitted, waits = Concurrency(clock), clock.now, 0, []
        for number in range(3000):
            clock.now += each_s / 12
            while running and running[0][0] <= clock.now:
                _done, other, job = running.popleft()
                concurrency.end(other)
                job.__exit__(None, None, None)
            if refusal := concurrency.check(0.0):
                told.append(refusal.again_in_s)
                continue
            job = concurrency.working(number)
            job.__enter__()
            admitted += 1
            done_s = max(done_s, clock.now) + each_s
            running.append((done_s, number, job))
            waits.append(done_s - clock.now)
        # At first the machine's speed is not known.
        assert max(waits[2 * FIRST_GUESS :]) < 2.0
        assert admitted >= 3000 // 12 - 1, "and there is always something to do"
        assert set(told) <= {1, 2, 3, 4}


def test_when_nothing_ends_nothing_more_is_taken() -> None:
    clock = Seconds()
    concurrency = Concurrency(clock)
    with ExitStack() as stack:
        for number in range(ALWAYS_ADMITTED + 1):
            assert concurrency.check(0.0) is None
            stack.enter_context(concurrency.working(number))
        assert concurrency.check(0.0) is None
        assert concurrency.check(1.2) is not None, "what comes late has less time left"
        assert concurrency.expected_s == pytest.approx(9 * ANSWER_WITHIN_S / FIRST_GUESS)
        clock.now += 60
        with concurrency.paused(0), concurrency.paused(1):
            assert concurrency.check(0.0) is None, "a few are always taken"
        refusal = concurrency.check(0.0)
    assert str(refusal) == "Too much is going on right now. Please try again in about 60 seconds."
    assert concurrency.check(0.0) is None


def test_who_waits_for_the_computer_takes_nobodys_place() -> None:
    clock = Seconds()
    concurrency = Concurrency(clock)
    for start in range(0, 4000, 40):
        with ExitStack() as stack:
            for number in range(start, start + 40):
                stack.enter_context(concurrency.working(number))
            for number in range(start, start + 40):
                stack.enter_context(concurrency.paused(number))
            clock.now += 1.7
            assert concurrency.check(0.0) is None
