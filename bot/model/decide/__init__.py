"""Decides what an action makes of a match. Pure: no clock, no database, no language.

What can be asked for stands in `actions`; each action has a function of its name here, in the
file of its family: `board`, `agreements`, `clock`.
"""

from bot.model.decide.deciding import decide
from bot.model.decide.facts import Facts

__all__ = ["Facts", "decide"]
