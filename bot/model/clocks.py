"""How much time there is for a move: clock rules as data."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from bot.model.errors import InvalidClockError
from engine import Side, X
from engine.errors import Sentence, say, say_count

if TYPE_CHECKING:
    from bot.model.match import Seat


SHORTEST_MOVE: Final = timedelta(hours=1)
LONGEST_MOVE: Final = timedelta(days=14)
SHORTEST_BASE: Final = timedelta(minutes=1)
LONGEST_BASE: Final = timedelta(minutes=60)
LONGEST_INCREMENT: Final = timedelta(seconds=60)

_PER_MOVE: Final = re.compile(r"(\d{1,3})\s*(d|days?|h|hours?)", re.ASCII)
_LIVE: Final = re.compile(r"(\d{1,2})\s*\+\s*(\d{1,2})", re.ASCII)
_DAY: Final = timedelta(days=1)
_HOUR: Final = timedelta(hours=1)
_MINUTE: Final = timedelta(minutes=1)
_SECOND: Final = timedelta(seconds=1)
_NOTHING: Final = timedelta()


class ClockKind(StrEnum):
    """What time is counted for."""

    NONE = "none"
    CORRESPONDENCE = "correspondence"  # a fixed time for each move
    LIVE = "live"  # a base time for the whole game, and an increment for each move (Fischer)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockRules:
    """A clock to play by: a time for each move, or a base and an increment, or none of them.

    Attributes:
        per_move: How long one may take for a move: 1 hour to 14 days.
        base: What each has at the start: 1 to 60 minutes.
        increment: What each move adds to that: 0 to 60 seconds.

    Raises:
        InvalidClockError: If a time is out of its range, or they are not of one kind.

    Examples:
        >>> str(ClockRules.parse("5+3").words)
        '5 minutes + 3 seconds a move'
        >>> ClockRules.parse("36h").key
        '36h'
        >>> ClockRules.parse("none") == ClockRules()
        True
    """

    per_move: timedelta | None = None
    base: timedelta | None = None
    increment: timedelta | None = None

    def __post_init__(self) -> None:
        match self.per_move, self.base, self.increment:
            case None, None, None:
                valid = True
            case timedelta() as per_move, None, None:
                valid = _is_in(per_move, SHORTEST_MOVE, LONGEST_MOVE, unit=_HOUR)
            case None, timedelta() as base, timedelta() as increment:
                valid = _is_in(base, SHORTEST_BASE, LONGEST_BASE, unit=_MINUTE)
                valid = valid and _is_in(increment, _NOTHING, LONGEST_INCREMENT, unit=_SECOND)
            case _:
                valid = False
        if not valid:
            raise InvalidClockError(repr(self))

    @classmethod
    def parse(cls, text: str) -> ClockRules:
        """Read "3d", "36h", "5+3" (minutes and seconds) or "none".

        Raises:
            InvalidClockError: If it is none of these, or out of range.
        """
        written = text.strip().lower()
        with suppress(InvalidClockError):
            if written == "none":
                return cls()
            if found := _PER_MOVE.fullmatch(written):
                return cls(per_move=int(found[1]) * (_DAY if found[2][0] == "d" else _HOUR))
            if found := _LIVE.fullmatch(written):
                return cls(base=int(found[1]) * _MINUTE, increment=int(found[2]) * _SECOND)
        raise InvalidClockError(text)

    @property
    def kind(self) -> ClockKind:
        """What time is counted for."""
        if self.per_move is not None:
            return ClockKind.CORRESPONDENCE
        return ClockKind.NONE if self.base is None else ClockKind.LIVE

    @property
    def key(self) -> str:
        """The text that `parse` reads back."""
        if self.per_move is not None:
            if self.per_move % _DAY:
                return f"{self.per_move // _HOUR}h"
            return f"{self.per_move // _DAY}d"
        if self.base is not None and self.increment is not None:
            return f"{self.base // _MINUTE}+{self.increment // _SECOND}"
        return "none"

    @property
    def budget(self) -> timedelta | None:
        """The time each side has when its first turn begins; None without a clock."""
        return self.per_move if self.base is None else self.base

    @property
    def words(self) -> Sentence:
        """What to call it, such as "3 days a move"."""
        if self.per_move is not None:
            return say("{time} a move", time=format_span(self.per_move))
        if self.base is not None and self.increment is not None:
            base, more = format_span(self.base), format_span(self.increment)
            return say("{base} + {more} a move", base=base, more=more) if self.increment else base
        return say("no clock")


def _is_in(span: timedelta, shortest: timedelta, longest: timedelta, *, unit: timedelta) -> bool:
    return not span % unit and shortest <= span <= longest


NO_CLOCK: Final = ClockRules()
DEFAULT_CORRESPONDENCE: Final = ClockRules(per_move=timedelta(days=3))


def format_span(span: timedelta) -> Sentence:
    """Write a length of time in its two largest units, such as "2 days 3 hours".

    Seconds are shown only below an hour; less than one counts as none.

    Examples:
        >>> str(format_span(timedelta(days=1, hours=2, minutes=3)))
        '1 day 2 hours'
        >>> str(format_span(timedelta(minutes=1, seconds=5)))
        '1 minute 5 seconds'
        >>> str(format_span(timedelta(0)))
        '0 seconds'
    """
    seconds = max(0, span // _SECOND)
    minutes, hours, days = seconds // 60 % 60, seconds // 3600 % 24, seconds // 86400
    parts = [
        (days, say_count("{count} day", "{count} days", days)),
        (hours, say_count("{count} hour", "{count} hours", hours)),
        (minutes, say_count("{count} minute", "{count} minutes", minutes)),
        (seconds % 60, say_count("{count} second", "{count} seconds", seconds % 60)),
    ]
    while len(parts) > 1 and not parts[0][0]:
        del parts[0]
    shown = [words for number, (count, words) in enumerate(parts[:2]) if count or not number]
    return (
        Sentence("{first} {second}", {"first": shown[0], "second": shown[1]})
        if len(shown) > 1
        else shown[0]
    )


REMIND_AT_SHARE: Final = 4
"""The last reminder is due when a quarter of the time is left."""

CALLED_AFTER: Final = timedelta(seconds=30)
UNTIMED_CALLED_AFTER: Final = timedelta(days=1)
"""How long after a turn against a person begins its player is reminded of it: with a clock, and
without one."""

LATENCY: Final = timedelta(seconds=3)
"""How long a press may be on its way: Discord gives up on an answer after that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """What the clocks show.

    Attributes:
        left: The time X and O have from their next turn on; None without a clock.
        deadline: When the side to move loses; None without a clock, at the
            computer's turn and after the end.
        remind_at: When to remind the side to move next; None if there is no need any more.
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
        pressed_at: When the player before made their move: the time a press takes
            to arrive counts against nobody. None if that is the same.
        against_person: Whether the other seat is a person's: the computer answers at once.
    """

    side: Side
    seat: Seat
    now: datetime
    away_until: datetime | None = None
    pressed_at: datetime | None = None
    against_person: bool = False

    @property
    def begins_at(self) -> datetime:
        """When it begins, after any vacation."""
        return self.now if self.away_until is None else max(self.now, self.away_until)

    @property
    def before_ended_at(self) -> datetime:
        """When the clock that ran before it stopped."""
        return self.now if self.pressed_at is None else self.pressed_at


