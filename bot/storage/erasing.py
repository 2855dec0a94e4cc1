"""Removes a person from every table, and remembers for a while that this was done.

Games stay, as they are shared with others. In each, the person's number is replaced by that of a
stand-in, a row of `player` without a Discord account. Each opponent gets a stand-in of their own:
their results against each person add up as before, and nobody can tell that the stand-ins of two
opponents are the same person.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, delete, func, insert, or_, select, update

from bot.model.challenges import ChallengeStatus
from bot.model.match import NOBODY, MatchStatus
from bot.storage import ratings
from bot.storage.dailies import forget_posts
from bot.storage.erasures import KEY, find_still_stored, note_erasure
from bot.storage.matches import end
from bot.storage.preferences import find_setting, save_setting
from bot.storage.schema import (
    challenge,
    erasure,
    guild_player,
    guild_setting,
    match,
    metadata,
    mute,
    player,
    puzzle_run,
    seat,
)
from bot.storage.writer import put

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from sqlalchemy import Connection, Table

    from bot.model.decide import Change
    from bot.storage.writer import Write


_KEY: Final = "outdated_messages"

PEOPLE: Final = (challenge.c.challenger_id, challenge.c.opponent_id, challenge.c.taker_id)
"""Where a challenge names somebody."""

DELETED_PLAYER: Final = "Deleted player"
"""The name that replaces that of a deleted player."""

REMEMBERED_FOR: Final = timedelta(days=30)
"""How long a deletion is remembered; backups must not be kept longer."""

_NO_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)  # when they came would tell who they were


class Subject(StrEnum):
    """What a message shows."""

    MATCH = "match"
    CHALLENGE = "challenge"


@dataclass(frozen=True, slots=True)
class Outdated:
    """A message to be updated: that of a match or a challenge, by its number."""

    subject: Subject
    number: int


def note_messages_of(connection: Connection, player_id: int, now: datetime) -> None:
    """Note every message known to name a player, while they can still be identified."""
    matches = (
        select(match.c.id)
        .join(seat)
        .where(seat.c.player_id == player_id, match.c.message_id.is_not(None))
        .distinct()
        .order_by(match.c.id.desc())
    )
    # If the board, or the link to its thread, has replaced the challenge, the message shows the
    # match. Discord gives a thread the number of the message that it was started from.
    is_replaced = or_(
        match.c.message_id == challenge.c.message_id, match.c.channel_id == challenge.c.message_id
    )
    challenges = (
        select(challenge.c.id)
        .outerjoin(match, and_(challenge.c.match_id == match.c.id, is_replaced))
        .where(
            or_(*(column == player_id for column in PEOPLE)),
            challenge.c.message_id.is_not(None),
            match.c.id.is_(None),
        )
        .order_by(challenge.c.id.desc())
    )
    found = [
        Outdated(subject, number)
        for subject, wanted in ((Subject.MATCH, matches), (Subject.CHALLENGE, challenges))
        for number in connection.execute(wanted).scalars()
    ]
    noted = list_outdated(connection)
    if new := [each for each in found if each not in noted]:
        _save(connection, [*noted, *new], now)


def list_outdated(connection: Connection) -> list[Outdated]:
    """Return the messages that are to be updated."""
    noted = json.loads(find_setting(connection, _KEY) or "[]")
    return [Outdated(Subject(subject), number) for subject, number in noted]


def cross_out(connection: Connection, message: Outdated, now: datetime) -> None:
    """Forget a message that is up to date, or will never be."""
    noted = list_outdated(connection)
    if message in noted:
        _save(connection, [each for each in noted if each != message], now)


def _save(connection: Connection, messages: Iterable[Outdated], now: datetime) -> None:
    text = json.dumps([(each.subject, each.number) for each in messages])
    save_setting(connection, _KEY, text, now=now)


class UnknownMatchError(Exception):
    """The person has a match that the caller did not know of."""


def owned_tables() -> list[Table]:
    """Return the tables whose rows belong to one person: all with a `player_id` except seats."""
    return [
        table for table in metadata.sorted_tables if "player_id" in table.c and table is not seat
    ]


def list_match_ids(connection: Connection, player_id: int) -> list[int]:
    """Return the numbers of all matches that a person has a seat in."""
    wanted = select(seat.c.match_id).where(seat.c.player_id == player_id).distinct()
    return list(connection.execute(wanted.order_by(seat.c.match_id)).scalars())


def end_and_erase(
    connection: Connection,
    player_id: int,
    *,
    endings: Iterable[Change],
    news: Iterable[Write],
    known: Iterable[int],
    now: datetime,
) -> list[int]:
    """End a person's matches as `endings` say, then do what `erase` does, in one transaction.

    `news` are the writes that tell their opponents about it.

    Raises:
        UnknownMatchError: If they have other matches by now.
    """
    for change in endings:
        end(connection, change)
    put(connection, news)
    return erase(connection, player_id, known=known, now=now)


def erase(
    connection: Connection, player_id: int, *, known: Iterable[int], now: datetime
) -> list[int]:
    """Remove a person from every table, and return the challenges that this has closed.

    Blocks against them stay: they belong to those who set them. `known` are the matches
    that the caller has ended and will forget.

    Raises:
        UnknownMatchError: If they have others by now.
    """
    if not set(list_match_ids(connection, player_id)) <= set(known):
        raise UnknownMatchError
    note_messages_of(connection, player_id, now)
    _give_up(connection, player_id, now)
    _leave_seats(connection, player_id)
    closed = _leave_challenges(connection, player_id, now)
    ratings.delete_player(connection, player_id)
    for table in owned_tables():
        connection.execute(delete(table).where(table.c.player_id == player_id))
    connection.execute(delete(player).where(player.c.id == player_id))
    note_erasure(connection, player_id, now)
    return closed


def erase_noted(connection: Connection, key: str, noted: Mapping[str, datetime]) -> int:
    """Remove the people from a restored copy whose data was deleted since; return how many.

    `key` and `noted` are what `load_noted` returns.
    """
    returned = find_still_stored(connection, key, noted)
    for player_id, erased_at in returned.items():
        erase(connection, player_id, known=list_match_ids(connection, player_id), now=erased_at)
    save_setting(connection, KEY, key, now=max(noted.values(), default=_NO_TIME))
    connection.execute(delete(erasure))
    for fingerprint, erased_at in noted.items():
        connection.execute(insert(erasure), {"fingerprint": fingerprint, "erased_at": erased_at})
    return len(returned)


def note_guilds(
    connection: Connection,
    key: str,
    guild_ids: Collection[int],
    serves: Callable[[int], bool],
    now: datetime,
) -> None:
    """Remember under a key which servers the bot is in; those not served here stay as they are."""
    before = json.loads(find_setting(connection, key) or "[]")
    noted = {*guild_ids, *(each for each in before if not serves(each))}
    save_setting(connection, key, json.dumps(sorted(noted)), now=now)


def forget_guild(connection: Connection, guild_id: int) -> None:
    """Forget a server's settings, its daily puzzles, and its leaderboards."""
    forget_posts(connection, guild_id)
    for table in (guild_setting, guild_player):
        connection.execute(delete(table).where(table.c.guild_id == guild_id))
    here = update(puzzle_run).where(puzzle_run.c.guild_id == guild_id)
    connection.execute(here.values(guild_id=None))


