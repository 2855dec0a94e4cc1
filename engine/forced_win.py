"""The known forced win of Won-Board Play: X wins against every reply, in 43 plies at most.

The strategy (arXiv 2006.02353): begin in the centre, answer O's marks in the centre board
with the centre of the board named, then play two opposite cells of every board. A position
need not lie on it: every claim is checked against all replies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from engine import kernels
from engine.errors import EngineError
from engine.position import Position, loaded_rules
from engine.rules import Rules, WonBoard
from engine.types import Cell, X

if TYPE_CHECKING:
    from engine.kernels.strategy import Lines

# From the start 46,153 positions are met; a start that needs more than the capacity is given up.
_CAPACITY: Final = 1 << 16
_CENTRE: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class ForcedWin:
    """A win that nothing can stop: the move to play, and how many plies it takes at most."""

    move: Cell
    at_most_plies: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyProof:
    """What following the strategy against every reply has shown.

    Attributes:
        positions: Positions with X to move that can arise, each counted once.
        replies: Moves of O that were answered in them.
        endings: How many of the positions are won in one move, by the ply that ends the game.
    """

    positions: int
    replies: int
    endings: dict[int, int]


def prove_forced_win(rules: Rules) -> StrategyProof | None:
    """Follow the strategy from the start against every reply; None if it does not win.

    Raises:
        EngineError: If the rules are not those of a board with 81 cells.

    Examples:
        >>> prove_forced_win(Rules.parse("won-board")).positions
        46153
        >>> prove_forced_win(Rules()) is None
        True
    """
    if rules.depth != 2 or rules.needs_opening_code:
        raise EngineError(
            f"The strategy is one for games of 81 cells from the empty board; got {rules.key}"
        )
    lines = _follow(Position.initial(rules))
    if lines is None:
        return None
    return StrategyProof(
        positions=int(lines.head[kernels.strategy.POSITIONS]),
        replies=int(lines.head[kernels.strategy.REPLIES]),
        endings={ply: count for ply, count in enumerate(lines.endings.tolist()) if count},
    )


def forced_win(position: Position) -> ForcedWin | None:
    """Return the known forced win if it applies, as far as some 50,000 positions show.

    It applies if X is to move and the strategy, followed from here, beats every reply:
    on all its own lines, also turned and mirrored, and on some others. Takes 20 ms at
    the start of a game, less later, and no time for other rules.

    Examples:
        >>> forced_win(Position.initial(Rules.parse("won-board")))
        ForcedWin(move=40, at_most_plies=43)
        >>> forced_win(Position.initial(Rules())) is None
        True
    """
    rules = position.rules
    # Cheap, as it is asked before every move.
    if rules.depth != 2 or rules.won_board is not WonBoard.FORCED or position.side != X:
        return None
    if position.outcome is not None or (position.ply > 0 and position.mark_at(_CENTRE) != X):
        return None
    lines = _follow(position)
    if lines is None:
        return None
    return ForcedWin(
        move=int(kernels.strategy.answer(position.search_state().words)),
        at_most_plies=int(lines.head[kernels.strategy.LAST_PLY]) - position.ply,
    )


def _follow(position: Position) -> Lines | None:
    """Return the lines of the strategy from a position, None if one does not win."""
    lines = kernels.strategy.make_lines(_CAPACITY)
    words = position.search_state().words
    wins = kernels.strategy.follow(lines, words, *loaded_rules(position.rules))
    return lines if wins else None