def first_times(clock: ClockRules, turn: Turn) -> Times:
    """Return the clocks of a match that begins."""
    return _start_turn(clock, Times(left=(clock.budget, clock.budget)), turn)


def after_turn(
    clock: ClockRules, times: Times, mover: Side, turn: Turn, *, exchanged: bool = False
) -> Times:
    """Return the clocks after the side `mover` has moved and the next turn begins.

    If the players have exchanged sides instead, each keeps their time.
    """
    then = stopped(times, mover, turn.before_ended_at, clock.increment, exchanged=exchanged)
    return _start_turn(clock, then, turn)


def after_takeback(
    clock: ClockRules, times: Times, mover: Side, turn: Turn, *, exchanged: bool
) -> Times:
    """Return the clocks after moves were taken back at the turn of `mover`, to an earlier turn.

    Used time stays used. If a swap of seats was taken back too, the players are `exchanged`.
    """
    seat_of_mover = 1 - mover if exchanged else mover
    if seat_of_mover == turn.side and times.deadline is not None:
        # The same person's turn goes on: taking back gains no time.
        left = times.left[::-1] if exchanged else times.left
        remind_at = _called_at(clock, turn) if turn.against_person else times.remind_at
        return replace(times, left=left, remind_at=remind_at)
    return _start_turn(clock, stopped(times, mover, turn.now, exchanged=exchanged), turn)


def shifted(times: Times, by: timedelta) -> Times:
    """Return clocks that have been paused for `by`."""
    return replace(
        times,
        deadline=None if times.deadline is None else times.deadline + by,
        remind_at=None if times.remind_at is None else times.remind_at + by,
    )


def stopped(
    times: Times,
    mover: Side,
    now: datetime,
    increment: timedelta | None = None,
    *,
    exchanged: bool = False,
) -> Times:
    """Return the clocks all stopped at the turn of `mover`, who gains the increment.

    If the players have exchanged sides since, each keeps their time.
    """
    x, o = times.left
    if times.deadline is not None:
        remaining = max(_NOTHING, times.deadline - now) + (increment or _NOTHING)
        x, o = (remaining, o) if mover == X else (x, remaining)
    return Times(left=(o, x) if exchanged else (x, o))


def _start_turn(clock: ClockRules, times: Times, turn: Turn) -> Times:
    # The computer answers when the host lets it: its side is never short of time.
    if turn.seat.level is not None:
        return times
    left, deadline = times.left, None
    if clock.per_move is not None:
        left, deadline = (clock.per_move, clock.per_move), turn.begins_at + clock.per_move
    elif (own := left[turn.side]) is not None:
        deadline = turn.now + own
    times = Times(left=left, deadline=deadline)
    remind_at = _called_at(clock, turn) if turn.against_person else last_reminder(clock, times)
    return replace(times, remind_at=remind_at)


def _called_at(clock: ClockRules, turn: Turn) -> datetime:
    """Return when to call a player who has not answered another person's move."""
    match clock.kind:
        case ClockKind.NONE:
            return turn.now + UNTIMED_CALLED_AFTER
        case ClockKind.LIVE:
            return turn.now + CALLED_AFTER
        case ClockKind.CORRESPONDENCE:
            return turn.begins_at + CALLED_AFTER


def last_reminder(clock: ClockRules, times: Times) -> datetime | None:
    """Return when the time for a move is nearly over; None if time is not counted by moves."""
    if clock.per_move is None or times.deadline is None:
        return None
    return times.deadline - clock.per_move / REMIND_AT_SHARE


HEARTBEAT_EVERY: Final = timedelta(minutes=1)
CREDITED_FROM: Final = timedelta(minutes=2)
"""A shorter absence of the bot cannot be told apart from a late note."""


def is_absence(noted_at: datetime, now: datetime) -> bool:
    """Return whether the bot was away, going by the time since its last note."""
    return now - noted_at > CREDITED_FROM
