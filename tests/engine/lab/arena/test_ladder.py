"""The ladder of levels: who meets whom, what is printed, what is stored."""

from __future__ import annotations

import json
from itertools import islice, pairwise
from pathlib import Path

import pytest

from engine import LEVELS, VARIANTS, EngineError, Limit, Rules
from engine.__main__ import main
from engine.lab.arena.ladder import LadderPlan, play_ladder, rate
from engine.search import ratings
from engine.search.ratings import even_out, level_rating, save_ratings


def plan_of(levels: tuple[int, ...], **options: int) -> LadderPlan:
    return LadderPlan(levels=levels, rules=Rules(), pair_count=2, limit=Limit(seconds=1), **options)


def test_levels_meet_within_the_span():
    assert plan_of((1, 2, 3)).pairings == ((1, 0), (2, 0), (2, 1))
    assert plan_of((1, 2, 3, 4), span=1).pairings == ((1, 0), (2, 1), (3, 2))


@pytest.mark.parametrize("levels", [(1,), (2, 1), (1, 1)])
def test_a_ladder_has_steps(levels: tuple[int, ...]):
    with pytest.raises(EngineError, match="two or more levels"):
        plan_of(levels)


def test_level_five_is_the_anchor():
    plan = plan_of((4, 5, 6))
    scores = {(1, 0): 0.75, (2, 0): 1.0, (2, 1): 0.5}
    ladder = rate(plan, list(scores.items()) * 20)

    assert ladder.fit.ratings[1].elo == 1500
    assert ladder.is_monotone
    assert ladder.gaps[0].elo > ladder.gaps[1].elo > 0


def test_without_it_the_lowest_level_keeps_its_rating():
    ladder = rate(plan_of((8, 9)), [((1, 0), 0.75)])

    assert ladder.fit.ratings[0].elo == pytest.approx(level_rating(8))
    assert ladder.fit.ratings[1].elo > level_rating(8)


def test_a_step_down_is_noticed():
    played = [((1, 0), 0.25)] * 10

    assert not rate(plan_of((1, 2)), played).is_monotone


def test_the_round_robin_is_played():
    played = list(islice(play_ladder(plan_of((1, 2, 3))), 6))

    assert [pairing for pairing, _ in played] == [(1, 0), (2, 0), (2, 1)] * 2


def test_time_ends_a_ladder_after_a_whole_round():
    played = list(play_ladder(plan_of((1, 2, 3)), max_seconds=0.0))

    assert [pairing for pairing, _ in played] == [(1, 0), (2, 0), (2, 1)]
    assert rate(plan_of((1, 2, 3)), played).pair_count == 1


def test_ratings_in_the_wrong_order_are_evened_out():
    measured = {1: (800.0, 40.0), 2: (1300.0, 60.0), 3: (1100.0, 30.0), 4: (1150.0, 50.0)}
    evened = even_out(measured)

    assert evened[1] == measured[1]
    assert [evened[number][1] for number in evened] == [40.0, 60.0, 30.0, 50.0]
    elos = [elo for elo, _ in evened.values()]
    assert elos == sorted(elos)
    assert 1100 < evened[2][0] == evened[3][0] < 1200  # the surer one counts more
    assert even_out({1: (1.0, 5.0), 2: (2.0, 5.0)}) == {1: (1.0, 5.0), 2: (2.0, 5.0)}


def test_rules_that_were_not_measured_borrow_from_those_most_like_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(ratings, "RATINGS_FILE", tmp_path / "ratings.json")
    ratings._ratings.cache_clear()
    try:
        for place, key in enumerate(("standard", "open-board", "sttt-tactical")):
            save_ratings(key, {1: (100.0 * (place + 1), 9.0)})
        expected = {
            "standard": 100, "pie": 100, "mulloy": 100, "depth=1": 100, "tactical": 100,
            "open-board": 200, "balanced": 200, "sttt-map": 300, "sttt-tactical": 300,
        }  # fmt: skip

        assert {key: level_rating(1, key) for key in expected} == expected
        with pytest.raises(EngineError, match="no variant 'chess'"):
            level_rating(1, "chess")
    finally:
        monkeypatch.undo()
        ratings._ratings.cache_clear()


def test_a_level_that_was_left_out_is_as_far_from_the_next_as_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(ratings, "RATINGS_FILE", tmp_path / "ratings.json")
    ratings._ratings.cache_clear()
    try:
        save_ratings("standard", {1: (600.0, 9.0), 2: (800.0, 9.0), 3: (1050.0, 9.0)})
        save_ratings("sttt-tactical", {1: (100.0, 9.0), 2: (500.0, 9.0)})

        assert [level_rating(number, "sttt-map") for number in (1, 2, 3)] == [100, 500, 750]
    finally:
        monkeypatch.undo()
        ratings._ratings.cache_clear()


def test_what_was_measured_before_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    stored = tmp_path / "ratings.json"
    monkeypatch.setattr(ratings, "RATINGS_FILE", stored)
    save_ratings("majority", {9: (900.4, 8.6), 10: (1000.0, 7.0)})
    save_ratings("majority", {1: (1.0, 1.0), 9: (950.0, 5.0)})
    monkeypatch.undo()
    ratings._ratings.cache_clear()

    found = json.loads(stored.read_text())["majority"]
    assert list(found) == ["1", "9", "10"]
    assert found["9"] == {"elo": 950, "error": 5}


def test_the_command_prints_a_table(capsys: pytest.CaptureFixture[str]):
    status = main(["ladder", "--levels", "1..3", "--games", "4", "--span", "1", "--seed", "3"])
    out = capsys.readouterr().out

    assert status in (0, 1)
    assert "above the level below" in out
    assert len([line for line in out.splitlines() if line[:5].strip().isdigit()]) == 3


def test_ratings_are_stored_and_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    stored = tmp_path / "ratings.json"
    monkeypatch.setattr(ratings, "RATINGS_FILE", stored)
    ratings._ratings.cache_clear()
    try:
        save_ratings("standard", {1: (700.4, 50.0)})
        options = ["--levels", "1..2", "--games", "2", "--json", "--write"]
        main(["ladder", "--variant", "majority", *options])
        told = json.loads(capsys.readouterr().out)
        found = json.loads(stored.read_text())

        assert told["levels"][0]["elo"] == 700
        assert list(found["standard"]) == ["1"]
        assert list(found["majority"]) == ["2"], "level 1 was only measured from"
        assert level_rating(2, "majority") == round(told["levels"][1]["elo"])
        assert level_rating(1, "open-board") == 700
    finally:
        monkeypatch.undo()
        ratings._ratings.cache_clear()


@pytest.mark.parametrize("levels", ["3", "0..2", "9..11", "5..4", "a..b"])
def test_levels_that_are_none_are_refused(levels: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["ladder", "--levels", levels])
    assert "such as 3..6" in capsys.readouterr().err


def test_every_level_has_a_rating_that_grows():
    for key in VARIANTS:
        found = [level_rating(level.number, key) for level in LEVELS]
        assert all(lower <= higher for lower, higher in pairwise(found))
    standard = [level_rating(level.number) for level in LEVELS]
    assert all(lower < higher for lower, higher in pairwise(standard))


def test_there_is_no_rating_of_no_level():
    with pytest.raises(EngineError, match="level 11"):
        level_rating(11)
