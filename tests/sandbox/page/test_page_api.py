"""What the page's routes refuse, and that they say why."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from deploy.sandbox.server import Sandbox, running_sandbox

pytestmark = pytest.mark.asyncio(loop_scope="module")

OWN_FILES = ("js/main.js", "js/app.js", "css/base.css", "icon.svg")


@pytest_asyncio.fixture(loop_scope="module")
async def client(sandbox: Sandbox) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(sandbox.address) as client:
        yield client


async def refusal(response: aiohttp.ClientResponse) -> tuple[int, str]:
    body = await response.json()
    return response.status, body["message"]


async def test_the_page_and_its_files_are_served_with_a_strict_policy(
    client: aiohttp.ClientSession,
) -> None:
    for path in ("/", *(f"/sandbox/page/{name}" for name in OWN_FILES)):
        async with client.get(path) as response:
            assert response.status == 200
            assert "default-src 'none'" in response.headers["Content-Security-Policy"]
            assert response.headers["X-Content-Type-Options"] == "nosniff"


async def test_no_file_outside_the_page_is_served(client: aiohttp.ClientSession) -> None:
    for path in ("..%2fworld.py", "js/..%2f..%2fworld.py", "js", "nothing.js"):
        async with client.get(f"/sandbox/page/{path}") as response:
            assert response.status == 404


async def test_a_person_is_named_by_id_or_name(
    client: aiohttp.ClientSession, sandbox: Sandbox
) -> None:
    ben = sandbox.world.person("ben")
    for user in (str(ben.id), "ben", "Ben"):
        async with client.get("/sandbox/state", params={"user": user}) as response:
            body = await response.json()
            assert body["me"]["id"] == str(ben.id)
    async with client.get("/sandbox/state", params={"user": "zoe"}) as response:
        assert await refusal(response) == (400, "Nobody here is called 'zoe'.")


async def test_other_sites_cannot_act_through_a_visitors_browser(
    client: aiohttp.ClientSession, sandbox: Sandbox
) -> None:
    channel = sandbox.world.channel_called("general")
    body: dict[str, Any] = {"user": "ann", "channel": str(channel.id), "content": "forged"}
    foreign = {"Origin": "https://example.org"}

    async with client.post("/sandbox/say", json=body, headers=foreign) as response:
        assert response.status == 403
    # What a form could send without a CORS preflight.
    async with client.post("/sandbox/say", data="{}", headers={"Content-Type": "text/plain"}) as it:
        assert it.status == 403
    # A name in a foreign domain that points to this machine.
    async with client.get("/sandbox/state", headers={"Host": "example.org"}) as response:
        assert response.status == 403
    with pytest.raises(aiohttp.WSServerHandshakeError):
        await client.ws_connect("/sandbox/live", headers=foreign)

    assert sandbox.people.visible_messages(sandbox.world.person("ann").id, channel.id) == []


@pytest.mark.parametrize(
    ("path", "body", "complaint"),
    [
        ("say", [], "The request has to be an object, got []."),
        ("say", {"channel": "x"}, "Channel has to be an id, got 'x'."),
        ("press", {"message": "1"}, "This user sees no message with the id 1."),
        ("select", {"message": "1", "values": "a"}, "Values has to be a list, got 'a'."),
        ("slash", {"channel": "1", "options": 3}, "Options has to be an object, got 3."),
        ("modal", {"interaction": "5"}, "That dialog is no longer open."),
        ("dismiss", {"message": None}, "Message has to be an id, got None."),
    ],
)
async def test_a_request_that_makes_no_sense_is_refused_in_words(
    client: aiohttp.ClientSession, path: str, body: Any, complaint: str
) -> None:
    async with client.post(f"/sandbox/{path}", json=body) as response:
        assert await refusal(response) == (400, complaint)


async def test_what_is_not_json_is_refused(client: aiohttp.ClientSession) -> None:
    headers = {"Content-Type": "application/json"}
    async with client.post("/sandbox/say", data="{", headers=headers) as response:
        assert await refusal(response) == (400, "The request is not JSON.")


async def test_a_hidden_channel_shows_nothing(
    client: aiohttp.ClientSession, sandbox: Sandbox
) -> None:
    elsewhere = sandbox.world.channel_called("general", "Elsewhere")
    query = {"user": "cleo", "channel": str(elsewhere.id)}
    async with client.get("/sandbox/channel", params=query) as response:
        assert await refusal(response) == (
            400,
            f"This user sees no channel with the id {elsewhere.id}.",
        )


async def test_news_go_only_to_those_who_may_know(sandbox: Sandbox) -> None:
    world = sandbox.world
    games, cleo = world.channel_called("games"), world.person("cleo")
    elsewhere = world.channel_called("general", "Elsewhere")
    async with (
        aiohttp.ClientSession(sandbox.address) as client,
        client.ws_connect("/sandbox/live", params={"user": "cleo"}) as live,
    ):
        assert await live.receive_json() == {"kind": "ready", "data": {}}
        await sandbox.people.say(world.person("ann").id, elsewhere.id, "Not for Cleo")
        await sandbox.people.say(cleo.id, games.id, "For all")

        news = await live.receive_json()
        while news["kind"] == "unread":  # how much there is to read, for each person
            news = await live.receive_json()

    assert (news["kind"], news["data"]["content"]) == ("message_create", "For all")


async def test_open_windows_do_not_hold_up_the_end() -> None:
    async with aiohttp.ClientSession() as client:
        async with running_sandbox() as sandbox:
            live = await client.ws_connect(f"{sandbox.address}/sandbox/live")
            await live.receive_json()
            farewell = asyncio.create_task(live.receive())
        message = await farewell

    assert message.type is aiohttp.WSMsgType.CLOSE
    assert live.close_code == aiohttp.WSCloseCode.GOING_AWAY
