"""The PDF, read back: every line and text in millimetres."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest

from bot.render.fields import FIELDS, Drawing, draw_sheets, to_pdf
from bot.render.fields.drawing import CAP_HEIGHT, Box, Label, Line, Mark, Weight, text_width
from tests.bot.render.fields.games import draw_field, played
from tests.bot.render.fields.reading import Page, read_pdf

ROOT = Path(__file__).resolve().parents[4]


def in_cells(drawing: Drawing, page: Page, x: float, y: float) -> tuple[float, float]:
    """Return a place on a page in unit cells of the drawing centred on it."""
    unit = drawing.unit_mm
    left = (page.size[0] - drawing.width * unit) / 2
    top = (page.size[1] - drawing.full_height * unit) / 2
    return round((x - left) / unit, 4) + 0.0, round((y - top) / unit, 4) + 0.0


@pytest.fixture(params=FIELDS)
def filled(request: pytest.FixtureRequest) -> tuple[Drawing, Page]:
    drawing = draw_field(request.param, game=played("sttt-tactical", 150))
    (page,) = read_pdf(to_pdf(drawing))
    return drawing, page


def test_pages_are_a4(filled: tuple[Drawing, Page]):
    drawing, page = filled

    assert page.size == pytest.approx(drawing.page_mm, abs=0.001)


@pytest.mark.sampled(4)
def test_lines_and_boxes_lie_on_the_raster(filled: tuple[Drawing, Page]):
    drawing, page = filled
    expected = {
        (line.weight, (line.x1, line.y1), (line.x2, line.y2)) for line in drawing.only(Line)
    }
    for box in drawing.only(Box):
        left, top, right, bottom = box.x, box.y, box.x + box.width, box.y + box.height
        expected |= {
            (box.weight, (left, bottom), (right, bottom)),
            (box.weight, (right, bottom), (right, top)),
            (box.weight, (right, top), (left, top)),
            (box.weight, (left, top), (left, bottom)),
        }
    weights = {weight.value: weight for weight in Weight}
    found = {
        (weights[round(pen, 2)], in_cells(drawing, page, x1, y1), in_cells(drawing, page, x2, y2))
        for pen, colour, x1, y1, x2, y2 in page.strokes
        if colour == "0 0 0"
    }

    assert found == expected


@pytest.mark.sampled(4)
def test_texts_stand_in_their_boxes(filled: tuple[Drawing, Page]):
    drawing, page = filled
    found = []
    for text, size, x, y in page.texts:
        found.append((text, round(size / drawing.unit_mm, 3), *in_cells(drawing, page, x, y)))
    expected = []
    for label in (*drawing.only(Label), *drawing.notes):
        centred = label.align.value == "centre"
        spare = (label.width - text_width(label.text, label.size)) / 2 if centred else 0
        baseline = label.y + label.height / 2 + CAP_HEIGHT * label.size / 2
        expected.append((label.text, label.size, label.x + spare, baseline))

    assert [text for text, *_ in found] == [text for text, *_ in expected]
    for (_, *where), (_, *wanted) in zip(found, expected, strict=True):
        assert where == pytest.approx(wanted, abs=0.002)


def test_marks_are_where_the_position_has_them(filled: tuple[Drawing, Page]):
    drawing, page = filled
    strokes = [
        in_cells(drawing, page, (x1 + x2) / 2, (y1 + y2) / 2)
        for _, colour, x1, y1, x2, y2 in page.strokes
        if colour != "0 0 0"
    ]
    crosses = sorted((mark.x + 0.5, mark.y + 0.5) for mark in drawing.only(Mark) if mark.side == 0)
    rings = sorted((mark.x, mark.y) for mark in drawing.only(Mark) if mark.side == 1)

    assert sorted((round(x, 3), round(y, 3)) for x, y in strokes) == sorted([*crosses, *crosses])
    assert len(page.circles) == len(rings)
    begun = [in_cells(drawing, page, x, y) for _, _, x, y in page.circles]
    assert sorted((int(x), int(y)) for x, y in begun) == rings


def test_a_long_game_is_a_document_of_several_pages():
    sheets = draw_sheets("full", game=played("sttt-map", 300))
    pages = read_pdf(to_pdf(*sheets))

    assert [page.size[0] < page.size[1] for page in pages] == [True, True]
    assert {text for text, *_ in pages[1].texts} >= {"S", "T", "O"}


def test_portrait_and_landscape_sheets_may_be_mixed():
    pages = read_pdf(to_pdf(draw_field("mapped"), draw_field("basic")))

    assert [page.size[0] > page.size[1] for page in pages] == [True, False]


def test_a_document_needs_a_page():
    with pytest.raises(ValueError, match="at least one drawing"):
        to_pdf()


@pytest.mark.parametrize("key", FIELDS)
def test_documents_are_small_and_have_their_font_inside(key: str):
    pdf = to_pdf(draw_field(key, game=played("sttt-tactical", 150)))

    assert len(pdf) < 60_000
    assert b"/FontFile2" in pdf
    assert b"Helvetica" not in pdf
    assert b"/Subtype /Image" not in pdf


def test_the_same_drawing_is_the_same_document():
    """No dates, no counters; in another process and from several threads too."""
    drawing = draw_field("full", game=played("sttt-map", 60))
    with ThreadPoolExecutor(4) as threads:
        documents = set(threads.map(to_pdf, [drawing] * 8))
    blank = to_pdf(draw_field("full"))
    elsewhere = subprocess.run(
        [
            sys.executable, "-c",
            "import hashlib; from bot.render.fields import draw_sheets, to_pdf;"
            "print(hashlib.sha256(to_pdf(*draw_sheets('full'))).hexdigest())",
        ],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip

    assert len(documents) == 1
    assert elsewhere.strip() == sha256(blank).hexdigest()


def test_the_document_names_its_field_and_its_authors():
    pdf = to_pdf(draw_field("mapped"))

    assert b"/Title (Strategic Tic-Tac-Toe: Mapped field, map34)" in pdf
    assert b"Mikhail Demchenko and Anton Shashkov" in pdf
