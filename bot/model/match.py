"""A match: a game with people, a place where it is shown, and an end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from bot.model.clocks import NO_CLOCK, NO_TIMES, ClockRules, Times
from bot.model.errors import MatchOverError, NotYourTurnError, StaleBoardError
from engine import Cell, Game, LevelNumber, O, Ply, Side, X, other
from engine.errors import Sentence, say
from engine.openings import opening_moves
from engine.records import EndReason

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from bot.model.actions import Request
    from engine import Outcome, Position, Rules


class EventKind(StrEnum):
    """What can happen in a match besides moves. Stored as text: add members, never rename."""

    SWAP = "swap"  # the side to move took the other seat instead of moving
    DRAW_OFFERED = "draw-offered"
    DRAW_DECLINED = "draw-declined"
    TAKEBACK_ASKED = "takeback-asked"
    TAKEBACK_DECLINED = "takeback-declined"
    TAKEN_BACK = "taken-back"  # moves were, and a swap with the first of them
    SWAP_TAKEN_BACK = "swap-taken-back"  # and the moves after it


BOARD_CHANGES: Final = frozenset({EventKind.SWAP, EventKind.TAKEN_BACK, EventKind.SWAP_TAKEN_BACK})
"""The events that make boards shown before out of date."""

TAKEBACKS: Final = BOARD_CHANGES - {EventKind.SWAP}


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEvent:
    """Something other than a move that happened in a match.

    Attributes:
        number: How many moves and events there had been before it.
        ply: The number of the position after it.
        side: The side that did it, as the seats were then.
        cells: The moves that it took back, oldest first.
    """

    number: int
    ply: Ply
    kind: EventKind
    side: Side
    happened_at: datetime
    cells: tuple[Cell, ...] = ()


def is_swapped(events: Iterable[MatchEvent]) -> bool:
    """Return whether seats are swapped after these events."""
    swapped = False
    for event in events:
        if event.kind is EventKind.SWAP:
            swapped = True
        elif event.kind is EventKind.SWAP_TAKEN_BACK or (
            event.kind is EventKind.TAKEN_BACK and event.ply == 0
        ):
            swapped = False
    return swapped


class MatchStatus(StrEnum):
    """Where a match is in its life. Stored as text: add members, never rename."""

    ONGOING = "ongoing"
    FINISHED = "finished"
    ANNULLED = "annulled"  # it counts for nobody


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
        name: The name that others see there now.
        is_bot: Whether it is a bot, which nobody can play against.
    """

    id: int
    name: str
    is_bot: bool = False


NOBODY: Final = 0
"""Stands for everybody who has deleted their data. No account of Discord has this number."""


