"""The only place with SQL: tables, their upgrades, and what reads and writes them."""

from bot.storage.copying import backup, move
from bot.storage.database import Database, open_storage, upgrade
from bot.storage.restoring import restore_backup

__all__ = [
    "Database",
    "backup",
    "move",
    "open_storage",
    "restore_backup",
    "upgrade",
]
