"""The search over valued moves: proofs, limits, and the tree that is kept."""

from __future__ import annotations

import random
import threading
import time
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from engine import (
    VARIANTS,
    Clock,
    EngineError,
    Game,
    Limit,
    Position,
    Proof,
    Rules,
    Searcher,
    SearchReport,
    draw_opening_code,
    kernels,
    parse_position,
    search,
)
from engine.rules import WonBoard
from tests.engine.playing import VALUE, Exhaustive, TooLargeError, play_on

DEPTH_TWO = [key for key, variant in VARIANTS.items() if variant.rules.depth == 2]


def random_game(key: str, plies: int, seed: int) -> Game | None:
    """Return a random game that is still going on after this number of moves, else None."""
    rules = VARIANTS[key].rules
    game = Game(rules, draw_opening_code(rules, seed=seed))
    play_on(game, random.Random(f"{key}/{seed}"), plies)
    return game if game.outcome is None else None


# `test_distances.py` is as strict and always run; it has fewer endings of fewer variants.
BRIEFLY = ("standard", "majority", "won-board")


@pytest.mark.parametrize(
    "key",
    [key if key in BRIEFLY else pytest.param(key, marks=pytest.mark.long) for key in DEPTH_TWO],
)
def test_small_endings_are_proven_exactly(key: str):
    """Every proof is true, nearly every small ending is proven, and the move keeps it."""
    checked = proven = 0
    # Where play goes on in won boards, an ending is small only when the board is nearly full.
    start = 58 if VARIANTS[key].rules.won_board is WonBoard.CLOSED else 66
    for seed in range(150):
        game = random_game(key, start + seed % 12, seed)
        if game is None:
            continue
        truth = Exhaustive(3000)
        try:
            value, _ = truth.look(game.position)
        except TooLargeError:
            continue
        checked += 1
        report = search(game.position, Limit(iterations=60_000), seed=seed)
        if report.proven is not None:
            proven += 1
            assert VALUE[report.proven] == value
            assert truth.look(game.position.after(report.move))[0] == -value
            assert (report.distance is None) == (report.proven is Proof.DRAW)
        if checked == 12:
            break
    assert checked >= 3
    assert proven >= checked - 1


def test_a_proven_win_is_played_out_within_its_distance():
    """From a proven win the searcher wins in time, whatever the other does."""
    wins = 0
    for seed in range(80):
        game = random_game("standard", 40 + seed % 15, seed)
        if game is None:
            continue
        searcher = Searcher(game.position.rules)
        report = searcher.search(game.position, Limit(iterations=2000), seed=seed)
        if report.proven is not Proof.WIN:
            continue
        wins += 1
        winner, left = game.position.side, report.distance
        assert left is not None
        rng = random.Random(seed)
        while game.outcome is None:
            if game.position.side == winner:
                report = searcher.search(game.position, Limit(iterations=2000), seed=seed)
                assert report.proven is Proof.WIN
                assert report.distance is not None
                assert report.distance <= left
                game.push(report.move)
            else:
                game.push(rng.choice(game.position.legal_moves))
            left -= 1
        assert game.outcome.winner == winner
    assert wins > 5


def test_the_tree_is_kept_as_the_game_goes_on():
    rules = Rules()
    searcher = Searcher(rules, evaluation="hand")
    start = Position.initial(rules)
    first = searcher.search(start, Limit(iterations=2000), seed=1)
    own = start.after(first.move)
    reply = max(own.legal_moves, key=lambda move: first.principal_line[1:2].count(move))
    position = own.after(reply)
    second = searcher.search(position, Limit(iterations=50), seed=1)

    assert tuple(second.visits) == position.legal_moves
    assert second.iterations == 50
    assert sum(second.visits.values()) > 200
    searcher.forget()
    assert sum(searcher.search(position, Limit(iterations=50), seed=1).visits.values()) == 50


def test_the_same_position_is_thought_about_further():
    searcher = Searcher(Rules(), evaluation="hand")
    start = Position.initial(Rules())
    for total in (100, 200, 300):
        report = searcher.search(start, Limit(iterations=100), seed=1)
        assert sum(report.visits.values()) == total


@pytest.mark.parametrize("key", DEPTH_TWO)
def test_a_kept_tree_plays_legally_to_the_end(key: str):
    rules = VARIANTS[key].rules
    game = Game(rules, draw_opening_code(rules, seed=1))
    searchers = [Searcher(rules, max_nodes=4000), Searcher(rules, max_nodes=4000)]
    rng = random.Random(1)
    while game.outcome is None:
        position = game.position
        report = searchers[position.side].search(position, Limit(iterations=300), seed=1)
        assert tuple(report.visits) == position.legal_moves
        assert 0 <= report.score_for_side <= 1
        line = position
        for move in report.principal_line:
            line = line.after(move)
        surprise = rng.random() < 0.2
        game.push(rng.choice(position.legal_moves) if surprise else report.move)


