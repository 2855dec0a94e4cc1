"""Games made by hand, with mistakes of known cost, and their analysis."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from engine import (
    Analysis,
    Game,
    GameRecord,
    Judgement,
    Limit,
    MoveReview,
    O,
    Position,
    Proof,
    Rules,
    X,
    analyse_game,
    format_record,
    load_variant,
    parse_move,
)
from engine.__main__ import main
from engine.analysis.review import move_accuracy
from tests import strategies
from tests.engine.playing import play

LIMIT = Limit(iterations=300)
ENOUGH = Limit(iterations=1_000_000)  # solves ordinary tic-tac-toe, and stops then
TINY = Rules(depth=1)


def review_of(**changes: object) -> MoveReview:
    settings: dict[str, Any] = {
        "ply": 3, "side": O, "move": 1, "best_move": 2, "best_line": (2,), "chance_before": 0.7,
        "chance_after": 0.45, "is_forced": False, "proven_before": None, "proven_after": None,
    }  # fmt: skip
    return MoveReview(**{**settings, **changes})


def test_ordinary_tic_tac_toe_has_no_secrets():
    """A centre is answered on an edge: that loses, and everything after it is best play."""
    found = analyse_game(play("depth=1", "5 2 1 9 7"), ENOUGH)

    assert found.complete
    assert found.chances == (0.5, 0.5, 1.0, 1.0, 1.0, 1.0)
    assert [review.judgement for review in found.reviews] == [
        Judgement.BEST, Judgement.BLUNDER, Judgement.BEST, Judgement.BEST, Judgement.BEST,
    ]  # fmt: skip
    assert found.blunders == found.turning_points == (found.reviews[1],)
    blunder = found.reviews[1]
    assert (blunder.side, blunder.ply, blunder.loss) == (O, 1, 0.5)
    assert blunder.best_move in (0, 2, 6, 8)  # a corner holds
    assert (blunder.proven_before, blunder.proven_after) == (Proof.DRAW, Proof.LOSS)


def test_accuracy_is_the_mean_over_both_moves_of_o():
    """A loss of a half counts 100 exp(-2.5) = 8.2; the other move was as good as any."""
    accuracy = analyse_game(play("depth=1", "5 2 1 9 7"), ENOUGH).accuracy

    assert accuracy.x == 100
    assert accuracy.o == pytest.approx((100 + 8.2085) / 2, abs=0.01)


def test_a_win_let_go_is_a_blunder():
    found = analyse_game(play("depth=1", "5 2 1 9 8 7 3"), ENOUGH)

    (missed,) = [review for review in found.blunders if review.side == X]
    assert (missed.ply, missed.proven_before) == (4, Proof.WIN)
    assert missed.best_move in (3, 6)


def test_the_only_move_is_no_merit():
    found = analyse_game(play("depth=1", "1 2 3 5 4 6 8 7 9"), ENOUGH)
    last = found.reviews[-1]

    assert last.is_forced
    assert (last.loss, last.judgement) == (0.0, Judgement.BEST)
    assert found.chances[-1] == 0.5


def test_an_unfinished_game_can_be_looked_over():
    rules = Rules()
    found = analyse_game(play(rules.key, "55 51 12"), LIMIT)

    assert len(found.chances) == 4
    assert [review.side for review in found.reviews] == [X, O, X]


def test_a_given_opening_is_not_judged():
    rules = load_variant("random-four").rules
    game = Game(rules, "12345")
    game.push(game.position.legal_moves[0])
    found = analyse_game(game, LIMIT)

    assert (found.first_ply, len(found.reviews), len(found.chances)) == (4, 1, 2)
    assert found.reviews[0].ply == 4


def test_the_known_forced_win_is_known():
    rules = load_variant("won-board").rules
    found = analyse_game(play(rules.key, "55 51 11"), LIMIT)

    assert found.chances[0] == 1.0
    assert found.reviews[0].proven_before is Proof.WIN
    assert found.reviews[2].proven_before is Proof.WIN
    assert found.reviews[2].best_move == 4


def test_a_seed_repeats_an_analysis_and_progress_is_told():
    game = play("standard", "55 51 12 25")
    told: list[tuple[int, int]] = []
    found = analyse_game(game, LIMIT, progress=lambda done, total: told.append((done, total)))

    assert found == analyse_game(game, LIMIT)
    assert told == [(number, 5) for number in range(1, 6)]


def test_a_stop_returns_what_there_is():
    stop = threading.Event()
    found = analyse_game(
        play("standard", "55 51 12 25"), LIMIT, stop=stop,
        progress=lambda done, _: stop.set() if done == 2 else None,
    )  # fmt: skip

    assert not found.complete
    assert (len(found.chances), len(found.reviews)) == (2, 1)


def test_nothing_is_found_when_stopped_at_once():
    stop = threading.Event()
    stop.set()
    found = analyse_game(play("depth=1", "5 1"), LIMIT, stop=stop)

    assert (found.chances, found.reviews, found.accuracy.x) == ((), (), None)


@settings(max_examples=20, deadline=None)
@given(game=strategies.games(strategies.presets(), longest=6))
def test_every_analysis_is_consistent(game: Game):
    found = analyse_game(game, Limit(iterations=20))

    assert len(found.chances) == len(found.reviews) + 1
    position = game.start
    for review, before, after in zip(found.reviews, found.chances, found.chances[1:], strict=False):
        mirrored = after if review.side == X else 1 - after
        assert review.move == game.moves[review.ply]
        assert review.best_move in position.legal_moves
        assert review.best_line[0] == review.best_move
        assert review.chance_after == pytest.approx(mirrored)
        assert 0 <= review.loss <= 1
        assert 0 <= before <= 1
        position = position.after(review.move)


@pytest.mark.parametrize(
    ("before", "after", "word"),
    [
        (0.7, 0.45, Judgement.BLUNDER), (0.7, 0.58, Judgement.MISTAKE),
        (0.7, 0.64, Judgement.INACCURACY), (0.7, 0.68, Judgement.GOOD),
        (0.7, 0.75, Judgement.GOOD),
    ],
)  # fmt: skip
def test_moves_are_judged_by_what_they_lose(before: float, after: float, word: Judgement):
    assert review_of(chance_before=before, chance_after=after).judgement is word


def test_the_best_move_and_the_only_one_lose_nothing():
    assert review_of(move=2).loss == review_of(is_forced=True).loss == 0.0
    assert review_of(move=2).judgement is Judgement.BEST


def test_a_turning_point_changes_who_is_ahead():
    assert review_of(chance_before=0.62, chance_after=0.5).is_turning_point
    assert review_of(chance_before=0.5, chance_after=0.38).is_turning_point
    assert not review_of(chance_before=0.95, chance_after=0.8).is_turning_point
    assert not review_of(chance_before=0.61, chance_after=0.59).is_turning_point


def test_accuracy_of_a_move():
    assert move_accuracy(0.0) == 100
    assert move_accuracy(0.2) == pytest.approx(36.788, abs=0.001)


def test_an_analysis_is_a_value():
    empty, again = (
        Analysis(rules=TINY, first_ply=0, chances=(0.5,), reviews=(), complete=True)
        for _ in range(2)
    )

    assert empty.accuracy.x is None
    assert {empty} == {again}


# The command.


def test_the_command_shows_blunders_with_the_better_move(capsys: pytest.CaptureFixture[str]):
    options = ["--variant", "depth=1", "--iterations", "1000000"]
    assert main(["analyse", "5 2 1 9 7", *options]) == 0
    out = capsys.readouterr().out

    assert "blunder; better" in out
    assert "blunders: 2 O 2" in out
    assert "accuracy: X 100 %, O 54 %" in out


def test_the_command_reads_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    record = tmp_path / "games.uttt"
    first = format_record(GameRecord(moves=(40, 36)))
    second = format_record(GameRecord(rules=TINY, moves=(4, 1, 0)))
    record.write_text(f"{first}\n{second}")
    options = ["--record", str(record), "--iterations", "1000000", "--json"]
    assert main(["analyse", *options, "--game", "2"]) == 0
    found = json.loads(capsys.readouterr().out)

    assert (found["variant"], found["blunders"]) == ("depth=1", [1])
    assert [move["move"] for move in found["moves"]] == ["5", "2", "1"]
    assert found["moves"][1]["judgement"] == "blunder"
    assert main(["analyse", *options, "--game", "3"]) == 2
    assert "has no game number 3" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "There are no moves to look over"),
        (["55 11"], "You were sent to board 5"),
        (["55", "--variant", "random-four"], "add --opening CODE"),
        (["--record", "/nowhere.uttt"], "cannot be read"),
    ],
)
def test_what_cannot_be_looked_over_is_refused(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
):
    assert main(["analyse", *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_a_position_without_moves_is_a_start():
    game = Game(Rules())
    found = analyse_game(game, LIMIT)

    assert game.position == Position.initial(Rules())
    assert (len(found.chances), found.complete) == (1, True)


def test_a_first_move_before_a_swap_is_not_judged():
    """Cell 45 gives away X's advantage, which is right before a swap."""
    reviews = {}
    for key in ("standard", "pie"):
        game = Game.replay(Rules.parse(key), [parse_move("45", Rules())])
        (reviews[key],) = analyse_game(game, Limit(iterations=2000)).reviews

    assert reviews["standard"].loss > 0.05
    assert reviews["pie"].loss == 0
    assert reviews["pie"].best_move == reviews["pie"].move
