"""The lesson's positions are those of a game, and each question has right and wrong answers."""

from __future__ import annotations

import pytest

from engine import (
    EXERCISES,
    LESSON_GAME,
    Exercise,
    Game,
    IllegalMoveError,
    Rules,
    X,
    parse_move,
)

GIVEN_AWAY = "wins the game"


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: str(each.title))
def test_a_position_is_reached_by_legal_moves_and_has_right_and_wrong_answers(exercise: Exercise):
    moves = [parse_move(text, Rules()) for text in LESSON_GAME.split()[: exercise.ply]]
    position = Game.replay(Rules(), moves).position
    assert exercise.position == position
    assert (position.side, position.outcome) == (X, None)

    answers = {move: exercise.judge(move) for move in position.legal_moves}

    assert {answer.is_right for answer in answers.values()} == {True, False}
    for move, answer in answers.items():
        assert answer.position.mark_at(move) == X
        assert answer.position.ply - position.ply in ((1,) if answer.is_right else (1, 2))
        # A reply is shown exactly where the text mentions it.
        told = " ".join(map(str, answer.words[:-1]))
        assert ("O wins" in told) == (answer.position.ply - position.ply == 2)
        assert (GIVEN_AWAY in told) == (answer.position.outcome is not None and not answer.is_right)
    illegal = next(cell for cell in range(81) if cell not in position.legal_moves)
    with pytest.raises(IllegalMoveError):
        exercise.judge(illegal)


def right(exercise: Exercise) -> set[int]:
    return {move for move in exercise.position.legal_moves if exercise.judge(move).is_right}


def test_the_questions_ask_for_what_they_say():
    """Their texts name boards of this game: these are compared with the position."""
    sending, winning, anywhere, trap, end = EXERCISES
    assert [sending.position.after(move).target for move in right(sending)] == [6]
    assert winning.position.target == 4
    assert {move // 9 for move in right(winning)} == {4}
    assert anywhere.position.target is None
    assert {move // 9 for move in right(anywhere)} == {0}
    owners = [trap.position.board_status(board).winner for board in range(9)]
    assert owners == [0, None, 1, None, 0, 1, None, None, None]
    assert end.position.target is None
    assert {move // 9 for move in right(end)} == {8}


def test_the_trap_is_tempting_and_so_is_the_end():
    """A board can be won there by a move that loses the game, which the answer shows."""
    for exercise in EXERCISES[3:]:
        wrong = [exercise.judge(move) for move in exercise.position.legal_moves]
        tempting = [" ".join(map(str, each.words)) for each in wrong if len(each.words) == 3]
        assert any(
            "You win board 2. That sends O to board 9, where O wins the game." in each
            for each in tempting
        )
