"""A challenge: an offer to play, to one person or to anyone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from bot.model.clock_rules import ClockRules
from engine.errors import Sentence, say

if TYPE_CHECKING:
    from datetime import datetime

    from bot.model.match import Person

NAMED_FOR: Final = timedelta(hours=24)
"""How long a named person may think about it."""

OPEN_FOR: Final = timedelta(hours=1)
"""How long anyone may take it: whoever offers one means to play soon."""

MOST_OPEN: Final = 10
"""How many open challenges a person may have: enough for a club evening, too few for a flood."""


class ChallengeStatus(StrEnum):
    """What has become of a challenge. Stored as text: add members, never rename."""

    OPEN = "open"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge:
    """A challenge as it is in storage at this moment.

    Attributes:
        id: Its number; never given out twice.
        challenger: Who has offered it.
        opponent: To whom; None if anyone may take it.
        taker: Who has accepted or declined it.
        variant_key: The rules to play by.
        opening_code: The opening to begin with; None to draw it if there is one.
        side: Which marks the challenger gets; None to throw a die.
        rated: Whether the match is to count for ratings.
        clock: How much time there will be for a move.
        status: What has become of it.
        previous_id: The match that the new one is to follow (a rematch).
        match_id: The match that came of it.
        guild_id: The server it was offered in; None in private messages.
        channel_id: Where it is shown.
        message_id: The message that shows it; None before the first.
        created_at: When it was offered.
        expires_at: Until when it can be accepted.
        closed_at: When it was answered or withdrawn, or found to have run out.
    """

    id: int
    challenger: Person
    opponent: Person | None
    taker: Person | None
    variant_key: str
    opening_code: str | None
    side: int | None
    rated: bool
    clock: ClockRules
    status: ChallengeStatus
    previous_id: int | None
    match_id: int | None
    guild_id: int | None
    channel_id: int | None
    message_id: int | None
    created_at: datetime
    expires_at: datetime
    closed_at: datetime | None

    @property
    def is_open(self) -> bool:
        """Whether it waits for an answer, as far as is known."""
        return self.status is ChallengeStatus.OPEN

    @property
    def status_in_words(self) -> Sentence:
        """A clause that says what has become of it, such as "Ben has accepted it"."""
        words = {
            ChallengeStatus.OPEN: say("it waits for an answer"),
            ChallengeStatus.ACCEPTED: say("{name} has accepted it"),
            ChallengeStatus.DECLINED: say("{name} has declined it"),
            ChallengeStatus.WITHDRAWN: say("{challenger} has withdrawn it"),
            ChallengeStatus.EXPIRED: say("nobody has answered in time"),
        }[self.status]
        taker = say("somebody") if self.taker is None else self.taker.name
        return words.format(name=taker, challenger=self.challenger.name)
