"""Decides how an action changes a match, or why it is refused: one function each, named after it.

Pure: the match, the action, who asks for it and the facts of the moment go in; a `Change` comes
out, or None if the match is already as the action wants it. The rules of the game are the
engine's, which refuses illegal moves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import wraps
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from bot.clock import to_milliseconds
from bot.model import actions
from bot.model.clocks import (
    LATENCY,
    ClockKind,
    Turn,
    after_takeback,
    after_turn,
    format_span,
    stopped,
)
from bot.model.errors import (
    ClockRunningError,
    MatchOverError,
    NotAPlayerError,
    NothingToTakeBackError,
    OfferError,
)
from bot.model.match import (
    TAKEBACKS,
    EventKind,
    Match,
    MatchEvent,
    MatchStatus,
    check_turn,
    last_turn_of,
    plies_to_next_draw_offer,
    was_declined_here,
    was_played,
    was_swapped,
)
from engine import Cell, Game, Side, other
from engine.errors import Sentence, say, say_count
from engine.records import EndReason

if TYPE_CHECKING:
    from bot.model.actions import Action, Forfeit, Play, Reply, Request
    from bot.model.match import Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The facts at the moment of a decision.

    Attributes:
        now: That moment.
        away: When each player who is on vacation will be back, by their number.
    """

    now: datetime
    away: Mapping[int, datetime] = field(default_factory=lambda: MappingProxyType({}))

    def away_until(self, match: Match, seat: Seat) -> datetime | None:
        """Return until when the player of a seat is on vacation, where that matters."""
        if match.clock.kind is not ClockKind.CORRESPONDENCE or seat.player_id is None:
            return None
        until = self.away.get(seat.player_id)
        return until if until is not None and until > self.now else None

    def pressed_at(self, match: Match, late_by: timedelta) -> datetime:
        """Return when a request was made that has been on its way for `late_by`.

        Never before the match was last changed: nobody can have answered that earlier.
        """
        late_by = min(max(timedelta(), late_by), LATENCY)
        return max(to_milliseconds(self.now - late_by), min(match.updated_at, self.now))

    def turn_of(self, match: Match, request: Request, side: Side, seat: Seat) -> Turn:
        """Return the turn of a seat that begins with a request."""
        return Turn(
            side=side,
            seat=seat,
            now=self.now,
            away_until=self.away_until(match, seat),
            pressed_at=self.pressed_at(match, request.late_by),
            against_person=match.is_between_people,
        )


@dataclass(frozen=True, slots=True)
class Change:
    """A step in the life of a match.

    Attributes:
        before: The match that the step was made for.
        after: The match that it leads to.
        instead: Whether it replaces what was asked for, because the clock had run out.
    """

    before: Match
    after: Match
    instead: bool = False

    @property
    def ends(self) -> bool:
        """Whether it ends the match."""
        return self.after.is_over and not self.before.is_over


def decide(match: Match, action: Action, request: Request, facts: Facts) -> Change | None:
    """Return how an action changes a match, or None if it is already as the action wants it.

    Asking twice for the same is not an error: clicks are delivered twice.

    Raises:
        MatchError: If it is not allowed, with the match as it is.
        IllegalMoveError: If the rules of the game forbid it.
    """
    return _DECISIONS[type(action)](match, action, request, facts)


# What all requests of players have in common.

Decision: TypeAlias = Callable[[Match, Any, "Request", Facts], Change | None]
Rule: TypeAlias = Callable[[Match, Side, Any, "Request", Facts], Change | None]


def _for_player(
    unless: Callable[[Match, Side, Any, Request], bool] | None = None,
) -> Callable[[Rule], Decision]:
    """Turn the rule for a player's request in an ongoing match into a decision.

    If the clock of the side to move has run out, the match ends on time instead.

    Args:
        unless: Returns whether it has been done already.
    """

    def decorate(rule: Rule) -> Decision:
        @wraps(rule)
        def decision(match: Match, action: Any, request: Request, facts: Facts) -> Change | None:
            side = _side_of(match, request)
            if unless is not None and unless(match, side, action, request):
                return None
            _check_ongoing(match)
            if _is_late(match, request, facts):
                return timed_out(match, facts.now, instead=True)
            return rule(match, side, action, request, facts)

        return decision

    return decorate


