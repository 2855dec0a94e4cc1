"""The formulas against the paper's example, and against a second implementation."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.model.ratings.glicko import (
    LEAST_DEVIATION,
    MOST_VOLATILITY,
    NEW_DEVIATION,
    PERIOD,
    Encounter,
    Rating,
    after_game,
    after_games,
    after_periods,
    after_time,
)
from tests.bot.model import reference

# Deviations that stay above the floor and volatilities below the ceiling, which the
# paper does not have; the bounds have tests of their own.
ratings = st.builds(
    Rating,
    value=st.floats(600, 2600),
    deviation=st.floats(60, 350),
    volatility=st.floats(0.03, 0.08),
)
scores = st.sampled_from([0.0, 0.5, 1.0])
games = st.lists(st.builds(Encounter, opponent=ratings, score=scores), min_size=1, max_size=3)


def by_reference(rating: Rating, encounters: list[Encounter]) -> reference.Triple:
    return reference.period(
        (rating.value, rating.deviation, rating.volatility),
        [(game.opponent.value, game.opponent.deviation, game.score) for game in encounters],
    )


def test_glickmans_example() -> None:
    player = Rating(value=1500, deviation=200, volatility=0.06)
    opponents = [(1400, 30, 1), (1550, 100, 0), (1700, 300, 0)]

    after = after_games(
        player,
        [Encounter(opponent=Rating(value=r, deviation=rd), score=s) for r, rd, s in opponents],
    )

    assert after.value == pytest.approx(1464.06, abs=0.01)
    assert after.deviation == pytest.approx(151.52, abs=0.01)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)


def test_the_reference_reproduces_the_example_as_well() -> None:
    after = reference.period((1500, 200, 0.06), [(1400, 30, 1), (1550, 100, 0), (1700, 300, 0)])

    assert after == pytest.approx((1464.06, 151.52, 0.05999), abs=0.01)


@pytest.mark.parametrize(
    ("player", "opponent", "score"),
    [
        ((2200, 80, 0.06), (1500, 350, 0.06), 0),
        ((900, 120, 0.05), (1400, 60, 0.06), 1),
        ((1850, 65, 0.07), (2400, 150, 0.04), 0.5),
        ((620, 200, 0.06), (1480, 90, 0.06), 1),
        ((1500, 340, 0.06), (2300, 70, 0.06), 1),
    ],
)
def test_vectors_away_from_the_centre(
    player: reference.Triple, opponent: reference.Triple, score: float
) -> None:
    """They catch an implementation that forgets the inner scale somewhere."""
    rating = Rating(value=player[0], deviation=player[1], volatility=player[2])
    other = Rating(value=opponent[0], deviation=opponent[1], volatility=opponent[2])

    after = after_game(rating, other, score, PERIOD)

    value, deviation, volatility = reference.period(player, [(opponent[0], opponent[1], score)])
    assert after.value == pytest.approx(value, abs=1e-3)
    assert after.deviation == pytest.approx(min(deviation, NEW_DEVIATION), abs=1e-3)
    assert after.volatility == pytest.approx(volatility, abs=1e-8)


@given(ratings, games)
def test_a_whole_period_is_the_papers(rating: Rating, encounters: list[Encounter]) -> None:
    value, deviation, volatility = by_reference(rating, encounters)
    after = after_games(rating, encounters)

    if volatility < MOST_VOLATILITY and deviation > LEAST_DEVIATION:
        assert after.volatility == pytest.approx(volatility, abs=1e-5)
        # A deviation that would grow past 350 is capped there, before the games.
        if math.hypot(rating.deviation / reference.SCALE, volatility) * reference.SCALE < 350:
            assert after.value == pytest.approx(value, abs=0.05)
            assert after.deviation == pytest.approx(deviation, abs=0.05)


@given(ratings, st.integers(0, 20))
def test_whole_periods_without_a_game_are_the_papers(rating: Rating, periods: int) -> None:
    triple = rating.value, rating.deviation, rating.volatility
    for _ in range(periods):
        triple = reference.period(triple, [])

    after = after_periods(rating, periods)

    assert after.value == rating.value
    assert after.volatility == rating.volatility
    assert after.deviation == pytest.approx(min(triple[1], NEW_DEVIATION))


@given(ratings, st.floats(0, 400), st.floats(0, 400))
def test_time_passed_in_two_parts_is_the_same_time(
    rating: Rating, first: float, second: float
) -> None:
    parts = after_periods(after_periods(rating, first), second)

    assert parts.deviation == pytest.approx(after_periods(rating, first + second).deviation)


def test_a_rating_is_as_unsure_after_a_year_as_the_period_was_made_for() -> None:
    known = Rating(value=1700, deviation=60)

    assert after_time(known, timedelta(days=365)).deviation == pytest.approx(110, abs=0.1)
    assert after_time(known, timedelta(days=36500)).deviation == NEW_DEVIATION
    assert after_time(known, timedelta(seconds=-5)) == known


@given(ratings, ratings, st.floats(0, 30))
def test_a_win_raises_and_a_loss_lowers(rating: Rating, opponent: Rating, days: float) -> None:
    elapsed = timedelta(days=days)
    lost, drawn, won = (after_game(rating, opponent, score, elapsed) for score in (0, 0.5, 1))

    assert lost.value < rating.value < won.value
    assert lost.value < drawn.value < won.value


@given(ratings)
def test_a_draw_between_equals_moves_nothing_but_the_deviation(rating: Rating) -> None:
    after = after_game(rating, rating, 0.5, timedelta())

    assert after.value == pytest.approx(rating.value)
    assert after.deviation < rating.deviation


@given(ratings, ratings, st.floats(0, 60))
def test_each_game_makes_a_rating_surer_and_each_pause_less_sure(
    rating: Rating, opponent: Rating, days: float
) -> None:
    pause = timedelta(days=days)
    soon = after_game(rating, opponent, 1, timedelta())
    late = after_game(rating, opponent, 1, pause)

    assert soon.deviation <= late.deviation
    assert soon.deviation <= rating.deviation
    assert (
        late.deviation
        <= after_time(
            Rating(value=rating.value, deviation=rating.deviation, volatility=MOST_VOLATILITY),
            pause,
        ).deviation
    )


def test_many_games_leave_a_rating_that_still_moves() -> None:
    rating = Rating()
    for number in range(500):
        rating = after_game(rating, Rating(deviation=50), number % 2, timedelta(minutes=10))

    assert rating.deviation == LEAST_DEVIATION
    assert rating.value == pytest.approx(1500, abs=30)
    assert after_game(rating, Rating(deviation=50), 1, timedelta()).value - rating.value > 4


def test_a_floor_never_makes_a_rating_less_sure() -> None:
    """A level's rating may be below the floor; arithmetic must not lift it."""
    sure = Rating(deviation=20)

    assert after_game(sure, Rating(), 1, timedelta()).deviation <= 20


@given(st.floats(-1e5, 1e5), st.floats(-1e5, 1e5), scores)
def test_absurd_ratings_do_not_break_the_arithmetic(a: float, b: float, score: float) -> None:
    after = after_game(Rating(value=a), Rating(value=b, deviation=30), score, timedelta())

    assert math.isfinite(after.value)
    assert 0 < after.volatility <= MOST_VOLATILITY


def test_what_is_no_rating_is_refused() -> None:
    with pytest.raises(ValueError, match="not a rating"):
        Rating(value=math.nan)
    with pytest.raises(ValueError, match="not a rating"):
        Rating(deviation=0)
    with pytest.raises(ValueError, match=r"0, 0\.5 or 1, got 2"):
        Encounter(opponent=Rating(), score=2)
    with pytest.raises(ValueError, match="0 games"):
        after_games(Rating(), [])
