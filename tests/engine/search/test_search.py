"""The search: what it must find, keep to and repeat."""

from __future__ import annotations

import random
import threading
from dataclasses import replace

import pytest

from engine import (
    VARIANTS,
    EngineError,
    Evaluation,
    Game,
    GameOverError,
    Limit,
    Position,
    Proof,
    Rules,
    Searcher,
    draw_opening_code,
    perft,
    search,
)
from tests.engine.playing import VALUE, Exhaustive, play, play_on

SOME = Limit(iterations=400)


def random_position(key: str, plies: int, seed: int) -> Position | None:
    """Return a running position of a random game, None when it ended before."""
    rules = VARIANTS[key].rules
    game = play_on(Game(rules, draw_opening_code(rules, seed=seed)), random.Random(seed), plies)
    return game.position if game.outcome is None else None


@pytest.mark.parametrize("enough", [4, pytest.param(300, marks=pytest.mark.long)])
@pytest.mark.parametrize("key", [key for key in VARIANTS if not key.startswith("sttt")])
def test_a_win_in_one_is_taken(key: str, enough: int):
    found = 0
    for seed in range(300):
        position = random_position(key, 48 + seed % 20, seed)
        if position is None:
            continue
        wins = []
        for move in position.legal_moves:
            outcome = position.after(move).outcome
            if outcome is not None and outcome.winner == position.side:
                wins.append(move)
        if wins:
            found += 1
            report = search(position, SOME, seed=seed)
            assert report.move in wins
            assert (report.proven, report.score_for_side) == (Proof.WIN, 1.0)
            if found == enough:
                break

    assert found


def test_a_loss_in_one_is_stopped():
    """O must not send X to the board where X wins the game, if there is another way."""
    found = 0
    for seed in range(200):
        position = random_position("standard", 46, seed)
        if position is None:
            continue
        losing = {move for move in position.legal_moves if can_win_now(position.after(move))}
        if losing and losing != set(position.legal_moves):
            found += 1
            report = search(position, Limit(iterations=3000), seed=seed)
            assert report.proven is Proof.LOSS or report.move not in losing

    assert found > 5


def can_win_now(position: Position) -> bool:
    """Whether the side to move can end the game with a win at once."""
    for move in position.legal_moves:
        outcome = position.after(move).outcome
        if outcome is not None and outcome.winner == position.side:
            return True
    return False


def test_what_is_proven_is_true():
    """Endings small enough to search every line: the proof must say the same."""
    checked = 0
    for key in ("standard", "won-board", "tic-tac-ku", "tactical", "majority"):
        for seed in range(40):
            position = random_position(key, 66, seed)
            if position is None or perft(position, 8) > 400:
                continue
            checked += 1
            report = search(position, Limit(iterations=100_000), seed=seed)
            if report.proven is not None:
                truth = Exhaustive(100_000)
                value, _ = truth.look(position)
                assert VALUE[report.proven] == value
                assert truth.look(position.after(report.move))[0] == -value

    assert checked > 10


def test_tic_tac_toe_is_proven_a_draw():
    report = search(Position.initial(Rules(depth=1)), Limit(iterations=500_000), seed=1)

    assert report.proven is Proof.DRAW
    assert report.score_for_side == 0.5


@pytest.mark.parametrize("evaluation", Evaluation)
def test_a_seed_repeats_a_search(evaluation: Evaluation):
    position = play("standard", "55 51 19").position
    limit = Limit(iterations=5000)
    first, second, other = (
        search(position, limit, seed=seed, evaluation=evaluation) for seed in (7, 7, 8)
    )

    assert replace(first, seconds=0) == replace(second, seconds=0)
    assert first.visits != other.visits


def test_a_report_is_about_the_position():
    position = play("standard", "55 51").position
    report = search(position, Limit(iterations=1000), seed=1)

    assert report.iterations == sum(report.visits.values()) == 1000
    assert tuple(report.visits) == position.legal_moves
    assert report.principal_line[0] == report.move
    assert 0 <= report.score_for_side <= 1
    for move in report.principal_line:
        position = position.after(move)


def test_a_set_stop_ends_an_endless_search():
    stop = threading.Event()
    stop.set()
    report = search(Position.initial(Rules()), Limit(iterations=10**9), seed=1, stop=stop)

    assert 0 < report.iterations < 10**6


def test_time_ends_an_endless_search():
    report = search(Position.initial(Rules()), Limit(seconds=0.01, iterations=10**9), seed=1)

    assert 0 < report.iterations < 10**6


def test_a_finished_game_and_an_empty_limit_are_refused():
    over = play("depth=1", "1 4 2 5 3").position
    with pytest.raises(GameOverError, match="X wins"):
        search(over, SOME)
    with pytest.raises(EngineError, match="needs a limit"):
        Limit()
    with pytest.raises(EngineError, match="seconds must be positive, got 0"):
        Limit(seconds=0)


@pytest.mark.parametrize("key", VARIANTS)
def test_every_variant_is_searched_to_the_end(key: str):
    rules = VARIANTS[key].rules
    game = Game(rules, draw_opening_code(rules, seed=1))
    iterations = 20 if rules.depth == 3 else 60
    while game.outcome is None:
        game.push(search(game.position, Limit(iterations=iterations), seed=len(game.moves)).move)

    assert len(game.moves) <= rules.cell_count


@pytest.mark.parametrize("evaluation", ["playouts", "hand"])
def test_a_full_tree_goes_on(evaluation: str):
    """Memory is bounded: further iterations go on without remembering their moves."""
    searcher = Searcher(Rules(), evaluation=evaluation, max_nodes=500)
    report = searcher.search(Position.initial(Rules()), Limit(iterations=3000), seed=1)

    assert report.iterations == 3000


@pytest.mark.parametrize("key", ["standard", "won-board", "sttt-map"])
def test_the_search_beats_random_play(key: str):
    rules = VARIANTS[key].rules
    rng = random.Random(1)
    limit = Limit(iterations=300)
    for computer in (0, 1):
        game = Game(rules)
        while game.outcome is None:
            if game.position.side == computer:
                game.push(search(game.position, limit, seed=rng.getrandbits(32)).move)
            else:
                game.push(rng.choice(game.position.legal_moves))
        assert game.outcome.winner == computer
