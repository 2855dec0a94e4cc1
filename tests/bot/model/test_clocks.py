"""Clock rules as text and in words, and what each step does to the clocks."""

from __future__ import annotations

import doctest
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.model import clocks
from bot.model.clocks import (
    NO_CLOCK,
    ClockKind,
    ClockRules,
    Times,
    Turn,
    after_takeback,
    after_turn,
    first_times,
    format_span,
    shifted,
)
from bot.model.errors import InvalidClockError
from bot.model.match import Seat

NOW = datetime(2026, 3, 1, tzinfo=UTC)
HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
ANNA, BEN = Seat(name="Anna", player_id=1), Seat(name="Ben", player_id=2)
ENGINE = Seat(name="Computer", level=3)

ANY_CLOCK = st.one_of(
    st.just(NO_CLOCK),
    st.builds(lambda hours: ClockRules(per_move=hours * HOUR), st.integers(1, 14 * 24)),
    st.builds(
        lambda base, more: ClockRules(base=base * MINUTE, increment=more * SECOND),
        st.integers(1, 60),
        st.integers(0, 60),
    ),
)


def test_the_examples_are_right() -> None:
    assert doctest.testmod(clocks).failed == 0


@given(ANY_CLOCK)
def test_every_clock_is_written_and_read_back(clock: ClockRules) -> None:
    assert ClockRules.parse(clock.key) == clock
    assert clock.words
    assert (clock.budget is None) == (clock.kind is ClockKind.NONE)


@pytest.mark.parametrize(
    ("written", "key", "words"),
    [
        ("3 days", "3d", "3 days a move"),
        ("48H", "2d", "2 days a move"),
        ("36 hours", "36h", "1 day 12 hours a move"),
        (" 10 + 0 ", "10+0", "10 minutes"),
        ("60+60", "60+60", "1 hour + 1 minute a move"),
        ("None", "none", "no clock"),
    ],
)
def test_clocks_are_read_as_people_write_them(written: str, key: str, words: str) -> None:
    clock = ClockRules.parse(written)

    assert (clock.key, str(clock.words)) == (key, words)


@pytest.mark.parametrize(
    "fields",
    [
        {"increment": SECOND},
        {"per_move": 90 * MINUTE},
        {"per_move": 15 * 24 * HOUR},
        {"per_move": HOUR, "base": MINUTE},
        {"base": MINUTE},
        {"base": 90 * SECOND, "increment": SECOND},
        {"base": MINUTE, "increment": SECOND / 2},
        {"base": MINUTE, "increment": 61 * SECOND},
        {"base": MINUTE, "increment": -SECOND},
    ],
)
def test_clocks_that_cannot_be_are_refused(fields: dict[str, object]) -> None:
    with pytest.raises(InvalidClockError):
        ClockRules(**fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (timedelta(0), "0 seconds"),
        (-HOUR, "0 seconds"),
        (61 * SECOND, "1 minute 1 second"),
        (2 * HOUR + SECOND, "2 hours"),
        (timedelta(days=3, minutes=5), "3 days"),
        (timedelta(days=1, hours=5), "1 day 5 hours"),
    ],
)
def test_spans_are_written_in_two_units(span: timedelta, words: str) -> None:
    assert str(format_span(span)) == words


# What steps do to the clocks.


def turn(side: int, seat: Seat, at: datetime, away: datetime | None = None) -> Turn:
    return Turn(side=side, seat=seat, now=at, away_until=away)


def test_a_live_clock_adds_with_each_move() -> None:
    clock = ClockRules.parse("5+3")
    times = first_times(clock, turn(0, ANNA, NOW))
    assert times.deadline == NOW + 5 * MINUTE
    assert times.remind_at is None

    times = after_turn(clock, times, 0, turn(1, BEN, NOW + MINUTE))

    assert times.left == (4 * MINUTE + 3 * SECOND, 5 * MINUTE)
    assert times.deadline == NOW + 6 * MINUTE


def test_a_swap_takes_the_time_along_with_the_person() -> None:
    clock = ClockRules.parse("5+3")
    times = first_times(clock, turn(0, ANNA, NOW))
    times = after_turn(clock, times, 0, turn(1, BEN, NOW + MINUTE))

    times = after_turn(clock, times, 1, turn(1, ANNA, NOW + 3 * MINUTE), exchanged=True)

    assert times.left == (3 * MINUTE + 3 * SECOND, 4 * MINUTE + 3 * SECOND)
    assert times.deadline == NOW + 7 * MINUTE + 3 * SECOND


def test_the_computer_has_no_clock() -> None:
    clock = ClockRules.parse("5+3")
    times = first_times(clock, turn(0, ANNA, NOW))
    waiting = after_turn(clock, times, 0, turn(1, ENGINE, NOW + MINUTE))
    assert waiting.deadline is None

    times = after_turn(clock, waiting, 1, turn(0, ANNA, NOW + HOUR))

    assert times.deadline == NOW + HOUR + 4 * MINUTE + 3 * SECOND
    assert times.left == waiting.left


def test_correspondence_counts_for_each_move_and_after_a_vacation() -> None:
    clock = ClockRules.parse("1d")
    times = first_times(clock, turn(0, ANNA, NOW))
    assert times.deadline == NOW + 24 * HOUR
    assert times.remind_at == NOW + 18 * HOUR

    away = after_turn(clock, times, 0, turn(1, BEN, NOW, away=NOW + 48 * HOUR))
    back = after_turn(clock, times, 0, turn(1, BEN, NOW, away=NOW - HOUR))

    assert away.deadline == NOW + 72 * HOUR
    assert back.deadline == NOW + 24 * HOUR


def test_taking_back_ones_own_swap_lets_the_same_clock_go_on() -> None:
    """Ben has swapped, Anna has answered; Ben, X now and to move, takes the swap back."""
    clock = ClockRules.parse("5+0")
    times = Times(left=(4 * MINUTE, 3 * MINUTE), deadline=NOW + 4 * MINUTE)

    back = after_takeback(clock, times, 0, turn(1, BEN, NOW), exchanged=True)

    assert back.deadline == times.deadline
    assert back.left == (3 * MINUTE, 4 * MINUTE)


def test_taking_back_while_the_other_thinks_stops_their_clock() -> None:
    clock = ClockRules.parse("5+0")
    times = Times(left=(4 * MINUTE, 3 * MINUTE), deadline=NOW + 3 * MINUTE)

    own = after_takeback(clock, times, 1, turn(0, ANNA, NOW + MINUTE), exchanged=False)
    swap = after_takeback(clock, times, 1, turn(1, BEN, NOW + MINUTE), exchanged=True)
    still = after_takeback(clock, times, 0, turn(0, ANNA, NOW), exchanged=False)

    assert (own.left, own.deadline) == ((4 * MINUTE, 2 * MINUTE), NOW + 5 * MINUTE)
    # The player who had X and has O again continues with X's time.
    assert (swap.left, swap.deadline) == ((2 * MINUTE, 4 * MINUTE), NOW + 5 * MINUTE)
    assert still == times


def test_without_a_clock_nothing_runs() -> None:
    times = first_times(NO_CLOCK, turn(0, ANNA, NOW))

    assert times == Times()
    assert after_takeback(NO_CLOCK, times, 0, turn(0, ANNA, NOW), exchanged=True) == times
    assert shifted(times, HOUR) == times


def test_shifted_clocks_end_later() -> None:
    times = first_times(ClockRules.parse("1d"), turn(0, ANNA, NOW))

    later = shifted(times, HOUR)

    assert (later.deadline, later.remind_at) == (NOW + 25 * HOUR, NOW + 19 * HOUR)
