"""Matches with their seats, moves and events: as rows, and replayed by the engine.

Every function takes the connection of the transaction it is part of, so that a
caller can combine several in one transaction.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict, dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from sqlalchemy import Text, bindparam, delete, func, insert, or_, select, update
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from bot.model.clocks import NO_CLOCK, ClockKind, ClockRules, Times, Turn, first_times
from bot.model.errors import InvalidClockError, TooManyMatchesError
from bot.model.match import (
    EventKind,
    Match,
    MatchEvent,
    MatchStatus,
    Seat,
    computer_seat,
    is_swapped,
)
from bot.model.starting import MOST_ONGOING
from bot.storage import explorer
from bot.storage.outbox import OutboxKind, announce, is_at
from bot.storage.preferences import save_player
from bot.storage.ratings import rate
from bot.storage.schema import event, match, move, player, screen, seat
from bot.storage.vacations import find_until
from bot.storage.writer import Row, Statement, Write, put
from engine import Cell, Game, LevelNumber, O, Ply, Rules, Side
from engine.records import EndReason

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from sqlalchemy import Connection, Select
    from sqlalchemy.sql.compiler import SQLCompiler

    from bot.model.decide import Change
    from bot.model.hosting import Shards
    from bot.model.starting import Start


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


class Shown(StrEnum):
    """How a match is shown. Stored as text: add members, never rename."""

    BOARD = "board"
    THINKING = "thinking"  # the computer's reply is still to come
    OVER = "over"
    STALE = "stale"  # it has to be drawn again
    GONE = "gone"  # nothing can be shown there any more
    BEGUN = "begun"  # as far as known not shown yet: it has just been stored


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenRow:
    """What is shown of a match, and in which message.

    Attributes:
        message_id: The message; None if it still has to be posted.
        shown_revision: The revision of the match that is shown; None if that is not known.
        player_id: The only person who sees it; None if others do too.
        token: Of the response that shows it first; None before that is sent, and once it is known.
        deadline: The deadline shown. It is compared when the rest is stored, but not stored.
    """

    match_id: int
    message_id: int | None = None
    shown_revision: int | None = None
    shown_as: Shown = Shown.STALE
    player_id: int | None = None
    token: str | None = None
    deadline: datetime | None = None

    @property
    def values(self) -> Row:
        """What is stored, by column."""
        return {name: value for name, value in asdict(self).items() if name != "deadline"}


def save_screens(connection: Connection, rows: Sequence[ScreenRow]) -> list[int]:
    """Store what is shown of matches, with one row for each.

    Returns:
        Those that show a deadline which was moved after they were read to be drawn.
    """
    ids = [row.match_id for row in rows]
    connection.execute(delete(screen).where(screen.c.match_id.in_(ids)))
    connection.execute(insert(screen), [row.values for row in rows])
    wanted = select(match.c.id, match.c.revision, match.c.deadline_at).where(match.c.id.in_(ids))
    due = {(number, revision): at for number, revision, at in connection.execute(wanted)}
    both = ((row, row.deadline, due.get((row.match_id, row.shown_revision))) for row in rows)
    # People are shown it to the second.
    return [row.match_id for row, at, now in both if at and now and abs(now - at) >= _SECOND]


def find_screen(connection: Connection, match_id: int) -> ScreenRow | None:
    """Return what is shown of a match; None if nothing ever was."""
    found = connection.execute(select(screen).where(screen.c.match_id == match_id)).mappings()
    row = found.one_or_none()
    return None if row is None else ScreenRow(**{**row, "shown_as": Shown(row["shown_as"])})


def list_behind(connection: Connection, home: Shards | None = None) -> list[int]:
    """Return the matches of some shards, or all, whose board is out of date and not given up.

    A finished match is among them unless its row says that it was shown as finished.
    """
    wanted = (
        select(screen.c.match_id)
        .join(match, match.c.id == screen.c.match_id)
        .where(
            screen.c.shown_as.not_in([Shown.OVER, Shown.GONE]),
            or_(
                screen.c.shown_revision.is_distinct_from(match.c.revision),
                screen.c.message_id.is_distinct_from(match.c.message_id),
                ~_IS_ONGOING,
            ),
            is_at(home, match.c.guild_id),
        )
        .order_by(match.c.updated_at)
    )
    return list(connection.execute(wanted).scalars())


# Statements are built once: building one costs as much as running it. What an update sets are the
# keys of a row that are columns.
_INSERT_MATCH = insert(match).returning(match.c.id)
_INSERT_SEAT = insert(seat)
_THIS = match.c.id == bindparam("given_id")
_AT_REVISION = match.c.revision == bindparam("given_revision")
_IS_ONGOING = match.c.status == MatchStatus.ONGOING
ADVANCE = Statement(update(match).where(_THIS, _AT_REVISION, _IS_ONGOING), rank=10, strict=True)
PLACE = Statement(
    update(match).where(
        _THIS, _AT_REVISION, match.c.message_id.is_not_distinct_from(bindparam("given_before"))
    ),
    rank=11,
    strict=True,
)
_IS_LATER = (move.c.match_id == bindparam("given_id")) & (move.c.ply >= bindparam("given_ply"))
TAKE_BACK = Statement(delete(move).where(_IS_LATER), rank=12)
ADD_MOVES = Statement(insert(move), rank=13)
ADD_EVENTS = Statement(insert(event), rank=14)
_IS_SEAT = (seat.c.match_id == bindparam("given_id")) & (seat.c.side == bindparam("given_side"))
SAVE_SEATS = Statement(update(seat).where(_IS_SEAT), rank=15, strict=True)


class _Listed(FunctionElement[int]):
    """The numbers in a JSON text: as separate values they would make a new statement each time."""

    inherit_cache = True


@compiles(_Listed)
def _in_sqlite(element: _Listed, compiler: SQLCompiler, **options: Any) -> str:
    given = compiler.process(element.clauses, **options)
    return f"(SELECT value FROM json_each({given}))"  # noqa: S608  # a parameter's place


@compiles(_Listed, "postgresql")
def _in_postgresql(element: _Listed, compiler: SQLCompiler, **options: Any) -> str:
    given = compiler.process(element.clauses, **options)
    texts = f"json_array_elements_text(CAST({given} AS json))"
    return f"(SELECT CAST(value AS bigint) FROM {texts})"  # noqa: S608  # a parameter's place


_GIVEN = _Listed(bindparam("given_ids", type_=Text))
_SEATS = (
    select(seat.c.match_id, seat.c.player_id, seat.c.level, player.c.name)
    .select_from(seat.outerjoin(player))
    .where(seat.c.match_id.op("IN")(_GIVEN))
    .order_by(seat.c.side)
)
_MOVES = (
    select(move.c.match_id, move.c.cell)
    .where(move.c.match_id.op("IN")(_GIVEN))
    .order_by(move.c.match_id, move.c.ply)
)
_EVENTS = (
    select(event)
    .where(event.c.match_id.op("IN")(_GIVEN))
    .order_by(event.c.match_id, event.c.number)
)

_SECOND = timedelta(seconds=1)
_NEWEST_FIRST = (match.c.updated_at.desc(), match.c.id.desc())


def begin(connection: Connection, start: Start, now: datetime) -> int:
    """Store a new match with its players, and return its number.

    Raises:
        TooManyMatchesError: If one of the players may not have another.
    """
    for taken in start.seats:
        if taken.player_id is not None:
            player_id, asker_id = taken.player_id, start.asker_id
            check_room(connection, player_id, taken.name, asker_id)
            save_player(connection, player_id=player_id, name=taken.name, seen_at=now, by=asker_id)
    game, times = start.game, _first_times(connection, start, now)
    match_id: int = connection.execute(
        _INSERT_MATCH,
        {
            "variant_key": game.rules.key,
            "rules": game.rules.key,
            "opening_code": game.opening_code,
            "status": MatchStatus.ONGOING,
            "ply": len(game.moves),
            "revision": len(game.moves) + game.swapped,
            "to_move": game.position.side,
            "previous_id": start.previous_id,
            "guild_id": start.guild_id,
            "channel_id": start.channel_id,
            "message_id": start.message_id,
            "created_at": now,
            "updated_at": now,
            "rated": int(start.rated),
            "clock": to_clock_key(start.clock),
            "deadline_at": times.deadline,
            "remind_at": times.remind_at,
            "left_x": times.left[0],
            "left_o": times.left[1],
        },
    ).scalar_one()
    connection.execute(
        _INSERT_SEAT,
        [
            {"match_id": match_id, "side": side, "player_id": who.player_id, "level": who.level}
            for side, who in enumerate(start.seats)
        ],
    )
    if start.channel_id is not None:
        begun = ScreenRow(match_id=match_id, message_id=start.message_id, shown_as=Shown.BEGUN)
        connection.execute(insert(screen), begun.values)
    writes = []
    if game.moves:
        writes.append(Write(ADD_MOVES, _move_rows(match_id, game.moves, 0, now)))
    if game.swapped:
        swap = MatchEvent(number=1, ply=1, kind=EventKind.SWAP, side=O, happened_at=now)
        writes.append(Write(ADD_EVENTS, _event_rows(match_id, (swap,))))
    put(connection, writes)
    if all(taken.player_id is not None for taken in start.seats):
        announce(connection, OutboxKind.BEGUN, match_id, start.guild_id)
    return match_id


def begin_all(connection: Connection, starts: Iterable[Start], now: datetime) -> None:
    """Store many new matches."""
    for start in starts:
        begin(connection, start, now)


def _first_times(connection: Connection, start: Start, now: datetime) -> Times:
    side = start.game.position.side
    taken = start.seats[side]
    person = taken.player_id
    turn = Turn(
        side=side,
        seat=taken,
        now=now,
        away_until=None if person is None else find_until(connection, person, now),
        against_person=all(each.level is None for each in start.seats),
    )
    return first_times(start.clock, turn)


def writes_of(change: Change) -> list[Write]:
    """Return the writes for a change: they store what differs afterwards."""
    before, after = change.before, change.after
    row = {
        "given_id": after.id,
        "given_revision": before.revision,
        "revision": after.revision,
        "ply": after.ply,
        "status": after.status,
        "to_move": after.side_to_move,
        "winner": after.winner,
        "end_reason": after.end_reason,
        "updated_at": after.updated_at,
        "ended_at": after.ended_at,
        "deadline_at": after.times.deadline,
        "remind_at": after.times.remind_at,
        "left_x": after.times.left[0],
        "left_o": after.times.left[1],
    }
    writes = [Write(ADVANCE, (row,))]
    if after.ply < before.ply:
        # An event keeps the moves that are removed.
        writes.append(Write(TAKE_BACK, ({"given_id": after.id, "given_ply": after.ply},)))
    elif after.ply > before.ply:
        added = after.moves[before.ply :]
        writes.append(Write(ADD_MOVES, _move_rows(after.id, added, before.ply, after.updated_at)))
    if len(after.events) > len(before.events):
        happened = after.events[len(before.events) :]
        writes.append(Write(ADD_EVENTS, _event_rows(after.id, happened)))
    if after.seats != before.seats:
        seats = tuple(
            {
                "given_id": after.id,
                "given_side": side,
                "player_id": who.player_id,
                "level": who.level,
            }
            for side, who in enumerate(after.seats)
        )
        writes.append(Write(SAVE_SEATS, seats))
    return writes


def _move_rows(
    match_id: int, cells: Sequence[Cell], first_ply: int, now: datetime
) -> tuple[Row, ...]:
    return tuple(
        {"match_id": match_id, "ply": ply, "cell": cell, "played_at": now}
        for ply, cell in enumerate(cells, first_ply)
    )


def _event_rows(match_id: int, events: Sequence[MatchEvent]) -> tuple[Row, ...]:
    return tuple(
        {
            "match_id": match_id,
            "number": event.number,
            "ply": event.ply,
            "kind": event.kind,
            "side": event.side,
            "happened_at": event.happened_at,
            "cells": " ".join(map(str, event.cells)) or None,
        }
        for event in events
    )


def end(connection: Connection, change: Change, also: Iterable[Write] = ()) -> None:
    """Store the end of a match with its ratings, explorer moves, announcement, and `also`."""
    put(connection, [*writes_of(change), *also])
    rate(connection, change.after, change.after.updated_at)
    explorer.enter(connection, change.after)
    if change.after.is_between_people:
        announce(connection, OutboxKind.RESULT, change.after.id, change.after.guild_id)


def place_writes(
    match_id: int,
    before: int | None,
    revision: int,
    *,
    channel_id: int,
    message_id: int,
    now: datetime,
) -> list[Write]:
    """Return the writes for a board that has moved away from the message `before`.

    They conflict if by now it is in another message, or the match is at another revision.
    """
    row = {
        "given_id": match_id,
        "given_before": before,
        "given_revision": revision,
        "channel_id": channel_id,
        "message_id": message_id,
        "updated_at": now,
    }
    return [Write(PLACE, (row,))]


def find_match(connection: Connection, match_id: int) -> MatchRow | None:
    """Return a match by its number."""
    return next(iter(_select(connection, select(match).where(match.c.id == match_id))), None)


def find_next(connection: Connection, match_id: int) -> MatchRow | None:
    """Return the match that was started to follow another."""
    wanted = select(match).where(match.c.previous_id == match_id)
    return next(iter(_select(connection, wanted)), None)


def find_latest(connection: Connection, player_id: int, channel_id: int | None) -> MatchRow | None:
    """Return a player's newest match, in a channel if given; an ongoing one before any other."""
    wanted = select(match).join(seat).where(seat.c.player_id == player_id)
    if channel_id is not None:
        wanted = wanted.where(match.c.channel_id == channel_id)
    order = (_IS_ONGOING.desc(), *_NEWEST_FIRST)
    return next(iter(_select(connection, wanted.order_by(*order).limit(1))), None)


