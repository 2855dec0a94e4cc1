"""Pictures and descriptions of games; knows nothing of Discord."""

from bot.render.board import draw_board
from bot.render.describe import describe_position
from bot.render.picture import BoardPicture
from bot.render.preview import write_previews
from bot.render.theme import COLOUR_BLIND, DARK, HIGH_CONTRAST, LIGHT, MARK_PAIRS, THEMES, Theme
from bot.render.words import status_line

__all__ = [
    "COLOUR_BLIND",
    "DARK",
    "HIGH_CONTRAST",
    "LIGHT",
    "MARK_PAIRS",
    "THEMES",
    "BoardPicture",
    "Theme",
    "describe_position",
    "draw_board",
    "status_line",
    "write_previews",
]
