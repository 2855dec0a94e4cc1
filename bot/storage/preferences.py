"""What players and servers have asked for, by key. What a value means is said elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select, update

from bot.storage.people_schema import guild_setting, player_setting

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy import Connection, Table

_OWNERS = {player_setting: player_setting.c.player_id, guild_setting: guild_setting.c.guild_id}


def load_player_settings(connection: Connection, player_id: int) -> dict[str, str]:
    """Return what a player has asked for."""
    return _load(connection, player_setting, player_id)


def save_player_settings(
    connection: Connection, player_id: int, changes: Mapping[str, str | None], now: datetime
) -> None:
    """Remember what a player asks for; None forgets what they had asked for."""
    _save(connection, player_setting, player_id, changes, now)


def load_guild_settings(connection: Connection, guild_id: int) -> dict[str, str]:
    """Return what is set for a server."""
    return _load(connection, guild_setting, guild_id)


def save_guild_settings(
    connection: Connection, guild_id: int, changes: Mapping[str, str | None], now: datetime
) -> None:
    """Remember what is set for a server; None forgets what was."""
    _save(connection, guild_setting, guild_id, changes, now)


def delete_guild_settings(connection: Connection, guild_id: int) -> None:
    """Forget all that is set for a server."""
    connection.execute(delete(guild_setting).where(guild_setting.c.guild_id == guild_id))


def _load(connection: Connection, table: Table, owner_id: int) -> dict[str, str]:
    wanted = select(table.c.key, table.c.value).where(_OWNERS[table] == owner_id)
    return {key: value for key, value in connection.execute(wanted)}  # noqa: C416  # rows


def _save(
    connection: Connection,
    table: Table,
    owner_id: int,
    changes: Mapping[str, str | None],
    now: datetime,
) -> None:
    owner = _OWNERS[table]
    for key, value in changes.items():
        this = (owner == owner_id) & (table.c.key == key)
        if value is None:
            connection.execute(delete(table).where(this))
            continue
        changed = connection.execute(update(table).where(this).values(value=value, updated_at=now))
        if changed.rowcount == 0:
            connection.execute(
                insert(table),
                {owner.name: owner_id, "key": key, "value": value, "updated_at": now},
            )
