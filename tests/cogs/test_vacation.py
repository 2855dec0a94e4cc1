"""Being away, and claiming games that somebody who is away has lost."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.model.actions import Resign
from bot.services.vacations import vacation_of
from engine.records import EndReason
from tests.cogs.table import Table, commands_named
from tests.cogs.test_challenge import begun

DAY = timedelta(days=1)


async def test_a_vacation_lets_clocks_stand_still_and_shows_it(table: Table):
    board, match = await begun(table, colour=0, clock="1d")
    before = match.deadline
    assert before is not None
    await table.command("vacation start", days=10)

    said = table.whispers(table.ann)[-1]
    assert "**You are on vacation until <t:" in said
    assert "Your clock is paused in 1 game" in said
    assert "Vacation days left this year: 20 days" in said
    moved = (await table.bot.matches.load(match.id)).deadline
    assert moved is not None
    assert abs(moved - before - 10 * DAY) < timedelta(minutes=1)
    assert f"<t:{int(moved.timestamp())}:R>" in table.again(board).text

    await table.command("vacation show")
    assert "You are on vacation until" in table.whispers(table.ann)[-1]
    await table.command("vacation end")
    assert "**You are back:**" in table.whispers(table.ann)[-1]
    back = (await table.bot.matches.load(match.id)).deadline
    assert back is not None
    assert abs(back - before) < timedelta(minutes=1)
    assert f"<t:{int(back.timestamp())}:R>" in table.again(board).text


async def test_a_vacation_is_refused_in_words(table: Table):
    await table.command("vacation end")
    assert "You are not on vacation." in table.whispers(table.ann)[-1]
    _, match = await begun(table, clock="5+3")
    await table.command("vacation start", days=3)
    assert f"Game {match.id} is played with a live clock" in table.whispers(table.ann)[-1]
    await table.bot.matches.perform(match.id, Resign(), user_id=table.ben)

    await table.command("vacation start", days=20)
    await table.command("vacation start", days=30)

    assert "days left this year" in table.whispers(table.ann)[-2]
    year = (await vacation_of(table.bot.matches, table.ann)).until
    assert year is not None
    await table.command("vacation show", user=table.ben)
    said = commands_named(table.whispers(table.ben)[-1])
    assert "`/vacation start` pauses your clocks" in said


async def test_a_win_is_claimed_when_the_time_is_over(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    _, match = await begun(table, colour=0, clock="1h")
    await table.command("claim", user=table.ben)
    assert "Ann has 59 minutes" in table.whispers(table.ben)[-1]

    clock, context = table.bot.matches.clock, table.bot.matches
    monkeypatch.setattr(context, "clock", lambda: clock() + timedelta(hours=2))
    await table.bot.matches.note_running()
    await table.command("claim", user=table.ben)

    assert "Ann ran out of time" in table.newest().text
    ended = await table.bot.matches.load(match.id)
    assert (ended.winner, ended.end_reason) == (1, EndReason.TIME)
    await table.command("claim", user=table.ben)
    assert "Ann ran out of time" in table.newest().text


@pytest.mark.parametrize("time", ["1h", "5+0"])
async def test_a_click_right_after_the_hosts_clock_was_set_loses_no_match(
    table: Table, time: str, monkeypatch: pytest.MonkeyPatch
):
    """The next check of what is due gives the time back, but may be a minute away."""
    board, match = await begun(table, colour=0, clock=time)
    clock, context = table.bot.matches.clock, table.bot.matches
    monkeypatch.setattr(context, "clock", lambda: clock() + timedelta(days=3))
    await table.command("claim", user=table.ben)
    assert "ran out" not in table.whispers(table.ben)[-1]

    await table.play(board, pick=4)

    moved = await table.bot.matches.load(match.id)
    assert (moved.ply, moved.is_over) == (1, False)


async def test_without_a_clock_there_is_nothing_to_claim(table: Table):
    await begun(table)
    await table.command("claim")
    assert "without a clock" in table.whispers(table.ann)[-1]


async def test_time_on_the_way_is_not_taken_off_a_live_clock(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    board, match = await begun(table, colour=0, clock="5+0")
    monkeypatch.setattr(table.bot.arrivals, "age_s", lambda _interaction: 2.4)
    board = await table.play(board, pick=4)
    await table.command("move", user=table.ben, cell="3")

    moved = await table.bot.matches.load(match.id)
    assert moved.ply == 2
    # Both pressed at once; all later time was the bot's.
    assert moved.times.left[1] == timedelta(minutes=5)
