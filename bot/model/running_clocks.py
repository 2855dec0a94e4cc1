"""The clocks of a match: what each step makes of them. Pure; instants are passed in.

The deadline of the side to move is what is stored, and what its opponent has from
the next turn on. Nothing ticks: the time left is a subtraction, the same before and
after a restart. To let clocks stand still is to move the deadline.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from bot.model.clock_rules import ClockKind, ClockRules
from engine import X

if TYPE_CHECKING:
    from bot.model.match import Seat

_NOTHING: Final = timedelta()
REMIND_AT_SHARE: Final = 4
"""A reminder is due when a quarter of the time is left."""

LATENCY: Final = timedelta(seconds=3)
"""How long a press may be on its way: Discord gives up on an answer after that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """What the clocks show.

    Attributes:
        left: What X and O have from their next turn on; None without a clock.
        deadline: When the side to move loses; None without a clock, at the
            computer's turn and after the end.
        remind_at: When to remind the side to move; None if there is no need any more.
    """

    left: tuple[timedelta | None, timedelta | None] = (None, None)
    deadline: datetime | None = None
    remind_at: datetime | None = None


NO_TIMES: Final = Times()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A turn that begins.

    Attributes:
        side: Whose it is.
        seat: Who has that side.
        now: When it begins.
        away_until: Until when that person is on vacation, if they are.
        pressed_at: When the turn before it was over for whoever made it: a press takes
            its time to arrive, which is nobody's. None if that is the same.
    """

    side: int
    seat: Seat
    now: datetime
    away_until: datetime | None = None
    pressed_at: datetime | None = None

    @property
    def before_ended_at(self) -> datetime:
        """When the clock that ran before it stands still."""
        return self.now if self.pressed_at is None else self.pressed_at


def begin(clock: ClockRules, turn: Turn) -> Times:
    """Return the clocks of a match that begins."""
    return _start_turn(clock, Times(left=(clock.budget, clock.budget)), turn)


def after_turn(clock: ClockRules, times: Times, mover: int, turn: Turn) -> Times:
    """Return the clocks after the side `mover` has moved and the next turn begins."""
    stopped = _stopped(times, mover, turn.before_ended_at, clock.increment)
    return _start_turn(clock, stopped, turn)


def after_swap(clock: ClockRules, times: Times, mover: int, turn: Turn) -> Times:
    """Return the clocks after the players have exchanged sides: each keeps their time.

    Args:
        clock: The rules.
        times: What the clocks showed.
        mover: The side whose player swapped.
        turn: The other player's, who has that side now.
    """
    stopped = _stopped(times, mover, turn.before_ended_at, clock.increment)
    return _start_turn(clock, replace(stopped, left=(stopped.left[1], stopped.left[0])), turn)


def after_takeback(
    clock: ClockRules, times: Times, mover: int, turn: Turn, *, exchanged: bool
) -> Times:
    """Return the clocks after moves were taken back; what was used up stays so.

    Args:
        clock: The rules.
        times: What the clocks showed.
        mover: The side that was to move.
        turn: Of whoever takes back.
        exchanged: Whether a swap of seats was taken back too.
    """
    seat_of_mover = 1 - mover if exchanged else mover
    if seat_of_mover == turn.side and times.deadline is not None:
        # The same person's turn goes on: nothing is won by taking back.
        left = (times.left[1], times.left[0]) if exchanged else times.left
        return replace(times, left=left)
    stopped = _stopped(times, mover, turn.now, None)
    if exchanged:
        stopped = replace(stopped, left=(stopped.left[1], stopped.left[0]))
    return _start_turn(clock, stopped, turn)


def at_end(times: Times, mover: int, now: datetime) -> Times:
    """Return the clocks of a match that has ended at the turn of `mover`."""
    return _stopped(times, mover, now, None)


def shifted(times: Times, by: timedelta) -> Times:
    """Return clocks that have stood still for so long."""
    return replace(
        times,
        deadline=None if times.deadline is None else times.deadline + by,
        remind_at=None if times.remind_at is None else times.remind_at + by,
    )


def _stopped(times: Times, mover: int, now: datetime, increment: timedelta | None) -> Times:
    """Return the clocks with none running, the mover's with what is left of it."""
    if times.deadline is None:
        return Times(left=times.left)
    remaining = max(_NOTHING, times.deadline - now) + (increment or _NOTHING)
    left = (remaining, times.left[1]) if mover == X else (times.left[0], remaining)
    return Times(left=left)


def _start_turn(clock: ClockRules, times: Times, turn: Turn) -> Times:
    # The computer answers when the host lets it: its side is never short of time.
    if clock.kind is ClockKind.NONE or turn.seat.level is not None:
        return times
    if clock.per_move is not None:
        begins = turn.now if turn.away_until is None else max(turn.now, turn.away_until)
        deadline = begins + clock.per_move
        return Times(
            left=(clock.per_move, clock.per_move),
            deadline=deadline,
            remind_at=deadline - clock.per_move / REMIND_AT_SHARE,
        )
    left = times.left[turn.side]
    assert left is not None, "a live clock gives both sides time"
    return replace(times, deadline=turn.now + left)
