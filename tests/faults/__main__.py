"""Faults, each a program with a seed: `python -m tests.faults NAME --seed 1 --times 100`.

A program is a module of this package with `async def run(seed: int, times: int) -> Report`. It
makes the fault as often as it is told, looks after each time for what was acknowledged, and lets
`bot.storage.checking` look for the rest. The seed decides what is done and when; how far the games
are at that moment is up to the machine, as a bot is many tasks and threads.
`test_storage_faults.py` and the like run a fast share of each in the ordinary tests, and what the
command runs by default among the long ones.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from importlib import import_module
from typing import Any, Final

import structlog

PROGRAMS: Final[dict[str, tuple[str, int]]] = {
    "kill": ("tests.faults.kill", 1000),
    "power-cut": ("tests.faults.power_cut", 200),
    "disk": ("tests.faults.disk", 200),
    "damage": ("tests.faults.damage", 500),
    "lock": ("tests.faults.lock", 100),
    "http": ("tests.faults.http", 3000),
    "gateway": ("tests.faults.gateway", 60),
    "clock": ("tests.faults.clock", 100),
    "cancel": ("tests.faults.cancel", 500),
    "cluster": ("tests.faults.cluster", 100),
    "hostile": ("tests.faults.hostile", 100_000),
}
"""Each program's module, and how often it makes its fault by default."""


def drop(*_line: object) -> Any:
    """Show nothing: the errors are intended. `log_lines.noted` still sees them."""
    raise structlog.DropEvent


def main() -> int:
    """Run a program, print what was done and found, and return 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("name", choices=PROGRAMS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--times", type=int, help="how many times (as in the long tests)")
    given = parser.parse_args()
    structlog.configure(processors=[drop])
    module, times = PROGRAMS[given.name]
    report = asyncio.run(import_module(module).run(given.seed, given.times or times))
    print(report)
    return 1 if report.found else 0


if __name__ == "__main__":
    sys.exit(main())
