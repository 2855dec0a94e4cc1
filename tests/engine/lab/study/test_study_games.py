"""The compiled games against the same games played slowly, and their repeatability."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest

from engine import VARIANTS, InvalidRulesError, load_variant
from engine.errors import EngineError
from engine.lab.study import SelfPlay, Tally, default_game_count, make_self_play
from tests.engine.lab.study.slow_games import slow_tally

CUSTOM = (
    "depth=1",
    "depth=1,opening=no_centre",
    "no_return=yes",
    "no_return=yes,opening=random_four,won_board=open",
    "drawn_board=both,opening=pie+no_centre,tiebreak=most",
    "depth=3,goal=five,map=58,no_return=yes,sending=map,won_board=open",
)


def played(variant_key: str, games: int, *, seed: int = 1, player: str = "random") -> Tally:
    chosen = make_self_play(load_variant(variant_key), player, seed=seed)
    chosen.play(games)
    return chosen.tally


@pytest.mark.sampled(4)
@pytest.mark.parametrize("key", [*VARIANTS, *CUSTOM])
def test_the_kernel_counts_what_the_slow_games_show(key: str):
    variant = load_variant(key)
    games = 3 if variant.rules.depth == 3 else 25

    fast, slow = played(key, games, seed=7), slow_tally(variant, seed=7, games=games)

    for name in Tally.__slots__:
        fast_sum, slow_sum = getattr(fast, name), getattr(slow, name)
        if not isinstance(fast_sum, int):
            fast_sum, slow_sum = astuple(fast_sum), astuple(slow_sum)
        assert fast_sum == pytest.approx(slow_sum, rel=1e-12), name


def test_the_kernel_counts_the_same_when_it_is_not_compiled():
    """Whether to compile is decided when Python starts."""
    keys = ("standard", "no_return=yes,won_board=open", "symmetric", "sttt-map")
    code = (
        "from engine import load_variant; from engine.lab.study import make_self_play\n"
        f"for key in {keys}:\n"
        "    player = make_self_play(load_variant(key), 'random', seed=1)\n"
        "    player.play(2); print(player.tally)"
    )
    shown = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        cwd=Path(__file__).parents[4], capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip

    assert shown.splitlines() == [str(played(key, 2)) for key in keys]


def test_a_board_use_counts_marks_that_were_set_up():
    tally = played("symmetric", 200)

    assert tally.marks.total == tally.plies.total + 2 * 200


def test_the_same_seed_gives_the_same_games():
    assert played("standard", 500) == played("standard", 500)
    assert played("standard", 500) != played("standard", 500, seed=2)
    assert played("standard", 500).plies != played("pie", 500).plies


def test_how_many_games_are_asked_for_at_once_makes_no_difference():
    at_once, in_parts = (make_self_play(load_variant("mulloy"), "random", seed=3) for _ in range(2))
    at_once.play(300)
    for count in (1, 99, 200):
        in_parts.play(count)

    assert at_once.tally == in_parts.tally


@pytest.mark.parametrize("key", ["standard", "random-four", "symmetric", "depth=1"])
def test_a_level_plays_itself(key: str):
    first, again = (played(key, 2, player="2") for _ in range(2))

    assert first == again
    assert first.games == first.x_wins + first.o_wins + first.draws == 2
    assert first.shortest <= first.plies.total / 2 <= first.longest


def test_a_quick_level_is_not_limited_by_time():
    """Otherwise a slow machine would give other games for the same seed."""
    player: Any = make_self_play(load_variant("standard"), "9", seed=1)

    assert player._level.seconds == float("inf")


@pytest.mark.parametrize("name", ["0", "11", "-1", "1.5", "Random", ""])
def test_another_player_is_refused(name: str):
    with pytest.raises(EngineError, match=r"There is no player .* from 1 to 10"):
        make_self_play(load_variant("standard"), name, seed=1)


def test_another_variant_is_refused():
    with pytest.raises(InvalidRulesError, match="'nonsense'"):
        load_variant("nonsense")


def test_stronger_levels_play_fewer_games_by_default():
    rules = load_variant("standard").rules
    counts = [default_game_count(rules, str(number)) for number in range(1, 11)]

    assert counts == sorted(counts, reverse=True)
    assert counts[-1] >= 2


def test_both_players_keep_the_protocol():
    players: list[SelfPlay] = [
        make_self_play(load_variant("standard"), name, seed=1) for name in ("random", "1")
    ]

    assert all(player.chunk >= 1 and player.tally.games == 0 for player in players)
