"""Playing strengths: in order, without waiting, and weak ones err like people."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from engine import (
    LEVELS,
    VARIANTS,
    Game,
    GameOverError,
    Level,
    Position,
    Proof,
    Rules,
    choose_move,
    level_rating,
    levels_of,
    parse_position,
)
from engine.nets.net import find_net
from engine.search.evaluation import Evaluation
from tests.engine.playing import play


def duel(first: Level, second: Level, game_count: int, rules: Rules | None = None) -> float:
    """Return the share of points that `first` wins, playing both sides of the same openings.

    Standard rules by default; four random moves come first, or strong levels would repeat games.
    """
    rng = random.Random(5)
    points = 0.0
    for number in range(game_count):
        levels = (first, second) if number % 2 == 0 else (second, first)
        opening = random.Random(number // 2)
        game = Game(rules or Rules())
        while game.outcome is None:
            position, level = game.position, levels[game.position.side]
            if position.ply < 4:
                game.push(opening.choice(position.legal_moves))
            else:
                game.push(choose_move(position, level, seed=rng.getrandbits(32)).move)
        if game.outcome.winner is None:
            points += 0.5
        elif levels[game.outcome.winner] is first:
            points += 1
    return points / game_count


# Of each kind that has a net but no name, rules other than those of the net.
CUSTOM = [
    "drawn_board=both",
    "goal=five,no_return=yes",
    "goal=five,tiebreak=most,won_board=open",
    "no_return=yes,won_board=forced",
    "goal=five,no_return=yes,won_board=forced",
]


@pytest.mark.parametrize("key", [*VARIANTS, *CUSTOM, "depth=1"])
def test_levels_are_numbered_and_grow(key: str):
    levels = levels_of(Rules.parse(key))

    assert [level.number for level in levels] == list(range(1, 11))
    assert [level.name for level in levels] == [level.name for level in LEVELS]
    for weaker, stronger in pairwise(levels):
        if weaker.evaluation is stronger.evaluation:
            assert weaker.iterations < stronger.iterations
        assert weaker.searched_share <= stronger.searched_share
        assert weaker.eyes <= stronger.eyes
        assert weaker.care <= stronger.care
        assert stronger.seconds <= 1.0


@pytest.mark.parametrize(
    "number",
    [2, 3, *(pytest.param(number, marks=pytest.mark.long) for number in (4, 5, 6, 7))],
)
def test_a_level_beats_the_one_below(number: int):
    assert duel(LEVELS[number - 1], LEVELS[number - 2], 40) > 0.5


def test_a_net_that_no_ladder_knows_has_the_levels_at_the_marks(monkeypatch: pytest.MonkeyPatch):
    """Anyone who trains a net can play with it at once."""
    rules = Rules.parse("no_return=yes")
    net = find_net(rules)
    assert net is not None
    monkeypatch.setattr("engine.nets.net.find_net", lambda _rules: replace(net, rules=rules))

    levels = levels_of.__wrapped__(rules)
    assert [level.iterations for level in levels[:9]] == [10, 20, 25, 30, 60, 12, 140, 1_000, 8_000]
    assert [level.searched_share for level in levels[:6]] == [0.0, 0.2, 0.48, 0.75, 0.97, 1.0]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("key", CUSTOM)
def test_a_net_begins_no_level_below_the_formula(key: str):
    """Where the net is little better, few iterations of it are less than many of the formula."""
    rules = Rules.parse(key)
    levels = levels_of(rules)
    first = next(level.number for level in levels if level.evaluation is Evaluation.AUTO)

    assert duel(levels[first - 1], levels[first - 2], 60, rules) > 0.5


@pytest.mark.parametrize("key", [key for key, it in VARIANTS.items() if it.rules.depth == 2])
def test_a_step_is_worth_about_as_much_under_all_rules(key: str):
    """Some 100 to 250 Elo, known to some 40 either way."""
    ratings = [level_rating(number, key) for number in range(1, 10)]
    steps = [upper - lower for lower, upper in pairwise(ratings)]

    assert min(steps) >= 100
    assert max(steps) <= 270


def test_a_level_knows_its_rating():
    assert [level.rating for level in LEVELS] == [level_rating(n) for n in range(1, 11)]


def test_the_weakest_level_is_weak():
    assert duel(LEVELS[4], LEVELS[0], 10) >= 0.9


def test_a_glance_takes_a_line_to_be_made():
    """X may take board 1 with 11; a player who sees lines does, wherever it sends O."""
    game = play("standard", "12 21 13 31")
    careless = Level(number=1, name="", summary="", iterations=1, searched_share=0.0, eyes=1.0)

    assert {choose_move(game.position, careless, seed=seed).move for seed in range(20)} == {0}
    weak = {choose_move(game.position, LEVELS[0], seed=seed).move for seed in range(40)}
    assert {0} < weak


def test_a_glance_stops_a_line():
    game = play("depth=1", "1 5 2")
    careless = Level(number=1, name="", summary="", iterations=1, searched_share=0.0, eyes=1.0)

    assert choose_move(game.position, careless, seed=1).move == 2


def test_a_seed_repeats_a_choice():
    start = Position.initial(Rules())
    for level in LEVELS[:6]:
        first = choose_move(start, level, seed=3)
        assert first.move == choose_move(start, level, seed=3).move


@pytest.mark.parametrize(
    ("key", "number", "iterations"),
    [
        ("standard", 6, 12),
        ("standard", 7, 97),
        ("pie", 7, 97),
        # Custom rules get as many iterations.
        ("goal=five", 7, 140),
        ("goal=five", 5, 60),
        ("depth=2,no_return=yes", 6, 12),
        # One board is valued by random games, 27x27 by a formula.
        ("depth=1", 6, 12),
        ("sttt-map", 6, 80),
        ("sttt-map", 1, 5),
    ],
)
def test_a_level_thinks_as_long_as_its_rules_say(key: str, number: int, iterations: int):
    rules = Rules.parse(key)
    position = Position.initial(rules)
    position = position.after(position.legal_moves[0])
    level = replace(levels_of(rules)[number - 1], searched_share=1.0, seconds=60)

    assert choose_move(position, level, seed=1).iterations == iterations


def test_a_tighter_time_limit_is_kept():
    report = choose_move(Position.initial(Rules()), LEVELS[-1], seed=1, max_seconds=0.01)

    assert report.iterations < 10**6


def test_the_only_move_needs_no_thought():
    game = Game(Rules(depth=1))
    for move in (0, 1, 2, 4, 3, 5, 7, 6):
        game.push(move)
    report = choose_move(game.position, LEVELS[-1], seed=1)

    assert (report.move, report.iterations <= 200) == (8, True)


@pytest.mark.parametrize("level", [LEVELS[0], LEVELS[9]])
def test_a_finished_game_is_refused(level: Level):
    game = Game(Rules(depth=1))
    for move in (0, 3, 1, 4, 2):
        game.push(move)
    with pytest.raises(GameOverError):
        choose_move(game.position, level)


@pytest.mark.parametrize("level", LEVELS)
def test_every_level_takes_a_win_in_one_move(level: Level):
    """X has boards 1 and 2 and can take 3; there are some fifty other moves."""
    position = parse_position("standard X 41 - XX7 XXX6/XXX6/XX7/O2O5/O2O5/O2O5/O2O5/9/9")
    for seed in range(5):
        assert choose_move(position, level, seed=seed, max_seconds=0.05).move == 20


def test_the_highest_level_knows_the_forced_win_by_heart():
    report = choose_move(Position.initial(Rules.parse("won-board")), LEVELS[-1], seed=1)

    assert (report.move, report.score_for_side, report.iterations) == (40, 1.0, 0)
    assert (report.proven, report.distance) == (Proof.WIN, 43)
