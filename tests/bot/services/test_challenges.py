"""Challenges: two people get a match, or do not and are told why."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from bot.model.challenges import MOST_OPEN, NAMED_FOR, OPEN_FOR, Challenge, ChallengeStatus
from bot.model.clocks import ClockRules
from bot.model.errors import (
    CannotChallengeError,
    ChallengeClosedError,
    ChallengeNotFoundError,
    InvalidClockError,
    NotRatedError,
    NotYourChallengeError,
    TooManyChallengesError,
    TooManyMatchesError,
    UnknownVariantError,
)
from bot.model.match import Match, Person
from bot.model.starting import MOST_ONGOING
from cogs.audience import told_names
from engine import InvalidNotationError
from tests.bot.services.conftest import ANNA, BEN, CLEO

if TYPE_CHECKING:
    from tests.bot.services.conftest import Server


async def test_a_challenge_is_as_it_was_offered_and_survives_a_restart(server: Server) -> None:
    challenge = await server.offer(
        variant_key="majority", clock=ClockRules.parse("3d"), rated=True, channel_id=7, guild_id=8
    )
    await server.restart()

    assert await server.challenges.load(challenge.id) == challenge
    assert (challenge.challenger, challenge.opponent, challenge.taker) == (ANNA, BEN, None)
    assert (challenge.variant_key, challenge.clock.key, challenge.rated) == ("majority", "3d", True)
    assert (challenge.side, challenge.channel_id, challenge.guild_id) == (0, 7, 8)
    assert (challenge.is_open, str(challenge.status_in_words)) == (True, "it waits for an answer")
    assert challenge.expires_at == challenge.created_at + NAMED_FOR


async def test_nobody_renames_whom_they_challenge(server: Server) -> None:
    await server.offer(challenger=BEN, opponent=CLEO)
    nicknamed = Person(id=BEN.id, name="An insult")

    challenge = await server.offer(opponent=nicknamed)

    assert (await server.challenges.load(challenge.id)).opponent == BEN
    await server.challenges.accept(challenge.id, person=Person(id=BEN.id, name="Benno"))
    assert (await server.challenges.load(challenge.id)).opponent == Person(id=BEN.id, name="Benno")


async def test_accepting_begins_the_match(server: Server) -> None:
    challenge = await server.offer(
        variant_key="majority", clock=ClockRules.parse("5+3"), rated=True, channel_id=7, guild_id=8
    )

    match = await server.challenges.accept(challenge.id, person=BEN)

    assert told_names(match) == ("Anna", "Ben")
    assert (match.variant_key, match.clock.key, match.rated) == ("majority", "5+3", True)
    assert (match.channel_id, match.guild_id) == (7, 8)
    await server.restart()
    assert await server.matches.load(match.id) == match
    accepted = await server.challenges.load(challenge.id)
    assert (accepted.status, accepted.taker, accepted.match_id) == (
        ChallengeStatus.ACCEPTED,
        BEN,
        match.id,
    )
    assert str(accepted.status_in_words) == "Ben has accepted it"
    assert await server.challenges.accept(challenge.id, person=BEN) == match


@pytest.mark.parametrize(("side", "names"), [(0, ("Anna", "Ben")), (1, ("Ben", "Anna"))])
async def test_marks_can_be_chosen(server: Server, side: int, names: tuple[str, str]) -> None:
    assert told_names(await server.begin_between(side=side)) == names


async def test_marks_can_be_left_to_chance(server: Server) -> None:
    names = {(await server.begin_between(side=None)).names for _ in range(20)}

    assert names == {("Anna", "Ben"), ("Ben", "Anna")}


async def test_an_opening_can_be_asked_for_or_is_drawn(server: Server) -> None:
    asked = await server.begin_between(variant_key="random-four", opening_code="12345")
    drawn = {(await server.begin_between(variant_key="random-four")).opening_code for _ in range(5)}

    assert asked.opening_code == "12345"
    assert len(drawn) > 1


async def test_anyone_may_take_an_open_challenge_but_one_only(server: Server) -> None:
    challenge = await server.offer(opponent=None)
    others = [Person(id=1000 + number, name=f"Person {number}") for number in range(10)]

    results = await asyncio.gather(
        *(server.challenges.accept(challenge.id, person=other) for other in others),
        return_exceptions=True,
    )

    (match,) = [result for result in results if isinstance(result, Match)]
    refused = [result for result in results if isinstance(result, ChallengeClosedError)]
    assert len(refused) == 9
    assert {str(error) for error in refused} == {
        f"This challenge is closed: {match.names[1]} has accepted it."
    }
    assert await server.matches.ongoing_of(ANNA.id) == [match]
    assert challenge.expires_at == challenge.created_at + OPEN_FOR


async def test_accepting_survives_callers_that_give_up(server: Server) -> None:
    challenge = await server.offer(opponent=None)
    tasks = [
        asyncio.create_task(
            server.challenges.accept(challenge.id, person=Person(id=1000 + number, name="X"))
        )
        for number in range(10)
    ]
    for number, task in enumerate(tasks):
        await asyncio.sleep(0)
        if number % 2 == 0:
            task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await server.restart()

    (match,) = await server.matches.ongoing_of(ANNA.id)
    assert (await server.challenges.load(challenge.id)).match_id == match.id


async def test_a_challenge_can_be_declined_and_withdrawn(server: Server) -> None:
    first, second = await server.offer(), await server.offer()

    declined = await server.challenges.decline(first.id, user_id=BEN.id)
    withdrawn = await server.challenges.withdraw(second.id, user_id=ANNA.id)

    assert (declined.status, declined.taker) == (ChallengeStatus.DECLINED, BEN)
    assert str(declined.status_in_words) == "Ben has declined it"
    assert str(withdrawn.status_in_words) == "Anna has withdrawn it"
    assert await server.challenges.decline(first.id, user_id=BEN.id) == declined
    assert await server.challenges.withdraw(second.id, user_id=ANNA.id) == withdrawn
    with pytest.raises(ChallengeClosedError, match="Ben has declined it") as refused:
        await server.challenges.accept(first.id, person=BEN)
    assert refused.value.challenge == declined
    with pytest.raises(ChallengeClosedError, match="Anna has withdrawn it"):
        await server.challenges.decline(second.id, user_id=BEN.id)
    assert await server.matches.ongoing_of(ANNA.id) == []


async def test_declining_after_accepting_is_too_late(server: Server) -> None:
    challenge = await server.offer()
    await server.challenges.accept(challenge.id, person=BEN)

    with pytest.raises(ChallengeClosedError, match="Ben has accepted it"):
        await server.challenges.decline(challenge.id, user_id=BEN.id)
    with pytest.raises(ChallengeClosedError, match="Ben has accepted it"):
        await server.challenges.withdraw(challenge.id, user_id=ANNA.id)


async def test_of_accepting_declining_and_withdrawing_at_once_one_happens(server: Server) -> None:
    for _ in range(10):
        challenge = await server.offer()
        results = await asyncio.gather(
            server.challenges.accept(challenge.id, person=BEN),
            server.challenges.decline(challenge.id, user_id=BEN.id),
            server.challenges.withdraw(challenge.id, user_id=ANNA.id),
            return_exceptions=True,
        )
        assert sum(isinstance(result, Match | Challenge) for result in results) == 1
        assert sum(isinstance(result, ChallengeClosedError) for result in results) == 2


async def test_what_is_anothers_is_refused_in_words(server: Server) -> None:
    named, open_to_all = await server.offer(), await server.offer(opponent=None)

    with pytest.raises(NotYourChallengeError, match="for Ben to answer"):
        await server.challenges.accept(named.id, person=CLEO)
    with pytest.raises(NotYourChallengeError, match="for Ben to answer"):
        await server.challenges.decline(named.id, user_id=CLEO.id)
    with pytest.raises(NotYourChallengeError, match="your own challenge"):
        await server.challenges.accept(named.id, person=ANNA)
    with pytest.raises(NotYourChallengeError, match="open to anyone: there is nothing"):
        await server.challenges.decline(open_to_all.id, user_id=CLEO.id)
    with pytest.raises(NotYourChallengeError, match="Only Anna can withdraw"):
        await server.challenges.withdraw(named.id, user_id=BEN.id)
    with pytest.raises(ChallengeNotFoundError, match="no challenge 99"):
        await server.challenges.accept(99, person=BEN)


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"opponent": ANNA}, CannotChallengeError, "can't challenge yourself"),
        (
            {"opponent": Person(id=5, name="Robo", is_bot=True)},
            CannotChallengeError,
            "Robo is a bot .*use /play",
        ),
        ({"variant_key": "chess"}, UnknownVariantError, "standard"),
        ({"variant_key": "random-four", "opening_code": "11111"}, InvalidNotationError, "twice"),
        ({"variant_key": "won_board=open,goal=five", "rated": True}, NotRatedError, "custom"),
        (
            {"variant_key": "random-four", "opening_code": "12345", "rated": True},
            NotRatedError,
            "opening is random",
        ),
    ],
)
async def test_what_cannot_be_offered_is_refused_in_words(
    server: Server, options: dict[str, object], error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        await server.offer(**options)

    assert await server.challenges.challenges_of(ANNA.id) == []


async def test_a_bot_takes_no_open_challenge(server: Server) -> None:
    challenge = await server.offer(opponent=None)

    with pytest.raises(CannotChallengeError, match="A bot cannot"):
        await server.challenges.accept(challenge.id, person=Person(id=5, name="R", is_bot=True))


async def test_games_by_custom_rules_against_the_computer_are_not_rated_either(
    server: Server,
) -> None:
    with pytest.raises(NotRatedError, match="custom"):
        await server.begin(variant_key="won_board=open,goal=five", rated=True)
    assert (await server.begin(rated=True)).rated


@pytest.mark.parametrize(
    ("opponent", "lasts"), [(BEN, timedelta(hours=24)), (None, timedelta(hours=1))]
)
async def test_a_challenge_runs_out(
    server: Server, opponent: Person | None, lasts: timedelta
) -> None:
    challenge = await server.offer(opponent=opponent)
    assert await server.challenges.expire() == []
    server.clock.instant = challenge.expires_at

    with pytest.raises(ChallengeClosedError, match="nobody has answered in time"):
        await server.challenges.accept(challenge.id, person=BEN)
    (expired,) = await server.challenges.expire()

    assert expired == await server.challenges.load(challenge.id)
    assert expired.status is ChallengeStatus.EXPIRED
    assert expired.closed_at is not None
    assert challenge.expires_at - challenge.created_at == lasts
    assert await server.challenges.expire() == []
    assert await server.challenges.challenges_of(ANNA.id) == []


async def test_ten_open_challenges_and_no_more(server: Server) -> None:
    results = await asyncio.gather(
        *(server.offer(opponent=None) for _ in range(MOST_OPEN + 3)), return_exceptions=True
    )

    made = [result for result in results if isinstance(result, Challenge)]
    assert len(made) == MOST_OPEN
    assert sum(isinstance(result, TooManyChallengesError) for result in results) == 3
    await server.challenges.withdraw(made[0].id, user_id=ANNA.id)
    newest = await server.offer()
    with pytest.raises(TooManyChallengesError, match="10 open challenges already"):
        await server.offer()
    server.clock.instant = newest.expires_at
    await server.offer()  # expired ones do not count


async def test_lists_show_what_waits(server: Server) -> None:
    here = await server.offer(opponent=None, guild_id=1, channel_id=2)
    there = await server.offer(opponent=None, guild_id=1, channel_id=3, challenger=BEN)
    named = await server.offer(guild_id=1, channel_id=2)

    lobby = server.challenges.open_challenges
    assert await lobby(1, None) == [there, here]
    assert await lobby(1, 2) == [here]
    assert await lobby(None, None) == [there, here]
    assert await lobby(9, None) == []
    assert await server.challenges.challenges_of(BEN.id) == [named, there]
    placed = await server.challenges.place_challenge(here.id, channel_id=4, message_id=5)
    assert (placed.channel_id, placed.message_id) == (4, 5)
    with pytest.raises(ChallengeNotFoundError):
        await server.challenges.place_challenge(99, channel_id=4, message_id=5)


async def test_who_is_blocked_is_not_told_more_than_needed(server: Server) -> None:
    waiting = await server.offer(opponent=None, challenger=BEN)
    of_anna = await server.offer(opponent=None)
    await server.challenges.block(BEN.id, ANNA.id)
    await server.challenges.block(BEN.id, ANNA.id)
    await server.restart()

    with pytest.raises(CannotChallengeError) as told:
        await server.offer()
    assert str(told.value) == "You can't challenge Ben right now."
    with pytest.raises(CannotChallengeError, match="can't accept this challenge"):
        await server.challenges.accept(waiting.id, person=ANNA)
    with pytest.raises(CannotChallengeError, match="You have blocked Anna: unblock"):
        await server.challenges.accept(of_anna.id, person=BEN)
    assert await server.challenges.blocked_by(BEN.id) == [ANNA.id]
    assert await server.challenges.blocked_by(ANNA.id) == []

    await server.challenges.unblock(BEN.id, ANNA.id)
    assert told_names(await server.challenges.accept(waiting.id, person=ANNA)) == ("Ben", "Anna")
    with pytest.raises(CannotChallengeError, match="block yourself"):
        await server.challenges.block(BEN.id, BEN.id)


async def test_a_lobby_shows_what_one_could_take(server: Server) -> None:
    of_anna, of_ben, of_cleo = [
        await server.offer(challenger=person, opponent=None) for person in (ANNA, BEN, CLEO)
    ]

    async def lobby(person: Person) -> list[int]:
        return [each.id for each in await server.challenges.open_challenges(user_id=person.id)]

    assert await lobby(ANNA) == [of_cleo.id, of_ben.id]
    await server.challenges.block(BEN.id, ANNA.id)
    assert await lobby(ANNA) == [of_cleo.id]
    assert await lobby(BEN) == [of_cleo.id]
    assert await lobby(CLEO) == [of_ben.id, of_anna.id]
    await server.challenges.unblock(BEN.id, ANNA.id)
    assert await lobby(BEN) == [of_cleo.id, of_anna.id]


async def test_blocking_closes_what_waits_between_the_two(server: Server) -> None:
    to_ben, to_anna = await server.offer(), await server.offer(challenger=BEN, opponent=ANNA)
    others = [await server.offer(opponent=CLEO), await server.offer(opponent=None)]
    going_on = await server.begin_between()

    closed = await server.challenges.block(BEN.id, ANNA.id)

    assert {each.id: str(each.status_in_words) for each in closed} == {
        to_ben.id: "Ben has declined it",
        to_anna.id: "Ben has withdrawn it",
    }
    for other in others:
        assert (await server.challenges.load(other.id)).is_open
    assert (await server.play(going_on, 40, 36)).ply == 2


async def test_limits_of_matches_are_checked_when_offering_and_when_accepting(
    server: Server,
) -> None:
    waiting = await server.offer()
    for _ in range(MOST_ONGOING):
        await server.begin()

    with pytest.raises(TooManyMatchesError, match="You already have 50 games"):
        await server.offer()
    with pytest.raises(TooManyMatchesError, match="Anna already has 50 games"):
        await server.challenges.accept(waiting.id, person=BEN)
    with pytest.raises(TooManyMatchesError, match="Anna already has 50 games"):
        await server.offer(challenger=BEN, opponent=ANNA)
    assert (await server.challenges.load(waiting.id)).is_open


async def test_clocks_that_do_not_exist_are_refused() -> None:
    for given in ("15d", "0h", "0+5", "61+0", "5+61", "5", "", "\u0661d"):
        with pytest.raises(InvalidClockError, match="Write the time for each move"):
            ClockRules.parse(given)


async def test_accepting_twice_at_once_returns_the_match_twice(server: Server) -> None:
    challenge = await server.offer()

    first, second = await asyncio.gather(
        *(server.challenges.accept(challenge.id, person=BEN) for _ in range(2))
    )

    assert first == second


async def test_declining_twice_at_once_is_no_mistake(server: Server) -> None:
    challenge = await server.offer()

    first, second = await asyncio.gather(
        *(server.challenges.decline(challenge.id, user_id=BEN.id) for _ in range(2))
    )

    assert first == second
