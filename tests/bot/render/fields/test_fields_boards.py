"""The four game fields, cell by cell, from the numbering of rows and columns 1-27."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from bot.render.fields import FIELDS
from bot.render.fields.drawing import Box, Ink, Label, Line, Mark, Weight
from tests.bot.render.fields.games import draw_field, played
from tests.tables import read_table

if TYPE_CHECKING:
    from bot.render.fields import Drawing

BOARDS = ("basic", "numbered", "mapped", "hypermapped")
SIZES = {"basic": (29, 29), "numbered": (31, 31), "mapped": (36, 31), "hypermapped": (36, 31)}
MAPS = [f"map{first}{second}" for first in range(1, 9) for second in range(1, 9)]


def place(key: str, row: int, column: int) -> tuple[int, int]:
    """Return where the cell in a row and column 1-27 is, in unit cells."""
    strategic_row, strategic_column = (row - 1) // 9, (column - 1) // 9
    left, top, pitch = {"basic": (0, 0, 1), "numbered": (1, 1, 1)}.get(key, (2, 1, 3))
    return left + column - 1 + pitch * strategic_column, top + row - 1 + strategic_row


def numbers(row: int, column: int) -> tuple[int, int, int]:
    """Return S, T and O of a field cell, all 1-9."""
    r, c = (row - 1) % 9, (column - 1) % 9
    strategic = 3 * ((row - 1) // 9) + (column - 1) // 9 + 1
    return strategic, 3 * (r // 3) + c // 3 + 1, 3 * (r % 3) + c % 3 + 1


def texts(drawing: Drawing, ink: Ink = Ink.BLACK) -> dict[tuple[float, float], str]:
    """Return the labels of one ink by their cells."""
    found = {(label.x, label.y): label.text for label in drawing.only(Label) if label.ink is ink}
    assert len(found) == sum(label.ink is ink for label in drawing.only(Label))
    return found


@pytest.mark.parametrize("key", BOARDS)
def test_sizes_are_those_of_the_authors(key: str):
    drawing = draw_field(key)

    assert (drawing.width, drawing.height) == SIZES[key]


@pytest.mark.parametrize("key", BOARDS)
def test_every_cell_is_ruled(key: str):
    """Thick lines lie on the borders of tactical cells, thin ones on the others."""
    drawing = draw_field(key)
    ruled = {}
    for line in drawing.only(Line):
        for x in range(line.x1, max(line.x2, line.x1 + 1)):
            for y in range(line.y1, max(line.y2, line.y1 + 1)):
                ruled[x, y, line.x1 == line.x2] = line.weight
    for row in range(1, 28):
        for column in range(1, 28):
            x, y = place(key, row, column)
            for near, edge, is_vertical in (
                (column - 1, (x, y), True),
                (column, (x + 1, y), True),
                (row - 1, (x, y), False),
                (row, (x, y + 1), False),
            ):
                expected = Weight.THIN if near % 3 else Weight.THICK
                assert ruled.pop((*edge, is_vertical), expected) is expected
    # What is left belongs to the mapping columns.
    assert all(weight is Weight.THIN and x % 12 == 0 for (x, _, _), weight in ruled.items())
    assert bool(ruled) == (key in ("mapped", "hypermapped"))


@pytest.mark.parametrize("key", BOARDS)
def test_nothing_leaves_the_field(key: str):
    drawing = draw_field(key)
    corners: list[tuple[float, float]] = [(line.x1, line.y1) for line in drawing.only(Line)]
    corners += [(line.x2, line.y2) for line in drawing.only(Line)]
    corners += [(box.x + box.width, box.y + box.height) for box in drawing.only(Box)]
    corners += [(label.x + 1, label.y + 1) for label in drawing.only(Label)]

    assert all(0 <= x <= drawing.width and 0 <= y <= drawing.height for x, y in corners)


def test_thick_lines_are_drawn_over_thin_ones():
    weights = [line.weight for line in draw_field("basic").only(Line)][:20]

    assert weights == sorted(weights, key=lambda weight: weight.value)


def test_the_basic_field_has_no_labels():
    assert draw_field("basic").only(Label) == ()


@pytest.mark.parametrize("key", ["numbered", "mapped", "hypermapped"])
def test_labels_stand_where_the_authors_put_them(key: str):
    found = {
        where: text for where, text in texts(draw_field(key)).items() if re.fullmatch(r"\d\d", text)
    }
    fourth, sixth = (4, 6) if key == "numbered" else (5, 5)
    expected = {}
    for strategic in range(1, 10):
        row, column = 9 * ((strategic - 1) // 3), 9 * ((strategic - 1) % 3)
        beside = {
            1: (1, 1, 0, -1), 2: (1, 4, 0, -1), 3: (1, 7, 0, -1),
            4: (fourth, 1, -1, 0), 6: (sixth, 9, 1, 0),
            7: (9, 3, 0, 1), 8: (9, 6, 0, 1), 9: (9, 9, 0, 1),
        }  # fmt: skip
        for tactical, (r, c, dx, dy) in beside.items():
            x, y = place(key, row + r, column + c)
            expected[x + dx, y + dy] = f"{strategic}{tactical}"

    assert found == expected


def test_neighbours_share_the_gap_between_them():
    row = {x: text for (x, y), text in texts(draw_field("numbered")).items() if y == 10 and x < 11}

    assert row == {1: "41", 3: "17", 4: "42", 6: "18", 7: "43", 9: "19"}


def mapping_columns(drawing: Drawing) -> dict[tuple[int, int], list[int]]:
    """Return the nine numbers of each mapping column by its row and column of nine."""
    found = texts(drawing)
    return {
        (row, column): [int(found[12 * column, 1 + 10 * row + r]) for r in range(9)]
        for row in range(3)
        for column in range(3)
    }


@pytest.mark.parametrize("key", ["mapped", "hypermapped"])
def test_map34_is_the_default(key: str):
    drawing = draw_field(key)
    columns = (
        [2, 1, 3, 6, 5, 4, 7, 9, 8],
        [3, 2, 1, 4, 6, 5, 8, 7, 9],
        [1, 3, 2, 5, 4, 6, 9, 8, 7],
    )

    assert mapping_columns(drawing) == {(r, c): columns[c] for r in range(3) for c in range(3)}
    assert {(box.x, box.y, box.width, box.height) for box in drawing.only(Box)} == {
        (12 * column, 1 + 10 * row, 1, 9) for row in range(3) for column in range(3)
    }


def test_the_default_map_agrees_with_the_published_field():
    found = mapping_columns(draw_field("mapped"))
    for line in read_table("mapped_columns.csv")[1:]:
        row, column_numbers = int(line[0]), [int(number) for number in line[3:]]
        shown = [found[(row - 1) // 9, column][(row - 1) % 9] for column in range(3)]
        assert shown == column_numbers


@pytest.mark.parametrize("map_key", MAPS)
def test_every_map_agrees_with_the_published_table(map_key: str):
    table = {
        (line[0], int(line[1]) - 1): [int(number) for number in line[2:]]
        for line in read_table("all_64_maps.csv")[1:]
    }
    found = mapping_columns(draw_field("mapped", map_key=map_key))

    assert len(table) == 3 * 64
    assert all(shown == table[map_key, column] for (_, column), shown in found.items())


@pytest.mark.parametrize("map_key", MAPS)
def test_every_column_of_every_map_names_each_cell_once(map_key: str):
    columns = mapping_columns(draw_field("mapped", map_key=map_key)).values()

    assert all(sorted(column) == list(range(1, 10)) for column in columns)


def test_the_hypermap_follows_its_formula():
    found = texts(draw_field("hypermapped"), Ink.FAINT)

    assert len(found) == 729
    for row in range(1, 28):
        for column in range(1, 28):
            strategic = numbers(row, column)[0]
            expected = (max((row - 1) % 9, (column - 1) % 9) + strategic - 2) % 9 + 1
            assert found[place("hypermapped", row, column)] == str(expected)


def test_the_hypermap_agrees_with_the_published_table():
    found = texts(draw_field("hypermapped"), Ink.FAINT)
    shown = [[found[place("hypermapped", r, c)] for c in range(1, 28)] for r in range(1, 28)]

    assert shown == read_table("hypermap.csv")


@pytest.mark.parametrize("key", BOARDS)
def test_marks_stand_in_the_cells_of_the_position(key: str):
    game = played("sttt-tactical", 300)
    expected = {}
    for row in range(1, 28):
        for column in range(1, 28):
            strategic, tactical, operational = numbers(row, column)
            cell = 81 * (strategic - 1) + 9 * (tactical - 1) + operational - 1
            side = game.position.mark_at(cell)
            if side is not None:
                expected[place(key, row, column)] = side

    found = {(mark.x, mark.y): mark.side for mark in draw_field(key, game=game).only(Mark)}
    assert found == expected
    assert len(found) == 300


def test_numbers_beneath_marks_are_paler():
    """Otherwise a cross in a hypermap would look like another letter."""
    drawing = draw_field("hypermapped", game=played("sttt-hypermap", 200))
    marked = {(mark.x, mark.y) for mark in drawing.only(Mark)}

    assert set(texts(drawing, Ink.COVERED)) == marked
    assert len(texts(drawing, Ink.FAINT)) == 529


def test_captions_name_the_map_and_its_maker():
    captions = {key: draw_field(key, map_key="map12").notes for key in FIELDS}

    assert captions["mapped"][0].text == "map12 : By MAD"
    assert [note.text for note in captions["hypermapped"][:2]] == ["map12 : hmap2", "By MAD"]
