"""Contrast as WCAG 2 requires it, and hues that colour-blind people can tell apart."""

import math
from itertools import product

import pytest

from bot.render import COLOUR_BLIND, DARK, HIGH_CONTRAST, MARK_PAIRS, THEMES, Theme
from bot.render.masks import mark_mask
from bot.render.picture import Claim
from bot.render.theme import Colour, mix
from bot.render.tiles import Highlight, Look, look_colours
from engine import O, X
from tests.bot.render.comparing import contrast_ratio

ALL = pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.key)

TEXT, GRAPHICS = 4.5, 3.0

AT_REST = Look(claim=Claim.OPEN)
PLAYABLE = [
    Look(claim=claim, highlight=highlight, side=side)
    for claim, highlight, side in product(
        (Claim.OPEN, Claim.X, Claim.O),
        (Highlight.CHOICE, Highlight.TARGET),
        (X, O),
    )
]

# Linear RGB as seen without one kind of cone: Machado, Oliveira and Fernandes,
# "A Physiologically-based Model for Simulation of Color Vision Deficiency",
# 2009, severity 1.0.
BLINDNESS = {
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def seen_by(kind: str, colour: Colour) -> list[float]:
    """Return a colour as people with a kind of colour blindness see it, sRGB 0 to 255."""
    linear = [((n / 255 + 0.055) / 1.055) ** 2.4 if n > 10 else n / 255 / 12.92 for n in colour]
    mixed = (sum(map(math.prod, zip(row, linear, strict=True))) for row in BLINDNESS[kind])
    return [255 * (1.055 * max(n, 0.0031308) ** (1 / 2.4) - 0.055) for n in mixed]


def test_the_ratio_is_that_of_wcag():
    """Grey 119 on white is the well-known colour just below 4.5."""
    assert contrast_ratio((119, 119, 119), (255, 255, 255)) == pytest.approx(4.48, abs=0.005)
    assert contrast_ratio((0, 0, 0), (0, 0, 0)) == 1


@ALL
def test_words_can_be_read(theme: Theme):
    assert contrast_ratio(theme.text, theme.canvas) >= TEXT
    assert contrast_ratio(theme.muted, theme.surface) >= TEXT
    assert contrast_ratio(theme.accent, theme.canvas) >= TEXT
    assert contrast_ratio(theme.accent, theme.surface) >= TEXT
    assert contrast_ratio(theme.ink, theme.accent) >= TEXT
    for side in (X, O):
        assert contrast_ratio(theme.marks[side], theme.canvas) >= TEXT
        assert contrast_ratio(theme.ink, theme.solids[side]) >= TEXT
        plate = mix(theme.surface, theme.marks[side], theme.target_share)
        assert contrast_ratio(theme.text, plate) >= TEXT


@ALL
@pytest.mark.parametrize("look", PLAYABLE, ids=str)
def test_numbers_of_cells_can_be_read(theme: Theme, look: Look):
    colours = look_colours(theme, look)

    assert contrast_ratio(colours.label, colours.cell) >= TEXT
    assert contrast_ratio(colours.note, colours.cell) >= TEXT
    for owner in look.claim.owners:
        assert contrast_ratio(colours.label, colours.large[owner]) >= GRAPHICS


@ALL
@pytest.mark.parametrize("look", [AT_REST, *PLAYABLE], ids=str)
def test_marks_can_be_seen(theme: Theme, look: Look):
    colours = look_colours(theme, look)
    if look.claim.winner is None:
        for mark in colours.marks:
            assert contrast_ratio(mark, colours.cell) >= GRAPHICS
    if colours.border is not None:
        assert contrast_ratio(colours.border, theme.canvas) >= GRAPHICS


@ALL
@pytest.mark.parametrize(
    "look", [AT_REST, Look(claim=Claim.NOBODY), Look(claim=Claim.BOTH), *PLAYABLE], ids=str
)
def test_lines_between_cells_can_be_seen(theme: Theme, look: Look):
    colours = look_colours(theme, look)
    if look.claim.winner is None:  # the large mark of a won board hides its cells anyway
        assert contrast_ratio(colours.line, colours.cell) >= GRAPHICS


@ALL
def test_small_numbers_of_boards_at_rest_can_be_read(theme: Theme):
    colours = look_colours(theme, AT_REST)

    assert contrast_ratio(colours.note, colours.cell) >= TEXT


@ALL
@pytest.mark.parametrize("is_in_line", [False, True])
@pytest.mark.parametrize("claim", [Claim.X, Claim.O, Claim.BOTH])
def test_large_marks_can_be_seen_and_small_ones_recede(
    theme: Theme, claim: Claim, is_in_line: bool
):
    for side in claim.owners:
        line_side = side if is_in_line else None
        colours = look_colours(theme, Look(claim=claim, side=line_side, is_in_line=is_in_line))
        large = contrast_ratio(colours.large[side], colours.cell)

        assert large >= GRAPHICS
        for mark in colours.marks:
            assert 1.3 <= contrast_ratio(mark, colours.cell) < large


@ALL
@pytest.mark.parametrize("above", [Claim.X, Claim.O])
def test_marks_below_the_mark_of_a_strategic_board_recede(theme: Theme, above: Claim):
    for claim in Claim:
        colours = look_colours(theme, Look(claim=claim, above=above, is_covered=True))
        for colour in (*colours.marks, *colours.large):
            assert 1.3 <= contrast_ratio(colour, colours.cell) < GRAPHICS


@ALL
def test_marks_of_drawn_boards_can_be_seen(theme: Theme):
    colours = look_colours(theme, Look(claim=Claim.NOBODY))

    assert contrast_ratio(colours.marks[X], colours.cell) >= GRAPHICS


@ALL
@pytest.mark.parametrize("kind", BLINDNESS)
def test_x_and_o_differ_for_every_eye(theme: Theme, kind: str):
    first, second = (seen_by(kind, mark) for mark in theme.marks)

    assert math.dist(first, second) >= 80
    assert theme.shapes[X] != theme.shapes[O]


def test_keys_are_those_of_the_themes():
    assert (
        list(THEMES)
        == [theme.key for theme in THEMES.values()]
        == [
            "dark",
            "light",
            "high-contrast",
            "colour-blind",
        ]
    )


def test_high_contrast_goes_further():
    """WCAG's enhanced level: 7:1 for words."""
    theme = HIGH_CONTRAST
    for ground in (theme.canvas, theme.surface, theme.raised):
        for ink in (theme.text, theme.muted, *theme.marks):
            assert contrast_ratio(ink, ground) >= 7
    for solid in theme.solids:
        assert contrast_ratio(theme.ink, solid) >= 7
    assert contrast_ratio(theme.line, theme.surface) >= GRAPHICS


def test_colour_blind_marks_differ_in_grey_too():
    assert contrast_ratio(*COLOUR_BLIND.marks) >= 2


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("size", [20, 62, 194])
@pytest.mark.parametrize("pair", MARK_PAIRS)
def test_shapes_of_a_pair_differ_at_every_size(pair: str, size: int, large: bool):
    """At least a third of the area covered by either is covered by only one."""
    first, second = (
        [level > 127 for level in mark_mask(shape, size, large=large).tobytes()]
        for shape in MARK_PAIRS[pair]
    )
    both = sum(a and b for a, b in zip(first, second, strict=True))
    either = sum(a or b for a, b in zip(first, second, strict=True))

    assert min(sum(first), sum(second)) >= 0.08 * size**2
    assert both <= 2 / 3 * either


def test_shapes_are_chosen_apart_from_colours():
    chosen = DARK.with_marks("plus")

    assert chosen.shapes == MARK_PAIRS["plus"]
    assert chosen.marks == DARK.marks
    assert DARK.with_marks(None) is DARK
    assert DARK.shapes == MARK_PAIRS["classic"]
