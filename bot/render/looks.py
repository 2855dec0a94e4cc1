"""How a local board looks: what decides it, and the colours that follow."""

from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

from bot.render.claims import Claim
from bot.render.theme import Colour, Theme, mix
from engine import O, X


class Highlight(Enum):
    """Whether a board may be played in, and how near that is."""

    NONE = "at rest"
    CHOICE = "one of the boards to choose from"
    TARGET = "the board whose cells may be played now"

    __hash__ = object.__hash__


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Everything that decides how a board and the marks in it are drawn.

    Attributes:
        claim: Whose the board is.
        highlight: Whether it may be played in.
        side: Who may play in it, or whose winning line it belongs to.
        is_in_line: Whether it belongs to the boards that decided the game.
        above: Whose the board is in which it lies.
        is_covered: Whether that one's large mark lies over it.
    """

    claim: Claim
    highlight: Highlight = Highlight.NONE
    side: int | None = None
    is_in_line: bool = False
    above: Claim = Claim.OPEN
    is_covered: bool = False

    @property
    def owners(self) -> tuple[int, ...]:
        """The sides whose large marks stand on the board."""
        return self.claim.owners


@dataclass(frozen=True, slots=True, kw_only=True)
class LookColours:
    """The colours of one look.

    Attributes:
        around: Outside of the board and its border.
        cell: Empty cells.
        line: Between the cells.
        border: Around the board, or None.
        marks: Small X and O.
        large: X and O across the whole board, where they own it.
        label: Numbers of empty cells.
        note: Further numbers in them.
    """

    around: Colour
    cell: Colour
    line: Colour
    border: Colour | None
    marks: tuple[Colour, Colour]
    large: tuple[Colour, Colour]
    label: Colour
    note: Colour


@lru_cache(maxsize=512)
def look_colours(theme: Theme, look: Look) -> LookColours:
    """Mix the colours of a board from the few of its theme."""
    if look.is_covered:
        return _covered_colours(theme, look)
    cell, line, border = _ground(theme, look)
    large = theme.solids
    if look.is_in_line and look.owners:
        large = (theme.ink, theme.ink)
    elif look.side is not None and look.owners:
        # Numbers stand on top of it: it must not drown them.
        large = (mix(cell, large[X], theme.open_share), mix(cell, large[O], theme.open_share))
    label = theme.text if look.owners else mix(theme.text, cell, theme.label_share)
    at_rest = look.highlight is Highlight.NONE
    return LookColours(
        around=_around(theme, look),
        cell=cell,
        line=line,
        border=border,
        marks=_mark_colours(theme, look, cell, large),
        large=large,
        label=label,
        note=theme.muted if at_rest else theme.text,
    )


def _around(theme: Theme, look: Look) -> Colour:
    """Return the colour outside of a board: that of whoever has the one around it."""
    winner = look.above.winner
    if winner is None:
        return theme.canvas
    return mix(theme.canvas, theme.solids[winner], theme.around_share)


def _ground(theme: Theme, look: Look) -> tuple[Colour, Colour, Colour | None]:
    """Return the colours of cells, of lines and of the border."""
    cell, line = theme.surface, theme.line
    winner = look.claim.winner
    if winner is not None:
        cell = mix(theme.canvas, theme.solids[winner], theme.won_share)
        line = mix(cell, theme.canvas, 0.6)
    elif look.claim.is_drawn:
        cell = mix(cell, theme.canvas, 0.5)
        line = mix(line, theme.canvas, 0.4)
    if look.side is None:
        return cell, line, None
    border = theme.solids[look.side]
    if look.is_in_line and look.owners:
        return border, mix(border, theme.ink, 0.2), border
    if look.claim is Claim.OPEN:
        is_target = look.highlight is Highlight.TARGET
        share = theme.target_share if is_target else theme.choice_share
        cell = mix(theme.raised, border, share)
        line = mix(cell, border, 0.45)
    return cell, line, border


def _mark_colours(
    theme: Theme, look: Look, cell: Colour, large: tuple[Colour, Colour]
) -> tuple[Colour, Colour]:
    """Return the colours of the small marks of a board whose cells are `cell`."""
    if look.is_in_line and look.owners:
        ghost = mix(cell, large[X], theme.ghost_share)
        return ghost, ghost
    if look.claim.is_drawn:
        grey = mix(theme.muted, cell, 0.25)
        return grey, grey
    faded = theme.rest_share if look.side is None else 0.0
    if look.owners:
        faded = 1 - theme.ghost_share
    first, second = (mix(mark, cell, faded) for mark in theme.marks)
    return first, second


def _covered_colours(theme: Theme, look: Look) -> LookColours:
    """Return the colours of a board below the large mark of the one around it."""
    outer = replace(look, claim=look.above, above=Claim.OPEN, is_covered=False)
    base = look_colours(theme, outer)
    return replace(base, around=base.line, border=None, large=base.marks)
