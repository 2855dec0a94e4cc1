"""The best moves of a position, with their chances."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from engine.analysis.calibration import correct
from engine.errors import EngineError
from engine.forced_win import forced_win
from engine.position import Position
from engine.search.balance import FirstMove, balanced_moves, invites_swap
from engine.search.mcts import Limit, Proof, SearchReport, search
from engine.types import Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """A move worth playing.

    Attributes:
        chance: What the side to move can expect after it: 1 a win, 0.5 a draw, 0 a loss; corrected
            by what came of such expectations if that was measured.
        line: The likeliest moves, `move` first.
        proven: A result that is certain after it, for the side to move; None if none is.
        at_most_plies: The most plies until a proven win comes, if known.
    """

    move: Cell
    chance: float
    line: tuple[Cell, ...]
    proven: Proof | None
    at_most_plies: int | None = None


def best_moves(
    position: Position,
    limit: Limit,
    count: int = 3,
    *,
    seed: int | None = None,
    stop: threading.Event | None = None,
) -> tuple[Hint, ...]:
    """Return the best moves, best first; blocks, run it in a thread.

    Half of the limit goes into all moves, half into a closer look at the best ones. Chances are
    corrected (`calibration.py`), except those of first moves before a swap of seats.

    Args:
        position: A position that is not over.
        limit: How long to think in total.
        count: How many moves at most.
        seed: With a limit in iterations, the same seed gives the same hints.
        stop: Set it to end soon, with what has been found.

    Raises:
        GameOverError: If the game has ended.
        EngineError: If `count` is not positive.

    Examples:
        >>> from engine import Rules
        >>> hints = best_moves(Position.initial(Rules()), Limit(iterations=600), seed=1)
        >>> len(hints), hints[0].chance >= hints[1].chance >= hints[2].chance
        (3, True)
    """
    found = expected_moves(position, limit, count, seed=seed, stop=stop)
    if invites_swap(position):
        return found
    return _in_order(
        hint
        if hint.proven is not None
        else replace(hint, chance=correct(hint.chance, position.side, position.rules))
        for hint in found
    )


def expected_moves(
    position: Position,
    limit: Limit,
    count: int,
    *,
    seed: int | None = None,
    stop: threading.Event | None = None,
) -> tuple[Hint, ...]:
    """Return the same as `best_moves`, with the chances that the search expects."""
    if count < 1:
        raise EngineError(f"At least one move must be asked for, got {count}")
    if invites_swap(position):
        each = replace(limit.part(len(position.legal_moves)), seconds=limit.seconds)
        return _balanced(balanced_moves(position, each, seed=seed, stop=stop)[:count])
    first = search(position, limit.part(2), seed=seed, stop=stop)

    def promise(move: Cell) -> tuple[bool, int, float]:
        return move == first.move, first.visits[move], first.scores.get(move, 0.5)

    ordered = sorted(first.visits, key=promise, reverse=True)
    share = limit.part(2 * count)
    hints = [_closer(position, move, share, seed=seed, stop=stop) for move in ordered[:count]]
    if first.proven is Proof.WIN:  # the first look was longer: it may know more
        hints[0] = _of_report(first)
    known = forced_win(position)
    if known is not None:
        hints = [hint for hint in hints if hint.move != known.move][: count - 1]
        hints.insert(0, _certain(known.move, known.at_most_plies))
    return _in_order(hints)


def _in_order(hints: Iterable[Hint]) -> tuple[Hint, ...]:
    return tuple(
        sorted(hints, key=lambda hint: (hint.proven is Proof.WIN, hint.chance), reverse=True)
    )


def _balanced(found: Sequence[FirstMove]) -> tuple[Hint, ...]:
    return tuple(
        Hint(
            move=first.move,
            chance=first.chance,
            line=(first.move, *first.report.principal_line),
            proven=None,
        )
        for first in found
    )


def _certain(move: Cell, at_most_plies: int) -> Hint:
    return Hint(move=move, chance=1.0, line=(move,), proven=Proof.WIN, at_most_plies=at_most_plies)


def _of_report(report: SearchReport) -> Hint:
    return Hint(
        move=report.move,
        chance=report.score_for_side,
        line=report.principal_line,
        proven=report.proven,
        at_most_plies=report.distance if report.proven is Proof.WIN else None,
    )


def _closer(
    position: Position, move: Cell, limit: Limit, *, seed: int | None, stop: threading.Event | None
) -> Hint:
    """Look at what can be expected after a move."""
    after = position.after(move)
    if after.outcome is not None:
        if after.outcome.winner is None:
            return Hint(move=move, chance=0.5, line=(move,), proven=Proof.DRAW)
        if after.outcome.winner != position.side:  # the side that ends the game may lose it
            return Hint(move=move, chance=0.0, line=(move,), proven=Proof.LOSS)
        return _certain(move, 1)
    report = search(after, limit, seed=seed, stop=stop)
    proven = None if report.proven is None else report.proven.opposite
    distance = None if report.distance is None else report.distance + 1
    return Hint(
        move=move,
        chance=1 - report.score_for_side,
        line=(move, *report.principal_line),
        proven=proven,
        at_most_plies=distance if proven is Proof.WIN else None,
    )
