"""The games of a study, played and counted; what came of them is in `engine.study`."""

from __future__ import annotations

from engine.lab.study.estimates import fairness_of, share_of
from engine.lab.study.self_play import (
    RANDOM,
    SelfPlay,
    default_game_count,
    make_self_play,
    parse_player,
)

__all__ = [
    "RANDOM",
    "SelfPlay",
    "default_game_count",
    "fairness_of",
    "make_self_play",
    "parse_player",
    "share_of",
]
