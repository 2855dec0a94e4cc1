"""A match: a game with people, a place where it is shown, and an end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from bot.model import offers
from bot.model.clock_rules import NO_CLOCK, ClockRules
from bot.model.events import MatchEvent, is_swapped
from bot.model.running_clocks import NO_TIMES, Times
from engine import Game
from engine.errors import Sentence, say

if TYPE_CHECKING:
    from datetime import datetime

    from engine import Outcome, Position, Rules


class MatchStatus(StrEnum):
    """Where a match is in its life. Stored as text: add members, never rename."""

    ONGOING = "ongoing"
    FINISHED = "finished"


class EndReason(StrEnum):
    """What ended a match. Stored as text: add members, never rename."""

    BOARD = "board"  # the rules did; `Match.outcome` says how
    RESIGNED = "resigned"
    TIME = "time"  # the loser's ran out
    AGREED = "agreed"  # a draw that both wanted


class FirstMove(StrEnum):
    """Who plays X, and so moves first."""

    YOU = "you"
    COMPUTER = "computer"
    RANDOM = "random"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A user of Discord, as far as a match needs to know.

    Attributes:
        id: The user's number at Discord.
        name: What others see there now.
        is_bot: Whether it is a program; nobody can play with those.
    """

    id: int
    name: str
    is_bot: bool = False


NOBODY: Final = 0
"""Stands for everybody who has had their data deleted. Discord gives this number to nobody."""


