"""What two people may agree on: who may challenge whom, and the match that comes of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.errors import CannotChallengeError, NotYourChallengeError, TooManyMatchesError
from bot.matches import records, starting
from bot.matches.challenge import Challenge, ChallengeStatus
from bot.matches.model import Match, Person, Seat
from bot.matches.starting import MOST_ONGOING, Start
from bot.storage import challenges as rows
from bot.storage import matches, players
from engine import X
from engine.errors import Sentence, say

if TYPE_CHECKING:
    import random
    from datetime import datetime

    from sqlalchemy import Connection

    from bot.matches.clocks import ClockRules
    from bot.storage.challenges import ChallengeRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A challenge that is about to be made; see `Challenge`."""

    challenger: Person
    opponent: Person | None
    variant_key: str
    opening_code: str | None
    side: int | None
    rated: bool
    clock: ClockRules
    channel_id: int | None
    guild_id: int | None
    previous_id: int | None = None

    @property
    def persons(self) -> tuple[Person, ...]:
        """Who would play."""
        return (self.challenger,) if self.opponent is None else (self.challenger, self.opponent)


def check_persons(challenger: Person, opponent: Person | None) -> None:
    """Make sure that these two could play at all.

    Raises:
        CannotChallengeError: If they are one, or one is a program.
    """
    if opponent is None:
        return
    if opponent.id == challenger.id:
        raise CannotChallengeError(
            say(
                "You cannot challenge yourself: choose somebody else, "
                "or nobody to let anyone take it."
            )
        )
    if opponent.is_bot:
        raise CannotChallengeError(
            say(
                "{name} is a bot and takes no challenges: to play against the computer, use /play.",
                name=opponent.name,
            )
        )


def check_blocks(
    connection: Connection, asker: Person, other: Person, *, taking: bool = False
) -> None:
    """Make sure that neither has blocked the other.

    Who is blocked is told no more than they would find out by trying.

    Raises:
        CannotChallengeError: If one has.
    """
    if rows.is_blocked(connection, asker.id, other.id):
        raise CannotChallengeError(
            say("You have blocked {name}: unblock them first.", name=other.name)
        )
    if rows.is_blocked(connection, other.id, asker.id):
        raise CannotChallengeError(
            say("This challenge cannot be accepted by you.")
            if taking
            else say("{name} cannot be challenged right now.", name=other.name)
        )


def check_room(connection: Connection, persons: tuple[Person, ...], asker_id: int) -> None:
    """Make sure that all of them may have one more match.

    Raises:
        TooManyMatchesError: If one of them may not.
    """
    for person in persons:
        if matches.count_ongoing(connection, person.id) >= MOST_ONGOING:
            raise TooManyMatchesError(MOST_ONGOING, None if person.id == asker_id else person.name)


def check_follows(connection: Connection, challenge: Challenge) -> None:
    """Make sure that a rematch is still to be played.

    Raises:
        CannotChallengeError: If that match has been followed by another one already.
    """
    followed = challenge.previous_id
    if followed is not None and matches.find_next(connection, followed) is not None:
        raise CannotChallengeError(say("The next game between you two has begun already."))


def check_taker(challenge: Challenge, person: Person) -> None:
    """Make sure that a challenge is that person's to accept.

    Raises:
        NotYourChallengeError: If it is their own, or another's.
    """
    if challenge.challenger.id == person.id:
        raise NotYourChallengeError(
            challenge, say("This is your own challenge: it waits for somebody else to accept it.")
        )
    if challenge.opponent is not None and challenge.opponent.id != person.id:
        raise NotYourChallengeError(challenge, whose_it_is(challenge, answering=True))


def whose_it_is(challenge: Challenge, answering: bool) -> Sentence:
    """Return a sentence that tells somebody else who may answer or withdraw a challenge."""
    if not answering:
        return say("Only {name} can withdraw this challenge.", name=challenge.challenger.name)
    if challenge.opponent is None:
        return say("This challenge is open to anyone: leave it to others if you do not want it.")
    return say("This challenge is for {name} to answer.", name=challenge.opponent.name)


def insert(connection: Connection, offer: Offer, now: datetime, expires_at: datetime) -> int:
    """Store a challenge with its people and return its number."""
    for person in offer.persons:
        players.save_player(connection, player_id=person.id, name=person.name, seen_at=now)
    return rows.insert_challenge(
        connection,
        {
            "challenger_id": offer.challenger.id,
            "opponent_id": None if offer.opponent is None else offer.opponent.id,
            "variant_key": offer.variant_key,
            "opening_code": offer.opening_code,
            "side": offer.side,
            "rated": int(offer.rated),
            "clock": records.to_clock_key(offer.clock),
            "previous_id": offer.previous_id,
            "guild_id": offer.guild_id,
            "channel_id": offer.channel_id,
            "created_at": now,
            "expires_at": expires_at,
        },
    )


def block(connection: Connection, user_id: int, other_id: int, now: datetime) -> list[int]:
    """Store that a person wants no challenges from another, and close those between them.

    Returns:
        The numbers of the challenges that were waiting: theirs is declined, one's own
        withdrawn, as if it had been done by hand.
    """
    rows.save_block(connection, user_id, other_id, now)
    closed = []
    for row in rows.list_of(connection, user_id, now):
        if {row.challenger_id, row.opponent_id} == {user_id, other_id}:
            own = row.challenger_id == user_id
            rows.close_challenge(
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
    found = rows.list_overdue(connection, now)
    for row in found:
        rows.close_challenge(connection, row.id, status=rows.EXPIRED, now=now)
    return [replace(to_challenge(row, now), closed_at=now) for row in found]


def offer_rematch(match: Match, person: Person, channel_id: int | None) -> Offer:
    """Return the offer of a player to play a match like one that is over again.

    Whoever moved second begins; an opening that is drawn is drawn anew.

    Raises:
        CannotChallengeError: If the other player is not there any more.
    """
    side = match.side_of(person.id)
    assert side is not None, "they have a seat"
    other = match.seats[1 - side]
    assert other.player_id is not None, "between two people"
    if other.has_left:
        raise CannotChallengeError(
            say("The other player has had their data deleted: there is nobody left to play again.")
        )
    # After a swap the first move changes hands, not the marks.
    return Offer(
        challenger=person,
        opponent=Person(id=other.player_id, name=other.name),
        variant_key=match.rules.key,
        opening_code=None,
        side=side if match.swapped else 1 - side,
        rated=match.rated,
        clock=match.clock,
        channel_id=channel_id,
        guild_id=match.guild_id,
        previous_id=match.id,
    )


def start_of(challenge: Challenge, taker: Person, dice: random.Random) -> Start:
    """Return the start of the match that a challenge leads to."""
    rules = starting.find_rules(challenge.variant_key)
    side = dice.randrange(2) if challenge.side is None else challenge.side
    offering, taking = (
        Seat(name=person.name, player_id=person.id) for person in (challenge.challenger, taker)
    )
    return Start(
        game=starting.begin_game(rules, challenge.opening_code, dice),
        seats=(offering, taking) if side == X else (taking, offering),
        previous_id=challenge.previous_id,
        guild_id=challenge.guild_id,
        channel_id=challenge.channel_id,
        rated=challenge.rated,
        clock=challenge.clock,
        asker_id=taker.id,
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
        clock=records.to_clock(row.clock),
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
