"""The bot as a process of its own, to be killed: forked, which saves each the imports."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING

from bot import clock
from bot.__main__ import main
from bot.model import clocks
from bot.services import notifications
from tests.empty_database import put_empty_database
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkServerContext, ForkServerProcess
    from pathlib import Path

    from deploy.sandbox import Sandbox


def impatient() -> None:
    """Answer without waiting for the computer's reply."""
    clock.REPLY_WITHIN_S = -1.0


def telling() -> None:
    """Assume that nobody is at the board, and wait for nobody."""
    vars(notifications)["PRESENT_FOR"] = vars(clocks)["CALLED_AFTER"] = timedelta()


@dataclass(frozen=True, slots=True)
class BotProcess:
    """A bot in a process of its own."""

    process: ForkServerProcess

    @property
    def status(self) -> int | None:
        """Its exit status, None while it runs."""
        return self.process.exitcode

    def terminate(self) -> None:
        self.process.terminate()

    async def ended(self) -> int | None:
        """Wait until it has ended, and return its status."""
        await asyncio.to_thread(self.process.join)
        return self.process.exitcode

    async def kill(self) -> None:
        self.process.kill()
        await self.ended()


@asynccontextmanager
async def begun_bot(
    sandbox: Sandbox,
    folder: Path,
    change: Callable[[], None] | None = None,
    **environment: str,
) -> AsyncIterator[BotProcess]:
    """Start the bot, and kill it at the end of the block; `change` is called in it first.

    Its standard error goes to the file `stderr` in `folder`.
    """
    database = folder / "matches.sqlite3"
    put_empty_database(database)
    settings = {
        **sandbox.environment,
        "DATABASE_URL": f"sqlite+aiosqlite:///{database}",
        "LOG_LEVEL": "WARNING",
        **environment,
    }
    # The bot runs until this input ends: when this process does, in whatever way.
    standard_input, held = _context().Pipe(duplex=False)
    arguments = (standard_input, folder / "stderr", settings, change)
    process = BotProcess(_context().Process(target=_run, args=arguments, daemon=True))
    process.process.start()
    standard_input.close()
    try:
        yield process
    finally:
        await process.kill()
        held.close()


@asynccontextmanager
async def bot_process(
    sandbox: Sandbox,
    folder: Path,
    change: Callable[[], None] | None = None,
    **environment: str,
) -> AsyncIterator[BotProcess]:
    """Run the bot until the block ends, or kills it; `change` is called in it first."""
    async with begun_bot(sandbox, folder, change, **environment) as process:
        while not (sandbox.world.bot_online and sandbox.world.commands.get(None)):
            assert process.status is None, (folder / "stderr").read_text()
            await asyncio.sleep(0.02)
        yield process
    await until(lambda: not sandbox.world.bot_online)


@cache
def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, "tests.cogs.warm_bot"])
    return context


def _run(
    standard_input: Connection,
    standard_error: Path,
    settings: Mapping[str, str],
    change: Callable[[], None] | None,
) -> None:
    os.dup2(standard_input.fileno(), 0)
    with standard_error.open("ab") as file:
        os.dup2(file.fileno(), 2)
    os.environ.update(settings)
    if change is not None:
        change()
    sys.exit(main(["run", "--until-eof"]))
