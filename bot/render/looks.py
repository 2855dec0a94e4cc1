"""How a local board looks: what decides it, and the colours that follow."""

from dataclasses import dataclass
from enum import Enum

from bot.render.theme import Colour, Theme, mix
from engine import BoardStatus


class Highlight(Enum):
    """Whether a board may be played in, and how near that is."""

    NONE = "at rest"
    CHOICE = "one of the boards to choose from"
    TARGET = "the board whose cells may be played now"


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Everything that decides how a board and the marks in it are drawn.

    Attributes:
        status: Who has the board.
        highlight: Whether it may be played in.
        side: Who may play in it, or whose winning line it belongs to.
        is_in_line: Whether it belongs to the boards that decided the game.
    """

    status: BoardStatus
    highlight: Highlight = Highlight.NONE
    side: int | None = None
    is_in_line: bool = False

    @property
    def owner(self) -> int | None:
        """The side that has won the board, if any."""
        return self.status.winner


@dataclass(frozen=True, slots=True, kw_only=True)
class LookColours:
    """The colours of one look.

    Attributes:
        cell: Empty cells.
        line: Between the cells.
        border: Around the board, or None.
        marks: Small X and O.
        large: The mark of the owner across the whole board.
        label: Numbers of empty cells.
    """

    cell: Colour
    line: Colour
    border: Colour | None
    marks: tuple[Colour, Colour]
    large: Colour
    label: Colour


def look_colours(theme: Theme, look: Look) -> LookColours:
    """Mix the colours of a board from the few of its theme."""
    cell, line, border, large = theme.surface, theme.line, None, theme.text
    if look.owner is not None:
        large = theme.solids[look.owner]
        cell = mix(theme.canvas, large, theme.won_share)
        line = mix(cell, theme.canvas, 0.6)
    elif look.status is BoardStatus.DRAWN:
        cell = mix(cell, theme.canvas, 0.5)
        line = mix(line, theme.canvas, 0.4)
    if look.side is not None:
        border = theme.solids[look.side]
        if look.status is BoardStatus.ONGOING:
            is_target = look.highlight is Highlight.TARGET
            share = theme.target_share if is_target else theme.choice_share
            cell = mix(theme.raised, border, share)
            line = mix(cell, border, 0.45)
    if look.is_in_line and look.owner is not None:
        cell, large = large, theme.ink
        line = mix(cell, theme.ink, 0.2)
    elif look.side is not None and look.owner is not None:
        # Numbers stand on top of it: it must not drown them.
        large = mix(cell, large, theme.open_share)
    return LookColours(
        cell=cell,
        line=line,
        border=border,
        marks=_mark_colours(theme, look, cell, large),
        large=large,
        label=theme.text if look.owner is not None else mix(theme.text, cell, theme.label_share),
    )


def _mark_colours(theme: Theme, look: Look, cell: Colour, large: Colour) -> tuple[Colour, Colour]:
    """Return the colours of the small marks of a board whose cells are `cell`."""
    if look.is_in_line and look.owner is not None:
        ghost = mix(cell, large, theme.ghost_share)
        return ghost, ghost
    if look.status is BoardStatus.DRAWN:
        grey = mix(theme.muted, cell, 0.25)
        return grey, grey
    faded = theme.rest_share if look.side is None else 0.0
    if look.owner is not None:
        faded = 1 - theme.ghost_share
    first, second = (mix(mark, cell, faded) for mark in theme.marks)
    return first, second
