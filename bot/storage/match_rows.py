"""The rows of a match, and how a match is built from them: the engine replays it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.model.clocks import NO_CLOCK, ClockKind, ClockRules, Times
from bot.model.errors import InvalidClockError
from bot.model.match import (
    EventKind,
    Match,
    MatchEvent,
    MatchStatus,
    Seat,
    computer_seat,
    is_swapped,
)
from engine import Cell, Game, LevelNumber, Ply, Rules, Side
from engine.records import EndReason

if TYPE_CHECKING:
    from datetime import datetime, timedelta

ONGOING = "ongoing"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRow:
    """Who has a side: a player with a name, or the computer at a level."""

    player_id: int | None = None
    name: str | None = None
    level: LevelNumber | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """An event that is not a move; `ply` is that of the position after it."""

    number: int
    ply: Ply
    kind: str
    side: Side
    happened_at: datetime
    cells: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRow:
    """A match as it is stored; `seats` are the current ones, of sides 0 and 1."""

    id: int
    variant_key: str
    rules: str
    opening_code: str | None
    status: str
    ply: Ply
    to_move: int | None
    winner: Side | None
    end_reason: str | None
    previous_id: int | None
    guild_id: int | None
    channel_id: int | None
    message_id: int | None
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None
    rated: int = 0
    clock: str | None = None
    deadline_at: datetime | None = None
    remind_at: datetime | None = None
    left_x: timedelta | None = None
    left_o: timedelta | None = None
    revision: int
    seats: tuple[SeatRow, ...]
    moves: tuple[Cell, ...]
    events: tuple[EventRow, ...]


class BrokenRecordError(Exception):
    """A stored match cannot be replayed: a bug, or another program has changed the file."""


def to_match(row: MatchRow) -> Match:
    """Replay a stored match.

    Raises:
        BrokenRecordError: If the rules forbid what is stored.
    """
    try:
        match = _replay(row)
    # From the engine, unknown kinds, and missing rows.
    except (ValueError, IndexError, InvalidClockError) as error:
        raise BrokenRecordError(f"match {row.id} cannot be replayed: {error}") from error
    if len(row.moves) != row.ply:
        raise BrokenRecordError(f"match {row.id} is at ply {row.ply} with {len(row.moves)} moves")
    if match.revision != row.revision:
        raise BrokenRecordError(
            f"match {row.id} is at revision {row.revision}, but its rows make {match.revision}"
        )
    return match


def _replay(row: MatchRow) -> Match:
    events = tuple(_to_event(event) for event in row.events)
    rules, swapped = Rules.parse(row.rules), is_swapped(events)
    game = Game.replay(rules, row.moves, opening_code=row.opening_code, swapped=swapped)
    if game.swapped != swapped:
        raise ValueError("it has a swap without a move")
    return Match(
        id=row.id,
        variant_key=row.variant_key,
        rules=rules,
        opening_code=row.opening_code,
        seats=(_to_seat(row.seats[0]), _to_seat(row.seats[1])),
        moves=row.moves,
        events=events,
        position=game.position,
        status=MatchStatus(row.status),
        winner=row.winner,
        end_reason=None if row.end_reason is None else EndReason(row.end_reason),
        previous_id=row.previous_id,
        guild_id=row.guild_id,
        channel_id=row.channel_id,
        message_id=row.message_id,
        created_at=row.created_at,
        updated_at=row.updated_at,
        ended_at=row.ended_at,
        rated=bool(row.rated),
        clock=to_clock(row.clock),
        times=Times(
            left=(row.left_x, row.left_o), deadline=row.deadline_at, remind_at=row.remind_at
        ),
    )


def to_clock(key: str | None) -> ClockRules:
    """Return the clock rules that are stored as `key`.

    Raises:
        InvalidClockError: If there are no such rules.
    """
    return NO_CLOCK if key is None else ClockRules.parse(key)


def to_clock_key(clock: ClockRules) -> str | None:
    """Return the key that clock rules are stored as; None without a clock."""
    return None if clock.kind is ClockKind.NONE else clock.key


def _to_event(row: EventRow) -> MatchEvent:
    return MatchEvent(
        number=row.number,
        ply=row.ply,
        kind=EventKind(row.kind),
        side=row.side,
        happened_at=row.happened_at,
        cells=tuple(int(cell) for cell in (row.cells or "").split()),
    )


def _to_seat(row: SeatRow) -> Seat:
    if row.level is not None:
        return computer_seat(row.level)
    if row.name is None:
        raise ValueError(f"nothing is stored of player {row.player_id}")
    return Seat(name=row.name, player_id=row.player_id)
