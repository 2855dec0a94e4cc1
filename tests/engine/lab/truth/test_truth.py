"""`python -m engine truth`: games that go on where the file ends, and the page made of them."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from engine import Game, Rules, load_strong_scores, load_variant, parse_move, study
from engine.__main__ import main
from engine.errors import EngineError
from engine.lab.truth import Task, first_moves, identify_player, missing_games, play_game
from engine.lab.truth.hints import Reliability, calibrate, cases_by_variant, reliability
from engine.lab.truth.page import format_page
from engine.lab.truth.records import (
    LEAST_GAMES,
    RESULTS_FILE,
    GivenHints,
    ProvedMove,
    Record,
    Sitting,
    SolvedGame,
    StrongGame,
    format_record,
    read_records,
    strong_scores,
)
from engine.search.mcts import Limit
from tests.engine.programs import ROOT

GAME = StrongGame(
    variant="standard", player="net-0", limit="50ms", first=None, seed=1, number=0, code=None,
    moves="5551", swapped=False, result="X", plies=50, iterations=1000,
)  # fmt: skip


def play(path: Path, *arguments: str) -> int:
    return main(["truth", "--iterations", "20", "--results", str(path), *arguments])


def games_in(path: Path) -> list[StrongGame]:
    return [one for one in read_records(path) if isinstance(one, StrongGame)]


@pytest.mark.parametrize(
    "key", ["standard", "majority", "mulloy", "pie", "symmetric", "random-four", "depth=1"]
)
def test_a_stored_game_can_be_replayed_to_its_result(key: str, tmp_path: Path):
    path = tmp_path / "results.jsonl"
    assert play(path, key, "--games", "2") == 0

    for one in games_in(path):
        game = Game.replay(
            load_variant(one.variant).rules, one.cells, opening_code=one.code, swapped=one.swapped
        )
        assert game.outcome is not None
        winner = game.outcome.winner
        assert one.result == ("draw" if winner is None else "XO"[winner])
        assert one.plies == len(game.moves)
        assert one.limit == "20it"


def test_a_run_goes_on_after_a_torn_line_as_if_nothing_had_happened(tmp_path: Path):
    whole, torn = tmp_path / "whole.jsonl", tmp_path / "torn.jsonl"
    play(whole, "standard", "pie", "--games", "3")
    play(torn, "standard", "pie", "--games", "2")
    torn.write_bytes(torn.read_bytes()[:-40])
    assert len(games_in(torn)) == 3

    play(torn, "standard", "pie", "--games", "3")

    assert games_in(torn) == games_in(whole)
    assert len(games_in(torn)) == 6
    assert torn.read_bytes().endswith(b"\n")


def test_a_run_may_be_killed_at_any_moment(tmp_path: Path):
    path = tmp_path / "results.jsonl"
    command = [sys.executable, "-m", "engine", "truth", "standard", "--iterations", "20"]
    command += ["--games", "5000", "--results", str(path)]
    running = subprocess.Popen(command, cwd=ROOT)
    try:
        deadline = time.monotonic() + 60
        while len(games_in(path)) < 3:
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        running.send_signal(signal.SIGKILL)
        running.wait()
    kept = games_in(path)

    play(path, "standard", "--games", str(len(kept) + 1))

    assert games_in(path)[:-1] == kept
    assert [one.number for one in games_in(path)] == list(range(len(kept) + 1))


def test_nothing_is_played_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "results.jsonl"
    play(path, "depth=1", "--games", "2")
    before = path.read_bytes()

    assert play(path, "depth=1", "--games", "2") == 0
    assert path.read_bytes() == before
    assert "Nothing is missing" in capsys.readouterr().out


def test_games_of_another_player_or_another_time_are_other_games(tmp_path: Path):
    rules = Rules()
    task = Task(rules=rules, limit=Limit(iterations=20))
    played = play_game(task, 0)

    def missing(record: Record) -> int:
        return len(missing_games([task], 1, [record]))

    assert missing(played) == 0
    assert missing(replace(played, player="net-of-tomorrow")) == 1
    assert missing(replace(played, limit="50ms")) == 1
    assert identify_player(rules).startswith("net-")
    assert identify_player(rules) == identify_player(load_variant("pie").rules)
    assert identify_player(rules) != identify_player(load_variant("majority").rules)


def test_games_from_the_empty_board_differ():
    task = Task(rules=Rules(), limit=Limit(iterations=60))
    games = {play_game(task, number).moves for number in range(6)}

    assert len(games) > 1


@pytest.mark.parametrize(("key", "count"), [("standard", 15), ("mulloy", 14), ("depth=1", 3)])
def test_first_moves_are_those_that_differ_by_symmetry(key: str, count: int):
    moves = first_moves(load_variant(key).rules)

    assert len(moves) == len(set(moves)) == count


def test_games_from_the_first_moves_begin_with_them(tmp_path: Path):
    path = tmp_path / "results.jsonl"
    play(path, "pie", "--first-moves", "--games", "1")

    games = games_in(path)
    assert len(games) == 15
    assert all(one.moves[:2] == one.first for one in games)
    assert not any(one.swapped for one in games)


def test_an_opening_that_is_drawn_has_no_first_moves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert play(tmp_path / "results.jsonl", "symmetric", "--first-moves") == 2
    assert "it has no first moves" in capsys.readouterr().err


def test_a_swap_turns_the_score_of_the_first_player_around():
    assert [replace(GAME, result=result).score for result in ("X", "draw", "O")] == [1, 0.5, 0]
    swapped = [replace(GAME, result=result, swapped=True) for result in ("X", "draw", "O")]
    assert [one.score for one in swapped] == [0, 0.5, 1]


def test_it_is_found_from_which_ply_on_a_game_is_solved(tmp_path: Path):
    """One board is solved early by a search that could see all of it, and late by a short one."""
    path = tmp_path / "results.jsonl"
    play(path, "depth=1", "--games", "3")
    for iterations in ("2", "20000"):
        options = ["--iterations", iterations, "--games", "2", "--results", str(path)]
        assert main(["truth", "depth=1", "--solve", *options]) == 0
        assert main(["truth", "depth=1", "--solve", *options]) == 0  # nothing is missing

    found = [one for one in read_records(path) if isinstance(one, SolvedGame)]
    short = [one.ply for one in found if one.within == "2it"]
    long = [one.ply for one in found if one.within == "20000it"]
    assert len(short) == len(long) == 2
    assert max(long) <= 2
    assert min(short) > max(long)


def test_what_hints_promise_in_stored_games_is_kept(tmp_path: Path):
    path = tmp_path / "results.jsonl"
    play(path, "standard", "--games", "3")
    for _ in range(2):  # the second time nothing is missing
        assert play(path, "standard", "--games", "3", "--hints") == 0

    given = [one for one in read_records(path) if isinstance(one, GivenHints)]
    games = {one.terms: one for one in games_in(path)}
    assert {one.game for one in given} == games.keys()
    assert sum(len(one.plies) for one in given) > 10
    for one in given:
        assert list(one.plies) == sorted(set(one.plies))
        assert max(one.plies) < games[one.game].plies
        assert len(one.chances) == len(one.plies)
        assert all(0 <= chance <= 1000 for chance in one.chances)


def hinted(games: int, *, chance: int, x_wins: float) -> list[Record]:
    """Return games with two hints each, at a ply of each side; X wins the share `x_wins`."""
    hints = GivenHints(
        variant="standard", player="net-0", within="200ms", limit="50ms", seed=1, number=0,
        plies=(10, 21), chances=(chance, 1000 - chance),
    )  # fmt: skip
    return [
        one
        for number in range(games)
        for one in (
            replace(GAME, number=number, result="X" if number < x_wins * games else "O"),
            replace(hints, number=number),
        )
    ]


def test_chances_are_held_against_what_came_of_them(tmp_path: Path):
    """X always hopes for 60 % and gets 90."""
    records = hinted(400, chance=600, x_wins=0.9)
    random.Random(1).shuffle(records)
    found = reliability(cases_by_variant(records)["standard"])

    assert found.cases == 800
    assert found.constant == pytest.approx(0.25)
    assert found.expected == pytest.approx(0.9 * 0.16 + 0.1 * 0.36)
    assert found.corrected < 0.12
    assert found.off == pytest.approx(0.3)
    assert found.corrected_off is not None
    assert found.corrected_off < 0.1

    path = tmp_path / "calibration.json"
    assert calibrate(records, path) == ["standard"]
    assert '"standard": [' in path.read_text()
    assert calibrate(hinted(20, chance=600, x_wins=0.9), path) == []
    assert json.loads(path.read_text()) == {}
    # Already right: that is stored too, or the correction of other rules would count.
    right = hinted(400, chance=500, x_wins=0.5)
    assert calibrate(right, path) == []
    assert json.loads(path.read_text()) == {"standard": [1.0, 0.0]}


def test_a_correction_helps_by_its_score_or_by_mending_a_tenth():
    held = Reliability(
        cases=400, constant=0.25, expected=0.20, corrected=0.19, off=0.05, corrected_off=0.06
    )
    assert held.correction_helps
    worse = replace(held, corrected=0.21)
    assert not worse.correction_helps
    assert replace(worse, off=0.09).correction_helps
    assert not replace(worse, off=0.09, corrected_off=0.085).correction_helps
    assert not replace(worse, off=0.09, corrected=0.26).correction_helps
    assert not replace(worse, off=None, corrected_off=None).correction_helps


def test_only_the_player_that_was_asked_last_counts():
    older = hinted(5, chance=600, x_wins=1.0)
    newer = [
        replace(one, player="net-1")
        for one in hinted(3, chance=900, x_wins=1.0)
        if isinstance(one, StrongGame | GivenHints)
    ]
    cases = cases_by_variant([*older, *newer])["standard"]

    assert {case[0] for _, case in cases} == {0.9, 0.1}
    assert len(cases) == 6


def test_a_line_that_is_no_record_is_named(tmp_path: Path):
    path = tmp_path / "results.jsonl"
    path.write_text(format_record(GAME) + "nonsense\n" + format_record(GAME))
    with pytest.raises(EngineError, match=r"results\.jsonl, line 2 is not a record"):
        read_records(path)


def test_a_line_says_what_was_stored():
    line = format_record(GAME)
    assert line.count("\n") == 1
    assert parse_move(GAME.moves[:2], Rules()) == GAME.cells[0]


def test_the_page_says_what_is_in_the_file(tmp_path: Path):
    results = ["X"] * 10 + ["draw"] * 6 + ["O"] * 4
    moves = ["5551", "5553", "5552"]  # the first two are mirrored
    records: list[Record] = [Sitting(machine="A machine, 2 cores", date="2026-11-22")]
    records += [
        replace(GAME, number=number, result=result, plies=40 + number, moves=moves[number % 3])
        for number, result in enumerate(results)
    ]
    records += [replace(GAME, first=first, number=0, result="X") for first in ("55", "11")]
    records.append(
        SolvedGame(
            variant="standard",
            player="net-0",
            within="1000ms",
            limit="50ms",
            seed=1,
            number=0,
            ply=30,
            plies=40,
        )
    )
    path, page = tmp_path / "results.jsonl", tmp_path / "TRUTH.md"
    path.write_text("".join(map(format_record, records)))

    assert main(["truth", "--results", str(path), "--page", str(page)]) == 0
    text = page.read_text()

    row = "| 50 ms, `net-0` | 20 | 50.0 | 30.0 | 20.0 | 65.0 [46.7, 79.7] | 49.5 ± 2.6"
    assert f"{row} | 45 / 50 / 54 | 2 | 1,000 |" in text
    assert "| random moves | 1,000,000 | 41.2 | 22.2 | 36.5 | 52.3 ± 0.1 | 58.9 |" in text
    assert "At 50 ms only 20 of the 400 games wanted have been played" in text
    assert "First moves chosen at 50 ms: 55 20 times" in text
    assert "| Majority (`majority`) | 52.8 ± 0.1 |  | 0 | not played yet |" in text
    assert "No other is told apart from it. Fewer than 30 games: each. Not played yet: 12, " in text
    row = "| Standard (`standard`) | 1000 ms, games of 50ms | 1 | 30.0 | 30 | 10.0 | 10 |"
    assert row in text
    assert "| Majority (`majority`) | not measured yet | 0 |" in text
    assert "- Won-Board Play (`won-board`): X wins against every reply, at ply 43" in text
    assert "- A machine, 2 cores: 1 sitting, on 2026-11-22; each game on a core of its own." in text
    assert text == format_page(read_records(path))


@pytest.mark.parametrize(
    ("results", "said"),
    [
        (("X", "O"), "Best so far: 55. Its interval lies above all others. Not played yet:"),
        (
            ("X", "O", "X"),
            "Its interval lies above those of 11; the others are not told apart from it.",
        ),
    ],
)
def test_the_page_says_which_first_moves_are_worse(results: Sequence[str], said: str):
    records = [
        replace(GAME, first=first, number=number, result=result)
        for first, result in zip(("55", "11", "12"), results, strict=False)
        for number in range(30)
    ]
    assert said in format_page(records)


def test_the_latest_player_is_told_first_and_those_before_it_below():
    records: list[Record] = [
        replace(GAME, player=player, limit=limit, result=result)
        for player, limit, result in (
            ("net-9", "500ms", "O"),
            ("net-9", "50ms", "O"),
            ("net-0", "50ms", "X"),
        )
    ]
    overview, _, rest = format_page(records).partition("## What is proved")

    assert [row for row in overview.splitlines() if "net-" in row and "`standard`" in row] == [
        "| Standard (`standard`) | 52.3 ± 0.1 | 50 ms, `net-0` | 1 | 100.0 [20.7, 100.0] |",
        "| Standard (`standard`) | 52.3 ± 0.1 | 500 ms, `net-9` | 1 | 0.0 [0.0, 79.3] |",
    ]
    for told in ("| 50 ms, `net-9` | 1 |", "| 50 ms, `net-0` | 1 |", "| 500 ms, `net-9` | 1 |"):
        assert rest.count(told) == 1
    assert rest.count("At 50 ms only 1 of the 400 games wanted") == 1


def test_more_thought_and_openings_are_told_of_a_player_who_has_played_both():
    """A later player who has played only one of them says nothing about the difference."""
    records: list[Record] = [
        replace(GAME, player=player, variant=variant, limit=limit, result=result)
        for player, variant, limit, result in (
            ("net-1", "standard", "50ms", "O"),
            ("net-1", "standard", "500ms", "X"),
            ("net-1", "pie", "50ms", "O"),
            ("net-2", "standard", "50ms", "X"),
        )
    ]
    thought, _, repairs = format_page(records).partition("## What an opening repairs")

    of_thought = thought.partition("## What more thought changes")[2]
    assert "| Standard (`standard`) | 50 ms, 500 ms | 1 | -50.0" in of_thought
    assert "| Pie rule (`pie`) | `standard` | -50.0" in repairs.partition("##")[0]


def test_what_an_opening_repairs_is_told_beside_the_rules_without_it():
    records = [
        replace(GAME, variant=variant, number=number, result=result)
        for variant, results in (("standard", "XX" * 20), ("pie", "XO" * 20), ("mulloy", "XO"))
        for number, result in enumerate(results)
    ]
    text = format_page(records)

    row = "| Pie rule (`pie`) | `standard` | +50.0 ± 4.4 | +0.0 ± 14.8 | -50.0 ± 15.4 |"
    assert row in text
    # Mulloy's rules without its opening are no variant; no other opening was played.
    assert text.partition("## What an opening repairs")[2].partition("##")[0].count("(`") == 1
    # Games with another time limit are no comparison.
    slow = [replace(one, limit="500ms") for one in records if one.variant == "pie"]
    assert row not in format_page([*records[:40], *slow])


def test_what_more_thought_changes_is_told_of_the_same_player_alone():
    records = [
        replace(GAME, limit=limit, player=player, number=number, result=result)
        for limit, player, results in (
            ("50ms", "net-0", "XO" * 20),
            ("500ms", "net-0", "XX" * 20),
            ("5000ms", "net-1", "XO" * 20),
        )
        for number, result in enumerate(results)
    ]
    told = format_page(records).partition("## What more thought changes")[2].partition("##")[0]

    row = (
        "| Standard (`standard`) | 50 ms, 500 ms | 40 | +0.0 ± 14.8 | +50.0 ± 4.4 | +50.0 ± 15.4 |"
    )
    assert row in told
    assert "5000 ms" not in told


PROVED = ProvedMove(
    variant="tic-tac-ku", player="net-0", first="12", iterations=1000, winner="O", positions=1234
)  # fmt: skip


def test_the_page_says_what_is_proved_after_a_first_move_and_what_was_tried_in_vain():
    text = format_page(
        [
            PROVED,
            replace(PROVED, first="11", winner=None),
            replace(PROVED, first="22", winner=None),
            replace(PROVED, first="22", iterations=4000, winner="X", positions=7),
        ]
    )
    assert "- Tic-Tac-Ku (`tic-tac-ku`): O wins after 12 (1,234)." in text
    assert "- Tic-Tac-Ku (`tic-tac-ku`): X wins after 22 (7)." in text
    assert "- Tic-Tac-Ku (`tic-tac-ku`): tried in vain after 11." in text
    assert "After a first move" not in format_page([])


def test_an_empty_file_makes_a_page_too(tmp_path: Path):
    text = format_page(read_records(tmp_path / "nothing.jsonl"))

    assert text.count("not played yet") == 14
    assert "Nowhere yet." in text


def test_the_stored_games_end_as_they_say():
    """And give the scores that are shown; if not: `python -m engine truth --calibrate`."""
    records = read_records()
    for one in [one for one in records if isinstance(one, StrongGame)][:: len(records) // 20]:
        rules = load_variant(one.variant).rules
        game = Game.replay(rules, one.cells, opening_code=one.code, swapped=one.swapped)
        assert game.outcome is not None
        assert len(game.moves) == one.plies
    assert load_strong_scores() == strong_scores(records)
    assert os.stat(RESULTS_FILE).st_size < 5_500_000


@pytest.mark.long
def test_the_page_is_the_one_that_the_file_gives():
    """If not: `python -m engine truth --page`."""
    page = ROOT / "engine" / "TRUTH.md"
    assert page.read_text() == format_page(read_records())


def test_the_latest_player_with_games_enough_says_how_fair_a_variant_is():
    def games(player: str, limit: str, results: str) -> list[Record]:
        return [
            replace(GAME, player=player, limit=limit, number=number, result=result)
            for number, result in enumerate(results)
        ]

    old = games("net-0", "50ms", "XO" * 30)
    new = [*games("net-1", "50ms", "X" * 20 + "O" * 12), *games("net-1", "500ms", "O" * 31)]
    few = games("net-2", "50ms", "O" * (LEAST_GAMES - 1))
    for records, count, score in (
        (old, 60, 0.5),
        ([*old, *new], 32, 20 / 32),
        ([*old, *few], 60, 0.5),
    ):
        (found,) = strong_scores(records).values()
        assert found.games == count
        assert found.score.value == pytest.approx(score)
    assert strong_scores(few) == {}


def test_scores_are_read_as_they_were_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(study, "STRONG_FILE", tmp_path / "strong.json")
    records = [replace(GAME, number=number, result="XO"[number % 3 == 0]) for number in range(50)]
    found = strong_scores([*records, *[replace(one, variant="majority") for one in records[:40]]])
    assert len(found) == 2

    study.save_strong_scores(found)

    assert load_strong_scores.__wrapped__() == found
