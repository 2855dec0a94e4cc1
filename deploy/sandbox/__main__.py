"""The sandbox's command line."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import signal
import sys
from pathlib import Path

from . import SandboxError, running_sandbox


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m deploy.sandbox",
        description="A stand-in for Discord on this machine, for development and trying out.",
    )
    parser.add_argument("--port", type=int, default=8790, help="0 for any free one")
    parser.add_argument("--host", default="127.0.0.1", help="a loopback address")
    parser.add_argument("--state", type=Path, help="directory to keep the world in")
    parser.add_argument("--verbose", action="store_true", help="log every refusal")
    return parser.parse_args()


async def _serve(arguments: argparse.Namespace) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        # Windows has no such handlers; there Ctrl-C arrives as KeyboardInterrupt.
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, stop.set)
    async with running_sandbox(
        arguments.port, host=arguments.host, state=arguments.state
    ) as sandbox:
        print(f"Sandbox: {sandbox.address}  (for development; only this machine can reach it)")
        print("Start a bot on it with")
        for name, value in sandbox.environment.items():
            print(f"  {name}={value}", flush=True)
        await stop.wait()


def main() -> int:
    """Serve until interrupted and return the exit status."""
    arguments = _arguments()
    logging.basicConfig(level=logging.DEBUG if arguments.verbose else logging.WARNING)
    try:
        asyncio.run(_serve(arguments))
    except SandboxError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
