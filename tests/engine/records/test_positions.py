"""Positions as one line: round trips for any rules, and what is refused as impossible."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import (
    VARIANTS,
    BoardStatus,
    EngineError,
    Game,
    InvalidNotationError,
    InvalidRulesError,
    Position,
    Rules,
    draw_opening_code,
    format_position,
    parse_position,
)
from tests.engine.playing import play
from tests.engine.records import strategies


@pytest.mark.parametrize(
    ("position", "text"),
    [
        (Position.initial(Rules()), "standard X - - 9 9/9/9/9/9/9/9/9/9"),
        (play("standard", "55 51 15").position, "standard O 15 5 9 4X4/9/9/9/O3X4/9/9/9/9"),
        # X has won board 1, and being sent there lets O play anywhere else.
        (
            play("standard", "13 31 15 51 17 71").position,
            "standard X 71 - X8 2X1X1X2/9/O8/9/O8/9/O8/9/9",
        ),
        (play("depth=1", "5").position, "depth=1 O 5 - - 4X4"),
        (
            Position.initial(Rules.parse("symmetric"), "1"),
            "symmetric X - - 9 4X4/9/9/9/9/9/9/9/4O4",
        ),
        (
            Position.initial(Rules.parse("random-four"), "12345"),
            "random-four X 45 5 9 1X7/2O6/3X5/4O4/9/9/9/9/9",
        ),
    ],
)  # fmt: skip
def test_positions_are_written_like_this(position: Position, text: str):
    assert format_position(position) == text
    assert parse_position(text) == position


def test_a_strategic_position_names_both_levels():
    text = format_position(play("sttt-tactical", "519").position)

    assert text == (
        "sttt-tactical O 519 19 9/9/9/9/9/9/9/9/9/9 "
        + "9/" * 36 + "8X" + "/9" * 44
    )  # fmt: skip
    assert parse_position(text).target == 8


@given(strategies.games(longest=300))
def test_every_position_of_every_game_is_read_back(game: Game):
    assert parse_position(format_position(game.position)) == game.position


@pytest.mark.sampled(4)
@pytest.mark.parametrize("key", [*VARIANTS, "depth=2,no_return=yes,won_board=forced"])
def test_every_position_of_a_whole_game_is_read_back(key: str):
    rules = Rules.parse(key)
    position = Position.initial(rules, draw_opening_code(rules, seed=3))
    while True:
        assert parse_position(format_position(position)) == position
        if position.outcome is not None:
            return
        moves = position.legal_moves
        position = position.after(moves[5 * position.ply % len(moves)])


@given(strategies.games())
def test_without_the_last_move_a_position_plays_the_same(game: Game):
    fields = format_position(game.position).split()
    if game.rules.no_return or fields[2] == "-":
        return
    position = parse_position(" ".join((*fields[:2], "-", *fields[3:])))

    assert position.last_move is None
    assert position.legal_moves == game.position.legal_moves
    assert position.outcome == game.position.outcome
    assert format_position(position).split() == [*fields[:2], "-", *fields[3:]]


def test_a_won_board_remembers_who_was_first():
    """In Won-Board Play both may get a line in a board; only the text tells whose it is."""
    text = "won-board X 42 2 {}8 XXXOOO3/9/9/1O7/9/9/X8/9/9"

    assert parse_position(text.format("X")).board_status(0) is BoardStatus.X_WON
    assert parse_position(text.format("O")).board_status(0) is BoardStatus.O_WON


REFUSED = [
    (
        "won-board X 14 4 O8 XXXOOO3/9/9/9/9/9/9/9/9",
        "before the last move 14, board 1 is given to O, who has no line in it.",
    ),
    ("standard X - -", "A position has six fields (rules, side to move, last move, target, owners"),
    ("standard Y - - 9 9/9/9/9/9/9/9/9/9", "The side to move is X or O; got 'Y'"),
    ("standard O x - 9 9/9/9/9/4X4/9/9/9/9", "The last move is a move or -. A move is two digits"),
    ("standard O 55 0 9 9/9/9/9/4X4/9/9/9/9", "The target is a digit from 1 to 9 or -; got '0'"),
    (
        "standard O 55 5 8 9/9/9/9/4X4/9/9/9/9",
        "Each group of owners of boards has nine places; '8'",
    ),
    ("standard O 55 5 9 9/9/9/4X4", "The cells of these rules are 9 groups with / between; got 4"),
    (
        "standard O 55 5 9 9/9/9/9/4Z4/9/9/9/9",
        "written with X, O and 1-9 for runs of others; got 'Z'",
    ),
    ("depth=1 O 5 - 9 4X4", "Depth 1 has no boards to own: write -; got '9'"),
    ("depth=1 O 5 1 - 4X4", "The target is -; got '1'"),
    (
        "standard X 55 5 9 9/9/9/9/4X4/9/9/9/9",
        "with X to move there must be as many X as O, not 1 X and 0 O.",
    ),
    ("standard O 55 5 9 9/9/9/9/4XO3/9/9/9/9", "there must be one X more than O, not 1 X and 1 O."),
    ("standard O 51 1 9 9/9/9/9/4X4/9/9/9/9", "the last move 51 is not marked X."),
    ("standard O 55 4 9 9/9/9/9/4X4/9/9/9/9", "after the last move 55 the target is 5."),
    ("standard O - 4 9 9/9/9/9/4X4/9/9/9/9", "after the last move 55 the target is 5."),
    ("standard X - 5 9 9/9/9/9/O3X4/9/9/9/9", "after the last move 51 the target is 1."),
    (
        "standard X - 9 9 X8/9/9/9/OO2X4/9/9/9/9",
        "no last move of O could leave it and send X to board 9.",
    ),
    ("standard X 55 5 9 9/9/9/9/9/9/9/9/9", "no move has been made yet, so nobody was sent"),
    ("standard O 55 5 X8 9/9/9/9/4X4/9/9/9/9", "board 1 is given to X, who has no line in it."),
    (
        "standard X 62 2 9 XXX6/9/9/9/9/OOO6/9/9/9",
        "board 1 is given to nobody, but X has a line in it.",
    ),
    ("standard O 55 5 =8 9/9/9/9/4X4/9/9/9/9", "board 1 is called drawn, but is not filled."),
    (
        "standard O 19 9 9 XOXXOOOXX/9/9/9/9/9/9/9/9",
        "board 1 is called ongoing, but is filled: write = for it.",
    ),
    (
        "standard X 16 6 X8 XXXOOO3/9/9/9/9/9/9/9/9",
        "X and O both have a line in board 1, but these rules close a won board.",
    ),
    (
        "standard X 14 4 X8 XXXO5/9/9/9/4O4/O8/9/9/9",
        "14 cannot have been the last move. Board 1 is won and this is Standard",
    ),
    (
        "standard X 71 - XXX6 XXX6/XXX6/XXX6/O8/OO1O1O3/1O1OO4/O8/9/9",
        "the game was over before the last move 71.",
    ),
    ("symmetric X - - 9 9/9/9/9/9/9/9/9/9", "the symmetric opening puts X and O in the centres"),
    (
        "symmetric O 15 5 9 4X4/9/9/9/4X4/9/9/9/4O4",
        "15 is a mark of the opening, not the last move",
    ),
    ("random-four X - - 9 9/9/9/9/9/9/9/9/9", "the random opening begins with four marks."),
    ("random-four O 12 2 9 1X7/9/9/9/9/9/9/9/9", "its first four marks are no random opening."),
    (
        "random-four X 45 5 9 1X7/2O6/X8/4O4/9/9/9/9/9",
        "its first four marks are no random opening.",
    ),
    (
        "random-four X 23 3 9 1X7/2O6/3X5/4O4/9/9/9/9/9",
        "the last move 23 does not fit.",
    ),
    ("mulloy O 55 5 9 9/9/9/9/4X4/9/9/9/9", "The centre of everything, 55, may not be the very"),
    (
        "depth=2,no_return=yes O - 5 9 9/9/9/9/4X4/9/9/9/9",
        "these rules forbid sending back, so the last move must be told.",
    ),
    ("x" * 2001, "A position has at most 2000 characters; got 2001"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_an_impossible_position_is_refused_in_words(text: str, message: str):
    with pytest.raises(InvalidNotationError) as caught:
        parse_position(text)

    assert message in str(caught.value)


def test_unknown_rules_are_refused_by_their_own_error():
    with pytest.raises(InvalidRulesError, match="There is no variant 'chess'"):
        parse_position("chess X - - 9 9")


@given(st.text())
def test_any_text_is_refused_in_words(text: str):
    with pytest.raises(EngineError):
        parse_position(text)


@given(strategies.games(), st.data())
def test_a_position_with_one_sign_changed_is_a_position_or_refused(game: Game, data: st.DataObject):
    text = format_position(game.position)
    place = data.draw(st.integers(0, len(text) - 1))
    sign = data.draw(st.sampled_from("XO=-/ 12345678"))
    try:
        position = parse_position(text[:place] + sign + text[place + 1 :])
    except EngineError:
        return
    assert parse_position(format_position(position)) == position
