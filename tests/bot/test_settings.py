from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

import pytest
from pydantic import ValidationError

from bot.host_errors import SettingsError
from bot.log import LogFormat, LogLevel
from bot.settings import Settings, is_loopback, load_settings

if TYPE_CHECKING:
    from pathlib import Path

# The shape of a token; made up, and cut up so that no scanner takes it for one.
TOKEN = "MTA0NjkyMTQ0NTM2NzMxMjM0" + ".GabcDE." + "q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9"


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.chdir(tmp_path)


def mistakes_of(monkeypatch: pytest.MonkeyPatch, **given: str) -> tuple[str, ...]:
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    return caught.value.mistakes


def test_nothing_set_is_a_sandbox_with_defaults() -> None:
    settings = load_settings()

    assert settings.discord_token is None
    assert settings.discord_api_base is None
    assert settings.discord_gateway_url is None
    assert settings.database_url == "sqlite+aiosqlite:///data/matches.sqlite3"
    assert settings.log_level is LogLevel.INFO
    assert settings.log_format is LogFormat.CONSOLE
    assert settings.computer_threads >= 1
    assert settings.computer_seconds == 1.5
    assert settings.sandbox_port == 8790


def test_the_cores_are_counted_where_nobody_says_which_are_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: 6)

    assert load_settings().computer_threads == 6


def test_a_file_that_is_no_text_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"LOG_LEVEL=\xff\xfe")

    with pytest.raises(SettingsError, match=r"\.env cannot be read"):
        load_settings()


def test_everything_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "DISCORD_TOKEN": TOKEN,
        "DISCORD_API_BASE": "http://127.0.0.1:9000/api/v10/",
        "DISCORD_GATEWAY_URL": "ws://[::1]:9000/gateway",
        "DATABASE_URL": "sqlite+aiosqlite:////var/lib/games.sqlite3",
        "LOG_LEVEL": "debug",
        "LOG_FORMAT": "JSON",
        "COMPUTER_THREADS": "3",
        "COMPUTER_SECONDS": "0.5",
        "SANDBOX_PORT": "0",
    }.items():
        monkeypatch.setenv(name, value)

    settings = load_settings()

    assert settings.discord_token is not None
    assert settings.discord_token.get_secret_value() == TOKEN
    assert settings.discord_api_base == "http://127.0.0.1:9000/api/v10"
    assert settings.discord_gateway_url == "ws://[::1]:9000/gateway"
    assert settings.database_url == "sqlite+aiosqlite:////var/lib/games.sqlite3"
    assert settings.log_level is LogLevel.DEBUG
    assert settings.log_format is LogFormat.JSON
    assert (settings.computer_threads, settings.computer_seconds) == (3, 0.5)
    assert settings.sandbox_port == 0


def test_the_environment_goes_before_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("LOG_LEVEL=ERROR\nSANDBOX_PORT=9001\n")
    monkeypatch.setenv("SANDBOX_PORT", "9002")

    settings = load_settings()

    assert settings.log_level is LogLevel.ERROR
    assert settings.sandbox_port == 9002


