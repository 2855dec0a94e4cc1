"""Input that no feature handles is answered all the same."""

from __future__ import annotations

from typing import Any

import pytest
from structlog.testing import capture_logs

from deploy.sandbox.inputs import owners_for
from deploy.sandbox.interactions import Interaction, InteractionKind
from tests.cogs.table import Table

GONE = {"type": 2, "style": 2, "label": "?", "custom_id": "gone:1"}


def used(table: Table, **changes: Any) -> Interaction:
    """Use `/lobby` as a client that knows a different version of it."""
    world = table.sandbox.world
    channel = world.channel(table.channel)
    commands = world.commands[None].values()
    lobby = next(each for each in commands if each["name"] == "lobby")
    data = {key: lobby[key] for key in ("id", "name", "type")} | {"options": []} | changes
    owners = owners_for(world, table.ann, channel, [0, 1])
    return table.sandbox.interactions.begin(
        InteractionKind.COMMAND, table.ann, channel, data, owners=owners
    )


async def test_a_button_that_nothing_takes_says_so(table: Table):
    old = table.post(GONE)

    await table.press(old, "gone:1")

    assert table.whispers(table.ann) == [
        "This button is out of date. Use the command again for a new one."
    ]


@pytest.mark.parametrize("kind", [InteractionKind.COMPONENT, InteractionKind.MODAL])
async def test_what_the_message_does_not_have_is_out_of_date(table: Table, kind: InteractionKind):
    world, posted = table.sandbox.world, table.post({**GONE, "custom_id": "bump:1"})
    data = {"component_type": 3, "custom_id": "bump:1", "components": [], "values": []}
    used = table.sandbox.interactions.begin(
        kind, table.ann, world.channel(table.channel), data, source=world.find_message(posted.id)
    )
    await used.wait()
    await table.quiet()

    assert "This button is out of date" in table.whispers(table.ann)[-1]


async def test_a_button_that_something_takes_is_answered_once(table: Table):
    board = await table.start()

    await table.play(board)

    assert table.whispers(table.ann) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "bored"},
        {"options": [{"type": 1, "name": "new", "options": []}]},
        {"name": "game", "options": [{"type": 4, "name": "number", "value": 2**63}]},
        {"name": "game", "options": [{"type": 4, "name": "number", "value": "1"}]},
        {"name": "play", "options": [{"type": 3, "name": "first", "value": "me"}]},
        {"name": "block", "options": [{"type": 6, "name": "player", "value": "1"}]},
        {"name": "import", "options": [{"type": 11, "name": "file", "value": "x"}]},
        {"name": "Profile", "type": 2, "target_id": "1"},
    ],
    ids=[
        "no such command",
        "no such subcommand",
        "a huge number",
        "a text for a number",
        "no such choice",
        "a person not described",
        "a file not described",
        "nobody's menu",
    ],
)
async def test_a_command_of_another_version_says_so(table: Table, changes: dict[str, Any]):
    await used(table, **changes).wait()
    await table.quiet()

    assert table.whispers(table.ann) == [
        "This command has changed. Reload Discord, then use it again."
    ]


async def test_a_bug_outside_of_a_feature_is_told_as_one(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    async def broken(*_args: object) -> None:
        raise RuntimeError("a bug for this test")

    monkeypatch.setattr(table.bot.tree.get_command("lobby"), "_callback", broken)
    with capture_logs() as lines:
        await used(table).wait()
        await table.quiet()

    (told,) = table.whispers(table.ann)
    assert "Something broke on my side (incident" in told
    guild_id = table.sandbox.world.channel(table.channel).guild_id
    line = next(each for each in lines if each["event"] == "incident")
    assert (line["command"], line["user"], line["guild"]) == ("lobby", table.ann, guild_id)


async def test_a_late_press_of_an_old_button_is_refused_as_any_other(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    old = table.post(GONE)
    monkeypatch.setattr(table.bot.arrivals, "age_s", lambda _: 1e6)

    await table.press(old, "gone:1")

    assert "too slow" in table.whispers(table.ann)[-1]
