"""Imported by the process that forks bots, so that each bot has everything imported already."""

from importlib import import_module

import bot.app  # noqa: F401
from bot.extensions import EXTENSIONS
from engine import warm_up

for each in EXTENSIONS:
    import_module(each)
warm_up()
