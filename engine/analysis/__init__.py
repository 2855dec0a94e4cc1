"""Games looked over, and hints: see README.md."""

from __future__ import annotations

from engine.analysis.hints import Hint, best_moves
from engine.analysis.model import Accuracy, Analysis, Judgement, MoveReview
from engine.analysis.review import analyse_game

__all__ = [
    "Accuracy",
    "Analysis",
    "Hint",
    "Judgement",
    "MoveReview",
    "analyse_game",
    "best_moves",
]
