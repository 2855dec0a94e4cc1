"""Pictures of 729 cells: sizes, every cell, highlights, numbers and both kinds of drawn boards."""

import io
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from bot.render import (
    DARK,
    THEMES,
    Advice,
    BoardPicture,
    CellNote,
    Theme,
    draw_board,
    layout,
)
from bot.render.header import draw_header
from bot.render.layout import BLOCKS, MARGIN, OVERVIEW_LEFT, OVERVIEW_TOP, SMALL, ZOOM
from bot.render.masks import fitted_text
from bot.render.nine_boards import board_looks
from bot.render.picture import Claim, claim_of, path_in_play
from bot.render.preview import played_out, sample_pictures
from bot.render.strategic import CREDIT, boards_in_play, claimed_boards, tactical_looks
from bot.render.theme import mix
from bot.render.tiles import Highlight, Look, TileSheet, look_colours
from engine import VARIANTS, O, Position, Rules, X, hypermap_number, map_columns

LIMIT_BYTES = 150_000
SIZE = (layout.STRATEGIC_WIDTH, layout.STRATEGIC_HEIGHT)
# Where the zoom begins, with everything beside it.
ASIDE = (layout.ASIDE_LEFT, layout.OVERVIEW_TOP, layout.STRATEGIC_WIDTH, layout.WORDS_TOP)
SAMPLES = sample_pictures()
DEPTH_3 = (
    *(variant.rules for variant in VARIANTS.values() if variant.rules.depth == 3),
    Rules.parse("depth=3,drawn_board=both,sending=map,won_board=forced"),
    Rules.parse("depth=3,won_board=open"),
    Rules.parse("depth=3,goal=five,sending=hypermap,tiebreak=most"),
)
THOROUGH = settings(max_examples=20, deadline=None)


def picked(rules: Rules, step: int, share: float) -> Position:
    """Return a position some share of the way through a whole game."""
    game = played_out(rules, step)
    return game[round(share * (len(game) - 1))]


POSITIONS = st.builds(
    picked, st.sampled_from(DEPTH_3), st.integers(1, 50), st.floats(0, 1, allow_nan=False)
)


def opened(picture: BoardPicture) -> Image.Image:
    """Return the picture as it is seen."""
    return Image.open(io.BytesIO(draw_board(picture))).convert("RGB")


def free_choice() -> Position:
    """Return a position in which several strategic boards may be played in."""
    return SAMPLES["strategic-choice"].position


def zoomed(rules: Rules, selected: tuple[int, ...] = (4, 4)) -> BoardPicture:
    """Return the start of a game with a tactical board selected."""
    return BoardPicture(Position.initial(rules), selected=selected)


def test_a_png_in_palette_mode_that_is_not_square():
    image = Image.open(io.BytesIO(draw_board(SAMPLES["strategic-start"])))

    assert image.format == "PNG"
    assert image.mode == "P"
    assert image.size == SIZE
    assert 1 < SIZE[0] / SIZE[1] < 11 / 7, "wide, but not wider than the box of a desktop client"


@pytest.mark.parametrize("step", [45, pytest.param(9, marks=pytest.mark.long)])
@pytest.mark.parametrize("rules", DEPTH_3, ids=lambda rules: rules.key)
def test_every_picture_of_a_game_is_small_enough(rules: Rules, step: int):
    game = played_out(rules, 11)
    for number, position in enumerate(game[::step] + game[-1:]):
        theme = tuple(THEMES.values())[number % 2]
        picture = BoardPicture(position, names=("Anna", "Computer, level 10"), theme=theme)
        assert len(draw_board(picture)) <= LIMIT_BYTES