def _side_of(match: Match, request: Request) -> Side:
    side = None if request.user_id is None else match.side_of(request.user_id)
    if side is None:
        raise NotAPlayerError(match)
    return side


def _check_ongoing(match: Match) -> None:
    if match.is_over:
        raise MatchOverError(match)


def _is_late(match: Match, request: Request, facts: Facts) -> bool:
    """Return whether the side to move had run out of time when the request was made.

    For a request of the side to move, the time it was made counts. For anybody else's, a move
    that may still be on its way is waited for.
    """
    if match.deadline is None:
        return False
    pressed_at = facts.pressed_at(match, request.late_by)
    seat = match.seat_to_move
    in_turn = seat is not None and seat.player_id == request.user_id
    return match.is_overdue(pressed_at if in_turn else pressed_at - LATENCY)


# On the board.


@_for_player(unless=lambda match, _side, action, request: was_played(match, request, action.cell))
def play(match: Match, _side: Side, action: Play, request: Request, facts: Facts) -> Change:
    """Play a cell, if it is the player's turn in the position that they saw."""
    check_turn(match, request)
    return moved(match, action.cell, request, facts)


@_for_player(unless=lambda match, _side, _action, request: was_swapped(match, request))
def swap(match: Match, _side: Side, _action: Any, request: Request, facts: Facts) -> Change:
    """Take the other seat, if it is the player's turn and the rules allow it."""
    check_turn(match, request)
    return swapped_seats(match, request, facts)


def reply(match: Match, action: Reply, request: Request, facts: Facts) -> Change | None:
    """Do what the computer has decided, unless the match has gone on meanwhile."""
    if match.level_to_move is None or match.revision != request.revision:
        return None
    if action.swaps:
        return swapped_seats(match, request, facts)
    return moved(match, action.cell, request, facts)


@_for_player(
    unless=lambda match, side, _action, _request: (
        match.end_reason is EndReason.RESIGNED and match.winner == other(side)
    )
)
def resign(match: Match, side: Side, _action: Any, _request: Request, facts: Facts) -> Change:
    """Resign, on one's own turn or the other's."""
    return resigned(match, side, facts.now)


# What two agree on.


@_for_player()
def offer_draw(
    match: Match, side: Side, _action: Any, _request: Request, facts: Facts
) -> Change | None:
    """Offer a draw, or accept the one that is offered."""
    if not match.is_between_people:
        raise OfferError(match, say("The computer does not accept draws: play on, or resign."))
    if match.draw_offer == side:
        return None
    if match.draw_offer is not None:
        return _end(match, None, EndReason.AGREED, facts.now)
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
    return said(match, EventKind.DRAW_OFFERED, side, facts.now)


@_for_player(unless=lambda match, *_: match.end_reason is EndReason.AGREED)
def accept_draw(match: Match, side: Side, _action: Any, _request: Request, facts: Facts) -> Change:
    """End a match as a draw that the other player has offered."""
    if match.draw_offer != other(side):
        raise OfferError(match, _no_draw(own=match.draw_offer == side))
    return _end(match, None, EndReason.AGREED, facts.now)


@_for_player()
def decline_draw(
    match: Match, side: Side, _action: Any, _request: Request, facts: Facts
) -> Change | None:
    """Decline a draw, or withdraw one's own offer."""
    if match.draw_offer is not None:
        return said(match, EventKind.DRAW_DECLINED, side, facts.now)
    if was_declined_here(match, EventKind.DRAW_DECLINED):
        return None
    raise OfferError(match, _no_draw(own=False))


@_for_player()
def ask_takeback(
    match: Match, side: Side, _action: Any, _request: Request, facts: Facts
) -> Change | None:
    """Ask to take one's last turn back."""
    if not match.is_between_people:
        raise OfferError(match, say("Against the computer, use Undo."))
    _check_casual(match)
    if last_turn_of(match, side) is None:
        raise NothingToTakeBackError(match)
    if match.takeback_offer == side:
        return None
    if match.takeback_offer is not None:
        name = match.names[other(side)]
        raise OfferError(
            match, say("{name} has asked to take a move back: answer that first.", name=name)
        )
    if was_declined_here(match, EventKind.TAKEBACK_DECLINED):
        raise OfferError(
            match, say("Your takeback was declined: you can ask again after the next move.")
        )
    return said(match, EventKind.TAKEBACK_ASKED, side, facts.now)


