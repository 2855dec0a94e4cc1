"""`python -m engine truth --prove`: a plan wins only where a search for proofs agrees."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import engine.cli.truth
from engine import Position, Rules, load_variant, parse_move
from engine.__main__ import main
from engine.lab.truth import identify_player, replayed
from engine.lab.truth.proving import Plan, prove_first_move, unproved_moves
from engine.lab.truth.records import ProvedMove, StrongGame, read_records
from engine.search.mcts import Limit
from engine.search.report import Proof
from engine.search.solving import solve
from engine.types import O, X

KU = load_variant("tic-tac-ku").rules


@pytest.mark.sampled(3)
@pytest.mark.parametrize("key", ["standard", "majority", "won-board", "tic-tac-ku", "mulloy"])
def test_a_plan_wins_where_a_search_for_proofs_says_so(key: str):
    """And nowhere else: from late positions of stored games both know all that can follow."""
    games = [one for one in read_records() if isinstance(one, StrongGame) and one.variant == key]
    found = []
    for played in [one for one in games if one.first is None][:12]:
        game = replayed(played)
        while len(game.moves) > played.plies - 9:
            game.pop()
        proven = solve(game.position, Limit(iterations=1_000_000)).proven
        assert proven is not None
        for side in (X, O):
            certain = Proof.WIN if game.position.side == side else Proof.LOSS
            found.append((Plan(game.rules, side, 400).wins(game.position), proven is certain))

    assert all(is_certain for wins, is_certain in found if wins)
    assert sum(wins for wins, _ in found) >= 0.9 * sum(is_certain for _, is_certain in found)
    assert any(wins for wins, _ in found)


def test_the_known_forced_win_is_found_again():
    proved = prove_first_move(load_variant("won-board").rules, parse_move("55", KU), 100)
    assert (proved.first, proved.winner) == ("55", "X")
    assert proved.positions < 100


def test_a_plan_that_meets_too_much_shows_nothing():
    proved = prove_first_move(KU, parse_move("12", KU), 50, most_positions=30)
    assert (proved.winner, proved.positions) == (None, 60)  # 30 for each side


def test_o_is_sent_back_to_the_board_it_was_sent_to():
    """X plays 12; O answers 22, and 32 after 23: whatever X names, its cell 2."""
    position = Position.initial(KU).after(parse_move("12", KU))
    plan = Plan(KU, O, 1, most_positions=1)
    seen: list[Position] = []

    class Watched(Plan):
        def wins(self, position: Position) -> bool:
            seen.append(position)
            return False

    plan = Watched(KU, O, 1)
    assert not Plan.wins(plan, position)
    assert seen[0].last_move == parse_move("22", KU)
    seen.clear()
    assert not Plan.wins(plan, position.after(parse_move("22", KU)).after(parse_move("23", KU)))
    assert seen[0].last_move == parse_move("32", KU)


def test_what_is_proved_or_was_tried_alike_is_not_tried_again():
    tried = ProvedMove(
        variant=KU.key,
        player=identify_player(KU),
        first="11",
        iterations=100,
        winner=None,
        positions=5,
    )
    proved = replace(tried, player="another", first="12", iterations=7, winner="O")
    other_rules = replace(tried, variant="standard", first="13")
    left = unproved_moves(KU, 100, [tried, proved, other_rules])
    assert len(left) == 13
    assert not {parse_move("11", KU), parse_move("12", KU)} & set(left)
    assert parse_move("11", KU) in unproved_moves(KU, 200, [tried, proved])


def test_the_command_goes_on_where_the_file_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def prove(rules: Rules, first: int, iterations: int) -> ProvedMove:
        return prove_first_move(rules, first, iterations, most_positions=10)

    monkeypatch.setattr(engine.cli.truth, "prove_first_move", prove)
    path = tmp_path / "results.jsonl"
    command = ["truth", "tic-tac-ku", "--prove", "--iterations", "5", "--results", str(path)]

    assert main(command) == 0
    assert "15 of 15 missing moves added" in capsys.readouterr().out
    assert main(command) == 0
    found = [one for one in read_records(path) if isinstance(one, ProvedMove)]

    left = 15 - sum(one.winner is not None for one in found)
    assert len({one.first for one in found}) == len(found) == 15
    assert {one.winner for one in found} >= {None, "X"}  # X wins after 55 by the known strategy
    assert left < 15


@pytest.mark.parametrize(
    ("key", "said"),
    [("sttt-map", "for games of 81 cells; got"), ("symmetric", "it has no first moves")],
)
def test_rules_without_such_a_first_move_are_refused_in_words(
    key: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["truth", key, "--prove", "--results", str(tmp_path / "results.jsonl")]) == 2
    assert said in capsys.readouterr().err
