"""Names from anywhere: never a box, never past the edge."""

import doctest
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.render import describe as words
from bot.render import masks as text
from bot.render.masks import (
    BLOCK,
    DIAMOND,
    DISC,
    PLUS,
    THIN_RING,
    fitted_text,
    font,
    text_mask,
    text_width,
    writable_text,
)
from bot.render.theme import MARK_PAIRS
from tests.bot.render import comparing

SIZES = (30, 26)
DRAWN = (PLUS, DIAMOND, BLOCK, THIN_RING, DISC)
MISSING = bytes(font(40).getmask("\U0010fffd"))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Anna", "Anna"),
        ("Zażółć gęślą jaźń", "Zażółć gęślą jaźń"),
        ("Щука Ґанок", "Щука Ґанок"),
        ("Ελένη", "Ελένη"),
        ("Nguyễn", "Nguyễn"),
        ("Zoe\u0308", "Zoë"),
        ("\U0001d4d0\U0001d4f7\U0001d4f7\U0001d4ea", "Anna"),
        ("\uff21\uff4e\uff4e\uff41", "Anna"),
        ("\U0001f984 Anna \U0001f308", "Anna"),
        ("Anna\u3055\u3093", "Anna"),
        ("An\u202ena", "Anna"),
        ("two\nlines\tand\u00a0more", "two lines and more"),
        ("\u5c71\u7530", "fallback"),
        ("\u0639\u0644\u064a", "fallback"),
        ("\U0001f984\U0001f308", "fallback"),
        ("...", "fallback"),
        ("", "fallback"),
        ("   ", "fallback"),
    ],
)
def test_names_become_writable(name: str, shown: str):
    assert writable_text(name, fallback="fallback") == shown


def words_only(line: str) -> str:
    """Return a line without the marks, which are drawn as on the board."""
    return "".join(character for character in line if character not in "✚◇■○●")


def test_marks_in_a_line_are_drawn_as_on_the_board():
    """The font lacks some of them."""
    assert writable_text("Player ✚", fallback="fallback") == "Player ✚"
    for shapes in MARK_PAIRS.values():
        for glyph in (shape.glyph for shape in shapes):
            line = text_mask(f"{glyph} to move", 32, (400, 50), "m")
            left, top, right, bottom = line.getbbox() or (0, 0, 0, 0)
            assert abs((left + right) / 2 - 200) <= 4
            assert abs((top + bottom) / 2 - 25) <= 7
            assert right - left <= text_width(f"{glyph} to move", 32) + 2
    assert len({text_mask(shape.glyph, 32, (50, 50), "m").tobytes() for shape in DRAWN}) == 5


@settings(deadline=None)
@given(st.text(max_size=60))
def test_nothing_is_ever_drawn_as_a_box(name: str):
    for character in words_only(writable_text(name, fallback="fallback")):
        assert bytes(font(40).getmask(character)) != MISSING


@settings(deadline=None)
@given(st.text(max_size=60), st.integers(40, 400))
def test_fitted_text_is_not_too_wide(name: str, width: int):
    shown, size = fitted_text(writable_text(name, fallback="fallback"), SIZES, width)

    assert size in SIZES
    assert shown == "…" or text_width(shown, size) <= width


def test_text_shrinks_before_it_is_shortened():
    full = "Computer, level 3"
    width = int(font(26).getlength(full)) + 1

    assert fitted_text(full, SIZES, 1000) == (full, 30)
    assert fitted_text(full, SIZES, width) == (full, 26)
    assert fitted_text(full, SIZES, width - 20) == ("Computer, lev…", 26)


@pytest.mark.parametrize("module", [text, comparing, words])
def test_the_examples_in_the_docstrings(module: ModuleType):
    results = doctest.testmod(module)

    assert results.attempted
    assert not results.failed


def test_a_name_of_any_length_is_fast_to_fit():
    """The rest is never looked at."""
    assert len(writable_text("x" * 100_000, fallback="fallback")) <= 80


@pytest.mark.parametrize(("align", "left"), [("l", 0), ("m", 80), ("r", 160)])
def test_text_stands_where_it_is_told(align: str, left: int):
    box = text_mask("I", 40, (170, 60), align).getbbox()

    assert box is not None
    assert box[0] == pytest.approx(left, abs=8)
    assert (box[1] + box[3]) / 2 == pytest.approx(30, abs=1)


def test_bars_of_any_length_do_not_stay_in_memory():
    for width in range(9, 409):
        text.rounded_mask((width, 9), 4)

    assert text.rounded_mask.cache_info().currsize < 300
