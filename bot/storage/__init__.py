"""The only place with SQL: tables, their upgrades, and who may read and write them."""

from bot.storage import rating_tables  # noqa: F401  # with it the tables are complete
from bot.storage.backup import backup, restore
from bot.storage.database import Database, open_storage
from bot.storage.migrate import upgrade
from bot.storage.restoring import Restored, restore_without_erased
from bot.storage.settings import SettingStore

__all__ = [
    "Database",
    "Restored",
    "SettingStore",
    "backup",
    "open_storage",
    "restore",
    "restore_without_erased",
    "upgrade",
]
