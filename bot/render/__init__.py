"""Pictures and descriptions of games; knows nothing of Discord."""

from bot.render.board import BoardPicture, draw_board
from bot.render.describe import describe_position, status_line
from bot.render.preview import write_previews
from bot.render.theme import DARK, LIGHT, THEMES, Theme

__all__ = [
    "DARK",
    "LIGHT",
    "THEMES",
    "BoardPicture",
    "Theme",
    "describe_position",
    "draw_board",
    "status_line",
    "write_previews",
]
