"""People, as far as a game needs to know them: a number and a name to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, insert, update

from bot.storage.schema import player

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

_RENAME = (
    update(player)
    .where(player.c.id == bindparam("given_id"))
    .values(name=bindparam("given_name"), seen_at=bindparam("given_at"))
)
_INSERT = insert(player)


def save_player(connection: Connection, *, player_id: int, name: str, seen_at: datetime) -> None:
    """Remember a player under the name they have now."""
    # Not an "upsert", which every database spells differently: there is one writer.
    renamed = connection.execute(
        _RENAME, {"given_id": player_id, "given_name": name, "given_at": seen_at}
    )
    if renamed.rowcount == 0:
        connection.execute(
            _INSERT, {"id": player_id, "name": name, "created_at": seen_at, "seen_at": seen_at}
        )
