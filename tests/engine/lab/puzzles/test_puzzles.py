"""Puzzles are what they claim, by `tests.plain_solver`; a run that was stopped goes on."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

import engine.lab.puzzles
from engine import (
    EngineError,
    Game,
    GameRecord,
    IllegalMoveError,
    Opening,
    Rules,
    format_records,
    load_variant,
    parse_position,
    symmetries,
    transform,
)
from engine.__main__ import main
from engine.lab.puzzles import Finding, Prover, Refused, play_game
from engine.lab.puzzles.runs import Collection, Terms, read_run
from engine.puzzles import (
    file_of,
    format_puzzle,
    identify,
    load_puzzles,
    parse_puzzle,
    read_puzzles,
    write_puzzles,
)
from tests.naive import NaiveGame
from tests.plain_solver import State, TooHardError, may_win, moves_of, play, state_of
from tests.proving import MOST, SHIPPED, prove

# Late in a game, so that few positions prove it.
EXAMPLE = max(load_puzzles("standard"), key=lambda one: (one.turns > 1, len(one.moves)))
# A seed that gives puzzles soon: of its first three games the first and the third have one.
TERMS = Terms(variant="standard", seed=6)


def test_some_of_what_is_shipped_is_proven_again():
    """Random ones that few positions prove; `test_a_hundred...` takes any."""
    puzzles = load_puzzles(random.choice(SHIPPED))
    late = [one for one in puzzles if any(theme.key == "endgame" for theme in one.themes)]
    proven = 0
    for puzzle in random.sample(late, min(12, len(late))):
        try:
            prove(puzzle, most=1_500)
        except TooHardError:
            continue
        proven += 1
        if proven == 5:
            break
    assert proven


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("key", SHIPPED)
def test_a_hundred_of_each_preset_are_proven_again(key: str):
    for puzzle in random.sample(load_puzzles(key), 100):
        prove(puzzle, most=MOST)


@pytest.mark.parametrize("key", SHIPPED)
def test_who_wins_was_never_taken_for_one_who_cannot(key: str):
    """The plain solver gives up positions that it sees cannot be won: never a wrong one."""
    rules = replace(load_variant(key).rules, opening=Opening.FREE)
    games = given_up = 0
    # One Tactical game in eight ends so that this can be seen: thirty may hold none.
    while games < 30 or (not given_up and games < 300):
        games += 1
        state: State | str = state_of(NaiveGame(rules))
        past = []
        while isinstance(state, State):
            past.append(state)
            state = play(state, random.choice(list(moves_of(state, rules))), rules)
        if state != "drawn":
            assert all(may_win(each, state, rules) for each in past)
        given_up += not all(may_win(past[-1], side, rules) for side in "XO")
    assert given_up


@pytest.mark.parametrize("key", SHIPPED)
def test_what_is_shipped_is_whole(key: str):
    """Replayed by the rules; no two alike; as many as the log says."""
    puzzles = load_puzzles(key)
    ids = {puzzle.id for puzzle in puzzles}
    sample = random.sample(puzzles, min(20, len(puzzles)))

    assert len(ids) == len(puzzles)
    assert [identify(one.start().position) for one in sample] == [one.id for one in sample]
    assert all(len(one.solution) % 2 and one.turns and one.themes for one in puzzles)
    log = json.loads(file_of(load_variant(key).rules).with_name(f"{key}.json").read_text())
    assert log["puzzles"] == len(puzzles)
    assert log["puzzles"] + sum(log["refused"].values()) == log["candidates"]


@pytest.mark.parametrize("wrong", ["another move", "not winning"])
def test_a_puzzle_that_is_wrong_is_refused(wrong: str, tmp_path: Path):
    position = EXAMPLE.start().position
    others = [move for move in position.legal_moves if move != EXAMPLE.solution[0]]
    planted = replace(EXAMPLE, solution=(others[0],))
    if wrong == "not winning":
        planted = replace(EXAMPLE, moves=EXAMPLE.moves[:-1], solution=(EXAMPLE.moves[-1],))
    with pytest.raises(AssertionError):
        prove(planted, most=200_000)

    path = write_puzzles(Rules(), [EXAMPLE], tmp_path)
    assert read_puzzles(Rules(), tmp_path) == (EXAMPLE,)
    text = gzip.decompress(path.read_bytes()).decode()
    changed = text.replace(format_puzzle(EXAMPLE), format_puzzle(planted))
    path.write_bytes(gzip.compress(changed.encode()))
    with pytest.raises(EngineError, match="not what was written"):
        read_puzzles(Rules(), tmp_path)
    path.write_bytes(b"nonsense")
    with pytest.raises(EngineError, match="no file of puzzles"):
        read_puzzles(Rules(), tmp_path)
    for line in ("", "a b c d e f", format_puzzle(EXAMPLE) + ",nonsense"):
        with pytest.raises(EngineError, match="No puzzle"):
            parse_puzzle(line, Rules())


def test_what_is_not_the_one_way_to_win_or_not_proven_is_refused(monkeypatch: pytest.MonkeyPatch):
    position = EXAMPLE.start().position
    assert Prover(EXAMPLE.rules).only_win(position) == EXAMPLE.solution[0]
    assert (
        Prover(EXAMPLE.rules).line(
            position, EXAMPLE.solution[0], Prover(EXAMPLE.rules).shortest_win(position)
        )
        == EXAMPLE.solution
    )

    several = "standard X 41 - XX7 XXX6/XXX6/XX1X5/O2O5/O2O5/O2O5/O2O5/O8/9"
    with pytest.raises(Refused, match="several moves win"):
        Prover(Rules()).only_win(parse_position(several))
    with pytest.raises(Refused, match=r"plies|not known"):
        Prover(Rules()).shortest_win(EXAMPLE.start().position.after(EXAMPLE.solution[0]))

    monkeypatch.setattr(engine.lab.puzzles, "FIRST_NODES", 1)
    monkeypatch.setattr(engine.lab.puzzles, "SURE_NODES", 10)
    with pytest.raises(Refused, match="not proven"):
        Prover(Rules()).only_win(Game.replay(Rules(), EXAMPLE.moves[:12]).position)


def test_puzzles_that_symmetry_makes_alike_are_one():
    rules, collection = EXAMPLE.rules, Collection(TERMS)
    for symmetry in symmetries(rules):
        moves, solution = (
            tuple(transform(move, symmetry, rules) for move in line)
            for line in (EXAMPLE.moves, EXAMPLE.solution)
        )
        turned = replace(EXAMPLE, moves=moves, solution=solution)
        turned = replace(turned, id=identify(turned.start().position))
        assert turned.id == EXAMPLE.id
        line = format_puzzle(turned)
        finding = Finding(number=0, plies=9, candidates=1, refused={}, seconds=1, puzzle=line)
        assert collection.add(finding) == (symmetry == symmetries(rules)[0])
    assert list(collection.puzzles) == [EXAMPLE.id]


def test_marks_that_cannot_matter_make_no_other_puzzle():
    text = "standard X 41 - XX7 {}/XXX6/XX7/O2O5/O2O5/O2O5/O2O5/9/9"
    first, second = (identify(parse_position(text.format(board))) for board in ("XXX6", "3XXX3"))
    assert first == second
    others = text.replace("XX7/O2O5", "X1X6/O2O5")
    assert identify(parse_position(others.format("XXX6"))) != first


def run(folder: Path, *arguments: str) -> int:
    folder.mkdir(exist_ok=True)
    where = ["--run", str(folder / "run.jsonl"), "--folder", str(folder)]
    return main(["puzzles", "--seed", str(TERMS.seed), *where, *arguments])


def findings(folder: Path, terms: Terms = TERMS) -> list[Finding]:
    return [replace(one, seconds=0.0) for one in read_run(folder / "run.jsonl", terms)]


def test_a_run_that_was_stopped_goes_on_as_if_it_had_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    assert run(whole, "--count", "2") == 0
    assert run(broken, "--count", "1") == 0
    torn = (broken / "run.jsonl").read_bytes()[:-20]
    (broken / "run.jsonl").write_bytes(torn)
    assert run(broken, "--count", "2") == 2
    assert "go on with --resume" in capsys.readouterr().err
    assert run(broken, "--count", "2", "--resume", "--seed", "7") == 2
    assert "other terms" in capsys.readouterr().err
    assert run(broken, "--count", "2", "--resume") == 0

    assert findings(broken) == findings(whole)
    written = [file_of(Rules(), folder).read_bytes() for folder in (broken, whole)]
    assert written[0] == written[1]
    log = json.loads((whole / "standard.json").read_text())
    assert log["puzzles"] == len(read_puzzles(Rules(), whole)) == 2
    assert sum(log["refused"].values()) + 2 == log["candidates"]
    (broken / "run.jsonl").write_bytes(torn[:-20] + b"\n")
    assert run(broken, "--count", "2", "--resume") == 2
    assert "no run of puzzles" in capsys.readouterr().err


def test_given_games_have_the_puzzles_that_played_ones_have(tmp_path: Path):
    assert run(tmp_path / "played", "--count", "1") == 0
    played = findings(tmp_path / "played")
    games = [play_game(Rules(), TERMS.seed, one.number) for one in played]
    other = play_game(load_variant("majority").rules, 1, 0)
    path = tmp_path / "games.uttt"
    records = [GameRecord.of_game(each) for each in (other, *games)]
    path.write_text(format_records(records))
    folder = tmp_path / "given"

    assert run(folder, "--records", str(path), "--count", "9") == 130

    terms = json.loads((folder / "run.jsonl").read_text().splitlines()[0])
    assert findings(folder, Terms(**terms)) == played
    assert len(read_puzzles(Rules(), folder)) == 1


def test_only_games_of_depth_2_have_puzzles(capsys: pytest.CaptureFixture[str]):
    assert main(["puzzles", "--variant", "sttt-map"]) == 2
    assert "depth 2 only" in capsys.readouterr().err
    assert load_puzzles("sttt-map") == ()


def test_a_try_is_answered_until_it_is_wrong_or_all_is_found():
    puzzle = EXAMPLE
    nothing = puzzle.attempt(())
    assert (nothing.is_right, nothing.is_solved, nothing.reply) == (True, False, None)
    assert nothing.game.moves == puzzle.moves
    assert nothing.game.position.side == puzzle.side

    first = puzzle.attempt(puzzle.solution[:1])
    assert (first.is_right, first.is_solved, first.reply) == (True, False, puzzle.solution[1])
    assert first.game.moves == puzzle.moves + puzzle.solution[:2]

    whole = puzzle.attempt(puzzle.solution[::2])
    assert (whole.is_right, whole.is_solved, whole.reply) == (True, True, None)
    assert whole.game.moves == puzzle.moves + puzzle.solution

    wrong = next(one for one in first.game.position.legal_moves if one != puzzle.solution[2])
    failed = puzzle.attempt((puzzle.solution[0], wrong, 0))
    assert (failed.is_right, failed.is_solved, failed.reply) == (False, False, None)
    assert failed.game.moves == (*puzzle.moves, *puzzle.solution[:2], wrong)

    with pytest.raises(IllegalMoveError):
        puzzle.attempt((puzzle.moves[0],))


def test_a_game_of_levels_repeats():
    first, second, third = (play_game(Rules(), 1, number) for number in (0, 0, 1))
    assert isinstance(first, Game)
    assert first.outcome is not None
    assert first.moves == second.moves != third.moves
