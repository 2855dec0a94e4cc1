"""Positions and moves in the form of ultimattt; every text here follows from its grammar."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import (
    Game,
    InvalidNotationError,
    Position,
    Rules,
    format_letter_move,
    format_letter_position,
    format_position,
    parse_letter_move,
    parse_letter_position,
    parse_position,
)
from tests import strategies

EMPTY = "........."


def after(moves: str) -> Position:
    position = Position.initial(Rules())
    for word in moves.split():
        position = position.after(parse_letter_move(word))
    return position


@pytest.mark.parametrize(
    ("moves", "side", "states", "boards"),
    [
        ("", "X", EMPTY, {}),
        ("bg", "O", "......@..", {"b": "......X.."}),
        ("bg gd", "X", "...@.....", {"b": "......X..", "g": "...O....."}),
        # X wins board a and O is sent there: no board is marked.
        (
            "ac ca ae ea ag ga",
            "X",
            "X........",
            {"a": "..X.X.X..", "c": "O........", "e": "O........", "g": "O........"},
        ),
        # After the end the board named by the last move is still marked.
        (
            "ac ca ae ea ag gb bc cb be eb bg gc cd dc ce ec cf",
            "O",
            "XXX.O@...",
            {
                "a": "..X.X.X..",
                "b": "..X.X.X..",
                "c": "OO.XXX...",
                "d": "..O......",
                "e": "OOO......",
                "g": ".OO......",
            },
        ),
    ],
)
def test_positions_are_written_like_this(
    moves: str, side: str, states: str, boards: dict[str, str]
):
    cells = "/".join(boards.get(letter, EMPTY) for letter in "abcdefghi")
    text = f"{side};{states};{cells}"

    assert format_letter_position(after(moves)) == text
    assert format_letter_position(parse_letter_position(text)) == text


def test_a_drawn_board_is_a_hash():
    position = after("ac ca ae ea ah ha aa ab ba ad da af fa ag ga ai")
    text = format_letter_position(position)

    assert text.startswith("X;#")
    assert parse_letter_position(text).board_status(0) is position.board_status(0)


@given(strategies.games(st.just(Rules())))
def test_every_position_of_standard_is_read_back_but_for_its_last_move(game: Game):
    position = game.position
    again = parse_letter_position(format_letter_position(position))
    fields = format_position(position).split()

    assert again.legal_moves == position.legal_moves
    assert again.outcome == position.outcome
    assert format_position(again).split() == [*fields[:2], "-", *fields[3:]]
    assert parse_position(format_position(again)) == again


@given(st.integers(0, 80))
def test_moves_are_read_back(move: int):
    assert parse_letter_move(format_letter_move(move)) == move


@pytest.mark.parametrize("text", ["", "a", "abc", "aj", "55", "AE", "a e"])
def test_other_texts_are_no_moves(text: str):
    with pytest.raises(InvalidNotationError, match="A move is two letters from a to i"):
        parse_letter_move(text)


def test_numbers_that_are_no_cells_have_no_letters():
    with pytest.raises(InvalidNotationError, match="Letters name cells 0 to 80; got 81"):
        format_letter_move(81)


def test_other_rules_have_no_letters():
    with pytest.raises(InvalidNotationError, match="standard rules only; this is won-board"):
        format_letter_position(Position.initial(Rules.parse("won-board")))


def test_the_pie_rule_changes_no_position():
    pie = Position.initial(Rules.parse("pie")).after(40)

    assert format_letter_position(pie) == format_letter_position(after("ee"))


CELLS = "/".join([EMPTY] * 9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "A position has three parts (side; nine boards; their cells); got 1"),
        (f"x;{EMPTY};{CELLS}", "The side to move is X or O; got 'x'"),
        (
            f"X;........;{CELLS}",
            "The state of the nine boards are nine of the signs X O # @ .; got",
        ),
        (f"X;@.......@;{CELLS}", "At most one board is marked @; got '@.......@'"),
        (f"X;{EMPTY};{CELLS}/", "The cells are nine groups with / between; got 10"),
        (f"X;{EMPTY};{CELLS[:-1]}#", "The cells of a board are nine of the signs X O .; got"),
        (f"X;@........;{CELLS}", "no move has been made yet"),
        (f"O;{EMPTY};{CELLS}", "with O to move there must be one X more than O, not 0 X and 0 O."),
        (f"X;X........;{CELLS}", "board 1 is given to X, who has no line in it."),
        (f"X;{EMPTY};{CELLS}{EMPTY * 20}", "A position has 101 characters; got 281"),
    ],
)
def test_other_texts_are_no_positions(text: str, message: str):
    with pytest.raises(InvalidNotationError) as caught:
        parse_letter_position(text)

    assert message in str(caught.value)


@given(st.text())
def test_any_text_is_refused_in_words(text: str):
    with pytest.raises(InvalidNotationError):
        parse_letter_position(text)
