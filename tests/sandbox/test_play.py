"""People use a real discord.py bot: commands, buttons, menus, modals, threads."""

from __future__ import annotations

import pytest

from deploy.sandbox import HandError, InteractionState, NoAnswerError, People, Sandbox, World
from deploy.sandbox.model import Role, Upload
from tests.sandbox.conftest import Http, Start, answer_to, discord
from tests.sandbox.sample_bot import SampleBot
from tests.waiting import until


@pytest.fixture
async def bot(start: Start) -> SampleBot:
    client = SampleBot()
    await start(client)
    return client


pytestmark = pytest.mark.usefixtures("bot")


async def test_a_command_shows_a_picture_and_buttons(
    people: People, ann: int, games: int, http: Http
):
    """Files that components show are theirs, not the message's."""
    interaction = await people.slash(ann, games, "play", {"level": 7})
    callback = await interaction.wait()

    (message,) = people.visible_messages(ann, games)
    gallery, text, row = message["components"]
    media = gallery["items"][0]["media"]
    picture = await http("GET", media["url"])
    assert callback["type"] == 4
    assert message["attachments"] == []
    assert message["interaction_metadata"]["user"]["id"] == str(ann)
    assert text["content"] == "number 7"
    assert row["components"][0]["custom_id"] == "count:7"
    assert (media["width"], media["height"], media["content_type"]) == (40, 30, "image/png")
    assert picture.headers["Content-Type"] == "image/png"
    assert picture.body.startswith(b"\x89PNG")


async def test_a_button_replaces_the_picture(people: People, ann: int, games: int, http: Http):
    """One answer carries the new board, and the old file is gone."""
    first = await answer_to(people.slash(ann, games, "play", {"level": 1}))
    (before,) = people.visible_messages(ann, games)

    pressed = await people.press(ann, first.id, "count:1")
    callback = await pressed.wait()

    (after,) = people.visible_messages(ann, games)
    old = before["components"][0]["items"][0]["media"]
    new = after["components"][0]["items"][0]["media"]
    assert callback["type"] == 7
    assert pressed.message is first
    assert after["id"] == before["id"]
    assert after["edited_timestamp"] is not None
    assert new["width"] == 41
    assert (await http("GET", new["url"])).status == 200
    assert (await http("GET", old["url"])).status == 200  # an address lives on for a while
    with pytest.raises(HandError, match="no component"):
        await people.press(ann, first.id, "count:1")


async def test_what_is_whispered_only_its_user_sees(
    world: World, people: People, ann: int, ben: int, games: int
):
    with world.news.subscribe(ann) as anns, world.news.subscribe(ben) as bens:
        interaction = await people.slash(ann, games, "whisper", {"text": "psst"})
        await interaction.wait()

    assert [each["content"] for each in people.visible_messages(ann, games)] == ["psst"]
    assert people.visible_messages(ben, games) == []
    assert interaction.message is not None
    assert interaction.message.flags & 64
    kinds = [anns.queue.get_nowait().kind for _ in range(anns.queue.qsize())]
    assert kinds == ["interaction", "message_create", "interaction"]
    assert bens.queue.empty()
    await people.dismiss(ann, interaction.message.id)
    assert people.visible_messages(ann, games) == []


@pytest.mark.parametrize("quietly", [False, True])
async def test_a_deferred_answer_takes_the_place_of_thinking(
    people: People, ann: int, ben: int, games: int, *, quietly: bool
):
    interaction = await people.slash(ann, games, "think", {"quietly": quietly})
    callback = await interaction.settled()
    await until(lambda: len(people.visible_messages(ann, games)) == 2)
    await until(lambda: people.visible_messages(ann, games)[1]["content"] == "and even more")

    shown, more = people.visible_messages(ann, games)
    assert callback["type"] == 5
    assert interaction.state is InteractionState.ANSWERED
    assert shown["flags"] & 128 == 0
    assert shown["components"][0]["type"] == 12
    assert more["message_reference"]["message_id"] == shown["id"]
    # The answer is as private as its deferral; a follow-up chooses for itself.
    assert len(people.visible_messages(ben, games)) == (1 if quietly else 2)


async def test_a_deferred_update_edits_what_was_pressed(people: People, ann: int, games: int):
    first = await answer_to(people.slash(ann, games, "controls"))

    pressed = await people.press(ann, first.id, "slow")
    callback = await pressed.settled()

    (message,) = people.visible_messages(ann, games)
    assert callback["type"] == 6
    assert message["content"] == "slow, but there"
    assert len(message["components"]) == 3


