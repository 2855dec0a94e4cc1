"""What is stored about a person: handed to them, and deleted when they ask."""

from bot.privacy.exporting import FORMAT, FORMAT_VERSION, ExportTooLargeError, packed
from bot.privacy.service import Erased, PrivacyService
from bot.storage.outdated import Outdated, Shown

__all__ = [
    "FORMAT",
    "FORMAT_VERSION",
    "Erased",
    "ExportTooLargeError",
    "Outdated",
    "PrivacyService",
    "Shown",
    "packed",
]
