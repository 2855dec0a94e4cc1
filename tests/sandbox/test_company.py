"""What people do among themselves, and what the bot gets to know of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deploy.sandbox import HandError, World
from tests.sandbox.conftest import Http, ManualClock


@pytest.fixture
def told(world: World) -> list[tuple[str, Any]]:
    """What the bot was told over its gateway."""
    told: list[tuple[str, Any]] = []
    world.attach_bot(lambda name, data, _: told.append((name, data)))
    return told


async def test_a_reaction_is_added_shared_and_taken_back(
    world: World, ann: int, ben: int, games: int, told: list[tuple[str, Any]]
):
    said = await world.say(ben, games, "a fine day")

    assert world.toggle_reaction(ann, said.id, "\N{PARTY POPPER}")
    assert world.toggle_reaction(ben, said.id, "\N{PARTY POPPER}")
    (message,) = world.visible_messages(ann, games)
    assert [each["count"] for each in message["reactions"]] == [2]
    assert not world.toggle_reaction(ann, said.id, "\N{PARTY POPPER}")
    assert not world.toggle_reaction(ben, said.id, "\N{PARTY POPPER}")

    (message,) = world.visible_messages(ann, games)
    assert "reactions" not in message
    adds, removes = "MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE"
    names = [name for name, _ in told if "REACTION" in name]
    assert names == [adds, adds, removes, removes]
    assert told[1][1]["user_id"] == str(ann)
    with pytest.raises(HandError, match="not an emoji"):
        world.toggle_reaction(ann, said.id, "yes")


async def test_where_reactions_are_forbidden_one_may_join_those_there_are(
    world: World, ann: int, ben: int, games: int
):
    said = await world.say(ann, games, "a fine day")
    everyone = world.guilds[world.channel(games).guild_id or 0].roles[
        world.channel(games).guild_id or 0
    ]
    everyone.permissions &= ~(1 << 6)

    with pytest.raises(HandError, match="may not add reactions"):
        world.toggle_reaction(ben, said.id, "\N{SPARKLES}")
    assert world.toggle_reaction(ann, said.id, "\N{SPARKLES}")  # she owns the server
    assert world.toggle_reaction(ben, said.id, "\N{SPARKLES}")


async def test_a_person_starts_a_thread_below_a_message(
    world: World, ann: int, ben: int, games: int, told: list[tuple[str, Any]]
):
    said = await world.say(ben, games, "Let us talk")

    thread = world.start_thread(ann, games, " The talk ", said.id)
    await world.say(ben, thread.id, "Here I am")

    (message,) = world.visible_messages(ann, games)
    assert message["thread"]["name"] == "The talk"
    assert message["thread"]["message_count"] == 1
    assert thread.id == said.id
    assert [name for name, _ in told][:3] == ["MESSAGE_CREATE", "THREAD_CREATE", "MESSAGE_UPDATE"]
    assert thread.thread_member_ids == [ann, ben]
    with pytest.raises(HandError, match="already"):
        world.start_thread(ann, games, "Again", said.id)
    with pytest.raises(HandError, match="1 to 100"):
        world.start_thread(ann, games, "x" * 101)


async def test_a_thread_of_its_own_is_announced_and_closed_by_its_owner(
    world: World, ann: int, ben: int, games: int
):
    thread = world.start_thread(ben, games, "A talk")

    (line,) = world.visible_messages(ann, games)
    assert (line["type"], line["content"]) == (18, "A talk")
    assert line["message_reference"]["channel_id"] == str(thread.id)
    with pytest.raises(HandError, match="owner and moderators"):
        world.set_archived(world.person("Cleo").id, thread.id, archived=True)
    world.set_archived(ben, thread.id, archived=True)
    assert thread.archived
    world.set_archived(ann, thread.id, archived=False)
    assert not thread.archived
    with pytest.raises(HandError, match="only threads"):
        world.set_archived(ann, games, archived=True)


async def test_two_people_talk_where_the_bot_hears_nothing(
    world: World, ann: int, ben: int, http: Http, told: list[tuple[str, Any]]
):
    direct = world.open_direct_with(ann, ben)
    await world.say(ann, direct.id, "psst")

    refused = await http("POST", f"/channels/{direct.id}/messages", {"content": "me too"})

    assert told == []
    assert (refused.status, refused.code) == (403, 50001)
    assert world.open_direct_with(ben, ann) is direct
    (listed,) = [each for each in world.channels_for(ben) if each["type"] == 1]
    assert [each["username"] for each in listed["recipients"]] == ["ann"]
    with pytest.raises(HandError, match="nobody to talk to"):
        world.open_direct_with(ann, ann)


async def test_who_wants_no_direct_messages_gets_none(world: World, ann: int, http: Http):
    world.set_person(ann, accepts_direct_messages=False)
    direct = await http("POST", "/users/@me/channels", {"recipient_id": str(ann)})
    path = f"/channels/{direct.body['id']}/messages"

    refused = await http("POST", path, {"content": "hello"})
    world.set_person(ann, accepts_direct_messages=True)
    taken = await http("POST", path, {"content": "hello"})

    assert (refused.status, refused.code) == (403, 50007)
    assert taken.status == 200


async def test_a_language_goes_with_every_interaction_and_is_kept(
    world: World,
    ann: int,
    games: int,
    http: Http,
    told: list[tuple[str, Any]],
    tmp_path: Path,
    clock: ManualClock,
):
    commands = f"/applications/{world.application_id}/commands"
    await http("PUT", commands, [{"name": "play", "description": "Play"}])

    world.set_person(ann, locale="ru")
    await world.slash(ann, games, "play")
    world.save(tmp_path)

    assert told[-1][0] == "INTERACTION_CREATE"
    assert told[-1][1]["locale"] == "ru"
    assert World.load(tmp_path, clock=clock).person("Ann").locale == "ru"
    with pytest.raises(HandError, match="no language 'xx'"):
        world.set_person(ann, locale="xx")
    with pytest.raises(HandError, match="nobody has the id"):
        world.set_person(world.bot_id, locale="de")


async def test_only_who_added_the_application_has_it_where_the_bot_is_not(
    world: World, ben: int, http: Http
):
    elsewhere = world.channel_called("general", "Elsewhere").id
    commands = f"/applications/{world.application_id}/commands"
    play = {"name": "play", "description": "Play", "integration_types": [0, 1]}
    await http("PUT", commands, [play])
    assert world.commands_for(ben, elsewhere) == []

    world.set_person(ben, has_installed=True)
    used = await world.slash(ben, elsewhere, "play")
    refused = await http("POST", f"/channels/{elsewhere}/messages", {"content": "hello"})

    assert used.owners == {"1": str(ben)}
    assert (refused.status, refused.code) == (403, 50001)
