"""Challenges and who wants none from whom, as rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, exists, func, insert, or_, select, update

from bot.model.challenge import MOST_OPEN, NAMED_FOR, OPEN_FOR, Challenge, ChallengeStatus
from bot.model.decide.challenges import Offer, check_blocks
from bot.model.errors import CannotChallengeError, TooManyChallengesError, TooManyMatchesError
from bot.model.match import Person
from bot.model.starting import MOST_ONGOING
from bot.storage.match_rows import to_clock, to_clock_key
from bot.storage.matches import begin, count_ongoing, find_next
from bot.storage.people_schema import block, challenge
from bot.storage.players import save_player
from bot.storage.schema import player
from engine.errors import say

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection, Select

    from bot.model.starting import Start

OPEN = "open"
EXPIRED = "expired"


class ClosedError(Exception):
    """The challenge is not open any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeRow:
    """A challenge as it is stored, with the names its people have now."""

    id: int
    challenger_id: int
    opponent_id: int | None
    taker_id: int | None
    variant_key: str
    opening_code: str | None
    side: int | None
    rated: int
    clock: str | None
    status: str
    previous_id: int | None
    match_id: int | None
    guild_id: int | None
    channel_id: int | None
    message_id: int | None
    created_at: datetime
    expires_at: datetime
    closed_at: datetime | None
    challenger_name: str
    opponent_name: str | None
    taker_name: str | None


_challenger, _opponent, _taker = (player.alias(name) for name in ("c", "o", "t"))
_CHALLENGES = select(
    challenge,
    _challenger.c.name.label("challenger_name"),
    _opponent.c.name.label("opponent_name"),
    _taker.c.name.label("taker_name"),
).select_from(
    challenge.join(_challenger, _challenger.c.id == challenge.c.challenger_id)
    .outerjoin(_opponent, _opponent.c.id == challenge.c.opponent_id)
    .outerjoin(_taker, _taker.c.id == challenge.c.taker_id)
)
_BY_ID = _CHALLENGES.where(challenge.c.id == bindparam("given_id"))
_WAITING = _CHALLENGES.where(
    challenge.c.status == OPEN, challenge.c.expires_at > bindparam("given_now")
).order_by(challenge.c.id.desc())
# It is asked for right after it was accepted, so reading from the newest on finds it at once.
_BY_MATCH = (
    _CHALLENGES.where(challenge.c.match_id == bindparam("given_id"))
    .order_by(challenge.c.id.desc())
    .limit(1)
)
_COUNT = select(func.count()).where(
    challenge.c.challenger_id == bindparam("given_id"),
    challenge.c.status == OPEN,
    challenge.c.expires_at > bindparam("given_now"),
)
_CLOSE = (
    update(challenge)
    .where(challenge.c.id == bindparam("given_id"), challenge.c.status == OPEN)
    .values(
        status=bindparam("given_status"),
        taker_id=bindparam("given_taker_id"),
        match_id=bindparam("given_match_id"),
        closed_at=bindparam("given_at"),
    )
)
_OVERDUE = _CHALLENGES.where(
    challenge.c.status == OPEN, challenge.c.expires_at <= bindparam("given_now")
).order_by(challenge.c.id)


def insert_challenge(connection: Connection, values: dict[str, Any]) -> int:
    """Store a new challenge and return its number."""
    given = values | {"status": OPEN}
    challenge_id: int = connection.execute(
        insert(challenge).returning(challenge.c.id), given
    ).scalar_one()
    return challenge_id


def find_challenge(connection: Connection, challenge_id: int) -> ChallengeRow | None:
    """Return a challenge by its number."""
    rows = _select(connection, _BY_ID, {"given_id": challenge_id})
    return rows[0] if rows else None


def find_accepted(connection: Connection, match_id: int) -> ChallengeRow | None:
    """Return the challenge that a match came of; None if it came of none."""
    rows = _select(connection, _BY_MATCH, {"given_id": match_id})
    return rows[0] if rows else None


def close_challenge(
    connection: Connection,
    challenge_id: int,
    *,
    status: str,
    now: datetime,
    taker_id: int | None = None,
    match_id: int | None = None,
) -> None:
    """Store what has become of an open challenge.

    Raises:
        ClosedError: If it is not open any more.
    """
    given = {
        "given_id": challenge_id,
        "given_status": status,
        "given_taker_id": taker_id,
        "given_match_id": match_id,
        "given_at": now,
    }
    if connection.execute(_CLOSE, given).rowcount != 1:
        raise ClosedError(challenge_id)


def place_challenge(
    connection: Connection, challenge_id: int, *, channel_id: int, message_id: int
) -> None:
    """Store where a challenge is shown."""
    connection.execute(
        update(challenge)
        .where(challenge.c.id == challenge_id)
        .values(channel_id=channel_id, message_id=message_id)
    )