@_for_player()
def accept_takeback(
    match: Match, side: Side, _action: Any, request: Request, facts: Facts
) -> Change | None:
    """Go back to the last turn of the other player, who has asked for it."""
    if match.takeback_offer == other(side):
        return _take_back(match, other(side), request, facts)
    last = match.events[-1] if match.events else None
    if last is not None and last.kind in TAKEBACKS and last.number + 1 == match.revision:
        return None  # it was just taken back
    raise OfferError(match, _no_takeback(own=match.takeback_offer == side))


@_for_player()
def decline_takeback(
    match: Match, side: Side, _action: Any, _request: Request, facts: Facts
) -> Change | None:
    """Decline a takeback, or withdraw one's own request."""
    if match.takeback_offer is not None:
        return said(match, EventKind.TAKEBACK_DECLINED, side, facts.now)
    if was_declined_here(match, EventKind.TAKEBACK_DECLINED):
        return None
    raise OfferError(match, _no_takeback(own=False))


@_for_player()
def undo(match: Match, side: Side, _action: Any, request: Request, facts: Facts) -> Change | None:
    """Go back to one's own last turn in a casual match against the computer."""
    if match.is_between_people:
        raise OfferError(match, say("Against a person, use Take back: they have to agree."))
    _check_casual(match)
    if request.revision is not None and any(
        event.number >= request.revision and event.kind in TAKEBACKS for event in match.events
    ):
        return None  # the same click again: the turn that it meant is gone already
    return _take_back(match, side, request, facts)


def _take_back(match: Match, side: Side, request: Request, facts: Facts) -> Change:
    back = last_turn_of(match, side)
    if back is None:
        raise NothingToTakeBackError(match)
    moves, swapped = match.moves[: back.ply], match.swapped and not back.undoes_swap
    position = Game.replay(
        match.rules, moves, opening_code=match.opening_code, swapped=swapped
    ).position
    seats = (match.seats[1], match.seats[0]) if back.undoes_swap else match.seats
    turn = facts.turn_of(match, request, position.side, seats[position.side])
    times = after_takeback(
        match.clock, match.times, match.position.side, turn, exchanged=back.undoes_swap
    )
    kind = EventKind.SWAP_TAKEN_BACK if back.is_swap else EventKind.TAKEN_BACK
    event = replace(
        _event(match, kind, side, facts.now), ply=back.ply, cells=match.moves[back.ply :]
    )
    after = _noted(match, event, moves=moves, position=position, seats=seats, times=times)
    return Change(match, after)


def _check_casual(match: Match) -> None:
    if match.rated:
        raise OfferError(match, say("This game is rated: moves can't be taken back."))


def _no_draw(*, own: bool) -> Sentence:
    if own:
        return say("You made this offer: the other player has to answer it.")
    return say("The draw offer is gone: it was answered, or a move ended it.")


def _no_takeback(*, own: bool) -> Sentence:
    if own:
        return say("You made this request: the other player has to answer it.")
    return say("The takeback request is gone: it was answered, or a move ended it.")


# By the clock.


def claim_time(match: Match, _action: Any, request: Request, facts: Facts) -> Change | None:
    """End a match for a player, if the side to move has no time left.

    By then no press made in time can still be on its way.
    """
    _side_of(match, request)
    if match.end_reason is EndReason.TIME:
        return None
    _check_ongoing(match)
    if match.is_overdue(facts.now - LATENCY):
        return timed_out(match, facts.now)
    left = match.time_left(match.position.side, facts.now)
    raise ClockRunningError(match, None if left is None else format_span(left))


def forfeit(match: Match, _action: Forfeit, _request: Request, facts: Facts) -> Change | None:
    """End a match by the clock itself; None if somebody was faster."""
    return timed_out(match, facts.now) if match.is_overdue(facts.now - LATENCY) else None


