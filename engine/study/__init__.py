"""How the variants play: the figures of many games, with their errors. See README.md."""

from __future__ import annotations

from engine.study.figures import Estimate, StudyResult
from engine.study.published import PUBLISHED_FIGURES, PUBLISHED_SOURCE, PublishedFigures
from engine.study.report import VERSION, Study, load_study

__all__ = [
    "PUBLISHED_FIGURES",
    "PUBLISHED_SOURCE",
    "VERSION",
    "Estimate",
    "PublishedFigures",
    "Study",
    "StudyResult",
    "load_study",
]
