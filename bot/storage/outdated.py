"""Messages in channels that still name somebody who has had their data deleted.

They are written down in the transaction that deletes and crossed out one by one as they are
edited, so that a restart in between forgets none.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, or_, select

from bot.storage.people_schema import challenge
from bot.storage.schema import match, seat
from bot.storage.settings import find_setting, save_setting

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy import Connection

_KEY: Final = "outdated_messages"


class Shown(StrEnum):
    """What a message shows."""

    MATCH = "match"
    CHALLENGE = "challenge"


@dataclass(frozen=True, slots=True)
class Outdated:
    """A message to be brought up to date: that of a match or a challenge, by its number."""

    shown: Shown
    number: int


def note_messages_of(connection: Connection, player_id: int, now: datetime) -> None:
    """Write down every message known to name a player, while it is known that they are meant."""
    matches = (
        select(match.c.id)
        .join(seat)
        .where(seat.c.player_id == player_id, match.c.message_id.is_not(None))
        .distinct()
        .order_by(match.c.id.desc())
    )
    people = (challenge.c.challenger_id, challenge.c.opponent_id, challenge.c.taker_id)
    # Where the board, or the way to its thread, has taken the challenge's place, the match is
    # what the message shows. Discord gives a thread the number of the message that it hangs on.
    is_replaced = or_(
        match.c.message_id == challenge.c.message_id, match.c.channel_id == challenge.c.message_id
    )
    challenges = (
        select(challenge.c.id)
        .outerjoin(match, and_(challenge.c.match_id == match.c.id, is_replaced))
        .where(
            or_(*(column == player_id for column in people)),
            challenge.c.message_id.is_not(None),
            match.c.id.is_(None),
        )
        .order_by(challenge.c.id.desc())
    )
    found = [Outdated(Shown.MATCH, number) for number in connection.execute(matches).scalars()]
    found += [
        Outdated(Shown.CHALLENGE, number) for number in connection.execute(challenges).scalars()
    ]
    noted = list_outdated(connection)
    if new := [each for each in found if each not in noted]:
        _save(connection, [*noted, *new], now)


def list_outdated(connection: Connection) -> list[Outdated]:
    """Return the messages that are to be brought up to date."""
    noted = json.loads(find_setting(connection, _KEY) or "[]")
    return [Outdated(Shown(shown), number) for shown, number in noted]


def cross_out(connection: Connection, message: Outdated, now: datetime) -> None:
    """Forget a message that is up to date, or will never be."""
    noted = list_outdated(connection)
    if message in noted:
        _save(connection, [each for each in noted if each != message], now)


def _save(connection: Connection, messages: Iterable[Outdated], now: datetime) -> None:
    text = json.dumps([(each.shown, each.number) for each in messages])
    save_setting(connection, _KEY, text, now=now)
