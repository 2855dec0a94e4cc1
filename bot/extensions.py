"""The features to load, by name: `bot` never imports `cogs`."""

from __future__ import annotations

EXTENSIONS = (
    "cogs.admin",
    "cogs.analysis",
    "cogs.announcements",
    "cogs.blocks",
    "cogs.challenge",
    "cogs.explorer",
    "cogs.fields",
    "cogs.games",
    "cogs.history",
    "cogs.lesson",
    "cogs.notices",
    "cogs.play",
    "cogs.privacy",
    "cogs.puzzles",
    "cogs.ratings",
    "cogs.records",
    "cogs.rules",
    "cogs.settings",
    "cogs.strays",
    "cogs.translation",
    "cogs.vacation",
)
