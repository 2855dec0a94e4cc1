"""What can go wrong when Discord is asked for something, in one place for everybody who asks.

Ask inside `asking`: whatever the library, the connection or Discord make of it becomes one
`DiscordError` that says what can be done about it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum

import discord

from bot.client import DISCORD_FAILURES


class Fault(Enum):
    """What is wrong, by what can be done about it."""

    PASSING = "passing"  # the network, a limit, an outage: the same again, later
    TOO_LATE = "too-late"  # the interaction cannot be answered any more
    ANSWERED = "answered"  # it has been answered before
    EXPIRED = "expired"  # its webhook leads nowhere any more
    MISSING = "missing"  # the message is not there
    ARCHIVED = "archived"  # the thread has to be opened again first
    REFUSED = "refused"  # this is not taken, another message may be
    CLOSED = "closed"  # the bot may not write there, or there is no such place


_BY_CODE = {
    10003: Fault.CLOSED,  # unknown channel
    10004: Fault.CLOSED,  # unknown server
    10008: Fault.MISSING,
    10015: Fault.EXPIRED,  # unknown webhook
    10062: Fault.TOO_LATE,
    30046: Fault.REFUSED,  # an old message was edited too often
    40003: Fault.PASSING,  # conversations begun too fast, although it comes as a 403
    40060: Fault.ANSWERED,
    50027: Fault.EXPIRED,
    50083: Fault.ARCHIVED,
}


class DiscordError(Exception):
    """Discord did not do what it was asked for, as far as is known.

    Attributes:
        fault: What is wrong.
        code: Discord's number for it; 0 if it did not say.
        may_be_done: Whether it may have been done all the same, its answer being lost.
        is_limit: Whether it was waited for too long, as it is where Discord limits something.
    """

    def __init__(self, error: BaseException) -> None:
        self.fault, self.code, self.may_be_done = _judge(error)
        self.is_limit = isinstance(error, discord.RateLimited | TimeoutError)
        super().__init__(f"{self.fault.value}: {type(error).__name__}: {error}")


@contextmanager
def asking() -> Iterator[None]:
    """Ask Discord for something inside.

    Raises:
        DiscordError: If that failed, for whatever reason that is not a bug of ours.
    """
    try:
        yield
    except DISCORD_FAILURES as error:
        raise DiscordError(error) from error


def _judge(error: BaseException) -> tuple[Fault, int, bool]:
    if not isinstance(error, discord.HTTPException):
        # A limit that is not waited for, or a connection that broke off.
        return Fault.PASSING, 0, not isinstance(error, discord.RateLimited)
    if error.code in _BY_CODE:
        return _BY_CODE[error.code], error.code, False
    if error.status == 429 or error.status == 401 or error.status >= 500:
        return Fault.PASSING, error.code, error.status >= 500
    if error.status == 403:
        # Without a number it is not Discord that refuses, but something before it.
        return (Fault.CLOSED if error.code else Fault.PASSING), error.code, False
    return Fault.REFUSED, error.code, False
