"""The printable fields by their keys: what there is, and how each is put together."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol

from bot.language import N_
from bot.render.fields import boards
from bot.render.fields.continuous import continuous_field
from bot.render.fields.drawing import assemble
from bot.render.fields.full import full_field
from bot.render.fields.moves import move_tables
from bot.render.fields.owners import help_field

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.render.fields.drawing import Block
    from bot.render.fields.moves import Move
    from engine import Position


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """What is written on a sheet.

    Attributes:
        map_number: Which of the 64 maps the mapping columns show.
        position: The position, None for a blank sheet.
        moves: All moves of the game as digits S, T, O.
        start: The first move to write on this sheet; earlier ones are on others.
    """

    map_number: int
    position: Position | None = None
    moves: tuple[Move, ...] = ()
    start: int = 0


class Build(Protocol):
    """Draws a field and tells the first move it had no room for."""

    def __call__(self, filling: Filling, /) -> tuple[Block, int]:
        """Draw the field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A kind of printable field.

    Attributes:
        key: What is typed.
        name: What is shown.
        description: One line about its purpose.
        landscape: Whether it is printed on the long side of A4.
        unit_mm: The side of a unit cell on A4, in half millimetres.
        captions: What stands beneath it, `{map}` for the map.
        continues_on: The field that takes the moves this one has no room for.
        is_mapped: Whether it shows a map.
        is_continuous: Whether it records moves as a continuous line.
        has_owners: Whether it shows who owns tactical and strategic cells.
        build: Draws it.
    """

    key: str
    name: str
    description: str
    unit_mm: float
    landscape: bool = False
    captions: tuple[str, ...] = ()
    continues_on: str = ""
    is_mapped: bool = False
    is_continuous: bool = False
    has_owners: bool = False
    build: Build = field(repr=False, compare=False)


_MAP_CAPTION: Final = ("{map} : By MAD",)
_HYPERMAP_CAPTION: Final = ("{map} : hmap2", "By MAD")


def _board(plan: boards.BoardPlan) -> Build:
    def build(filling: Filling) -> tuple[Block, int]:
        board = boards.game_field(plan, map_number=filling.map_number, position=filling.position)
        return board, len(filling.moves)

    return build


def _help(filling: Filling) -> tuple[Block, int]:
    return help_field(filling.position), len(filling.moves)


def _tables(tables: int, rows: int, gap: int = 0) -> Build:
    def build(filling: Filling) -> tuple[Block, int]:
        return move_tables(filling.moves, tables=tables, rows=rows, gap=gap, start=filling.start)

    return build


def _continuous(slots: int, lines: int) -> Build:
    def build(filling: Filling) -> tuple[Block, int]:
        return continuous_field(filling.moves, slots=slots, lines=lines, start=filling.start)

    return build


def _two_continuous(slots: int, lines: int) -> Build:
    def build(filling: Filling) -> tuple[Block, int]:
        upper, middle = continuous_field(
            filling.moves, slots=slots, lines=lines, start=filling.start
        )
        lower, end = continuous_field(filling.moves, slots=slots, lines=lines, start=middle)
        parts = [(0, 0, upper), (0, upper.height + 2, lower)]
        return assemble(upper.width, 2 * upper.height + 2, parts), end

    return build


def _full(plan: boards.BoardPlan, record: Build, captions: tuple[str, ...]) -> Build:
    def build(filling: Filling) -> tuple[Block, int]:
        board, _ = _board(plan)(filling)
        moves, end = record(filling)
        shown = [caption.format(map=f"map{filling.map_number}") for caption in captions]
        return full_field(board, moves, captions=shown, position=filling.position), end

    return build


_ALL: Final = (
    Field(
        key="basic",
        name=N_("Basic"),
        description=N_("The bare board: 27 x 27 cells, for the tactical-like rules."),
        unit_mm=6.5,
        build=_board(boards.BASIC),
    ),
    Field(
        key="numbered",
        name=N_("Numbered"),
        description=N_("The board with the numbers of its tactical cells around it."),
        unit_mm=6,
        build=_board(boards.NUMBERED),
    ),
    Field(
        key="mapped",
        name=N_("Mapped"),
        description=N_("The numbered board with mapping columns, for the map-like rules."),
        unit_mm=5.5,
        landscape=True,
        captions=_MAP_CAPTION,
        is_mapped=True,
        build=_board(boards.MAPPED),
    ),
    Field(
        key="hypermapped",
        name=N_("Hypermapped"),
        description=N_(
            "The mapped board with a number in every cell, for the hypermap-like rules."
        ),
        unit_mm=5.5,
        landscape=True,
        captions=_HYPERMAP_CAPTION,
        is_mapped=True,
        build=_board(boards.HYPERMAPPED),
    ),
    Field(
        key="help",
        name=N_("Help"),
        description=N_("Who owns which tactical and which strategic cell."),
        unit_mm=12,
        has_owners=True,
        build=_help,
    ),
    Field(
        key="move",
        name=N_("Move"),
        description=N_("A record of 42 moves as S, T and O."),
        unit_mm=10,
        continues_on="move",
        build=_tables(1, 21),
    ),
    Field(
        key="move-dense",
        name=N_("Dense Move"),
        description=N_("A record of 660 moves in six tables side by side."),
        unit_mm=4.5,
        continues_on="move-dense",
        build=_tables(6, 55),
    ),
    Field(
        key="move-large",
        name=N_("Large Move"),
        description=N_("A record of 550 moves in five separate tables."),
        unit_mm=4.5,
        continues_on="move-large",
        build=_tables(5, 55, 2),
    ),
    Field(
        key="continuous",
        name=N_("Continuous Move"),
        description=N_("A record of one digit a move, for the tactical-like rules."),
        unit_mm=7.5,
        continues_on="continuous",
        is_continuous=True,
        build=_continuous(24, 25),
    ),
    Field(
        key="continuous-large",
        name=N_("Large Continuous Move"),
        description=N_("Two records of one digit a move, with longer lines."),
        unit_mm=4.5,
        continues_on="continuous-large",
        is_continuous=True,
        build=_two_continuous(36, 26),
    ),
    Field(
        key="full",
        name=N_("Full"),
        description=N_("Everything on a sheet: mapped board, record of 168 moves, help field."),
        unit_mm=5,
        continues_on="move-large",
        is_mapped=True,
        has_owners=True,
        build=_full(boards.MAPPED, _tables(4, 21, 1), _MAP_CAPTION),
    ),
    Field(
        key="full-variant2",
        name=N_("Full, variant 2"),
        description=N_("Mapped board, continuous record and help field on a sheet."),
        unit_mm=4.5,
        continues_on="continuous-large",
        is_mapped=True,
        is_continuous=True,
        has_owners=True,
        build=_full(boards.MAPPED, _continuous(24, 25), _MAP_CAPTION),
    ),
    Field(
        key="full-variant4",
        name=N_("Full, variant 4"),
        description=N_("Hypermapped board, record of 208 moves and help field on a sheet."),
        unit_mm=4.5,
        continues_on="move-large",
        is_mapped=True,
        has_owners=True,
        build=_full(boards.HYPERMAPPED, _tables(4, 26, 1), _HYPERMAP_CAPTION),
    ),
)

FIELDS: Final[Mapping[str, Field]] = MappingProxyType({kind.key: kind for kind in _ALL})
