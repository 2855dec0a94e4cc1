"""How the variants play: figures of many games, with their errors. See README.md."""

from __future__ import annotations

from engine.study.figures import Estimate, StudyResult, fairness_of, share_of
from engine.study.players import (
    RANDOM,
    GamePlayer,
    default_game_count,
    make_player,
    parse_player,
)
from engine.study.published import PUBLISHED_FIGURES, PUBLISHED_SOURCE, PublishedFigures
from engine.study.report import VERSION, Study, load_study

__all__ = [
    "PUBLISHED_FIGURES",
    "PUBLISHED_SOURCE",
    "RANDOM",
    "VERSION",
    "Estimate",
    "GamePlayer",
    "PublishedFigures",
    "Study",
    "StudyResult",
    "default_game_count",
    "fairness_of",
    "load_study",
    "make_player",
    "parse_player",
    "share_of",
]
