"""Discord's refusals, with its status, its numbers and its shapes."""

from __future__ import annotations

from typing import Any

import pytest

from deploy.sandbox import (
    HandError,
    Interaction,
    InteractionState,
    People,
    Sandbox,
    World,
    permissions,
)
from deploy.sandbox.model import Overwrite
from tests.sandbox.conftest import Http, ManualClock

COMMANDS = [{"name": "play", "description": "Play"}]
HELLO = {"type": 4, "data": {"content": "hello"}}
BUTTON = {"type": 1, "components": [{"type": 2, "style": 1, "label": "Go", "custom_id": "go"}]}


class Bench:
    """The bot's side by hand: it gets interactions and answers them over HTTP."""

    def __init__(self, sandbox: Sandbox, http: Http) -> None:
        self.world = world = sandbox.world
        self.people = sandbox.people
        self.http = http
        self.ann = world.person("Ann").id
        self.ben = world.person("Ben").id
        self.games = world.channel_called("games").id

    async def register(self) -> None:
        path = f"/applications/{self.world.application_id}/commands"
        assert (await self.http("PUT", path, COMMANDS)).status == 200

    async def use(self, user_id: int | None = None) -> Interaction:
        return await self.people.slash(user_id or self.ann, self.games, "play")

    async def answer(self, interaction: Interaction, body: Any, **details: Any) -> Any:
        path = f"/interactions/{interaction.id}/{interaction.token}/callback"
        return await self.http("POST", path, body, **details)

    def webhook(self, interaction: Interaction, rest: str = "") -> str:
        return f"/webhooks/{self.world.application_id}/{interaction.token}{rest}"

    async def board(self) -> Interaction:
        """Return an interaction answered with a button."""
        interaction = await self.use()
        body = {"type": 4, "data": {"content": "board", "components": [BUTTON]}}
        assert (await self.answer(interaction, body)).status == 204
        return interaction


@pytest.fixture
async def bench(sandbox: Sandbox, http: Http) -> Bench:
    bench = Bench(sandbox, http)
    await bench.register()
    return bench


async def test_json_is_named_exactly(http: Http):
    """discord.py compares the type with a plain string: no charset may follow."""
    for path in ("/users/@me", "/nothing/here"):
        assert (await http("GET", path)).headers["Content-Type"] == "application/json"


async def test_a_wrong_token_and_an_unknown_route(http: Http):
    wrong = await http("GET", "/users/@me", token="wrong")
    unknown = await http("GET", "/nothing/here")

    assert (wrong.status, wrong.body) == (401, {"message": "401: Unauthorized", "code": 0})
    assert (unknown.status, unknown.body) == (404, {"message": "404: Not Found", "code": 0})


async def test_an_answer_is_described_only_when_asked(bench: Bench):
    interaction = await bench.use()
    path = f"/interactions/{interaction.id}/{interaction.token}/callback?with_response=true"
    reply = await bench.http("POST", path, HELLO)

    described = reply.body["interaction"]
    assert reply.status == 200
    assert described["id"] == str(interaction.id)
    assert described["response_message_ephemeral"] is False
    assert reply.body["resource"]["type"] == 4
    assert reply.body["resource"]["message"]["content"] == "hello"
    assert described["response_message_id"] == reply.body["resource"]["message"]["id"]


async def test_a_second_answer_is_refused(bench: Bench):
    interaction = await bench.use()
    await bench.answer(interaction, HELLO)
    reply = await bench.answer(interaction, HELLO)

    assert (reply.status, reply.code) == (400, 40060)
    assert len(bench.people.visible_messages(bench.ann, bench.games)) == 1


async def test_an_answer_after_three_seconds_is_refused(bench: Bench, clock: ManualClock):
    early, late = await bench.use(), await bench.use()
    clock.advance(2.9)
    assert (await bench.answer(early, HELLO)).status == 204
    clock.advance(0.2)
    reply = await bench.answer(late, HELLO)

    assert (reply.status, reply.code) == (404, 10062)
    assert late.state is InteractionState.FAILED


