"""How a game looks in a message: the board image, nine buttons laid out as the board, controls.

Components V2 allow 40 components in a message; the fullest board here takes 23.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import discord

from bot.matches import Match
from bot.render import DARK, BoardPicture, describe_position, draw_board
from cogs.play import ids, texts
from engine import Position

IMAGE_NAME = "board.png"

COLOURS = tuple(discord.Colour.from_rgb(*colour) for colour in DARK.marks)
OVER_COLOUR = discord.Colour.from_rgb(*DARK.muted)

Button = discord.ui.Button[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """How far a player has come with a choice; nothing of it is stored.

    Attributes:
        board: The local board chosen on a free choice, 0 to 8.
        resigning: Whether the question about resigning stands.
        thinking: Whether the computer's reply is still to come.
    """

    board: int | None = None
    resigning: bool = False
    thinking: bool = False


async def draw_match(match: Match, stage: Stage) -> tuple[discord.ui.LayoutView, discord.File]:
    """Draw `match` as a message: its components, and the image they refer to."""
    board = chosen_board(match.position, stage)
    picture = BoardPicture(
        position=match.position,
        names=match.names,
        status=texts.image_status(match),
        selected_board=board,
        is_over=match.is_over,
        winner=match.winner,
    )
    # Drawing takes milliseconds, but two hundred games may want it at once.
    png = await asyncio.to_thread(draw_board, picture)
    alt = describe_position(match.position, match.names, status=texts.image_status(match))
    return match_view(match, stage, alt), discord.File(io.BytesIO(png), filename=IMAGE_NAME)


def match_view(match: Match, stage: Stage, alt: str) -> discord.ui.LayoutView:
    """Lay out the message of `match`; the image is attached as `IMAGE_NAME`."""
    image = discord.MediaGalleryItem(f"attachment://{IMAGE_NAME}", description=alt)
    container = discord.ui.Container[Any](
        discord.ui.TextDisplay(texts.headline(match, chosen_board(match.position, stage))),
        discord.ui.MediaGallery(image),
        accent_colour=_accent(match),
    )
    for row in _rows(match, stage):
        container.add_item(discord.ui.ActionRow(*row))
    container.add_item(discord.ui.TextDisplay(texts.footer(match)))
    return sealed(container)


def pointer_view(match: Match, link: str) -> discord.ui.LayoutView:
    """Lay out what is left of a message whose board moved to `link`."""
    return sealed(discord.ui.TextDisplay(texts.moved(match, link)))


def sealed(*items: discord.ui.Item[Any]) -> discord.ui.LayoutView:
    """Put `items` into a view that the library forgets once it is sent.

    Presses are received by the dynamic items of `buttons`, which need no view;
    one kept for every message ever sent would only fill the memory.
    """
    view = discord.ui.LayoutView(timeout=None)
    for item in items:
        view.add_item(item)
    view.stop()
    return view


def chosen_board(position: Position, stage: Stage) -> int | None:
    """Return the board whose cells are offered, None while it has to be chosen first."""
    boards = position.playable_boards
    if len(boards) == 1:
        return boards[0]
    return stage.board if stage.board in boards else None


def _rows(match: Match, stage: Stage) -> Iterable[list[Button]]:
    """Return the rows of buttons for the stage that `match` is in."""
    if match.is_over:
        return [[_button("Play again", ids.again_id(match.id), discord.ButtonStyle.primary)]]
    if stage.thinking:
        return []
    if stage.resigning:
        return [
            [
                _button("Yes, resign", ids.really_resign_id(match.id), discord.ButtonStyle.danger),
                _button("Keep playing", ids.back_id(match.id, match.position.ply)),
            ]
        ]
    board = chosen_board(match.position, stage)
    nine = _board_buttons(match) if board is None else _cell_buttons(match, board)
    return [nine[0:3], nine[3:6], nine[6:9], _controls(match, board)]


def _cell_buttons(match: Match, board: int) -> list[Button]:
    """Return the nine cells of `board`: a number where one may play, the mark where not."""
    position = match.position
    legal = set(position.legal_moves)
    buttons = []
    for cell in range(9 * board, 9 * board + 9):
        mark = position.mark_at(cell)
        label = str(cell % 9 + 1) if mark is None else "XO"[mark]
        style = discord.ButtonStyle.success if cell in legal else discord.ButtonStyle.secondary
        custom_id = ids.cell_id(match.id, position.ply, cell)
        buttons.append(_button(label, custom_id, style, disabled=cell not in legal))
    return buttons


def _board_buttons(match: Match) -> list[Button]:
    """Return the nine boards of a free choice."""
    position = match.position
    playable = set(position.playable_boards)
    buttons = []
    for board in range(9):
        label = str(board + 1) if board in playable else texts.owner_label(position, board)
        style = discord.ButtonStyle.primary if board in playable else discord.ButtonStyle.secondary
        custom_id = ids.board_id(match.id, position.ply, board)
        buttons.append(_button(label, custom_id, style, disabled=board not in playable))
    return buttons


def _controls(match: Match, board: int | None) -> list[Button]:
    ply = match.position.ply
    controls = [
        _button("Move down", ids.bump_id(match.id)),
        _button("Resign", ids.resign_id(match.id, ply)),
    ]
    if board is not None and len(match.position.playable_boards) > 1:
        controls.insert(0, _button("Other board", ids.back_id(match.id, ply)))
    return controls


def _button(
    label: str,
    custom_id: str,
    style: discord.ButtonStyle = discord.ButtonStyle.secondary,
    *,
    disabled: bool = False,
) -> Button:
    return discord.ui.Button(label=label, custom_id=custom_id, style=style, disabled=disabled)


def _accent(match: Match) -> discord.Colour:
    """Return the colour of the side to move, so that the turn shows at a glance."""
    if match.is_over:
        return OVER_COLOUR
    return COLOURS[match.position.side]
