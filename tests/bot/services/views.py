"""What can be seen of matches and challenges, as plain values without the services' own names."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from engine import Position

Seats: TypeAlias = tuple[str, str]
"""Who plays X and O: the name of a person, or "level 2"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventView:
    """Something in a match other than a move."""

    number: int
    ply: int
    kind: str
    side: int
    at: datetime
    cells: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchView:
    """A match; `ended` is the reason and the winning side."""

    number: int
    rules: str
    code: str | None
    seats: Seats
    moves: tuple[int, ...]
    events: tuple[EventView, ...]
    position: Position
    revision: int
    draw_offered_by: str | None
    takeback_asked_by: str | None
    ended: tuple[str, int | None] | None
    previous: int | None
    guild: int | None
    channel: int | None
    message: int | None
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None
    rated: bool
    clock: str
    left: tuple[timedelta | None, timedelta | None]
    deadline: datetime | None
    remind_at: datetime | None

    @property
    def mover(self) -> str | None:
        """Who is to move."""
        return None if self.ended else self.seats[len(self.moves) % 2]

    @property
    def swapped(self) -> bool:
        """Whether the second player has the first one's seat, as the events say."""
        swapped = False
        for event in self.events:
            if event.kind == "swap":
                swapped = True
            elif event.kind == "swap-taken-back" or (event.kind == "taken-back" and not event.ply):
                swapped = False
        return swapped

    @property
    def is_between_people(self) -> bool:
        return not any(map(is_computer, self.seats))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeView:
    """A challenge; its `status` is "open" or what became of it."""

    number: int
    challenger: str
    opponent: str | None
    taker: str | None
    rules: str
    code: str | None
    side: int | None
    rated: bool
    clock: str
    status: str
    previous: int | None
    match: int | None
    guild: int | None
    channel: int | None
    message: int | None
    created_at: datetime
    expires_at: datetime
    closed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A step of a match that others were told of, and its news for each person.

    `news` holds pairs of a person and a kind; `done` those from whom nothing more is wanted.
    """

    before: MatchView | None
    after: MatchView
    by: str | None
    news: tuple[tuple[str, str], ...]
    done: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What came of one round of keeping time: matches, challenges, and whom it reminded."""

    settled: tuple[MatchView, ...] = ()
    expired: tuple[ChallengeView, ...] = ()
    reminded: tuple[tuple[int, str, str], ...] = ()


class RefusedError(Exception):
    """What was asked for is refused; `shown` is the match or challenge that comes with it."""

    def __init__(self, kind: str, shown: MatchView | ChallengeView | None = None) -> None:
        self.kind = kind
        self.shown = shown
        super().__init__(kind)


def is_computer(seat: str) -> bool:
    return seat.startswith("level ")
