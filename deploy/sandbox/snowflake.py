"""Discord's identifiers: 64-bit numbers that carry their moment of birth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Milliseconds between 1970 and the first second of 2015, where Discord's time begins.
EPOCH_MS = 1_420_070_400_000
_COUNTER_BITS = 12
_TIME_SHIFT = 22


def snowflake_at(seconds: float, number: int = 0) -> int:
    """Return the identifier numbered `number` of the millisecond at Unix time `seconds`."""
    return (int(seconds * 1000) - EPOCH_MS << _TIME_SHIFT) | (number & (1 << _TIME_SHIFT) - 1)


def seconds_of(snowflake: int) -> float:
    """Return the Unix time at which `snowflake` was made."""
    return ((snowflake >> _TIME_SHIFT) + EPOCH_MS) / 1000


class SnowflakeMaker:
    """Hands out identifiers that only ever grow, whatever the clock does.

    A clock that stands still (in tests) or goes back (a laptop's) would otherwise
    repeat identifiers or reorder messages, which are sorted by them.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._last = 0

    def next(self) -> int:
        """Return an identifier larger than every one before."""
        self._last = max(snowflake_at(self._clock()), self._last + 1)
        return self._last

    @contextmanager
    def ahead(self, seconds: float) -> Iterator[None]:
        """Date identifiers so far ahead while the block runs, as a machine set wrongly would."""
        clock, last = self._clock, self._last
        self._clock = lambda: clock() + seconds
        try:
            yield
        finally:
            self._clock, self._last = clock, last

    def advance_past(self, snowflake: int) -> None:
        """Make every later identifier larger than `snowflake`."""
        self._last = max(self._last, snowflake)
