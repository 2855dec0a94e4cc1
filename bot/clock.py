"""The current time, passed to whoever needs it so that tests can replace it."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias

Clock: TypeAlias = Callable[[], datetime]
"""Returns the current instant: aware, UTC, whole milliseconds."""


def system_clock() -> datetime:
    """Return the machine's time.

    Cut to whole milliseconds because that is what storage keeps: a value
    returned to a caller then equals the one read back after a restart.
    """
    return to_milliseconds(datetime.now(UTC))


def steady_clock() -> datetime:
    """Return an instant of a clock that nobody sets, to measure with: it is not the date."""
    return to_milliseconds(datetime.fromtimestamp(time.monotonic(), UTC))


def to_milliseconds(instant: datetime) -> datetime:
    """Return `instant` with the digits below a millisecond cut off."""
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)
