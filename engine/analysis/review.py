"""A game looked over move by move."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from engine.analysis.model import Analysis, MoveReview
from engine.forced_win import forced_win_move
from engine.game import Game
from engine.outcome import X
from engine.position import Position
from engine.search.balance import invites_swap
from engine.search.mcts import Limit, Proof, Searcher
from engine.types import Cell, Side

Progress = Callable[[int, int], object]

_OPPOSITE = {Proof.WIN: Proof.LOSS, Proof.DRAW: Proof.DRAW, Proof.LOSS: Proof.WIN}


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """A position as the side to move sees it."""

    side: Side
    chance: float
    line: tuple[Cell, ...]
    proven: Proof | None


def analyse_game(
    game: Game,
    limit: Limit,
    *,
    progress: Progress | None = None,
    stop: threading.Event | None = None,
    seed: int = 1,
) -> Analysis:
    """Look a game over; blocks, run it in a thread.

    Args:
        game: Finished or not; it must not change meanwhile.
        limit: How long to think about each position.
        progress: Told how many positions have been looked at, and of how many.
        stop: Set it to get what has been found so far within a few milliseconds.
        seed: With a limit in iterations, the same seed gives the same analysis.

    Examples:
        >>> from engine import Rules
        >>> game = Game.replay(Rules(depth=1), [4, 1, 0, 8, 6])
        >>> found = analyse_game(game, Limit(iterations=400))
        >>> [review.judgement.value for review in found.reviews][1]
        'blunder'
    """
    rules = game.rules
    searcher = Searcher(rules)
    played = game.moves[len(game.opening_moves) :]
    positions = [game.start]
    for move in played:
        positions.append(positions[-1].after(move))
    views: list[_View] = []
    for position in positions:
        if stop is not None and stop.is_set():
            break
        view = _view(position, searcher, limit, stop, seed)
        if stop is not None and stop.is_set():
            break  # what was cut short is worth nothing
        views.append(view)
        if progress is not None:
            progress(len(views), len(positions))
    return Analysis(
        rules=rules,
        first_ply=game.start.ply,
        chances=tuple(view.chance if view.side == X else 1 - view.chance for view in views),
        reviews=tuple(
            _review(positions[place], played[place], views[place], views[place + 1])
            for place in range(len(views) - 1)
        ),
        complete=len(views) == len(positions),
    )


def _view(
    position: Position,
    searcher: Searcher,
    limit: Limit,
    stop: threading.Event | None,
    seed: int,
) -> _View:
    outcome = position.outcome
    if outcome is not None:
        if outcome.winner is None:
            proven = Proof.DRAW
        else:
            proven = Proof.WIN if outcome.winner == position.side else Proof.LOSS
        return _View(side=position.side, chance=_WORTH[proven], line=(), proven=proven)
    known = forced_win_move(position)
    if known is not None:
        return _View(side=position.side, chance=1.0, line=(known,), proven=Proof.WIN)
    report = searcher.search(position, limit, seed=seed, stop=stop)
    return _View(
        side=position.side,
        chance=report.score_for_side,
        line=report.principal_line,
        proven=report.proven,
    )


_WORTH = {Proof.WIN: 1.0, Proof.DRAW: 0.5, Proof.LOSS: 0.0}


def _review(position: Position, move: Cell, before: _View, after: _View) -> MoveReview:
    """Compare the move that was played with what was found before and after it.

    Both looks see the move that was played; the later one sees further. Where it likes
    the move better than anything the first one found, there was nothing better. A first
    move before a swap of seats is not meant to be the best and is not judged.
    """
    chance_after = 1 - after.chance
    proven_after = None if after.proven is None else _OPPOSITE[after.proven]
    best_move, best_line = before.line[0], before.line
    chance_before, proven_before = before.chance, before.proven
    if best_move == move or chance_after >= chance_before or invites_swap(position):
        best_move, best_line = move, (move, *after.line)
        chance_before = chance_after
        proven_before = proven_before or proven_after
    return MoveReview(
        ply=position.ply,
        side=position.side,
        move=move,
        best_move=best_move,
        best_line=best_line,
        chance_before=chance_before,
        chance_after=chance_after,
        is_forced=len(position.legal_moves) == 1,
        proven_before=proven_before,
        proven_after=proven_after,
    )
