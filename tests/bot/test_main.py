"""The bot's command line, as the person who runs it sees it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment without settings, and a folder without `.env`."""
    return {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}


def bot(
    environment: dict[str, str], folder: Path, *arguments: str, **settings: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bot", *arguments],
        cwd=folder, env=environment | settings, capture_output=True, text=True, timeout=60,
    )  # fmt: skip


def test_every_mistake_in_the_settings_is_told_at_once(environment: dict[str, str], tmp_path: Path):
    done = bot(
        environment, tmp_path, "run",
        DISCORD_API_BASE="http://example.com", COMPUTER_SECONDS="soon", LOG_LEVEL="LOUD",
    )  # fmt: skip

    assert done.returncode == 69
    assert "4 mistakes in the settings" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_token_is_told_in_words(environment: dict[str, str], tmp_path: Path):
    done = bot(environment, tmp_path, "run")

    assert done.returncode == 69
    assert "DISCORD_TOKEN is not set" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_command_is_told_with_those_there_are(
    environment: dict[str, str], tmp_path: Path
):
    done = bot(environment, tmp_path, "fly")

    assert done.returncode == 2
    assert "preview" in done.stderr


def test_migrate_backup_and_restore_follow_each_other(environment: dict[str, str], tmp_path: Path):
    copy = tmp_path / "copy.sqlite3"

    assert "revision" in bot(environment, tmp_path, "migrate").stdout
    assert "bytes" in bot(environment, tmp_path, "backup", str(copy)).stdout
    assert "exists already" in bot(environment, tmp_path, "backup", str(copy)).stderr
    assert "is in place" in bot(environment, tmp_path, "restore", str(copy)).stdout
    assert "is in place" in bot(environment, tmp_path, "restore", "copy.sqlite3").stdout
    assert "no copy" in bot(environment, tmp_path, "restore", "missing.sqlite3").stderr


@pytest.mark.long
def test_preview_writes_images(environment: dict[str, str], tmp_path: Path):
    done = bot(environment, tmp_path, "preview", str(tmp_path / "images"))
    written = [Path(line) for line in done.stdout.splitlines()]

    assert written
    signatures = {".png": b"\x89PNG", ".gif": b"GIF8"}
    assert all(path.read_bytes().startswith(signatures[path.suffix]) for path in written)


def test_a_bot_that_lost_its_parent_stops_in_order(environment: dict[str, str], tmp_path: Path):
    """A process of this number is not its parent: it sees that at once."""
    done = bot(
        environment, tmp_path, "run", "--parent", "1",
        DISCORD_TOKEN="token", DISCORD_API_BASE="http://127.0.0.1:9/api/v10",
        DISCORD_GATEWAY_URL="ws://127.0.0.1:9/gateway",
    )  # fmt: skip

    assert done.returncode in (0, 75)
    assert "Traceback" not in done.stderr


def test_discord_out_of_reach_is_worth_trying_again(environment: dict[str, str], tmp_path: Path):
    """A service that starts before its network does must not stay down."""
    done = bot(
        environment, tmp_path, "run",
        DISCORD_TOKEN="token", DISCORD_API_BASE="http://127.0.0.1:9/api/v10",
        DISCORD_GATEWAY_URL="ws://127.0.0.1:9/gateway",
    )  # fmt: skip
    unit = (ROOT / "deploy" / "ultimate-tic-tac-toe.service").read_text()

    assert done.returncode == 75
    assert "could not be reached" in done.stderr
    assert "Restart=on-failure" in unit
    assert "RestartPreventExitStatus=69\n" in unit


def test_start_without_a_token_serves_the_sandbox_until_stopped(
    environment: dict[str, str], tmp_path: Path
):
    shown = ""
    with subprocess.Popen(
        [sys.executable, "-m", "bot", "start"],
        cwd=tmp_path, env=environment | {"SANDBOX_PORT": "0"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        for line in process.stdout:
            shown += line
            if " ready " in line:
                process.send_signal(signal.SIGINT)
        status = process.wait(20)

    assert "Play at http://127.0.0.1:" in shown
    assert status == 0
    assert "stopped" in shown
