"""The printable fields by their keys: what there is, and how each is put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Final

from bot.language import N_
from bot.render.fields import boards
from bot.render.fields.drawing import Block, Filling
from bot.render.fields.moves import continuous_fields, move_tables


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A kind of printable field.

    Attributes:
        unit_mm: The side of a unit cell on A4, in half millimetres.
        captions: The text beneath it, `{map}` for the map.
        continues_on: The field that takes the moves this one has no room for, itself by default.
        is_continuous: Whether it records moves as a continuous line.
        has_owners: Whether it shows who owns tactical and strategic cells.
        build: Draws it, and returns the first move it had no room for.
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
    build: Callable[[Filling], tuple[Block, int]] = field(repr=False, compare=False)


_MAP_CAPTION: Final = ("{map} : By MAD",)
_HYPERMAP_CAPTION: Final = ("{map} : hmap2", "By MAD")


_FULL_MOVES: Final = partial(move_tables, tables=4, rows=21, gap=1)
_FULL_MOVES_4: Final = partial(move_tables, tables=4, rows=26, gap=1)
_CONTINUOUS: Final = partial(continuous_fields, slots=24, lines=25)

_ALL: Final = (
    Field(
        key="basic",
        name=N_("Basic"),
        description=N_("The bare board: 27 x 27 cells, for the tactical-like rules."),
        unit_mm=6.5,
        build=partial(boards.game_field, boards.BASIC),
    ),
    Field(
        key="numbered",
        name=N_("Numbered"),
        description=N_("The board with the numbers of its tactical cells around it."),
        unit_mm=6,
        build=partial(boards.game_field, boards.NUMBERED),
    ),
    Field(
        key="mapped",
        name=N_("Mapped"),
        description=N_("The numbered board with mapping columns, for the map-like rules."),
        unit_mm=5.5,
        landscape=True,
        captions=_MAP_CAPTION,
        is_mapped=True,
        build=partial(boards.game_field, boards.MAPPED),
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
        build=partial(boards.game_field, boards.HYPERMAPPED),
    ),
    Field(
        key="help",
        name=N_("Help"),
        description=N_("Who owns which tactical and which strategic cell."),
        unit_mm=12,
        has_owners=True,
        build=boards.help_field,
    ),
    Field(
        key="move",
        name=N_("Move"),
        description=N_("A record of 42 moves as S, T and O."),
        unit_mm=10,
        build=partial(move_tables, tables=1, rows=21),
    ),
    Field(
        key="move-dense",
        name=N_("Dense Move"),
        description=N_("A record of 660 moves in six tables side by side."),
        unit_mm=4.5,
        build=partial(move_tables, tables=6, rows=55),
    ),
    Field(
        key="move-large",
        name=N_("Large Move"),
        description=N_("A record of 550 moves in five separate tables."),
        unit_mm=4.5,
        build=partial(move_tables, tables=5, rows=55, gap=2),
    ),
    Field(
        key="continuous",
        name=N_("Continuous Move"),
        description=N_("A record of one digit a move, for the tactical-like rules."),
        unit_mm=7.5,
        is_continuous=True,
        build=_CONTINUOUS,
    ),
    Field(
        key="continuous-large",
        name=N_("Large Continuous Move"),
        description=N_("Two records of one digit a move, with longer lines."),
        unit_mm=4.5,
        is_continuous=True,
        build=partial(continuous_fields, slots=36, lines=26, count=2),
    ),
    Field(
        key="full",
        name=N_("Full"),
        description=N_("Everything on a sheet: mapped board, record of 168 moves, help field."),
        unit_mm=5,
        continues_on="move-large",
        is_mapped=True,
        has_owners=True,
        build=partial(boards.full_field, boards.MAPPED, _FULL_MOVES, _MAP_CAPTION),
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
        build=partial(boards.full_field, boards.MAPPED, _CONTINUOUS, _MAP_CAPTION),
    ),
    Field(
        key="full-variant4",
        name=N_("Full, variant 4"),
        description=N_("Hypermapped board, record of 208 moves and help field on a sheet."),
        unit_mm=4.5,
        continues_on="move-large",
        is_mapped=True,
        has_owners=True,
        build=partial(boards.full_field, boards.HYPERMAPPED, _FULL_MOVES_4, _HYPERMAP_CAPTION),
    ),
)

FIELDS: Final[Mapping[str, Field]] = MappingProxyType({kind.key: kind for kind in _ALL})
