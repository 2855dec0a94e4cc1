"""The only place with SQL: tables, their upgrades, and who may read and write them."""

from bot.storage.backup import backup, restore
from bot.storage.database import Database, open_database
from bot.storage.migrate import upgrade

__all__ = ["Database", "backup", "open_database", "restore", "upgrade"]
