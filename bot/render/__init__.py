"""Pictures and descriptions of games and players; knows nothing of Discord."""

from bot.render.board import draw_board
from bot.render.captions import ENGLISH, Captions, captions
from bot.render.describe import describe_position
from bot.render.evaluation_graph import (
    EvaluationPicture,
    NoteKind,
    PlyNote,
    describe_evaluation_graph,
    draw_evaluation_graph,
)
from bot.render.leaderboard import (
    LeaderboardPicture,
    LeaderboardRow,
    describe_leaderboard,
    draw_leaderboard,
)
from bot.render.picture import BoardPicture
from bot.render.preview import write_previews
from bot.render.profile_card import ProfilePicture, describe_profile, draw_profile
from bot.render.rating_graph import (
    RatingPicture,
    RatingPoint,
    describe_rating_graph,
    draw_rating_graph,
)
from bot.render.record_rows import Record, Result
from bot.render.replay import Replay, describe_replay, draw_replay
from bot.render.result_card import (
    RatingStep,
    ResultPicture,
    describe_result,
    draw_result,
    draw_result_strip,
)
from bot.render.theme import (
    COLOUR_BLIND,
    DARK,
    HIGH_CONTRAST,
    LIGHT,
    MARK_PAIRS,
    THEMES,
    Theme,
)
from bot.render.versus_card import VersusPicture, describe_versus, draw_versus
from bot.render.words import status_line

__all__ = [
    "COLOUR_BLIND",
    "DARK",
    "ENGLISH",
    "HIGH_CONTRAST",
    "LIGHT",
    "MARK_PAIRS",
    "THEMES",
    "BoardPicture",
    "Captions",
    "EvaluationPicture",
    "LeaderboardPicture",
    "LeaderboardRow",
    "NoteKind",
    "PlyNote",
    "ProfilePicture",
    "RatingPicture",
    "RatingPoint",
    "RatingStep",
    "Record",
    "Replay",
    "Result",
    "ResultPicture",
    "Theme",
    "VersusPicture",
    "captions",
    "describe_evaluation_graph",
    "describe_leaderboard",
    "describe_position",
    "describe_profile",
    "describe_rating_graph",
    "describe_replay",
    "describe_result",
    "describe_versus",
    "draw_board",
    "draw_evaluation_graph",
    "draw_leaderboard",
    "draw_profile",
    "draw_rating_graph",
    "draw_replay",
    "draw_result",
    "draw_result_strip",
    "draw_versus",
    "status_line",
    "write_previews",
]
