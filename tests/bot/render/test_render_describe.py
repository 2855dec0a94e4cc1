"""Alt text tells the whole position, within Discord's limit."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.render import describe_position, status_line
from bot.render.preview import played_out, position_after, sample_pictures
from engine import BoardStatus, O, Position, Rules, X
from tests.bot.render.positions import DEPTH_2, positions

DECIDED = (BoardStatus.X_WON, BoardStatus.O_WON, BoardStatus.DRAWN)

NAMES = ("Anna", "Computer, level 3")
LIMIT = 1024


def test_the_start():
    assert describe_position(Position.initial(Rules()), NAMES) == (
        "Ultimate tic-tac-toe after 0 moves. X: Anna. O: Computer, level 3."
        " X to move, may play in any board. Empty: boards 1, 2, 3, 4, 5, 6, 7, 8, 9."
    )


def test_a_forced_board():
    assert describe_position(position_after("standard", "58 84 43"), NAMES) == (
        "Ultimate tic-tac-toe after 3 moves. X: Anna. O: Computer, level 3."
        " O to move, must play in board 3. Last move: X in board 4, cell 3."
        " Empty: boards 1, 2, 3, 6, 7, 9."
        " Board 4: X 3. Board 5: X 8. Board 8: O 4."
    )


@pytest.mark.parametrize(
    ("key", "moves", "told"),
    [
        ("depth=2,no_return=yes", "55 57", "must play in board 7. Not allowed: 75. Last move: "),
        ("mulloy", "", "may play in any board. Not allowed: 55. Empty: "),
    ],
)
def test_empty_cells_that_may_not_be_played(key: str, moves: str, told: str):
    position = position_after(key, moves)

    assert told in describe_position(position, NAMES)
    assert "Not allowed" not in describe_position(position, NAMES, status="O resigned: X wins")


def test_a_won_game():
    text = describe_position(sample_pictures()["x-wins"].position, NAMES)

    assert "X wins: three boards in a row (3, 5, 7)." in text
    assert "Drawn: board 1." in text
    assert "Won by O: board 6." in text
    assert "to move" not in text


def test_a_draw():
    assert " A draw. " in describe_position(sample_pictures()["draw"].position, NAMES)


def test_marks_of_a_won_board_are_told_while_it_may_be_played_in():
    text = describe_position(sample_pictures()["played-on-won-board"].position, NAMES)

    assert "Won by O: board 9." in text
    assert re.search(r"Board 9: X 8; O 1, 5, 6, 9\.", text)


@settings(max_examples=60, deadline=None)
@given(positions(), st.text(max_size=80), st.text(max_size=80), st.none() | st.text(max_size=200))
def test_no_description_is_too_long(
    position: Position, first: str, second: str, status: str | None
):
    text = describe_position(position, (first, second), status=status)

    # Discord counts UTF-16 units in some places: a name of emoji counts double.
    assert len(text.encode("utf-16-le")) // 2 <= LIMIT
    assert "\n" not in text


@settings(max_examples=60, deadline=None)
@given(positions())
def test_every_mark_that_matters_is_told(position: Position):
    text = describe_position(position, NAMES)
    told = {
        (int(board) - 1, side, int(cell) - 1)
        for board, marks in re.findall(r"Board (\d): ([^.]+)\.", text)
        for side, cells in re.findall(r"([XO]) ([\d, ]+)", marks)
        for cell in cells.split(", ")
    }
    for board in range(9):
        marks = {
            (board, "XO"[mark], slot)
            for slot in range(9)
            if (mark := position.mark_at(9 * board + slot)) is not None
        }
        if position.board_status(board) is BoardStatus.ONGOING:
            assert marks <= told
        assert not any(entry[0] == board for entry in told - marks)


class FullPosition:
    """The longest description there can be: nothing decided, nothing empty.

    No game reaches it, so it deliberately does not come from the engine.
    """

    rules = DEPTH_2[0]
    ply = 72
    side = X
    last_move = 80
    outcome = None
    playable_boards = tuple(range(1, 9))
    legal_moves = ()

    def mark_at(self, cell: int) -> int:
        """Return X and O in turn."""
        return (X, O)[cell % 2]

    def board_status(self, _board: int) -> BoardStatus:
        """Return that no board is decided."""
        return BoardStatus.ONGOING


def test_the_fullest_position_fits():
    names = ("\U0001f984" * 400, "\U0001f308" * 400)
    status = "\U0001f984" * 400
    text = describe_position(FullPosition(), names, status=status)  # type: ignore[arg-type]

    assert len(text.encode("utf-16-le")) // 2 <= LIMIT


def test_names_stay_on_one_line():
    text = describe_position(Position.initial(Rules()), ("An\nna\u202e\x00", " \u200b "))

    assert "X: An na. O: player O." in text


def test_a_game_that_ended_off_the_board():
    text = describe_position(position_after("standard", "58"), NAMES, status="O resigned: X wins")

    assert "O resigned: X wins." in text
    assert "to move" not in text


def test_status_lines():
    choice = sample_pictures()["choice"].position

    assert status_line(Position.initial(Rules())) == "X to move: choose a board"
    assert status_line(choice) == "X to move: choose a board"
    assert status_line(choice, (3,)) == "X to move: board 4"
    assert status_line(choice, (6,)) == "X to move: choose a board"  # board 7 is won
    assert status_line(sample_pictures()["forced"].position, (7,)) == "O to move: board 4"
    assert status_line(sample_pictures()["five-boards"].position) == "O wins: five boards"


def told(variant: str, step: int, ply: int, **options: Any) -> str:
    """Return the description of a position of a played out game."""
    return describe_position(played_out(Rules.parse(variant), step)[ply], NAMES, **options)


def test_a_game_of_one_board():
    assert describe_position(sample_pictures()["single"].position, NAMES) == (
        "Tic-tac-toe after 4 moves. X: Anna. O: Computer, level 3. X to move."
        " Last move: O in cell 8. X 3, 9; O 2, 8."
    )
    assert "X wins: three in a row (4, 5, 6)." in told("depth=1", 5, -1)


def test_drawn_boards_that_count_for_both():
    assert "Drawn, counting for both: board" in told("tactical", 2, -1)


def test_the_start_of_a_strategic_game():
    assert told("sttt-map", 1, 0) == (
        "Strategic tic-tac-toe after 0 moves. X: Anna. O: Computer, level 3."
        " X to move, may play in strategic boards 1 to 9."
    )
    assert told("sttt-map", 1, 0, selected=(4,)).endswith(
        "X to move in strategic board 5, may play in tactical boards 1 to 9."
    )


def test_a_forced_tactical_board():
    position = Position.initial(Rules.parse("sttt-tactical")).after(81 * 4 + 9 * 0 + 8)

    assert describe_position(position, NAMES) == (
        "Strategic tic-tac-toe after 1 move. X: Anna. O: Computer, level 3."
        " O to move, must play in strategic board 1, tactical board 9."
        " Last move: X in strategic board 5, tactical board 1, cell 9."
        " From 19: 1 to 91; 2 to 92; 3 to 93; 4 to 94; 5 to 95; 6 to 96; 7 to 97; 8 to 98; 9 to 99."
    )


def test_owners_of_a_strategic_game():
    text = told("sttt-hypermap", 4, 448)

    assert "Strategic boards: X 3; O 8 9." in text
    assert "In 5: X 2 5; O 7." in text


def test_the_end_of_a_strategic_game():
    text = told("sttt-hypermap", 7, -1)

    assert "X wins: three boards in a row (2, 5, 8)." in text
    assert "drawn for both 5." in text
    assert "to move" not in text


STRATEGIC = st.builds(
    lambda key, step, share: (game := played_out(Rules.parse(key), step))[
        round(share * (len(game) - 1))
    ],
    st.sampled_from(
        (
            "sttt-tactical",
            "sttt-map",
            "sttt-hypermap",
            "depth=3,won_board=open",
            "depth=3,drawn_board=both,won_board=forced",
        )
    ),
    st.integers(1, 60),
    st.floats(0, 1, allow_nan=False),
)


@settings(max_examples=60, deadline=None)
@given(STRATEGIC, st.text(max_size=80), st.none() | st.text(max_size=200), st.integers(0, 8))
def test_no_description_of_a_strategic_game_is_too_long(
    position: Position, name: str, status: str | None, place: int
):
    text = describe_position(position, (name, name), status=status, selected=(place,))

    assert len(text.encode("utf-16-le")) // 2 <= LIMIT
    assert "\n" not in text


@settings(max_examples=40, deadline=None)
@given(STRATEGIC)
def test_the_owners_and_the_board_in_play_are_always_told(position: Position):
    text = describe_position(position, ("N" * 80, "M" * 80))
    for strategic in range(9):
        if position.board_status(strategic, depth=1) is not BoardStatus.ONGOING:
            continue
        found = re.search(rf"In {strategic + 1}: ([^.]+)\.", text)
        owners = found[1] if found else ""
        for mark, status in (("X", BoardStatus.X_WON), ("O", BoardStatus.O_WON)):
            won = [
                str(place + 1)
                for place in range(9)
                if position.board_status(9 * strategic + place) is status
            ]
            listed = re.search(rf"{mark} ([\d ]+)", owners)
            assert won == (listed[1].split() if listed else [])
    if position.target is not None:
        board = position.target
        marks = [position.mark_at(9 * board + slot) for slot in range(9)]
        found = re.search(rf"Board {board // 9 + 1}{board % 9 + 1}: ([^.]+)\.", text)
        assert (found is not None) == any(mark is not None for mark in marks)
        assert f"strategic board {board // 9 + 1}, tactical board {board % 9 + 1}." in text


class FullStrategicPosition:
    """The longest description there can be: every tactical board decided, none strategic.

    No game reaches it, so it deliberately does not come from the engine.
    """

    rules = Rules.parse("depth=3,drawn_board=both,won_board=forced")
    ply = 700
    side = X
    last_move = 728
    outcome = None
    playable_boards = tuple(range(81))
    legal_moves = ()

    def playable_at(self, depth: int) -> tuple[int, ...]:
        """Return that all boards may be played in."""
        return tuple(range(9**depth))

    def mark_at(self, cell: int) -> int:
        """Return X and O in turn."""
        return (X, O)[cell % 2]

    def board_status(self, board: int, *, depth: int | None = None) -> BoardStatus:
        """Return the three kinds of decided boards in turn."""
        return BoardStatus.ONGOING if depth == 1 else DECIDED[board % 3]


@pytest.mark.parametrize("selected", [(), (4,), (4, 4)])
def test_the_fullest_strategic_position_fits(selected: tuple[int, ...]):
    names = ("\U0001f984" * 400, "\U0001f308" * 400)
    text = describe_position(
        FullStrategicPosition(),  # type: ignore[arg-type]
        names,
        status="\U0001f984" * 400,
        selected=selected,
    )

    assert len(text.encode("utf-16-le")) // 2 <= LIMIT
    assert "In 9: X 1 4 7; O 2 5 8; drawn for both 3 6 9." in text
    if len(selected) == 2:
        assert "Board 55: X 1, 3, 5, 7, 9; O 2, 4, 6, 8." in text


def test_strategic_status_lines():
    position = sample_pictures()["strategic-choice"].position

    assert status_line(position) == "X to move: choose a board"
    assert status_line(position, (4,)) == "X to move: choose a board in 5"
    assert status_line(position, (4, 5)) == "X to move: board 5, sub-board 6"
    assert status_line(position, (2, 5)) == "X to move: choose a board"  # board 3 is won
    assert status_line(sample_pictures()["single"].position) == "X to move"