@pytest.mark.parametrize("seeds", [range(10), pytest.param(range(10, 40), marks=pytest.mark.long)])
def test_a_kept_tree_keeps_proofs(seeds: range, monkeypatch: pytest.MonkeyPatch):
    """Nothing that was proven is forgotten when room is made for more."""
    opposite = {Proof.WIN: Proof.LOSS, Proof.DRAW: Proof.DRAW, Proof.LOSS: Proof.WIN}
    compact, made_room, kept, checked = kernels.puct.compact, 0, 0, 0

    def counted(*args: Any) -> None:
        nonlocal made_room
        made_room += 1
        compact(*args)

    monkeypatch.setattr(kernels.puct, "compact", counted)
    for seed in seeds:
        game = random_game("majority", 50, seed)
        if game is None:
            continue
        searcher = Searcher(game.position.rules, max_nodes=700)
        before: Proof | None = None
        while game.outcome is None:
            report = searcher.search(game.position, Limit(iterations=400), seed=1)
            if before is not None:
                assert report.proven is opposite[before]
                kept += 1
            with suppress(TooLargeError):
                value, _ = Exhaustive(100).look(game.position)
                if report.proven is not None:
                    assert VALUE[report.proven] == value
                    checked += 1
            before = report.proven
            game.push(report.move)
        if before is not None:
            winner = game.outcome.winner
            last = 0 if winner is None else (-1 if winner == game.position.side else 1)
            assert VALUE[before] == last
    assert min(made_room, kept, checked) > len(seeds)


@pytest.mark.parametrize("key", ["standard", "open-board"])
def test_a_full_tree_forgets_what_it_visited_least(key: str):
    """It keeps growing, finds the same from the same seed, and stays within its bounds."""
    start = Position.initial(VARIANTS[key].rules)

    def think(*, forgets: bool) -> tuple[SearchReport, int]:
        searcher = Searcher(start.rules, evaluation="hand", max_nodes=3000, forgets=forgets)
        for _ in range(3):
            report = searcher.search(start, Limit(iterations=5000), seed=2)
        assert searcher._tree is not None
        return report, searcher._tree.nodes

    grown, nodes = think(forgets=True)
    stuck, stuck_nodes = think(forgets=False)

    assert grown.iterations == 5000
    assert sum(grown.visits.values()) == 15_000
    assert 700 < nodes <= 3000
    assert stuck_nodes > 2900
    assert len(grown.principal_line) > len(stuck.principal_line)
    assert think(forgets=True)[0].visits == grown.visits


@pytest.mark.parametrize("forgets", [True, False])
def test_a_full_tree_is_never_without_a_move(forgets: bool):
    """Even without the time or the permission to make room; each game ends."""
    for limit in (Limit(iterations=2500), Limit(seconds=1e-5)):
        position = Position.initial(VARIANTS["majority"].rules)
        searcher = Searcher(position.rules, evaluation="hand", max_nodes=2500, forgets=forgets)
        rng = random.Random(3)
        while position.outcome is None:
            for _ in range(3):
                report = searcher.search(position, limit, seed=1)
            assert tuple(report.visits) == position.legal_moves
            position = position.after(rng.choice(position.legal_moves))


def test_a_search_tells_how_it_stands():
    told: list[SearchReport] = []
    start = Position.initial(Rules())
    report = Searcher(Rules(), evaluation="hand").search(
        start, Limit(iterations=20_000), seed=1, watch=told.append, watch_seconds=0
    )

    assert len(told) > 1
    assert [one.iterations for one in told] == sorted({one.iterations for one in told})
    assert told[-1].iterations <= report.iterations == 20_000
    assert all(one.move in start.legal_moves for one in told)


def test_processor_time_is_a_limit():
    start = Position.initial(Rules())
    before = time.thread_time()
    report = search(start, Limit(seconds=0.2, clock=Clock.CPU), seed=1, evaluation="hand")

    assert 0 < report.seconds <= time.thread_time() - before
    limit = Limit(seconds=0.2, iterations=5, clock=Clock.CPU)
    assert limit.less(0.05) == replace(limit, seconds=limit.less(0.05).seconds)
    assert limit.less(0.05).seconds == pytest.approx(0.15)
    assert limit.less(9).seconds == pytest.approx(0.0, abs=1e-6)
    assert Limit(iterations=5).less(3) == Limit(iterations=5)


def test_what_is_made_ready_finds_the_same():
    start = Position.initial(VARIANTS["pie"].rules)
    ready, plain = Searcher(start.rules, max_nodes=9000), Searcher(start.rules, max_nodes=9000)
    ready.get_ready()
    reports = [one.search(start, Limit(iterations=400), seed=1) for one in (ready, plain)]

    assert reports[0].visits == reports[1].visits


def test_another_game_begins_anew():
    searcher = Searcher(Rules(), evaluation="hand")
    start = Position.initial(Rules())
    searcher.search(start.after(40).after(36), Limit(iterations=500), seed=1)
    report = searcher.search(start.after(0), Limit(iterations=50), seed=1)

    assert sum(report.visits.values()) == 50
    with pytest.raises(EngineError, match="This searcher is for"):
        searcher.search(Position.initial(VARIANTS["majority"].rules), Limit(iterations=5))


def test_a_limit_in_nodes_is_kept():
    start = Position.initial(Rules())
    report = search(start, Limit(nodes=2000), seed=1, evaluation="hand")
    again = search(start, Limit(nodes=2000), seed=1, evaluation="hand")

    assert report.visits == again.visits
    assert 100 < report.iterations < 2000


@pytest.mark.parametrize("evaluation", ["hand", "playouts"])
def test_a_stop_ends_a_search_from_another_thread(evaluation: str):
    stop = threading.Event()
    reports = []
    thread = threading.Thread(
        target=lambda: reports.append(
            search(
                Position.initial(Rules()),
                Limit(iterations=10**9),
                stop=stop,
                seed=1,
                evaluation=evaluation,
            )
        )
    )
    thread.start()
    time.sleep(0.02)
    stop.set()
    thread.join(timeout=30)

    assert not thread.is_alive()
    assert reports[0].iterations > 0


def test_a_position_without_choice_is_answered():
    position = parse_position("won-board X 71 1 9 XOXXOXO1O/9/9/9/9/9/O3X4/9/9")
    (only,) = position.legal_moves

    assert search(position, Limit(iterations=1), seed=1).move == only
