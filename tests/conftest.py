"""What every test may use. Kept small: a fixture lives beside the tests that need it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck, settings

from bot.gc_tuning import relax

# Tests judge what is done, never how fast: on a busy machine all of them are slow.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# A traceback is drawn by Rich where that is installed, which takes a tenth of a second each.
structlog.dev.ConsoleRenderer.get_active().exception_formatter = structlog.dev.plain_traceback


def pytest_collection_finish() -> None:
    """Look for garbage as seldom as the bot does: with all tests in memory that is slow."""
    relax()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the slow suites out unless a marker expression was given; begin with browsers.

    Tests in browsers wait the longest, so nothing is left to run beside one that comes last.
    """
    items.sort(key=lambda item: item.get_closest_marker("browser") is None)
    if config.option.markexpr:
        return
    slow = [item for item in items if item.get_closest_marker("long")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in slow]


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Callable[..., None]:
    """Put a line into the table of figures that `make test-long` prints."""

    def note(what: str, *, cases: int, bar: str, measured: str) -> None:
        record_property("figure", (what, f"{cases:,}", bar, measured))

    return note


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the figures of this run as one table, in the README's form."""
    reports = [each for each in terminalreporter.stats.get("passed", ()) if each.when == "call"]
    figures = [value for each in reports for key, value in each.user_properties if key == "figure"]
    if figures:
        terminalreporter.section("figures")
        for line in (("what", "cases", "bar", "measured"), ("---",) * 4, *sorted(figures)):
            terminalreporter.write_line(f"| {' | '.join(line)} |")


@pytest.fixture
def logging_as_it_was() -> Iterator[None]:
    """Undo afterwards what a bot sets up for all log lines of its process."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    structlog.reset_defaults()
    logging.captureWarnings(capture=False)
    root.handlers[:] = handlers
    root.setLevel(level)
