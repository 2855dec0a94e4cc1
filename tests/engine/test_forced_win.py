"""The known forced win as players meet it; test_known_win.py checks the strategy slowly."""

from __future__ import annotations

import random
from functools import cache
from itertools import permutations, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import (
    EngineError,
    Game,
    InvalidNotationError,
    Position,
    Rules,
    X,
    check_opening_code,
    draw_opening_code,
    forced_win,
    load_variant,
    prove_forced_win,
    symmetries,
    transform,
)
from engine.__main__ import main
from engine.openings import is_drawable
from tests import strategies
from tests.engine.playing import play

WON_BOARD = Rules.parse("won-board")


def test_every_reply_is_beaten():
    """The figures are those of the published strategy."""
    proof = prove_forced_win(WON_BOARD)

    assert proof is not None
    assert (proof.positions, proof.replies) == (46_153, 132_984)
    assert sorted(proof.endings) == list(range(29, 44, 2))


@pytest.mark.parametrize("key", ["standard", "majority", "open-board", "mulloy"])
def test_the_strategy_is_none_for_other_rules(key: str):
    assert prove_forced_win(load_variant(key).rules) is None


@pytest.mark.parametrize("key", ["tic-tac-ku", "tactical"])
def test_the_strategy_wins_some_other_variants_too(key: str):
    proof = prove_forced_win(load_variant(key).rules)

    assert proof is not None
    assert max(proof.endings) <= 43


@pytest.mark.parametrize("key", ["sttt-map", "random-four"])
def test_games_the_strategy_is_not_about_are_refused(key: str):
    with pytest.raises(EngineError, match=key):
        prove_forced_win(load_variant(key).rules)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), symmetry=st.sampled_from(symmetries(WON_BOARD)))
def test_the_promise_is_kept_whatever_o_does_turned_or_not(seed: int, symmetry: tuple[int, ...]):
    """Random replies; a turned game is answered with the turned move."""
    rng = random.Random(seed)
    position = turned = Position.initial(WON_BOARD)
    promised = 43
    while position.outcome is None:
        win, other = forced_win(position), forced_win(turned)
        assert win is not None
        assert other is not None
        assert other.move == transform(win.move, symmetry, WON_BOARD)
        assert win.at_most_plies == other.at_most_plies <= promised
        promised = win.at_most_plies - 2
        position = position.after(win.move)
        turned = turned.after(other.move)
        if position.outcome is None:
            reply = rng.choice(position.legal_moves)
            position = position.after(reply)
            turned = turned.after(transform(reply, symmetry, WON_BOARD))

    assert position.outcome.winner == X


@settings(max_examples=60, deadline=None)
@given(game=strategies.games(st.just(WON_BOARD)))
def test_a_win_claimed_anywhere_is_a_legal_move_of_x(game: Game):
    win = forced_win(game.position)
    if win is not None:
        assert game.position.side == X
        assert win.move in game.position.legal_moves
        assert 0 < win.at_most_plies <= 43


def test_the_number_of_moves_is_that_of_the_winner():
    start = forced_win(Position.initial(WON_BOARD))

    assert start is not None
    assert start.at_most_plies == 43


def test_nothing_is_claimed_where_it_does_not_apply():
    assert forced_win(play("won-board", "55").position) is None  # O is to move
    assert forced_win(play("won-board", "11 12").position) is None  # X began elsewhere
    assert forced_win(play("won-board", "55 51 11 12").position) is None  # X strayed
    assert forced_win(play("standard", "55 51").position) is None
    assert forced_win(Position.initial(Rules.parse("sttt-map"))) is None


@cache
def codes_of(key: str) -> tuple[list[str], set[str]]:
    """Return the valid codes of a random opening, and those that begin the forced win."""
    rules = load_variant(key).rules
    valid, won = [], set()
    for digits in product("123456789", repeat=5):
        code = "".join(digits)
        try:
            check_opening_code(rules, code)
        except InvalidNotationError:
            continue
        valid.append(code)
        # X has the centre by its first or second move, or the strategy is out of reach.
        if "55" in (code[:2], code[2:4]) and forced_win(Position.initial(rules, code)):
            won.add(code)
    return valid, won


def test_some_random_openings_begin_the_forced_win():
    """On the strategy's line X has the centre and both answers are in centres: 56 codes."""
    valid, won = codes_of("random-four")
    on_its_line = {f"55{a}5{b}" for a, b in permutations("12346789", 2)}

    assert (len(valid), len(won), len(on_its_line)) == (55_080, 112, 56)
    assert on_its_line <= won
    for code in on_its_line:
        position = Position.initial(load_variant("random-four").rules, code)
        found = forced_win(position)
        assert found is not None
        assert found.move == 9 * (int(code[4]) - 1) + 4


@pytest.mark.parametrize("path", ["engine/RULES.md", "engine/variants.py"])
def test_the_number_of_such_openings_is_told(path: str):
    valid, won = codes_of("random-four")
    prose = (Path(__file__).parents[2] / path).read_text()

    assert f"{len(won)} of the {len(valid):,}" in prose


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "key",
    [
        "random-four",
        "opening=random_four,won_board=forced,goal=five,tiebreak=most",
        "opening=random_four,won_board=forced,no_return=yes",
        "opening=random_four,won_board=open",
    ],
)
def test_an_opening_may_be_drawn_exactly_if_it_does_not_begin_the_forced_win(key: str):
    valid, won = codes_of(key)
    rules = load_variant(key).rules

    assert {code for code in valid if not is_drawable(rules, code)} == won


def test_a_drawn_opening_never_begins_the_forced_win():
    """One valid code in 492 does, so some ten of these draws would hit one."""
    rules, (_, won) = load_variant("random-four").rules, codes_of("random-four")

    assert won.isdisjoint(draw_opening_code(rules, seed=seed) for seed in range(5000))


def test_such_an_opening_may_still_be_typed():
    assert Game(load_variant("random-four").rules, "55152").opening_code == "55152"


def test_the_command_prints_the_figures(capsys: pytest.CaptureFixture[str]):
    assert main(["prove", "won-board"]) == 0
    out = capsys.readouterr().out

    for part in ("at ply 29 to 43", "46,153", "132,984"):
        assert part in out
    assert main(["prove", "standard"]) == 1
    assert "does not beat every reply" in capsys.readouterr().out
