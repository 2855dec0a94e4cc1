"""The time: what it is now, and how much of Discord's three seconds is left to answer.

The current time is passed in where it is needed, so that tests can replace it. An interaction gets
an `AnswerTime` when it comes in and carries it along: nobody else counts its seconds.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, TypeAlias

Clock: TypeAlias = Callable[[], datetime]
"""Returns the current instant: aware, UTC, whole milliseconds."""


def system_clock() -> datetime:
    """Return the machine's time.

    Cut to whole milliseconds because that is what storage keeps: a value
    returned to a caller then equals the one read back after a restart.
    """
    return to_milliseconds(datetime.now(UTC))


def steady_clock() -> datetime:
    """Return an instant of a monotonic clock, to measure with: it is not the date."""
    return to_milliseconds(datetime.fromtimestamp(time.monotonic(), UTC))


def to_milliseconds(instant: datetime) -> datetime:
    """Return `instant` with the digits below a millisecond cut off."""
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)


REPLY_WITHIN_S = 1.8
"""How old a click may get before the player's own move is shown without the computer's reply."""

BEGIN_WITHIN_S = 2.5
"""Work is refused past this age: Discord gives three seconds, and answering takes some of them."""

SEND_WITHIN_S = 2.9
"""An answer is retried until its click is this old: Discord takes none after three seconds."""

LEAST_S = 0.8
"""The least time a last attempt gets: its answer may be on its way."""

MEMORY_S = 300.0
"""How long an interaction's delay is remembered, to compare later ones with."""

_ANSWER_TIME = "answer_time"


@dataclass(frozen=True, slots=True)
class AnswerTime:
    """The time there is to answer an interaction sent at `sent_at` on a monotonic clock."""

    sent_at: float
    clock: Callable[[], float]

    @property
    def age_s(self) -> float:
        """The seconds since Discord sent it."""
        return self.clock() - self.sent_at

    @property
    def late_by(self) -> timedelta:
        """How long it has been on its way, which costs its sender no time."""
        return timedelta(seconds=self.age_s)

    @property
    def is_up(self) -> bool:
        """Whether it is too late to begin with an answer."""
        return self.age_s > BEGIN_WITHIN_S

    @property
    def for_reply_s(self) -> float:
        """The seconds left to wait for the computer's reply; not positive if there are none."""
        return REPLY_WITHIN_S - self.age_s

    @property
    def to_send_s(self) -> float:
        """The seconds that an attempt to send the answer gets, even if it is the last one."""
        return max(SEND_WITHIN_S - self.age_s, LEAST_S)

    def allows_pause(self, pause_s: float) -> bool:
        """Return whether there is time for another attempt after a pause."""
        return SEND_WITHIN_S - self.age_s - pause_s >= LEAST_S


class Interaction(Protocol):
    """What is needed of a Discord interaction: when it was made, and a place to note things."""

    extras: dict[Any, Any]

    @property
    def created_at(self) -> datetime:
        """When Discord sent it, by Discord's clock."""


class Arrivals:
    """Measures how long interactions have waited, even if the host's clock is set meanwhile.

    Discord stamps interactions with its clock. They are compared with a monotonic clock. The two
    differ by a constant, shown by the interaction of the last minutes that waited least; what
    exceeds it is the waiting time of the others.

    - A step of the host's clock changes nothing, as that clock is not read.
    - After a stall, those that queued up are measured against one from before it.
    - One stamp that lies in the future would make all that follow look late, and so would a
      jump of the clock used here, as when a virtual machine is moved. Discord takes answers
      for three seconds only: if it takes the refusal of an interaction that seemed too old,
      then it was not, and `forget` starts over. One click is refused, the next one passes.
    - Errors too small for that, and the drift between the clocks, are forgotten after
      `MEMORY_S`. Until then nobody gets back more than `BEGIN_WITHIN_S` for a move.

    After minutes without any interaction the first one counts as fresh. If it was late after
    all, Discord refuses the answer, and the board is brought up to date without it.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        # When they arrived, and by how much the clocks differed then. A smaller difference
        # removes the larger ones before it, so the first is the smallest.
        self._recent: deque[tuple[float, float]] = deque()

    def age_s(self, interaction: Interaction) -> float:
        """Return the seconds `interaction` has been waiting since Discord sent it."""
        now = self._clock()
        difference = now - interaction.created_at.timestamp()
        while self._recent and self._recent[0][0] < now - MEMORY_S:
            self._recent.popleft()
        while self._recent and self._recent[-1][1] >= difference:
            self._recent.pop()
        self._recent.append((now, difference))
        return difference - self._recent[0][1]

    def time_of(self, interaction: Interaction) -> AnswerTime:
        """Return the time there is to answer `interaction`, measured once, when it comes in."""
        time_ = interaction.extras.get(_ANSWER_TIME)
        if time_ is None:
            sent_at = self._clock() - self.age_s(interaction)
            time_ = interaction.extras[_ANSWER_TIME] = AnswerTime(sent_at, self._clock)
        return time_

    def forget(self) -> None:
        """Start over: an interaction seemed too old, and Discord has shown that it was not."""
        self._recent.clear()
