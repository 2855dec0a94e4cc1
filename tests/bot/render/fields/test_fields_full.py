"""The Help field and the three assemblies of everything on one sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.render.fields import Drawing, draw_sheets
from bot.render.fields.drawing import Box, Label, Line, Mark
from engine import BoardStatus, O, X
from tests.bot.render.fields.games import draw_field, played

if TYPE_CHECKING:
    from engine import Game

# Key: the field on top, the field below on the left, the total number of rows.
FULLS = {
    "full": ("mapped", "move", 32 + 23),
    "full-variant2": ("mapped", "continuous", 32 + 28),
    "full-variant4": ("hypermapped", "move", 32 + 28),
}


def owners(drawing: Drawing, x: int, y: int) -> dict[tuple[float, float], str]:
    """Return the owners in a help field whose grids' corners are given."""
    found: dict[tuple[float, float], str] = {
        (mark.x - x, mark.y - y): "XO"[mark.side] for mark in drawing.only(Mark)
    }
    found |= {(label.x - x, label.y - y): label.text for label in drawing.only(Label)}
    return {place: text for place, text in found.items() if text in "XO="}


def expected_owners(game: Game, strategic_y: int) -> dict[tuple[float, float], str]:
    signs = {BoardStatus.X_WON: "X", BoardStatus.O_WON: "O", BoardStatus.DRAWN: "="}
    expected: dict[tuple[float, float], str] = {}
    for strategic in range(9):
        row, column = divmod(strategic, 3)
        for tactical in range(9):
            status = game.position.board_status(9 * strategic + tactical)
            if status in signs:
                place = (4 * column + tactical % 3, 4 * row + tactical // 3)
                expected[place] = signs[status]
        status = game.position.board_status(strategic, depth=1)
        if status in signs:
            expected[4 + column, strategic_y + row] = signs[status]
    return expected


def test_the_help_field_is_eleven_by_fifteen():
    drawing = draw_field("help")

    assert (drawing.width, drawing.height) == (11, 15)
    assert (drawing.only(Label), drawing.only(Mark)) == ((), ())


def test_the_help_field_is_ten_blocks():
    drawing = draw_field("help")
    corners = [(4 * column, 4 * row) for row in range(3) for column in range(3)] + [(4, 12)]
    expected = set()
    for x, y in corners:
        expected |= {(x + step, y, x + step, y + 3) for step in range(4)}
        expected |= {(x, y + step, x + 3, y + step) for step in range(4)}

    assert {(line.x1, line.y1, line.x2, line.y2) for line in drawing.only(Line)} == expected


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_help_field_tells_who_owns_what(seed: int):
    game = played("sttt-tactical", 729, seed)
    drawing = draw_field("help", game=game)
    expected = expected_owners(game, strategic_y=12)

    assert owners(drawing, 0, 0) == expected
    assert game.outcome is not None
    assert {"X", "O"} <= set(expected.values())


def test_a_drawn_cell_has_a_sign_of_its_own_and_a_note():
    game = played("sttt-tactical", 729, 3)
    notes = " ".join(note.text for note in draw_field("help", game=game).notes)

    assert "=" in expected_owners(game, strategic_y=12).values()
    assert "Drawn cells are marked =." in notes
    assert "Drawn" not in " ".join(note.text for note in draw_field("help").notes)


@pytest.mark.parametrize("key", FULLS)
def test_a_full_field_has_the_size_of_its_parts(key: str):
    drawing = draw_field(key)

    assert (drawing.width, drawing.height) == (39, FULLS[key][2])


@pytest.mark.parametrize("key", FULLS)
@pytest.mark.parametrize("variant", [None, "sttt-tactical"])
def test_a_full_field_contains_its_parts_unchanged(key: str, variant: str | None):
    game = played(variant, 150) if variant else None
    top, record, _ = FULLS[key]
    whole = set(draw_field(key, game=game, map_key="map57").shapes)
    board = draw_field(top, game=game, map_key="map57").shapes

    assert {shape.moved(2, 0) for shape in board} <= whole
    if record == "continuous":
        assert {shape.moved(0, 32) for shape in draw_field(record, game=game).shapes} <= whole
    else:
        headers = [shape for shape in draw_field(record).shapes if is_header(shape)]
        assert {shape.moved(7 * n, 32) for shape in headers for n in range(4)} <= whole
    helping = {shape for shape in draw_field("help", game=game).shapes if bottom(shape) <= 11}
    assert {shape.moved(28, 33) for shape in helping} <= whole


def is_header(shape: Line | Box | Label | Mark) -> bool:
    return isinstance(shape, Label) and shape.y < 2


def bottom(shape: Line | Box | Label | Mark) -> float:
    return shape.y2 if isinstance(shape, Line) else shape.y + 1


@pytest.mark.parametrize("key", FULLS)
def test_titles_stand_over_the_grids_and_captions_below(key: str):
    labels = {
        label.text: (label.x, label.y, label.width)
        for label in draw_field(key, map_key="map57").only(Label)
        if label.width == 11
    }
    captions = ["map57 : hmap2", "By MAD"] if key == "full-variant4" else ["map57 : By MAD"]
    expected = {"Tactical Grid": (28, 32, 11), "Strategic Grid": (28, 45, 11)}
    expected |= {caption: (28, 50 + n, 11) for n, caption in enumerate(captions)}

    assert labels == expected


@pytest.mark.parametrize(("key", "rows"), [("full", 21), ("full-variant4", 26)])
def test_four_move_fields_hold_the_moves(key: str, rows: int):
    game = played("sttt-hypermap", 180)
    found = {(label.x, label.y): label.text for label in draw_field(key, game=game).only(Label)}
    for ply, move in enumerate(game.moves[: 8 * rows]):
        table, row = divmod(ply // 2, rows)
        x, y = 7 * table + 3 * (ply % 2), 34 + row
        written = [found[x + digit, y] for digit in range(3)]
        assert written == [str(n + 1) for n in (move // 81, move // 9 % 9, move % 9)]


def test_the_strategic_grid_of_a_full_field_tells_owners():
    game = played("sttt-hypermap", 729, 2)
    drawing = draw_field("full", game=game)
    expected = expected_owners(game, strategic_y=13)
    found = {
        place: sign
        for place, sign in owners(drawing, 28, 33).items()
        if place[0] >= 0 and 0 <= place[1] < 16
    }

    assert found == expected
    assert set(expected.values()) >= {"X", "O"}


@pytest.mark.parametrize(
    ("key", "variant", "more"),
    [
        ("full", "sttt-map", "move-large"),
        ("full-variant4", "sttt-map", "move-large"),
        ("full-variant2", "sttt-tactical", "continuous-large"),
    ],
)
def test_a_long_game_goes_on_on_a_sheet_of_moves_only(key: str, variant: str, more: str):
    game = played(variant, 729, 3)
    sheets = draw_sheets(key, game=game)

    assert [sheet.key for sheet in sheets] == [key, more]
    assert f"-{len(game.moves)} are on this sheet." in sheets[1].notes[0].text


def test_sides_are_drawn_as_the_engine_numbers_them():
    sides = {mark.side for mark in draw_field("full", game=played("sttt-map", 30)).only(Mark)}

    assert sides == {X, O}
