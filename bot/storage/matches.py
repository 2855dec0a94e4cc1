"""Matches with their seats, moves and events, as rows.

Every function takes the connection of the transaction it is part of, so that a
caller can put what belongs together into one. What a row means for the game is
the business of `bot.matches`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, func, insert, select, update

from bot.model import running_clocks
from bot.model.errors import TooManyMatchesError
from bot.model.events import EventKind, MatchEvent
from bot.model.starting import MOST_ONGOING
from bot.storage.match_rows import (
    ONGOING,
    EventRow,
    MatchRow,
    SeatRow,
    to_clock_key,
    to_event_row,
    to_times_row,
)
from bot.storage.players import save_player
from bot.storage.rating_matches import rate
from bot.storage.schema import event, match, move, player, seat
from bot.storage.vacations import find_until
from bot.storage.writes import Row, Statement, Write, put
from engine import O

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from sqlalchemy import Connection, Select

    from bot.model.changes import Change
    from bot.model.running_clocks import Times
    from bot.model.starting import Start


# Statements are built once: building one costs as much as running it.
_INSERT_MATCH = insert(match).returning(match.c.id)
_INSERT_SEAT = insert(seat)
_INSERT_MOVE = insert(move)
_INSERT_EVENT = insert(event)
_ADVANCE = (
    update(match)
    .where(
        match.c.id == bindparam("given_id"),
        match.c.revision == bindparam("given_revision"),
        match.c.status == ONGOING,
    )
    .values(
        revision=bindparam("next_revision"),
        ply=bindparam("next_ply"),
        status=bindparam("given_status"),
        to_move=bindparam("given_to_move"),
        winner=bindparam("given_winner"),
        end_reason=bindparam("given_end_reason"),
        updated_at=bindparam("given_at"),
        ended_at=bindparam("given_ended_at"),
        deadline_at=bindparam("given_deadline_at"),
        remind_at=bindparam("given_remind_at"),
        left_x=bindparam("given_left_x"),
        left_o=bindparam("given_left_o"),
    )
)
_TAKE_BACK = delete(move).where(
    move.c.match_id == bindparam("given_id"), move.c.ply >= bindparam("given_ply")
)
_PLACE = (
    update(match)
    .where(match.c.id == bindparam("given_id"))
    .values(
        channel_id=bindparam("given_channel_id"),
        message_id=bindparam("given_message_id"),
        updated_at=bindparam("given_at"),
    )
)
_SAVE_SEAT = (
    update(seat)
    .where(seat.c.match_id == bindparam("given_id"), seat.c.side == bindparam("given_side"))
    .values(player_id=bindparam("given_player_id"), level=bindparam("given_level"))
)
# As one text: a list of values of its own length would be another statement each time.
_GIVEN = select(func.json_each(bindparam("given_ids")).table_valued("value").c.value)
_SEATS = (
    select(seat, player.c.name)
    .select_from(seat.outerjoin(player))
    .where(seat.c.match_id.in_(_GIVEN))
    .order_by(seat.c.side)
)
_MOVES = (
    select(move.c.match_id, move.c.cell)
    .where(move.c.match_id.in_(_GIVEN))
    .order_by(move.c.match_id, move.c.ply)
)
_EVENTS = (
    select(event).where(event.c.match_id.in_(_GIVEN)).order_by(event.c.match_id, event.c.number)
)
ADVANCE = Statement(_ADVANCE, rank=10, strict=True)
PLACE = Statement(_PLACE, rank=11)
TAKE_BACK = Statement(_TAKE_BACK, rank=12)
ADD_MOVES = Statement(_INSERT_MOVE, rank=13)
ADD_EVENTS = Statement(_INSERT_EVENT, rank=14)
SAVE_SEATS = Statement(_SAVE_SEAT, rank=15, strict=True)

_OWN = select(match).join(seat).where(seat.c.player_id == bindparam("given_player_id"))
_NEWEST_FIRST = (match.c.updated_at.desc(), match.c.id.desc())

_ONGOING_COUNT = (
    select(func.count())
    .select_from(match.join(seat))
    .where(seat.c.player_id == bindparam("given_player_id"), match.c.status == ONGOING)
)
_BY_ID = select(match).where(match.c.id == bindparam("given_id"))
_NEXT = select(match).where(match.c.previous_id == bindparam("given_id"))
_ONGOING_OF = _OWN.where(match.c.status == ONGOING).order_by(*_NEWEST_FIRST)
_LATEST = _OWN.order_by((match.c.status == ONGOING).desc(), *_NEWEST_FIRST).limit(1)
_LATEST_IN = _LATEST.where(match.c.channel_id == bindparam("given_channel_id"))
_AWAITING_COMPUTER = (
    select(match)
    .join(seat)
    .where(match.c.status == ONGOING, seat.c.side == match.c.to_move, seat.c.level.is_not(None))
    .order_by(match.c.id)
)


def begin(connection: Connection, start: Start, now: datetime) -> int:
    """Store a match that begins, with its people, and return its number.

    Raises:
        TooManyMatchesError: If one of them may have no more.
    """
    for taken in start.seats:
        if taken.player_id is not None:
            if count_ongoing(connection, taken.player_id) >= MOST_ONGOING:
                asked = start.asker_id in (None, taken.player_id)
                raise TooManyMatchesError(MOST_ONGOING, None if asked else taken.name)
            save_player(connection, player_id=taken.player_id, name=taken.name, seen_at=now)
    game = start.game
    match_id: int = connection.execute(
        _INSERT_MATCH,
        {
            "variant_key": game.rules.key,
            "rules": game.rules.key,
            "opening_code": game.opening_code,
            "status": ONGOING,
            "ply": len(game.moves),
            "revision": len(game.moves) + game.swapped,
            "to_move": game.position.side,
            "previous_id": start.previous_id,
            "guild_id": start.guild_id,
            "channel_id": start.channel_id,
            "created_at": now,
            "updated_at": now,
            "rated": int(start.rated),
            "clock": to_clock_key(start.clock),
            **asdict(to_times_row(_first_times(connection, start, now))),
        },
    ).scalar_one()
    connection.execute(
        _INSERT_SEAT,
        [
            {
                "match_id": match_id,
                "side": side,
                "player_id": taken.player_id,
                "level": taken.level,
            }
            for side, taken in enumerate(start.seats)
        ],
    )
    writes = []
    if game.moves:
        writes.append(Write(ADD_MOVES, _move_rows(match_id, game.moves, 0, now)))
    if game.swapped:
        swap = MatchEvent(number=1, ply=1, kind=EventKind.SWAP, side=O, happened_at=now)
        writes.append(Write(ADD_EVENTS, _event_rows(match_id, (swap,))))
    put(connection, writes)
    return match_id


def begin_all(connection: Connection, starts: Iterable[Start], now: datetime) -> None:
    """Store many matches that begin."""
    for start in starts:
        begin(connection, start, now)


def _first_times(connection: Connection, start: Start, now: datetime) -> Times:
    side = start.game.position.side
    taken = start.seats[side]
    away_until = None
    if taken.player_id is not None:
        away_until = find_until(connection, taken.player_id, now)
    return running_clocks.begin(
        start.clock, running_clocks.Turn(side=side, seat=taken, now=now, away_until=away_until)
    )


def writes_of(change: Change) -> list[Write]:
    """Return what to write for a change: what is different afterwards."""
    before, after = change.before, change.after
    row = {
        "given_id": after.id,
        "given_revision": before.revision,
        "next_revision": after.revision,
        "next_ply": after.ply,
        "given_status": after.status,
        "given_to_move": after.side_to_move,
        "given_winner": after.winner,
        "given_end_reason": after.end_reason,
        "given_at": after.updated_at,
        "given_ended_at": after.ended_at,
        "given_deadline_at": after.times.deadline,
        "given_remind_at": after.times.remind_at,
        "given_left_x": after.times.left[0],
        "given_left_o": after.times.left[1],
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
                "given_player_id": taken.player_id,
                "given_level": taken.level,
            }
            for side, taken in enumerate(after.seats)
        )
        writes.append(Write(SAVE_SEATS, seats))
    return writes


def _move_rows(
    match_id: int, cells: Sequence[int], first_ply: int, now: datetime
) -> tuple[Row, ...]:
    return tuple(
        {"match_id": match_id, "ply": ply, "cell": cell, "played_at": now}
        for ply, cell in enumerate(cells, first_ply)
    )


def _event_rows(match_id: int, events: Sequence[MatchEvent]) -> tuple[Row, ...]:
    return tuple({"match_id": match_id} | asdict(to_event_row(event)) for event in events)


def end(connection: Connection, change: Change) -> None:
    """Store the end of a match, and what it means for ratings and for who is seen where."""
    put(connection, writes_of(change))
    rate(connection, change.after, change.after.updated_at)


def place_writes(match_id: int, *, channel_id: int, message_id: int, now: datetime) -> list[Write]:
    """Return what to write for a board that is shown somewhere else."""
    row = {
        "given_id": match_id,
        "given_channel_id": channel_id,
        "given_message_id": message_id,
        "given_at": now,
    }
    return [Write(PLACE, (row,))]


def find_match(connection: Connection, match_id: int) -> MatchRow | None:
    """Return a match by its number."""
    return _first(_select(connection, _BY_ID, {"given_id": match_id}))


def find_next(connection: Connection, match_id: int) -> MatchRow | None:
    """Return the match that was started to follow another."""
    return _first(_select(connection, _NEXT, {"given_id": match_id}))


def find_latest(connection: Connection, player_id: int, channel_id: int | None) -> MatchRow | None:
    """Return a player's newest match, an ongoing one before any that has ended.

    Args:
        connection: Where to look.
        player_id: Who has a seat in it.
        channel_id: Where it is shown; None for anywhere.
    """
    if channel_id is None:
        return _first(_select(connection, _LATEST, {"given_player_id": player_id}))
    given = {"given_player_id": player_id, "given_channel_id": channel_id}
    return _first(_select(connection, _LATEST_IN, given))


def list_ongoing(connection: Connection, player_id: int) -> list[MatchRow]:
    """Return a player's ongoing matches, the newest first."""
    return _select(connection, _ONGOING_OF, {"given_player_id": player_id})