def list_ongoing_in(connection: Connection, guild_id: int) -> list[int]:
    """Return the numbers of the ongoing matches in a server."""
    wanted = select(match.c.id).where(_IS_ONGOING, match.c.guild_id == guild_id)
    return list(connection.execute(wanted.order_by(match.c.id)).scalars())


def list_ongoing(connection: Connection, player_id: int) -> list[MatchRow]:
    """Return a player's ongoing matches, the newest first."""
    wanted = select(match).join(seat).where(seat.c.player_id == player_id)
    return _select(connection, wanted.where(_IS_ONGOING).order_by(*_NEWEST_FIRST))


def list_matches(connection: Connection, match_ids: Sequence[int]) -> list[MatchRow]:
    """Return matches by their numbers, in ascending order; missing ones are left out."""
    wanted = select(match).where(match.c.id.in_(match_ids)).order_by(match.c.id)
    return _select(connection, wanted)


def count_ongoing(connection: Connection, player_id: int | None = None) -> int:
    """Return how many ongoing matches a player has a seat in; how many there are at all if None."""
    counted = select(func.count()).select_from(match).where(_IS_ONGOING)
    if player_id is not None:
        counted = counted.join(seat).where(seat.c.player_id == player_id)
    return connection.execute(counted).scalar_one()