def is_stand_in(player_id: int) -> bool:
    """Tell whether a number is that of nobody in particular: Discord's are greater."""
    return player_id <= NOBODY


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """Who plays a side: a person, or the computer at a level.

    Attributes:
        name: Theirs, or what the computer is called in records of games.
        player_id: The person's number; None for the computer.
        level: The computer's level; None for a person.
    """

    name: str
    player_id: int | None = None
    level: int | None = None

    def __post_init__(self) -> None:
        if (self.player_id is None) == (self.level is None):
            raise ValueError(f"a seat is a person's or the computer's, got {self!r}")

    @property
    def has_left(self) -> bool:
        """Whether a stand-in sits here for somebody who has had their data deleted."""
        return self.player_id is not None and is_stand_in(self.player_id)

    @property
    def shown(self) -> str | Sentence:
        """The name to show: the computer is called otherwise in each language."""
        if self.has_left:
            return say("Deleted player")
        if self.level is None:
            return self.name
        return say("Computer, level {level}", level=self.level)


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A match as it is in storage at this moment.

    Attributes:
        id: Its number; never given out twice.
        variant_key: The variant it was started as.
        rules: The rules it is played by.
        opening_code: What was drawn before the first free move; None for most rules.
        seats: Who plays X and who plays O, after any swap of seats.
        moves: The cells played, in order, those of the opening first.
        events: What happened beside the moves, in order.
        position: Where the moves have led.
        status: Where it is in its life.
        winner: The side that has won; None while it goes on and for a draw.
        end_reason: What ended it; None while it goes on.
        previous_id: The match this one was started to follow, if any.
        guild_id: The server it was started in; None in private messages.
        channel_id: Where its board is shown.
        message_id: The message with its newest board; None before the first.
        created_at: When it was started.
        updated_at: When it was last changed.
        ended_at: When it ended.
        rated: Whether it counts for the ratings of its players.
        clock: How much time there is for a move.
        times: What its clocks show.
    """

    id: int
    variant_key: str
    rules: Rules
    opening_code: str | None
    seats: tuple[Seat, Seat]
    moves: tuple[int, ...]
    events: tuple[MatchEvent, ...]
    position: Position
    status: MatchStatus
    winner: int | None
    end_reason: EndReason | None
    previous_id: int | None
    guild_id: int | None
    channel_id: int | None
    message_id: int | None
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None
    rated: bool = False
    clock: ClockRules = NO_CLOCK
    times: Times = NO_TIMES

    @property
    def ply(self) -> int:
        """How many moves have been stored; what a button names to be current."""
        return len(self.moves)

    @property
    def revision(self) -> int:
        """How many moves and events have been stored; it only ever grows."""
        if not self.events:
            return self.ply
        last = self.events[-1]
        return last.number + 1 + self.ply - last.ply

    @property
    def swapped(self) -> bool:
        """Whether the second player has taken the first one's seat (pie rule)."""
        return is_swapped(self.events)

    @property
    def can_swap(self) -> bool:
        """Whether who is to move may swap seats instead of moving."""
        # The engine decides; asking it means a replay, which one move is short enough for.
        return not self.is_over and self.ply == 1 and self.game.can_swap

    @property
    def game(self) -> Game:
        """A game of one's own to take moves back in or to add some."""
        return Game.replay(
            self.rules, self.moves, opening_code=self.opening_code, swapped=self.swapped
        )

    @property
    def outcome(self) -> Outcome | None:
        """How the rules ended it; None while it goes on or if something else did."""
        return self.position.outcome

    @property
    def is_over(self) -> bool:
        """Whether nothing can be played any more."""
        return self.status is not MatchStatus.ONGOING

    @property
    def draw_offer(self) -> int | None:
        """The side whose offer of a draw waits for an answer, if there is one."""
        return offers.draw_offer_of(self)

    @property
    def takeback_offer(self) -> int | None:
        """The side that has asked to take back and waits for an answer, if there is one."""
        return offers.takeback_offer_of(self)

    @property
    def is_between_people(self) -> bool:
        """Whether the computer has no seat."""
        return all(seat.level is None for seat in self.seats)

    @property
    def side_to_move(self) -> int | None:
        """Whose turn it is; None once the match is over."""
        return None if self.is_over else self.position.side

    @property
    def seat_to_move(self) -> Seat | None:
        """Who is waited for; None once the match is over."""
        side = self.side_to_move
        return None if side is None else self.seats[side]

    @property
    def level_to_move(self) -> int | None:
        """The level of the computer if it is the one waited for, else None."""
        seat = self.seat_to_move
        return None if seat is None else seat.level

    @property
    def names(self) -> tuple[str | Sentence, str | Sentence]:
        """What to call X and O."""
        return self.seats[0].shown, self.seats[1].shown

    @property
    def result_in_words(self) -> Sentence:
        """A clause that says how it stands, such as "Anna won"."""
        if not self.is_over:
            return say("it is still going on")
        if self.winner is None:
            agreed = self.end_reason is EndReason.AGREED
            return say("it was a draw by agreement") if agreed else say("it was a draw")
        words = {
            EndReason.RESIGNED: say("{winner} won because {loser} resigned"),
            EndReason.TIME: say("{winner} won because {loser} ran out of time"),
        }.get(self.end_reason or EndReason.BOARD, say("{winner} won"))
        return words.format(winner=self.names[self.winner], loser=self.names[1 - self.winner])

    @property
    def deadline(self) -> datetime | None:
        """When the side to move loses on time; None if it cannot."""
        return self.times.deadline

    def is_overdue(self, now: datetime) -> bool:
        """Tell whether the time of the side to move has run out."""
        return self.deadline is not None and now >= self.deadline

    def time_left(self, side: int, now: datetime) -> timedelta | None:
        """Return what a side has still; None without a clock and for the computer."""
        if self.seats[side].level is not None:
            return None
        if side == self.side_to_move and self.deadline is not None:
            return max(timedelta(), self.deadline - now)
        return self.times.left[side]

    def has_player(self, user_id: int) -> bool:
        """Tell whether a person has a seat here."""
        return any(seat.player_id == user_id for seat in self.seats)

    def side_of(self, user_id: int) -> int | None:
        """Return the side a person plays; None if they have no seat."""
        for side, seat in enumerate(self.seats):
            if seat.player_id == user_id:
                return side
        return None


def computer_seat(level: int) -> Seat:
    """Return the seat of a computer, with the name it goes by."""
    return Seat(name=f"Computer, level {level}", level=level)
