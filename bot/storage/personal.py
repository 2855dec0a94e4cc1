"""Everything that is stored about one person, as rows to be handed to them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import or_, select

from bot.model.match import MatchStatus
from bot.storage.erasing import PEOPLE, owned_tables
from bot.storage.matches import MatchRow, list_matches
from bot.storage.preferences import load_bans
from bot.storage.schema import (
    block,
    challenge,
    guild_player,
    match,
    move,
    player,
    player_setting,
    rated_match,
    rating,
    rating_change,
    seat,
    vacation,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection, Table

Row = dict[str, Any]

_NAMED = {
    "preferences": player_setting,
    "ratings": rating,
    "servers": guild_player,
    "vacations": vacation,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonRows:
    """What is stored about a person besides their matches.

    Attributes:
        named: Rows of some tables, by the name for people.
        others: Rows of all others that belong to one person, by table name.
    """

    person: Row | None
    named: dict[str, list[Row]]
    challenges: list[Row]
    blocks: list[Row]
    others: dict[str, list[Row]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonMatch:
    """A person's match, with the times of its moves and its effect on their rating."""

    row: MatchRow
    played_at: tuple[datetime, ...]
    verdict: Row | None
    change: Row | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """How much is stored about a person."""

    matches: int
    ongoing: int
    ratings: int


def load_person(connection: Connection, player_id: int) -> PersonRows:
    """Return what is stored about a person besides their matches."""
    found = _rows(connection, player, player.c.id == player_id)
    bans = [{"since": each.since} for each in load_bans(connection) if each.number == player_id]
    blocked = (
        select(block.c.other_id, player.c.name, block.c.created_at)
        .select_from(block.outerjoin(player, player.c.id == block.c.other_id))
        .where(block.c.player_id == player_id)
        .order_by(block.c.created_at)
    )
    owned = {
        table: _rows(connection, table, table.c.player_id == player_id)
        for table in owned_tables()
        if table not in (rating_change, block)
    }
    return PersonRows(
        person=found[0] if found else None,
        named={name: owned.pop(table) for name, table in _NAMED.items()},
        challenges=_rows(connection, challenge, or_(*(each == player_id for each in PEOPLE))),
        blocks=[dict(row) for row in connection.execute(blocked).mappings()],
        others={table.name: rows for table, rows in owned.items()} | {"banned": bans},
    )


def load_matches(
    connection: Connection, player_id: int, match_ids: Sequence[int]
) -> list[PersonMatch]:
    """Return some of a person's matches; ask for few at once, as their moves are loaded too."""
    times: defaultdict[int, list[datetime]] = defaultdict(list)
    played = select(move.c.match_id, move.c.played_at).where(move.c.match_id.in_(match_ids))
    for match_id, played_at in connection.execute(played.order_by(move.c.match_id, move.c.ply)):
        times[match_id].append(played_at)
    verdicts = _rows(connection, rated_match, rated_match.c.match_id.in_(match_ids))
    theirs = rating_change.c.match_id.in_(match_ids) & (rating_change.c.player_id == player_id)
    verdict_of = {row["match_id"]: row for row in verdicts}
    change_of = {row["match_id"]: row for row in _rows(connection, rating_change, theirs)}
    return [
        PersonMatch(
            row=row,
            played_at=tuple(times[row.id]),
            verdict=verdict_of.get(row.id),
            change=change_of.get(row.id),
        )
        for row in list_matches(connection, match_ids)
    ]


def names_of(connection: Connection, player_ids: Sequence[int]) -> dict[int, str]:
    """Return the names of people, as far as they are known."""
    wanted = select(player.c.id, player.c.name).where(player.c.id.in_(player_ids))
    return {row.id: row.name for row in connection.execute(wanted)}


def count_holdings(connection: Connection, player_id: int) -> Holdings:
    """Return how much is stored about a person."""
    theirs = select(match.c.status).join(seat).where(seat.c.player_id == player_id)
    statuses = connection.execute(theirs).scalars().all()
    return Holdings(
        matches=len(statuses),
        ongoing=statuses.count(MatchStatus.ONGOING),
        ratings=len(_rows(connection, rating, rating.c.player_id == player_id)),
    )


def _rows(connection: Connection, table: Table, where: ColumnElement[bool]) -> list[Row]:
    wanted = select(table).where(where).order_by(*table.primary_key)
    return [dict(row) for row in connection.execute(wanted).mappings()]
