"""Move fields and continuous move fields: where lines, headers and digits are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.render.fields import draw_sheets
from bot.render.fields.drawing import Box, Label, Line, Weight
from bot.render.fields.moves import Writing, write_moves
from tests.bot.render.fields.games import draw_field, played

if TYPE_CHECKING:
    from bot.render.fields import Drawing
    from engine import Game

Move = tuple[int, int, int]

# Key: number of tables, rows, columns from one table to the next.
TABLES = {"move": (1, 21, 6), "move-dense": (6, 55, 6), "move-large": (5, 55, 8)}
SIZES = {
    "move": (6, 23),
    "move-dense": (36, 57),
    "move-large": (38, 57),
    "continuous": (26, 28),
    "continuous-large": (38, 60),
}


def moves_of(game: Game) -> list[Move]:
    return [(move // 81 + 1, move // 9 % 9 + 1, move % 9 + 1) for move in game.moves]


def texts(drawing: Drawing) -> dict[tuple[float, float], str]:
    return {(label.x, label.y): label.text for label in drawing.only(Label)}


@pytest.mark.parametrize("key", SIZES)
def test_sizes_are_those_of_the_authors(key: str):
    drawing = draw_field(key)

    assert (drawing.width, drawing.height) == SIZES[key]


@pytest.mark.parametrize("key", TABLES)
def test_a_blank_move_field_has_headers_only(key: str):
    tables, _, pitch = TABLES[key]
    expected: dict[tuple[float, float], str] = {}
    for table in range(tables):
        expected |= {(pitch * table, 0): "X", (pitch * table + 3, 0): "O"}
        expected |= {(pitch * table + x, 1): "STOSTO"[x] for x in range(6)}
    drawing = draw_field(key)

    assert texts(drawing) == expected
    assert all(label.width == 3 for label in drawing.only(Label) if label.y == 0)


@pytest.mark.parametrize("key", TABLES)
def test_every_row_of_a_move_field_is_ruled(key: str):
    tables, rows, pitch = TABLES[key]
    drawing = draw_field(key)
    across = {(line.x1, line.x2, line.y1) for line in drawing.only(Line) if line.y1 == line.y2}
    down = {(line.x1, line.y1, line.y2) for line in drawing.only(Line) if line.x1 == line.x2}

    for x in range(0, tables * pitch, pitch):
        assert {(x, x + 6, y) for y in range(1, rows + 2)} <= across
        assert {(x + 3, 0, rows + 2)} | {(x + dx, 1, rows + 2) for dx in (1, 2, 4, 5)} <= down
    assert {(box.x, box.y, box.width, box.height) for box in drawing.only(Box)} == {
        (pitch * table, 0, 6, rows + 2) for table in range(tables)
    }
    assert len(drawing.only(Line)) == tables * (rows + 1 + 5)


@pytest.mark.parametrize("key", TABLES)
@pytest.mark.parametrize("plies", [1, 2, 41])
def test_moves_are_written_row_by_row(key: str, plies: int):
    game = played("sttt-map", plies)
    found = {
        where: text for where, text in texts(draw_field(key, game=game)).items() if where[1] > 1
    }
    expected = {
        (3 * (ply % 2) + digit, 2 + ply // 2): str(number)
        for ply, move in enumerate(moves_of(game))
        for digit, number in enumerate(move)
    }

    assert found == expected


def test_the_next_table_goes_on_where_one_is_full():
    game = played("sttt-map", 120)
    found = texts(draw_field("move-large", game=game))
    move = moves_of(game)[110]

    assert [found[8 + digit, 2] for digit in range(3)] == [str(number) for number in move]


def test_what_does_not_fit_stands_on_more_sheets():
    game = played("sttt-map", 100)
    sheets = draw_sheets("move", game=game)
    written = [
        text
        for sheet in sheets
        for (_, y), text in sorted(texts(sheet).items(), key=by_row)
        if y > 1
    ]

    assert [sheet.key for sheet in sheets] == ["move"] * 3
    assert written == [str(number) for move in moves_of(game) for number in move]
    assert "Moves 43-84 are on this sheet." in " ".join(note.text for note in sheets[1].notes)


def by_row(item: tuple[tuple[float, float], str]) -> tuple[float, float]:
    (x, y), _ = item
    return y, x


@pytest.mark.parametrize(
    ("key", "slots", "tops"), [("continuous", 24, [0]), ("continuous-large", 36, [0, 31])]
)
def test_headers_of_a_continuous_field_stand_over_the_middle_of_their_moves(
    key: str, slots: int, tops: list[int]
):
    drawing = draw_field(key)
    expected = {
        (slot + 1, top + 2 - slot % 3): "XO"[slot % 2] for slot in range(slots) for top in tops
    }

    assert texts(drawing) == expected
    brackets = {
        (box.x + 1, box.y) for box in drawing.only(Box) if box.height == 1 and box.width == 3
    }
    assert brackets == set(expected)


@pytest.mark.parametrize(
    ("key", "width", "lines", "tops"),
    [("continuous", 26, 25, [3]), ("continuous-large", 38, 26, [3, 34])],
)
def test_every_cell_of_a_continuous_field_is_ruled(
    key: str, width: int, lines: int, tops: list[int]
):
    drawing = draw_field(key)
    expected = {(0, top + y, width, top + y) for top in tops for y in range(1, lines)}
    expected |= {(x, top, x, top + lines) for top in tops for x in range(1, width)}

    assert {(line.x1, line.y1, line.x2, line.y2) for line in drawing.only(Line)} == expected
    outlines = {
        (box.x, box.y, box.width, box.height) for box in drawing.only(Box) if box.height > 1
    }
    assert outlines == {(0, top, width, lines) for top in tops}


def read_back(written: Writing) -> list[tuple[int, Move]]:
    """Read moves and the sides that made them, as the hint beneath the field explains."""
    digits = {(line, column): digit for line, column, digit in written.digits}
    moves = []
    for line in sorted({line for line, _ in digits}):
        columns = sorted(column for at, column in digits if at == line)
        starts = [columns[0], *(column for at, column in written.bars if at == line)]
        for start, stop in zip(starts, [*starts[1:], columns[-1] + 1], strict=True):
            run = [digits[line, column] for column in range(start, stop)]
            for number in range(len(run) - 2):
                moves.append(
                    ((start + number) % 2, (run[number], run[number + 1], run[number + 2]))
                )
    return moves


digit = st.integers(1, 9)
# Short chains are rare at random, so each free move gets a list of digits that follow it.
chains = st.lists(st.tuples(digit, digit, st.lists(digit, min_size=1, max_size=40)), max_size=12)


def chained(chains: list[tuple[int, int, list[int]]]) -> list[Move]:
    moves: list[Move] = []
    for strategic, tactical, rest in chains:
        digits = [strategic, tactical, *rest]
        moves += zip(digits, digits[1:], digits[2:], strict=False)
    return moves


@given(chains, st.sampled_from([24, 36]))
def test_a_continuous_line_can_be_read_back(chains: list[tuple[int, int, list[int]]], slots: int):
    """Whatever breaks or fills a line, each move and its side can still be read."""
    moves = chained(chains)
    written = write_moves(moves, slots=slots, lines=500)

    assert read_back(written) == [(ply % 2, move) for ply, move in enumerate(moves)]
    assert written.end == len(moves)
    assert all(0 <= column < slots + 2 for _, column, _ in written.digits)


@given(chains, st.integers(1, 4))
def test_sheets_of_continuous_lines_hold_every_move_once(
    chains: list[tuple[int, int, list[int]]], lines: int
):
    moves = chained(chains)
    read: list[tuple[int, Move]] = []
    start = 0
    while start < len(moves):
        written = write_moves(moves, slots=24, lines=lines, start=start)
        read += read_back(written)
        assert start < written.end
        start = written.end

    assert read == [(ply % 2, move) for ply, move in enumerate(moves)]


def test_a_full_line_is_continued_by_its_last_two_digits():
    moves = chained([(1, 2, [3, 4, 5, 6, 7, 8, 9] * 4)])
    found = {
        (line, column): digit
        for line, column, digit in write_moves(moves, slots=24, lines=9).digits
    }

    assert (found[1, 0], found[1, 1]) == (found[0, 24], found[0, 25])
    assert [found[1, column] for column in range(3)] == list(moves[24])


def test_a_free_move_follows_a_bar_with_all_its_digits():
    written = write_moves([(1, 2, 3), (2, 3, 4), (9, 9, 9)], slots=24, lines=9)

    assert written.bars == ((0, 4),)
    assert written.digits == (
        (0, 0, 1), (0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 9), (0, 5, 9), (0, 6, 9)
    )  # fmt: skip


def test_a_free_move_that_does_not_fit_begins_a_line_under_its_header():
    """X begins in column 1, O in column 2: the header still says whose move it is."""
    moves = [*chained([(1, 2, [3, 4, 5, 6, 7, 8, 9] * 3 + [1, 2])]), (9, 8, 7)]
    written = write_moves(moves, slots=24, lines=9)

    assert len(moves) == 24
    assert written.digits[-3:] == ((1, 1, 9), (1, 2, 8), (1, 3, 7))


def test_a_game_is_written_with_bars_before_its_free_moves():
    game = played("sttt-tactical", 600, seed=3)
    drawing = draw_field("continuous-large", game=game)
    bars = [line for line in drawing.only(Line) if line.weight is Weight.THICK]

    assert bars
    assert all(line.x1 == line.x2 and line.y2 == line.y1 + 1 for line in bars)
    written = write_moves(moves_of(game), slots=36, lines=26)
    upper = {where: text for where, text in texts(drawing).items() if 3 <= where[1] < 29}
    assert upper == {(column, 3 + line): str(number) for line, column, number in written.digits}