async def test_a_modal_is_filled_in(people: People, ann: int, games: int):
    first = await answer_to(people.slash(ann, games, "controls"))
    opened = await people.press(ann, first.id, "note")
    await opened.wait()
    assert opened.modal is not None
    assert opened.modal["title"] == "A note"

    with pytest.raises(HandError, match="50 characters"):
        await people.submit_modal(ann, opened, {"text": "x" * 51, "kind": ["Good"]})
    values = {"text": "well done", "kind": ["Good"]}
    sent = await answer_to(people.submit_modal(ann, opened, values))

    assert sent.content == "Good: well done"


async def test_menus_hand_over_what_was_chosen(people: People, ann: int, ben: int, games: int):
    first = await answer_to(people.slash(ann, games, "controls"))

    fruit = await answer_to(people.select(ann, first.id, "fruit", ["Pear"]))
    friend = await answer_to(people.select(ann, first.id, "friend", [ben]))

    assert (fruit.content, friend.content) == ("Pear", "hello Ben")
    with pytest.raises(HandError, match="does not offer 'Plum'"):
        await people.select(ann, first.id, "fruit", ["Plum"])


async def test_options_are_completed(people: People, ann: int, games: int):
    choices = await people.autocomplete(ann, games, "variant", {"name": "mi"}, "name")

    assert choices == [{"name": "misere", "value": "misere"}]


async def test_subcommands_and_menus_of_people_and_messages(
    people: People, ann: int, ben: int, games: int
):
    said = await people.say(ben, games, "a fine day")
    new = await answer_to(people.slash(ann, games, "game new", {"opponent": ben}))
    greet = await answer_to(people.use_on_user(ann, games, "Greet", ben))
    quote = await answer_to(people.use_on_message(ann, "Quote", said.id))

    answers = [each.content for each in (new, greet, quote)]
    assert answers == ["against Ben", "hello Ben", "> a fine day"]


def upload(name: str, data: bytes) -> Upload:
    return Upload(field="file", filename=name, data=data)


async def test_a_file_goes_with_a_command(world: World, people: People, ann: int, games: int):
    """The bot gets an address in `resolved`, and loads the file from there."""
    file = upload("a.txt", b"twelve bytes")
    weighed = await answer_to(people.slash(ann, games, "weigh", {"file": file}))

    assert weighed.content == "a.txt (12): twelve bytes"
    with pytest.raises(HandError, match="does not take"):
        await people.slash(ann, games, "weigh", {"file": "a.txt"})
    world.limits.upload_bytes = 11
    with pytest.raises(HandError, match="too large"):
        await people.slash(ann, games, "weigh", {"file": upload("a.txt", b"twelve bytes")})


async def test_a_modal_takes_files_channels_people_and_roles(
    world: World, people: People, ann: int, games: int
):
    opened = await people.slash(ann, games, "parcel")
    await opened.wait()
    role = next(each for each in _roles(world) if each.name == "bots")

    values = {"files": [upload("a.txt", b"a")], "where": [games], "whom": [ann, role.id]}
    sent = await answer_to(people.submit_modal(ann, opened, values))

    assert sent.content == "['a.txt'] in #games for ['ann', 'bots']"
    with pytest.raises(HandError, match="nothing here has the id 5"):
        await people.submit_modal(
            ann, opened, {"files": [upload("a", b"")], "where": [5], "whom": [ann]}
        )


def _roles(world: World) -> list[Role]:
    return [role for guild in world.guilds.values() for role in guild.roles.values()]


async def test_a_thread_and_a_direct_message(
    world: World, people: People, ann: int, games: int, http: Http
):
    await (await people.slash(ann, games, "talk")).wait()
    direct = await people.open_direct(ann)
    await until(lambda: people.visible_messages(ann, direct.id))

    (message,) = people.visible_messages(ann, games)
    thread = world.channel(int(message["thread"]["id"]))
    (hello,) = people.visible_messages(ann, direct.id)
    assert thread.archived
    assert message["id"] == str(thread.id)
    assert [each["content"] for each in people.visible_messages(ann, thread.id)] == [
        "in the thread"
    ]
    assert hello["attachments"][0]["filename"] == "board.png"
    assert (await http("GET", hello["attachments"][0]["url"])).status == 200


