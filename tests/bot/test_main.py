"""The bot's command line, as the person who runs it sees it."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from discord.gateway import DiscordWebSocket
from discord.http import Route

from bot.__main__ import _COMMANDS, main
from bot.model.errors import StorageFailedError
from bot.settings import Settings
from tests.bare_environment import bare_environment
from tests.postgresql import Server

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment without settings, and a folder without `.env`."""
    return bare_environment(tmp_path)


def bot(
    environment: dict[str, str], folder: Path, *arguments: str, **settings: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bot", *arguments],
        cwd=folder, env=environment | settings, capture_output=True, text=True, timeout=110,
    )  # fmt: skip


@pytest.fixture
def _bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, logging_as_it_was: None) -> None:
    """The same for `main` in this process: starting one for each command takes long."""
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("_bare")
def test_every_mistake_in_the_settings_is_told_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("DISCORD_API_BASE", "http://example.com")
    monkeypatch.setenv("COMPUTER_SECONDS", "soon")
    monkeypatch.setenv("LOG_LEVEL", "LOUD")

    assert main(["run"]) == 69
    told = capsys.readouterr().err
    assert "4 mistakes in the settings" in told
    assert "Traceback" not in told


@pytest.mark.usefixtures("_bare")
def test_a_disk_that_fails_during_the_start_is_told_in_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def fail(_options: object) -> int | None:
        raise StorageFailedError from OSError("disk I/O error")

    monkeypatch.setitem(_COMMANDS, "run", (fail, "fail"))

    assert main(["run"]) == 75
    told = capsys.readouterr().err
    assert told == "The database could not be written (disk I/O error): try later.\n"


@pytest.mark.usefixtures("_bare")
def test_a_missing_token_is_told_in_words(capsys: pytest.CaptureFixture[str]):
    assert main(["run"]) == 69
    told = capsys.readouterr().err
    assert "DISCORD_TOKEN is not set" in told
    assert "Traceback" not in told


def test_an_unknown_command_is_told_with_those_there_are(
    environment: dict[str, str], tmp_path: Path
):
    done = bot(environment, tmp_path, "fly")

    assert done.returncode == 2
    assert "preview" in done.stderr


@pytest.mark.usefixtures("_bare")
def test_migrate_backup_and_restore_follow_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    told = partial(_told, capsys)
    copy = tmp_path / "copy.sqlite3"

    assert "revision" in told(0, "migrate")
    assert "bytes" in told(0, "backup", str(copy))
    assert "exists already" in told(69, "backup", str(copy))
    assert "0 games, all sound" in told(0, "backup")
    (made,) = (tmp_path / "backups").glob("matches-*.sqlite3")
    assert "is in place" in told(0, "restore", str(made))
    assert "is in place" in told(0, "restore", str(copy))
    assert "is in place" in told(0, "restore", "copy.sqlite3")
    assert "no copy" in told(69, "restore", "missing.sqlite3")


@pytest.mark.usefixtures("_bare")
def test_all_of_it_moves_to_postgresql(
    capsys: pytest.CaptureFixture[str],
    postgresql_server: Server,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
):
    told, url = partial(_told, capsys), postgresql_server.new_database()
    told(0, "migrate")

    with pytest.raises(SystemExit):
        main(["move", "mysql://bot:hunter2@host/games"])
    heard = capsys.readouterr().err
    assert "argument DATABASE_URL: expected sqlite+aiosqlite:///PATH" in heard
    assert "hunter2" not in heard
    assert "rows are there" in told(0, "move", url)
    monkeypatch.setenv("DATABASE_URL", url)
    assert "revision" in told(0, "migrate")
    assert "0 games, all sound" in told(0, "backup")
    (made,) = (tmp_path / "backups").glob("matches-*.sqlite3")
    assert "is in place" in told(0, "restore", str(made))


def _told(capsys: pytest.CaptureFixture[str], status: int, *arguments: str) -> str:
    assert main(list(arguments)) == status
    heard = capsys.readouterr()
    return heard.err if status else heard.out


@pytest.mark.long
def test_preview_writes_images(environment: dict[str, str], tmp_path: Path):
    done = bot(environment, tmp_path, "preview", str(tmp_path / "images"))
    written = [Path(line) for line in done.stdout.splitlines()]

    assert written
    signatures = {".png": b"\x89PNG", ".gif": b"GIF8"}
    assert all(path.read_bytes().startswith(signatures[path.suffix]) for path in written)


@pytest.fixture
def _out_of_reach(_bare: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings that name a Discord where nobody answers."""
    monkeypatch.setattr(Route, "BASE", Route.BASE)  # the library's address is restored afterwards
    monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", DiscordWebSocket.DEFAULT_GATEWAY)
    monkeypatch.setenv("DISCORD_TOKEN", "token")
    monkeypatch.setenv("DISCORD_API_BASE", "http://127.0.0.1:9/api/v10")
    monkeypatch.setenv("DISCORD_GATEWAY_URL", "ws://127.0.0.1:9/gateway")


@pytest.mark.usefixtures("_out_of_reach")
def test_discord_out_of_reach_is_worth_trying_again(capsys: pytest.CaptureFixture[str]):
    """A service that starts before its network does must not stay down."""
    unit = (ROOT / "deploy" / "ultimate-tic-tac-toe.service").read_text()

    assert main(["run"]) == 75
    assert "could not be reached" in capsys.readouterr().err
    assert "Restart=on-failure" in unit
    assert "RestartPreventExitStatus=69\n" in unit


@pytest.mark.usefixtures("_bare")
def test_games_are_counted_for_the_explorer_and_written_as_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["migrate"]) == 0
    assert main(["explorer", "--afresh"]) == 0
    assert "All finished games are counted." in capsys.readouterr().out
    assert main(["export", "all/games"]) == 0
    assert "All finished games of servers are in all/games." in capsys.readouterr().out
    (tmp_path / "file").touch()
    assert main(["export", "file"]) == 2
    assert "file: File exists" in capsys.readouterr().err
