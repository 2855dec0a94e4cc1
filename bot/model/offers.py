"""What one player has offered the other and is not answered yet: read from the events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.model.events import BOARD_CHANGES, EventKind, MatchEvent, is_swapped

if TYPE_CHECKING:
    from bot.model.match import Match

PLIES_BETWEEN_DRAW_OFFERS: Final = 5
"""After so many moves one may offer a draw again: nobody is to be pestered into one."""


def draw_offer_of(match: Match) -> int | None:
    """Return the side whose offer of a draw waits for an answer.

    It ends with the next move of the other side. Whoever offers may still make a
    move of their own: offering and moving is one thought.
    """
    event = _last(match, EventKind.DRAW_OFFERED, EventKind.DRAW_DECLINED)
    if event is None or event.kind is not EventKind.DRAW_OFFERED:
        return None
    moves_since = match.ply - event.ply
    own_move_only = moves_since == 1 and event.ply % 2 == event.side
    return event.side if moves_since == 0 or own_move_only else None


def takeback_offer_of(match: Match) -> int | None:
    """Return the side that has asked to take back and waits; any move ends that."""
    event = _last(match, EventKind.TAKEBACK_ASKED, EventKind.TAKEBACK_DECLINED)
    if event is None or event.kind is not EventKind.TAKEBACK_ASKED or event.ply != match.ply:
        return None
    return event.side


def plies_to_next_draw_offer(match: Match, side: int) -> int:
    """Return how many moves a side has to wait before it may offer a draw; 0 if none."""
    for index in range(len(match.events) - 1, -1, -1):
        event = match.events[index]
        if event.kind is EventKind.DRAW_OFFERED:
            # Persons have taken the offers along when they changed sides.
            exchanged = is_swapped(match.events[:index]) != match.swapped
            if (1 - event.side if exchanged else event.side) == side:
                return max(0, event.ply + PLIES_BETWEEN_DRAW_OFFERS - match.ply)
    return 0


def was_declined_here(match: Match, kind: EventKind) -> bool:
    """Tell whether an offer was declined in this position, last of all that was said of it."""
    offered = {
        EventKind.DRAW_DECLINED: EventKind.DRAW_OFFERED,
        EventKind.TAKEBACK_DECLINED: EventKind.TAKEBACK_ASKED,
    }[kind]
    event = _last(match, offered, kind)
    return event is not None and event.kind is kind and event.ply == match.ply


def _last(match: Match, *kinds: EventKind) -> MatchEvent | None:
    """Return the last event of these kinds since the board or the seats were put back."""
    if match.is_over:
        return None
    for event in reversed(match.events):
        if event.kind in BOARD_CHANGES:
            return None
        if event.kind in kinds:
            return event
    return None
