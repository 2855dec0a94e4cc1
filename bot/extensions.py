"""The features that there are, by name: `bot` never imports `cogs`."""

from __future__ import annotations

EXTENSIONS = (
    "cogs.analysis",
    "cogs.blocks",
    "cogs.challenge",
    "cogs.fields",
    "cogs.history",
    "cogs.notices",
    "cogs.play",
    "cogs.privacy",
    "cogs.ratings",
    "cogs.records",
    "cogs.rules",
    "cogs.settings",
    "cogs.strays",
    "cogs.translation",
    "cogs.vacation",
)
"""The feature packages to load, as text so that `bot` never imports `cogs`."""
