"""Texts for the host. Not translated, like everything else for hosts."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from datetime import datetime, timedelta

import discord
from discord.utils import escape_markdown, format_dt

from bot.client import GameBot
from bot.language import told
from bot.model.clocks import format_span
from bot.model.hosting import Ban, Maintenance
from bot.model.match import Match
from bot.process import resident_bytes
from bot.storage.backups import Backup
from bot.storage.matches import ScreenRow
from bot.storage.migrate import revisions
from engine import load_variant

MOST_NAMED = 20
"""Bans that are listed."""


def status(
    bot: GameBot, counts: Mapping[str, int], last_backup: Backup | None, uptime: timedelta
) -> str:
    """Describe the status of the bot; `counts` is work in progress and waiting, by its name."""
    # Not a number before the first heartbeat.
    latency = f"{bot.latency * 1000:.0f} ms" if bot.latency < 1e6 else "not known yet"
    used = resident_bytes()
    memory = "" if used is None else f" · memory {used / 2**20:.0f} MiB"
    lines = [
        f"**Up for {told(format_span(uptime))}** · servers {len(bot.guilds)} · "
        f"gateway {latency}{memory}",
        f"Schema {max(revisions())} · "
        f"Python {platform.python_version()} · discord.py {discord.__version__}",
        *(f"{what}: {count}" for what, count in counts.items()),
        backup(last_backup, bot.matches.clock()),
        maintenance(bot.hosting.maintenance),
    ]
    if bot.is_paused:
        lines.append("**Drained:** nothing new is taken, but from you. `/admin drain` asks again.")
    if bot.hosting.bans:
        lines.append(bans(bot.hosting.bans))
    return "\n".join(lines)


def backup(last: Backup | None, now: datetime) -> str:
    """Say how old the last backup is, and whether it is sound."""
    if last is None:
        return "Backup: none is known of in BACKUP_FOLDER. Let the machine make one every day."
    if problem := last.problem(now):
        return f"Backup: **{escape_markdown(problem)}**"
    age = told(format_span(now - last.at))
    return f"Backup: {age} old, restored on trial and sound ({last.games} games)"


def maintenance(announced: Maintenance | None) -> str:
    """Say whether games may begin."""
    if announced is None:
        return "Maintenance: none"
    until = format_dt(announced.until, "R")
    words = f": “{escape_markdown(announced.words)}”" if announced.words else ""
    return f"Maintenance: **games may begin again {until}**{words}"


def bans(found: Mapping[int, Ban]) -> str:
    """List who is blocked, the latest first."""
    latest = sorted(found.values(), key=lambda ban: ban.since, reverse=True)
    named = ", ".join(
        f"server {ban.number}" if ban.is_server else f"<@{ban.number}> ({ban.number})"
        for ban in latest[:MOST_NAMED]
    )
    more = f" and {len(latest) - MOST_NAMED} more" if len(latest) > MOST_NAMED else ""
    return f"Blocked: {named}{more}"


def match(match: Match, shown: ScreenRow | None, *, is_behind: bool, link: str | None) -> str:
    """Say who plays a match, how it stands, and where its board is."""
    seats = " · ".join(
        f"{mark}: {escape_markdown(str(seat.shown))}"
        + ("" if seat.player_id is None else f" ({seat.player_id})")
        for mark, seat in zip("XO", match.seats, strict=True)
    )
    terms = [str(load_variant(match.variant_key).name), "rated" if match.rated else "casual"]
    if match.deadline is not None:
        terms.append(f"time runs out {format_dt(match.deadline, 'R')}")
    state = str(match.result_in_words)
    waited = match.seat_to_move
    if waited is not None:
        state += f", {escape_markdown(str(waited.shown))} is to move"
    board = "Board: not shown anywhere" if link is None else f"Board: {link}"
    if shown is not None:
        board += f" (as {shown.shown_as}, revision {shown.shown_revision} of {match.revision})"
    return "\n".join(
        [
            f"**Game {match.id}** · {' · '.join(terms)}",
            seats,
            f"{match.ply} moves, begun {format_dt(match.created_at, 'R')}, last changed "
            f"{format_dt(match.updated_at, 'R')}: {state}",
            f"{board}{' · **it is behind**' if is_behind else ''}",
            f"Server {match.guild_id or '-'}, channel {match.channel_id or '-'}, "
            f"message {match.message_id or '-'}",
        ]
    )


def left(work: Mapping[str, int]) -> str:
    """Say what a drained bot is still working on."""
    if not work:
        return "Nothing is being worked on any more. **It is safe to stop the bot.**"
    told_work = ", ".join(f"{what} {count}" for what, count in work.items())
    return (
        f"Still not done: {told_work}. Nothing of it is lost by a stop: moves are on the disk, and "
        "boards are brought up to date after the next start."
    )
