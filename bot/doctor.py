"""What `python -m bot doctor` checks: whether the bot could run, and its games be saved.

Nothing is changed, at Discord or on the disk, and the bot may be running meanwhile.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import aiohttp

from bot.cluster import ask_workers, check_installed
from bot.host_errors import HostError
from bot.storage import backup, postgresql
from bot.storage.backups import STALE_AFTER, Backup, check_backup, last_backup
from bot.storage.checking import check_file
from bot.storage.files import companion, database_path, has_content
from bot.storage.migrate import revisions, revisions_of

if TYPE_CHECKING:
    from bot.settings import Settings

API: Final = "https://discord.com/api/v10"
NEEDED: Final = {
    "View Channels": 10,
    "Send Messages": 11,
    "Attach Files": 15,
    "Create Public Threads": 35,
    "Send Messages in Threads": 38,
}
"""The permissions of the link in the README, and their bits."""

CLOCK_WITHIN_S: Final = 5.0
KEPT_FOR: Final = timedelta(days=30)
SPARE_BYTES: Final = 100 * 2**20

_ADMINISTRATOR: Final = 3
_PAGE: Final = 200
_NAMED: Final = 10
_PATIENCE: Final = aiohttp.ClientTimeout(total=10)
_HELLO: Final = 10


class Mark(Enum):
    """How bad a finding is."""

    FINE = "ok"
    NOTE = "note"
    TEMPORARY = "later"
    FAULT = "WRONG"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found about one thing: a sentence that says what to do if it is not fine."""

    about: str
    mark: Mark
    sentence: str

    def __str__(self) -> str:
        return f"{self.mark.value:<6} {self.about:<12} {self.sentence}"


_Found: TypeAlias = tuple[Mark, str]
"""A finding about what is known from where it was looked for."""


async def examine(
    settings: Settings, backups: Path, *, clock: Callable[[], float] = time.time
) -> AsyncIterator[Finding]:
    """Check one thing after the other; `clock` is the host's, in seconds since 1970."""
    yield Finding("settings", *_look_at_settings(settings))
    if settings.discord_token is not None:
        async for finding in _ask_discord(settings, clock):
            yield finding
    url = settings.database_url
    look = (
        _look_at_server(url) if postgresql.is_meant_by(url) else _look_at_file(database_path(url))
    )
    for finding in await asyncio.to_thread(list, look):
        yield finding
    yield Finding("backup", *await asyncio.to_thread(_look_at_backups, backups, clock()))
    if settings.cluster is not None:
        yield Finding("searches", *await _look_at_cluster(settings.cluster))


def _look_at_settings(settings: Settings) -> _Found:
    if settings.discord_token is None:
        return Mark.FAULT, "DISCORD_TOKEN is not set."
    if settings.host_contact is None:
        return Mark.NOTE, "HOST_CONTACT is not set: /privacy shows no way to reach you."
    return Mark.FINE, "They are usable."


async def _ask_discord(settings: Settings, clock: Callable[[], float]) -> AsyncIterator[Finding]:
    """Ask Discord what it thinks of the time, the token, the application and its servers."""
    assert settings.discord_token is not None, "looked at before"
    headers = {
        "Authorization": f"Bot {settings.discord_token.get_secret_value()}",
        "User-Agent": "DiscordBot (doctor, 1)",
    }
    base = settings.discord_api_base or API
    session = aiohttp.ClientSession(headers=headers, timeout=_PATIENCE, raise_for_status=True)
    about = "connection"
    try:
        async with session:
            asked_at = clock()
            async with session.get(f"{base}/gateway") as answer:
                yield Finding("clock", *_look_at_clock(answer.headers, (asked_at + clock()) / 2))
            about = "token"
            async with session.get(f"{base}/users/@me") as answer:
                name = (await answer.json())["username"]
            yield Finding(about, Mark.FINE, f"Discord knows it as that of {name}.")
            about = "gateway"
            async with session.get(f"{base}/gateway/bot") as answer:
                yield Finding(about, *await _try_gateway(session, await answer.json(), settings))
            about = "application"
            async with session.get(f"{base}/applications/@me") as answer:
                yield Finding(about, *_look_at_application(await answer.json()))
            about = "permissions"
            servers = [each async for each in _servers(session, base)]
            yield Finding(about, *_look_at_servers(servers, settings.admin_guild))
    except aiohttp.ClientResponseError as error:
        if error.status == 401:
            yield Finding(
                "token",
                Mark.FAULT,
                "Discord refuses the token in DISCORD_TOKEN. Copy it again from the page of your "
                "application (Bot, Reset Token).",
            )
        else:
            told = f"Discord answered with status {error.status}: try later."
            yield Finding(about, Mark.TEMPORARY, told)
    except (aiohttp.ClientError, OSError, ValueError, KeyError, TypeError) as error:
        yield Finding(
            about,
            Mark.TEMPORARY,
            f"Discord could not be reached ({type(error).__name__}). Is this machine online, "
            "and its clock right?",
        )


