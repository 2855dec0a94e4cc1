"""How much time there is for a move: clock rules as data."""

from __future__ import annotations

import re
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


class ClockKind(StrEnum):
    """What time is counted for."""

    NONE = "none"
    CORRESPONDENCE = "correspondence"  # a fixed time for each move
    LIVE = "live"  # a base time for the whole game, and an increment for each move (Fischer)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockRules:
    """A clock to play by. Unset fields belong to the other kinds.

    Attributes:
        kind: What time is counted for.
        per_move: How long one may take for a move: 1 hour to 14 days.
        base: What each has at the start: 1 to 60 minutes.
        increment: What each move adds to that: 0 to 60 seconds.

    Raises:
        InvalidClockError: If a time is out of its range, or of another kind.

    Examples:
        >>> str(ClockRules.parse("5+3").words)
        '5 minutes + 3 seconds a move'
        >>> ClockRules.parse("36h").key
        '36h'
        >>> ClockRules.parse("none") == ClockRules()
        True
    """

    kind: ClockKind = ClockKind.NONE
    per_move: timedelta | None = None
    base: timedelta | None = None
    increment: timedelta | None = None

    def __post_init__(self) -> None:
        match self.kind, self.per_move, self.base, self.increment:
            case ClockKind.NONE, None, None, None:
                valid = True
            case ClockKind.CORRESPONDENCE, timedelta() as per_move, None, None:
                whole = per_move % timedelta(hours=1) == timedelta()
                valid = whole and SHORTEST_MOVE <= per_move <= LONGEST_MOVE
            case ClockKind.LIVE, None, timedelta() as base, timedelta() as increment:
                whole = base % timedelta(minutes=1) == increment % timedelta(seconds=1)
                whole = whole and base % timedelta(minutes=1) == timedelta()
                in_range = SHORTEST_BASE <= base <= LONGEST_BASE
                valid = whole and in_range and timedelta() <= increment <= LONGEST_INCREMENT
            case _:
                valid = False
        if not valid:
            raise InvalidClockError(self._describe())

    @classmethod
    def parse(cls, text: str) -> ClockRules:
        """Read "3d", "36h", "5+3" (minutes and seconds) or "none".

        Raises:
            InvalidClockError: If it is none of these, or out of range.
        """
        written = text.strip().lower()
        if written == "none":
            return cls()
        try:
            if found := _PER_MOVE.fullmatch(written):
                number, unit = int(found[1]), found[2][0]
                return correspondence(
                    timedelta(days=number) if unit == "d" else timedelta(hours=number)
                )
            if found := _LIVE.fullmatch(written):
                return live(timedelta(minutes=int(found[1])), timedelta(seconds=int(found[2])))
        except InvalidClockError:
            raise InvalidClockError(text) from None
        raise InvalidClockError(text)

    @property
    def key(self) -> str:
        """The text that `parse` reads back."""
        if self.per_move is not None:
            if self.per_move % _DAY == timedelta():
                return f"{self.per_move // _DAY}d"
            return f"{self.per_move // timedelta(hours=1)}h"
        if self.base is not None and self.increment is not None:
            minutes = self.base // timedelta(minutes=1)
            return f"{minutes}+{self.increment // timedelta(seconds=1)}"
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

    def _describe(self) -> str:
        times = (self.per_move, self.base, self.increment)
        return " ".join([self.kind.value, *(str(time) for time in times if time is not None)])


def correspondence(per_move: timedelta) -> ClockRules:
    """Return a clock with a fixed time for each move.

    Raises:
        InvalidClockError: If that is less than 1 hour or more than 14 days.
    """
    return ClockRules(kind=ClockKind.CORRESPONDENCE, per_move=per_move)


def live(base: timedelta, increment: timedelta) -> ClockRules:
    """Return a clock with a base time, to which each move adds an increment.

    Raises:
        InvalidClockError: If one of them is out of its range.
    """
    return ClockRules(kind=ClockKind.LIVE, base=base, increment=increment)


NO_CLOCK: Final = ClockRules()
DEFAULT_CORRESPONDENCE: Final = correspondence(timedelta(days=3))


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
    seconds = max(0, span // timedelta(seconds=1))
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


_NOTHING: Final = timedelta()
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


def after_turn(clock: ClockRules, times: Times, mover: Side, turn: Turn) -> Times:
    """Return the clocks after the side `mover` has moved and the next turn begins."""
    stopped = _stopped(times, mover, turn.before_ended_at, clock.increment)
    return _start_turn(clock, stopped, turn)


def after_swap(clock: ClockRules, times: Times, mover: Side, turn: Turn) -> Times:
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
    clock: ClockRules, times: Times, mover: Side, turn: Turn, *, exchanged: bool
) -> Times:
    """Return the clocks after moves were taken back; used time stays used.

    Args:
        clock: The rules.
        times: What the clocks showed.
        mover: The side that was to move.
        turn: The turn of the player who takes back.
        exchanged: Whether a swap of seats was taken back too.
    """
    seat_of_mover = 1 - mover if exchanged else mover
    if seat_of_mover == turn.side and times.deadline is not None:
        # The same person's turn goes on: taking back gains no time.
        left = (times.left[1], times.left[0]) if exchanged else times.left
        remind_at = _called_at(clock, turn) if turn.against_person else times.remind_at
        return replace(times, left=left, remind_at=remind_at)
    stopped = _stopped(times, mover, turn.now, None)
    if exchanged:
        stopped = replace(stopped, left=(stopped.left[1], stopped.left[0]))
    return _start_turn(clock, stopped, turn)


def at_end(times: Times, mover: Side, now: datetime) -> Times:
    """Return the clocks of a match that has ended at the turn of `mover`."""
    return _stopped(times, mover, now, None)


def shifted(times: Times, by: timedelta) -> Times:
    """Return clocks that have been paused for `by`."""
    return replace(
        times,
        deadline=None if times.deadline is None else times.deadline + by,
        remind_at=None if times.remind_at is None else times.remind_at + by,
    )


def _stopped(times: Times, mover: Side, now: datetime, increment: timedelta | None) -> Times:
    """Return the clocks all stopped, the mover's with the time that is left."""
    if times.deadline is None:
        return Times(left=times.left)
    remaining = max(_NOTHING, times.deadline - now) + (increment or _NOTHING)
    left = (remaining, times.left[1]) if mover == X else (times.left[0], remaining)
    return Times(left=left)


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
