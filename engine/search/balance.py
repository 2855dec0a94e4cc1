"""Choosing a first move when the other side may swap seats after it (pie rule).

The best first move would be taken over, so this looks for one that leaves both sides the
same chances, as far as the search can tell.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from engine.position import Position
from engine.search.evaluation import Evaluation
from engine.search.mcts import Limit, SearchReport, search
from engine.sending import symmetries, transform
from engine.types import Cell

_MOST_CANDIDATES: Final = 40  # 15 of 81 cells differ by symmetry; of 729 a random few must do
_CLOSER_LOOKS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstMove:
    """A first move, the chance of its side if nobody swaps, and the search report on the reply."""

    move: Cell
    chance: float
    report: SearchReport


def invites_swap(position: Position) -> bool:
    """Whether the other side may swap seats after the next move."""
    return position.rules.has_swap and position.ply == 0


def different_first_moves(position: Position) -> tuple[Cell, ...]:
    """Return the first moves that differ by symmetry, one of each kind, ascending."""
    return tuple(sorted({_alike(position, move)[0] for move in position.legal_moves}))


def balanced_moves(
    position: Position,
    limit: Limit,
    *,
    seed: int | None = None,
    stop: threading.Event | None = None,
    evaluation: Evaluation | str = Evaluation.AUTO,
) -> tuple[FirstMove, ...]:
    """Return the first moves that differ by symmetry, the most balanced first.

    A limit in seconds is for all moves together, any other for each move. Setting `stop`
    ends it soon, with what has been found; `seed` and `evaluation` are as for `search`.
    """
    rng = random.Random(seed)
    different = list(different_first_moves(position))
    if len(different) > _MOST_CANDIDATES:
        different = rng.sample(different, _MOST_CANDIDATES)

    def look(moves: Sequence[Cell]) -> list[FirstMove]:
        seconds = None if limit.seconds is None else limit.seconds / (2 * len(moves))
        part = replace(limit, seconds=seconds)
        found = []
        for move in moves:
            report = search(position.after(move), part, seed=seed, stop=stop, evaluation=evaluation)
            found.append(FirstMove(move=move, chance=1 - report.score_for_side, report=report))
        return sorted(found, key=lambda first: abs(first.chance - 0.5))

    looked = look(different)
    near = look([first.move for first in looked[:_CLOSER_LOOKS]])
    return (*near, *looked[len(near) :])


def balanced_move(
    position: Position,
    limit: Limit,
    *,
    seed: int | None = None,
    stop: threading.Event | None = None,
    evaluation: Evaluation | str = Evaluation.AUTO,
) -> SearchReport:
    """Choose the most balanced first move, turned or mirrored at random; see `balanced_moves`.

    Examples:
        >>> from engine import Rules
        >>> start = Position.initial(Rules.parse("pie"))
        >>> abs(balanced_move(start, Limit(iterations=300), seed=1).score_for_side - 0.5) < 0.1
        True
    """
    started = time.perf_counter()
    found = balanced_moves(position, limit, seed=seed, stop=stop, evaluation=evaluation)
    rules, best = position.rules, found[0]
    chosen = random.Random(seed).choice(_alike(position, best.move))
    turn = next(one for one in symmetries(rules) if transform(best.move, one, rules) == chosen)
    by_move = {first.move: first for first in found}
    looks = {move: by_move.get(_alike(position, move)[0]) for move in position.legal_moves}
    line = (best.move, *best.report.principal_line)
    return SearchReport(
        move=chosen,
        score_for_side=best.chance,
        iterations=sum(first.report.iterations for first in found),
        seconds=time.perf_counter() - started,
        principal_line=tuple(transform(move, turn, rules) for move in line),
        visits={move: look.report.iterations if look else 0 for move, look in looks.items()},
        scores={move: look.chance if look else 0.5 for move, look in looks.items()},
    )


def _alike(position: Position, move: Cell) -> list[Cell]:
    """Return the moves that are like a first move by symmetry, ascending."""
    rules = position.rules
    return sorted({transform(move, one, rules) for one in symmetries(rules)})
