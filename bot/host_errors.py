"""Errors that only the bot's host can fix; printed in English, and the program ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

EXIT_HOST_ERROR = 69
"""The exit status when only the host can help (EX_UNAVAILABLE of sysexits.h)."""


class HostError(Exception):
    """Something that only the person who runs the bot can put right."""


class SettingsError(HostError):
    """The settings are not usable: `mistakes` are sentences, in the order of the settings."""

    def __init__(self, mistakes: Sequence[str]) -> None:
        self.mistakes = tuple(mistakes)
        lines = "\n".join(f"  - {mistake}" for mistake in self.mistakes)
        noun = "mistake" if len(self.mistakes) == 1 else "mistakes"
        super().__init__(f"{len(self.mistakes)} {noun} in the settings:\n{lines}")


class StartError(HostError):
    """The bot cannot start as things are."""


class UnreachableError(StartError):
    """Discord cannot be reached: that may pass without the host's doing."""


class UnusableDatabaseError(HostError):
    """A file, or an address given without its password, cannot hold the matches."""

    def __init__(self, database: Path | str, problem: str) -> None:
        super().__init__(f"{database}: {problem}")


class DatabaseInUseError(UnusableDatabaseError):
    """Another process has the database open."""


class NotOurDatabaseError(UnusableDatabaseError):
    """This is not a database, is a damaged one, or belongs to another program."""


class NewerDatabaseError(UnusableDatabaseError):
    """A later version of this program has already upgraded the database."""