def check_room(connection: Connection, player_id: int, name: str, asker_id: int | None) -> None:
    """Check that a player may have another match, for the one who has asked; None: themselves.

    Raises:
        TooManyMatchesError: If they may not.
    """
    if count_ongoing(connection, player_id) >= MOST_ONGOING:
        raise TooManyMatchesError(MOST_ONGOING, None if asker_id in (None, player_id) else name)


def list_awaiting_computer(connection: Connection, home: Shards | None = None) -> list[MatchRow]:
    """Return the ongoing matches of some shards with the computer to move, the oldest first."""
    is_waited_for = (seat.c.side == match.c.to_move) & seat.c.level.is_not(None)
    wanted = select(match).join(seat).where(_IS_ONGOING, is_waited_for)
    wanted = wanted.where(is_at(home, match.c.guild_id))
    return _select(connection, wanted.order_by(match.c.id))


def _select(connection: Connection, wanted: Select[Any]) -> list[MatchRow]:
    """Return the matches that `wanted` selects, with their seats, moves and events."""
    found = connection.execute(wanted).mappings().all()
    ids = {"given_ids": json.dumps([row["id"] for row in found])}
    seats: defaultdict[int, list[SeatRow]] = defaultdict(list)
    moves: defaultdict[int, list[int]] = defaultdict(list)
    events: defaultdict[int, list[EventRow]] = defaultdict(list)
    for row in map(dict, connection.execute(_SEATS, ids).mappings()):
        seats[row.pop("match_id")].append(SeatRow(**row))
    for match_id, cell in connection.execute(_MOVES, ids):
        moves[match_id].append(cell)
    for row in map(dict, connection.execute(_EVENTS, ids).mappings()):
        events[row.pop("match_id")].append(EventRow(**row))
    return [
        MatchRow(
            **row,
            seats=tuple(seats[row["id"]]),
            moves=tuple(moves[row["id"]]),
            events=tuple(events[row["id"]]),
        )
        for row in found
    ]


class BrokenRecordError(Exception):
    """A stored match cannot be replayed: a bug, or another program has changed the file."""


def to_match(row: MatchRow) -> Match:
    """Replay a stored match.

    Raises:
        BrokenRecordError: If the rules forbid what is stored.
    """
    try:
        found = _replay(row)
    # From the engine, unknown kinds, and missing rows.
    except (ValueError, IndexError, InvalidClockError) as error:
        raise BrokenRecordError(f"match {row.id} cannot be replayed: {error}") from error
    if len(row.moves) != row.ply:
        raise BrokenRecordError(f"match {row.id} is at ply {row.ply} with {len(row.moves)} moves")
    if found.revision != row.revision:
        raise BrokenRecordError(
            f"match {row.id} is at revision {row.revision}, but its rows make {found.revision}"
        )
    return found


def _replay(row: MatchRow) -> Match:
    events = tuple(map(_to_event, row.events))
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
