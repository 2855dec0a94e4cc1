"""What two players may agree on during a match, and undo against the computer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.model import changes
from bot.model.decide.facts import check_ongoing, forfeit_if_late, side_of
from bot.model.errors import NothingToTakeBackError, OfferError
from bot.model.events import TAKEBACKS, EventKind
from bot.model.match import EndReason
from bot.model.offers import plies_to_next_draw_offer, was_declined_here
from bot.model.turns import BackTo, last_turn_of
from engine.errors import Sentence, say, say_count

if TYPE_CHECKING:
    from bot.model import actions
    from bot.model.actions import Request
    from bot.model.changes import Change
    from bot.model.decide.facts import Facts
    from bot.model.match import Match


def offer_draw(
    match: Match, action: actions.OfferDraw, request: Request, facts: Facts
) -> Change | None:
    """Offer a draw, or take the one that is offered."""
    del action
    side, late = _begin(match, request, facts)
    if late is not None:
        return late
    if not match.is_between_people:
        raise OfferError(match, say("The computer does not accept draws: play on, or resign."))
    if match.draw_offer == side:
        return None
    if match.draw_offer is not None:
        return changes.agreement(match, facts.now)
    wait = plies_to_next_draw_offer(match, side)
    if wait:
        raise OfferError(
            match,
            say_count(
                "You offered a draw recently: you can offer again after one more move.",
                "You offered a draw recently: you can offer again after {count} more moves.",
                wait,
            ),
        )
    return changes.note(match, EventKind.DRAW_OFFERED, side, facts.now)


def accept_draw(
    match: Match, action: actions.AcceptDraw, request: Request, facts: Facts
) -> Change | None:
    """End a match as a draw that the other player has offered."""
    del action
    side_of(match, request)
    if match.end_reason is EndReason.AGREED:
        return None
    side, late = _begin(match, request, facts)
    if late is not None:
        return late
    if match.draw_offer != 1 - side:
        raise OfferError(match, _no_draw(own=match.draw_offer == side))
    return changes.agreement(match, facts.now)


def decline_draw(
    match: Match, action: actions.DeclineDraw, request: Request, facts: Facts
) -> Change | None:
    """Decline a draw, or take back one's own offer."""
    del action
    side, late = _begin(match, request, facts)
    if late is not None:
        return late
    if match.draw_offer is not None:
        return changes.note(match, EventKind.DRAW_DECLINED, side, facts.now)
    if was_declined_here(match, EventKind.DRAW_DECLINED):
        return None
    raise OfferError(match, _no_draw(own=False))


def ask_takeback(
    match: Match, action: actions.AskTakeback, request: Request, facts: Facts
) -> Change | None:
    """Ask to take one's last turn back."""
    del action
    side, late = _begin(match, request, facts)
    if late is not None:
        return late
    if not match.is_between_people:
        raise OfferError(match, say("Against the computer, use Undo."))
    _check_casual(match)
    _last_turn(match, side)
    if match.takeback_offer == side:
        return None
    other = match.names[1 - side]
    if match.takeback_offer is not None:
        raise OfferError(
            match,
            say("{name} has asked to take a move back: answer that first.", name=other),
        )
    if was_declined_here(match, EventKind.TAKEBACK_DECLINED):
        raise OfferError(
            match, say("That was declined: the moves stand. Ask again after another one.")
        )
    return changes.note(match, EventKind.TAKEBACK_ASKED, side, facts.now)


def accept_takeback(
    match: Match, action: actions.AcceptTakeback, request: Request, facts: Facts
) -> Change | None:
    """Go back to the last turn of the other player, who has asked for it."""
    del action
    side, late = _begin(match, request, facts)
    if late is not None:
        return late
    if match.takeback_offer == 1 - side:
        return _take_back(match, 1 - side, facts)
    if _was_just_taken_back(match):
        return None
    raise OfferError(match, _no_takeback(own=match.takeback_offer == side))


def decline_takeback(
    match: Match, action: actions.DeclineTakeback, request: Request, facts: Facts
) -> Change | None:
    """Let the moves stand, or take back what one has asked for."""
    del action
    side, late = _begin(match, request, facts)
    if late is not None:
        return late
    if match.takeback_offer is not None:
        return changes.note(match, EventKind.TAKEBACK_DECLINED, side, facts.now)
    if was_declined_here(match, EventKind.TAKEBACK_DECLINED):
        return None
    raise OfferError(match, _no_takeback(own=False))


def undo(match: Match, action: actions.Undo, request: Request, facts: Facts) -> Change | None:
    """Go back to one's own last turn in a casual match against the computer."""
    del action
    side, late = _begin(match, request, facts)
    if late is not None:
        return late
    if match.is_between_people:
        raise OfferError(
            match, say("Your opponent is a person: ask whether you may take that back.")
        )
    _check_casual(match)
    if request.revision is not None and any(
        event.number >= request.revision and event.kind in TAKEBACKS for event in match.events
    ):
        return None  # the same click once more: what it meant is gone already
    return _take_back(match, side, facts)


def _begin(match: Match, request: Request, facts: Facts) -> tuple[int, Change | None]:
    """Return the side of whoever asks, and the end of the match if its clock has run out.

    Raises:
        NotAPlayerError: If they have no seat in it.
        MatchOverError: If it has ended.
    """
    side = side_of(match, request)
    check_ongoing(match)
    return side, forfeit_if_late(match, request, facts)


def _take_back(match: Match, side: int, facts: Facts) -> Change:
    away = facts.away_until(match, match.seats[side])
    return changes.take_back(match, side, _last_turn(match, side), facts.now, away)


def _check_casual(match: Match) -> None:
    if match.rated:
        raise OfferError(match, say("This game is rated: moves that are made stand."))


def _last_turn(match: Match, side: int) -> BackTo:
    back = last_turn_of(match, side)
    if back is None:
        raise NothingToTakeBackError(match)
    return back


def _was_just_taken_back(match: Match) -> bool:
    return bool(
        match.events
        and match.events[-1].kind in TAKEBACKS
        and match.events[-1].number + 1 == match.revision
    )


def _no_draw(*, own: bool) -> Sentence:
    if own:
        return say("You made this offer: the other player has to answer it.")
    return say("The draw offer is gone: it was answered, or a move ended it.")


def _no_takeback(*, own: bool) -> Sentence:
    if own:
        return say("You made this request: the other player has to answer it.")
    return say("The takeback request is gone: it was answered, or a move ended it.")
