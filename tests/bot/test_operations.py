from __future__ import annotations

import asyncio

import pytest

from bot.model.errors import RestartingError
from bot.operations import Operations, look_at


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
    """Warnings are errors here, and asyncio reports errors that were never looked at."""
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
    """A callback that raises is reported by the loop; so is an error that nobody looked at."""
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
