"""Application commands: kept as they were registered, refused where Discord would."""

from __future__ import annotations

from typing import Any

import pytest

from deploy.sandbox import HandError, People, World
from tests.sandbox.conftest import Http


def command(name: str = "play", **more: Any) -> dict[str, Any]:
    return {"name": name, "description": "Play"} | more


def option(name: str = "level", kind: int = 4, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": "How", "type": kind} | more


def _choice(**more: Any) -> dict[str, Any]:
    return {"name": "x", "value": 1} | more


@pytest.fixture
def path(world: World) -> str:
    return f"/applications/{world.application_id}/commands"


@pytest.mark.parametrize(
    ("body", "at"),
    [
        (command("Play"), "0.name"),
        (command("two words"), "0.name"),
        (command(""), "0.name"),
        (command("x" * 33), "0.name"),
        ({"name": "play"}, "0.description"),
        (command(description="x" * 101), "0.description"),
        (command(options=[option(str(each)) for each in range(26)]), "0.options"),
        (command(options=[option("A")]), "0.options.0.name"),
        (command(options=[option("a"), option("a")]), "0.options.1"),
        (command(options=[option("a"), option("b", required=True)]), "0.options.1"),
        (command(options=[option(kind=99)]), "0.options.0.type"),
        (command(options=[option(), option("sub", 1)]), "0.options.0"),
        (
            command(options=[option(choices=[{"name": "x", "value": "one"}])]),
            "0.options.0.choices.0.value",
        ),
        (
            command(options=[option(kind=3, autocomplete=True, choices=[{"name": "x"}])]),
            "0.options.0",
        ),
        (command(contexts=[3]), "0.contexts.0"),
        (command(default_member_permissions="all"), "0.default_member_permissions"),
        (command(name_localizations={"de": "Spiel"}), "0.name_localizations.de"),
        (command(name_localizations={"de": "s" * 33}), "0.name_localizations.de"),
        (command(name_localizations={"xx": "spiel"}), "0.name_localizations.xx"),
        (command(name_localizations={"de": 5}), "0.name_localizations.de"),
        (command(name_localizations="spiel"), "0.name_localizations"),
        (command(description_localizations={"ru": "x" * 101}), "0.description_localizations.ru"),
        (
            command(options=[option(name_localizations={"de": "zwei worte"})]),
            "0.options.0.name_localizations.de",
        ),
        (
            command(options=[option(choices=[_choice(name_localizations={"de": "x" * 101})])]),
            "0.options.0.choices.0.name_localizations.de",
        ),
        ({"name": "Greet", "type": 2, "name_localizations": {"de": ""}}, "0.name_localizations.de"),
        ({"name": "Greet", "type": 2, "description": "no"}, "0.description"),
    ],
)
async def test_commands_have_rules(http: Http, path: str, body: dict[str, Any], at: str):
    reply = await http("PUT", path, [body])

    node = reply.body["errors"]
    for step in at.split("."):
        node = node[step]
    assert (reply.status, reply.code) == (400, 50035)
    assert node["_errors"]


async def test_of_all_languages_the_longest_text_counts_towards_the_size(http: Http, path: str):
    """Names, descriptions and values of a command and its options may have 8,000 characters."""

    def wordy(length: int, count: int) -> dict[str, Any]:
        texts = {"de": "x" * length, "ru": "x" * (length - 1)}
        choices = [{"name": "x", "value": each, "name_localizations": texts} for each in range(25)]
        return command(options=[option(f"o{each}", choices=choices) for each in range(count)])

    fits = await http("PUT", path, [wordy(99, 3)])
    too_much = await http("PUT", path, [wordy(99, 4)])

    assert fits.status == 200
    assert too_much.body["errors"]["0"]["_errors"][0]["code"] == "APPLICATION_COMMAND_TOO_LARGE"


async def test_names_are_unique_and_at_most_a_hundred(http: Http, path: str):
    twice = await http("PUT", path, [command(), command()])
    many = await http("PUT", path, [command(f"c{each}") for each in range(101)])

    assert twice.status == 400
    assert many.status == 400


async def test_a_replaced_command_keeps_its_number(http: Http, path: str):
    """Mentions of a command name its number, so a sync must not change it."""
    first = await http("PUT", path, [command(), command("other")])
    same = await http("PUT", path, [command()])
    changed = await http("PUT", path, [command(description="Other")])
    listed = await http("GET", path)

    assert same.body[0] == first.body[0]
    assert changed.body[0]["id"] == first.body[0]["id"]
    assert changed.body[0]["version"] != first.body[0]["version"]
    assert [each["name"] for each in listed.body] == ["play"]


async def test_one_command_is_made_read_changed_and_removed(http: Http, path: str):
    made = await http("POST", path, command(options=[option(required=True)]))
    one = f"{path}/{made.body['id']}"
    changed = await http("PATCH", one, {"description": "Other"})
    read = await http("GET", one)
    removed = await http("DELETE", one)
    gone = await http("GET", one)

    assert made.status == 201
    assert changed.body == read.body
    assert read.body["description"] == "Other"
    assert removed.status == 204
    assert (gone.status, gone.code) == (404, 10063)


async def test_a_guilds_command_hides_the_global_one(
    http: Http, path: str, world: World, people: People
):
    guild_id = world.channel_called("games").guild_id
    other = f"/applications/{world.application_id}/guilds/{guild_id}/commands"
    await http("PUT", path, [command(), command("help")])
    await http("PUT", other, [command(description="Here")])

    usable = people.commands_for(world.person("Ann").id, world.channel_called("games").id)
    assert [(each["name"], each["description"]) for each in usable] == [
        ("help", "Play"),
        ("play", "Here"),
    ]


async def test_commands_appear_only_in_their_contexts(
    http: Http, path: str, world: World, people: People
):
    ann = world.person("Ann").id
    direct = await people.open_direct(ann)
    await http("PUT", path, [command("here", contexts=[0]), command("there", contexts=[1])])

    here = people.commands_for(ann, world.channel_called("games").id)
    there = people.commands_for(ann, direct.id)

    assert [each["name"] for each in here] == ["here"]
    assert [each["name"] for each in there] == ["there"]


@pytest.mark.parametrize("bits", [1 << 13, str(1 << 13)])
async def test_commands_for_some_are_hidden_from_others(
    http: Http, path: str, world: World, people: People, bits: int | str
):
    """Ann owns the guild; Ben may not manage messages. discord.py sends a number."""
    games = world.channel_called("games").id
    await http("PUT", path, [command("clean", default_member_permissions=bits)])

    assert len(people.commands_for(world.person("Ann").id, games)) == 1
    with pytest.raises(HandError, match="usable: none"):
        await people.slash(world.person("Ben").id, games, "clean")


async def test_users_are_told_that_commands_changed(http: Http, path: str, world: World):
    with world.news.subscribe(world.person("Ben").id) as events:
        await http("PUT", path, [command()])
        event = await events.queue.get()

    assert event.kind == "commands"


async def test_commands_of_another_application_are_not_ours(http: Http):
    reply = await http("GET", "/applications/1/commands")

    assert (reply.status, reply.code) == (404, 10002)
