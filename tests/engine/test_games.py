"""Openings, swaps, endings, notation, and the sentences of refusal."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import (
    BoardStatus,
    Ending,
    Game,
    GameOverError,
    IllegalMoveError,
    InvalidNotationError,
    O,
    Position,
    Rules,
    X,
    check_opening_code,
    draw_opening_code,
    format_board,
    format_move,
    other,
    parse_board,
    parse_move,
)
from tests.engine.playing import play

# Notation.


@given(st.integers(1, 3).flatmap(lambda depth: st.tuples(st.just(depth), st.integers(0, 728))))
def test_what_is_written_can_be_read(depth_and_move: tuple[int, int]):
    depth, number = depth_and_move
    rules = Rules(depth=depth)
    move = number % rules.cell_count

    assert parse_move(format_move(move, rules), rules) == move
    assert parse_board(format_board(move // 9, rules), rules) == move // 9


@pytest.mark.parametrize("text", ["", "5", "555", "05", "5a", "\u0665\u0665", "5 5", "-5"])
def test_what_is_not_a_move_is_quoted(text: str):
    with pytest.raises(InvalidNotationError) as caught:
        parse_move(text, Rules())

    assert caught.value.text == text
    assert repr(text) in str(caught.value)


# Sides.


def test_each_side_plays_against_the_other():
    assert (other(X), other(O)) == (O, X)


# Openings.


def test_the_share_of_random_openings_that_play_a_cell_twice():
    """A count known from the opening's description: 6.72 % of all codes."""
    rules = Rules.parse("random-four")
    refused = 0
    for digits in product("123456789", repeat=5):
        try:
            check_opening_code(rules, "".join(digits))
        except InvalidNotationError:
            refused += 1

    assert f"{refused / 9**5:.2%}" == "6.72%"


def test_a_random_opening_is_four_moves_and_a_target():
    game = Game(Rules.parse("random-four"), "12345")

    assert [format_move(move, game.rules) for move in game.moves] == ["12", "23", "34", "45"]
    assert (game.position.ply, game.position.side, game.position.target) == (4, X, 4)
    assert game.opening_moves == game.moves
    assert Game.replay(game.rules, game.moves).opening_code == "12345"
    with pytest.raises(GameOverError):
        game.pop()


@pytest.mark.parametrize(
    ("key", "code", "sentence"),
    [
        ("random-four", None, "needs a code of five digits from 1 to 9, not None"),
        ("random-four", "1234", "five digits from 1 to 9, not '1234'"),
        ("random-four", "11111", "would play cell 11 twice"),
        ("random-four", "12125", "would play cell 12 twice"),
        ("opening=random_four,no_return=yes", "12134", "would send back to board 1"),
        ("symmetric", "5", "a digit from 1 to 9 but 5, not '5'"),
        ("symmetric", None, "not None"),
        ("standard", "12345", "no opening code: leave out '12345'"),
    ],
)
def test_an_opening_code_is_refused_with_the_reason(key: str, code: str | None, sentence: str):
    with pytest.raises(InvalidNotationError) as caught:
        Game(Rules.parse(key), code)

    assert sentence in str(caught.value)


def test_drawn_codes_are_valid_and_repeatable():
    for key in ("random-four", "symmetric", "opening=random_four,no_return=yes"):
        rules = Rules.parse(key)
        codes = [draw_opening_code(rules, seed=seed) for seed in range(50)]

        assert codes == [draw_opening_code(rules, seed=seed) for seed in range(50)]
        assert len(set(codes)) > 5
        for code in codes:
            check_opening_code(rules, code)


def test_a_symmetric_opening_sets_up_two_marks():
    position = Position.initial(Rules.parse("symmetric"), "3")

    assert (position.mark_at(9 * 2 + 4), position.mark_at(9 * 6 + 4)) == (X, O)
    assert (position.ply, position.side, len(position.legal_moves)) == (0, X, 79)
    assert position.last_move is None


def test_the_centre_may_not_be_first_but_second():
    start = Position.initial(Rules.parse("mulloy"))

    assert 40 not in start.legal_moves
    assert start.explain_refusal(40) == (
        "The centre of everything, 55, may not be the very first move."
    )
    assert 40 in start.after(4).legal_moves


