"""Everything that can be done to a challenge: offer, accept, decline, withdraw, block."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from bot.model import starting
from bot.model.challenges import (
    CALLED_EVERY,
    Challenge,
    ChallengeStatus,
    Offer,
    check_persons,
    check_taker,
    offer_rematch,
    start_of,
    whose_it_is,
)
from bot.model.errors import (
    CannotChallengeError,
    ChallengeClosedError,
    ChallengeNotFoundError,
    MatchNotOverError,
    NotYourChallengeError,
)
from bot.model.match import Match, Person
from bot.services.starting import check_may_begin, start_again
from bot.storage import challenges as rows
from bot.storage import matches as match_rows
from bot.storage import preferences
from engine.errors import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.services.matches import MatchService

T = TypeVar("T")


class ChallengeService:
    """Brings two people together for a match.

    What a method returns has been stored; what could not be raises a StorageFailedError.
    """

    def __init__(self, matches: MatchService) -> None:
        self._matches = matches
        self._database = matches.database
        self._run = matches.operations.run

    async def offer(self, offer: Offer) -> Challenge:
        """Offer a match to a person, or to anyone.

        Raises:
            CannotChallengeError: If the opponent is the challenger, a bot, or not to be challenged.
            UnknownVariantError: If there are no such rules.
            InvalidNotationError: If the opening is invalid, or these rules have none.
            NotRatedError: If it is to be rated, but such games never are.
            TooManyChallengesError: If the person has reached the limit of open challenges.
            TooManyMatchesError: If one of the two has reached the limit of ongoing matches.
        """
        check_persons(offer.challenger, offer.opponent)
        rules = starting.find_rules(offer.variant_key)
        if offer.rated:
            starting.check_rated(rules, offer.opening_code)
        if offer.opening_code is not None:  # only to check it
            starting.begin_game(rules, offer.opening_code, self._matches.rng)
        offer = replace(offer, variant_key=rules.key)
        return await self._run(self._offer(offer))

    async def rematch(
        self, match_id: int, *, person: Person, channel_id: int | None = None
    ) -> Challenge | Match:
        """Offer the other player of a finished match another one like it, with seats exchanged.

        If the other has offered one already, that is accepted, and if the next match has
        begun, it is returned. Against the computer it begins at once.

        Raises:
            MatchNotFoundError: If there is no such match.
            NotAPlayerError: If the person has no seat in it.
            MatchNotOverError: If it is still going on.
            PlayerError: As for `offer` and `accept`.
        """
        match = await self._matches.load(match_id, user_id=person.id)
        if not match.is_over:
            raise MatchNotOverError(match)
        if not match.is_between_people:
            return await start_again(
                self._matches, match_id, user_id=person.id, channel_id=channel_id
            )
        offer = offer_rematch(match, person, channel_id)
        return await self._run(self._offer_rematch(match_id, offer))

    async def accept(
        self, challenge_id: int, *, person: Person, board: tuple[int, int] | None = None
    ) -> Match:
        """Accept a challenge and begin its match. Accepting twice returns the same match.

        `board` is the channel and message that become the match's board; None for a new one.

        Raises:
            ChallengeNotFoundError: If there is no such challenge.
            ChallengeClosedError: If it has been answered or withdrawn, or has run out.
            NotYourChallengeError: If it is their own, or for another person.
            CannotChallengeError: If one of the two has blocked the other.
            TooManyMatchesError: If one of the two has reached the limit of ongoing matches.
        """
        if person.is_bot:
            raise CannotChallengeError(say("A bot cannot play in a person's place."))
        return await self._run(self._accept(challenge_id, person, board))

    async def decline(self, challenge_id: int, *, user_id: int) -> Challenge:
        """Decline a challenge that was offered to a person. Declining twice is not an error.

        Raises:
            ChallengeNotFoundError: If there is no such challenge.
            ChallengeClosedError: If it has been answered or withdrawn, or has run out.
            NotYourChallengeError: If it was not offered to this person.
        """
        return await self._run(self._close(challenge_id, user_id, ChallengeStatus.DECLINED))

    async def withdraw(self, challenge_id: int, *, user_id: int) -> Challenge:
        """Withdraw one's own challenge. Withdrawing twice is not an error.

        Raises:
            ChallengeNotFoundError: If there is no such challenge.
            ChallengeClosedError: If it has been answered, or has run out.
            NotYourChallengeError: If it is another person's.
        """
        return await self._run(self._close(challenge_id, user_id, ChallengeStatus.WITHDRAWN))

    async def place_challenge(
        self, challenge_id: int, *, channel_id: int, message_id: int, calls: bool = False
    ) -> Challenge:
        """Store where a challenge is shown; with `calls`, have the opponent called in a message.

        Raises:
            ChallengeNotFoundError: If there is no such challenge.
        """
        shown = {"channel_id": channel_id, "message_id": message_id, "calls": calls}
        await self._write(rows.place_challenge, challenge_id, **shown)
        return await self.load(challenge_id)

    async def claim_call(self, guild_id: int) -> bool:
        """Note that a server's role is mentioned for a challenge now; False if it was lately.

        Noted first, so that neither a restart nor a repeated answer mentions anybody twice.
        """
        now = self._matches.clock()
        return await self._write(preferences.claim_call, guild_id, CALLED_EVERY, now)

    async def load(self, challenge_id: int) -> Challenge:
        """Return a challenge as it is now.

        Raises:
            ChallengeNotFoundError: If there is no such challenge.
        """
        now = self._matches.clock()
        found = await self._database.read(rows.find_challenge, challenge_id, now)
        if found is None:
            raise ChallengeNotFoundError(challenge_id)
        return found

    async def accepted_as(self, match_id: int) -> Challenge | None:
        """Return the challenge that led to a match; None if none did."""
        return await self._database.read(rows.find_accepted, match_id, self._matches.clock())

    async def open_challenges(
        self,
        guild_id: int | None = None,
        channel_id: int | None = None,
        *,
        user_id: int | None = None,
    ) -> list[Challenge]:
        """Return the challenges in a server and a channel that anyone may accept, newest first.

        With `user_id`, only what this person could accept: none of their own, and none from
        anyone whom they have blocked, or who has blocked them.
        """
        return await self._database.read(
            rows.list_lobby,
            guild_id=guild_id,
            channel_id=channel_id,
            now=self._matches.clock(),
            user_id=user_id,
        )

    async def challenges_of(self, user_id: int) -> list[Challenge]:
        """Return the challenges from and to a person that wait for an answer, newest first."""
        return await self._database.read(rows.list_of, user_id, self._matches.clock())

    async def expire(self) -> list[Challenge]:
        """Close the challenges whose time is over and return them, to be shown as closed."""
        return await self._write(rows.expire, self._matches.clock())

    async def block(self, user_id: int, other_id: int) -> list[Challenge]:
        """Refuse challenges from another person; neither can accept the other's.

        Ongoing matches are played to their end.

        Returns:
            The challenges between the two that were open: this closes them.

        Raises:
            CannotChallengeError: If both are the same person.
        """
        if user_id == other_id:
            raise CannotChallengeError(say("You cannot block yourself."))
        now = self._matches.clock()
        closed = await self._write(rows.block_player, user_id, other_id, now)
        return [await self.load(challenge_id) for challenge_id in closed]

    async def unblock(self, user_id: int, other_id: int) -> None:
        """Allow challenges from another person again."""
        await self._write(rows.remove_block, user_id, other_id)

    async def blocked_by(self, user_id: int) -> list[int]:
        """Return the numbers of the people that a person has blocked, the latest first."""
        return await self._database.read(rows.list_blocked, user_id)

    # The same, carried out as tasks of their own.

    async def _offer(self, offer: Offer) -> Challenge:
        check_may_begin(self._matches)
        now = self._matches.clock()
        return await self.load(await self._database.write(rows.offer, offer, now))

    async def _offer_rematch(self, match_id: int, offer: Offer) -> Challenge | Match:
        # The lock of the old match keeps two presses apart: the second finds the offer.
        async with self._matches.cache.lock(match_id):
            now = self._matches.clock()
            waiting = await self._database.read(rows.find_rematch, match_id, now)
            if waiting is None:
                following = await self._matches.cache.find(match_rows.find_next, match_id)
                return await self._offer(offer) if following is None else following
            if waiting.challenger.id == offer.challenger.id:
                return waiting
            return await self._accept(waiting.id, offer.challenger)

    async def _accept(
        self, challenge_id: int, person: Person, board: tuple[int, int] | None = None
    ) -> Match:
        challenge = await self.load(challenge_id)
        if challenge.match_id is not None and _is(challenge.taker, person.id):
            return await self._matches.load(challenge.match_id)
        check_taker(challenge, person)
        if not challenge.is_open:
            raise ChallengeClosedError(challenge)
        check_may_begin(self._matches)
        now = self._matches.clock()
        start = start_of(challenge, person, self._matches.rng, now)
        if board is not None:
            start = replace(start, channel_id=board[0], message_id=board[1])
        try:
            match_id = await self._database.write(rows.accept, challenge, person, start, now)
        except rows.ClosedError:
            # Somebody was first: this same person, perhaps, whose press was delivered twice.
            return await self._accept(challenge_id, person, board)
        return await self._matches.begun(match_id, by=person.id)

    async def _close(self, challenge_id: int, user_id: int, status: ChallengeStatus) -> Challenge:
        challenge = await self.load(challenge_id)
        declining = status is ChallengeStatus.DECLINED
        whose = challenge.opponent if declining else challenge.challenger
        if not _is(whose, user_id):
            raise NotYourChallengeError(challenge, whose_it_is(challenge, declining))
        if challenge.status is status:
            return challenge
        if not challenge.is_open:
            raise ChallengeClosedError(challenge)
        now = self._matches.clock()
        taker_id = user_id if declining else None
        try:
            await self._database.write(
                rows.close_challenge, challenge_id, status=status, now=now, taker_id=taker_id
            )
        except rows.ClosedError:
            return await self._close(challenge_id, user_id, status)
        return await self.load(challenge_id)

    async def _write(self, procedure: Callable[..., T], *given: Any, **named: Any) -> T:
        return await self._run(self._database.write(procedure, *given, **named))


def _is(person: Person | None, user_id: int) -> bool:
    return person is not None and person.id == user_id