async def test_a_stranger_to_interactions_is_refused(bench: Bench):
    interaction = await bench.use()
    reply = await bench.http("POST", f"/interactions/{interaction.id}/wrong/callback", HELLO)

    assert (reply.status, reply.code) == (404, 10062)


@pytest.mark.parametrize("kind", [1, 6, 7, 8, 99, None])
async def test_an_answer_has_to_fit_what_was_done(bench: Bench, kind: int | None):
    """A command cannot update a message that does not exist."""
    reply = await bench.answer(await bench.use(), {"type": kind, "data": {"content": "x"}})

    assert (reply.status, reply.code) == (400, 50035)
    assert "_errors" in reply.body["errors"]["type"]


async def test_follow_ups_need_an_answer_and_fifteen_minutes(bench: Bench, clock: ManualClock):
    interaction = await bench.use()
    before = await bench.http("POST", bench.webhook(interaction), {"content": "early"})
    await bench.answer(interaction, HELLO)
    clock.advance(899)
    during = await bench.http("POST", bench.webhook(interaction), {"content": "on time"})
    clock.advance(2)
    path = bench.webhook(interaction, "/messages/@original")
    after = await bench.http("PATCH", path, {"content": "late"})
    unknown = await bench.http("GET", f"/webhooks/{bench.world.application_id}/wrong")

    assert (before.status, before.code) == (404, 10015)
    assert (during.status, during.body["content"]) == (200, "on time")
    assert (after.status, after.code) == (401, 50027)
    assert (unknown.status, unknown.code) == (404, 10015)


async def test_the_original_is_read_edited_and_deleted(bench: Bench):
    interaction = await bench.board()
    path = bench.webhook(interaction, "/messages/@original")

    read = await bench.http("GET", path)
    edited = await bench.http("PATCH", path, {"content": "changed"})
    deleted = await bench.http("DELETE", path)
    gone = await bench.http("GET", path)

    assert read.body["content"] == "board"
    assert edited.body["content"] == "changed"
    assert edited.body["components"] == read.body["components"]
    assert deleted.status == 204
    assert (gone.status, gone.code) == (404, 10008)


async def test_the_first_follow_up_ends_the_thinking(bench: Bench):
    """Discord puts it in the place of the deferred answer, as private as that was."""
    interaction = await bench.use()
    await bench.answer(interaction, {"type": 5, "data": {"flags": 64}})
    assert interaction.state.name == "DEFERRED"
    thinking = bench.people.visible_messages(bench.ann, bench.games)

    sent = await bench.http("POST", bench.webhook(interaction), {"content": "there"})

    assert [each["flags"] for each in thinking] == [64 | 128]
    assert sent.body["id"] == thinking[0]["id"]
    assert sent.body["flags"] == 64
    assert interaction.state is InteractionState.ANSWERED


async def test_a_deleted_message_cannot_be_updated(bench: Bench):
    interaction = await bench.board()
    assert interaction.message is not None
    pressed = await bench.people.press(bench.ben, interaction.message.id, "go")
    await bench.http("DELETE", bench.webhook(interaction, "/messages/@original"))

    reply = await bench.answer(pressed, {"type": 7, "data": {"content": "too late"}})

    assert (reply.status, reply.code) == (404, 10008)


async def test_the_limits_hold_in_answers_too(bench: Bench):
    """There the paths begin with "data", and a refused answer can be given again."""
    interaction = await bench.use()
    refused = await bench.answer(interaction, {"type": 4, "data": {"content": "x" * 2001}})
    again = await bench.answer(interaction, HELLO)

    assert refused.code == 50035
    assert refused.body["errors"]["data"]["content"]["_errors"]
    assert again.status == 204


