"""The best moves of a position, with their chances."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace

from engine.analysis.calibration import correct
from engine.errors import EngineError
from engine.forced_win import forced_win
from engine.position import Position
from engine.search.balance import balanced_moves, invites_swap
from engine.search.mcts import Limit, Proof, search
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
    corrected (`calibration.py`), except those of first moves before a swap of seats. With a limit
    in iterations, the same seed gives the same hints. Setting `stop` ends it soon, with what has
    been found.

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
        else replace(hint, chance=correct(hint.chance, position.rules))
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
        return tuple(
            Hint(
                move=found.move,
                chance=found.chance,
                line=(found.move, *found.report.principal_line),
                proven=None,
            )
            for found in balanced_moves(position, each, seed=seed, stop=stop)[:count]
        )
    first = search(position, limit.part(2), seed=seed, stop=stop)
    ordered = sorted(
        first.visits,
        key=lambda move: (move == first.move, first.visits[move], first.scores[move]),
        reverse=True,
    )
    share = limit.part(2 * count)
    hints = [_closer(position, move, share, seed=seed, stop=stop) for move in ordered[:count]]
    if first.proven is Proof.WIN:  # the first look was longer: it may know more
        hints[0] = Hint(
            move=first.move,
            chance=first.score_for_side,
            line=first.principal_line,
            proven=first.proven,
            at_most_plies=first.distance,
        )
    known = forced_win(position)
    if known is not None:
        hints = [hint for hint in hints if hint.move != known.move][: count - 1]
        hints.insert(0, _certain(known.move, Proof.WIN, known.at_most_plies))
    return _in_order(hints)


def _in_order(hints: Iterable[Hint]) -> tuple[Hint, ...]:
    return tuple(
        sorted(hints, key=lambda hint: (hint.proven is Proof.WIN, hint.chance), reverse=True)
    )


def _certain(move: Cell, proven: Proof, at_most_plies: int | None) -> Hint:
    return Hint(
        move=move, chance=proven.chance, line=(move,), proven=proven, at_most_plies=at_most_plies
    )


def _closer(
    position: Position, move: Cell, limit: Limit, *, seed: int | None, stop: threading.Event | None
) -> Hint:
    after = position.after(move)
    if after.outcome is not None:
        ended = Proof.of(after.outcome, position.side)  # the side that ends the game may lose it
        return _certain(move, ended, 1 if ended is Proof.WIN else None)
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
