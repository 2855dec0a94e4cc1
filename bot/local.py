"""Playing without Discord: the sandbox and its page in this process, the bot in one of its own.

Two processes, as in production: the bot can crash and come back while the page stays.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from typing import Final

from bot.host_errors import EXIT_HOST_ERROR, HostError
from bot.language import told
from bot.pictures import game_sample
from bot.process import asked_to_stop
from bot.render import describe_position, draw_board
from bot.settings import Settings
from deploy.sandbox import OTHER, Action, Intro, Sandbox, running_sandbox
from engine import explain_rules

STOP_SECONDS: Final = 10.0
LONGEST_PAUSE_S: Final = 30.0
FIRST_LEVEL: Final = 3
"""The level of the computer that a newcomer plays with one press."""
GROUPS: Final = {
    "Play": (
        *("play", "learn", "puzzle", "daily", "challenge", "lobby", "games"),
        *("move", "board", "claim", "resign"),
    ),
    "Watch and learn": (
        *("rules", "help", "hint", "review", "replay", "watch", "game", "history"),
        *("variants", "export", "import", "field"),
    ),
    "People": ("leaderboard", "profile", "block", "unblock", "blocks"),
    "Settings": ("settings", "server", "vacation", "privacy"),
}
"""Commands as the sandbox's page lists them; those in no group come below."""


async def play_locally(settings: Settings, *, say: Callable[[str], None]) -> None:
    """Run the sandbox and a bot in it until SIGINT or SIGTERM.

    If the bot ends by itself it is started again, after a longer pause each
    time, unless it says that its host has to act first.

    Raises:
        HostError: If the sandbox or the bot cannot run; the message says why.
    """
    folder = settings.sandbox_folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HostError(f"{folder}: the sandbox cannot keep its games here ({error}).") from error
    port = _free_port(settings.sandbox_port)
    if port != settings.sandbox_port:
        say(f"Port {settings.sandbox_port} is taken; using another.")
    intro = introduction()
    async with running_sandbox(port=port, state=folder / "discord", intro=intro) as sandbox:
        with asked_to_stop() as stop:
            say(f"\n  Play at {sandbox.address}/\n\n  Ctrl-C stops the bot.\n")
            await _keep_running(sandbox, settings, stop, say)


def introduction() -> Intro:
    """Return what the sandbox's page shows to newcomers: the game at a glance."""
    shown = game_sample()
    rule = told(explain_rules(shown.position.rules)[0].gist)
    return Intro(
        title="Ultimate Tic-Tac-Toe",
        sentence=f"{rule} Three in a row win a board, three boards in a row win the game.",
        picture=draw_board(shown),
        picture_text=describe_position(shown.position, shown.names),
        actions=(
            Action(label="Play the computer", command="play", options={"level": FIRST_LEVEL}),
            Action(
                label=f"Play {OTHER}",
                command="challenge",
                options={"player": OTHER},
                then=f"Now be {OTHER} and accept. You switch back at the top right.",
            ),
        ),
        groups=GROUPS,
    )


async def _keep_running(
    sandbox: Sandbox, settings: Settings, stop: asyncio.Event, say: Callable[[str], None]
) -> None:
    own = {
        "DATABASE_URL": f"sqlite+aiosqlite:///{settings.sandbox_folder / 'matches.sqlite3'}",
        "LOG_LEVEL": settings.log_level.value,
    }
    pause_s = 0.5
    while not stop.is_set():
        bot = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "run", "--until-eof"),
            env=os.environ | sandbox.environment | own,
            stdin=subprocess.PIPE,
            # Ctrl-C in the terminal must reach the bot once, through us; on Windows by the flag.
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        say(f"The bot is process {bot.pid}.")
        ended = asyncio.create_task(bot.wait())
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait({ended, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if stop.is_set():
            await _end(bot, ended)
            return
        if bot.returncode == EXIT_HOST_ERROR:
            raise HostError("The bot cannot run; what it said above tells why.")
        say(f"The bot ended (status {bot.returncode}); starting it again in {pause_s:g} s.")
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), pause_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


async def _end(bot: asyncio.subprocess.Process, ended: asyncio.Task[int]) -> None:
    """Let the bot finish what it has begun, then end it."""
    assert bot.stdin is not None, "a pipe"
    bot.stdin.close()
    try:
        await asyncio.wait_for(asyncio.shield(ended), STOP_SECONDS)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            bot.kill()
        await ended


def _free_port(wanted: int) -> int:
    """Return `wanted` if nothing listens there, else 0: any free one."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", wanted))
        except OSError:
            return 0
    return wanted