def test_a_recorded_random_opening_must_be_whole():
    rules = Rules.parse("random-four")
    with pytest.raises(IllegalMoveError, match="four moves"):
        Game.replay(rules, (1, 11))
    with pytest.raises(IllegalMoveError, match="do not begin with the opening 12345"):
        Game.replay(rules, (2, 11, 21, 31), opening_code="12345")


# The pie rule.


def test_seats_are_swapped_once_right_after_the_first_move():
    game = play("pie", "55")
    before = game.position

    assert game.can_swap
    game.swap()

    assert (game.swapped, game.can_swap) == (True, False)
    assert game.position == before
    with pytest.raises(IllegalMoveError, match="only once"):
        game.swap()
    assert Game.replay(game.rules, game.moves, swapped=True).swapped
    game.pop()
    assert not game.swapped


def test_without_the_pie_rule_nobody_swaps():
    game = play("standard", "55")

    assert not game.can_swap
    with pytest.raises(IllegalMoveError, match="no swap") as caught:
        game.swap()
    assert caught.value.move is None


# Endings.


def test_a_line_of_three_boards_wins():
    game = play("depth=1", "1 4 2 5 3")

    assert game.outcome is not None
    assert (game.outcome.winner, game.outcome.ending, game.outcome.line) == (
        X, Ending.LINE, (0, 1, 2),
    )  # fmt: skip
    assert str(game.outcome) == "X wins with three in a row"
    assert game.position.board_status(0) is BoardStatus.X_WON


def test_nine_cells_without_a_line_are_a_draw():
    game = play("depth=1", "1 2 3 5 4 6 8 7 9")

    assert game.outcome is not None
    assert (game.outcome.winner, game.outcome.ending) == (None, Ending.DRAW)
    assert str(game.outcome) == "A draw"


# Why not there?


def won_board_1(key: str) -> Game:
    """X wins board 1 with 11, and sends O to the board just won."""
    return play(key, "12 21 13 31 11")


def test_winning_the_board_one_sends_to_frees_or_binds():
    """Where a well-known program locks up: the target is won by the very move that names it."""
    closed, opened, forced = (
        won_board_1(key).position for key in ("standard", "open-board", "won-board")
    )

    assert closed.board_status(0) is BoardStatus.X_WON
    assert (closed.target, closed.playable_boards) == (None, tuple(range(1, 9)))
    assert (opened.target, opened.playable_boards) == (None, tuple(range(9)))
    assert (forced.target, forced.playable_boards) == (0, (0,))


@pytest.mark.parametrize(
    ("key", "moves", "move", "sentence"),
    [
        ("standard", "55", "11", "You were sent to board 5: play there."),
        ("standard", "55", "55", "Cell 55 is taken by X."),
        (
            "standard",
            "12 21 13 31 11",
            "14",
            "Board 1 is won and this is Standard: play in any ongoing board:"
            " 2, 3, 4, 5, 6, 7, 8, 9.",
        ),
        (
            "won-board",
            "12 21 13 31 11",
            "55",
            "You were sent to board 1. It is won by X but has room, and this is"
            " Won-Board Play: play there.",
        ),
        (
            "no_return=yes",
            "55 56",
            "65",
            "65 would send O back to board 5, where O has just played: that is not allowed here.",
        ),
        ("sttt-tactical", "519", "111", "You were sent to board 19: play there."),
    ],
)
def test_a_refusal_names_the_rule(key: str, moves: str, move: str, sentence: str):
    game = play(key, moves)
    number = parse_move(move, game.rules)

    assert game.position.explain_refusal(number) == sentence
    with pytest.raises(IllegalMoveError) as caught:
        game.push(number)
    assert (str(caught.value), caught.value.move) == (sentence, number)


def test_a_record_shorter_than_its_opening_is_refused_in_words():
    rules = Rules.parse("random-four")

    with pytest.raises(IllegalMoveError, match="begin with the opening 12345"):
        Game.replay(rules, (), opening_code="12345")
