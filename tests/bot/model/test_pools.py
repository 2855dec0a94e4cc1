"""The policies, one by one, at their edges."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.model.ratings import pools
from bot.model.ratings.glicko import Rating, after_time
from bot.model.ratings.pools import FinishedGame, PastGame, Reason
from bot.model.ratings.values import rating_of_level
from engine import LEVELS, VARIANTS, EngineError, Rules, load_variant
from tests.bot.services.ratings.league import account_made

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ANNA, BERT = 100_000_000_000_000_001, 100_000_000_000_000_002
CUSTOM = load_variant("won_board=open,goal=five").rules

GAME = FinishedGame(
    rules=Rules(),
    people=(ANNA, BERT),
    started_at=NOW,
    moves_played=30,
    opening="40 36 0",
    winner=0,
)


@pytest.mark.parametrize("key", VARIANTS)
def test_each_variant_is_a_pool(key: str) -> None:
    assert pools.pool_of(VARIANTS[key].rules) == key


def test_custom_rules_have_none() -> None:
    assert pools.pool_of(CUSTOM) is None
    assert pools.why_not(replace(GAME, rules=CUSTOM)) is Reason.CUSTOM_RULES


def test_the_number_of_an_account_holds_its_date() -> None:
    """The example of Discord's own documentation."""
    made = pools.account_made_at(175928847299117063)

    assert made == datetime(2016, 4, 30, 11, 18, 25, 796000, tzinfo=UTC)


@given(st.timedeltas(timedelta(0), timedelta(days=3000)))
def test_accounts_may_play_rated_games_from_a_week_on(age: timedelta) -> None:
    when = NOW + pools.LEAST_ACCOUNT_AGE
    age = age // timedelta(milliseconds=1) * timedelta(milliseconds=1)
    user_id = account_made(when - age)

    assert pools.is_old_enough(user_id, when) == (age >= timedelta(days=7))


def test_one_young_account_is_enough() -> None:
    young = account_made(NOW - timedelta(days=6, hours=23))

    assert pools.why_not(replace(GAME, people=(ANNA, young))) is Reason.YOUNG_ACCOUNT
    assert pools.why_not_before(Rules(), (young,), NOW) is Reason.YOUNG_ACCOUNT
    assert pools.why_not_before(Rules(), (young,), NOW + timedelta(hours=1)) is None


def test_nobody_is_rated_against_themselves() -> None:
    assert pools.why_not(replace(GAME, people=(ANNA, ANNA))) is Reason.BOTH_SEATS


def test_a_game_of_two_moves_is_none() -> None:
    assert pools.why_not(replace(GAME, moves_played=2)) is Reason.TOO_SHORT
    assert pools.why_not(replace(GAME, moves_played=3)) is None


def test_a_pair_has_two_games_a_day() -> None:
    assert pools.why_not(replace(GAME, pair_games=1)) is None
    assert pools.why_not(replace(GAME, pair_games=2)) is Reason.SAME_PAIR


def test_a_game_against_the_computer_must_be_a_new_one() -> None:
    game = replace(GAME, people=(ANNA,))
    same = PastGame(opening="40 36 0", winner=0)
    lost = PastGame(opening="40 36 0", winner=1)
    other = PastGame(opening="40 36 1", winner=0)

    assert pools.why_not(game) is None
    assert pools.why_not(replace(game, past=(same,))) is Reason.REPEATED
    assert pools.why_not(replace(game, past=(other, same))) is Reason.REPEATED
    assert pools.why_not(replace(game, past=(other, lost))) is None
    assert pools.why_not(replace(game, past=(other, lost, same))) is None


def test_an_opening_is_twenty_plies() -> None:
    moves = tuple(range(30))

    assert pools.opening_of(moves) == pools.opening_of((*moves[:20], 99))
    assert pools.opening_of(moves) != pools.opening_of((*moves[:19], 99))
    assert pools.opening_of((1, 11)) != pools.opening_of((11, 1))


@pytest.mark.parametrize("reason", Reason)
def test_each_reason_is_a_sentence(reason: Reason) -> None:
    assert str(reason.sentence).startswith("This game is not rated: ")
    assert str(reason.sentence).endswith(".")


def test_placement_takes_five_games_that_told_something() -> None:
    assert not pools.is_placed(Rating(deviation=190), 4)
    assert pools.is_placed(Rating(deviation=239.9), 5)
    assert not pools.is_placed(Rating(deviation=240), 5)
    assert [pools.placement_games(games) for games in (0, 3, 4, 5, 7)] == [5, 5, 5, 6, 8]


def test_games_won_are_ordered_by_games_lost_as_well() -> None:
    places = [(3, 0), (3, 20), (2, 0), (0, 0), (0, 9)]
    keys = [pools.wins_place(*place) for place in places]
    assert keys == sorted(keys, reverse=True)
    assert len(set(keys)) == len(keys)


def test_provisional_from_110_on() -> None:
    assert pools.is_provisional(Rating(deviation=110))
    assert not pools.is_provisional(Rating(deviation=109.9))


@pytest.mark.parametrize(
    ("games", "opponents", "telling", "deviation", "listed"),
    [
        (10, 5, 5, 110, True),
        (9, 5, 9, 60, False),
        (10, 4, 10, 60, False),
        (10, 5, 4, 60, False),
        (100, 50, 100, 110.1, False),
    ],
)
def test_who_is_on_the_leaderboard(
    games: int, opponents: int, telling: int, deviation: float, listed: bool
) -> None:
    standing: dict[str, Any] = {
        "games": games,
        "opponents": opponents,
        "telling": telling,
        "last_game_at": NOW,
    }
    rating = Rating(deviation=deviation)

    assert (pools.listed_until(rating, **standing) is not None) == listed
    if not listed:
        assert pools.why_not_listed(rating, **standing, now=NOW) is not None


def test_a_sure_rating_is_listed_for_thirty_days() -> None:
    standing: dict[str, Any] = {"games": 50, "opponents": 9, "telling": 40, "last_game_at": NOW}
    rating = Rating(deviation=60)
    until = NOW + timedelta(days=30)

    assert pools.listed_until(rating, **standing) == until
    assert pools.why_not_listed(rating, **standing, now=until - timedelta(hours=1)) is None
    assert pools.why_not_listed(rating, **standing, now=until) is not None


@pytest.mark.parametrize(("others", "telling"), [(0, False), (4, False), (5, True), (None, True)])
def test_which_games_speak_for_the_leaderboard(others: int | None, telling: bool) -> None:
    assert pools.is_telling(others) == telling


@given(st.floats(46, 109.99), st.floats(0.03, 0.1))
def test_nobody_is_listed_whose_rating_has_become_unsure(
    deviation: float, volatility: float
) -> None:
    rating = Rating(deviation=deviation, volatility=volatility)
    until = pools.listed_until(rating, games=10, opponents=5, telling=9, last_game_at=NOW)

    assert until is not None
    assert after_time(rating, until - NOW).deviation <= 110.001
    if until < NOW + pools.ACTIVE_WITHIN:
        assert after_time(rating, until - NOW).deviation == pytest.approx(110, abs=0.001)


@pytest.mark.parametrize("pool", VARIANTS)
def test_each_level_has_a_rating_in_each_pool(pool: str) -> None:
    values = [rating_of_level(level.number, pool).value for level in LEVELS]

    assert values == sorted(values)
    assert values[0] < 1500 <= values[-1]


def test_an_unknown_level_has_none() -> None:
    with pytest.raises(EngineError, match="99"):
        rating_of_level(99, "standard")
