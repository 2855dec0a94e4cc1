"""The only place with SQL: tables, their upgrades, and what reads and writes them."""

from bot.storage.copying import backup, move
from bot.storage.database import Database, open_storage, upgrade
from bot.storage.erasing import Restored, restore_without_erased
from bot.storage.files import restore
from bot.storage.preferences import SettingStore

__all__ = [
    "Database",
    "Restored",
    "SettingStore",
    "backup",
    "move",
    "open_storage",
    "restore",
    "restore_without_erased",
    "upgrade",
]