async def test_a_webhook_reaches_only_its_own_messages(bench: Bench):
    mine, other = await bench.board(), await bench.board()
    assert other.message is not None
    sent = await bench.http("POST", bench.webhook(mine), {"content": "more"})

    own = await bench.http("PATCH", bench.webhook(mine, f"/messages/{sent.body['id']}"), {})
    path = bench.webhook(mine, f"/messages/{other.message.id}")
    foreign = await bench.http("PATCH", path, {"content": "mine now"})

    assert own.status == 200
    assert (foreign.status, foreign.code) == (404, 10008)


async def test_ephemeral_messages_do_not_exist_for_the_channel(bench: Bench):
    interaction = await bench.use()
    await bench.answer(interaction, {"type": 4, "data": {"content": "psst", "flags": 64}})
    assert interaction.message is not None

    path = f"/channels/{bench.games}/messages"
    one = await bench.http("GET", f"{path}/{interaction.message.id}")
    many = await bench.http("GET", path)
    through = await bench.http("GET", bench.webhook(interaction, "/messages/@original"))

    assert (one.status, one.code) == (404, 10008)
    assert many.body == []
    assert through.body["flags"] == 64


async def test_a_pressed_message_travels_whole(bench: Bench):
    """The bot may know nothing but what the interaction carries."""
    interaction = await bench.board()
    assert interaction.message is not None
    heard: list[dict[str, Any]] = []
    bench.world.news.bot_sinks.append(lambda name, data, _: heard.append(data))

    await bench.people.press(bench.ben, interaction.message.id, "go")

    (data,) = heard
    assert data["message"]["content"] == "board"
    assert data["message"]["components"][0]["components"][0]["custom_id"] == "go"
    assert data["member"]["user"]["username"] == "ben"
    assert data["attachment_size_limit"] == 10 * 1024 * 1024
    assert data["context"] == 0
    assert data["authorizing_integration_owners"] == {"0": data["guild_id"]}
    assert data["data"] == {"component_type": 2, "custom_id": "go", "id": 2}
    for key in ("app_permissions", "entitlements", "locale", "guild_locale", "channel", "token"):
        assert key in data


async def test_permissions_are_kept(bench: Bench, world: World):
    read_only = world.channel_called("read-only").id
    elsewhere = world.channel_called("general", "Elsewhere").id
    hello = {"content": "hello"}

    forbidden = await bench.http("POST", f"/channels/{read_only}/messages", hello)
    unseen = await bench.http("POST", f"/channels/{elsewhere}/messages", hello)
    unknown = await bench.http("POST", "/channels/1/messages", hello)

    assert (forbidden.status, forbidden.code) == (403, 50013)
    assert (unseen.status, unseen.code) == (403, 50001)
    assert (unknown.status, unknown.code) == (404, 10003)


async def test_messages_of_others_are_theirs(bench: Bench):
    said = await bench.people.say(bench.ben, bench.games, "mine")
    path = f"/channels/{bench.games}/messages/{said.id}"

    edit = await bench.http("PATCH", path, {"content": "yours"})
    delete = await bench.http("DELETE", path)

    assert (edit.status, edit.code) == (403, 50005)
    assert (delete.status, delete.code) == (403, 50013)


async def test_edits_of_old_messages_are_capped(bench: Bench, clock: ManualClock):
    """After an hour only a few edits an hour are left: a board is posted again."""
    sent = await bench.http("POST", f"/channels/{bench.games}/messages", {"content": "0"})
    path = f"/channels/{bench.games}/messages/{sent.body['id']}"
    clock.advance(3500)
    young = [await bench.http("PATCH", path, {"content": "y"}) for _ in range(10)]
    clock.advance(200)
    old = [await bench.http("PATCH", path, {"content": "o"}) for _ in range(6)]

    assert {reply.status for reply in young} == {200}
    assert [reply.status for reply in old] == [200] * 5 + [429]
    assert old[-1].code == 30046
    assert old[-1].body["retry_after"] > 0
    assert "Via" in old[-1].headers