# By the host.


def annul(match: Match, _action: Any, _request: Request, facts: Facts) -> Change | None:
    """End a match so that it counts for nobody; who may ask for that is not checked here."""
    if match.is_annulled:
        return None
    _check_ongoing(match)
    return _end(match, None, EndReason.ANNULLED, facts.now)


_DECISIONS: Final[Mapping[type, Decision]] = MappingProxyType(
    {
        actions.Play: play,
        actions.Swap: swap,
        actions.Reply: reply,
        actions.Resign: resign,
        actions.OfferDraw: offer_draw,
        actions.AcceptDraw: accept_draw,
        actions.DeclineDraw: decline_draw,
        actions.AskTakeback: ask_takeback,
        actions.AcceptTakeback: accept_takeback,
        actions.DeclineTakeback: decline_takeback,
        actions.Undo: undo,
        actions.ClaimTime: claim_time,
        actions.Forfeit: forfeit,
        actions.Annul: annul,
    }
)


# The match after a step, which has been checked to be allowed.


def moved(match: Match, cell: Cell, request: Request, facts: Facts) -> Change:
    """Return how a move of the side to move changes a match.

    Raises:
        IllegalMoveError: If the rules forbid it.
    """
    side = match.position.side
    position = match.position.after(cell)
    turn = facts.turn_of(match, request, position.side, match.seats[position.side])
    outcome = position.outcome
    if outcome is None:
        times = after_turn(match.clock, match.times, side, turn)
    else:
        times = stopped(match.times, side, turn.before_ended_at)
    after = replace(
        match, moves=(*match.moves, cell), position=position, times=times, updated_at=facts.now
    )
    if outcome is not None:
        after = _ended(after, outcome.winner, EndReason.BOARD, facts.now)
    return Change(match, after)


def swapped_seats(match: Match, request: Request, facts: Facts) -> Change:
    """Return how a swap by the side to move changes a match: marks and turn stay.

    Raises:
        IllegalMoveError: If the rules have no swap, or its moment has passed.
    """
    match.game.swap()  # on a copy of the game, only to check it
    side = match.position.side
    seats = match.seats[1], match.seats[0]
    turn = facts.turn_of(match, request, side, seats[side])
    times = after_turn(match.clock, match.times, side, turn, exchanged=True)
    event = _event(match, EventKind.SWAP, side, facts.now)
    return Change(match, _noted(match, event, seats=seats, times=times))


def said(match: Match, kind: EventKind, side: Side, now: datetime) -> Change:
    """Return the change of a side making or declining an offer; nothing else changes."""
    return Change(match, _noted(match, _event(match, kind, side, now)))


def resigned(match: Match, side: Side, now: datetime) -> Change:
    """Return the end of a match that a side resigns."""
    return _end(match, other(side), EndReason.RESIGNED, now)


def timed_out(match: Match, now: datetime, *, instead: bool = False) -> Change:
    """Return the end of a match in which the side to move has run out of time."""
    change = _end(match, other(match.position.side), EndReason.TIME, now)
    return replace(change, instead=instead)


def _end(match: Match, winner: Side | None, reason: EndReason, now: datetime) -> Change:
    times = stopped(match.times, match.position.side, now)
    return Change(match, replace(_ended(match, winner, reason, now), times=times))


def _ended(match: Match, winner: Side | None, reason: EndReason, now: datetime) -> Match:
    return replace(
        match,
        status=MatchStatus.ANNULLED if reason is EndReason.ANNULLED else MatchStatus.FINISHED,
        winner=winner,
        end_reason=reason,
        updated_at=now,
        ended_at=now,
    )


def _event(match: Match, kind: EventKind, side: Side, now: datetime) -> MatchEvent:
    return MatchEvent(number=match.revision, ply=match.ply, kind=kind, side=side, happened_at=now)


def _noted(match: Match, event: MatchEvent, **changes: Any) -> Match:
    """Return a match with one more event, and with what that changes."""
    return replace(match, events=(*match.events, event), updated_at=event.happened_at, **changes)
