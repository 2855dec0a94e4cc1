"""What people do among themselves, and what the bot learns of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deploy.sandbox import HandError, People, World
from tests.sandbox.conftest import Http, ManualClock


@pytest.fixture
def told(world: World) -> list[tuple[str, Any]]:
    """What the bot was told over its gateway."""
    told: list[tuple[str, Any]] = []
    world.news.bot_sinks.append(lambda name, data, _: told.append((name, data)))
    return told


async def test_a_reaction_is_added_shared_and_taken_back(
    people: People, ann: int, ben: int, games: int, told: list[tuple[str, Any]]
):
    said = await people.say(ben, games, "a fine day")

    assert people.toggle_reaction(ann, said.id, "\N{PARTY POPPER}")
    assert people.toggle_reaction(ben, said.id, "\N{PARTY POPPER}")
    (message,) = people.visible_messages(ann, games)
    assert [each["count"] for each in message["reactions"]] == [2]
    assert not people.toggle_reaction(ann, said.id, "\N{PARTY POPPER}")
    assert not people.toggle_reaction(ben, said.id, "\N{PARTY POPPER}")

    (message,) = people.visible_messages(ann, games)
    assert "reactions" not in message
    adds, removes = "MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE"
    names = [name for name, _ in told if "REACTION" in name]
    assert names == [adds, adds, removes, removes]
    assert told[1][1]["user_id"] == str(ann)
    with pytest.raises(HandError, match="not an emoji"):
        people.toggle_reaction(ann, said.id, "yes")


async def test_where_reactions_are_forbidden_one_may_join_those_there_are(
    world: World, people: People, ann: int, ben: int, games: int
):
    said = await people.say(ann, games, "a fine day")
    everyone = world.guilds[world.channel(games).guild_id or 0].roles[
        world.channel(games).guild_id or 0
    ]
    everyone.permissions &= ~(1 << 6)

    with pytest.raises(HandError, match="may not add reactions"):
        people.toggle_reaction(ben, said.id, "\N{SPARKLES}")
    assert people.toggle_reaction(ann, said.id, "\N{SPARKLES}")  # she owns the server
    assert people.toggle_reaction(ben, said.id, "\N{SPARKLES}")


async def test_a_person_starts_a_thread_below_a_message(
    people: People, ann: int, ben: int, games: int, told: list[tuple[str, Any]]
):
    said = await people.say(ben, games, "Let us talk")

    thread = people.start_thread(ann, games, " The talk ", said.id)
    await people.say(ben, thread.id, "Here I am")

    (message,) = people.visible_messages(ann, games)
    assert message["thread"]["name"] == "The talk"
    assert message["thread"]["message_count"] == 1
    assert thread.id == said.id
    assert [name for name, _ in told][:3] == ["MESSAGE_CREATE", "THREAD_CREATE", "MESSAGE_UPDATE"]
    assert thread.thread_member_ids == [ann, ben]
    with pytest.raises(HandError, match="already"):
        people.start_thread(ann, games, "Again", said.id)
    with pytest.raises(HandError, match="1 to 100"):
        people.start_thread(ann, games, "x" * 101)


async def test_a_thread_of_its_own_is_announced_and_closed_by_its_owner(
    world: World, people: People, ann: int, ben: int, games: int
):
    thread = people.start_thread(ben, games, "A talk")

    (line,) = people.visible_messages(ann, games)
    assert (line["type"], line["content"]) == (18, "A talk")
    assert line["message_reference"]["channel_id"] == str(thread.id)
    with pytest.raises(HandError, match="owner and moderators"):
        people.set_archived(world.person("Cleo").id, thread.id, archived=True)
    people.set_archived(ben, thread.id, archived=True)
    assert thread.archived
    people.set_archived(ann, thread.id, archived=False)
    assert not thread.archived
    with pytest.raises(HandError, match="only threads"):
        people.set_archived(ann, games, archived=True)


async def test_two_people_talk_where_the_bot_hears_nothing(
    people: People, ann: int, ben: int, http: Http, told: list[tuple[str, Any]]
):
    direct = people.open_direct_with(ann, ben)
    await people.say(ann, direct.id, "psst")

    refused = await http("POST", f"/channels/{direct.id}/messages", {"content": "me too"})

    assert told == []
    assert (refused.status, refused.code) == (403, 50001)
    assert people.open_direct_with(ben, ann) is direct
    (listed,) = [each for each in people.channels_for(ben) if each["type"] == 1]
    assert [each["username"] for each in listed["recipients"]] == ["ann"]
    with pytest.raises(HandError, match="nobody to talk to"):
        people.open_direct_with(ann, ann)


async def test_who_wants_no_direct_messages_gets_none(people: People, ann: int, http: Http):
    people.set_person(ann, accepts_direct_messages=False)
    direct = await http("POST", "/users/@me/channels", {"recipient_id": str(ann)})
    path = f"/channels/{direct.body['id']}/messages"

    refused = await http("POST", path, {"content": "hello"})
    people.set_person(ann, accepts_direct_messages=True)
    taken = await http("POST", path, {"content": "hello"})

    assert direct.body["recipients"][0]["username"] == "ann"
    assert (refused.status, refused.code) == (403, 50007)
    assert taken.status == 200


async def test_a_language_goes_with_every_interaction_and_is_kept(
    world: World,
    people: People,
    ann: int,
    games: int,
    http: Http,
    told: list[tuple[str, Any]],
    tmp_path: Path,
    clock: ManualClock,
):
    commands = f"/applications/{world.application_id}/commands"
    await http("PUT", commands, [{"name": "play", "description": "Play"}])

    people.set_person(ann, locale="ru")
    await people.slash(ann, games, "play")
    world.save(tmp_path)

    assert told[-1][0] == "INTERACTION_CREATE"
    assert told[-1][1]["locale"] == "ru"
    assert World.load(tmp_path, clock=clock).person("Ann").locale == "ru"
    with pytest.raises(HandError, match="no language 'xx'"):
        people.set_person(ann, locale="xx")
    with pytest.raises(HandError, match="nobody has the id"):
        people.set_person(world.bot_id, locale="de")


async def test_only_who_added_the_application_has_it_where_the_bot_is_not(
    world: World, people: People, ben: int, http: Http
):
    elsewhere = world.channel_called("general", "Elsewhere").id
    commands = f"/applications/{world.application_id}/commands"
    play = {"name": "play", "description": "Play", "integration_types": [0, 1]}
    await http("PUT", commands, [play])
    assert people.commands_for(ben, elsewhere) == []

    people.set_person(ben, has_installed=True)
    used = await people.slash(ben, elsewhere, "play")
    refused = await http("POST", f"/channels/{elsewhere}/messages", {"content": "hello"})

    assert used.owners == {"1": str(ben)}
    assert (refused.status, refused.code) == (403, 50001)
