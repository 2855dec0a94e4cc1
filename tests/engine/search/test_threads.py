"""Several threads: a tree each, one report."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import pytest

from engine import EngineError, Game, Limit, Position, Proof, Rules, Searcher, parse_move, search
from engine.search.mcts import grow_all
from engine.search.report import summarize
from engine.search.trees import PlayoutTree


def position_after(rules: Rules, moves: str) -> Position:
    game = Game(rules)
    for text in moves.split():
        game.push(parse_move(text, rules))
    return game.position


@pytest.mark.parametrize("evaluation", ["hand", "playouts"])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_share_the_iterations(evaluation: str, threads: int):
    position = position_after(Rules(), "55 51 19")
    limit = Limit(iterations=1000)
    first, again = (
        search(position, limit, seed=4, evaluation=evaluation, threads=threads) for _ in range(2)
    )

    assert first.iterations == sum(first.visits.values()) == 1000
    assert tuple(first.visits) == position.legal_moves
    assert replace(first, seconds=0) == replace(again, seconds=0)
    assert first.principal_line[0] == first.move
    assert first.scores is not None
    assert all(0 <= score <= 1 for score in first.scores.values())
    for move in first.principal_line:
        position = position.after(move)


def test_threads_think_about_different_things():
    position = position_after(Rules(), "55 51 19")
    alone = search(position, Limit(iterations=500), seed=4, evaluation="hand")
    together = search(position, Limit(iterations=1000), seed=4, evaluation="hand", threads=2)

    assert together.visits != {move: 2 * visits for move, visits in alone.visits.items()}


def test_fewer_iterations_than_threads_are_enough():
    report = search(Position.initial(Rules()), Limit(iterations=2), seed=1, threads=5)

    assert report.iterations == sum(report.visits.values()) == 2


def test_what_one_tree_has_proven_counts():
    """The second tree has seen next to nothing; the first has the answer."""
    position = position_after(Rules(depth=1), "5 1 2")
    trees = [PlayoutTree(position, 5000), PlayoutTree(position, 5000)]
    grow_all(trees[:1], 1, Limit(iterations=4000), None)
    grow_all(trees[1:], 2, Limit(iterations=1), None)
    report = summarize(trees, position.side, 0)

    assert report.proven is Proof.DRAW
    assert position.after(report.move).legal_moves
    assert report.move == 7  # only the cell that stops 5, 2, 8 draws
    assert report.score_for_side == 0.5
    assert report.scores is not None
    assert set(report.scores.values()) == {0.0, 0.5}


def test_all_trees_go_on_with_the_game():
    searcher = Searcher(Rules(), evaluation="hand", threads=2)
    start = Position.initial(Rules())
    first = searcher.search(start, Limit(iterations=4000), seed=1)
    move, reply = first.principal_line[:2]
    second = searcher.search(start.after(move).after(reply), Limit(iterations=50), seed=1)
    unknown = search(start.after(move).after(reply), Limit(iterations=50), seed=1, threads=2)

    assert second.iterations == 50
    assert sum(second.visits.values()) > 200 > sum(unknown.visits.values())
    searcher.forget()
    again = searcher.search(start.after(move).after(reply), Limit(iterations=50), seed=1)
    assert sum(again.visits.values()) == 50


def test_a_stop_ends_all_threads():
    stop = threading.Event()
    before = threading.active_count()
    timer = threading.Timer(0.02, stop.set)
    timer.start()
    report = search(
        Position.initial(Rules()), Limit(iterations=10**9), seed=1, stop=stop, threads=3
    )
    timer.join()

    assert 0 < report.iterations < 10**8
    assert threading.active_count() == before


def test_a_certain_result_ends_all_threads():
    """With minutes to go, a win in one is played at once by both."""
    position = position_after(Rules(depth=1), "5 1 2 3")
    started = time.perf_counter()
    report = search(position, Limit(seconds=300), seed=1, threads=2)

    assert (report.move, report.proven) == (7, Proof.WIN)
    assert time.perf_counter() - started < 60


def test_no_thread_is_refused():
    with pytest.raises(EngineError, match="a thread at least, got 0"):
        search(Position.initial(Rules()), Limit(iterations=5), threads=0)
