"""A board to show colours and marks on: all that there is to see in one position."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from bot.language import _, current_language
from bot.render import BoardPicture, Theme, describe_position, draw_board
from engine import Game, Position, load_variant, parse_move

MOVES: Final = (
    "39 92 28 85 56 68 86 65 59 96 63 32 23 31 17 76 66 62 29 97 73 33 53 19 91 16 27 72 45 12 71"
    " 13 98 89 93 81 77 78 75 49 95 99 94 46"
)
"""Both sides have won boards, one is drawn, and one is to be played in."""


@cache
def sample_position() -> Position:
    """Return the position that is shown."""
    rules = load_variant("standard").rules
    return Game.replay(rules, [parse_move(move, rules) for move in MOVES.split()]).position


def draw_sample(theme: Theme) -> bytes:
    """Return the sample as a PNG in a theme, in the language that is being spoken."""
    return _drawn(theme, current_language())


def describe_sample() -> str:
    """Tell in words what the sample shows."""
    return describe_position(sample_position(), _names())


def _names() -> tuple[str, str]:
    return _("You"), _("The other player")


@lru_cache(maxsize=16)
def _drawn(theme: Theme, _language: str) -> bytes:
    # The language is part of the key: the words in the picture are in it.
    return draw_board(BoardPicture(sample_position(), names=_names(), theme=theme))