def list_matches(connection: Connection, match_ids: Sequence[int]) -> list[MatchRow]:
    """Return matches by their numbers, ordered by them; those that there are not are left out."""
    wanted = select(match).where(match.c.id.in_(match_ids)).order_by(match.c.id)
    return _select(connection, wanted, {})


def count_ongoing(connection: Connection, player_id: int) -> int:
    """Return how many ongoing matches a player has a seat in."""
    count: int = connection.execute(_ONGOING_COUNT, {"given_player_id": player_id}).scalar_one()
    return count


def list_awaiting_computer(connection: Connection) -> list[MatchRow]:
    """Return the ongoing matches with the computer to move, the oldest first."""
    return _select(connection, _AWAITING_COMPUTER, {})


def _select(connection: Connection, wanted: Select[Any], given: dict[str, Any]) -> list[MatchRow]:
    """Return the matches that `wanted` selects, with their seats, moves and events."""
    found = connection.execute(wanted, given).mappings().all()
    ids = {"given_ids": json.dumps([row["id"] for row in found])}
    seats: defaultdict[int, list[SeatRow]] = defaultdict(list)
    moves: defaultdict[int, list[int]] = defaultdict(list)
    events: defaultdict[int, list[EventRow]] = defaultdict(list)
    for row in connection.execute(_SEATS, ids).mappings():
        taken = SeatRow(player_id=row["player_id"], name=row["name"], level=row["level"])
        seats[row["match_id"]].append(taken)
    for match_id, cell in connection.execute(_MOVES, ids):
        moves[match_id].append(cell)
    for match_id, *rest in connection.execute(_EVENTS, ids):
        events[match_id].append(_to_event(*rest))
    return [_to_row(row, seats[row["id"]], moves[row["id"]], events[row["id"]]) for row in found]


def _to_row(row: Any, seats: list[SeatRow], moves: list[int], events: list[EventRow]) -> MatchRow:
    first, second = seats
    return MatchRow(**row, seats=(first, second), moves=tuple(moves), events=tuple(events))


def _to_event(
    number: int, ply: int, kind: str, side: int, happened_at: datetime, cells: str | None
) -> EventRow:
    return EventRow(
        number=number, ply=ply, kind=kind, side=side, happened_at=happened_at, cells=cells
    )


def _first(rows: list[MatchRow]) -> MatchRow | None:
    return rows[0] if rows else None
