"""Everything that is stored about one person, as rows to be handed to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import or_, select

from bot.storage import matches
from bot.storage.erasing import owned_tables
from bot.storage.match_rows import ONGOING
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

    from bot.storage.match_rows import MatchRow

Row = dict[str, Any]

_KNOWN = (player_setting, rating, rating_change, guild_player, vacation, block)


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonRows:
    """What is stored about a person besides their matches, by table.

    Attributes:
        others: Rows of the other tables, by table name.
    """

    person: Row | None
    preferences: list[Row]
    ratings: list[Row]
    challenges: list[Row]
    blocks: list[Row]
    vacations: list[Row]
    servers: list[Row]
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
    people = (challenge.c.challenger_id, challenge.c.opponent_id, challenge.c.taker_id)
    found = _rows(connection, player, player.c.id == player_id)
    bans = [each for each in load_bans(connection) if each.number == player_id]
    blocked = select(block.c.other_id, player.c.name, block.c.created_at).select_from(
        block.outerjoin(player, player.c.id == block.c.other_id)
    )
    return PersonRows(
        person=found[0] if found else None,
        preferences=_rows(connection, player_setting, player_setting.c.player_id == player_id),
        ratings=_rows(connection, rating, rating.c.player_id == player_id),
        challenges=_rows(connection, challenge, or_(*(column == player_id for column in people))),
        blocks=[
            dict(row)
            for row in connection.execute(
                blocked.where(block.c.player_id == player_id).order_by(block.c.created_at)
            ).mappings()
        ],
        vacations=_rows(connection, vacation, vacation.c.player_id == player_id),
        servers=_rows(connection, guild_player, guild_player.c.player_id == player_id),
        others={
            table.name: _rows(connection, table, table.c.player_id == player_id)
            for table in owned_tables()
            if table not in _KNOWN
        }
        | {"banned": [{"since": each.since} for each in bans]},
    )


def load_matches(
    connection: Connection, player_id: int, match_ids: Sequence[int]
) -> list[PersonMatch]:
    """Return some of a person's matches; ask for few at once, as their moves are loaded too."""
    times: dict[int, list[datetime]] = {}
    played = select(move.c.match_id, move.c.played_at).where(move.c.match_id.in_(match_ids))
    for match_id, played_at in connection.execute(played.order_by(move.c.match_id, move.c.ply)):
        times.setdefault(match_id, []).append(played_at)
    verdicts = _rows(connection, rated_match, rated_match.c.match_id.in_(match_ids))
    changes = _rows(
        connection,
        rating_change,
        rating_change.c.match_id.in_(match_ids) & (rating_change.c.player_id == player_id),
    )
    verdict_of = {row["match_id"]: row for row in verdicts}
    change_of = {row["match_id"]: row for row in changes}
    return [
        PersonMatch(
            row=row,
            played_at=tuple(times.get(row.id, ())),
            verdict=verdict_of.get(row.id),
            change=change_of.get(row.id),
        )
        for row in matches.list_matches(connection, match_ids)
    ]


def names_of(connection: Connection, player_ids: Sequence[int]) -> dict[int, str]:
    """Return the names of people, as far as they are known."""
    wanted = select(player.c.id, player.c.name).where(player.c.id.in_(player_ids))
    return {row.id: row.name for row in connection.execute(wanted)}


def count_holdings(connection: Connection, player_id: int) -> Holdings:
    """Return how much is stored about a person."""
    statuses = (
        connection.execute(select(match.c.status).join(seat).where(seat.c.player_id == player_id))
        .scalars()
        .all()
    )
    return Holdings(
        matches=len(statuses),
        ongoing=statuses.count(ONGOING),
        ratings=len(_rows(connection, rating, rating.c.player_id == player_id)),
    )


def _rows(connection: Connection, table: Table, where: ColumnElement[bool]) -> list[Row]:
    wanted = select(table).where(where).order_by(*table.primary_key)
    return [dict(row) for row in connection.execute(wanted).mappings()]
