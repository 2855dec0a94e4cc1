"""Games and positions as text that lasts: NOTATION.md has every form."""

from __future__ import annotations

from engine.records.model import MOST_GAMES, UNKNOWN_PLAYER, EndReason, GameRecord, Result
from engine.records.reading import parse_game, parse_record
from engine.records.writing import divide_files, format_record

__all__ = [
    "MOST_GAMES",
    "UNKNOWN_PLAYER",
    "EndReason",
    "GameRecord",
    "Result",
    "divide_files",
    "format_record",
    "parse_game",
    "parse_record",
]
