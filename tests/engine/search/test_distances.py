"""Announced results and distances against exhaustive search, for every kind of ending."""

from __future__ import annotations

import random

import pytest

from engine import Evaluation, Game, Limit, Position, Proof, Rules, search
from engine.rules import WonBoard
from tests.engine.playing import VALUE, Exhaustive, TooLargeError, play_on

# The rules of the shipped nets, then those where drawn boards count for both: closed and
# open boards, most boards or nobody where no line is left.
NETS = ("standard", "majority", "open-board", "won-board", "tic-tac-ku")
SHARED = (
    "tactical",
    "depth=2,drawn_board=both",
    "depth=2,drawn_board=both,tiebreak=most,won_board=open",
)
TOO_MANY = 300


def small_endings(key: str, count: int) -> list[tuple[Position, Exhaustive]]:
    """Return late positions of random games, with every line searched to its end."""
    rules = Rules.parse(key)
    rng = random.Random(key)
    # Where boards are closed there are fewer cells left to play in.
    starts = {WonBoard.CLOSED: 58, WonBoard.OPEN: 68, WonBoard.FORCED: 68}
    plies = range(starts[rules.won_board], starts[rules.won_board] + 10)
    found: list[tuple[Position, Exhaustive]] = []
    while len(found) < count:
        game = play_on(Game(rules), rng, rng.choice(plies))
        if game.outcome is not None:
            continue
        truth = Exhaustive(TOO_MANY)
        try:
            plies_left = truth.look(game.position)[1]
        except TooLargeError:
            continue
        if plies_left == 1:  # others test wins in one
            continue
        found.append((game.position, truth))
    return found


@pytest.mark.parametrize(
    "key", [*NETS, *(pytest.param(key, marks=pytest.mark.long) for key in SHARED)]
)
def test_what_is_announced_is_so(key: str):
    """Win, draw and loss are right, and a win or a loss comes no later than announced."""
    decided = 0
    for place, (position, truth) in enumerate(small_endings(key, 8)):
        value, plies = truth.look(position)
        report = search(position, Limit(iterations=60_000), seed=place)
        assert report.proven is not None
        assert VALUE[report.proven] == value
        assert truth.look(position.after(report.move))[0] == -value
        assert report.scores is not None
        for move, score in report.scores.items():
            if score in (0.0, 1.0):  # certain: the search uses these scores for nothing else
                assert -truth.look(position.after(move))[0] == 2 * score - 1
        if report.proven is Proof.DRAW:
            assert report.distance is None
            continue
        decided += 1
        assert report.distance is not None
        assert plies <= report.distance <= position.rules.cell_count - position.ply
    assert decided


@pytest.mark.parametrize("key", ["standard", "won-board", "tactical"])
@pytest.mark.parametrize("evaluation", [Evaluation.HAND, Evaluation.PLAYOUTS])
def test_no_way_to_value_positions_announces_what_is_not_so(key: str, evaluation: Evaluation):
    for place, (position, truth) in enumerate(small_endings(key, 6)):
        report = search(position, Limit(iterations=20_000), seed=place, evaluation=evaluation)
        if report.proven is not None:
            assert VALUE[report.proven] == truth.look(position)[0]


@pytest.mark.long
@pytest.mark.parametrize("key", [*NETS, "tactical"])
def test_few_iterations_announce_nothing_false(key: str):
    """What is certain early, before all has been seen, is just as certain."""
    told = 0
    for place, (position, truth) in enumerate(small_endings(key, 8)):
        for iterations in (1, 5, 30, 150):
            report = search(position, Limit(iterations=iterations), seed=place)
            if report.proven is not None:
                told += 1
                assert VALUE[report.proven] == truth.look(position)[0]
    assert told >= 5
