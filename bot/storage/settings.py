"""What the process itself remembers from one start to the next, by key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, insert, select, update

from bot.clock import Clock, system_clock
from bot.storage.schema import setting

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from bot.storage.database import Database

_FIND = select(setting.c.value).where(setting.c.key == bindparam("given_key"))
_CHANGE = (
    update(setting)
    .where(setting.c.key == bindparam("given_key"))
    .values(value=bindparam("given_value"), updated_at=bindparam("given_at"))
)


def find_setting(connection: Connection, key: str) -> str | None:
    """Return what was saved under `key`, None if nothing was."""
    return connection.execute(_FIND, {"given_key": key}).scalar_one_or_none()


def save_setting(connection: Connection, key: str, value: str, *, now: datetime) -> None:
    """Remember `value` under `key` instead of what was there."""
    given = {"given_key": key, "given_value": value, "given_at": now}
    if connection.execute(_CHANGE, given).rowcount == 0:
        connection.execute(insert(setting), {"key": key, "value": value, "updated_at": now})


@dataclass(frozen=True, slots=True)
class SettingStore:
    """The process's memory, for those who need nothing else of storage."""

    database: Database
    clock: Clock = system_clock

    async def find(self, key: str) -> str | None:
        """Return what was put under `key`, None if nothing was."""
        return await self.database.read(find_setting, key)

    async def put(self, key: str, value: str) -> None:
        """Remember `value` under `key` instead of what was there.

        Raises:
            StorageFailedError: If it could not be stored.
        """
        now = self.clock()
        await self.database.write(save_setting, key, value, now=now)
