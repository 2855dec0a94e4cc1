"""A challenge: an offer to play, to one person or to anyone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from bot.model import starting
from bot.model.clocks import NO_CLOCK, ClockRules
from bot.model.errors import CannotChallengeError, NotYourChallengeError
from bot.model.match import Match, Person, Seat
from bot.model.ratings import pools
from bot.model.starting import Start
from engine import Side, X, other
from engine.errors import Sentence, say

if TYPE_CHECKING:
    import random
    from datetime import datetime


NAMED_FOR: Final = timedelta(hours=24)
"""How long a named person may think about it."""

OPEN_FOR: Final = timedelta(hours=1)
"""How long anyone may accept it: an open challenge is made to play soon."""

CALLED_EVERY: Final = timedelta(minutes=15)
"""How often at most a server's role is called to open challenges. Offers stand four times as long,
so people who come when called also find those made since."""

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
class Offer:
    """A challenge that is about to be made.

    Attributes:
        challenger: Who offers it.
        opponent: Who may accept it; None for anyone.
        variant_key: The rules to play by.
        opening_code: The opening to begin with; None to draw it if there is one.
        side: Which marks the challenger gets; None for random ones.
        rated: Whether the match is to count for ratings.
        clock: How much time there will be for a move.
        previous_id: The match that the new one is to follow (a rematch).
        guild_id: The server it is offered in; None in private messages.
        channel_id: Where it is shown.
    """

    challenger: Person
    opponent: Person | None
    variant_key: str = "standard"
    opening_code: str | None = None
    side: Side | None = None
    rated: bool = False
    clock: ClockRules = NO_CLOCK
    previous_id: int | None = None
    guild_id: int | None = None
    channel_id: int | None = None

    @property
    def persons(self) -> tuple[Person, ...]:
        """Who would play."""
        return (self.challenger,) if self.opponent is None else (self.challenger, self.opponent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge(Offer):
    """A challenge as it is in storage at this moment.

    Attributes:
        id: Its number; never given out twice.
        taker: Who has accepted or declined it.
        status: What has become of it.
        match_id: The match that it led to.
        message_id: The message that shows it; None before the first.
        created_at: When it was offered.
        expires_at: Until when it can be accepted.
        closed_at: When it was answered or withdrawn, or found to have run out.
    """

    id: int
    taker: Person | None
    status: ChallengeStatus
    match_id: int | None
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


def check_persons(challenger: Person, opponent: Person | None) -> None:
    """Make sure that these two could play at all.

    Raises:
        CannotChallengeError: If they are the same person, or the opponent is a bot.
    """
    if opponent is None:
        return
    if opponent.id == challenger.id:
        raise CannotChallengeError(
            say(
                "You can't challenge yourself: choose someone else, or leave the "
                "player empty to let anyone accept."
            )
        )
    if opponent.is_bot:
        raise CannotChallengeError(
            say(
                "{name} is a bot and takes no challenges: to play against the computer, use /play.",
                name=opponent.name,
            )
        )


def check_taker(challenge: Challenge, person: Person) -> None:
    """Make sure that a person may accept a challenge.

    Raises:
        NotYourChallengeError: If it is their own, or for somebody else.
    """
    if challenge.challenger.id == person.id:
        raise NotYourChallengeError(
            challenge, say("This is your own challenge: someone else has to accept it.")
        )
    if challenge.opponent is not None and challenge.opponent.id != person.id:
        raise NotYourChallengeError(challenge, whose_it_is(challenge, answering=True))


def whose_it_is(challenge: Challenge, answering: bool) -> Sentence:
    """Return a sentence that tells somebody else who may answer or withdraw a challenge."""
    if not answering:
        return say("Only {name} can withdraw this challenge.", name=challenge.challenger.name)
    if challenge.opponent is None:
        return say("This challenge is open to anyone: there is nothing to decline.")
    return say("This challenge is for {name} to answer.", name=challenge.opponent.name)


def offer_rematch(match: Match, person: Person, channel_id: int | None) -> Offer:
    """Return a player's offer of another match like one that is over.

    The player who moved second begins; a random opening is drawn again.

    Raises:
        CannotChallengeError: If the other player is not there any more.
    """
    side = match.side_of(person.id)
    assert side is not None, "they have a seat"
    opponent = match.seats[other(side)]
    assert opponent.player_id is not None, "between two people"
    if opponent.has_left:
        raise CannotChallengeError(
            say("The other player has deleted their data: there is nobody to play again.")
        )
    # After a swap the first move changes hands, not the marks.
    return Offer(
        challenger=person,
        opponent=Person(id=opponent.player_id, name=opponent.name),
        variant_key=match.rules.key,
        opening_code=None,
        side=side if match.swapped else other(side),
        rated=match.rated,
        clock=match.clock,
        channel_id=channel_id,
        guild_id=match.guild_id,
        previous_id=match.id,
    )


def start_of(challenge: Challenge, taker: Person, rng: random.Random, now: datetime) -> Start:
    """Return the start of the match that a challenge leads to; casual if it could not count."""
    rules = starting.find_rules(challenge.variant_key)
    people = (challenge.challenger.id, taker.id)
    side = rng.randrange(2) if challenge.side is None else challenge.side
    offering, taking = (
        Seat(name=person.name, player_id=person.id) for person in (challenge.challenger, taker)
    )
    return Start(
        game=starting.begin_game(rules, challenge.opening_code, rng),
        seats=(offering, taking) if side == X else (taking, offering),
        previous_id=challenge.previous_id,
        guild_id=challenge.guild_id,
        channel_id=challenge.channel_id,
        rated=challenge.rated and pools.why_not_before(rules, people, now) is None,
        clock=challenge.clock,
        asker_id=taker.id,
    )


def check_blocks(other: Person, *, has_blocked: bool, is_blocked: bool, taking: bool) -> None:
    """Make sure that neither has blocked the other.

    Blocked people are told no more than they would find out by trying.

    Raises:
        CannotChallengeError: If one has.
    """
    if has_blocked:
        raise CannotChallengeError(
            say("You have blocked {name}: unblock them first.", name=other.name)
        )
    if is_blocked:
        raise CannotChallengeError(
            say("You can't accept this challenge.")
            if taking
            else say("You can't challenge {name} right now.", name=other.name)
        )
