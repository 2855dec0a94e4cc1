"""What is called certain is true: `tests.naive` plays every line to its end by slow rules."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import count, islice

import pytest

from engine import (
    LEVELS,
    VARIANTS,
    Game,
    Limit,
    Opening,
    Proof,
    Rules,
    analyse_game,
    best_moves,
    choose_move,
    draw_opening_code,
    format_move,
    parse_move,
    parse_position,
    search,
)
from tests.engine.agreement import copy_of, naive_of
from tests.engine.playing import play_on
from tests.naive import NaiveGame
from tests.strategies import every_rules

LIMIT = Limit(iterations=300)
TOO_MANY = 150  # positions to look at
VALUE = {Proof.WIN: 1, Proof.DRAW: 0, Proof.LOSS: -1}

# X has the move, and X's last cell in board 4 gives O more boards than X.
LOST_BY_ENDING = (
    "majority O 29 - XXO1XXXOO XXXXX1OO1/O2XXOXXX/1OO1O1O1O/O3OXOOX/OOXXX1XOX"
    "/1OX1OXO1X/OOXX1OXXX/XX1OXXOOO/O3OOXXO"
)

Truth = tuple[int, int]


class TooLargeError(Exception):
    """The position is too large to search every line."""


class Ending:
    """The last moves of a game, with a board of the slow rules beside them."""

    def __init__(self, game: Game, naive: NaiveGame, most: int) -> None:
        self.game = game
        self.moves = {self._path(move): move for move in game.position.legal_moves}
        self._left = most
        self._known: dict[tuple[object, ...], Truth] = {}
        self._naive = naive
        self.truths = {
            self.moves[path]: self._turned(self._after(naive, path)) for path in self.moves
        }

    @property
    def truth(self) -> Truth:
        """What the side to move gets, 1, 0 or -1, and how soon if it wins."""
        return _best(self.truths.values())

    def _path(self, move: int) -> tuple[int, ...]:
        return tuple(int(digit) for digit in format_move(move, self.game.rules))

    def _after(self, naive: NaiveGame, path: tuple[int, ...]) -> Truth:
        after = copy_of(naive)
        after.play(path)
        return self._look(after)

    def _turned(self, truth: Truth) -> Truth:
        return -truth[0], truth[1] + 1

    def _look(self, naive: NaiveGame) -> Truth:
        if naive.result is not None:
            return {"drawn": 0, naive.mover: 1}.get(naive.result, -1), 0
        key = (frozenset(naive.marks.items()), *naive.history[-2:])
        if key not in self._known:
            self._left -= 1
            if self._left < 0:
                raise TooLargeError
            self._known[key] = _best(
                [self._turned(self._after(naive, path)) for path in naive.legal_moves()]
            )
        return self._known[key]


def _best(truths: Iterable[Truth]) -> Truth:
    """Return the best for the side to choose: winners hurry, losers do not."""
    return max(truths, key=lambda truth: (truth[0], -truth[1] * truth[0]))


def endings_of(rules: Rules, most: int = TOO_MANY) -> Iterator[Ending]:
    """Yield endings of random games, each as early as every line can still be searched."""
    for seed in count():
        code = draw_opening_code(rules, seed=seed)
        game = play_on(Game(rules, code), random.Random(f"{rules.key}/{seed}"))
        found = None
        with suppress(TooLargeError):
            while len(game.moves) > len(game.opening_moves) + 1:
                game.pop()
                earlier = Game.replay(rules, game.moves, opening_code=code)
                found = Ending(earlier, naive_of(earlier), most)
        if found is not None:
            yield found


COMBINATIONS = [rules for rules in every_rules(2) if rules.opening is Opening.FREE]
NAMED = [variant.rules for variant in VARIANTS.values()]


def check(ending: Ending) -> None:
    """Check everything that is called certain of an ending and its moves."""
    position = ending.game.position
    for hint in best_moves(position, LIMIT, len(position.legal_moves), seed=1):
        if hint.proven is not None:
            value, plies = ending.truths[hint.move]
            assert VALUE[hint.proven] == value, (ending.game.moves, hint)
            assert hint.chance == (1 + value) / 2
            assert hint.at_most_plies is None or (value == 1 and hint.at_most_plies >= plies)
    value, plies = ending.truth
    for report in (search(position, LIMIT, seed=1), choose_move(position, LEVELS[5], seed=1)):
        if report.proven is not None:
            assert VALUE[report.proven] == value
            assert report.distance is None or report.distance >= plies


@pytest.mark.sampled(20)
@pytest.mark.parametrize("rules", [*NAMED, *COMBINATIONS], ids=lambda rules: rules.key)
def test_what_hints_search_and_levels_call_certain_is(rules: Rules):
    for ending in islice(endings_of(rules), 3 if rules.depth < 3 else 1):
        check(ending)


@pytest.mark.sampled(21)
@pytest.mark.parametrize("rules", [*NAMED, *COMBINATIONS], ids=lambda rules: rules.key)
def test_what_a_review_calls_certain_is(rules: Rules):
    ending = next(endings_of(rules))
    game, rng = ending.game, random.Random(rules.key)
    first = len(game.moves) - len(game.opening_moves)
    truths = []
    while game.outcome is None:
        truths.append(Ending(game, naive_of(game), TOO_MANY).truth[0])
        game.push(rng.choice(game.position.legal_moves))
    last = {"drawn": 0, naive_of(game).mover: 1}.get(naive_of(game).result or "", -1)

    reviews = analyse_game(game, Limit(iterations=60)).reviews[first:]
    for review, before, after in zip(reviews, truths, [*truths[1:], last], strict=True):
        if review.proven_before is not None:
            assert VALUE[review.proven_before] == before
        if review.proven_after is not None:
            assert VALUE[review.proven_after] == -after


def test_who_ends_the_game_may_have_lost_it():
    """O has more boards once the last one is decided, by either side."""
    position = parse_position(LOST_BY_ENDING)
    hints = {hint.move: hint for hint in best_moves(position, LIMIT, 50, seed=1)}

    for move in (parse_move(text, position.rules) for text in ("42", "43", "44")):
        outcome = position.after(move).outcome
        assert outcome is not None
        assert outcome.winner != position.side
        assert (hints[move].proven, hints[move].chance) == (Proof.LOSS, 0.0)
        assert hints[move].at_most_plies is None
