"""Rules and computer player of Ultimate Tic-Tac-Toe and its family; pure.

Everything public is here; see README.md for the map and RULES.md for the game.
"""

from __future__ import annotations

from engine import kernels
from engine.analysis.hints import Hint, best_moves
from engine.analysis.refuting import Refutation, refute
from engine.analysis.review import (
    Accuracy,
    Analysis,
    Judgement,
    MoveReview,
    analyse_game,
    restored_analysis,
)
from engine.canonical import Canonical, canonical_line
from engine.diagram import draw_text
from engine.errors import (
    EngineError,
    GameOverError,
    IllegalMoveError,
    InvalidNotationError,
    InvalidRulesError,
    shorten,
)
from engine.forced_win import ForcedWin, StrategyProof, forced_win, prove_forced_win
from engine.game import Game
from engine.lesson import EXERCISES, LESSON_GAME, Answer, Exercise
from engine.notation import format_board, format_move, parse_board, parse_move
from engine.openings import check_opening_code, draw_opening_code
from engine.perft import divide, perft
from engine.position import Position
from engine.puzzles import Attempt, Puzzle, load_puzzles, puzzle_variants
from engine.puzzles.themes import THEMES, Theme
from engine.records.model import Comment, EndReason, GameRecord, InvalidRecordError, Result
from engine.records.positions import (
    format_letter_move,
    format_letter_position,
    format_position,
    parse_letter_move,
    parse_letter_position,
    parse_position,
)
from engine.records.reading import parse_game, parse_record, parse_records
from engine.records.writing import format_record, format_records
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
from engine.rules_in_words import (
    STRATEGIC_CREDIT,
    RuleInWords,
    credit_of,
    example_of,
    explain_example,
    explain_rules,
)
from engine.search.evaluation import Evaluation
from engine.search.levels import LEVELS, Level, choose_move, levels_of
from engine.search.mcts import Clock, Limit, Proof, Searcher, SearchReport, search
from engine.search.ratings import level_rating
from engine.sending import hypermap_number, map_columns, named_boards, symmetries, transform
from engine.study import (
    PUBLISHED_FIGURES,
    PUBLISHED_SOURCE,
    Estimate,
    PublishedFigures,
    StrongScore,
    Study,
    StudyResult,
    load_strong_scores,
    load_study,
)
from engine.types import (
    MARKS,
    BoardStatus,
    Cell,
    Ending,
    LevelNumber,
    O,
    Outcome,
    Ply,
    Side,
    X,
    other,
)
from engine.variants import VARIANTS, Variant, load_variant, variant_of

__all__ = [
    "EXERCISES",
    "LESSON_GAME",
    "LEVELS",
    "MARKS",
    "PUBLISHED_FIGURES",
    "PUBLISHED_SOURCE",
    "STRATEGIC_CREDIT",
    "THEMES",
    "VARIANTS",
    "Accuracy",
    "Analysis",
    "Answer",
    "Attempt",
    "BoardStatus",
    "Canonical",
    "Cell",
    "Clock",
    "Comment",
    "DrawnBoard",
    "EndReason",
    "Ending",
    "EngineError",
    "Estimate",
    "Evaluation",
    "Exercise",
    "ForcedWin",
    "Game",
    "GameOverError",
    "GameRecord",
    "Goal",
    "Hint",
    "IllegalMoveError",
    "InvalidNotationError",
    "InvalidRecordError",
    "InvalidRulesError",
    "Judgement",
    "Level",
    "LevelNumber",
    "Limit",
    "MoveReview",
    "O",
    "Opening",
    "Outcome",
    "Ply",
    "Position",
    "Proof",
    "PublishedFigures",
    "Puzzle",
    "Refutation",
    "Result",
    "RuleInWords",
    "Rules",
    "SearchReport",
    "Searcher",
    "Sending",
    "Side",
    "StrategyProof",
    "StrongScore",
    "Study",
    "StudyResult",
    "Theme",
    "Tiebreak",
    "Variant",
    "WonBoard",
    "X",
    "analyse_game",
    "best_moves",
    "canonical_line",
    "check_opening_code",
    "choose_move",
    "credit_of",
    "divide",
    "draw_opening_code",
    "draw_text",
    "example_of",
    "explain_example",
    "explain_rules",
    "forced_win",
    "format_board",
    "format_letter_move",
    "format_letter_position",
    "format_move",
    "format_position",
    "format_record",
    "format_records",
    "hypermap_number",
    "level_rating",
    "levels_of",
    "load_puzzles",
    "load_strong_scores",
    "load_study",
    "load_variant",
    "map_columns",
    "named_boards",
    "option_values",
    "other",
    "parse_board",
    "parse_game",
    "parse_letter_move",
    "parse_letter_position",
    "parse_move",
    "parse_position",
    "parse_record",
    "parse_records",
    "perft",
    "prove_forced_win",
    "puzzle_variants",
    "refute",
    "restored_analysis",
    "search",
    "shorten",
    "symmetries",
    "transform",
    "variant_of",
    "warm_up",
]


def warm_up() -> None:
    """Load every kernel from the cache on disk, or compile it.

    Takes half a second when they are cached, else some ten seconds. It blocks:
    call it in a thread at start.
    """
    kernels.compiling.run_all()
