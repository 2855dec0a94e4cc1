"""What is wrong with a move: the reply after which the win is gone."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Final

from engine import kernels
from engine.position import Position
from engine.search.mcts import Limit, Proof, search
from engine.search.solving import Question, ask
from engine.types import Cell, Side, other

_ITERATIONS: Final = 2_000  # some 5 ms near the end, where that mostly proves the result
_NODES: Final = 50_000  # for each question, as when puzzles are made
_TABLE_SIZE: Final = 1 << 16  # 2 MB


@dataclass(frozen=True, slots=True, kw_only=True)
class Refutation:
    """A reply to a move that does not win.

    Attributes:
        reply: After it, as far as is known, the player of the move can no longer force a win.
        proven: Its result for the side that replies, None if that is not known.
    """

    reply: Cell
    proven: Proof | None


def refute(position: Position, *, stop: threading.Event | None = None) -> Refutation:
    """Return the reply to the last move; blocks, run it in a thread.

    The same position always gives the same reply, unless `stop` is set.

    Raises:
        GameOverError: If the game has ended.

    Examples:
        >>> from engine import load_puzzles
        >>> puzzle = load_puzzles("standard")[1]
        >>> position = puzzle.start().position
        >>> wrong = next(m for m in position.legal_moves if m != puzzle.solution[0])
        >>> refute(position.after(wrong)).proven is not None
        True
    """
    report = search(position, Limit(iterations=_ITERATIONS), seed=1, stop=stop)
    if report.proven in (Proof.WIN, Proof.DRAW):
        return Refutation(reply=report.move, proven=report.proven)
    attacker, visits = other(position.side), report.visits
    for reply in sorted(visits, key=lambda it: (it == report.move, visits[it]), reverse=True):
        if _forces_win(position.after(reply), attacker, stop) is False:
            lost = _forces_win(position.after(reply), position.side, stop)
            return Refutation(reply=reply, proven=_PROVEN[lost])
    return Refutation(reply=report.move, proven=None)


_PROVEN: Final = {True: Proof.WIN, False: Proof.DRAW, None: None}


def _forces_win(position: Position, side: Side, stop: threading.Event | None) -> bool | None:
    """Whether a side can force a win, None if that takes too long."""
    if position.outcome is not None:
        return position.outcome.winner == side
    question = Question(position, side, kernels.solving.make_table(_TABLE_SIZE))
    ask((question,), lambda: question.nodes >= _NODES or (stop is not None and stop.is_set()))
    return question.is_won
