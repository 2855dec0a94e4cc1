"""Everything that can be done to a match, as values: what `decide` is asked about."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from engine import Cell, Ply


@dataclass(frozen=True, slots=True)
class Action:
    """Something that can be done to a match."""


@dataclass(frozen=True, slots=True)
class Play(Action):
    """Put a mark into a cell."""

    cell: Cell


class Swap(Action):
    """Take the other seat instead of moving (pie rule)."""


@dataclass(frozen=True, slots=True)
class Reply(Action):
    """What the computer does where it is to move: play a cell, or take the other seat."""

    cell: Cell
    swaps: bool = False


class Resign(Action):
    """Resign the match."""


class OfferDraw(Action):
    """Offer a draw until the other's next move, or accept the one that is offered."""


class AcceptDraw(Action):
    """End the match as a draw that the other player has offered."""


class DeclineDraw(Action):
    """Decline a draw, or withdraw one's own offer."""


class AskTakeback(Action):
    """Ask to take one's last turn back; the next move ends that."""


class AcceptTakeback(Action):
    """Let the other player go back to before their last turn; clocks go on."""


class DeclineTakeback(Action):
    """Decline a takeback, or withdraw one's own request."""


class Undo(Action):
    """Take one's last turn back in a casual match against the computer."""


class ClaimTime(Action):
    """End a match, at a player's request, because the side to move has no time left."""


class Forfeit(Action):
    """End a match, by the clock itself, because the side to move has no time left."""


class Annul(Action):
    """End a match as if it had not been played: done by the host, not by a player."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Who asks for something to be done to a match, and what they saw of it.

    Attributes:
        user_id: Who; None for the computer and the clock.
        ply: The number of the position they saw; None where that does not matter.
        revision: The revision they saw; None for the current one at that ply.
        late_by: How long the request has been on its way, which costs them no time.
    """

    user_id: int | None = None
    ply: Ply | None = None
    revision: int | None = None
    late_by: timedelta = timedelta()
