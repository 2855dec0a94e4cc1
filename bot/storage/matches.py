"""Matches with their seats, moves and events, as rows.

Every function takes the connection of the transaction it is part of, so that a
caller can put what belongs together into one. What a row means for the game is
the business of `bot.matches`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, func, insert, select, update

from bot.storage.match_rows import ONGOING, ConflictError, EventRow, MatchRow, SeatRow, TimesRow
from bot.storage.schema import event, match, move, player, seat

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection, Select

    from bot.storage.match_rows import Seen, Standing

_NO_TIMES = TimesRow()

# Statements are built once: building one costs as much as running it.
_INSERT_MATCH = insert(match).returning(match.c.id)
_INSERT_SEAT = insert(seat)
_INSERT_MOVE = insert(move)
_INSERT_EVENT = insert(event)
# Its number counts everything up to an event and its ply the moves that it left; the
# moves since have been added to both.
REVISION = match.c.ply + func.coalesce(
    select(event.c.number + 1 - event.c.ply)
    .where(event.c.match_id == match.c.id)
    .order_by(event.c.number.desc())
    .limit(1)
    .scalar_subquery(),
    0,
)
_ADVANCE = (
    update(match)
    .where(
        match.c.id == bindparam("given_id"),
        bindparam("given_revision") == REVISION,
        match.c.status == ONGOING,
    )
    .values(
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


def insert_match(
    connection: Connection,
    *,
    variant_key: str,
    rules: str,
    opening_code: str | None,
    given_moves: tuple[int, ...],
    seats: tuple[SeatRow, SeatRow],
    standing: Standing,
    previous_id: int | None,
    guild_id: int | None,
    channel_id: int | None,
    now: datetime,
    rated: bool = False,
    clock: str | None = None,
    times: TimesRow = _NO_TIMES,
) -> int:
    """Store a new match with the moves that it begins with and return its number."""
    match_id: int = connection.execute(
        _INSERT_MATCH,
        {
            "variant_key": variant_key,
            "rules": rules,
            "opening_code": opening_code,
            "status": standing.status,
            "ply": len(given_moves),
            "to_move": standing.to_move,
            "previous_id": previous_id,
            "guild_id": guild_id,
            "channel_id": channel_id,
            "created_at": now,
            "updated_at": now,
            "rated": int(rated),
            "clock": clock,
            "deadline_at": times.deadline_at,
            "remind_at": times.remind_at,
            "left_x": times.left_x,
            "left_o": times.left_o,
        },
    ).scalar_one()
    for side, taken in enumerate(seats):
        connection.execute(
            _INSERT_SEAT,
            {
                "match_id": match_id,
                "side": side,
                "player_id": taken.player_id,
                "level": taken.level,
            },
        )
    if given_moves:
        connection.execute(
            _INSERT_MOVE,
            [
                {"match_id": match_id, "ply": ply, "cell": cell, "played_at": now}
                for ply, cell in enumerate(given_moves)
            ],
        )
    return match_id


def append_move(
    connection: Connection,
    seen: Seen,
    *,
    cell: int,
    standing: Standing,
    now: datetime,
    times: TimesRow = _NO_TIMES,
) -> None:
    """Store the move that was made at a moment, and what follows from it.

    Raises:
        ConflictError: If the match is not ongoing, or that moment has passed.
    """
    advance_match(connection, seen, ply=seen.ply + 1, standing=standing, now=now, times=times)
    _insert_move(connection, seen.match_id, ply=seen.ply, cell=cell, now=now)


def advance_match(
    connection: Connection,
    seen: Seen,
    *,
    ply: int,
    standing: Standing,
    now: datetime,
    times: TimesRow = _NO_TIMES,
) -> None:
    """Store what a match has come to, at `ply`, since a moment.

    Raises:
        ConflictError: If the match is not ongoing, or that moment has passed.
    """
    changed = connection.execute(
        _ADVANCE,
        {
            "given_id": seen.match_id,
            "given_revision": seen.revision,
            "next_ply": ply,
            "given_status": standing.status,
            "given_to_move": standing.to_move,
            "given_winner": standing.winner,
            "given_end_reason": standing.end_reason,
            "given_at": now,
            "given_ended_at": None if standing.end_reason is None else now,
            "given_deadline_at": times.deadline_at,
            "given_remind_at": times.remind_at,
            "given_left_x": times.left_x,
            "given_left_o": times.left_o,
        },
    )
    if changed.rowcount != 1:
        raise ConflictError(f"{seen} is not what there is")


def insert_event(connection: Connection, match_id: int, row: EventRow) -> None:
    """Store something that is no move."""
    connection.execute(
        _INSERT_EVENT,
        {
            "match_id": match_id,
            "number": row.number,
            "ply": row.ply,
            "kind": row.kind,
            "side": row.side,
            "happened_at": row.happened_at,
            "cells": row.cells,
        },
    )


def take_moves_back(connection: Connection, match_id: int, *, ply: int) -> None:
    """Remove the moves from `ply` on; an event of the same transaction has kept them."""
    connection.execute(_TAKE_BACK, {"given_id": match_id, "given_ply": ply})


def save_seats(connection: Connection, match_id: int, seats: tuple[SeatRow, SeatRow]) -> None:
    """Store who has the sides of a match now."""
    for side, taken in enumerate(seats):
        connection.execute(
            _SAVE_SEAT,
            {
                "given_id": match_id,
                "given_side": side,
                "given_player_id": taken.player_id,
                "given_level": taken.level,
            },
        )


def place_match(
    connection: Connection, match_id: int, *, channel_id: int, message_id: int, now: datetime
) -> None:
    """Store where the board of a match is shown."""
    connection.execute(
        _PLACE,
        {
            "given_id": match_id,
            "given_channel_id": channel_id,
            "given_message_id": message_id,
            "given_at": now,
        },
    )


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


def _insert_move(
    connection: Connection, match_id: int, *, ply: int, cell: int, now: datetime
) -> None:
    connection.execute(
        _INSERT_MOVE, {"match_id": match_id, "ply": ply, "cell": cell, "played_at": now}
    )


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
