"""What should become of a match: a second, simpler implementation than the services.

A match is the list of its turns and who made them; everything else follows. People are known by
name, so a swap of seats or a takeback is just another or a shorter list of turns.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, TypeAlias

from engine import Game, Position, Rules
from tests.bot.services.views import EventView, MatchView, RefusedError, Seats, is_computer

if TYPE_CHECKING:
    from collections.abc import Callable

NOTHING: Final = timedelta()
ON_ITS_WAY: Final = timedelta(seconds=3)
CALLED_AFTER, A_DAY = timedelta(seconds=30), timedelta(days=1)
PLIES_BETWEEN_OFFERS: Final = 5

_POSITIONS: Final[dict[tuple[str, tuple[int, ...], str | None], Position]] = {}

AwayUntil: TypeAlias = "Callable[[str], datetime | None]"


@dataclass(frozen=True, slots=True)
class Turn:
    """A move, or a swap of seats if there is no cell."""

    who: str
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Clock:
    """Time for each move, or a time budget that each move adds to; neither means no clock."""

    per_move: timedelta | None = None
    base: timedelta | None = None
    more: timedelta = NOTHING

    @classmethod
    def parse(cls, key: str) -> Clock:
        if key == "none":
            return cls()
        if "+" in key:
            base, more = map(int, key.split("+"))
            return cls(base=timedelta(minutes=base), more=timedelta(seconds=more))
        days, hours = (int(key[:-1]), 0) if key.endswith("d") else (0, int(key[:-1]))
        return cls(per_move=timedelta(days=days, hours=hours))


@dataclass(eq=False)
class PredictedMatch:
    """A match that proceeds by the rules of the house.

    `first` holds the people in their seats at the start, `given` the moves of the opening.
    """

    number: int
    rules: str
    code: str | None
    first: Seats
    created_at: datetime
    away_until: AwayUntil
    given: tuple[int, ...] = ()
    rated: bool = False
    clock_key: str = "none"
    previous: int | None = None
    guild: int | None = None
    channel: int | None = None
    message: int | None = None
    turns: list[Turn] = field(default_factory=list)
    events: list[EventView] = field(default_factory=list)
    revision: int = 0
    ended: tuple[str, int | None] | None = None
    ended_at: datetime | None = None
    draw_offered_by: str | None = None
    draw_declined_at: int | None = None
    takeback_asked_by: str | None = None
    takeback_declined_at: int | None = None
    last_offers: dict[str, int] = field(default_factory=dict)
    left: list[timedelta | None] = field(default_factory=list)
    deadline: datetime | None = None
    remind_at: datetime | None = None

    def __post_init__(self) -> None:
        self.updated_at = self.created_at
        self.revision = len(self.given)
        budget = self.clock.per_move or self.clock.base
        self.left = [budget, budget]
        self._begin_turn(self.created_at)

    def copied(self, away_until: AwayUntil) -> PredictedMatch:
        """Return an independent copy."""
        other = copy(self)
        other.away_until = away_until
        other.turns, other.events = self.turns[:], self.events[:]
        other.last_offers, other.left = self.last_offers.copy(), self.left[:]
        return other

    # What follows from the turns.

    @property
    def clock(self) -> Clock:
        return Clock.parse(self.clock_key)

    @property
    def moves(self) -> tuple[int, ...]:
        return self.given + tuple(turn.cell for turn in self.turns if turn.cell is not None)

    @property
    def ply(self) -> int:
        return len(self.moves)

    @property
    def swapped(self) -> bool:
        return any(turn.cell is None for turn in self.turns)

    @property
    def seats(self) -> Seats:
        return self.first[::-1] if self.swapped else self.first

    @property
    def position(self) -> Position:
        return position_after(self.rules, self.moves, self.code)

    @property
    def can_swap(self) -> bool:
        return Rules.parse(self.rules).has_swap and self.ply == 1 and not self.swapped

    @property
    def mover(self) -> str | None:
        return None if self.ended else self.seats[self.ply % 2]

    @property
    def is_between_people(self) -> bool:
        return not any(map(is_computer, self.first))

    def other(self, who: str) -> str:
        return self.seats[1 - self.seats.index(who)]

    @property
    def view(self) -> MatchView:
        return MatchView(
            number=self.number,
            rules=self.rules,
            code=self.code,
            seats=self.seats,
            moves=self.moves,
            events=tuple(self.events),
            position=self.position,
            revision=self.revision,
            draw_offered_by=None if self.ended else self.draw_offered_by,
            takeback_asked_by=None if self.ended else self.takeback_asked_by,
            ended=self.ended,
            previous=self.previous,
            guild=self.guild,
            channel=self.channel,
            message=self.message,
            created_at=self.created_at,
            updated_at=self.updated_at,
            ended_at=self.ended_at,
            rated=self.rated,
            clock=self.clock_key,
            left=(self.left[0], self.left[1]),
            deadline=self.deadline,
            remind_at=self.remind_at,
        )

    # On the board.

    def play(
        self, who: str, cell: int, *, ply: int, revision: int | None, now: datetime, late: timedelta
    ) -> None:
        self._check_player(who)
        if 0 <= ply < self.ply and self.moves[ply] == cell and self._maker(ply) == who:
            return  # the same click once more
        pressed_at = self._take(who, ply, revision, now, late)
        if self.position.explain_refusal(cell) is not None:
            raise RefusedError("illegal move")
        self.move(who, cell, now, pressed_at)

    def move(self, who: str, cell: int, now: datetime, pressed_at: datetime | None = None) -> None:
        """Add a move that is allowed; the computer's needs no checks."""
        side = self.ply % 2
        self.turns.append(Turn(who, cell))
        self._step(now)
        if self.draw_offered_by != who:
            self.draw_offered_by = None
        self.takeback_asked_by = None
        outcome = self.position.outcome
        if outcome is not None:
            self._end("board", outcome.winner, now, side, pressed_at)
        else:
            self._stop_clock(side, pressed_at or now, self.clock.more)
            self._begin_turn(now)

    def swap(
        self, who: str, *, ply: int, revision: int | None, now: datetime, late: timedelta
    ) -> None:
        self._check_player(who)
        if ply == 1 and Turn(who) in self.turns:
            return
        pressed_at = self._take(who, ply, revision, now, late)
        if not self.can_swap:
            raise RefusedError("illegal move")
        self.exchange(who, now, pressed_at)

    def exchange(self, who: str, now: datetime, pressed_at: datetime | None = None) -> None:
        """Swap seats where that is allowed."""
        self._note("swap", who, now)
        self.turns.append(Turn(who))
        self._forget_offers()
        self._stop_clock(self.ply % 2, pressed_at or now, self.clock.more)
        self.left.reverse()
        self._begin_turn(now)

    def resign(self, who: str, now: datetime) -> None:
        self._check_player(who)
        side = self.seats.index(who)
        if self.ended == ("resigned", 1 - side):
            return
        self._check_going_on(who, now)
        self._end("resigned", 1 - side, now)

    def claim_time(self, who: str, now: datetime) -> None:
        self._check_player(who)
        if self.ended and self.ended[0] == "time":
            return
        if self.ended:
            raise self._refused("match over")
        if not self.is_overdue(now - ON_ITS_WAY):
            raise self._refused("clock running")
        self.forfeit(now)

    def is_overdue(self, now: datetime) -> bool:
        return self.deadline is not None and now >= self.deadline

    def forfeit(self, now: datetime) -> None:
        self._end("time", 1 - self.ply % 2, now)

    def place(self, channel: int, message: int, now: datetime) -> None:
        if (self.channel, self.message) != (channel, message):
            self.channel, self.message, self.updated_at = channel, message, now

    # Agreeing.

    def offer_draw(self, who: str, now: datetime) -> None:
        self._check_going_on(who, now)
        if not self.is_between_people:
            raise self._refused("no such offer")
        if self.draw_offered_by == who:
            return
        if self.draw_offered_by is not None:
            self._end("agreed", None, now)
            return
        if self.last_offers.get(who, -99) + PLIES_BETWEEN_OFFERS > self.ply:
            raise self._refused("no such offer")
        self._note("draw-offered", who, now)
        self.last_offers[who] = self.ply
        self.draw_offered_by, self.draw_declined_at = who, None

    def accept_draw(self, who: str, now: datetime) -> None:
        self._check_player(who)
        if self.ended and self.ended[0] == "agreed":
            return
        self._check_going_on(who, now)
        if self.draw_offered_by != self.other(who):
            raise self._refused("no such offer")
        self._end("agreed", None, now)

    def decline_draw(self, who: str, now: datetime) -> None:
        self._check_going_on(who, now)
        if self.draw_offered_by is not None:
            self._note("draw-declined", who, now)
            self.draw_offered_by, self.draw_declined_at = None, self.ply
        elif self.draw_declined_at != self.ply:
            raise self._refused("no such offer")

    def ask_takeback(self, who: str, now: datetime) -> None:
        self._check_going_on(who, now)
        if not self.is_between_people or self.rated:
            raise self._refused("no such offer")
        if not self._has_turn(who):
            raise self._refused("nothing to take back")
        if self.takeback_asked_by == who:
            return
        if self.takeback_asked_by is not None or self.takeback_declined_at == self.ply:
            raise self._refused("no such offer")
        self._note("takeback-asked", who, now)
        self.takeback_asked_by, self.takeback_declined_at = who, None

    def accept_takeback(self, who: str, now: datetime) -> None:
        self._check_going_on(who, now)
        if self.takeback_asked_by == self.other(who):
            self._take_back(self.other(who), now)
        elif not self._was_just_taken_back:
            raise self._refused("no such offer")

    def decline_takeback(self, who: str, now: datetime) -> None:
        self._check_going_on(who, now)
        if self.takeback_asked_by is not None:
            self._note("takeback-declined", who, now)
            self.takeback_asked_by, self.takeback_declined_at = None, self.ply
        elif self.takeback_declined_at != self.ply:
            raise self._refused("no such offer")

    def undo(self, who: str, revision: int | None, now: datetime) -> None:
        self._check_going_on(who, now)
        if self.is_between_people or self.rated:
            raise self._refused("no such offer")
        if revision is not None and any(
            event.number >= revision and event.kind.endswith("taken-back") for event in self.events
        ):
            return
        self._take_back(who, now)

    # The clock standing still.

    def shift(self, by: timedelta) -> None:
        if self.deadline is not None:
            self.deadline += by
        if self.remind_at is not None:
            self.remind_at += by

    @property
    def last_reminder(self) -> datetime | None:
        if self.deadline is None or self.clock.per_move is None:
            return None
        return self.deadline - self.clock.per_move / 4

    # How.

    def _take_back(self, who: str, now: datetime) -> None:
        if not self._has_turn(who):
            raise self._refused("nothing to take back")
        index = max(index for index, turn in enumerate(self.turns) if turn.who == who)
        side, mover, was_swapped, moves = self.ply % 2, self.mover, self.swapped, self.moves
        kind = "taken-back" if self.turns[index].cell is not None else "swap-taken-back"
        self._note(kind, who, now)
        del self.turns[index:]
        event = replace(self.events[-1], ply=self.ply, cells=moves[self.ply :])
        self.events[-1] = event
        self._forget_offers()
        goes_on = mover == who and self.deadline is not None
        if not goes_on:
            self._stop_clock(side, now, NOTHING)
        if self.swapped != was_swapped:
            self.left.reverse()
        if goes_on:
            self._call_later(who, now)
        else:
            self._begin_turn(now)

    def _take(
        self, who: str, ply: int, revision: int | None, now: datetime, late: timedelta
    ) -> datetime:
        late = min(max(NOTHING, late), ON_ITS_WAY)
        pressed_at = max(now - late, min(self.updated_at, now))
        self._check_time(who, pressed_at, now)
        if self.ended:
            raise self._refused("match over")
        if ply != self.ply or not self._is_current(revision):
            raise self._refused("stale board")
        if self.mover != who:
            raise self._refused("not your turn")
        return pressed_at

    def _is_current(self, revision: int | None) -> bool:
        if revision is None:
            return True
        changes = [event.number for event in self.events if _moves_the_board(event)]
        return max(changes, default=-1) < revision <= self.revision

    def _maker(self, ply: int) -> str:
        if ply < len(self.given):
            return self.first[ply % 2]
        moves = [turn for turn in self.turns if turn.cell is not None]
        return moves[ply - len(self.given)].who

    def _has_turn(self, who: str) -> bool:
        return any(turn.who == who for turn in self.turns)

    @property
    def _was_just_taken_back(self) -> bool:
        last = self.events[-1] if self.events else None
        return (
            last is not None
            and last.kind.endswith("taken-back")
            and last.number == self.revision - 1
        )

    def _check_player(self, who: str) -> None:
        if who not in self.first:
            raise self._refused("not a player")

    def _check_going_on(self, who: str, now: datetime) -> None:
        self._check_player(who)
        if self.ended:
            raise self._refused("match over")
        self._check_time(who, now, now)

    def _check_time(self, who: str, pressed_at: datetime, now: datetime) -> None:
        if self.is_overdue(pressed_at if self.mover == who else pressed_at - ON_ITS_WAY):
            self.forfeit(now)
            raise self._refused("time over")

    def _refused(self, kind: str) -> RefusedError:
        return RefusedError(kind, self.view)

    def _note(self, kind: str, who: str, now: datetime) -> None:
        side = self.seats.index(who)
        self.events.append(
            EventView(number=self.revision, ply=self.ply, kind=kind, side=side, at=now)
        )
        self._step(now)

    def _step(self, now: datetime) -> None:
        self.revision += 1
        self.updated_at = now

    def _forget_offers(self) -> None:
        self.draw_offered_by = self.takeback_asked_by = None
        self.draw_declined_at = self.takeback_declined_at = None

    def _end(
        self,
        reason: str,
        winner: int | None,
        now: datetime,
        side: int | None = None,
        pressed_at: datetime | None = None,
    ) -> None:
        self._stop_clock(self.ply % 2 if side is None else side, pressed_at or now, NOTHING)
        self.ended = reason, winner
        self.ended_at = self.updated_at = now

    def _stop_clock(self, side: int, at: datetime, more: timedelta) -> None:
        if self.deadline is not None:
            self.left[side] = max(NOTHING, self.deadline - at) + more
        self.deadline = self.remind_at = None

    def _begin_turn(self, now: datetime) -> None:
        mover, clock, side = self.mover, self.clock, self.ply % 2
        if mover is None or is_computer(mover):
            return
        if clock.per_move is not None:
            self.left = [clock.per_move, clock.per_move]
            self.deadline = max(now, self.away_until(mover) or now) + clock.per_move
            self.remind_at = self.last_reminder
        elif clock.base is not None:
            left = self.left[side]
            assert left is not None
            self.deadline = now + left
        self._call_later(mover, now)

    def _call_later(self, mover: str, now: datetime) -> None:
        """Schedule a reminder for somebody who keeps another person waiting."""
        if not self.is_between_people:
            return
        if self.clock.per_move is not None:
            self.remind_at = max(now, self.away_until(mover) or now) + CALLED_AFTER
        else:
            self.remind_at = now + (A_DAY if self.clock.base is None else CALLED_AFTER)


def position_after(rules: str, moves: tuple[int, ...], code: str | None) -> Position:
    """Replay moves, including the opening's; from one move before if that position is cached."""
    before = _POSITIONS.get((rules, moves[:-1], code))
    if before is not None and moves:
        position = before.after(moves[-1])
    else:
        position = Game.replay(Rules.parse(rules), moves, opening_code=code).position
    if len(_POSITIONS) > 1000:
        _POSITIONS.clear()
    _POSITIONS[rules, moves, code] = position
    return position


def _moves_the_board(event: EventView) -> bool:
    return event.kind == "swap" or event.kind.endswith("taken-back")
