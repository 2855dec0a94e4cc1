"""27x27: the kernel's values against the formula in slow obvious Python, and games by them."""

from __future__ import annotations

import math
import random

import pytest

from engine import (
    VARIANTS,
    BoardStatus,
    DrawnBoard,
    Game,
    Limit,
    Position,
    Rules,
    Searcher,
    load_variant,
    search,
)
from engine.kernels import large, valuing
from engine.nets.evaluators import hand_evaluator
from engine.nets.features import odds, odds_ahead
from engine.position import loaded_rules
from engine.types import LINES, Side, other

Chances = tuple[float, float]
"""The chances to own a board: of the side that has moved, and of the other."""

LARGE = [
    *(key for key, variant in VARIANTS.items() if variant.rules.depth == 3),
    "depth=3",
    "depth=3,won_board=open,tiebreak=most",
    "depth=3,won_board=forced,drawn_board=both",
    "depth=3,goal=five,no_return=yes",
]
RULES = {key: load_variant(key).rules for key in LARGE}


def positions_of(rules: Rules, count: int) -> list[Position]:
    """Return running positions of random games, early and late."""
    found: list[Position] = []
    while len(found) < count:
        game = Game(rules)
        past = []
        while game.outcome is None:
            past.append(game.position)
            game.push(random.choice(game.position.legal_moves))
        found += random.sample(past, 10)
    return found[:count]


def lead(chances: list[Chances], lines: float, boards: float) -> float:
    of_lines = sum(
        math.prod(chances[place][0] for place in line)
        - math.prod(chances[place][1] for place in line)
        for line in LINES
    )
    return lines * of_lines + boards * sum(own - theirs for own, theirs in chances)


def decided(position: Position, board: int, depth: int, side: Side) -> Chances | None:
    status = position.board_status(board, depth=depth)
    if status is BoardStatus.ONGOING:
        return None
    if status is BoardStatus.DRAWN:
        return (1.0, 1.0) if position.rules.drawn_board is DrawnBoard.BOTH else (0.0, 0.0)
    return (1.0, 0.0) if status.winner == side else (0.0, 1.0)


def chances_of_local(position: Position, board: int, side: Side) -> Chances:
    sure = decided(position, board, 2, side)
    if sure is not None:
        return sure
    is_sent = position.target == board
    seen_by = other(side) if is_sent else side
    marks = [position.mark_at(9 * board + cell) for cell in range(9)]
    number = sum(
        3**cell * (0 if mark is None else 1 if mark == seen_by else 2)
        for cell, mark in enumerate(marks)
    )
    theirs = (odds_ahead() if is_sent else odds())[number]
    if position.rules.drawn_board is DrawnBoard.BOTH:
        theirs = 1.0 - theirs[::-1]
    first, second = float(theirs[0]), float(theirs[1])
    return (second, first) if is_sent else (first, second)


def slow_log_odds(position: Position, weights: list[float]) -> float:
    """Return the log-odds of a position for the side that has moved."""
    side = other(position.side)
    strategic: list[Chances] = []
    for board in range(9):
        sure = decided(position, board, 1, side)
        if sure is None:
            inner = [chances_of_local(position, 9 * board + place, side) for place in range(9)]
            own = 1 / (1 + math.exp(-lead(inner, weights[3], weights[4])))
            sure = own, 1 - own
        strategic.append(sure)
    freedom = (weights[2], weights[5], 0.0)[len(position.target_path)]
    return lead(strategic, weights[0], weights[1]) - freedom


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_moves_are_valued_as_the_slow_formula_does(rules: Rules) -> None:
    evaluator, room = hand_evaluator(rules), valuing.make_room(3)
    weights = [float(weight) for weight in evaluator.weights]
    seen = set()
    for position in positions_of(rules, 20):
        state = position.search_state()
        count = large.value_moves(state, *loaded_rules(rules), evaluator, room)
        assert tuple(room.moves[:count]) == position.legal_moves
        assert position.search_state().nodes.tolist() == state.nodes.tolist(), (
            "it is left as it was"
        )
        for index in random.sample(range(count), min(count, 9)):
            after = position.after(int(room.moves[index]))
            assert (room.results[index] != 0) == (after.outcome is not None)
            if after.outcome is None:
                wanted = slow_log_odds(after, weights) * 256 + 2048
                # Strategic boards' chances are looked up in steps.
                assert abs(room.logits[index] - min(max(wanted, 0), 4096)) < 8
                seen.add(int(room.logits[index]))
            else:
                winner = after.outcome.winner
                assert room.results[index] == (3 if winner is None else 1 + winner)
    assert len(seen) > 20


@pytest.mark.sampled(3)
@pytest.mark.parametrize("key", [key for key in VARIANTS if key.startswith("sttt")])
def test_a_few_iterations_beat_random_games(key: str) -> None:
    """Ten random games cost about as much as one valued position."""
    rules, won = VARIANTS[key].rules, 0
    for side in (0, 1):
        game = Game(rules)
        while game.outcome is None:
            evaluation = "hand" if game.position.side == side else "playouts"
            most = Limit(iterations=20 if evaluation == "hand" else 200)
            game.push(search(game.position, most, evaluation=evaluation).move)
        won += game.outcome.winner == side
    assert won == 2


def test_the_tree_is_kept_as_the_game_goes_on() -> None:
    rules = VARIANTS["sttt-hypermap"].rules
    searcher, position = Searcher(rules), Position.initial(rules).after(364)
    for _ in range(20):
        report = searcher.search(position, Limit(iterations=300))
        assert tuple(report.visits) == position.legal_moves
        position = position.after(report.move)
    assert sum(report.visits.values()) > 300