def count_open(connection: Connection, player_id: int, now: datetime) -> int:
    """Return how many challenges of a player wait for an answer."""
    count: int = connection.execute(_COUNT, {"given_id": player_id, "given_now": now}).scalar_one()
    return count


def list_lobby(
    connection: Connection,
    *,
    guild_id: int | None,
    channel_id: int | None,
    now: datetime,
    user_id: int | None = None,
) -> list[ChallengeRow]:
    """Return the challenges that anyone may take, the newest first.

    With a `user_id` those only that this person could take: none of their own, and of
    nobody who has blocked them or whom they have blocked.
    """
    wanted = _WAITING.where(challenge.c.opponent_id.is_(None))
    if user_id is not None:
        challenger = challenge.c.challenger_id
        theirs = (block.c.player_id == user_id) & (block.c.other_id == challenger)
        of_them = (block.c.player_id == challenger) & (block.c.other_id == user_id)
        blocked = exists().where(or_(theirs, of_them))
        wanted = wanted.where(challenger != user_id, ~blocked)
    if guild_id is not None:
        wanted = wanted.where(challenge.c.guild_id == guild_id)
    if channel_id is not None:
        wanted = wanted.where(challenge.c.channel_id == channel_id)
    return _select(connection, wanted, {"given_now": now})


def list_of(connection: Connection, player_id: int, now: datetime) -> list[ChallengeRow]:
    """Return the challenges that wait for an answer from or to a player, the newest first."""
    wanted = _WAITING.where(
        or_(challenge.c.challenger_id == player_id, challenge.c.opponent_id == player_id)
    )
    return _select(connection, wanted, {"given_now": now})


def find_rematch(connection: Connection, match_id: int, now: datetime) -> ChallengeRow | None:
    """Return the challenge to follow a match that waits for an answer."""
    wanted = _WAITING.where(challenge.c.previous_id == match_id)
    rows = _select(connection, wanted, {"given_now": now})
    return rows[0] if rows else None


def list_overdue(connection: Connection, now: datetime) -> list[ChallengeRow]:
    """Return the open challenges whose time is over, the oldest first."""
    return _select(connection, _OVERDUE, {"given_now": now})


def save_block(connection: Connection, player_id: int, other_id: int, now: datetime) -> None:
    """Remember that a player wants no challenges from another."""
    if not is_blocked(connection, player_id, other_id):
        values = {"player_id": player_id, "other_id": other_id, "created_at": now}
        connection.execute(insert(block), values)


def remove_block(connection: Connection, player_id: int, other_id: int) -> None:
    """Forget that again."""
    connection.execute(
        delete(block).where(block.c.player_id == player_id, block.c.other_id == other_id)
    )


def is_blocked(connection: Connection, player_id: int, other_id: int) -> bool:
    """Tell whether a player wants no challenges from another."""
    wanted = select(block.c.created_at).where(
        block.c.player_id == player_id, block.c.other_id == other_id
    )
    return connection.execute(wanted).first() is not None


def list_blocked(connection: Connection, player_id: int) -> list[int]:
    """Return whom a player has blocked, the latest first."""
    wanted = (
        select(block.c.other_id)
        .where(block.c.player_id == player_id)
        .order_by(block.c.created_at.desc(), block.c.other_id)
    )
    return list(connection.execute(wanted).scalars())


def _select(
    connection: Connection, wanted: Select[Any], given: dict[str, Any]
) -> list[ChallengeRow]:
    return [ChallengeRow(**row) for row in connection.execute(wanted, given).mappings()]


def offer(connection: Connection, offered: Offer, now: datetime) -> int:
    """Store a challenge, if both may have it, and return its number.

    Raises:
        TooManyChallengesError: If the challenger has as many open ones as one may have.
        TooManyMatchesError: If one of the two has as many matches as one may have.
        CannotChallengeError: If one of the two has blocked the other.
    """
    if count_open(connection, offered.challenger.id, now) >= MOST_OPEN:
        raise TooManyChallengesError(MOST_OPEN)
    _check_room(connection, offered.persons, offered.challenger.id)
    if offered.opponent is not None:
        _check_blocks(connection, offered.challenger, offered.opponent)
    lasts = OPEN_FOR if offered.opponent is None else NAMED_FOR
    return _insert(connection, offered, now, now + lasts)