def cells_seen(picture: BoardPicture, cells: range) -> list[Claim]:
    """Return what the colours in the overview say about cells of ongoing boards."""
    image, theme = opened(picture), picture.theme
    looks = tactical_looks(picture, board_looks(picture))
    seen = []
    for cell in cells:
        colours = look_colours(theme, looks[cell // 9])
        x, y = layout.overview_cell_centre(cell)
        middle = image.getpixel((x, y))
        side = image.getpixel((x + round(0.29 * SMALL.cell), y))
        if middle in (colours.marks[X], theme.ink):
            seen.append(Claim.X)
        elif middle == colours.cell and side == colours.cell:
            seen.append(Claim.OPEN)
        else:
            seen.append(Claim.O)
    return seen


@THOROUGH
@given(position=POSITIONS, theme=st.sampled_from(tuple(THEMES.values())))
def test_the_overview_shows_every_mark_of_ongoing_boards(position: Position, theme: Theme):
    picture = BoardPicture(position, theme=theme)
    seen = cells_seen(picture, range(729))
    mark_of = {Claim.X: X, Claim.O: O, Claim.OPEN: None}
    for cell in range(729):
        is_plain = claim_of(position, cell // 81, depth=1) is Claim.OPEN
        is_plain = is_plain and claim_of(position, cell // 9) is Claim.OPEN
        if is_plain and cell != position.last_move:
            assert mark_of[seen[cell]] == position.mark_at(cell)


@THOROUGH
@given(position=POSITIONS)
def test_the_last_move_is_filled_in_the_overview(position: Position):
    if position.last_move is None:
        return
    picture = BoardPicture(position)
    x, y = layout.overview_cell_centre(position.last_move)
    pixel = opened(picture).getpixel((x + round(0.42 * SMALL.cell), y))
    block = board_looks(picture)[position.last_move // 81]
    mark = 1 - position.side

    assert pixel == (DARK.ink if block.is_in_line else DARK.solids[mark])


@THOROUGH
@given(position=POSITIONS)
def test_exactly_the_playable_boards_have_borders(position: Position):
    if position.outcome is not None:
        return
    image = opened(BoardPicture(position))
    colour = DARK.marks[position.side]
    blocks, boards = set(), set()
    for strategic in range(9):
        left, top = layout.block_origin(strategic)
        below = top + SMALL.field + BLOCKS.thin_border // 2
        if image.getpixel((left + SMALL.field // 2, below)) == colour:
            blocks.add(strategic)
        elif claim_of(position, strategic, depth=1) is not Claim.OPEN:
            continue  # its large mark may have the same colour
        for tactical in range(9):
            x, y = SMALL.panel_offset(tactical)
            # The right edge: numbers of strategic boards cover the others.
            edge = (left + x + SMALL.panel - SMALL.frame, top + y + SMALL.panel // 2)
            if image.getpixel(edge) == colour:
                boards.add(9 * strategic + tactical)

    assert blocks == set(position.playable_at(1))
    assert boards == set(position.playable_boards)


def test_a_selected_strategic_board_stands_out():
    position = free_choice()
    strategic = position.playable_at(1)[1]
    picture = BoardPicture(position, selected=(strategic,))
    looks = board_looks(picture)
    tacticals = tactical_looks(picture, looks)

    assert looks[strategic].highlight is Highlight.TARGET
    assert {board for board in range(9) if looks[board].highlight is Highlight.CHOICE} == set(
        position.playable_at(1)
    ) - {strategic}
    assert {board for board in range(81) if tacticals[board].highlight is Highlight.CHOICE} == {
        board for board in position.playable_boards if board // 9 == strategic
    }


def test_the_zoom_follows_the_selection():
    """First the owners of all tactical boards, then one strategic board, then its cells."""
    position = free_choice()
    board = position.playable_boards[0]
    path = divmod(board, 9)
    images = [
        opened(BoardPicture(position, selected=path[:length])).crop(ASIDE) for length in range(3)
    ]

    assert len({image.tobytes() for image in images}) == 3
    target = boards_in_play(BoardPicture(position, selected=path), path[0]).looks[path[1]]
    assert target.highlight is Highlight.TARGET


@THOROUGH
@given(position=POSITIONS)
def test_the_zoom_shows_the_board_in_play(position: Position):
    path = path_in_play(position)
    picture = BoardPicture(position)
    if path:
        boards = boards_in_play(picture, path[0])
        assert boards.badges == tuple(f"{path[0] + 1}{place}" for place in range(1, 10))
        marks = [position.mark_at(81 * path[0] + place) for place in range(81)]
        assert [claim.winner for claim in boards.places] == marks
    else:
        boards = claimed_boards(picture)
        assert list(boards.places) == [claim_of(position, board) for board in range(81)]


@pytest.mark.parametrize("sending", ["tactical", "map", "hypermap"])
def test_cells_of_the_zoom_are_where_the_layout_says(sending: str):
    rules = Rules.parse(f"depth=3,sending={sending}")
    position = Position.initial(rules).after(81 * 4 + 40)
    picture = BoardPicture(position)
    path = path_in_play(position)
    for mark_cell in (81 * path[0] + 9 * path[1] + 3, 81 * path[0] + 9 * path[1] + 8):
        after = position.after(mark_cell)
        if path_in_play(after)[:1] != path[:1]:
            continue
        x, y = ZOOM.centre_of(mark_cell % 81, layout.zoom_origin(has_column=sending == "map"))
        image = opened(replace(picture, position=after))
        assert image.getpixel((x + round(0.42 * ZOOM.cell), y)) == DARK.solids[O]


def column_rows(image: Image.Image) -> list[bytes]:
    """Return the nine numbers of the mapping column as they are drawn, without their background."""
    rows = []
    for row in range(9):
        band, inside = divmod(row, 3)
        top = layout.ZOOM_TOP + ZOOM.panel_offset(3 * band)[1] + ZOOM.frame
        top += inside * (ZOOM.cell + ZOOM.line) + 8
        left, width = layout.ASIDE_LEFT, layout.COLUMN_WIDTH
        box = (left + 8, top, left + width - 8, top + ZOOM.cell - 16)
        rows.append(image.crop(box).tobytes())
    return rows


@pytest.mark.parametrize("selected", [(0,), (4,), (8,)])
def test_the_mapping_column_shows_the_numbers_of_the_map(selected: tuple[int, ...]):
    """Equal numbers look equal in all maps, different ones different."""
    looks: dict[int, set[bytes]] = {}
    for map_number in (34, 85, 11):
        rules = Rules.parse(f"depth=3,sending=map,map={map_number}")
        rows = column_rows(opened(zoomed(rules, selected)))
        for number, row in zip(map_columns(map_number)[selected[0] % 3], rows, strict=True):
            looks.setdefault(number, set()).add(row)

    assert sorted(looks) == list(range(1, 10))
    assert all(len(rows) == 1 for rows in looks.values())
    assert len(set.union(*looks.values())) == 9


def test_the_rows_of_the_board_to_play_in_are_marked_in_the_column():
    image = opened(zoomed(Rules.parse("sttt-map"), (4, 3)))
    colours = [
        image.getpixel(
            (
                layout.ASIDE_LEFT + 5,
                layout.ZOOM_TOP + ZOOM.panel_offset(3 * band)[1] + ZOOM.panel // 2,
            )
        )
        for band in range(3)
    ]

    assert colours == [DARK.surface, DARK.solids[X], DARK.surface]


@pytest.mark.parametrize("strategic", [0, 4, 7])
def test_every_cell_shows_its_hypermap_number(strategic: int):
    """Equal numbers look equal, different ones different."""
    image = opened(zoomed(Rules.parse("sttt-hypermap"), (strategic,)))
    looks: dict[int, set[bytes]] = {}
    for place in range(81):
        x, y = ZOOM.centre_of(place, layout.zoom_origin(has_column=False))
        half = ZOOM.cell // 2
        corner = image.crop((x + 8, y + 2, x + half - 3, y + half - 2))
        looks.setdefault(hypermap_number(81 * strategic + place), set()).add(corner.tobytes())

    assert all(len(corners) == 1 for corners in looks.values())
    assert len(set.union(*looks.values())) == len(looks) == 9


def test_other_variants_show_neither_column_nor_hypermap():
    boards = boards_in_play(zoomed(Rules.parse("sttt-tactical")), 4)

    assert boards.notes == ()
    assert boards_in_play(zoomed(Rules.parse("sttt-map")), 4).notes == ()


def test_the_next_move_is_told_above_the_zoom():
    position = free_choice()
    box = (layout.ASIDE_LEFT, layout.STATUS_TOP, SIZE[0], layout.STATUS_TOP + layout.STATUS_HEIGHT)
    path = divmod(position.playable_boards[0], 9)
    pictures = [BoardPicture(position, selected=path[:length]) for length in range(3)]

    assert len({opened(picture).crop(box).tobytes() for picture in pictures}) == 3


def test_the_strategic_boards_that_won_are_joined():
    picture = SAMPLES["strategic-wins"]
    outcome = picture.position.outcome
    assert outcome is not None
    assert outcome.line == (1, 4, 7)
    image = opened(picture)
    x = OVERVIEW_LEFT + BLOCKS.panel_offset(1)[0] + BLOCKS.panel // 2
    y = OVERVIEW_TOP + BLOCKS.panel_offset(4)[1] - BLOCKS.gap // 2

    assert image.getpixel((x, y)) == DARK.solids[X]
    assert image.getpixel((x + BLOCKS.panel + BLOCKS.gap, y)) == DARK.canvas


def colours_of(image: Image.Image, box: tuple[int, int, int, int]) -> set[object]:
    """Return the colours that fill more than edges in a part of an image."""
    counted = image.crop(box).getcolors(100_000)
    assert counted is not None
    return {colour for count, colour in counted if count > 40}


def test_a_strategic_board_that_counts_for_both_carries_both_marks():
    position = played_out(Rules.parse("sttt-hypermap"), 8)[-1]
    shared = [b for b in range(9) if claim_of(position, b, depth=1) is Claim.BOTH]
    image = opened(BoardPicture(position))
    for board in shared:
        left, top = layout.block_origin(board)
        seen = colours_of(image, (left, top, left + SMALL.field, top + SMALL.field))
        assert set(DARK.solids) <= seen

    assert shared


def test_a_won_strategic_board_that_is_played_in_shows_whose_it_is():
    picture = SAMPLES["strategic-played-on"]
    image = opened(picture)
    won = claim_of(picture.position, 2, depth=1)
    left, top = layout.block_origin(2)
    between = (left + SMALL.panel, top + SMALL.field - SMALL.panel // 2)
    flag = (left - BLOCKS.frame - BLOCKS.badge_shift[0] + BLOCKS.badge, top - 28)
    colours = colours_of(image, (*flag, flag[0] + BLOCKS.badge, flag[1] + BLOCKS.badge))

    assert picture.position.playable_at(1) == (2,)
    assert won is Claim.X
    assert image.getpixel(between) == mix(DARK.canvas, DARK.solids[X], DARK.around_share)
    assert {DARK.solids[X], DARK.ink} <= colours


def test_a_drawn_board_that_counts_for_nobody_carries_no_large_mark():
    picture = SAMPLES["strategic-more-boards"]
    board = next(b for b in range(9) if claim_of(picture.position, b, depth=1) is Claim.NOBODY)
    left, top = layout.block_origin(board)
    seen = colours_of(opened(picture), (left, top, left + SMALL.field, top + SMALL.field))

    assert not set(DARK.solids) & seen


@pytest.mark.parametrize("key", ["sttt-tactical", "depth=3,won_board=forced"])
def test_a_game_that_ended_off_the_board_offers_no_move(key: str):
    position = played_out(Rules.parse(key), 2)[300]
    over = BoardPicture(position, is_over=True, winner=O)
    blocks = board_looks(over)

    assert all(look.side is None for look in (*blocks, *tactical_looks(over, blocks)))
    assert draw_board(over) != draw_board(BoardPicture(position))


def test_the_authors_are_named_in_full():
    shown, _ = fitted_text(CREDIT, (24,), SIZE[0] - 2 * MARGIN)
    image = opened(SAMPLES["strategic-start"])
    line = image.crop((MARGIN, layout.CREDIT_TOP, SIZE[0] - MARGIN, SIZE[1] - 4)).getcolors()

    assert shown == CREDIT
    for word in ("Demchenko", "Shashkov", "CC-BY 4.0", "github.com/echo-Mike/STTT"):
        assert word in CREDIT
    assert line is not None
    assert DARK.muted in {colour for _, colour in line}


def shown_looks(drawn: Claim, side: int, *, is_over: bool) -> tuple[list[Look], list[Look]]:
    """Return every look that can occur in overview and zoom of one kind of picture."""
    claims = (Claim.OPEN, Claim.X, Claim.O, drawn)
    decided = claims[1:]
    at_rest = [Look(claim=claim) for claim in claims]
    small = at_rest + [
        Look(claim=claim, above=above, is_covered=True) for claim, above in product(claims, decided)
    ]
    if is_over:
        line = [Look(claim=claim, side=side, is_in_line=True) for claim in decided]
        for look, claim in product(line, claims):
            small.append(replace(look, claim=claim, above=look.claim, is_covered=True))
        return small, at_rest + line
    both = (Highlight.CHOICE, Highlight.TARGET)
    playable = [
        Look(claim=claim, highlight=highlight, side=side)
        for claim, highlight in product(claims, both)
    ]
    for look, above in product(at_rest + playable, decided):
        small.append(replace(look, above=above))
    return small + playable, at_rest + playable


@pytest.mark.sampled(5)
@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.key)
@pytest.mark.parametrize("drawn", [Claim.NOBODY, Claim.BOTH], ids=["nobody", "both"])
@pytest.mark.parametrize("is_over", [False, True], ids=["on", "over"])
@pytest.mark.parametrize("side", [X, O], ids="xo".__getitem__)
def test_the_palette_has_room_for_everything(theme: Theme, drawn: Claim, is_over: bool, side: int):
    """Beyond 256 colours the nearest one would be used silently."""
    small = TileSheet(theme, SMALL)
    large = TileSheet(theme, ZOOM, small.palette)
    canvas = large.plain(SIZE, theme.canvas)
    position = Position.initial(Rules(depth=3))
    picture = BoardPicture(position if side == X else position.after(0), status="?")
    over = replace(picture, is_over=True, winner=side)
    draw_header(canvas, large, over if is_over else picture)
    for sheet, looks in zip((small, large), shown_looks(drawn, side, is_over=is_over), strict=True):
        for look, slot in product(looks, (0, 1, 4)):
            for mark, is_last in product((X, O), (False, True)):
                sheet.marked_cell(look, slot, mark, is_last=is_last)
            if sheet is large:
                sheet.empty_cell(look, slot, number="1", note="8")
                sheet.drawn_cell(look, slot, drawn)
        for advice, mark in product(Advice, (X, O)):
            sheet.note(CellNote(0, advice, label=("1", "62%"), mark=mark))

    assert len(small.palette) < 240, "some are kept for the marks of strategic boards"
