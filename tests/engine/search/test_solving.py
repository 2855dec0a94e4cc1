"""What is called solved is true: `tests.naive` plays every line to its end by slow rules."""

from __future__ import annotations

import math
import random
import threading
from itertools import combinations, islice

import pytest

from engine import (
    LEVELS,
    VARIANTS,
    Cell,
    Clock,
    EngineError,
    Game,
    GameOverError,
    Limit,
    Position,
    Proof,
    Rules,
    Searcher,
    choose_move,
    kernels,
    parse_position,
)
from engine.kernels.codes import MACRO
from engine.position import loaded_rules
from engine.search import mcts
from engine.search.solving import Solution, solve
from tests.engine.analysis.test_exact import COMBINATIONS, LOST_BY_ENDING, VALUE, endings_of

FLAT = [variant.rules for variant in VARIANTS.values() if variant.rules.depth == 2]


def solved(position: Position, nodes: int = 100_000, table_size: int = 1 << 14) -> Solution:
    return solve(position, Limit(nodes=nodes), table=kernels.solving.make_table(table_size))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "rules",
    [*FLAT, *(pytest.param(each, marks=pytest.mark.long) for each in COMBINATIONS[::2])],
    ids=lambda rules: rules.key,
)
def test_what_is_solved_is_what_every_line_says(rules: Rules):
    """A table of a few places forgets nearly everything; that costs time and nothing else."""
    for ending in islice(endings_of(rules), 2):
        for table_size in (4, 1 << 14):
            found = solved(ending.game.position, table_size=table_size)
            assert found.proven is not None
            assert VALUE[found.proven] == ending.truth[0], ending.game.moves


def test_sides_agree_from_ply_to_ply():
    """Positions much too large to search every line: a result is the best of those after it."""
    position = parse_position(
        "standard O 14 - 3O1XX2 OO1XXOOXX/XX3XOX1/X2O2O1O/OOOX1O1X1/O3X2XO/1OX2X1OX/X1XXO1X2"
        "/OO1X1OXO1/X1XO2O2"
    )
    after = [solved(position.after(move)).proven for move in position.legal_moves]
    assert None not in after
    best = max(VALUE[one.opposite] for one in after if one)
    proven = solved(position).proven
    assert proven is not None
    assert VALUE[proven] == best


def test_positions_that_differ_have_keys_that_differ():
    """What is known of one must not be taken for known of another."""
    given = loaded_rules(Rules())
    start = Position.initial(Rules()).search_state().words
    marks = [(word, cell) for word in (*range(18), MACRO, MACRO + 1) for cell in range(9)]
    keys = set()
    for pair in [(), *((mark,) for mark in marks), *combinations(marks, 2)]:
        words = start.copy()
        for word, cell in pair:
            words[word] |= 1 << cell
        keys.add(kernels.solving.key_of(words, *given, 0))

    assert len(keys) == 1 + len(marks) + math.comb(len(marks), 2)


def test_who_ends_the_game_may_have_lost_it():
    assert solved(parse_position(LOST_BY_ENDING)).proven is Proof.LOSS


def test_a_limit_ends_it_and_repeats_it():
    start = Position.initial(Rules())
    found = [solved(start, nodes=3000) for _ in range(2)]
    assert found[0].proven is None
    assert 3000 <= found[0].nodes == found[1].nodes < 5000
    stop = threading.Event()
    stop.set()
    assert solve(start, Limit(seconds=60), stop=stop).nodes < 5000


@pytest.mark.parametrize(
    ("position", "result"),
    [
        (
            "majority X 35 5 2O2XO2 OOXX3OX/2XX2XO1/O1XOO2OO/XOOOXXXO1/3XXO2O/XXXO1O3/1O2O2O1"
            "/O1XX1XXXO/X2O1O1XX",
            Proof.DRAW,
        ),
        (
            "standard X 99 9 2OOX=3 5X1XX/OXXO1O1OO/O2O1OO2/1OX1OX1O1/1X2XX1XO/OXXXOOXOX"
            "/1X3OX1O/2XXOOOXO/1OXX1X1XO",
            Proof.WIN,
        ),
    ],
)
def test_near_the_end_a_search_makes_sure_of_its_move(
    position: str, result: Proof, monkeypatch: pytest.MonkeyPatch
):
    """A tree of a few nodes gives the draw or the win away; with a time limit it is checked."""
    start = parse_position(position)
    assert solved(start).proven is result

    def result_of(move: Cell) -> Proof | None:
        proven = solved(start.after(move)).proven
        return proven and proven.opposite

    grow_until = mcts.grow_until
    few = Limit(iterations=20)
    monkeypatch.setattr(
        mcts, "grow_until", lambda tree, seed, _, *others: grow_until(tree, seed, few, *others)
    )
    searcher = Searcher(start.rules, evaluation="hand", max_nodes=10_000)
    unchecked = result_of(searcher.search(start, few, seed=1).move)
    assert unchecked is not None
    assert VALUE[unchecked] < VALUE[result]
    limit = Limit(seconds=60, clock=Clock.CPU)
    assert result_of(searcher.search(start, limit, seed=1).move) is result
    assert result_of(choose_move(start, LEVELS[-1], seed=1, clock=Clock.CPU).move) is result


def test_what_it_cannot_solve_is_refused():
    with pytest.raises(EngineError, match="depth 2 only"):
        solve(Position.initial(Rules(depth=1)), Limit(nodes=10))
    over, rng = Game(Rules()), random.Random(1)
    while over.outcome is None:
        over.push(rng.choice(over.position.legal_moves))
    with pytest.raises(GameOverError):
        solve(over.position, Limit(nodes=10))