def _look_at_clock(headers: Mapping[str, str], now: float) -> _Found:
    """Compare the host's clock with the date of an answer, which has whole seconds."""
    try:
        ahead_s = now - parsedate_to_datetime(headers["Date"]).timestamp() - 0.5
    except (KeyError, ValueError):
        return Mark.NOTE, "Discord's answer has no date to compare with."
    if abs(ahead_s) <= CLOCK_WITHIN_S:
        return Mark.FINE, "It agrees with Discord's."
    way = "ahead of" if ahead_s > 0 else "behind"
    return Mark.FAULT, (
        f"It is {abs(ahead_s):.0f} s {way} Discord's, so deadlines are shown wrong. Let it be set "
        "by the network (timedatectl set-ntp true; on Windows w32tm /resync)."
    )


async def _try_gateway(
    session: aiohttp.ClientSession, known: Mapping[str, Any], settings: Settings
) -> _Found:
    """Connect to the gateway as far as its greeting, which costs none of the day's logins."""
    limit = known["session_start_limit"]
    if limit["remaining"] < known["shards"]:
        hours = limit["reset_after"] / 3_600_000
        return Mark.TEMPORARY, (
            f"The bot has logged in too often: Discord lets it in again in {hours:.1f} hours."
        )
    url = settings.discord_gateway_url or known["url"]
    async with session.ws_connect(f"{url}?v=10&encoding=json") as gateway:
        greeting = await gateway.receive_json(timeout=_PATIENCE.total)
    if greeting.get("op") != _HELLO:
        return Mark.TEMPORARY, f"It does not greet, but says {greeting}."
    left = f"{limit['remaining']} of {limit['total']}"
    return Mark.FINE, f"It can be reached. Logins left today: {left}."


def _look_at_application(known: Mapping[str, Any]) -> _Found:
    if known.get("interactions_endpoint_url"):
        return Mark.FAULT, (
            "Discord sends commands and clicks to its Interactions Endpoint URL instead of to the "
            "bot. Empty that field on the page General Information."
        )
    ways = {"0": "Guild Install", "1": "User Install"}
    missing = [name for key, name in ways.items() if key not in known["integration_types_config"]]
    if missing:
        return Mark.NOTE, f"{' and '.join(missing)} is not ticked on its page Installation."
    return Mark.FINE, "Its settings fit. The bot needs no privileged intents."


async def _servers(session: aiohttp.ClientSession, base: str) -> AsyncIterator[dict[str, Any]]:
    after = "0"
    while True:
        query = {"limit": str(_PAGE), "after": after}
        async with session.get(f"{base}/users/@me/guilds", params=query) as answer:
            page = await answer.json()
        for each in page:
            yield each
        if len(page) < _PAGE:
            return
        after = page[-1]["id"]


def _look_at_servers(servers: list[dict[str, Any]], admin_guild: int | None) -> _Found:
    if admin_guild is not None and str(admin_guild) not in {each["id"] for each in servers}:
        return Mark.FAULT, (
            f"ADMIN_GUILD names {admin_guild}, a server that the bot is not in: /admin is nowhere."
        )
    lacking = []
    for server in servers:
        granted = int(server["permissions"])
        missing = [name for name, bit in NEEDED.items() if not granted >> bit & 1]
        if missing and not granted >> _ADMINISTRATOR & 1:
            lacking.append(f"{server['name']} ({server['id']}): {', '.join(missing)}")
    if lacking:
        more = f"; and {len(lacking) - _NAMED} more" if len(lacking) > _NAMED else ""
        return Mark.NOTE, f"Missing in {'; '.join(lacking[:_NAMED])}{more}."
    return Mark.FINE, f"The bot has what it needs. Servers it is in: {len(servers)}."


