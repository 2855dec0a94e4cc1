"""Colours and mark shapes as data: a theme is a value, never code."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Self

from bot.render.masks import BLOCK, CROSS, DIAMOND, DISC, PLUS, RING, THIN_RING, MarkShape

Colour = tuple[int, int, int]

MARK_PAIRS: Final[Mapping[str, tuple[MarkShape, MarkShape]]] = MappingProxyType(
    {
        "classic": (CROSS, RING),
        "plus": (PLUS, DIAMOND),
        "filled": (BLOCK, THIN_RING),
        "bold": (CROSS, DISC),
    }
)
"""Shapes of X and O under the keys that settings store; never renamed."""


def mix(base: Colour, other: Colour, share: float) -> Colour:
    """Return `base` moved towards `other` by `share` (0 to 1) in sRGB."""
    red, green, blue = (
        round(start + (end - start) * share) for start, end in zip(base, other, strict=True)
    )
    return red, green, blue


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """One appearance of every image: base colours, how they mix, mark shapes.

    Pairs are indexed by side, X first. Everything else that is drawn is a
    mixture of these colours, so a new theme is a new value of this class.

    Attributes:
        key: Stored in settings; never renamed.
        canvas: Behind everything.
        surface: Cells that may not be played now.
        raised: Cells that may, before they are tinted.
        line: Lines between cells that may not be played now, 3:1 on them.
        text: Words and numbers.
        muted: Words and marks that matter less.
        marks: What X and O are drawn in, told apart by hue and lightness.
        solids: Filled areas of that colour: the last move, the winning line.
        ink: What is written on a filled area.
        accent: What stands for neither side: a rating, a share of games won.
        shapes: The outlines of X and O, told apart without any colour.
        rest_share: How far a mark in a board at rest fades into its cell.
        target_share: How much of the mover's colour fills the board to play in.
        choice_share: The same for boards there are to choose from.
        won_share: How much of the owner's colour fills a won board.
        ghost_share: How far the small marks of a won board keep their colour.
        shade_share: How much darker they show through the large mark.
        open_share: How much a large mark keeps of its colour in a board that
            may still be played in.
        around_share: How much of its owner's colour lies between the boards of a
            won board that may still be played in.
        label_share: How far numbers of empty cells fade into the cell.
    """

    key: str
    canvas: Colour
    surface: Colour
    raised: Colour
    line: Colour
    text: Colour
    muted: Colour
    marks: tuple[Colour, Colour]
    solids: tuple[Colour, Colour]
    ink: Colour
    accent: Colour
    shapes: tuple[MarkShape, MarkShape] = (CROSS, RING)
    rest_share: float = 0.25
    target_share: float = 0.16
    choice_share: float = 0.06
    won_share: float = 0.25
    ghost_share: float = 0.42
    shade_share: float = 0.22
    open_share: float = 0.4
    around_share: float = 0.5
    label_share: float = 0.3

    def with_marks(self, pair: str | None) -> Self:
        """Return this theme with other shapes, a key of `MARK_PAIRS`; None keeps its own.

        Raises:
            KeyError: If there is no such pair.
        """
        return self if pair is None else replace(self, shapes=MARK_PAIRS[pair])


# Orange and blue stay apart under all three kinds of colour blindness; X is
# also the lighter of the two on dark grounds and the shapes differ anyway.
DARK = Theme(
    key="dark",
    canvas=(22, 24, 29),
    surface=(34, 37, 45),
    raised=(52, 56, 67),
    line=(106, 113, 130),
    text=(240, 242, 246),
    muted=(158, 165, 180),
    marks=((255, 164, 74), (92, 176, 255)),
    solids=((255, 164, 74), (92, 176, 255)),
    ink=(18, 20, 24),
    accent=(98, 214, 160),
)

LIGHT = Theme(
    key="light",
    canvas=(255, 255, 255),
    surface=(233, 236, 241),
    raised=(255, 255, 255),
    line=(130, 136, 148),
    text=(24, 27, 33),
    muted=(92, 98, 112),
    marks=((186, 74, 0), (0, 92, 190)),
    solids=((186, 74, 0), (0, 92, 190)),
    ink=(255, 255, 255),
    accent=(0, 116, 82),
    rest_share=0.2,
    target_share=0.16,
    choice_share=0.05,
    won_share=0.2,
)

# Black and white: all words reach 7:1, lines between cells 3:1. Greys are multiples of 12,
# to which blends are rounded, or pictures of 27 x 27 cells would need too many colours.
HIGH_CONTRAST = Theme(
    key="high-contrast",
    canvas=(0, 0, 0),
    surface=(24, 24, 24),
    raised=(24, 24, 24),
    line=(120, 120, 120),
    text=(255, 255, 255),
    muted=(216, 216, 216),
    marks=((255, 216, 0), (84, 204, 255)),
    solids=((255, 216, 0), (84, 204, 255)),
    ink=(0, 0, 0),
    accent=(120, 255, 170),
    rest_share=0.0,
    target_share=0.2,
    choice_share=0.05,
    won_share=0.22,
    label_share=0.0,
)

# Yellow and blue after Okabe and Ito, the blue lighter for a dark ground. They are apart
# in lightness as much as in hue, so that a grey print tells them apart too, and a filled
# mark stands against a drawn one.
COLOUR_BLIND = Theme(
    key="colour-blind",
    canvas=(16, 18, 22),
    surface=(29, 31, 36),
    raised=(38, 40, 46),
    line=(106, 109, 116),
    text=(244, 244, 240),
    muted=(174, 177, 182),
    marks=((240, 228, 66), (70, 156, 236)),
    solids=((240, 228, 66), (70, 156, 236)),
    ink=(10, 11, 13),
    accent=(40, 200, 150),
    shapes=MARK_PAIRS["bold"],
    rest_share=0.12,
    target_share=0.13,
    won_share=0.26,
)

THEMES: Final = {theme.key: theme for theme in (DARK, LIGHT, HIGH_CONTRAST, COLOUR_BLIND)}
