"""The PNG, pixel by pixel where it matters."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageChops, ImageOps

from bot.render.fields import FIELDS, Drawing, to_png
from bot.render.fields.drawing import MARK_INKS, Ink, Label, Mark, text_width
from bot.render.fields.printing import margin_px
from tests.bot.render.comparing import contrast_ratio
from tests.bot.render.fields.games import draw_field, played

WHITE = (255, 255, 255)
UNIT = 32


def picture(drawing: Drawing, unit_px: int = UNIT) -> Image.Image:
    """Return the drawing as a picture without its margin."""
    image = Image.open(io.BytesIO(to_png(drawing, unit_px=unit_px))).convert("RGB")
    return ImageOps.crop(image, margin_px(drawing, unit_px))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("key", FIELDS)
@pytest.mark.parametrize("unit_px", [8, 21])
def test_a_cell_is_a_whole_number_of_pixels(key: str, unit_px: int):
    drawing = draw_field(key)
    image = picture(drawing, unit_px)

    assert image.size == (drawing.width * unit_px, round(drawing.full_height * unit_px))


@pytest.mark.parametrize("key", ["basic", "mapped"])
def test_marks_are_where_the_position_has_them(key: str):
    game = played("sttt-tactical", 300)
    drawing = draw_field(key, game=game)
    image = picture(drawing)
    blank = picture(draw_field(key))
    sides = {(mark.x, mark.y): mark.side for mark in drawing.only(Mark)}

    for (x, y), side in sides.items():
        centre = image.getpixel((x * UNIT + UNIT // 2, y * UNIT + UNIT // 2))
        on_ring = image.getpixel((x * UNIT + UNIT // 2, y * UNIT + round(0.22 * UNIT)))
        expected = (MARK_INKS[0].value, WHITE) if side == 0 else (WHITE, MARK_INKS[1].value)
        assert (centre, on_ring) == expected
    for x in range(drawing.width):
        for y in range(drawing.height):
            if (x, y) not in sides:
                area = (x * UNIT, y * UNIT, (x + 1) * UNIT, (y + 1) * UNIT)
                delta = ImageChops.difference(image.crop(area), blank.crop(area))
                # The 64 colours of two pictures differ slightly.
                assert int(np.asarray(delta).max()) < 24


@pytest.mark.parametrize(("unit_px", "thick"), [(32, {-1, 0, 1}), (43, {-2, -1, 0, 1})])
def test_thick_and_thin_lines_lie_on_the_raster(unit_px: int, thick: set[int]):
    image = picture(draw_field("basic"), unit_px)
    row = [image.getpixel((x, unit_px // 2)) == (0, 0, 0) for x in range(9 * unit_px)]

    for column in range(1, 9):
        black = {dx for dx in range(-9, 9) if row[column * unit_px + dx]}
        assert black == (thick if column % 3 == 0 else {0})


def test_corners_of_thick_lines_are_filled():
    image = picture(draw_field("basic"))

    assert image.getpixel((0, 0)) == (0, 0, 0)
    assert image.getpixel((9 * UNIT, 9 * UNIT)) == (0, 0, 0)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("text", [*"123456789XOST", "11", "45", "96"])
def test_labels_stand_in_the_middle_of_their_cells(text: str):
    unit = 100
    drawing = replace(
        draw_field("help"),
        shapes=(Label(x=2, y=3, text=text, size=0.6),),
        notes=(),
        full_height=15,
    )
    image = picture(drawing, unit)
    left, top, right, bottom = ImageOps.invert(image).getbbox() or (0, 0, 0, 0)

    assert (left + right) / 2 == pytest.approx(2.5 * unit, abs=5)
    assert (top + bottom) / 2 == pytest.approx(3.5 * unit, abs=2)


def test_letters_stand_where_they_were_measured():
    """Small text would otherwise run over the edge that it was wrapped for."""
    drawing = draw_field("mapped")
    longest = max(drawing.notes, key=lambda note: text_width(note.text, note.size))
    alone = replace(drawing, shapes=(), notes=(longest,))
    unit = 8  # where the rounding of one letter to whole pixels counts most
    image = Image.open(io.BytesIO(to_png(alone, unit_px=unit))).convert("RGB")
    box = ImageOps.invert(image).getbbox()

    assert box is not None
    right = box[2] - margin_px(alone, unit)  # the box includes the margin
    measured = longest.x * unit + text_width(longest.text, longest.size * unit)
    assert right == pytest.approx(measured, abs=3)
    assert right <= drawing.width * unit


@pytest.mark.parametrize("unit_px", [7, 129, 0, -5])
def test_cells_too_small_for_a_digit_and_too_large_for_memory_are_refused(unit_px: int):
    with pytest.raises(ValueError, match=f"unit_px must be from 8 to 128, got {unit_px}"):
        to_png(draw_field("basic"), unit_px=unit_px)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("key", FIELDS)
def test_pictures_are_small_enough_to_post(key: str):
    png = to_png(draw_field(key, game=played("sttt-tactical", 300)))
    image = Image.open(io.BytesIO(png))

    assert len(png) < 150_000
    assert image.mode == "P"
    assert max(image.size) < 2000


def test_the_same_drawing_is_the_same_picture():
    drawing = draw_field("full", game=played("sttt-map", 60))

    assert to_png(drawing) == to_png(drawing)


def test_marks_and_numbers_stand_out_on_paper():
    contrasts = {ink.name: contrast_ratio(ink.value, WHITE) for ink in Ink}

    assert contrasts["X"] >= 4.5
    assert contrasts["O"] >= 4.5
    assert contrasts["FAINT"] >= 3
    assert contrasts["COVERED"] < 2
