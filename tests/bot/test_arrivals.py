"""How old an interaction is, with a clock that the test moves on."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from bot.clock import BEGIN_WITHIN_S, LEAST_S, MEMORY_S, REPLY_WITHIN_S, SEND_WITHIN_S, Arrivals
from bot.model.clocks import LATENCY

DAY_S = 86_400.0


@dataclass
class Line:
    """The line from Discord to the bot: it takes a tenth of a second unless told otherwise."""

    now: float = 1000.0
    discord_ahead_s: float = 1.7e9
    arrivals: Arrivals = field(init=False)

    def __post_init__(self) -> None:
        self.arrivals = Arrivals(clock=lambda: self.now)

    def sent(self, *, ahead_s: float = 0.0) -> Any:
        """Return what Discord sends now, its timestamp this many seconds ahead of its clock."""
        stamp = self.now + self.discord_ahead_s + ahead_s
        return SimpleNamespace(created_at=datetime.fromtimestamp(stamp, UTC), extras={})

    def age_s(self, *, ahead_s: float = 0.0, takes_s: float = 0.1) -> float:
        """Send something and return how old it seems on its arrival."""
        interaction = self.sent(ahead_s=ahead_s)
        self.now += takes_s
        return self.arrivals.age_s(interaction)


@pytest.mark.parametrize("ahead_s", [0.0, -3 * DAY_S, 5.0, 3600.0])
def test_whatever_the_two_clocks_say_a_fresh_click_is_fresh(ahead_s: float) -> None:
    line = Line(discord_ahead_s=ahead_s + 1.7e9)

    assert [round(line.age_s(), 3) for _ in range(3)] == [0, 0, 0]


def test_those_that_queued_up_while_the_process_stood_still_are_late() -> None:
    line = Line()
    line.age_s()
    queue = []
    for _ in range(10):
        queue.append(line.sent())
        line.now += 1
    line.now += 0.1

    ages = [line.arrivals.age_s(each) for each in queue]

    assert [round(age) for age in ages] == list(range(10, 0, -1))
    assert round(line.age_s(), 3) == 0


def test_a_queue_that_does_not_get_shorter_is_no_clock() -> None:
    """Overload: for minutes everything comes five seconds late."""
    line = Line()
    line.age_s()

    assert {round(line.age_s(takes_s=5.1), 3) for _ in range(40)} == {5}


def test_a_stamp_in_the_future_makes_the_next_look_late_until_discord_proves_otherwise() -> None:
    line = Line()
    line.age_s()
    line.age_s(ahead_s=10)
    assert line.age_s() > BEGIN_WITHIN_S

    line.arrivals.forget()

    assert round(line.age_s(), 3) == 0


def test_a_stamp_a_little_in_the_future_is_forgotten() -> None:
    line = Line()
    line.age_s(ahead_s=2)
    assert round(line.age_s(), 3) == 2
    line.now += MEMORY_S

    assert round(line.age_s(), 3) == 0


def test_clocks_that_run_at_different_speeds_drift_apart_unnoticed() -> None:
    """A quartz may gain four seconds a day: within a week that would be too old."""
    line = Line()
    ages = []
    for _minute in range(7 * 24 * 60):
        ages.append(line.age_s())
        line.now += 60
        line.discord_ahead_s -= 60 * 5e-5

    assert max(ages) < 0.05


def test_a_machine_that_slept_finds_the_next_click_fresh() -> None:
    """On Linux, the clock that is read stands still meanwhile."""
    line = Line()
    line.age_s()
    line.discord_ahead_s += 8 * 3600

    assert round(line.age_s(), 3) == 0


def test_what_was_given_back_of_a_players_time_is_bounded() -> None:
    line = Line()
    line.age_s()
    for ahead_s in (-3 * DAY_S, -1, 0, 1, 3 * DAY_S):
        interaction = line.sent(ahead_s=ahead_s)
        given = line.arrivals.time_of(interaction).late_by
        assert given >= timedelta()
    assert timedelta(seconds=BEGIN_WITHIN_S) <= LATENCY, "what is admitted is given back whole"


def test_the_time_to_answer_is_measured_once_and_goes_on_with_the_interaction() -> None:
    line = Line()
    line.age_s()
    interaction = line.sent()
    line.now += 1.1
    time = line.arrivals.time_of(interaction)
    assert round(time.age_s, 3) == 1

    line.now += 0.5
    line.arrivals.forget()
    line.age_s(takes_s=0.0)  # what is learned from another one changes nothing for this one

    assert line.arrivals.time_of(interaction) is time
    assert round(time.age_s, 3) == 1.5


def test_each_part_of_an_answer_has_its_share_of_the_three_seconds() -> None:
    line = Line()
    line.age_s()
    interaction = line.sent()
    line.now += 0.1
    time = line.arrivals.time_of(interaction)

    def after(age_s: float) -> tuple[float, bool, float, bool]:
        line.now = time.sent_at + age_s
        left = round(time.for_reply_s, 3), time.is_up, round(time.to_send_s, 3)
        return *left, time.allows_pause(0.3)

    assert after(0) == (REPLY_WITHIN_S, False, SEND_WITHIN_S, True)
    assert after(1.75) == (0.05, False, 1.15, True)
    assert after(2.4) == (-0.6, False, LEAST_S, False)
    assert after(2.6) == (-0.8, True, LEAST_S, False)
