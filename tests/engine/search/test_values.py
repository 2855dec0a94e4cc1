"""The value of moves: the kernels against the net in slow obvious Python."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from engine import VARIANTS, EngineError, Evaluation, Limit, Position, Rules, search
from engine.kernels import puct, valuing
from engine.kernels._jit import CACHE_LINE, kernel, prefetch
from engine.nets.evaluators import hand_evaluator, net_evaluator
from engine.nets.features import digits, odds, odds_ahead
from engine.nets.net import FOLDER, BrokenNetError, Net, find_net, load_net, rules_of_net, save_net
from engine.position import loaded_rules
from engine.rules import Goal, WonBoard
from engine.search.evaluation import load_evaluator
from tests.engine.search import slow_net

SMALL = {key: one.rules for key, one in VARIANTS.items() if one.rules.depth == 2}
WITH_LIMIT = replace(Rules(), no_return=True)


@cache
def net_of(rules: Rules, stages: int = 1, learned: int = 0) -> Net:
    return slow_net.random_net(rules_of_net(rules), 3, stages, learned)


@cache
def evaluator_of(rules: Rules) -> valuing.Evaluator:
    return net_evaluator(net_of(rules))


def valued(position: Position, evaluator: valuing.Evaluator) -> dict[int, tuple[int, int]]:
    """Return logit and result of every move, by the kernel."""
    room = valuing.make_room(2)
    words = position.search_state().words
    count = valuing.value_moves(words, *loaded_rules(position.rules), evaluator, room)
    return {
        int(room.moves[index]): (int(room.logits[index]), int(room.results[index]))
        for index in range(count)
    }


@pytest.mark.sampled(3)
@pytest.mark.parametrize("rules", [*SMALL.values(), WITH_LIMIT], ids=[*SMALL, "no-return"])
def test_moves_are_valued_as_the_slow_net_does(rules: Rules):
    check_values(rules, net_of(rules), evaluator_of(rules))


@pytest.mark.parametrize("key", ["standard", "won-board", "majority"])
def test_a_net_with_stages_and_learned_features_is_valued_as_the_slow_one_does(key: str):
    rules = SMALL[key]
    net = net_of(rules, valuing.STAGES, 5)
    check_values(rules, net, net_evaluator(net))


def check_values(rules: Rules, net: Net, evaluator: valuing.Evaluator) -> None:
    logits = set()
    for position in slow_net.random_positions(rules, 25, seed=1):
        found = valued(position, evaluator)
        assert tuple(found) == position.legal_moves
        for move, (logit, result) in found.items():
            after = position.after(move)
            assert (result != 0) == (after.outcome is not None)
            if after.outcome is None:
                assert 4096 - logit == slow_net.logit(after, net)
                logits.add(logit)
            elif after.outcome.winner is None:
                assert result == 3
            else:
                assert result == 1 + after.outcome.winner
    assert len(logits) > 20


@pytest.mark.parametrize("rules", SMALL.values(), ids=SMALL)
def test_the_formula_finds_ends_and_stays_on_the_scale(rules: Rules):
    evaluator = hand_evaluator(rules)
    for position in slow_net.random_positions(rules, 40, seed=2):
        for move, (logit, result) in valued(position, evaluator).items():
            outcome = position.after(move).outcome
            assert (result != 0) == (outcome is not None)
            if outcome is None:
                assert 0 <= logit <= valuing.LOGIT_STEPS


def test_the_formula_is_the_same_for_both_sides_and_every_turn():
    """A board turned by a quarter has the same value."""
    rules = Rules()
    evaluator = hand_evaluator(rules)
    from engine import symmetries, transform

    quarter = symmetries(rules)[1]
    for moves in ((40, 36, 4), (0, 5, 50, 45), (80, 72, 3, 30)):
        plain = turned = Position.initial(rules)
        for move in moves:
            plain, turned = plain.after(move), turned.after(transform(move, quarter, rules))
        there = valued(turned, evaluator)
        for move, value in valued(plain, evaluator).items():
            assert abs(there[transform(move, quarter, rules)][0] - value[0]) <= 1


def test_odds_add_up_and_a_line_is_certain():
    chances = odds()

    assert np.all(chances >= 0)
    assert np.all(chances.sum(axis=1) <= 1 + 1e-12)
    assert chances[1 + 3 + 9].tolist() == [1.0, 0.0]
    assert chances[2 * (1 + 3 + 9)].tolist() == [0.0, 1.0]
    assert chances[0, 0] == chances[0, 1] > 0.4
    swapped = np.array([0, 2, 1])[digits()] @ 3 ** np.arange(9)
    assert np.allclose(chances, chances[swapped][:, ::-1])
    ahead = odds_ahead()
    assert np.all(ahead[:, 0] - ahead[:, 1] >= chances[:, 0] - chances[:, 1] - 1e-12)


@pytest.mark.parametrize(("stages", "learned"), [(1, 0), (valuing.STAGES, 0), (valuing.STAGES, 16)])
def test_a_net_survives_its_file(tmp_path: Path, stages: int, learned: int):
    net = net_of(Rules(), stages, learned)
    save_net(net, tmp_path / "x.net")
    again = load_net(tmp_path / "x.net")

    assert (again.rules, again.scale) == (net.rules, net.scale)
    for name in ("learned", "learned_macro", "local", "macro", "free", "bias", "output"):
        assert np.array_equal(getattr(again, name), getattr(net, name))
        assert getattr(again, name).dtype == getattr(net, name).dtype
    assert (tmp_path / "x.net").stat().st_size < 110_000 + 25_000 * learned


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"UTTTNET1",
        b"something else altogether",
        b"UTTTNET1\x02\x00\x00\x00{}",
        b'UTTTNET1\x0c\x00\x00\x00{"stages":4}',
    ],
)
def test_a_broken_file_is_refused(tmp_path: Path, data: bytes):
    (tmp_path / "x.net").write_bytes(data)
    with pytest.raises(BrokenNetError, match=r"x\.net is not a net"):
        load_net(tmp_path / "x.net")


def test_a_net_of_the_wrong_size_is_refused(tmp_path: Path):
    save_net(net_of(Rules()), tmp_path / "x.net")
    with (tmp_path / "x.net").open("ab") as file:
        file.write(b"\0")
    with pytest.raises(BrokenNetError, match="bytes instead of"):
        load_net(tmp_path / "x.net")


def test_a_net_is_found_for_rules_of_its_kind_whatever_the_opening(tmp_path: Path):
    save_net(net_of(Rules()), tmp_path / "x.net")
    for rules in SMALL.values():
        found = find_net(rules, tmp_path)
        is_alike = (rules.won_board, rules.goal) == (WonBoard.CLOSED, Goal.LINE)
        assert (found is not None) == is_alike


@pytest.mark.parametrize(
    ("key", "of"),
    [
        ("pie", "standard"),
        ("depth=2,no_return=yes", "standard"),
        ("depth=2,drawn_board=both", "majority"),
        ("depth=2,drawn_board=both,no_return=yes,tiebreak=most", "majority"),
        ("depth=2,tiebreak=most,won_board=open", "open-board"),
        (
            "depth=2,no_return=yes,won_board=forced",
            "depth=2,no_return=yes,tiebreak=most,won_board=forced",
        ),
        ("depth=2,goal=five,no_return=yes", "goal=five"),
        ("depth=2,tiebreak=most,won_board=forced", "mulloy"),
        ("depth=2,drawn_board=both,tiebreak=most,won_board=forced", "tactical"),
        ("depth=2,goal=five,tiebreak=most,won_board=forced", "tic-tac-ku"),
    ],
)
def test_rules_without_a_net_have_that_of_the_rules_most_like_them(key: str, of: str):
    rules = Rules.parse(key)
    found = find_net(rules)

    assert found is not None
    assert found.rules == rules_of_net(Rules.parse(of))
    assert load_evaluator(rules, "auto") is load_evaluator(found.rules, "net")


def test_shipped_nets_fit_their_names():
    for path in sorted(FOLDER.glob("*.net")):
        assert load_net(path).rules == rules_of_net(Rules.parse(path.stem))


def test_a_row_of_a_net_takes_two_cache_lines():
    rows = evaluator_of(SMALL["standard"]).rows

    assert rows.ctypes.data % CACHE_LINE == 0
    assert rows.flags.c_contiguous
    assert rows[0].nbytes == 2 * CACHE_LINE


def test_memory_may_be_asked_for_wherever_it_lies():
    @kernel
    def ask(array: np.ndarray, index: int) -> None:
        prefetch(array, index)

    for array in (np.arange(20), np.ones((5, 64), np.int16), np.zeros(3, puct.NODE)):
        before = array.copy()
        for index in (0, 2, 1 << 40, -(1 << 40)):
            ask(array, index)
        assert (array == before).all()


def test_evaluations_are_made_once_and_wrong_ones_refused():
    rules = WITH_LIMIT

    assert load_evaluator(rules, "auto") is load_evaluator(rules, Evaluation.AUTO)
    assert load_evaluator(rules, "playouts") is None
    assert load_evaluator(Rules.parse("depth=1"), "auto") is None
    with pytest.raises(EngineError, match="no evaluation 'guess': choose auto, net, hand"):
        load_evaluator(rules, "guess")
    with pytest.raises(EngineError, match="Rules of depth 1 have no evaluation 'hand'"):
        search(Position.initial(Rules.parse("depth=1")), Limit(iterations=1), evaluation="hand")
    with pytest.raises(EngineError, match="There is no net for the rules 'sttt-map'"):
        load_evaluator(VARIANTS["sttt-map"].rules, "net")
