"""What happens in a match beside its moves."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime


class EventKind(StrEnum):
    """What can happen in a match beside moves. Stored as text: add members, never rename."""

    SWAP = "swap"  # the side to move took the other seat instead of moving
    DRAW_OFFERED = "draw-offered"
    DRAW_DECLINED = "draw-declined"
    TAKEBACK_ASKED = "takeback-asked"
    TAKEBACK_DECLINED = "takeback-declined"
    TAKEN_BACK = "taken-back"  # moves were, and a swap with the first of them
    SWAP_TAKEN_BACK = "swap-taken-back"  # and the moves after it


BOARD_CHANGES: Final = frozenset({EventKind.SWAP, EventKind.TAKEN_BACK, EventKind.SWAP_TAKEN_BACK})
"""What makes the boards that were shown before out of date."""

TAKEBACKS: Final = BOARD_CHANGES - {EventKind.SWAP}


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEvent:
    """Something that happened in a match and is no move.

    Attributes:
        number: How many moves and events there had been before it.
        ply: The number of the position that it left.
        kind: What it was.
        side: Whose doing it was, as the seats were then.
        happened_at: When.
        cells: The moves that it took back, oldest first.
    """

    number: int
    ply: int
    kind: EventKind
    side: int
    happened_at: datetime
    cells: tuple[int, ...] = ()


def is_swapped(events: Iterable[MatchEvent]) -> bool:
    """Tell whether seats are swapped after these events."""
    swapped = False
    for event in events:
        if event.kind is EventKind.SWAP:
            swapped = True
        elif event.kind is EventKind.SWAP_TAKEN_BACK or (
            event.kind is EventKind.TAKEN_BACK and event.ply == 0
        ):
            swapped = False
    return swapped