def test_empty_values_count_as_unset(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("DISCORD_TOKEN=\nSANDBOX_PORT=\n")
    monkeypatch.setenv("LOG_LEVEL", "")

    settings = load_settings()

    assert settings.discord_token is None
    assert settings.sandbox_port == 8790
    assert settings.log_level is LogLevel.INFO


def test_settings_cannot_be_changed() -> None:
    settings = load_settings()

    with pytest.raises(ValidationError):
        settings.sandbox_port = 1  # type: ignore[misc]


def test_every_mistake_is_reported_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nobody wants to start the bot nine times to learn of nine mistakes."""
    (tmp_path / ".env").write_text("COMPUTER_THREADS=many\n")

    mistakes = mistakes_of(
        monkeypatch,
        DISCORD_TOKEN="Bot " + TOKEN,
        DISCORD_API_BASE="https://discord.com/api/v10",
        DISCORD_GATEWAY_URL="http://127.0.0.1/gateway",
        DATABASE_URL="postgresql+asyncpg://bot:hunter2@db/games",
        SHARDS="3-2/4",
        LOG_LEVEL="LOUD",
        LOG_FORMAT="xml",
        COMPUTER_SECONDS="60",
        SANDBOX_PORT="65536",
        METRICS_PORT="many",
        SEARCH_URL="http://scheduler:8786",
        CLICKS_PER_SECOND="-1",
        ADMIN_GUILD="ours",
        HOST_CONTACT="by post " * 40,
    )

    named = [mistake.split()[0] for mistake in mistakes]
    # Any text is a valid name of a folder or a machine.
    assert {*named, "SANDBOX_FOLDER", "BACKUP_FOLDER", "GAMES_FOLDER", "METRICS_HOST"} == {
        name.upper() for name in Settings.model_fields
    }
    by_name = dict(zip(named, mistakes, strict=True))
    assert "'LOUD'" in by_name["LOG_LEVEL"]
    assert "DEBUG" in by_name["LOG_LEVEL"]
    assert "'many'" in by_name["COMPUTER_THREADS"]
    assert "1 to 256" in by_name["COMPUTER_THREADS"]
    assert "127.0.0.1" in by_name["DISCORD_API_BASE"]
    assert "hunter2" not in by_name["DATABASE_URL"]
    assert "expected sqlite+aiosqlite:///PATH" in by_name["DATABASE_URL"]
    assert "expected tcp://HOST:PORT" in by_name["SEARCH_URL"]


@pytest.mark.parametrize("given", ["tcp://a", "tcp://a:b", "tcp://a:1/x", "tcp://:1", "a:1", "2"])
def test_an_address_that_is_none_of_a_scheduler_is_refused(
    monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    (mistake,) = mistakes_of(monkeypatch, SEARCH_URL=given)

    assert mistake.startswith(f"SEARCH_URL is {given!r}: expected tcp://HOST:PORT")


def test_searches_go_to_a_scheduler_where_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings().cluster is None
    monkeypatch.setenv("SEARCH_URL", "tls://[::1]:8786")
    assert load_settings().cluster == "tls://[::1]:8786"


@pytest.mark.parametrize(
    "given",
    [TOKEN + " ", "Bot " + TOKEN, f'"{TOKEN}"', TOKEN + "\n" + TOKEN],
    ids=["space", "bot", "quotes", "line"],
)
def test_a_token_is_never_shown(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", given)
    monkeypatch.setenv("SANDBOX_PORT", TOKEN)  # pasted into the wrong line
    monkeypatch.setenv("DISCORD_TOKN", TOKEN)

    with pytest.raises(SettingsError) as caught:
        load_settings()

    # The traceback as a log would have it, chained errors included.
    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert TOKEN not in shown
    assert TOKEN[-20:] not in shown
    assert "SANDBOX_PORT" in shown


def test_a_token_is_not_in_the_repr(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", TOKEN)

    settings = load_settings()

    assert TOKEN not in repr(settings)
    assert TOKEN not in str(settings.model_dump())
    assert TOKEN not in settings.model_dump_json()


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("DISCORD_TOKN", "DISCORD_TOKEN"),
        ("DISCORD_BOT_TOKEN", "DISCORD_TOKEN"),
        ("LOGLEVEL", "LOG_LEVEL"),
        ("DATABSE_URL", "DATABASE_URL"),
        ("computer_thread", "COMPUTER_THREADS"),
    ],
)
def test_a_misspelt_name_is_hinted_at(
    monkeypatch: pytest.MonkeyPatch, given: str, meant: str
) -> None:
    (mistake,) = mistakes_of(monkeypatch, **{given: "x"})

    assert mistake == f"{given.upper()} is not a setting: did you mean {meant}?"


def test_names_of_other_programs_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISCORD_CLIENT_ID", "LOGNAME", "POSTGRES_URL", "PORT"):
        monkeypatch.setenv(name, "x")

    assert load_settings().discord_token is None


def test_one_stand_in_address_needs_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    (mistake,) = mistakes_of(monkeypatch, DISCORD_API_BASE="http://127.0.0.1:8790/api/v10")

    assert mistake.startswith("DISCORD_GATEWAY_URL is missing")


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1.example.org/api",
        "http://127.0.0.1@example.org/api",
        "http://user@127.0.0.1/api",
        "http://0.0.0.0/api",
        "http://10.0.0.1/api",
        "http://localhost.example.org/api",
        "http://[::2]/api",
        "http:///api",
        "ftp://127.0.0.1/api",
        "http://127.0.0.1:port/api",
        "http://127.0.0.1:99999/api",
        "http://[127.0.0.1/api",
        "127.0.0.1:8790",
        "http://2130706433/api",
    ],
)
def test_a_stand_in_is_on_this_machine_only(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """The token would go to the server at that address."""
    (mistake,) = mistakes_of(
        monkeypatch, DISCORD_API_BASE=address, DISCORD_GATEWAY_URL="ws://localhost:1/gateway"
    )

    assert mistake.startswith("DISCORD_API_BASE is ")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1", "127.255.1.2", "::1"])
def test_loopback_hosts(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "url",
    [
        "data/matches.sqlite3",
        "sqlite:///data/matches.sqlite3",
        "sqlite+aiosqlite://",
        "sqlite+aiosqlite:///:memory:",
        "sqlite+aiosqlite:///file:games?mode=ro&uri=true",
        "sqlite+aiosqlite://host/data/matches.sqlite3",
        "mysql://x",
        "postgresql://bot@host/games",
        "postgresql+psycopg://bot@host",
    ],
)
def test_a_database_is_a_file_or_has_a_server(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    (mistake,) = mistakes_of(monkeypatch, DATABASE_URL=url)

    assert mistake.startswith("DATABASE_URL is ")


@pytest.mark.parametrize("seconds", ["nan", "inf", "0", "-1", "2.6", "one"])
def test_thinking_time_is_within_discords_patience(
    monkeypatch: pytest.MonkeyPatch, seconds: str
) -> None:
    (mistake,) = mistakes_of(monkeypatch, COMPUTER_SECONDS=seconds)

    assert repr(seconds) in mistake


def test_several_processes_need_postgresql(monkeypatch: pytest.MonkeyPatch) -> None:
    (mistake,) = mistakes_of(monkeypatch, SHARDS="0-1/4")
    assert "need PostgreSQL" in mistake

    monkeypatch.setenv("DATABASE_URL", "postgresql+psycopg://bot@host/games")
    shards = load_settings(None).shards
    assert shards is not None
    assert (list(shards.numbers), shards.count) == ([0, 1], 4)


@pytest.mark.parametrize("text", ["4/4", "2-1/4", "-1/4", "1/0", "0-3", "a/b", "0-3/8/9", "٣/٤"])
def test_shards_that_there_are_not_are_a_mistake(monkeypatch: pytest.MonkeyPatch, text: str):
    (mistake,) = mistakes_of(monkeypatch, SHARDS=text)
    assert "0-3/8" in mistake
