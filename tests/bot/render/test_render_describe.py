"""Alt text tells the whole position, within Discord's limit."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.render import describe_position, status_line
from bot.render.preview import position_after, sample_pictures
from engine import BoardStatus, O, Position, Rules, X
from tests.bot.render.positions import DEPTH_2, positions

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

    No game reaches it, so it stands outside the engine on purpose.
    """

    rules = DEPTH_2[0]
    ply = 72
    side = X
    last_move = 80
    outcome = None
    playable_boards = tuple(range(1, 9))

    def mark_at(self, cell: int) -> int:
        """Return marks in turn."""
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
