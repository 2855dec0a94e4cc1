"""What a step makes of a match. Whether it may be taken is asked in `decide`.

The rules are the engine's, which refuses what they forbid.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.model import running_clocks
from bot.model.events import EventKind, MatchEvent
from bot.model.match import EndReason, Match, MatchStatus
from engine import Game

if TYPE_CHECKING:
    from datetime import datetime

    from bot.model.match import Seat
    from bot.model.turns import BackTo


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When a turn ends and the next one begins.

    Attributes:
        now: When it is stored.
        pressed_at: When it was made, as far as is known; None for just now.
        away_until: Until when whoever is to move then is on vacation, if they are.
    """

    now: datetime
    pressed_at: datetime | None = None
    away_until: datetime | None = None

    def turn_of(self, side: int, seat: Seat) -> running_clocks.Turn:
        """Return the turn that begins then."""
        return running_clocks.Turn(
            side=side,
            seat=seat,
            now=self.now,
            away_until=self.away_until,
            pressed_at=self.pressed_at,
        )


@dataclass(frozen=True, slots=True)
class Change:
    """A step in the life of a match.

    Attributes:
        before: The match that the step was made for.
        after: The match that it leads to.
        instead: Whether it is not what was asked for: the clock had run out before.
    """

    before: Match
    after: Match
    instead: bool = False

    @property
    def ends(self) -> bool:
        """Whether the match is over by it, and was not before."""
        return self.after.is_over and not self.before.is_over


def move(match: Match, cell: int, when: Moment) -> Change:
    """Return what a move of the side to move makes of a match.

    Raises:
        IllegalMoveError: If the rules forbid it.
    """
    side, now = match.position.side, when.now
    position = match.position.after(cell)
    outcome = position.outcome
    if outcome is not None:
        times = running_clocks.at_end(match.times, side, when.pressed_at or now)
    else:
        turn = when.turn_of(position.side, match.seats[position.side])
        times = running_clocks.after_turn(match.clock, match.times, side, turn)
    after = replace(
        match, moves=(*match.moves, cell), position=position, times=times, updated_at=now
    )
    if outcome is not None:
        after = _ended(after, outcome.winner, EndReason.BOARD, now)
    return Change(match, after)


def swap(match: Match, when: Moment) -> Change:
    """Return what a swap by the side to move makes of a match: marks and turn stay.

    Raises:
        IllegalMoveError: If the rules have no swap, or its moment has passed.
    """
    match.game.swap()  # a game of our own: it is asked for the refusal only
    side = match.position.side
    seats = match.seats[1], match.seats[0]
    times = running_clocks.after_swap(
        match.clock, match.times, side, when.turn_of(side, seats[side])
    )
    event = _event(match, EventKind.SWAP, side, when.now)
    after = replace(_noted(match, event, when.now), seats=seats, times=times)
    return Change(match, after)


def note(match: Match, kind: EventKind, side: int, now: datetime) -> Change:
    """Return a match in which a side has said something; nothing else changes."""
    return Change(match, _noted(match, _event(match, kind, side, now), now))


def take_back(
    match: Match, side: int, back: BackTo, now: datetime, away_until: datetime | None = None
) -> Change:
    """Return a match that has gone back to an earlier turn of the player of a side.

    Args:
        match: As it is.
        side: Who takes back, as the seats are now.
        back: To where.
        now: When.
        away_until: Until when that person is on vacation, if they are.
    """
    moves, swapped = match.moves[: back.ply], match.swapped and not back.undoes_swap
    kind = EventKind.SWAP_TAKEN_BACK if back.is_swap else EventKind.TAKEN_BACK
    event = replace(_event(match, kind, side, now), ply=back.ply, cells=match.moves[back.ply :])
    position = Game.replay(
        match.rules, moves, opening_code=match.opening_code, swapped=swapped
    ).position
    seats = (match.seats[1], match.seats[0]) if back.undoes_swap else match.seats
    turn = running_clocks.Turn(
        side=position.side, seat=seats[position.side], now=now, away_until=away_until
    )
    times = running_clocks.after_takeback(
        match.clock, match.times, match.position.side, turn, exchanged=back.undoes_swap
    )
    after = replace(
        _noted(match, event, now), moves=moves, position=position, seats=seats, times=times
    )
    return Change(match, after)


def resignation(match: Match, side: int, now: datetime) -> Change:
    """Return what is left of a match that a side gives up."""
    return _end(match, 1 - side, EndReason.RESIGNED, now)


def forfeit(match: Match, now: datetime, *, instead: bool = False) -> Change:
    """Return what is left of a match in which the side to move has run out of time."""
    winner = 1 - match.position.side
    change = _end(match, winner, EndReason.TIME, now)
    return replace(change, instead=instead)


def agreement(match: Match, now: datetime) -> Change:
    """Return what is left of a match that both give drawn."""
    return _end(match, None, EndReason.AGREED, now)


def _end(match: Match, winner: int | None, reason: EndReason, now: datetime) -> Change:
    times = running_clocks.at_end(match.times, match.position.side, now)
    return Change(match, replace(_ended(match, winner, reason, now), times=times))


def _ended(match: Match, winner: int | None, reason: EndReason, now: datetime) -> Match:
    return replace(
        match,
        status=MatchStatus.FINISHED,
        winner=winner,
        end_reason=reason,
        updated_at=now,
        ended_at=now,
    )


def _event(match: Match, kind: EventKind, side: int, now: datetime) -> MatchEvent:
    return MatchEvent(number=match.revision, ply=match.ply, kind=kind, side=side, happened_at=now)


def _noted(match: Match, event: MatchEvent, now: datetime) -> Match:
    return replace(match, events=(*match.events, event), updated_at=now)
