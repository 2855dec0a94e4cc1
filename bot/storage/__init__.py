"""The only place with SQL: tables, their upgrades, and what reads and writes them."""

from bot.storage.copying import backup, move
from bot.storage.database import Database, open_storage, upgrade
from bot.storage.erasing import restore_without_erased

__all__ = [
    "Database",
    "backup",
    "move",
    "open_storage",
    "restore_without_erased",
    "upgrade",
]
