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
from typing import TYPE_CHECKING, Any, Final

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

    mark: Mark
    about: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.mark.value:<6} {self.about:<12} {self.sentence}"


async def examine(
    settings: Settings, backups: Path, *, clock: Callable[[], float] = time.time
) -> AsyncIterator[Finding]:
    """Check one thing after the other.

    Args:
        settings: Where Discord and the database are.
        backups: The folder with the database's copies.
        clock: The host's, in seconds since 1970.
    """
    yield _look_at_settings(settings)
    if settings.discord_token is not None:
        async for finding in _ask_discord(settings, clock):
            yield finding
    url = settings.database_url
    look = (
        _look_at_server(url) if postgresql.is_meant_by(url) else _look_at_file(database_path(url))
    )
    for finding in await asyncio.to_thread(list, look):
        yield finding
    yield await asyncio.to_thread(_look_at_backups, backups, clock())
    if settings.cluster is not None:
        yield await _look_at_cluster(settings.cluster)


def _look_at_settings(settings: Settings) -> Finding:
    if settings.discord_token is None:
        return Finding(Mark.FAULT, "settings", "DISCORD_TOKEN is not set.")
    if settings.host_contact is None:
        return Finding(
            Mark.NOTE, "settings", "HOST_CONTACT is not set: /privacy shows no way to reach you."
        )
    return Finding(Mark.FINE, "settings", "They are usable.")


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
                yield _look_at_clock(answer.headers, (asked_at + clock()) / 2)
            about = "token"
            async with session.get(f"{base}/users/@me") as answer:
                name = (await answer.json())["username"]
            yield Finding(Mark.FINE, about, f"Discord knows it as that of {name}.")
            about = "gateway"
            async with session.get(f"{base}/gateway/bot") as answer:
                yield await _try_gateway(session, await answer.json(), settings)
            about = "application"
            async with session.get(f"{base}/applications/@me") as answer:
                yield _look_at_application(await answer.json())
            about = "permissions"
            servers = [each async for each in _servers(session, base)]
            yield _look_at_servers(servers, settings.admin_guild)
    except aiohttp.ClientResponseError as error:
        yield _refused(about, error.status)
    except (aiohttp.ClientError, OSError, ValueError, KeyError, TypeError) as error:
        yield Finding(
            Mark.TEMPORARY,
            about,
            f"Discord could not be reached ({type(error).__name__}). Is this machine online, "
            "and its clock right?",
        )


def _refused(about: str, status: int) -> Finding:
    if status == 401:
        return Finding(
            Mark.FAULT,
            "token",
            "Discord refuses the token in DISCORD_TOKEN. Copy it again from the page of your "
            "application (Bot, Reset Token).",
        )
    return Finding(Mark.TEMPORARY, about, f"Discord answered with status {status}: try later.")


def _look_at_clock(headers: Mapping[str, str], now: float) -> Finding:
    """Compare the host's clock with the date of an answer, which has whole seconds."""
    try:
        ahead_s = now - parsedate_to_datetime(headers["Date"]).timestamp() - 0.5
    except (KeyError, ValueError):
        return Finding(Mark.NOTE, "clock", "Discord's answer has no date to compare with.")
    if abs(ahead_s) <= CLOCK_WITHIN_S:
        return Finding(Mark.FINE, "clock", "It agrees with Discord's.")
    way = "ahead of" if ahead_s > 0 else "behind"
    return Finding(
        Mark.FAULT,
        "clock",
        f"It is {abs(ahead_s):.0f} s {way} Discord's, so deadlines are shown wrong. Let it be set "
        "by the network (timedatectl set-ntp true; on Windows w32tm /resync).",
    )


async def _try_gateway(
    session: aiohttp.ClientSession, known: Mapping[str, Any], settings: Settings
) -> Finding:
    """Connect to the gateway as far as its greeting, which costs none of the day's logins."""
    limit = known["session_start_limit"]
    if limit["remaining"] < known["shards"]:
        hours = limit["reset_after"] / 3_600_000
        return Finding(
            Mark.TEMPORARY,
            "gateway",
            f"The bot has logged in too often: Discord lets it in again in {hours:.1f} hours.",
        )
    url = settings.discord_gateway_url or known["url"]
    async with session.ws_connect(f"{url}?v=10&encoding=json") as gateway:
        greeting = await gateway.receive_json(timeout=_PATIENCE.total)
    if greeting.get("op") != _HELLO:
        return Finding(Mark.TEMPORARY, "gateway", f"It does not greet, but says {greeting}.")
    return Finding(
        Mark.FINE,
        "gateway",
        f"It can be reached. Logins left today: {limit['remaining']} of {limit['total']}.",
    )


def _look_at_application(known: Mapping[str, Any]) -> Finding:
    if known.get("interactions_endpoint_url"):
        return Finding(
            Mark.FAULT,
            "application",
            "Discord sends commands and clicks to its Interactions Endpoint URL instead of to the "
            "bot. Empty that field on the page General Information.",
        )
    ways = {"0": "Guild Install", "1": "User Install"}
    missing = [name for key, name in ways.items() if key not in known["integration_types_config"]]
    if missing:
        names = " and ".join(missing)
        return Finding(Mark.NOTE, "application", f"{names} is not ticked on its page Installation.")
    return Finding(
        Mark.FINE, "application", "Its settings fit. The bot needs no privileged intents."
    )


async def _servers(session: aiohttp.ClientSession, base: str) -> AsyncIterator[dict[str, Any]]:
    """Yield the servers that the bot is in."""
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


