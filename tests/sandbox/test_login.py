"""Unmodified discord.py clients come and go: login, shards, RESUME, refusals."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from deploy.sandbox import People, Sandbox, World
from tests.sandbox.conftest import Http, Start, answer_to, discord
from tests.sandbox.sample_bot import SampleBot
from tests.waiting import until


async def test_a_client_logs_in_and_sees_its_guild(start: Start, world: World):
    client = discord.Client(intents=discord.Intents(guilds=True), guild_ready_timeout=0.05)

    await start(client)

    assert client.user is not None
    assert client.user.id == world.bot_id
    assert [guild.name for guild in client.guilds] == ["Sandbox"]
    names = [channel.name for channel in client.guilds[0].text_channels]
    assert names == ["general", "games", "read-only"]
    assert not client.guilds[0].text_channels[2].permissions_for(client.guilds[0].me).send_messages
    assert world.bot_online


async def test_users_are_told_when_the_bot_comes_and_goes(start: Start, world: World):
    with world.news.subscribe(world.person("Ann").id) as events:
        client = await start(SampleBot())
        came = await events.wait_for("bot")
        await client.close()
        went = await events.wait_for("bot")

    assert (came.data, went.data) == ({"online": True}, {"online": False})


async def test_every_shard_gets_its_guilds(
    start: Start, sandbox: Sandbox, world: World, people: People
):
    """Direct messages belong to shard 0; a guild's number decides its shard."""
    bot = SampleBot(shard_count=2)
    await start(bot)
    games = world.channel_called("games")
    assert games.guild_id is not None

    interaction = await people.slash(world.person("Ann").id, games.id, "whisper", {"text": "x"})
    await interaction.wait()

    by_shard = {session.shard: session for session in sandbox.gateway.sessions.values()}
    assert sorted(by_shard) == [(0, 2), (1, 2)]
    assert bot.guilds[0].shard_id == (games.guild_id >> 22) % 2


async def test_a_wrong_token_is_refused(pointed: Sandbox):
    client = discord.Client(intents=discord.Intents.none())

    with pytest.raises(discord.LoginFailure):
        await client.login("something else")
    await client.close()


async def test_privileged_intents_have_to_be_allowed(pointed: Sandbox):
    client = discord.Client(intents=discord.Intents(guilds=True, members=True))

    with pytest.raises(discord.PrivilegedIntentsRequired):
        await client.start(pointed.token)
    await client.close()

    pointed.world.limits.privileged_intents = True
    allowed = discord.Client(
        intents=discord.Intents(guilds=True, members=True), guild_ready_timeout=0.05
    )
    task = asyncio.create_task(allowed.start(pointed.token))
    await until(allowed.is_ready)
    assert len(allowed.guilds[0].members) == 4
    await allowed.close()
    await task


@pytest.mark.parametrize("abruptly", [False, True])
async def test_a_click_during_a_drop_is_answered_after_the_resume(
    start: Start, sandbox: Sandbox, people: People, ann: int, games: int, *, abruptly: bool
):
    """What happened while the bot was away is replayed."""
    await start(SampleBot())

    await sandbox.gateway.drop_connections(abruptly=abruptly)
    assert not sandbox.world.bot_online
    answer = await answer_to(people.slash(ann, games, "whisper", {"text": "still there"}))

    assert answer.content == "still there"
    assert sandbox.gateway.resumed == 1
    assert sandbox.gateway.identified == 1


async def test_a_reconnect_that_discord_asks_for_is_a_resume(
    start: Start, sandbox: Sandbox, people: People, ann: int, games: int
):
    await start(SampleBot())

    sandbox.gateway.ask_to_reconnect()
    await until(lambda: sandbox.gateway.resumed == 1)

    assert (await answer_to(people.slash(ann, games, "whisper", {"text": "x"}))).content == "x"
    assert sandbox.gateway.identified == 1


@pytest.mark.parametrize("lost", [False, True])
async def test_after_an_invalid_session_the_bot_logs_in_again(
    start: Start, sandbox: Sandbox, people: People, ann: int, games: int, *, lost: bool
):
    await start(SampleBot())

    if lost:
        sandbox.gateway.forget_sessions()
        await sandbox.gateway.drop_connections()
    else:
        sandbox.gateway.invalidate_sessions()
    await until(lambda: sandbox.gateway.identified == 2)
    await until(lambda: sandbox.world.bot_online)

    await (await people.slash(ann, games, "whisper", {"text": "x"})).wait()
    assert sandbox.gateway.resumed == 0