async def test_late_edits_are_counted_by_channel(bench: Bench, clock: ManualClock):
    bench.world.limits.late_edits_per_hour = 1
    path = f"/channels/{bench.games}/messages"
    first, second = [(await bench.http("POST", path, {"content": "x"})).body for _ in range(2)]
    clock.advance(3700)

    edits = [
        await bench.http("PATCH", f"{path}/{each['id']}", {"content": "y"})
        for each in (first, second)
    ]

    assert [each.status for each in edits] == [200, 429]


async def test_requests_are_made_to_fail_and_to_wait(bench: Bench, sandbox: Sandbox):
    path = f"/channels/{bench.games}/messages"
    sandbox.faults.fail("POST /channels/*/messages", status=400, code=50035, message="no luck")
    sandbox.faults.fail("POST /channels/*/messages", status=502, after=True)
    sandbox.faults.delay("POST /channels/*/messages", 0.01)

    replies = [await bench.http("POST", path, {"content": str(each)}) for each in range(4)]

    shown = bench.people.visible_messages(bench.ann, bench.games)
    assert [reply.status for reply in replies] == [400, 502, 200, 200]
    # The second was carried out although its answer was lost.
    assert [message["content"] for message in shown] == ["1", "2", "3"]


async def test_requests_are_noted_with_body_and_files(bench: Bench, sandbox: Sandbox):
    interaction = await bench.use()
    await bench.answer(interaction, HELLO, files={"a.txt": b"abc"})

    (entry,) = sandbox.requests.matching("POST /interactions/*/callback")
    assert entry.route == "/interactions/{interaction_id}/{token}/callback"
    assert entry.body == HELLO
    assert [(each.filename, each.size) for each in entry.files] == [("a.txt", 3)]
    assert entry.status == 204


async def test_broken_json_is_refused(sandbox: Sandbox, bench: Bench):
    headers = {"Authorization": f"Bot {sandbox.token}", "Content-Type": "application/json"}
    url = f"{sandbox.api_base}/channels/{bench.games}/messages"
    async with bench.http._session.post(url, data="{", headers=headers) as response:
        body = await response.json()

    assert (response.status, body["code"]) == (400, 50109)


async def test_a_message_with_one_nonce_is_sent_once(http: Http, world: World, clock: ManualClock):
    games = world.channel_called("games").id
    body = {"content": "once", "nonce": "a", "enforce_nonce": True}

    first = await http("POST", f"/channels/{games}/messages", body)
    again = await http("POST", f"/channels/{games}/messages", body)
    other = await http("POST", f"/channels/{games}/messages", body | {"nonce": "b"})
    clock.advance(200)
    later = await http("POST", f"/channels/{games}/messages", body)

    assert again.body["id"] == first.body["id"]
    assert len({each.body["id"] for each in (first, other, later)}) == 3


async def test_nothing_is_edited_in_an_archived_thread(bench: Bench, http: Http, sandbox: Sandbox):
    channel = bench.world.channel(bench.games)
    body, bot_id = {"name": "ours", "type": 11}, sandbox.world.bot_id
    thread = sandbox.channels.open_thread(channel, body, owner_id=bot_id)
    sent = await http(
        "POST", f"/channels/{thread.id}/messages", {"content": "board", "components": [BUTTON]}
    )
    message_id = int(sent.body["id"])
    sandbox.channels.change(thread, archived=True)
    pressed = await bench.people.press(bench.ann, message_id, "go")

    edited = await http("PATCH", f"/channels/{thread.id}/messages/{message_id}", {"content": "x"})
    answered = await bench.answer(pressed, {"type": 7, "data": {"content": "x"}})
    opened = await http("PATCH", f"/channels/{thread.id}", {"archived": False})
    again = await bench.answer(pressed, {"type": 7, "data": {"content": "x"}})

    assert (edited.code, answered.code) == (50083, 50083)
    assert (opened.status, again.status) == (200, 204)