def _look_at_servers(servers: list[dict[str, Any]], admin_guild: int | None) -> Finding:
    if admin_guild is not None and str(admin_guild) not in {each["id"] for each in servers}:
        return Finding(
            Mark.FAULT,
            "permissions",
            f"ADMIN_GUILD names {admin_guild}, a server that the bot is not in: /admin is nowhere.",
        )
    lacking = []
    for server in servers:
        granted = int(server["permissions"])
        missing = [name for name, bit in NEEDED.items() if not granted >> bit & 1]
        if missing and not granted >> _ADMINISTRATOR & 1:
            lacking.append(f"{server['name']} ({server['id']}): {', '.join(missing)}")
    if lacking:
        more = f"; and {len(lacking) - _NAMED} more" if len(lacking) > _NAMED else ""
        return Finding(Mark.NOTE, "permissions", f"Missing in {'; '.join(lacking[:_NAMED])}{more}.")
    return Finding(
        Mark.FINE, "permissions", f"The bot has what it needs. Servers it is in: {len(servers)}."
    )


def _look_at_server(url: str) -> Iterator[Finding]:
    """Look at a database of PostgreSQL, and at its content in a copy."""
    try:
        version, current, size = postgresql.describe(url)
        newest = max(revisions())
        behind = "" if current == newest else f"; the next start brings it to {newest}"
        yield Finding(
            Mark.FINE,
            "database",
            f"{postgresql.name_of(url)} answers: PostgreSQL {version}, {_size(size)}, revision "
            f"{current}{behind}.",
        )
        if current == newest:
            with tempfile.TemporaryDirectory() as folder:
                backup(url, copy := Path(folder, "copy.sqlite3"))
                yield _look_at_content(copy)
    except HostError as error:
        yield Finding(Mark.FAULT, "database", str(error))


async def _look_at_cluster(address: str) -> Finding:
    """Ask the scheduler of SEARCH_URL for its workers; without them the bot searches by itself."""
    try:
        check_installed()
        threads = await ask_workers(address)
    except HostError as error:
        return Finding(Mark.FAULT, "searches", str(error))
    except OSError:
        return Finding(
            Mark.NOTE,
            "searches",
            f"No scheduler answers at {address}: the bot's own threads search until one does.",
        )
    if not threads:
        return Finding(Mark.NOTE, "searches", f"The scheduler at {address} has no workers.")
    return Finding(Mark.FINE, "searches", f"The workers of {address} have {threads} threads.")


def _look_at_file(path: Path) -> Iterator[Finding]:
    """Look at the disk and the database on it."""
    size = sum(each.stat().st_size for each in (path, companion(path, "-wal")) if each.exists())
    folder = next(each for each in path.parents if each.exists())
    free = shutil.disk_usage(folder).free
    needed = 2 * size + SPARE_BYTES
    yield (
        Finding(Mark.FINE, "disk", f"{_size(free)} are free in {folder}.")
        if free >= needed
        else Finding(
            Mark.FAULT,
            "disk",
            f"Only {_size(free)} are free in {folder}. An upgrade or a backup copies the whole "
            f"database: keep {_size(needed)} free.",
        )
    )
    if not has_content(path):
        yield Finding(Mark.FINE, "database", f"{path} is made at the first start.")
        return
    try:
        current, newest = revisions_of(path)
    except HostError as error:
        yield Finding(Mark.FAULT, "database", str(error))
    else:
        behind = "" if current == newest else f"; the next start upgrades it to {newest}"
        yield Finding(
            Mark.FINE,
            "database",
            f"{path} is sound, {_size(size)}, revision {current}{behind}.",
        )
        if current == newest:
            yield _look_at_content(path)


def _look_at_content(path: Path) -> Finding:
    """Replay every match, and compare everything that is stored twice."""
    found = check_file(path)
    if not found:
        return Finding(Mark.FINE, "content", "Every match and every rating adds up.")
    more = f" And {len(found) - _NAMED} more." if len(found) > _NAMED else ""
    return Finding(
        Mark.FAULT,
        "content",
        f"{' '.join(found[:_NAMED])}{more} Please report this. A backup from before it can be "
        "restored.",
    )


def _look_at_backups(folder: Path, now: float) -> Finding:
    """Restore the newest copy on trial, and read the outcome of the last try to make one."""
    dated = {each: each.stat().st_mtime for each in folder.glob("*.sqlite3")}
    today, last = datetime.fromtimestamp(now, UTC), last_backup(folder)
    if last is not None and last.broken:
        return Finding(Mark.FAULT, "backup", last.problem(today) or "")
    if not dated:
        return Finding(
            Mark.NOTE,
            "backup",
            f"There is none in {folder}. Let the machine make one every day: python -m bot backup.",
        )
    newest = max(dated, key=lambda each: dated[each])
    age = timedelta(seconds=now - dated[newest])
    try:
        found = check_backup(newest, today)
    except (HostError, OSError) as error:
        wrong = f"The newest one cannot be restored. {error}"
        found = Backup(at=today, file=str(newest), games=None, broken=(wrong,))
    if found.broken:
        return Finding(Mark.FAULT, "backup", found.summary)
    told = f"{newest} was restored on trial: {found.games} games. It is {_age(age)} old"
    if age > STALE_AFTER:
        return Finding(Mark.FAULT, "backup", f"{told}: does the daily backup still run?")
    if now - min(dated.values()) > KEPT_FOR.total_seconds():
        return Finding(Mark.NOTE, "backup", f"{told}. Others are older than 30 days: delete them.")
    return Finding(Mark.FINE, "backup", f"{told}.")


def _age(age: timedelta) -> str:
    hours = age.total_seconds() / 3600
    return f"{hours / 24:.0f} days" if hours >= 48 else f"{hours:.0f} hours"


def _size(size: int) -> str:
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.1f} MiB"