def accept(
    connection: Connection, challenge: Challenge, taker: Person, start: Start, now: datetime
) -> int:
    """Close a challenge and begin its match, or neither; return the match's number.

    Raises:
        ClosedError: If it is not open any more.
        CannotChallengeError: If one of the two has blocked the other, or the match that it
            follows has been followed already.
        TooManyMatchesError: If one of the two has as many matches as one may have.
    """
    stored = find_challenge(connection, challenge.id)
    if stored is None or stored.status != OPEN:
        raise ClosedError(challenge.id)
    _check_blocks(connection, taker, challenge.challenger, taking=True)
    _check_follows(connection, challenge)
    match_id = begin(connection, start, now)
    close_challenge(
        connection,
        challenge.id,
        status=ChallengeStatus.ACCEPTED,
        now=now,
        taker_id=taker.id,
        match_id=match_id,
    )
    return match_id


def block_player(connection: Connection, user_id: int, other_id: int, now: datetime) -> list[int]:
    """Store that a person wants no challenges from another, and close those between them.

    Returns:
        The numbers of the challenges that were waiting: theirs is declined, one's own
        withdrawn, as if it had been done by hand.
    """
    save_block(connection, user_id, other_id, now)
    closed = []
    for row in list_of(connection, user_id, now):
        if {row.challenger_id, row.opponent_id} == {user_id, other_id}:
            own = row.challenger_id == user_id
            close_challenge(
                connection,
                row.id,
                status=ChallengeStatus.WITHDRAWN if own else ChallengeStatus.DECLINED,
                now=now,
                taker_id=None if own else user_id,
            )
            closed.append(row.id)
    return closed


def expire(connection: Connection, now: datetime) -> list[Challenge]:
    """Close the challenges whose time is over and return them."""
    found = list_overdue(connection, now)
    for row in found:
        close_challenge(connection, row.id, status=EXPIRED, now=now)
    return [replace(to_challenge(row, now), closed_at=now) for row in found]


def _check_blocks(
    connection: Connection, asker: Person, other: Person, *, taking: bool = False
) -> None:
    check_blocks(
        other,
        has_blocked=is_blocked(connection, asker.id, other.id),
        is_blocked=is_blocked(connection, other.id, asker.id),
        taking=taking,
    )


def _check_room(connection: Connection, persons: tuple[Person, ...], asker_id: int) -> None:
    """Make sure that all of them may have one more match.

    Raises:
        TooManyMatchesError: If one of them may not.
    """
    for person in persons:
        if count_ongoing(connection, person.id) >= MOST_ONGOING:
            raise TooManyMatchesError(MOST_ONGOING, None if person.id == asker_id else person.name)


def _check_follows(connection: Connection, challenge: Challenge) -> None:
    """Make sure that a rematch is still to be played.

    Raises:
        CannotChallengeError: If that match has been followed by another one already.
    """
    followed = challenge.previous_id
    if followed is not None and find_next(connection, followed) is not None:
        raise CannotChallengeError(say("The next game between you two has begun already."))


def _insert(connection: Connection, offer: Offer, now: datetime, expires_at: datetime) -> int:
    """Store a challenge with its people and return its number."""
    for person in offer.persons:
        save_player(connection, player_id=person.id, name=person.name, seen_at=now)
    return insert_challenge(
        connection,
        {
            "challenger_id": offer.challenger.id,
            "opponent_id": None if offer.opponent is None else offer.opponent.id,
            "variant_key": offer.variant_key,
            "opening_code": offer.opening_code,
            "side": offer.side,
            "rated": int(offer.rated),
            "clock": to_clock_key(offer.clock),
            "previous_id": offer.previous_id,
            "guild_id": offer.guild_id,
            "channel_id": offer.channel_id,
            "created_at": now,
            "expires_at": expires_at,
        },
    )


def to_challenge(row: ChallengeRow, now: datetime) -> Challenge:
    """Return a challenge from its row; its time may be over without anybody having noted it."""
    status = ChallengeStatus(row.status)
    if status is ChallengeStatus.OPEN and row.expires_at <= now:
        status = ChallengeStatus.EXPIRED
    return Challenge(
        id=row.id,
        challenger=Person(id=row.challenger_id, name=row.challenger_name),
        opponent=_to_person(row.opponent_id, row.opponent_name),
        taker=_to_person(row.taker_id, row.taker_name),
        variant_key=row.variant_key,
        opening_code=row.opening_code,
        side=row.side,
        rated=bool(row.rated),
        clock=to_clock(row.clock),
        status=status,
        previous_id=row.previous_id,
        match_id=row.match_id,
        guild_id=row.guild_id,
        channel_id=row.channel_id,
        message_id=row.message_id,
        created_at=row.created_at,
        expires_at=row.expires_at,
        closed_at=row.closed_at,
    )


def _to_person(player_id: int | None, name: str | None) -> Person | None:
    if player_id is None or name is None:
        return None
    return Person(id=player_id, name=name)
