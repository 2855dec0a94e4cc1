"""The games of a study, played and counted; what came of them is in `engine.study`."""

from __future__ import annotations

from engine.lab.study.estimates import fairness_of, share_of
from engine.lab.study.players import (
    RANDOM,
    GamePlayer,
    default_game_count,
    make_player,
    parse_player,
)

__all__ = [
    "RANDOM",
    "GamePlayer",
    "default_game_count",
    "fairness_of",
    "make_player",
    "parse_player",
    "share_of",
]
