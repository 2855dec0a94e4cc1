"""Matches that end, and what the book says of them afterwards."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from bot.model.ratings.glicko import Encounter, Rating, after_game, after_games
from bot.model.ratings.pools import Reason
from bot.model.ratings.values import rating_of_level
from bot.storage.ratings import delete_player, rate
from bot.storage.schema import guild_player, rated_match, rating, rating_change
from engine import Game, draw_opening_code, load_variant
from tests.bot.services.ratings.league import (
    GUILD,
    START,
    League,
    account_made,
    level,
    person,
    rating_of,
)

if TYPE_CHECKING:
    from tests.bot.services.ratings.league import Evening

ANNA, BERT, CARL = person(1), person(2), person(3)


async def test_a_first_game_moves_two_new_ratings(evening: Evening) -> None:
    ended = await evening.play(lambda league: league.end(ANNA, BERT, 0))

    told = await evening.book.changes_of(ended.id)

    assert told is not None
    assert told.reason is None
    won, lost = told.of(ANNA), told.of(BERT)
    assert won is not None
    assert lost is not None
    assert (won.before, lost.before) == (Rating(), Rating())
    assert won.gain == -lost.gain > 100
    assert str(won.words) == str(lost.words) == "placement game 1 of 5"
    assert won.changed_at == START
    assert (await rating_of(evening.book, ANNA, "standard")).rating == won.after
    assert (await rating_of(evening.book, CARL, "standard")).rating == Rating()


async def test_both_are_rated_by_what_the_other_was_before(evening: Evening) -> None:
    def happen(league: League) -> None:
        league.end(ANNA, CARL, 0)
        league.wait(days=40)
        league.end(ANNA, BERT, None)

    await evening.play(happen)

    first = after_games(Rating(), [Encounter(opponent=Rating(), score=1)], periods=0)
    anna = await rating_of(evening.book, ANNA, "standard")
    assert anna.rating == after_game(first, Rating(), 0.5, timedelta(days=40))
    points = await evening.book.points_of(ANNA, "standard")
    assert points[1].before.deviation > points[0].after.deviation
    assert points[1].before.value == points[0].after.value


async def test_time_makes_a_shown_rating_less_sure(evening: Evening) -> None:
    await evening.play(lambda league: league.end(ANNA, BERT, 0))
    fresh = await rating_of(evening.book, ANNA, "standard")

    evening.now += timedelta(days=200)

    later = await rating_of(evening.book, ANNA, "standard")
    assert later.rating.deviation > fresh.rating.deviation
    assert later.words == fresh.words


async def test_a_match_is_rated_once(evening: Evening) -> None:
    ended = await evening.play(lambda league: league.end(ANNA, BERT, 0))
    before = await rating_of(evening.book, ANNA, "standard")

    await evening.database.write(rate, ended, evening.now)

    assert await rating_of(evening.book, ANNA, "standard") == before
    assert len(await evening.book.points_of(ANNA, "standard")) == 1


async def test_what_breaks_afterwards_takes_the_rating_with_it(evening: Evening) -> None:
    def happen(league: League) -> None:
        league.end(ANNA, BERT, 0)
        raise RuntimeError("later in the same transaction")

    with pytest.raises(RuntimeError, match="later"):
        await evening.play(happen)

    assert (await rating_of(evening.book, ANNA, "standard")).games == 0


async def test_casual_matches_are_left_alone(evening: Evening) -> None:
    ended = await evening.play(lambda league: league.end(ANNA, BERT, 0, rated=False))

    assert await evening.book.changes_of(ended.id) is None
    assert (await rating_of(evening.book, ANNA, "standard")).games == 0


async def test_each_variant_is_rated_for_itself(evening: Evening) -> None:
    await evening.play(lambda league: league.end(ANNA, BERT, 0))
    await evening.play(
        lambda league: league.end(ANNA, BERT, 1, rules=load_variant("majority").rules)
    )

    standard = await rating_of(evening.book, ANNA, "standard")
    majority = await rating_of(evening.book, ANNA, "majority")
    assert standard.rating.value > 1500 > majority.rating.value


async def test_a_level_keeps_its_rating(evening: Evening) -> None:
    def happen(league: League) -> None:
        league.end(ANNA, level(7), 0)
        league.end(level(7), BERT, 1)

    await evening.play(happen)

    anna = await rating_of(evening.book, ANNA, "standard")
    bert = await rating_of(evening.book, BERT, "standard")
    assert anna.rating == bert.rating
    expected = Encounter(opponent=rating_of_level(7, "standard"), score=1)
    assert anna.rating == after_games(Rating(), [expected], periods=0)


async def test_reasons_are_told(evening: Evening) -> None:
    def happen(league: League) -> list[int]:
        young = league.join(account_made(START - timedelta(days=6)), "Newcomer")
        ended = [
            league.end(ANNA, BERT, 0, rules=load_variant("won_board=open,goal=five").rules),
            league.end(ANNA, BERT, 0, moves=(40, 36)),
            league.end(ANNA, young, 0),
            league.end(ANNA, ANNA, 0),
        ]
        return [match.id for match in ended]

    told = [await evening.book.changes_of(number) for number in await evening.play(happen)]

    assert [verdict and verdict.reason for verdict in told] == [
        Reason.CUSTOM_RULES,
        Reason.TOO_SHORT,
        Reason.YOUNG_ACCOUNT,
        Reason.BOTH_SEATS,
    ]
    assert all(verdict is not None and not verdict.changes for verdict in told)
    assert (await rating_of(evening.book, ANNA, "standard")).games == 0


async def test_a_drawn_opening_is_no_move_of_the_players(evening: Evening) -> None:
    """Random four: the four drawn moves and two more do not make a game."""
    rules = load_variant("random-four").rules
    code = draw_opening_code(rules, seed=1)
    given = Game(rules, code).moves

    def happen(league: League) -> int:
        rehearsal = league.end(ANNA, BERT, 0, rules=rules, rated=False)
        short = replace(rehearsal, rated=True, opening_code=code, moves=(*given, 1, 2))
        rate(league.connection, short, league.now)
        return short.id

    told = await evening.book.changes_of(await evening.play(happen))

    assert len(given) == 4
    assert told is not None
    assert told.reason is Reason.TOO_SHORT


async def test_a_pair_has_two_games_within_a_day(evening: Evening) -> None:
    def happen(league: League) -> list[int]:
        ended: list[int] = []
        for hours in (0, 1, 1, 21.9, 0.2, 1):
            league.wait(hours=hours)
            x, o = (ANNA, BERT) if len(ended) % 2 else (BERT, ANNA)
            ended.append(league.end(x, o, 0).id)
        ended.append(league.end(ANNA, CARL, 0).id)
        return ended

    told = [await evening.book.changes_of(number) for number in await evening.play(happen)]

    # The first was 24 hours and 6 minutes before the fifth, the second less than a day
    # before it; games that do not count are not counted.
    same = Reason.SAME_PAIR
    reasons = [verdict and verdict.reason for verdict in told]
    assert reasons == [None, None, same, same, None, None, None]


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        (timedelta(days=1), None),
        (timedelta(days=1, milliseconds=-1), Reason.SAME_PAIR),
    ],
)
async def test_a_game_of_a_pair_is_counted_for_a_day_to_the_millisecond(
    evening: Evening, after: timedelta, reason: Reason | None
) -> None:
    def happen(league: League) -> int:
        for _ in range(2):
            league.end(ANNA, BERT, 0)
        league.now += after
        return league.end(BERT, ANNA, 0).id

    told = await evening.book.changes_of(await evening.play(happen))

    assert told is not None
    assert told.reason is reason


async def test_the_same_game_against_the_computer_counts_once(evening: Evening) -> None:
    line = tuple(range(40))

    def happen(league: League) -> list[int]:
        ended = []
        others = [tuple(range(number, number + 30)) for number in (1, 2, 3)]
        for moves in (line, (*line[:20], 7), others[0], line, others[1], others[2], line):
            league.wait(minutes=5)
            ended.append(league.end(ANNA, level(3), 0, moves=moves).id)
        ended.append(league.end(ANNA, level(3), 1, moves=line).id)
        ended.append(league.end(BERT, level(3), 0, moves=line).id)
        return ended

    told = [await evening.book.changes_of(number) for number in await evening.play(happen)]

    again = Reason.REPEATED
    reasons = [verdict and verdict.reason for verdict in told]
    assert reasons == [None, again, None, again, None, None, None, None, None]


async def test_what_is_known_before_a_match(evening: Evening) -> None:
    rules = load_variant("standard").rules

    assert evening.book.why_not_rated(rules, (ANNA, BERT)) is None
    assert evening.book.why_not_rated(rules, (ANNA, 2**62)) is Reason.YOUNG_ACCOUNT


async def test_a_deleted_player_is_unknown_and_leaves_the_others_as_they_are(
    evening: Evening,
) -> None:
    ended = await evening.play(lambda league: league.end(ANNA, BERT, 0, guild_id=GUILD))
    bert = await rating_of(evening.book, BERT, "standard")

    await evening.database.write(delete_player, ANNA)

    assert (await rating_of(evening.book, ANNA, "standard")).games == 0
    assert await rating_of(evening.book, BERT, "standard") == bert
    told = await evening.book.changes_of(ended.id)
    assert told is not None
    assert [change.player_id for change in told.changes] == [BERT]
    left = await evening.database.read(
        lambda c: [
            value
            for table in (rating, rating_change, rated_match, guild_player)
            for row in c.execute(select(table))
            for value in row
        ]
    )
    assert BERT in left
    assert ANNA not in left
