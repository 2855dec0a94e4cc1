"""What the process itself remembers from one start to the next, by key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, insert, select, update

from bot.storage.schema import memo

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

_FIND = select(memo.c.value).where(memo.c.key == bindparam("given_key"))
_CHANGE = (
    update(memo)
    .where(memo.c.key == bindparam("given_key"))
    .values(value=bindparam("given_value"), updated_at=bindparam("given_at"))
)


def find_memo(connection: Connection, key: str) -> str | None:
    """Return what was saved under `key`, None if nothing was."""
    return connection.execute(_FIND, {"given_key": key}).scalar_one_or_none()


def save_memo(connection: Connection, key: str, value: str, *, now: datetime) -> None:
    """Remember `value` under `key` instead of what was there."""
    changed = connection.execute(_CHANGE, {"given_key": key, "given_value": value, "given_at": now})
    if changed.rowcount == 0:
        connection.execute(insert(memo), {"key": key, "value": value, "updated_at": now})
