"""Hostile input breaks nothing, is answered, and changes nothing of anybody else's."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.model.actions import AcceptTakeback, AskTakeback, Play, Resign
from bot.services.preferences import PreferenceStore
from tests.cogs.table import Table
from tests.cogs.test_challenge import begun
from tests.faults.hostile import prepare, run
from tests.faults.watch import Watch

pytestmark = pytest.mark.usefixtures("discord_addresses", "patience")


async def test_hostile_input_is_answered_and_changes_nothing_of_others():
    report = await run(seed=1, times=80)

    assert "\n\n".join(report.found) == ""


@pytest.mark.long
@pytest.mark.timeout(3600)
async def test_fifty_thousand_acts_do_no_harm(figure: Callable[..., None]):
    report = await run(seed=1000, times=50_000)

    assert "\n\n".join(report.found) == ""
    assert report.cases >= 50_000
    figure(**report.figure)


async def test_what_is_done_to_others_is_found(table: Table):
    watch, matches = Watch(table), table.bot.matches
    await watch.begin()
    await prepare(table)
    ann, ben, cleo = (each.id for each in table.sandbox.world.people[:3])
    assert await watch.forbidden({ann, ben, cleo}) == []

    await table.bot.preferences.change(ann, theme="light")
    settings = await watch.forbidden({ben})
    assert {each.partition(":")[0] for each in settings} == {"player_setting"}
    match = next(each for each in await matches.ongoing_of(ben) if each.is_between_people)
    x, o = (each.player_id or 0 for each in match.seats)
    await matches.perform(match.id, Play(40), user_id=x, ply=0)
    moved = await watch.forbidden({o})
    assert [each.partition(":")[0] for each in moved] == ["match"]
    await matches.perform(match.id, Resign(), user_id=ben)
    stranger = table.sandbox.world.people[-1].id
    names = {each.partition(":")[0] for each in await watch.forbidden({stranger})}
    assert {"match", "rated_match"} <= names


async def test_moves_are_taken_back_by_who_lets_the_other(table: Table):
    watch, matches = Watch(table), table.bot.matches
    await watch.begin()
    _, match = await begun(table, colour=0, rated=False)
    x, o = (each.player_id or 0 for each in match.seats)
    for agrees, found in (({o}, []), ({x}, ["event"])):
        await matches.perform(match.id, Play(40), user_id=x, ply=0)
        await matches.perform(match.id, AskTakeback(), user_id=x)
        assert await watch.forbidden({x, o}) == []
        await matches.perform(match.id, AcceptTakeback(), user_id=o)
        assert [each.partition(":")[0] for each in await watch.forbidden(agrees)] == found


async def test_an_act_that_breaks_something_is_named_with_its_seed(
    monkeypatch: pytest.MonkeyPatch,
):
    async def broken(*_given: object) -> None:
        raise RuntimeError("a bug for this test")

    monkeypatch.setattr(PreferenceStore, "hear", broken)
    report = await run(seed=7, times=5)

    assert "seed 7, act " in report.found[0]
    assert "event=not caught up" in report.found[0]
    assert "a bug for this test" in report.found[0]
    assert "after Act(kind=" in report.found[0]
