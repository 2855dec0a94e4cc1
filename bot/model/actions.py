"""Everything that can be done to a match, as values: what `decide` is asked about."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias

from engine import Cell, Ply


@dataclass(frozen=True, slots=True)
class Play:
    """Put a mark into a cell."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class Swap:
    """Take the other seat instead of moving (pie rule)."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the computer does where it is to move: play a cell, or take the other seat."""

    cell: Cell
    swaps: bool = False


@dataclass(frozen=True, slots=True)
class Resign:
    """Resign the match."""


@dataclass(frozen=True, slots=True)
class OfferDraw:
    """Offer a draw until the other's next move, or accept the one that is offered."""


@dataclass(frozen=True, slots=True)
class AcceptDraw:
    """End the match as a draw that the other player has offered."""


@dataclass(frozen=True, slots=True)
class DeclineDraw:
    """Decline a draw, or withdraw one's own offer."""


@dataclass(frozen=True, slots=True)
class AskTakeback:
    """Ask to take one's last turn back; the next move ends that."""


@dataclass(frozen=True, slots=True)
class AcceptTakeback:
    """Let the other player go back to before their last turn; clocks go on."""


@dataclass(frozen=True, slots=True)
class DeclineTakeback:
    """Decline a takeback, or withdraw one's own request."""


@dataclass(frozen=True, slots=True)
class Undo:
    """Take one's last turn back in a casual match against the computer."""


@dataclass(frozen=True, slots=True)
class ClaimTime:
    """End a match, at a player's request, because the side to move has no time left."""


@dataclass(frozen=True, slots=True)
class Forfeit:
    """End a match, by the clock itself, because the side to move has no time left."""


@dataclass(frozen=True, slots=True)
class Annul:
    """End a match as if it had not been played: done by the host, not by a player."""


Action: TypeAlias = (
    Play
    | Swap
    | Reply
    | Resign
    | OfferDraw
    | AcceptDraw
    | DeclineDraw
    | AskTakeback
    | AcceptTakeback
    | DeclineTakeback
    | Undo
    | ClaimTime
    | Forfeit
    | Annul
)


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
