"""The only place with SQL: tables, their upgrades, and who may read and write them."""

from bot.storage import rating_tables  # noqa: F401  # with it the tables are complete
from bot.storage.backup import backup, restore
from bot.storage.database import Database, open_storage
from bot.storage.migrate import upgrade
from bot.storage.settings import SettingStore

__all__ = ["Database", "SettingStore", "backup", "open_storage", "restore", "upgrade"]
