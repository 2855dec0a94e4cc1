"""Discord's three seconds: what each part of an answer may take of them.

An interaction gets an `AnswerTime` when it comes in and carries it along. Whoever has to know
how long there is asks that; nobody else counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

REPLY_WITHIN_S = 1.8
"""How old a click may get before the player's own move is shown without the computer's reply."""

BEGIN_WITHIN_S = 2.5
"""Work is refused past this age: Discord gives three seconds, and answering takes some of them."""

SEND_WITHIN_S = 2.9
"""Until a click is that old its answer is tried again: Discord takes none after three seconds."""

LEAST_S = 0.8
"""So much time a last attempt gets all the same: its answer may be on its way."""


@dataclass(frozen=True, slots=True)
class AnswerTime:
    """The time there is to answer an interaction.

    Attributes:
        sent_at: When Discord sent it, on `clock`.
        clock: Tells the seconds; nobody sets it.
    """

    sent_at: float
    clock: Callable[[], float]

    @property
    def age_s(self) -> float:
        """The seconds since Discord sent it."""
        return self.clock() - self.sent_at

    @property
    def late_by(self) -> timedelta:
        """How long it has been on its way: no time of the one who made it."""
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
        """The seconds that an attempt to send the answer gets, be it the last one."""
        return max(SEND_WITHIN_S - self.age_s, LEAST_S)

    def allows_pause(self, pause_s: float) -> bool:
        """Tell whether there is time for another attempt after a pause."""
        return SEND_WITHIN_S - self.age_s - pause_s >= LEAST_S
