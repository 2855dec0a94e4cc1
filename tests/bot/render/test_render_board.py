"""The picture shows the position: format, size, every cell, every highlight."""

import io
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from bot.render import DARK, LIGHT, Advice, BoardPicture, CellNote, Theme, draw_board
from bot.render.header import draw_header
from bot.render.layout import (
    FIELD_TOP,
    HEIGHT,
    MARGIN,
    NORMAL,
    SINGLE,
    SINGLE_HEIGHT,
    SINGLE_LEFT,
    WIDTH,
)
from bot.render.masks import MarkShape
from bot.render.nine_boards import board_looks
from bot.render.picture import Claim
from bot.render.preview import played_out, sample_pictures
from bot.render.tiles import Highlight, Look, TileSheet, look_colours
from engine import Game, O, Position, Rules, X, parse_move
from tests.bot.render.positions import DEPTH_2, played, positions

LIMIT_BYTES = 40_000
NAMES = ("Anna", "Computer, level 10")
THEMES = (DARK, LIGHT)
THOROUGH = settings(max_examples=25, deadline=None)


cell_centre = partial(NORMAL.centre_of, origin=(MARGIN, FIELD_TOP))


def opened(picture: BoardPicture) -> Image.Image:
    """Return the picture as it is seen."""
    return Image.open(io.BytesIO(draw_board(picture))).convert("RGB")


def pixel(image: Image.Image, cell: int, right: float = 0.0) -> tuple[int, ...]:
    """Return the colour at the centre of a cell, or `right` of it in cells."""
    x, y = cell_centre(cell)
    colour = image.getpixel((x + round(right * NORMAL.cell), y))
    assert isinstance(colour, tuple)
    return colour


def test_a_png_in_palette_mode_that_is_not_square():
    """Some phones crop pictures that are exactly square."""
    image = Image.open(io.BytesIO(draw_board(BoardPicture(Position.initial(Rules())))))

    assert image.format == "PNG"
    assert image.mode == "P"
    assert image.size == (WIDTH, HEIGHT)
    assert WIDTH >= 700
    assert WIDTH / HEIGHT < 0.9


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.key)
def test_every_picture_of_a_game_is_small_enough(theme: Theme):
    choices = [(7 * n * n + 3 * n) % 81 for n in range(81)]
    for position in played(Rules(), choices):
        assert len(draw_board(BoardPicture(position, names=NAMES, theme=theme))) <= LIMIT_BYTES


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("rules", [*DEPTH_2, Rules(depth=1)], ids=lambda rules: rules.key)
def test_every_variant_can_be_drawn_to_its_end(rules: Rules, step: int):
    game = played_out(rules, 11)
    for number, position in enumerate(game[::step] + game[-1:]):
        picture = BoardPicture(position, names=NAMES, theme=THEMES[number % 2])
        assert len(draw_board(picture)) <= LIMIT_BYTES


@settings(max_examples=40, deadline=None)
@given(position=positions(least_plies=60), theme=st.sampled_from(THEMES))
def test_the_fullest_pictures_are_small_enough(position: Position, theme: Theme):
    assert len(draw_board(BoardPicture(position, names=NAMES, theme=theme))) <= LIMIT_BYTES