def tidy_up(connection: Connection, now: datetime) -> None:
    """Drop what there is no reason to keep: old deletions, mutes of past games."""
    connection.execute(delete(erasure).where(erasure.c.erased_at <= now - REMEMBERED_FOR))
    over = select(match.c.id).where(
        match.c.id == mute.c.match_id, match.c.status != MatchStatus.ONGOING
    )
    connection.execute(delete(mute).where(over.exists()))


def _give_up(connection: Connection, player_id: int, now: datetime) -> None:
    """End the matches that still go on: in a restored copy, and those that cannot be replayed.

    Nobody could end them later, as nobody has that seat. In the database that is in use, matches
    that can be replayed have been ended before this, with their effect on ratings.
    """
    own = select(1 - seat.c.side).where(
        seat.c.match_id == match.c.id, seat.c.player_id == player_id
    )
    connection.execute(
        update(match)
        .where(match.c.status == MatchStatus.ONGOING, own.exists())
        .values(
            status=MatchStatus.FINISHED,
            to_move=None,
            winner=own.limit(1).scalar_subquery(),
            end_reason="resigned",
            ended_at=now,
            updated_at=now,
            deadline_at=None,
            remind_at=None,
        )
    )


def _leave_seats(connection: Connection, player_id: int) -> None:
    """Put stand-ins into a person's seats."""
    own, other = seat.alias("own"), seat.alias("other")
    opponents = (
        select(other.c.player_id)
        .select_from(own.join(other, own.c.match_id == other.c.match_id))
        .where(
            own.c.player_id == player_id,
            other.c.player_id.is_not(None),
            other.c.player_id != player_id,
        )
        .distinct()
        .order_by(other.c.player_id)
    )
    for opponent_id in connection.execute(opponents).scalars().all():
        shared = select(seat.c.match_id).where(seat.c.player_id == opponent_id)
        lowest: int = connection.execute(select(func.min(player.c.id))).scalar_one()
        stand_in = min(NOBODY, lowest) - 1
        _make_stand_in(connection, stand_in)
        connection.execute(
            update(seat)
            .where(seat.c.player_id == player_id, seat.c.match_id.in_(shared))
            .values(player_id=stand_in)
        )
    # Games against the computer are part of nobody else's results.
    _make_stand_in(connection, NOBODY)
    connection.execute(update(seat).where(seat.c.player_id == player_id).values(player_id=NOBODY))


def _make_stand_in(connection: Connection, stand_in: int) -> None:
    if connection.execute(select(player.c.id).where(player.c.id == stand_in)).first() is None:
        values = {"id": stand_in, "name": DELETED_PLAYER}
        connection.execute(insert(player), values | {"created_at": _NO_TIME, "seen_at": _NO_TIME})


def _leave_challenges(connection: Connection, player_id: int, now: datetime) -> list[int]:
    """Close a person's open challenges, remove the person from all, and return the closed ones."""
    _make_stand_in(connection, NOBODY)
    closed: list[int] = []
    for column, outcome in (
        (challenge.c.challenger_id, {"status": ChallengeStatus.WITHDRAWN}),
        (challenge.c.opponent_id, {"status": ChallengeStatus.DECLINED, "taker_id": NOBODY}),
    ):
        wanted = update(challenge).where(
            column == player_id, challenge.c.status == ChallengeStatus.OPEN
        )
        wanted = wanted.values(outcome | {"closed_at": now})
        closed += connection.execute(wanted.returning(challenge.c.id)).scalars()
    for column in PEOPLE:
        connection.execute(update(challenge).where(column == player_id).values({column: NOBODY}))
    return closed