def is_stand_in(player_id: int) -> bool:
    """Return whether a number is a stand-in's: those of Discord's accounts are greater."""
    return player_id <= NOBODY


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """Who plays a side: a person, or the computer at a level.

    Attributes:
        name: The person's name, or the computer's in game records.
        player_id: The person's number; None for the computer.
        level: The computer's level; None for a person.
    """

    name: str
    player_id: int | None = None
    level: LevelNumber | None = None

    def __post_init__(self) -> None:
        if (self.player_id is None) == (self.level is None):
            raise ValueError(f"a seat is a person's or the computer's, got {self!r}")

    @property
    def has_left(self) -> bool:
        """Whether a stand-in sits here for somebody who has had their data deleted."""
        return self.player_id is not None and is_stand_in(self.player_id)

    @property
    def shown(self) -> str | Sentence:
        """The name to show; the computer's differs by language."""
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
        opening_code: What was drawn before the first free move; None for most rules.
        seats: Who plays X and who plays O, after any swap of seats.
        moves: The cells played, in order, those of the opening first.
        events: What happened besides the moves, in order.
        position: Where the moves have led.
        winner: The side that has won; None while it goes on and for a draw.
        previous_id: The match this one was started to follow, if any.
        guild_id: The server it was started in; None in private messages.
        channel_id: Where its board is shown.
        message_id: The message with its newest board; None before the first.
        rated: Whether it counts for the ratings of its players.
    """

    id: int
    variant_key: str
    rules: Rules
    opening_code: str | None
    seats: tuple[Seat, Seat]
    moves: tuple[Cell, ...]
    events: tuple[MatchEvent, ...]
    position: Position
    status: MatchStatus
    winner: Side | None
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
    def ply(self) -> Ply:
        """How many moves have been stored; buttons carry it to show that they are current."""
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
        """Whether the side to move may swap seats instead of moving."""
        # The engine decides; asking it means a replay, which is quick for one move.
        return not self.is_over and self.ply == 1 and self.game.can_swap

    @property
    def game(self) -> Game:
        """A copy of the game, to take moves back in or to add some."""
        return Game.replay(
            self.rules, self.moves, opening_code=self.opening_code, swapped=self.swapped
        )

    @property
    def outcome(self) -> Outcome | None:
        """How it ended by the rules; None while it goes on or if something else ended it."""
        return self.position.outcome

    @property
    def is_over(self) -> bool:
        """Whether nothing can be played any more."""
        return self.status is not MatchStatus.ONGOING

    @property
    def is_annulled(self) -> bool:
        """Whether it was ended without a result."""
        return self.status is MatchStatus.ANNULLED

    @property
    def draw_offer(self) -> Side | None:
        """The side whose draw offer waits for an answer.

        The offer ends with the next move of the other side. The side that offers may
        still make its own move: players offer a draw together with a move.
        """
        event = _last(self, EventKind.DRAW_OFFERED, EventKind.DRAW_DECLINED)
        if event is None or event.kind is not EventKind.DRAW_OFFERED:
            return None
        moves_since = self.ply - event.ply
        own_move_only = moves_since == 1 and event.ply % 2 == event.side
        return event.side if moves_since == 0 or own_move_only else None

    @property
    def takeback_offer(self) -> Side | None:
        """The side whose takeback request waits for an answer; any move ends it."""
        event = _last(self, EventKind.TAKEBACK_ASKED, EventKind.TAKEBACK_DECLINED)
        if event is None or event.kind is not EventKind.TAKEBACK_ASKED or event.ply != self.ply:
            return None
        return event.side

    @property
    def is_between_people(self) -> bool:
        """Whether the computer has no seat."""
        return all(seat.level is None for seat in self.seats)

    @property
    def side_to_move(self) -> Side | None:
        """Whose turn it is; None once the match is over."""
        return None if self.is_over else self.position.side

    @property
    def seat_to_move(self) -> Seat | None:
        """The seat whose turn it is; None once the match is over."""
        side = self.side_to_move
        return None if side is None else self.seats[side]

    @property
    def level_to_move(self) -> LevelNumber | None:
        """The level of the computer if it is to move, else None."""
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
        if self.is_annulled:
            return say("the bot's host ended it, and it does not count")
        if self.winner is None:
            agreed = self.end_reason is EndReason.AGREED
            return say("it was a draw by agreement") if agreed else say("it was a draw")
        words = {
            EndReason.RESIGNED: say("{winner} won because {loser} resigned"),
            EndReason.TIME: say("{winner} won because {loser} ran out of time"),
        }.get(self.end_reason or EndReason.BOARD, say("{winner} won"))
        return words.format(winner=self.names[self.winner], loser=self.names[other(self.winner)])

    @property
    def deadline(self) -> datetime | None:
        """When the side to move loses on time; None if it cannot."""
        return self.times.deadline

    def is_overdue(self, now: datetime) -> bool:
        """Return whether the side to move has run out of time."""
        return self.deadline is not None and now >= self.deadline

    def time_left(self, side: Side, now: datetime) -> timedelta | None:
        """Return the time a side has left; None without a clock and for the computer."""
        if self.seats[side].level is not None:
            return None
        if side == self.side_to_move and self.deadline is not None:
            return max(timedelta(), self.deadline - now)
        return self.times.left[side]

    def time_shown(self, side: Side) -> timedelta | None:
        """Return a side's time when this was stored; None without a clock and for the computer.

        A clock that is paused, for a vacation or because the bot was away, shows no more
        than the time its turn began with.
        """
        left, now = self.times.left[side], self.time_left(side, self.updated_at)
        return None if left is None or now is None else min(left, now)

    def has_player(self, user_id: int) -> bool:
        """Return whether a person has a seat here."""
        return any(seat.player_id == user_id for seat in self.seats)

    def side_of(self, user_id: int) -> Side | None:
        """Return the side a person plays; None if they have no seat."""
        sides = (side for side, seat in enumerate(self.seats) if seat.player_id == user_id)
        return next(sides, None)


def computer_seat(level: LevelNumber) -> Seat:
    """Return the seat of a computer, with the name it goes by."""
    return Seat(name=f"Computer, level {level}", level=level)


PLIES_BETWEEN_DRAW_OFFERS: Final = 5
"""How many moves a player waits before offering a draw again."""


def plies_to_next_draw_offer(match: Match, side: Side) -> int:
    """Return how many moves a side has to wait before it may offer a draw; 0 if none."""
    for index in range(len(match.events) - 1, -1, -1):
        event = match.events[index]
        if event.kind is EventKind.DRAW_OFFERED:
            # When players changed sides, their offers went with them.
            exchanged = is_swapped(match.events[:index]) != match.swapped
            if (other(event.side) if exchanged else event.side) == side:
                return max(0, event.ply + PLIES_BETWEEN_DRAW_OFFERS - match.ply)
    return 0


_DECLINED: Final = {
    EventKind.DRAW_DECLINED: EventKind.DRAW_OFFERED,
    EventKind.TAKEBACK_DECLINED: EventKind.TAKEBACK_ASKED,
}
"""What each refusal is an answer to."""


def was_declined_here(match: Match, kind: EventKind) -> bool:
    """Return whether an offer was declined in this position, and not made again since."""
    event = _last(match, _DECLINED[kind], kind)
    return event is not None and event.kind is kind and event.ply == match.ply


def refusal_here(match: Match) -> tuple[MatchEvent, bool] | None:
    """Return what was just declined, and whether it was that side's own offer, which it withdrew.

    None once anything has happened since.
    """
    event = _last(match, *_DECLINED)
    if event is None or event.ply != match.ply or event is not match.events[-1]:
        return None
    offer = _last(match, _DECLINED[event.kind])
    return event, offer is not None and offer.side == event.side


def _last(match: Match, *kinds: EventKind) -> MatchEvent | None:
    """Return the last event of these kinds since the last takeback or swap of seats."""
    if match.is_over:
        return None
    for event in reversed(match.events):
        if event.kind in BOARD_CHANGES:
            return None
        if event.kind in kinds:
            return event
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class BackTo:
    """An earlier moment of a match to go back to.

    Attributes:
        ply: How many moves are left then.
        is_swap: Whether the turn to take back was a swap instead of a move.
        undoes_swap: Whether a swap of seats is undone on the way.
    """

    ply: Ply
    is_swap: bool = False
    undoes_swap: bool = False


def check_turn(match: Match, request: Request) -> None:
    """Make sure that the player who asks may move now.

    Raises:
        MatchOverError: If the match has ended.
        StaleBoardError: If it is no longer as they saw it.
        NotYourTurnError: If the other seat is to move.
    """
    seat = match.seat_to_move
    if seat is None:
        raise MatchOverError(match)
    if request.ply is not None and (
        request.ply != match.ply or not is_current(match, request.revision)
    ):
        raise StaleBoardError(match, request.ply)
    if seat.player_id != request.user_id:
        raise NotYourTurnError(match)


def is_current(match: Match, revision: int | None) -> bool:
    """Return whether only offers have been made since a revision at this ply.

    An offer changes neither marks nor seats: players who have not seen it may still move.
    """
    if revision is None:
        return True
    return revision <= match.revision and not any(
        event.number >= revision and event.kind in BOARD_CHANGES for event in match.events
    )


def was_played(match: Match, request: Request, cell: Cell) -> bool:
    """Return whether the player who asks has played this cell at the ply that they saw."""
    ply = request.ply
    if ply is None or not 0 <= ply < match.ply or match.moves[ply] != cell:
        return False
    side = ply % 2  # X plays the even plies in every variant
    if match.swapped and ply == 0:
        side = other(side)  # the player of that side has the other one now
    return match.seats[side].player_id == request.user_id


def was_swapped(match: Match, request: Request) -> bool:
    """Return whether the player who asks has swapped seats at the ply that they saw."""
    return match.swapped and any(
        event.kind is EventKind.SWAP
        and event.ply == request.ply
        and match.seats[other(event.side)].player_id == request.user_id
        for event in match.events
    )


def can_ask_takeback(match: Match) -> bool:
    """Return whether a player of a match between people may ask to take a turn back."""
    return (
        not match.rated
        and not was_declined_here(match, EventKind.TAKEBACK_DECLINED)
        and any(last_turn_of(match, side) is not None for side in (X, O))
    )


def can_undo(match: Match) -> bool:
    """Return whether the player of a match against the computer may take a turn back."""
    return not match.rated and any(
        seat.level is None and last_turn_of(match, side) is not None
        for side, seat in enumerate(match.seats)
    )


def can_offer_draw(match: Match) -> bool:
    """Return whether the player to move, whom the board addresses, may offer a draw now."""
    return not plies_to_next_draw_offer(match, match.position.side)


def last_move_of(match: Match) -> tuple[Side, Cell] | None:
    """Return the last move and the side of the player who made it; None before the first.

    Moves of the opening belong to nobody.
    """
    if match.ply <= _given(match):
        return None
    side = (match.ply - 1) % 2
    return (other(side) if match.swapped and match.ply == 1 else side), match.moves[-1]


def _given(match: Match) -> Ply:
    """Return how many moves were made by the opening."""
    code = match.opening_code
    return 0 if code is None else len(opening_moves(match.rules, code))


def last_turn_of(match: Match, side: Side) -> BackTo | None:
    """Return the moment before the last turn of the player who has a side now.

    A turn is a move or a swap. None if there is none besides the opening's moves.
    """
    swapped = match.swapped
    first = max(_given(match), 1 if swapped else 0)
    for ply in range(match.ply - 1, first - 1, -1):
        if ply % 2 == side:
            return BackTo(ply=ply)
    if not swapped:
        return None
    # The player of X has swapped; the player of O has made the first move.
    is_swap = side == X
    return BackTo(ply=1 if is_swap else 0, is_swap=is_swap, undoes_swap=True)
