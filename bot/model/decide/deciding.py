"""The one place where an action finds its decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from bot.model import actions
from bot.model.decide import agreements, board, clock

if TYPE_CHECKING:
    from bot.model.actions import Action, Request
    from bot.model.changes import Change
    from bot.model.decide.facts import Facts
    from bot.model.match import Match

_DECISIONS: Final[Mapping[type, Callable[..., Any]]] = MappingProxyType(
    {
        actions.Play: board.play,
        actions.Swap: board.swap,
        actions.Reply: board.reply,
        actions.Resign: board.resign,
        actions.OfferDraw: agreements.offer_draw,
        actions.AcceptDraw: agreements.accept_draw,
        actions.DeclineDraw: agreements.decline_draw,
        actions.AskTakeback: agreements.ask_takeback,
        actions.AcceptTakeback: agreements.accept_takeback,
        actions.DeclineTakeback: agreements.decline_takeback,
        actions.Undo: agreements.undo,
        actions.ClaimTime: clock.claim_time,
        actions.Forfeit: clock.forfeit,
    }
)


def decide(match: Match, action: Action, request: Request, facts: Facts) -> Change | None:
    """Return what becomes of a match, or None if it is as the action wants it already.

    Asking twice for the same is no mistake: clicks are delivered twice.

    Raises:
        MatchError: If it may not be done, with the match as it is.
        IllegalMoveError: If the rules of the game forbid it.
    """
    change: Change | None = _DECISIONS[type(action)](match, action, request, facts)
    return change
