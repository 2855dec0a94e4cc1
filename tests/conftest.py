"""What every test may use. Kept small: a fixture lives beside the tests that need it."""

from __future__ import annotations

import json
import logging
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck, settings

from bot.gc_tuning import relax
from tests import statements
from tests.postgresql import Server, find_programs, running_server

# Tests check results, never speed: on a busy machine all of them are slow.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

statements.compile_once()

# Where Rich is installed it draws tracebacks, which takes a tenth of a second each.
structlog.dev.ConsoleRenderer.get_active().exception_formatter = structlog.dev.plain_traceback


MEMORY = Path("/dev/shm")
"""Where Linux keeps files in memory."""


def pytest_configure(config: pytest.Config) -> None:
    """Keep files of quick tests in memory if there is room: they need not survive a power cut.

    Tests that measure write to the disk, as hosts do.
    """
    has_room = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 2**30
    if has_room and not config.option.markexpr and "TMPDIR" not in os.environ:
        tempfile.tempdir = os.environ["TMPDIR"] = str(MEMORY)


def pytest_collection(session: pytest.Session) -> None:
    """Let each worker start importing at another test: what one has compiled others only read.

    In a fresh clone all of them would otherwise compile all tests at the same time.
    """
    given = getattr(session.config, "workerinput", None)
    if given is not None:
        files = sorted((session.config.rootpath / "tests").rglob("test_*.py"))
        start = len(files) * int(given["workerid"][2:]) // given["workercount"]
        for path in files[start:] + files[:start]:
            with suppress(Exception):  # reported when it is collected
                import_module(".".join(path.relative_to(session.config.rootpath).parts)[:-3])


def pytest_collection_finish() -> None:
    """Collect garbage as rarely as the bot does: with all tests in memory it is slow."""
    relax()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add an option for the table of figures."""
    parser.addoption("--figures", type=Path, help="a file in which figures of several runs meet")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the slow suites out unless a marker expression was given; begin with the longest.

    A long one that came last would run alone. Of the quick ones those in browsers take
    longest.
    """
    cases: Counter[str] = Counter()
    for item in items:
        sampled = item.get_closest_marker("sampled")
        if sampled is not None:
            test = item.nodeid.partition("[")[0]
            if cases[test] % sampled.args[0]:
                item.add_marker("long")
            cases[test] += 1
    patience: dict[Path, tuple[float, bool]] = {}
    for item in items:  # by file: its tests may be one story
        limit = item.get_closest_marker("timeout")
        is_long = item.get_closest_marker("long") is not None
        in_browser = item.get_closest_marker("browser") is not None
        longest = (limit.args[0] if limit and is_long else 0.0), in_browser
        patience[item.path] = max(longest, patience.get(item.path, longest))
    files = sorted(patience, key=lambda path: patience[path], reverse=True)
    # A worker is given two files at once. The second, which may wait an hour, is a short one.
    workers = min(getattr(config, "workerinput", {}).get("workercount", 0), len(files) // 2)
    files[workers:] = files[len(files) - workers :] + files[workers : len(files) - workers]
    place = {path: number for number, path in enumerate(files)}
    items.sort(key=lambda item: place[item.path])
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


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the figures of this run as one table, in the README's form."""
    reports = [each for each in terminalreporter.stats.get("passed", ()) if each.when == "call"]
    figures = [value for each in reports for key, value in each.user_properties if key == "figure"]
    file: Path | None = config.option.figures
    if file is not None:
        figures += json.loads(file.read_text()) if file.exists() else []
        file.write_text(json.dumps(figures))
    if figures:
        terminalreporter.section("figures")
        heading = ("what", "cases", "bar", "measured"), ("---", "--:", "---", "---")
        for line in (*heading, *sorted(set(map(tuple, figures)))):
            terminalreporter.write_line(f"| {' | '.join(line)} |")


@pytest.fixture
def logging_as_it_was() -> Iterator[None]:
    """Undo a bot's process-wide logging setup after the test."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    structlog.reset_defaults()
    logging.captureWarnings(capture=False)
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[Server]:
    """A server of PostgreSQL."""
    programs = find_programs()
    if programs is None and "REQUIRE_POSTGRESQL" not in os.environ:
        pytest.skip("PostgreSQL is not installed")
    assert programs is not None, "PostgreSQL is not installed"
    with running_server(programs) as server:
        yield server
