"""Announced results and distances against exhaustive search, for every kind of ending."""

from __future__ import annotations

import random

import pytest

from engine import Evaluation, Game, Limit, Position, Proof, Rules, search
from engine.rules import WonBoard

# The rules of the shipped nets, then those where drawn boards count for both: closed and
# open boards, most boards or nobody where no line is left.
NETS = ("standard", "majority", "open-board", "won-board", "tic-tac-ku")
SHARED = (
    "tactical",
    "depth=2,drawn_board=both",
    "depth=2,drawn_board=both,tiebreak=most,won_board=open",
)
TOO_MANY = 300
VALUE = {Proof.WIN: 1, Proof.DRAW: 0, Proof.LOSS: -1}

Truth = tuple[int, int]


class TooLargeError(Exception):
    """The position is too large to search every line."""


class Exhaustive:
    """Searches every line to its end: who wins, and how soon with best play."""

    def __init__(self) -> None:
        self._known: dict[Position, Truth] = {}

    def look(self, position: Position) -> Truth:
        """Return 1, 0 or -1 for the side to move, and in how many plies a game is decided.

        The winner ends it as soon as possible, the loser as late.
        """
        if position.outcome is not None:
            winner = position.outcome.winner
            return (0 if winner is None else (1 if winner == position.side else -1)), 0
        if position not in self._known:
            if len(self._known) > TOO_MANY:
                raise TooLargeError
            answers = [self.look(position.after(move)) for move in position.legal_moves]
            best = max(-value for value, _ in answers)
            plies = [1 + distance for value, distance in answers if -value == best]
            self._known[position] = best, (min(plies) if best == 1 else max(plies))
        return self._known[position]


def small_endings(key: str, count: int) -> list[tuple[Position, Exhaustive]]:
    """Return late positions of random games, with every line searched to its end."""
    rules = Rules.parse(key)
    rng = random.Random(key)
    # Where boards are closed there are fewer cells left to play in.
    starts = {WonBoard.CLOSED: 58, WonBoard.OPEN: 68, WonBoard.FORCED: 68}
    plies = range(starts[rules.won_board], starts[rules.won_board] + 10)
    found: list[tuple[Position, Exhaustive]] = []
    while len(found) < count:
        game = Game(rules)
        wanted = rng.choice(plies)
        while game.outcome is None and len(game.moves) < wanted:
            game.push(rng.choice(game.position.legal_moves))
        if game.outcome is not None:
            continue
        truth = Exhaustive()
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