def _look_at_server(url: str) -> Iterator[Finding]:
    """Look at a database of PostgreSQL, and at its content in a copy."""
    try:
        version, current, size = postgresql.describe(url)
        newest = max(revisions())
        behind = "" if current == newest else f"; the next start brings it to {newest}"
        yield Finding(
            "database",
            Mark.FINE,
            f"{postgresql.name_of(url)} answers: PostgreSQL {version}, {_size(size)}, revision "
            f"{current}{behind}.",
        )
        if current == newest:
            with tempfile.TemporaryDirectory() as folder:
                backup(url, copy := Path(folder, "copy.sqlite3"))
                yield Finding("content", *_look_at_content(copy))
    except HostError as error:
        yield Finding("database", Mark.FAULT, str(error))


async def _look_at_cluster(address: str) -> _Found:
    """Ask the scheduler of SEARCH_URL for its workers; without them the bot searches by itself."""
    try:
        check_installed()
        threads = await ask_workers(address)
    except HostError as error:
        return Mark.FAULT, str(error)
    except OSError:
        return Mark.NOTE, (
            f"No scheduler answers at {address}: the bot's own threads search until one does."
        )
    if not threads:
        return Mark.NOTE, f"The scheduler at {address} has no workers."
    return Mark.FINE, f"The workers of {address} have {threads} threads."


def _look_at_file(path: Path) -> Iterator[Finding]:
    size = sum(each.stat().st_size for each in (path, companion(path, "-wal")) if each.exists())
    yield Finding(
        "disk", *_look_at_disk(next(each for each in path.parents if each.exists()), size)
    )
    if not has_content(path):
        yield Finding("database", Mark.FINE, f"{path} is made at the first start.")
        return
    try:
        current, newest = revisions_of(path)
    except HostError as error:
        yield Finding("database", Mark.FAULT, str(error))
        return
    behind = "" if current == newest else f"; the next start upgrades it to {newest}"
    told = f"{path} is sound, {_size(size)}, revision {current}{behind}."
    yield Finding("database", Mark.FINE, told)
    if current == newest:
        yield Finding("content", *_look_at_content(path))


def _look_at_disk(folder: Path, size: int) -> _Found:
    free, needed = shutil.disk_usage(folder).free, 2 * size + SPARE_BYTES
    if free >= needed:
        return Mark.FINE, f"{_size(free)} are free in {folder}."
    return Mark.FAULT, (
        f"Only {_size(free)} are free in {folder}. An upgrade or a backup copies the whole "
        f"database: keep {_size(needed)} free."
    )


def _look_at_content(path: Path) -> _Found:
    """Replay every match, and compare everything that is stored twice."""
    found = check_file(path)
    if not found:
        return Mark.FINE, "Every match and every rating adds up."
    more = f" And {len(found) - _NAMED} more." if len(found) > _NAMED else ""
    return Mark.FAULT, (
        f"{' '.join(found[:_NAMED])}{more} Please report this. A backup from before it can be "
        "restored."
    )


def _look_at_backups(folder: Path, now: float) -> _Found:
    """Restore the newest copy on trial, and read the outcome of the last try to make one."""
    dated = {each: each.stat().st_mtime for each in folder.glob("*.sqlite3")}
    today, last = datetime.fromtimestamp(now, UTC), last_backup(folder)
    if last is not None and last.broken:
        return Mark.FAULT, last.problem(today) or ""
    if not dated:
        return Mark.NOTE, (
            f"There is none in {folder}. Let the machine make one every day: python -m bot backup."
        )
    newest = max(dated, key=lambda each: dated[each])
    age = timedelta(seconds=now - dated[newest])
    try:
        found = check_backup(newest, today)
    except (HostError, OSError) as error:
        wrong = f"The newest one cannot be restored. {error}"
        found = Backup(at=today, file=str(newest), games=None, broken=(wrong,))
    if found.broken:
        return Mark.FAULT, found.summary
    told = f"{newest} was restored on trial: {found.games} games. It is {_age(age)} old"
    if age > STALE_AFTER:
        return Mark.FAULT, f"{told}: does the daily backup still run?"
    if now - min(dated.values()) > KEPT_FOR.total_seconds():
        return Mark.NOTE, f"{told}. Others are older than 30 days: delete them."
    return Mark.FINE, f"{told}."


def _age(age: timedelta) -> str:
    hours = age.total_seconds() / 3600
    return f"{hours / 24:.0f} days" if hours >= 48 else f"{hours:.0f} hours"


def _size(size: int) -> str:
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.1f} MiB"
