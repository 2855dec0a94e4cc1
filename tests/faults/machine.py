"""The machine's clocks, to be set while the bot runs on it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from bot import clock
from bot.clock import Arrivals
from bot.services import clocks
from cogs import announcements
from cogs.play import showing
from tests.faults.world import Company

LOOKS_EVERY_S = 0.05
"""How often the bot looks at its clocks here, instead of once a minute."""


@dataclass(slots=True)
class Machine:
    """How far the date and the monotonic clock are ahead of the real ones."""

    date: timedelta = timedelta()
    passed: timedelta = timedelta()

    def monotonic(self) -> float:
        """Return the seconds of the monotonic clock."""
        return time.monotonic() + self.passed.total_seconds()

    def discord(self) -> float:
        """Return Discord's own time, which nobody sets."""
        return time.time() + self.passed.total_seconds()

    def run_on(self, span: timedelta) -> None:
        """Let time pass on all clocks."""
        self.date += span
        self.passed += span

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Let the bot read these clocks, and look at them often."""
        machine = self

        class Shifted(datetime):
            @classmethod
            def now(cls, tz: tzinfo | None = None) -> Any:
                return datetime.now(tz) + machine.date

        with ExitStack() as stack:
            for module in (clock, showing, announcements):
                stack.enter_context(patch.object(module, "datetime", Shifted))
            steady = SimpleNamespace(monotonic=self.monotonic)
            stack.enter_context(patch.object(clock, "time", steady))
            stack.enter_context(patch.object(clocks, "_LONGEST_S", LOOKS_EVERY_S))
            stack.enter_context(patch.object(clocks, "_LOOK_AGAIN_S", LOOKS_EVERY_S))
            yield

    def install(self, people: Company) -> None:
        """Let a bot that was just started measure how old clicks are by these clocks."""
        people.bot.arrivals = Arrivals(self.monotonic)
