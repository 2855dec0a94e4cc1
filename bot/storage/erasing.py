"""Taking a person out of every table, and remembering for a while that this was done.

What somebody shares with others stays: the games. In each their number is replaced by that of a
stand-in, a row of `player` that no account of Discord has. Each opponent gets one of their own:
what they have won against whom adds up as before, and nobody can tell from it that the stand-in
somebody else has played is the same person.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, func, insert, select, update

from bot.model.match import NOBODY, is_stand_in
from bot.model.ratings.tally import FINISHED
from bot.storage import ratings
from bot.storage.challenges import OPEN
from bot.storage.erasures import KEY, fingerprint_of, note_erasure
from bot.storage.match_rows import ONGOING
from bot.storage.matches import end
from bot.storage.outdated import note_messages_of
from bot.storage.people_schema import challenge, erasure
from bot.storage.preferences import delete_guild_settings
from bot.storage.rating_tables import guild_member
from bot.storage.schema import match, metadata, player, seat
from bot.storage.settings import save_setting

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy import Connection, Table

    from bot.model.changes import Change

DELETED_PLAYER: Final = "Deleted player"
"""What stands where their name was."""

REMEMBERED_FOR: Final = timedelta(days=30)
"""How long a deletion is remembered; backups are to be kept no longer."""

UNSEEN_FOR: Final = timedelta(days=90)
"""After so long a membership means nothing: leaderboards ask for a game within 30 days."""

_NO_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)  # when they came would tell who they were


class UnknownMatchError(Exception):
    """The person has a match that the caller did not know of."""


def owned_tables() -> list[Table]:
    """Return the tables whose rows are one person's: all with a `player_id` but the seats."""
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
    known: Iterable[int],
    now: datetime,
) -> list[int]:
    """End a person's matches, then take the person out of every table; all of it or nothing.

    Args:
        connection: The writer's, in a transaction.
        player_id: Who.
        endings: What becomes of the matches that go on.
        known: As for `erase`.
        now: When.

    Returns:
        The challenges that this has closed.

    Raises:
        UnknownMatchError: If there are other matches by now.
    """
    for change in endings:
        end(connection, change)
    return erase(connection, player_id, known=known, now=now)


def erase(
    connection: Connection, player_id: int, *, known: Iterable[int], now: datetime
) -> list[int]:
    """Take a person out of every table and return the challenges that this has closed.

    Blocks of others against them stay: they belong to those others.

    Args:
        connection: The writer's, in a transaction.
        player_id: Who.
        known: Their matches, all of which the caller has ended and will forget.
        now: When.

    Raises:
        UnknownMatchError: If there are others by now.
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
    """Take those out of a restored copy who had their data deleted since; return how many.

    Args:
        connection: To the copy.
        key: What the fingerprints were made with.
        noted: Fingerprints and when that was, as `load_noted` returns them.
    """
    count = 0
    for player_id, created_at in connection.execute(select(player.c.id, player.c.created_at)).all():
        erased_at = noted.get(fingerprint_of(key, player_id))
        # Who has come back since is a new person.
        if erased_at is not None and created_at <= erased_at and not is_stand_in(player_id):
            known = list_match_ids(connection, player_id)
            erase(connection, player_id, known=known, now=erased_at)
            count += 1
    save_setting(connection, KEY, key, now=max(noted.values(), default=_NO_TIME))
    connection.execute(delete(erasure))
    for fingerprint, erased_at in noted.items():
        connection.execute(insert(erasure), {"fingerprint": fingerprint, "erased_at": erased_at})
    return count


def forget_guild(connection: Connection, guild_id: int) -> None:
    """Forget what is set for a server, and who was seen there."""
    delete_guild_settings(connection, guild_id)
    connection.execute(delete(guild_member).where(guild_member.c.guild_id == guild_id))


def tidy_up(connection: Connection, now: datetime) -> None:
    """Drop what there is no reason to keep any more: old notes of deletions and memberships."""
    connection.execute(delete(erasure).where(erasure.c.erased_at <= now - REMEMBERED_FOR))
    connection.execute(delete(guild_member).where(guild_member.c.seen_at <= now - UNSEEN_FOR))


def _give_up(connection: Connection, player_id: int, now: datetime) -> None:
    """End what goes on still: in a restored copy, and matches that cannot be replayed.

    Nobody could end it later, as nobody sits there. What can be replayed in the database that
    is in use has been ended before, with what that means for ratings.
    """
    own = select(1 - seat.c.side).where(
        seat.c.match_id == match.c.id, seat.c.player_id == player_id
    )
    connection.execute(
        update(match)
        .where(match.c.status == ONGOING, own.exists())
        .values(
            status=FINISHED,
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
        stand_in = _new_stand_in(connection)
        connection.execute(
            update(seat)
            .where(seat.c.player_id == player_id, seat.c.match_id.in_(shared))
            .values(player_id=stand_in)
        )
    # Games against the computer add up to nothing of anybody's.
    _make_stand_in(connection, NOBODY)
    connection.execute(update(seat).where(seat.c.player_id == player_id).values(player_id=NOBODY))


def _new_stand_in(connection: Connection) -> int:
    lowest: int = connection.execute(select(func.min(player.c.id))).scalar_one()
    stand_in = min(NOBODY, lowest) - 1
    _make_stand_in(connection, stand_in)
    return stand_in


def _make_stand_in(connection: Connection, stand_in: int) -> None:
    if connection.execute(select(player.c.id).where(player.c.id == stand_in)).first() is None:
        values = {"id": stand_in, "name": DELETED_PLAYER}
        connection.execute(insert(player), values | {"created_at": _NO_TIME, "seen_at": _NO_TIME})


def _leave_challenges(connection: Connection, player_id: int, now: datetime) -> list[int]:
    """Close a person's open challenges, take them out of all, and return the closed ones."""
    _make_stand_in(connection, NOBODY)
    closed: list[int] = []
    for column, status in (
        (challenge.c.challenger_id, "withdrawn"),
        (challenge.c.opponent_id, "declined"),
    ):
        wanted = (
            update(challenge)
            .where(column == player_id, challenge.c.status == OPEN)
            .values(status=status, closed_at=now)
            .returning(challenge.c.id)
        )
        if status == "declined":
            wanted = wanted.values(taker_id=NOBODY)
        closed += connection.execute(wanted).scalars().all()
    for column in (challenge.c.challenger_id, challenge.c.opponent_id, challenge.c.taker_id):
        connection.execute(
            update(challenge).where(column == player_id).values({column.name: NOBODY})
        )
    return closed