async def test_an_archived_thread_is_only_read(bench: Bench, http: Http, sandbox: Sandbox):
    """Nothing in it is deleted or reacted to and nobody joins, until a message opens it."""
    body, bot_id = {"name": "ours", "type": 11}, sandbox.world.bot_id
    thread = sandbox.channels.open_thread(sandbox.world.channel(bench.games), body, owner_id=bot_id)
    used = await bench.people.slash(bench.ann, thread.id, "play")
    await bench.answer(used, HELLO)
    assert used.message is not None
    path = f"/channels/{thread.id}/messages/{used.message.id}"
    sandbox.channels.change(thread, archived=True)

    refused = [
        await http("DELETE", path),
        await http("DELETE", bench.webhook(used, "/messages/@original")),
        await http("PUT", f"{path}/reactions/%F0%9F%91%8D/@me"),
        await http("PUT", f"/channels/{thread.id}/thread-members/{bench.ben}"),
    ]
    commands = bench.people.commands_for(bench.ann, thread.id)
    with pytest.raises(HandError, match="usable: none"):
        await bench.people.slash(bench.ann, thread.id, "play")
    with pytest.raises(HandError, match="archived"):
        bench.people.toggle_reaction(bench.ann, used.message.id, "👍")
    await bench.people.say(bench.ben, thread.id, "Anybody here?")
    deleted = await http("DELETE", path)

    assert [each.code for each in refused] == [50083] * 4
    assert commands == []
    assert not thread.archived
    assert deleted.status == 204


@pytest.mark.parametrize("denied", [permissions.USE_EXTERNAL_APPS, permissions.SEND_MESSAGES])
async def test_an_application_brought_along_may_be_made_to_whisper(
    bench: Bench, world: World, people: People, denied: int
):
    """Ann has it installed for herself; the server, which has not, decides who hears it."""
    path = f"/applications/{world.application_id}/commands"
    anywhere = [COMMANDS[0] | {"integration_types": [0, 1], "contexts": [0, 1, 2]}]
    await bench.http("PUT", path, anywhere)
    elsewhere = world.channel_called("general", "Elsewhere")
    guild = world.guilds[elsewhere.guild_id or 0]
    guild.owner_id = bench.ben  # owners may do everything
    said = []
    for deny in (0, denied):
        elsewhere.overwrites = [Overwrite(id=guild.id, kind=0, deny=deny)]
        interaction = await people.slash(bench.ann, elsewhere.id, "play")
        await bench.answer(interaction, HELLO)
        assert interaction.message is not None
        said.append(interaction.message.visible_to)

    assert said == [None, bench.ann]


async def test_files_that_follow_a_deferred_answer_are_not_found(bench: Bench):
    interaction = await bench.use()
    await bench.answer(interaction, {"type": 5})
    gallery = {"type": 12, "items": [{"media": {"url": "attachment://board.png"}}]}
    body = {"flags": 1 << 15, "components": [gallery], "attachments": [{"id": 0}]}
    files = {"board.png": b"png"}

    followed = await bench.http("POST", bench.webhook(interaction), body, files=files)
    original = bench.webhook(interaction, "/messages/@original")
    edited = await bench.http("PATCH", original, body, files=files)

    assert (followed.status, edited.status) == (400, 200)
    assert "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND" in str(followed.body)


async def test_conversations_are_begun_only_so_fast(http: Http, world: World):
    world.limits.direct_openings = (1, 60.0)
    people = [each.id for each in world.people[:2]]

    begun = [
        await http("POST", "/users/@me/channels", {"recipient_id": str(each)})
        for each in (people[0], people[0], people[1])
    ]

    assert [each.status for each in begun] == [200, 200, 403]
    assert begun[2].code == 40003
