"""The languages there are."""

from typing import Final

LANGUAGES: Final = {"en": "English", "de": "Deutsch", "ru": "Русский"}
"""The languages there are, each by its own name; texts in the code are in the first."""
