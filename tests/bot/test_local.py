"""Playing without Discord, as a process: what it starts, prints, and exits with."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.bare_environment import ROOT, bare_environment
from tests.bot.like_windows import write_site


@dataclass
class Run:
    """A running `python -m bot start` and what it has said."""

    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)

    @property
    def said(self) -> str:
        return "".join(self.lines)

    def until(self, pattern: str) -> re.Match[str]:
        """Read on until a line matches."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            found = re.search(pattern, line)
            if found:
                return found
        raise AssertionError(self.said)

    def ends(self) -> int:
        """Read to the end and return the status."""
        rest, _ = self.process.communicate(timeout=30)
        self.lines.append(rest)
        return self.process.returncode


@contextmanager
def started(folder: Path, *, port: int = 0, **more: str) -> Iterator[Run]:
    environment = bare_environment(folder) | {
        "SANDBOX_FOLDER": str(folder / "games"),
        "SANDBOX_PORT": str(port),
    } | more  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-m", "bot", "start"],
        cwd=folder, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as process:  # fmt: skip
        try:
            yield Run(process)
        finally:
            process.kill()


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


COPY_AND_RESTORE = """
from bot.__main__ import main
assert main(["backup", "copy.sqlite3"]) == main(["restore", "copy.sqlite3"]) == 0
assert main(["backup"]) == 0
"""


@pytest.mark.long
def test_where_things_are_as_on_windows_it_starts_stops_copies_and_restores(tmp_path: Path):
    """Without `fcntl`, signal handlers of the event loop, and other things that only POSIX has."""
    path = f"{write_site(tmp_path / 'site')}{os.pathsep}{ROOT}"
    database = f"sqlite+aiosqlite:///{tmp_path / 'games' / 'matches.sqlite3'}"
    own = bare_environment(tmp_path) | {"PYTHONPATH": path, "DATABASE_URL": database}

    def python(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        program, env = [sys.executable, *arguments], own | more
        return subprocess.run(program, cwd=tmp_path, env=env, capture_output=True, text=True)

    with started(tmp_path, PYTHONPATH=path) as run:
        bot = int(run.until(r"The bot is process (\d+)\.")[1])
        run.until(" ready ")
        second = python("-m", "bot", "migrate")
        run.process.send_signal(signal.SIGINT)

        assert run.ends() == 0

    assert second.returncode == 69
    assert f"another bot is using this file (process {bot})" in second.stderr
    assert "stopped" in run.said
    assert "Traceback" not in run.said
    assert not is_there(bot)
    restored = python("-c", COPY_AND_RESTORE)
    assert restored.returncode == 0, restored.stderr
    assert "What was there is" in restored.stdout
    assert restored.stdout.count("games, all sound") == 2
    # None of the extras is there: it runs without them, unless it is told to use one.
    asking = python("-m", "bot", "run", SEARCH_URL="tcp://127.0.0.1:8786", DISCORD_TOKEN="none")
    assert asking.returncode == 69
    assert "pip install -r deploy/requirements-cluster.txt" in asking.stderr


def test_the_page_is_served_though_its_port_is_taken_and_all_of_it_stops_in_order(tmp_path: Path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with started(tmp_path, port=port) as run:
            run.until(rf"Port {port} is taken; using another\.")
            address = run.until(r"Play at (http://127\.0\.0\.1:\d+/)")[1]
            assert f":{port}/" not in address
            bot = int(run.until(r"The bot is process (\d+)\.")[1])
            run.until(" ready ")
            with urllib.request.urlopen(address) as page:
                assert "<html" in page.read().decode()
            run.process.send_signal(signal.SIGTERM)

            assert run.ends() == 0

    assert "stopping" in run.said
    assert "stopped" in run.said
    assert not is_there(bot)
    assert "Traceback" not in run.said
    assert (tmp_path / "games" / "matches.sqlite3").exists()


def test_a_bot_that_crashes_comes_back_and_one_whose_sandbox_is_killed_stops(tmp_path: Path):
    with started(tmp_path) as run:
        address = run.until(r"Play at (\S+)")[1]
        for pause in ("0.5", "1"):
            bot = int(run.until(r"The bot is process (\d+)\.")[1])
            os.kill(bot, signal.SIGKILL)
            run.until(rf"The bot ended \(status -9\); starting it again in {pause} s\.")
            with urllib.request.urlopen(address) as page:
                assert page.status == 200
        run.until(" ready ")
        run.process.kill()
        run.until(" stopped ")  # it noticed the end of its standard input


@pytest.mark.long
def test_it_can_be_stopped_while_it_waits_to_start_the_bot_again(tmp_path: Path):
    with started(tmp_path) as run:
        os.kill(int(run.until(r"The bot is process (\d+)\.")[1]), signal.SIGKILL)
        run.until("starting it again")
        run.process.send_signal(signal.SIGINT)

        assert run.ends() == 0


@pytest.mark.long
def test_what_only_the_host_can_mend_ends_it_in_words(tmp_path: Path):
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "matches.sqlite3").write_text("no database at all" * 1000)

    with started(tmp_path) as run:
        assert run.ends() == 69

    assert "matches.sqlite3" in run.said
    assert "The bot cannot run; what it said above tells why." in run.said
    assert "Traceback" not in run.said


def test_a_folder_that_cannot_be_written_is_told_in_words(tmp_path: Path):
    (tmp_path / "games").write_text("a file")

    with started(tmp_path) as run:
        assert run.ends() == 69

    assert "the sandbox cannot keep its games here" in run.said
    assert "Traceback" not in run.said


@pytest.mark.long
def test_a_bot_that_does_not_stop_is_ended(tmp_path: Path):
    with started(tmp_path) as run:
        bot = int(run.until(r"The bot is process (\d+)\.")[1])
        run.until(" ready ")
        os.kill(bot, signal.SIGSTOP)
        run.process.send_signal(signal.SIGINT)

        assert run.ends() == 0

    assert not is_there(bot)
