"""A position as text below its image, for players who have it read to them or enlarge it.

Discord allows 4,000 characters in a message. Nine local boards take about 350; a game of 729
cells would take 3,500 in lines wider than any phone, so of that only the board in play is told
cell by cell, and of the others who has them.
"""

from __future__ import annotations

from bot.language import _
from engine import Position
from engine.diagram import draw_overview, draw_part, draw_text


def text_board(position: Position, path: tuple[int, ...]) -> str:
    """Return a position as text in letters of one width, with a line that explains it.

    Args:
        position: Any position.
        path: The places of the boards chosen or forced, outermost first.
    """
    if position.rules.depth < 3:
        return f"{_block(draw_text(position))}\n{_legend(position)}"
    parts = [_block(draw_overview(position))]
    shown = path[0] if path else _last_strategic(position)
    if shown is not None:
        parts.append(_block(draw_part(position, shown)))
    return "\n".join([*parts, _legend(position)])


def _last_strategic(position: Position) -> int | None:
    """Return the strategic board of the last move, None before the first."""
    return None if position.last_move is None else position.last_move // 81


def _block(diagram: str) -> str:
    return f"```\n{diagram}\n```"


def _legend(position: Position) -> str:
    explained = {
        1: _("Digits are free cells, (X) is the last move."),
        2: _(
            "[5] is a board to play in, digits are free cells, (X) is the last move. "
            "Beside a board's number: X or O who has it, = drawn."
        ),
        3: _(
            "First all tactical boards: X or O who has one, = drawn, a digit where one may be "
            "played in. Then one strategic board: digits are free cells, (X) is the last move."
        ),
    }
    return f"-# {explained[position.rules.depth]}"
