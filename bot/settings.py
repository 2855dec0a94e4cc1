"""What the person who runs the bot decides, from the environment and `.env`.

`load_settings` reports every mistake at once, in words, and never shows a
token: not in a message, not in a traceback, not in `repr`.
"""

from __future__ import annotations

import difflib
import ipaddress
import os
import re
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from dotenv import dotenv_values
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from bot.host_errors import SettingsError
from bot.log import LogFormat, LogLevel, redact
from bot.model.hosting import Shards

# A word this close to a setting's name is taken for a typing mistake. At 0.85
# DISCORD_TOKN and LOGLEVEL are caught and DISCORD_CLIENT_ID is left alone.
_SIMILARITY: Final = 0.85


# What a setting should be: the end of the sentence about a mistake.
EXPECTED: Final = {
    "DISCORD_TOKEN": "the token from the Bot page of your application at Discord, without "
    "quotes, spaces or the word Bot in front; or nothing, to play in the sandbox",
    "DISCORD_API_BASE": "an http address of this machine such as http://127.0.0.1:8790/api/v10; "
    "or nothing, for Discord itself",
    "DISCORD_GATEWAY_URL": "a ws address of this machine such as ws://127.0.0.1:8790/gateway; "
    "or nothing, for Discord itself",
    "DATABASE_URL": "sqlite+aiosqlite:///PATH with the path of a file (four slashes when it "
    "begins at the root), or postgresql+psycopg://USER:PASSWORD@HOST/NAME",
    "SHARDS": "FIRST-LAST/COUNT such as 0-3/8, counted from 0; or nothing, if this is the only "
    "process",
    "HOST_CONTACT": "how people reach you about their data, such as an e-mail address, in at most "
    "200 characters",
    "LOG_LEVEL": "one of DEBUG, INFO, WARNING, ERROR, CRITICAL",
    "LOG_FORMAT": "console or json",
    "COMPUTER_THREADS": "a whole number from 1 to 256",
    "COMPUTER_SECONDS": "a number from 0.05 to 2.5, because Discord waits three seconds for "
    "an answer",
    "SEARCH_URL": "tcp://HOST:PORT or tls://HOST:PORT, the address of a scheduler of dask; or "
    "threads, to search in this process",
    "CLICKS_PER_SECOND": "a number from 0 to 1000, 0 for no limit",
    "METRICS_PORT": "a whole number from 0 to 65535, 0 for any free port; or nothing, for "
    "no metrics",
    "METRICS_HOST": "an address of this machine, such as 127.0.0.1",
    "ADMIN_GUILD": "the number of the server where /admin is to be (in Discord, with Developer "
    "Mode on: right-click the server, Copy Server ID); or nothing, for no /admin",
    "BACKUP_FOLDER": "a folder that can be written to",
    "GAMES_FOLDER": "the folder of python -m bot export",
    "SANDBOX_FOLDER": "a folder that can be written to",
    "SANDBOX_PORT": "a whole number from 0 to 65535, 0 for any free port",
}


def _available_cores() -> int:
    """Count the cores this process may use, which a container may limit."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _check_token(value: SecretStr) -> SecretStr:
    # The shape is left open otherwise: Discord has changed it before.
    if not re.fullmatch(r"(?![\"'])[\x21-\x7e]+", value.get_secret_value()):
        raise ValueError("not a token")
    return value


def _on_this_machine(*schemes: str) -> AfterValidator:
    """Return a check that an address is one of this machine, which cuts off a slash at its end."""

    def check(value: str) -> str:
        parts = urlsplit(value)
        if parts.scheme not in schemes or not is_loopback(parts.hostname or ""):
            raise ValueError("not an address of this machine")
        if parts.port == 0 or parts.username is not None or parts.query or parts.fragment:
            raise ValueError("more than an address")
        return value.rstrip("/")

    return AfterValidator(check)


def is_loopback(host: str) -> bool:
    """Return whether `host` is this machine: 127.0.0.0/8, ::1 or localhost."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_database_url(value: str) -> str:
    """Return the address of a database if the bot can use it, else raise `ValueError`."""
    try:
        url = make_url(value)
    except ArgumentError:
        raise ValueError("not an address of a database") from None
    # An in-memory database would lose every game on each restart.
    in_file = url.database and url.database != ":memory:" and "file:" not in url.database
    is_file = url.drivername == "sqlite+aiosqlite" and in_file and not (url.host or url.query)
    if not is_file and not (url.drivername == "postgresql+psycopg" and url.database):
        raise ValueError("neither a file of SQLite nor a database of PostgreSQL")
    return value


def _check_search_url(value: str) -> str:
    parts = urlsplit(value)
    is_address = parts.scheme in ("tcp", "tls") and parts.hostname and parts.port
    if value != "threads" and not (is_address and value == f"{parts.scheme}://{parts.netloc}"):
        raise ValueError("neither threads nor a scheduler")
    return value


