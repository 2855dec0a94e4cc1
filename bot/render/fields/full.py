"""The Full fields: a game field on top, a move field and a Help field below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.render.fields.drawing import Align, Block, Label, assemble
from bot.render.fields.owners import GRID_WIDTH, strategic_grid, tactical_grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine import Position

WIDTH: Final = 39

# What is drawn of a mapped field is 35 cells wide, labels on its right aside.
_BOARD_X: Final = 2
_BELOW_Y: Final = 32
_HELP_X: Final = WIDTH - GRID_WIDTH

_TITLE_SIZE: Final = 0.62


def full_field(
    board: Block, record: Block, *, captions: Sequence[str], position: Position | None
) -> Block:
    """Return a game field with its record and its help field beneath."""
    helping = _help_column(captions, position, height=record.height)
    return assemble(
        WIDTH,
        _BELOW_Y + record.height,
        [(_BOARD_X, 0, board), (0, _BELOW_Y, record), (_HELP_X, _BELOW_Y, helping)],
    )


def _help_column(captions: Sequence[str], position: Position | None, *, height: int) -> Block:
    words = [(0, "Tactical Grid"), (13, "Strategic Grid")]
    words += [(18 + line, caption) for line, caption in enumerate(captions)]
    titles = tuple(
        Label(x=0, y=y, width=GRID_WIDTH, text=text, size=_TITLE_SIZE, align=Align.CENTRE)
        for y, text in words
    )
    parts = [
        (0, 0, Block(width=GRID_WIDTH, height=height, shapes=titles)),
        (0, 1, tactical_grid(position)),
        (4, 14, strategic_grid(position)),
    ]
    return assemble(GRID_WIDTH, height, parts)
