"""Challenges and blocks, as rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, exists, func, insert, or_, select, update

from bot.model.challenges import (
    MOST_OPEN,
    NAMED_FOR,
    OPEN_FOR,
    Challenge,
    ChallengeStatus,
    Offer,
    check_blocks,
)
from bot.model.errors import CannotChallengeError, TooManyChallengesError
from bot.model.match import Person
from bot.model.notices import News, NewsKind
from bot.model.preferences import NOTICES_KEY, Notices
from bot.storage.matches import begin, check_room, find_next, to_clock, to_clock_key
from bot.storage.notices import news_writes
from bot.storage.outbox import OutboxKind, OutboxRow, outbox_writes
from bot.storage.preferences import load_player_settings, save_player
from bot.storage.schema import block, challenge, player
from bot.storage.writer import put
from engine.errors import say

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection, Select

    from bot.model.starting import Start


class ClosedError(Exception):
    """The challenge is not open any more."""


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
_IS_OPEN = challenge.c.status == ChallengeStatus.OPEN
_IS_WAITING = _IS_OPEN & (challenge.c.expires_at > bindparam("given_now"))
_WAITING = _CHALLENGES.where(_IS_WAITING).order_by(challenge.c.id.desc())
_COUNT = select(func.count()).where(challenge.c.challenger_id == bindparam("given_id"), _IS_WAITING)
# It is looked up right after it was accepted: reading from the newest on finds it at once.
_BY_MATCH = (
    _CHALLENGES.where(challenge.c.match_id == bindparam("given_id"))
    .order_by(challenge.c.id.desc())
    .limit(1)
)
_CLOSE = (
    update(challenge)
    .where(challenge.c.id == bindparam("given_id"), _IS_OPEN)
    .returning(challenge.c.channel_id, challenge.c.message_id)
)
_OVERDUE = _CHALLENGES.where(_IS_OPEN, challenge.c.expires_at <= bindparam("given_now")).order_by(
    challenge.c.id
)


def find_challenge(connection: Connection, challenge_id: int, now: datetime) -> Challenge | None:
    """Return a challenge by its number."""
    return next(iter(_select(connection, _BY_ID, now, given_id=challenge_id)), None)


def find_accepted(connection: Connection, match_id: int, now: datetime) -> Challenge | None:
    """Return the challenge that led to a match; None if there was none."""
    return next(iter(_select(connection, _BY_MATCH, now, given_id=match_id)), None)


def close_challenge(
    connection: Connection,
    challenge_id: int,
    *,
    status: str,
    now: datetime,
    taker_id: int | None = None,
    match_id: int | None = None,
    board_id: int | None = None,
) -> None:
    """Store the outcome of an open challenge.

    Its message has to show the outcome, unless it becomes the board.

    Raises:
        ClosedError: If it is not open any more.
    """
    given = {
        "given_id": challenge_id,
        "status": status,
        "taker_id": taker_id,
        "match_id": match_id,
        "closed_at": now,
    }
    closed = connection.execute(_CLOSE, given).one_or_none()
    if closed is None:
        raise ClosedError(challenge_id)
    channel_id, message_id = closed
    if message_id not in (None, board_id):
        row = OutboxRow(OutboxKind.CHALLENGE, challenge_id, channel_id, message_id)
        put(connection, outbox_writes(row))


def place_challenge(
    connection: Connection, challenge_id: int, *, channel_id: int, message_id: int, calls: bool
) -> None:
    """Store where a challenge is shown; with `calls`, also that a message calls the opponent."""
    if calls:
        row = OutboxRow(OutboxKind.CALL, challenge_id, channel_id, message_id)
        put(connection, outbox_writes(row))
    connection.execute(
        update(challenge)
        .where(challenge.c.id == challenge_id)
        .values(channel_id=channel_id, message_id=message_id)
    )


def list_lobby(
    connection: Connection,
    *,
    guild_id: int | None,
    channel_id: int | None,
    now: datetime,
    user_id: int | None = None,
) -> list[Challenge]:
    """Return the challenges that anyone may take, the newest first.

    With a `user_id`, only those that this person could take: none of their own, and none
    from people who have blocked them or whom they have blocked.
    """
    wanted = _WAITING.where(challenge.c.opponent_id.is_(None))
    if user_id is not None:
        challenger = challenge.c.challenger_id
        blocked = exists().where(_blocks(user_id, challenger) | _blocks(challenger, user_id))
        wanted = wanted.where(challenger != user_id, ~blocked)
    if guild_id is not None:
        wanted = wanted.where(challenge.c.guild_id == guild_id)
    if channel_id is not None:
        wanted = wanted.where(challenge.c.channel_id == channel_id)
    return _select(connection, wanted, now)


def list_of(connection: Connection, player_id: int, now: datetime) -> list[Challenge]:
    """Return the challenges from or to a player that wait for an answer, the newest first."""
    wanted = _WAITING.where(
        or_(challenge.c.challenger_id == player_id, challenge.c.opponent_id == player_id)
    )
    return _select(connection, wanted, now)


def find_rematch(connection: Connection, match_id: int, now: datetime) -> Challenge | None:
    """Return the rematch challenge after a match, if it waits for an answer."""
    wanted = _WAITING.where(challenge.c.previous_id == match_id)
    return next(iter(_select(connection, wanted, now)), None)


def remove_block(connection: Connection, player_id: int, other_id: int) -> None:
    """Forget that a player wants no challenges from another."""
    connection.execute(delete(block).where(_blocks(player_id, other_id)))


def _is_blocked(connection: Connection, player_id: int, other_id: int) -> bool:
    """Whether a player wants no challenges from another."""
    return connection.scalar(select(exists().where(_blocks(player_id, other_id)))) or False


def _blocks(
    player_id: int | ColumnElement[int], other_id: int | ColumnElement[int]
) -> ColumnElement[bool]:
    return (block.c.player_id == player_id) & (block.c.other_id == other_id)


def list_blocked(connection: Connection, player_id: int) -> list[int]:
    """Return the people a player has blocked, the latest first."""
    wanted = (
        select(block.c.other_id)
        .where(block.c.player_id == player_id)
        .order_by(block.c.created_at.desc(), block.c.other_id)
    )
    return list(connection.execute(wanted).scalars())


def offer(connection: Connection, offered: Offer, now: datetime) -> int:
    """Store a challenge, if both people may have it, and return its number.

    Raises:
        TooManyChallengesError: If the challenger may not have another open one.
        TooManyMatchesError: If one of the two may not have another match.
        CannotChallengeError: If one of the two has blocked the other.
    """
    challenger, opponent = offered.challenger, offered.opponent
    given = {"given_id": challenger.id, "given_now": now}
    if connection.execute(_COUNT, given).scalar_one() >= MOST_OPEN:
        raise TooManyChallengesError(MOST_OPEN)
    for person in offered.persons:
        check_room(connection, person.id, person.name, asker_id=challenger.id)
    if opponent is not None:
        _check_blocks(connection, challenger, opponent)
    for person in offered.persons:
        save_player(
            connection, player_id=person.id, name=person.name, seen_at=now, by=challenger.id
        )
    values = {
        "challenger_id": challenger.id,
        "opponent_id": None if opponent is None else opponent.id,
        "variant_key": offered.variant_key,
        "opening_code": offered.opening_code,
        "side": offered.side,
        "rated": int(offered.rated),
        "clock": to_clock_key(offered.clock),
        "status": ChallengeStatus.OPEN,
        "previous_id": offered.previous_id,
        "guild_id": offered.guild_id,
        "channel_id": offered.channel_id,
        "created_at": now,
        "expires_at": now + (OPEN_FOR if opponent is None else NAMED_FOR),
    }
    wanted = insert(challenge).returning(challenge.c.id)
    challenge_id: int = connection.execute(wanted, values).scalar_one()
    return challenge_id


def accept(
    connection: Connection, challenge: Challenge, taker: Person, start: Start, now: datetime
) -> int:
    """Close a challenge and begin its match, or neither; return the match's number.

    Raises:
        ClosedError: If it is not open any more.
        CannotChallengeError: If one of the two has blocked the other, or the rematch it asks for
            has begun already.
        TooManyMatchesError: If one of the two may not have another match.
    """
    stored = find_challenge(connection, challenge.id, now)
    if stored is None or stored.closed_at is not None:
        raise ClosedError(challenge.id)
    _check_blocks(connection, taker, challenge.challenger, taking=True)
    followed = challenge.previous_id
    if followed is not None and find_next(connection, followed) is not None:
        raise CannotChallengeError(say("The next game between you two has begun already."))
    match_id = begin(connection, start, now)
    challenger_id = challenge.challenger.id
    if load_player_settings(connection, challenger_id).get(NOTICES_KEY) != Notices.NONE:
        accepted = News(
            kind=NewsKind.ACCEPTED,
            match_id=match_id,
            user_id=challenger_id,
            revision=len(start.game.moves),
        )
        put(connection, news_writes([accepted], [], now))
    close_challenge(
        connection,
        challenge.id,
        status=ChallengeStatus.ACCEPTED,
        now=now,
        taker_id=taker.id,
        match_id=match_id,
        board_id=start.message_id,
    )
    return match_id


def block_player(connection: Connection, user_id: int, other_id: int, now: datetime) -> list[int]:
    """Store that a person wants no challenges from another, and close those between them.

    Returns:
        The numbers of the closed challenges: the other person's are declined and the person's
        own are withdrawn, as if by hand.
    """
    if not _is_blocked(connection, user_id, other_id):
        values = {"player_id": user_id, "other_id": other_id, "created_at": now}
        connection.execute(insert(block), values)
    closed = []
    for row in list_of(connection, user_id, now):
        if row.opponent is not None and {row.challenger.id, row.opponent.id} == {user_id, other_id}:
            own = row.challenger.id == user_id
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
    found = _select(connection, _OVERDUE, now)
    for each in found:
        close_challenge(connection, each.id, status=ChallengeStatus.EXPIRED, now=now)
    return [replace(each, closed_at=now) for each in found]


def _check_blocks(
    connection: Connection, asker: Person, other: Person, *, taking: bool = False
) -> None:
    check_blocks(
        other,
        has_blocked=_is_blocked(connection, asker.id, other.id),
        is_blocked=_is_blocked(connection, other.id, asker.id),
        taking=taking,
    )


def _select(
    connection: Connection, wanted: Select[Any], now: datetime, **given: int
) -> list[Challenge]:
    found = connection.execute(wanted, {"given_now": now, **given}).mappings()
    return [_to_challenge(dict(row), now) for row in found]


def _to_challenge(row: dict[str, Any], now: datetime) -> Challenge:
    """Return a challenge from its row; past its time it is expired, even if stored as open."""
    for who in ("challenger", "opponent", "taker"):
        person_id, name = row.pop(f"{who}_id"), row.pop(f"{who}_name")
        row[who] = None if name is None else Person(id=person_id, name=name)
    status = ChallengeStatus(row["status"])
    if status is ChallengeStatus.OPEN and row["expires_at"] <= now:
        status = ChallengeStatus.EXPIRED
    return Challenge(
        **{**row, "status": status, "rated": bool(row["rated"]), "clock": to_clock(row["clock"])}
    )