def _shards(value: Any) -> Any:
    return Shards.parse(value) if isinstance(value, str) else value


class Settings(BaseSettings):
    """The settings, valid by construction. Names in the environment are in capitals."""

    model_config = SettingsConfigDict(
        env_file=".env",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
    )

    discord_token: Annotated[SecretStr, AfterValidator(_check_token)] | None = None
    discord_api_base: Annotated[str, _on_this_machine("http", "https")] | None = None
    discord_gateway_url: Annotated[str, _on_this_machine("ws", "wss")] | None = None
    database_url: Annotated[str, AfterValidator(check_database_url)] = Field(
        default="sqlite+aiosqlite:///data/matches.sqlite3",
        repr=False,  # may hold a password
    )
    shards: Annotated[Shards | None, BeforeValidator(_shards)] = None
    host_contact: str | None = Field(default=None, max_length=200)
    log_level: Annotated[LogLevel, BeforeValidator(str.upper)] = LogLevel.INFO
    log_format: Annotated[LogFormat, BeforeValidator(str.lower)] = LogFormat.CONSOLE
    computer_threads: int = Field(default_factory=_available_cores, ge=1, le=256)
    computer_seconds: float = Field(default=1.5, ge=0.05, le=2.5, allow_inf_nan=False)
    search_url: Annotated[str, AfterValidator(_check_search_url)] = "threads"
    clicks_per_second: float = Field(default=5.0, ge=0.0, le=1000.0, allow_inf_nan=False)
    metrics_port: int | None = Field(default=None, ge=0, le=65535)
    metrics_host: str = "127.0.0.1"
    admin_guild: int | None = Field(default=None, ge=1, lt=2**63)
    backup_folder: Path = Path("backups")
    games_folder: Path | None = None
    sandbox_port: int = Field(default=8790, ge=0, le=65535)
    sandbox_folder: Path = Path("data/sandbox")

    @property
    def cluster(self) -> str | None:
        """The address of the scheduler that searches are sent to, None where threads search."""
        return None if self.search_url == "threads" else self.search_url


def load_settings(env_file: Path | None = Path(".env")) -> Settings:
    """Read the settings from the environment and, with lower priority, from `env_file`, if any.

    Raises:
        SettingsError: If anything is wrong, with every mistake.
    """
    try:
        given = _given_values(env_file)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError([f"{env_file} cannot be read as text: {error}."]) from None
    mistakes = _find_misspelt(given)
    settings: Settings | None = None
    try:
        settings = Settings(_env_file=env_file)
    except ValidationError as error:
        names = dict.fromkeys(str(entry["loc"][0]).upper() for entry in error.errors())
        mistakes += [_describe(name, given.get(name, "")) for name in names]
    mistakes += _find_half_a_stand_in(given)
    on_server = settings and make_url(settings.database_url).drivername.startswith("postgresql")
    if settings and settings.shards and not on_server:
        mistakes.append("SHARDS is for several processes: these need PostgreSQL, by DATABASE_URL.")
    # Outside the except clause: a chained ValidationError could show what was given.
    if mistakes or settings is None:
        raise SettingsError(mistakes)
    return settings


def _given_values(env_file: Path | None) -> dict[str, str]:
    """Return the values that are set and not empty, by name in capitals."""
    in_file = dotenv_values(env_file) if env_file is not None and env_file.is_file() else {}
    merged = {name.upper(): value for name, value in in_file.items() if value}
    merged |= {name.upper(): value for name, value in os.environ.items() if value}
    return merged


def _find_misspelt(given: dict[str, str]) -> list[str]:
    """Return a sentence for each name that is nearly a setting's name."""
    known = [name.upper() for name in Settings.model_fields]
    mistakes = []
    for name in given:
        if name in known:
            continue
        near = difflib.get_close_matches(name, known, n=1, cutoff=_SIMILARITY)
        if near and near[0] not in given:
            mistakes.append(f"{name} is not a setting: did you mean {near[0]}?")
    return mistakes


def _find_half_a_stand_in(given: dict[str, str]) -> list[str]:
    """Refuse one stand-in address without the other: half the traffic would go to Discord."""
    pair = ("DISCORD_API_BASE", "DISCORD_GATEWAY_URL")
    present = [name for name in pair if name in given]
    if len(present) != 1:
        return []
    (absent,) = set(pair) - set(present)
    return [f"{absent} is missing: set it as well as {present[0]}, or neither."]


def _describe(name: str, given: str) -> str:
    """Return the sentence about a value that is wrong, without any password or token in it."""
    expected = EXPECTED[name]
    if name == "DISCORD_TOKEN":
        return f"{name} is not a token (what was given is not shown here): expected {expected}."
    shown = redact(re.sub(r"(?<=://)[^/@]*@", "***@", given))
    quoted = repr(shown if len(shown) <= 100 else shown[:97] + "...")
    return f"{name} is {quoted}: expected {expected}."
