"""A position as text below its image, for players who have it read to them or enlarge it.

Discord allows 4,000 characters in a message. Nine local boards take about 350; a game of 729
cells would take 3,500 in lines wider than any phone, so of that only the board in play is told
cell by cell, with where its cells send, and of the others who has them.
"""

from __future__ import annotations

from bot.language import _
from engine import Position, Sending
from engine.diagram import draw_hypermap, draw_overview, draw_part, draw_text, tell_sending


def text_board(position: Position, path: tuple[int, ...]) -> str:
    """Return a position as text in letters of one width, with a line that explains it.

    Args:
        position: Any position.
        path: The places of the boards chosen or forced, outermost first.
    """
    if position.rules.depth < 3:
        return f"{_block(draw_text(position))}\n{_legend(position, path)}"
    parts = [_block(draw_overview(position))]
    shown = path[0] if path else _last_strategic(position)
    if shown is not None:
        parts.append(_block(draw_part(position, shown)))
        if _has_hypermap(position, path):
            parts.append(_block(draw_hypermap(position, shown)))
    return "\n".join([*parts, *_sendings(position, path), _legend(position, path)])


def _last_strategic(position: Position) -> int | None:
    """Return the strategic board of the last move, None before the first."""
    return None if position.last_move is None else position.last_move // 81


def _sendings(position: Position, path: tuple[int, ...]) -> list[str]:
    """Return where the cells send of each tactical board that may be played in at `path`."""
    if not path:
        return []
    boards = [
        board for board in position.playable_boards if (board // 9, board % 9)[: len(path)] == path
    ]
    return [tell_sending(position, board).told(_) for board in boards]


def _block(diagram: str) -> str:
    return f"```\n{diagram}\n```"


def _has_hypermap(position: Position, path: tuple[int, ...]) -> bool:
    """Whether there are numbers of a hypermap that `_sendings` leaves out."""
    return position.rules.sending is Sending.HYPERMAP and len(path) == 2


def _legend(position: Position, path: tuple[int, ...]) -> str:
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
    words = [explained[position.rules.depth]]
    if position.rules.sending is Sending.MAP:
        words.append(_("The number before a row is the strategic board its cells send to."))
    if _has_hypermap(position, path):
        words.append(_("Last its hypermap: the strategic board each empty cell sends to."))
    return f"-# {' '.join(words)}"