class RawGateway:
    """A hand-made gateway client without compression."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket

    async def send(self, op: int, data: Any) -> None:
        await self.socket.send_str(json.dumps({"op": op, "d": data}))

    async def receive(self) -> Any:
        return json.loads((await self.socket.receive()).data)


@asynccontextmanager
async def raw_gateway(sandbox: Sandbox) -> AsyncIterator[RawGateway]:
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(sandbox.gateway_url) as socket,
    ):
        yield RawGateway(socket)


@pytest.mark.parametrize(
    ("op", "data", "close_code"),
    [
        (2, {"token": "wrong", "intents": 1}, 4004),
        (2, {"token": "sandbox-token", "intents": 1, "shard": [2, 2]}, 4010),
        (2, {"token": "sandbox-token", "intents": 2}, 4014),
        (8, {"guild_id": "1"}, 4003),
        (77, {}, 4003),
    ],
)
async def test_a_bad_beginning_ends_the_connection(
    sandbox: Sandbox, op: int, data: Any, close_code: int
):
    async with raw_gateway(sandbox) as raw:
        hello = await raw.receive()
        await raw.send(op, data)
        received = await raw.socket.receive()

    assert hello["op"] == 10
    assert received.type is aiohttp.WSMsgType.CLOSE
    assert received.data == close_code


async def test_heartbeats_are_acknowledged_and_silence_ends_the_connection(sandbox: Sandbox):
    sandbox.gateway.heartbeat_seconds = 0.1
    async with raw_gateway(sandbox) as raw:
        assert (await raw.receive())["d"]["heartbeat_interval"] == 100
        await raw.send(1, None)
        assert (await raw.receive())["op"] == 11
        received = await raw.socket.receive()

    assert received.data == 4009


async def test_a_heartbeat_is_acknowledged_as_late_as_over_a_network(sandbox: Sandbox):
    """If it came sooner, discord.py would count its latency from the previous heartbeat."""
    loop = asyncio.get_running_loop()
    async with raw_gateway(sandbox) as raw:
        await raw.receive()
        asked_at = loop.time()
        await raw.send(1, None)
        await raw.send(6, {"token": sandbox.token, "session_id": "unknown", "seq": 3})
        # Nothing else waits for it.
        assert (await raw.receive())["op"] == 9
        assert (await raw.receive())["op"] == 11

    assert loop.time() - asked_at > 0.02


async def test_a_resume_with_unknown_events_is_refused(sandbox: Sandbox):
    async with raw_gateway(sandbox) as raw:
        await raw.receive()
        await raw.send(6, {"token": sandbox.token, "session_id": "unknown", "seq": 3})
        assert await raw.receive() == {"op": 9, "d": False}
        # On the same connection a new login is welcome.
        await raw.send(2, {"token": sandbox.token, "intents": 1})
        ready = await raw.receive()

    assert ready["t"] == "READY"
    assert ready["d"]["resume_gateway_url"] == sandbox.gateway_url
    assert ready["d"]["application"]["id"] == str(sandbox.world.application_id)


async def test_the_gateway_tells_where_it_is(http: Http, sandbox: Sandbox):
    reply = await http("GET", "/gateway/bot")

    assert reply.body["url"] == sandbox.gateway_url
    assert reply.body["shards"] == 1


async def test_a_server_left_while_the_bot_is_away_is_not_told(start: Start, sandbox: Sandbox):
    """Only the list of servers at the next start shows it; a bot that is online is told."""
    world = sandbox.world
    here, elsewhere = world.guilds.values()
    sandbox.people.invite_bot(elsewhere)
    bot = await start(SampleBot())
    heard: list[str] = []
    world.news.bot_sinks.append(lambda name, data, _: heard.append(f"{name} {data['id']}"))

    sandbox.people.remove_bot(elsewhere)
    await until(lambda: [each.id for each in bot.guilds] == [here.id])
    sandbox.people.invite_bot(elsewhere)
    await until(lambda: len(bot.guilds) == 2)
    await bot.close()
    sandbox.people.remove_bot(elsewhere)
    again = await start(SampleBot())

    assert heard[:2] == [f"GUILD_DELETE {elsewhere.id}", f"GUILD_CREATE {elsewhere.id}"]
    assert [each.id for each in again.guilds] == [here.id]
