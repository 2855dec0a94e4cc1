"""`python -m engine study`: what it prints, refuses and survives."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest

import engine.study
from engine import VARIANTS, Study, load_study
from engine.__main__ import main
from engine.lab.study import RandomSelfPlay, format_study

SCHEMA = json.loads((Path(engine.study.__file__).parent / "schema.json").read_text())


def test_json_is_what_the_schema_says(capsys: pytest.CaptureFixture[str]):
    status = main(["study", "standard", "depth=1", "--games", "50", "--seed", "4", "--json"])
    printed = capsys.readouterr().out

    assert status == 0
    jsonschema_rs.validate(SCHEMA, json.loads(printed))
    study = Study.from_json(printed)
    assert (study.player, study.seed, study.complete) == ("random", 4, True)
    assert [(one.variant, one.games) for one in study.results] == [
        ("standard", 50),
        ("depth=1", 50),
    ]


def test_all_named_variants_are_studied_by_default(capsys: pytest.CaptureFixture[str]):
    main(["study", "--games", "2", "--json"])

    study = Study.from_json(capsys.readouterr().out)
    assert [one.variant for one in study.results] == list(VARIANTS)


def test_a_variant_named_twice_is_studied_once(capsys: pytest.CaptureFixture[str]):
    main(["study", "standard", "depth=2", "standard", "--games", "2", "--json"])

    assert len(Study.from_json(capsys.readouterr().out).results) == 1


def test_a_level_can_play(capsys: pytest.CaptureFixture[str]):
    assert main(["study", "standard", "--player", "1", "--games", "1"]) == 0

    assert capsys.readouterr().out.startswith("level 1 against itself, seed 1\n")


def test_the_tables_are_aligned():
    going, ending, _ = format_study(load_study()).split("\n\n")

    for table in (going, ending):
        lines = table.splitlines()
        assert len(lines) == 1 + len(VARIANTS)
        assert len({len(line) for line in lines}) == 1
        assert len(lines[0]) <= 110


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nonsense"], "There is no variant 'nonsense'"),
        (["goal=six"], "goal must be line or five, not 'six'"),
        (["--player", "11"], "There is no player '11'"),
        (["--games", "0"], "'0' is not a whole number from 1 to 1000000000"),
        (["--games", "many"], "'many' is not a whole number"),
        (["--seed", "-1"], "'-1' is not a whole number from 0 to 9223372036854775807"),
        (["--seed", "9" * 5000], "999...' is not a whole number"),
    ],
)
def test_bad_input_is_answered_by_a_sentence(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
):
    status: object
    try:
        status = main(["study", *arguments])
    except SystemExit as stopped:  # argparse leaves this way
        status = stopped.code

    shown = capsys.readouterr()
    assert status == 2
    assert said in shown.err
    assert shown.out == ""


@pytest.mark.parametrize(("heard_at", "games"), [(1, []), (2, [3]), (3, [3, 3])])
def test_an_interruption_shows_what_has_been_played(
    heard_at: int,
    games: list[int],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    play, calls = RandomSelfPlay.play, []

    def interrupted(player: RandomSelfPlay, game_count: int) -> None:
        calls.append(game_count)
        if len(calls) == heard_at:
            raise KeyboardInterrupt
        play(player, game_count)

    monkeypatch.setattr(RandomSelfPlay, "play", interrupted)

    assert main(["study", "standard", "pie", "mulloy", "--games", "3", "--json"]) == 130
    study = Study.from_json(capsys.readouterr().out)
    assert not study.complete
    assert [one.games for one in study.results] == games


def test_an_interruption_is_told_in_the_table(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    def interrupted(player: RandomSelfPlay, game_count: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(RandomSelfPlay, "play", interrupted)

    main(["study", "standard"])
    assert "Interrupted: no game had been finished." in capsys.readouterr().out


def test_the_stored_study_is_whole():
    study = load_study()

    jsonschema_rs.validate(SCHEMA, json.loads(study.to_json()))
    assert (study.player, study.complete) == ("random", True)
    assert [(one.variant, one.games) for one in study.results] == [
        (key, 1_000_000) for key in VARIANTS
    ]


def test_a_study_of_another_version_is_refused():
    old = json.loads(load_study().to_json()) | {"version": 0}

    with pytest.raises(ValueError, match="version 2 is needed, got 0"):
        Study.from_json(json.dumps(old))