async def test_threads_of_every_kind(
    world: World, people: People, bot: SampleBot, ann: int, ben: int, games: int
):
    """Without a message, public or private; joined, listed, archived."""
    channel = bot.get_channel(games)
    assert isinstance(channel, discord.TextChannel)
    public = await channel.create_thread(name="open", type=discord.ChannelType.public_thread)
    private = await channel.create_thread(name="closed")
    await private.add_user(discord.Object(ann))
    await public.edit(archived=True)
    archived = [each.name async for each in channel.archived_threads()]
    active = await channel.guild.active_threads()

    assert archived == ["open"]
    assert [each.name for each in active] == ["closed"]
    assert {each.id for each in await private.fetch_members()} == {ann, world.bot_id}
    assert world.can_see(ann, world.channel(private.id))
    assert not world.can_see(ben, world.channel(private.id))
    with pytest.raises(HandError):
        await people.say(ben, private.id, "let me in")
    said = await people.say(ann, public.id, "wake up")
    assert not world.channel(public.id).archived
    assert said.channel_id == public.id


async def test_games_are_played_in_threads(people: People, bot: SampleBot, ann: int, games: int):
    channel = bot.get_channel(games)
    assert isinstance(channel, discord.TextChannel)
    thread = await channel.create_thread(name="game", type=discord.ChannelType.public_thread)

    shown = await answer_to(people.slash(ann, thread.id, "play", {"level": 2}))
    await (await people.press(ann, shown.id, "count:2")).wait()

    (message,) = people.visible_messages(ann, thread.id)
    assert message["components"][1]["content"] == "number 3"
    assert people.visible_messages(ann, games) == []


async def test_the_channel_is_read_and_cleaned(
    people: People, bot: SampleBot, ann: int, games: int
):
    channel = bot.get_channel(games)
    assert isinstance(channel, discord.TextChannel)
    first = await channel.send("one")
    await channel.send("two", reference=first)
    await people.say(ann, games, "three")
    history = [each.content async for each in channel.history(limit=2)]
    await first.add_reaction("\N{THUMBS UP SIGN}")
    fetched = await channel.fetch_message(first.id)
    async with channel.typing():
        pass
    await first.delete()

    # Without the privileged intent the words of others stay hidden here too.
    assert history == ["", "two"]
    assert fetched.reactions[0].me
    left = people.visible_messages(ann, games)
    assert [each["content"] for each in left] == ["two", "three"]
    assert left[0]["referenced_message"] is None


async def test_the_bot_answers_where_only_its_user_installed_it(
    world: World, people: People, ann: int, ben: int
):
    """Ann installed the application for herself; Ben did not."""
    elsewhere = world.channel_called("general", "Elsewhere").id
    direct = await people.open_direct(ann)

    there = await answer_to(people.slash(ann, elsewhere, "anywhere"))
    alone = await answer_to(people.slash(ann, direct.id, "anywhere"))

    assert (there.content, alone.content) == ("guild [1]", "direct [0, 1]")
    assert [each["name"] for each in people.commands_for(ann, elsewhere)] == ["anywhere"]
    assert people.commands_for(ben, elsewhere) == []


async def test_no_answer_is_a_failure_for_the_user(
    world: World, people: People, ann: int, games: int
):
    first = await answer_to(people.slash(ann, games, "controls"))
    world.limits.answer_seconds = 0.05

    with world.news.subscribe(ann) as events:
        silent = await people.press(ann, first.id, "silent")
        with pytest.raises(NoAnswerError):
            await silent.wait()

    states = [events.queue.get_nowait().data["state"] for _ in range(events.queue.qsize())]
    assert states == ["pending", "failed"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"level": 11}, "from 1 to 10"),
        ({"level": "many"}, "does not take 'many'"),
        ({"size": 3}, "there are: level"),
    ],
)
async def test_hands_can_only_do_what_discords_window_allows(
    people: People, ann: int, games: int, options: dict[str, object], words: str
):
    with pytest.raises(HandError, match=words):
        await people.slash(ann, games, "play", options)


async def test_words_of_others_reach_the_bot_only_with_the_intent_for_them(
    people: People, bot: SampleBot, ann: int, games: int, sandbox: Sandbox
):
    """The default bot asks for guilds only, so it hears no message at all."""
    await people.say(ann, games, "secret")
    await (await people.slash(ann, games, "whisper", {"text": "done"})).wait()

    assert bot.heard == []
    assert len(sandbox.requests.matching("POST /interactions/*/callback")) == 1
