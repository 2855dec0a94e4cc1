"""The settings of players and servers, by key. What a value means is defined elsewhere."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, select

from bot.model.hosting import Ban
from bot.storage.schema import guild_setting, player, player_setting, setting
from bot.storage.writer import upsert

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import timedelta

    from sqlalchemy import Connection, Table


def save_player(
    connection: Connection, *, player_id: int, name: str, seen_at: datetime, by: int | None = None
) -> None:
    """Remember a player under the name they have now.

    A person named by somebody else (`by`) is stored only if unknown: a nickname that people have
    been given in one server must not follow them to the others.
    """
    known = select(player.c.id).where(player.c.id == player_id)
    if by not in (None, player_id) and connection.execute(known).scalar() is not None:
        return
    now = {"name": name, "seen_at": seen_at}
    upsert(connection, player, {"id": player_id}, now, if_new={"created_at": seen_at})


def find_setting(connection: Connection, key: str) -> str | None:
    """Return what was saved under `key`, None if nothing was."""
    return connection.execute(select(setting.c.value).where(setting.c.key == key)).scalar()


def save_setting(connection: Connection, key: str, value: str, *, now: datetime) -> None:
    """Remember `value` under `key` instead of what was there."""
    upsert(connection, setting, {"key": key}, {"value": value, "updated_at": now})


BANS: Final = "bans"
"""The key of those who may not use the bot."""


def load_bans(connection: Connection) -> list[Ban]:
    """Return who may not use the bot."""
    rows = json.loads(find_setting(connection, BANS) or "[]")
    return [Ban(**{**row, "since": datetime.fromisoformat(row["since"])}) for row in rows]


def save_bans(connection: Connection, bans: Iterable[Ban], now: datetime) -> None:
    """Remember who may not use the bot, in place of the previous list."""
    rows = [{**asdict(each), "since": each.since.isoformat()} for each in bans]
    save_setting(connection, BANS, json.dumps(rows), now=now)


_CALLED: Final = "called"
"""Not set by anybody: the row says when the server's role was last mentioned."""


def load_player_settings(connection: Connection, player_id: int) -> dict[str, str]:
    """Return a player's settings."""
    return _load(connection, player_setting, player_id)


def list_player_settings(connection: Connection, key: str) -> dict[int, str]:
    """Return what players have set for a key, by their number."""
    wanted = select(player_setting.c.player_id, player_setting.c.value)
    found = connection.execute(wanted.where(player_setting.c.key == key))
    return {player_id: value for player_id, value in found}  # noqa: C416  # rows


def save_player_settings(
    connection: Connection, player_id: int, changes: Mapping[str, str | None], now: datetime
) -> None:
    """Store settings of a player; None removes a setting."""
    _save(connection, player_setting, player_id, changes, now)


def load_guild_settings(connection: Connection, guild_id: int) -> dict[str, str]:
    """Return a server's settings."""
    found = _load(connection, guild_setting, guild_id)
    found.pop(_CALLED, None)
    return found


def claim_call(connection: Connection, guild_id: int, every: timedelta, now: datetime) -> bool:
    """Note that a server's role is mentioned now, and return True; False if it was recently."""
    called = (guild_setting.c.guild_id == guild_id) & (guild_setting.c.key == _CALLED)
    before = connection.execute(select(guild_setting.c.updated_at).where(called)).scalar()
    # A moment in the future was noted before the host's clock was set back.
    if before is not None and before <= now < before + every:
        return False
    save_guild_settings(connection, guild_id, {_CALLED: ""}, now)
    return True


def save_guild_settings(
    connection: Connection, guild_id: int, changes: Mapping[str, str | None], now: datetime
) -> None:
    """Store settings of a server; None removes a setting."""
    _save(connection, guild_setting, guild_id, changes, now)


def _load(connection: Connection, table: Table, owner_id: int) -> dict[str, str]:
    owner, key = table.primary_key
    found = connection.execute(select(key, table.c.value).where(owner == owner_id))
    return {key: value for key, value in found}  # noqa: C416  # rows


def _save(
    connection: Connection,
    table: Table,
    owner_id: int,
    changes: Mapping[str, str | None],
    now: datetime,
) -> None:
    owner, _key = table.primary_key
    for key, value in changes.items():
        if value is None:
            connection.execute(delete(table).where(owner == owner_id, table.c.key == key))
        else:
            this = {owner.name: owner_id, "key": key}
            upsert(connection, table, this, {"value": value, "updated_at": now})