@THOROUGH
@given(position=positions(), theme=st.sampled_from(THEMES))
def test_cells_of_ongoing_boards_show_their_marks(position: Position, theme: Theme):
    picture = BoardPicture(position, names=NAMES, theme=theme)
    image = opened(picture)
    for cell in range(81):
        look = board_looks(picture)[cell // 9]
        if look.claim is not Claim.OPEN:
            continue
        colours = look_colours(theme, look)
        mark = position.mark_at(cell)
        if mark is None:
            # Left of the number, if there is one.
            assert pixel(image, cell, -0.3) == colours.cell
        elif cell == position.last_move:
            assert pixel(image, cell, 0.28 if mark == O else 0.0) == theme.ink
            assert pixel(image, cell, 0.42) == theme.solids[mark]
        elif mark == X:
            assert pixel(image, cell) == colours.marks[X]
        else:
            assert pixel(image, cell) == colours.cell
            assert pixel(image, cell, 0.28) == colours.marks[O]


@THOROUGH
@given(position=positions(least_plies=40))
def test_won_boards_carry_the_mark_of_their_owner(position: Position):
    picture = BoardPicture(position, names=NAMES)
    image = opened(picture)
    for board in range(9):
        look = board_looks(picture)[board]
        if not look.claim.owners or 9 * board + 4 == position.last_move:
            continue
        colours = look_colours(DARK, look)
        if look.claim is Claim.X and position.mark_at(9 * board + 4) is None:
            assert look.side is not None or pixel(image, 9 * board + 4) == colours.large[X]
        corner = image.crop(_box(9 * board)).getcolors(10_000)
        assert corner is not None
        assert colours.cell in {colour for _, colour in corner}


def _box(cell: int) -> tuple[int, int, int, int]:
    """Return the pixels of a cell."""
    x, y = cell_centre(cell)
    half = NORMAL.cell // 2
    return x - half, y - half, x + half, y + half


def test_small_marks_below_a_large_one_still_show():
    """In each cell of a won board, X, O and empty all look different."""
    sheet = TileSheet(DARK, NORMAL)
    for claim, slot in product((Claim.X, Claim.O), range(9)):
        look = Look(claim=claim)
        x, y = NORMAL.cell_offset(slot)
        empty = sheet.panel(look).crop((x, y, x + NORMAL.cell, y + NORMAL.cell))
        draw = partial(sheet.marked_cell, look, slot, is_last=False)
        assert len({empty.tobytes(), draw(X).tobytes(), draw(O).tobytes()}) == 3


@THOROUGH
@given(position=positions())
def test_exactly_the_playable_boards_stand_out(position: Position):
    picture = BoardPicture(position, names=NAMES)
    image = opened(picture)
    bordered = set()
    for board in range(9):
        x, y = cell_centre(9 * board + 4)
        edge = NORMAL.grid // 2 + NORMAL.thin_border // 2
        if image.getpixel((x, y + edge)) == DARK.marks[position.side]:
            bordered.add(board)
    if position.outcome is None:
        assert bordered == set(position.playable_boards)


def test_a_selected_board_is_the_only_one_with_numbers():
    choice = sample_pictures()["choice"]
    chosen = choice.position.playable_boards[2]
    highlights = [look.highlight for look in board_looks(replace(choice, selected=(chosen,)))]

    assert highlights.count(Highlight.TARGET) == 1
    assert highlights[chosen] is Highlight.TARGET
    assert highlights.count(Highlight.CHOICE) == len(choice.position.playable_boards) - 1
    assert opened(choice).tobytes() != opened(replace(choice, selected=(chosen,))).tobytes()


@pytest.mark.parametrize(
    ("key", "moves", "board", "closed"),
    [("depth=2,no_return=yes", ["55", "57"], 6, 4), ("mulloy", [], 4, 4)],
)
def test_an_empty_cell_that_may_not_be_played_looks_at_rest(
    key: str, moves: list[str], board: int, closed: int
):
    """The way back to where the other side came from; the very centre on the first move."""
    game = Game(Rules.parse(key))
    for text in moves:
        game.push(parse_move(text, game.rules))
    image = opened(BoardPicture(game.position, selected=(board,)))

    target = Look(claim=Claim.OPEN, highlight=Highlight.TARGET, side=X)
    in_play, at_rest = look_colours(DARK, target).cell, DARK.surface
    for slot in range(9):
        cell = 9 * board + slot
        # Beside the middle, where the number stands.
        assert pixel(image, cell, 0.35) == (at_rest if slot == closed else in_play)
        assert (pixel(image, cell) == at_rest) == (slot == closed)


def test_a_selection_that_may_not_be_played_is_ignored():
    forced = sample_pictures()["forced"]

    assert draw_board(replace(forced, selected=(8,))) == draw_board(forced)


def test_the_boards_that_won_are_joined():
    picture = sample_pictures()["o-wins"]
    image = opened(picture)
    x = (cell_centre(4)[0] + cell_centre(13)[0]) // 2

    assert picture.position.outcome is not None
    assert picture.position.outcome.line == (0, 1, 2)
    assert image.getpixel((x, cell_centre(4)[1])) == DARK.solids[O]
    assert image.getpixel((x, cell_centre(31)[1])) == DARK.canvas


def test_the_status_can_be_given():
    start = BoardPicture(Position.initial(Rules()))

    assert draw_board(replace(start, status="Anna resigned")) != draw_board(start)


def test_a_game_that_ended_off_the_board_offers_no_move():
    forced = sample_pictures()["forced"]
    over = replace(forced, is_over=True, winner=X, status="O resigned: X wins")

    assert all(look.side is None for look in board_looks(over))
    assert opened(over).getpixel((WIDTH // 4, 24)) == DARK.solids[X]


def test_a_drawn_board_that_counts_for_both_carries_both_marks():
    picture = sample_pictures()["drawn-for-both"]
    at_rest = Look(claim=Claim.BOTH)
    shared = [board for board, look in enumerate(board_looks(picture)) if look == at_rest]
    image = opened(picture)
    for board in shared:
        x, y = cell_centre(9 * board + 4)
        half = NORMAL.grid // 2
        counted = image.crop((x - half, y - half, x + half, y + half)).getcolors(10_000)
        assert counted is not None
        assert set(DARK.solids) <= {colour for _, colour in counted}

    assert shared


def test_a_line_may_lead_through_a_drawn_board():
    picture = sample_pictures()["won-with-drawn"]

    assert Look(claim=Claim.BOTH, side=O, is_in_line=True) in board_looks(picture)


def single_pixel(picture: BoardPicture, cell: int, right: float) -> object:
    """Return the colour `right` of the centre of a cell in cells, in a game of one board."""
    x, y = SINGLE.centre_of(cell, (SINGLE_LEFT, FIELD_TOP))
    return opened(picture).getpixel((x + round(right * SINGLE.cell), y))


def test_a_game_of_one_board():
    picture = sample_pictures()["single"]
    position = picture.position
    image = opened(picture)

    assert image.size == (WIDTH, SINGLE_HEIGHT)
    assert WIDTH != SINGLE_HEIGHT
    for cell in range(9):
        pixel = single_pixel(picture, cell, 0.42)
        is_last = cell == position.last_move
        assert (pixel == DARK.solids[1 - position.side]) == is_last
    assert draw_board(replace(picture, selected=(3,))) == draw_board(picture)


def test_the_line_of_a_game_of_one_board_is_filled():
    picture = sample_pictures()["single-won"]
    outcome = picture.position.outcome
    assert outcome is not None
    assert outcome.line is not None
    filled = {cell for cell in range(9) if single_pixel(picture, cell, 0.42) == DARK.solids[X]}

    assert filled == set(outcome.line)


def test_several_threads_draw_the_same_picture():
    """They share the pieces, which the first call of a theme draws."""
    theme = replace(DARK, key="fresh")
    picture = replace(sample_pictures()["x-wins"], theme=theme)
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(opened, [picture] * 8))

    expected = opened(replace(picture, theme=DARK)).tobytes()
    assert all(image.tobytes() == expected for image in drawn)


def possible_looks() -> list[Look]:
    """Return every look that a board can have in any variant."""
    decided = [
        Look(claim=claim, side=side, is_in_line=True)
        for claim, side in product((Claim.X, Claim.O, Claim.BOTH), (X, O))
        if side in claim.owners
    ]
    at_rest = [Look(claim=claim) for claim in Claim]
    playable = [
        Look(claim=claim, highlight=highlight, side=side)
        for claim, highlight, side in product(
            (Claim.OPEN, Claim.X, Claim.O),
            (Highlight.CHOICE, Highlight.TARGET),
            (X, O),
        )
    ]
    return decided + at_rest + playable


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.key)
def test_the_palette_has_room_for_everything(theme: Theme):
    """Beyond 256 colours the nearest one would be used silently."""
    sheet = TileSheet(theme, NORMAL)
    canvas = sheet.plain((WIDTH, HEIGHT), theme.canvas)
    start = Position.initial(Rules())
    for position in (start, start.after(40)):
        draw_header(canvas, sheet, BoardPicture(position, names=NAMES, clocks=("1:00", "2:00")))
    for winner in (X, O, None):
        over = BoardPicture(start, names=NAMES, is_over=True, winner=winner, status="A draw")
        draw_header(canvas, sheet, over)
    for look in possible_looks():
        sheet.badge("9", look.side)
        for slot, mark, is_last in product(range(9), (X, O), (False, True)):
            sheet.marked_cell(look, slot, mark, is_last=is_last)
            sheet.empty_cell(look, slot, number=str(slot + 1))
    for advice, mark in product(Advice, (X, O)):
        sheet.note(CellNote(0, advice, label=("1", "62%"), mark=mark))

    assert len(sheet.palette) < 250


def test_mark_shapes_are_only_data():
    """A theme may bring its own; here a triangle and a square."""
    triangle = MarkShape(paths=(((0.5, 0.2), (0.8, 0.75), (0.2, 0.75), (0.5, 0.2)),))
    square = MarkShape(
        paths=(((0.25, 0.25), (0.75, 0.25), (0.75, 0.75), (0.25, 0.75), (0.25, 0.25)),)
    )
    theme = replace(DARK, key="shapes", shapes=(triangle, square))
    picture = replace(sample_pictures()["middle"], theme=theme)
    image = opened(picture)
    look = board_looks(picture)[1]

    assert picture.position.mark_at(10) == X
    x, y = cell_centre(10)
    assert image.getpixel((x, y + round(0.25 * NORMAL.cell))) == look_colours(theme, look).marks[X]
    assert image.getpixel((x, y)) == look_colours(theme, look).cell


def test_tiles_can_be_made_at_another_size():
    """A board of boards of boards needs smaller ones."""
    small = replace(NORMAL, cell=24, line=2, frame=5, gap=4, border=4, thin_border=2, radius=4)
    sheet = TileSheet(DARK, small)
    for look in possible_looks():
        assert sheet.panel(look).size == (small.panel, small.panel)
        for slot, mark in product(range(9), (X, O)):
            assert sheet.marked_cell(look, slot, mark, is_last=False).size == (24, 24)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.key)
def test_notes_mark_their_cells(theme: Theme):
    """The best one is filled, a good one outlined; the move played gets a sign at its corner."""
    picture = BoardPicture(Position.initial(Rules()).after(40), theme=theme)
    notes = (
        CellNote(40, Advice.PLAYED, label=("??",)),
        CellNote(36, Advice.BEST, label=("1", "62%")),
        CellNote(44, Advice.GOOD, label=("2", "58%")),
    )

    plain, noted = opened(picture), opened(replace(picture, notes=notes))

    changed = {cell for cell in range(81) if plain.crop(_box(cell)) != noted.crop(_box(cell))}
    assert {36, 40, 44} <= changed <= {36, 37, 38, 40, 41, 44}
    assert pixel(noted, 36, -0.4) == pixel(noted, 44, -0.47) == theme.accent
    assert pixel(noted, 44, -0.38) == theme.canvas
    assert pixel(noted, 40) == pixel(plain, 40)
