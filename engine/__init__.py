"""Rules and computer player of Ultimate Tic-Tac-Toe and its family; pure.

Everything public is here; see README.md for the map and RULES.md for the game.
"""

from __future__ import annotations

from engine.errors import (
    EngineError,
    GameOverError,
    IllegalMoveError,
    InvalidNotationError,
    InvalidRulesError,
)
from engine.game import Game
from engine.notation import format_board, format_move, parse_board, parse_move
from engine.openings import check_opening_code, draw_opening_code
from engine.outcome import BoardStatus, Ending, O, Outcome, X
from engine.position import Position
from engine.rules import (
    DrawnBoard,
    Goal,
    Opening,
    Rules,
    Sending,
    Tiebreak,
    WonBoard,
    option_values,
)
from engine.sending import hypermap_number, map_columns, named_boards
from engine.variants import VARIANTS, Variant, load_variant, variant_of

__all__ = [
    "VARIANTS",
    "BoardStatus",
    "DrawnBoard",
    "Ending",
    "EngineError",
    "Game",
    "GameOverError",
    "Goal",
    "IllegalMoveError",
    "InvalidNotationError",
    "InvalidRulesError",
    "O",
    "Opening",
    "Outcome",
    "Position",
    "Rules",
    "Sending",
    "Tiebreak",
    "Variant",
    "WonBoard",
    "X",
    "check_opening_code",
    "draw_opening_code",
    "format_board",
    "format_move",
    "hypermap_number",
    "load_variant",
    "map_columns",
    "named_boards",
    "option_values",
    "parse_board",
    "parse_move",
    "variant_of",
]
