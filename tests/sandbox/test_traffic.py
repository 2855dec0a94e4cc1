"""Rate limits, and discord.py waiting for them."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest
from aiohttp.web_protocol import RequestHandler
from yarl import URL

from deploy.sandbox import People, Sandbox, World
from deploy.sandbox.errors import ApiError
from deploy.sandbox.traffic import RateLimits
from tests.sandbox.conftest import Http, Start, discord
from tests.sandbox.sample_bot import SampleBot
from tests.waiting import until

SEND = "POST /channels/{channel_id}/messages"


def test_a_route_is_counted_for_each_channel_and_starts_anew():
    now = 0.0
    limits = RateLimits(clock=lambda: now)
    limits.routes[SEND] = (2, 5.0)
    method, route = SEND.split()

    first = limits.count(method, route, "1")
    second = limits.count(method, route, "1")
    other = limits.count(method, route, "2")
    now = 1.0
    with pytest.raises(ApiError) as refused:
        limits.count(method, route, "1")
    now = 5.0
    later = limits.count(method, route, "1")

    remaining = [each["X-RateLimit-Remaining"] for each in (first, second, other, later)]
    assert remaining == ["1", "0", "1", "1"]
    assert first["X-RateLimit-Limit"] == "2"
    assert refused.value.body == {
        "message": "You are being rate limited.",
        "code": 0,
        "retry_after": 4.0,
        "global": False,
    }
    assert refused.value.headers["Retry-After"] == "4"
    assert refused.value.headers["Via"]


def test_interactions_are_outside_the_global_limit():
    limits = RateLimits(clock=lambda: 0.0)
    limits.global_per_second = 1
    limits.count("GET", "/a", "")

    limits.count("POST", "/interactions", "")
    with pytest.raises(ApiError) as refused:
        limits.count("GET", "/b", "")

    assert refused.value.body["global"] is True
    assert refused.value.headers["X-RateLimit-Global"] == "true"


async def test_a_refusal_has_discords_headers(http: Http, sandbox: Sandbox, world: World):
    sandbox.rate_limits.routes[SEND] = (1, 60.0)
    path = f"/channels/{world.channel_called('games').id}/messages"

    sent = await http("POST", path, {"content": "1"})
    refused = await http("POST", path, {"content": "2"})

    assert sent.headers["X-RateLimit-Remaining"] == "0"
    assert refused.status == 429
    assert refused.headers["X-RateLimit-Bucket"] == sent.headers["X-RateLimit-Bucket"]
    assert refused.headers["X-RateLimit-Scope"] == "user"


async def test_discord_py_waits_and_loses_nothing(
    start: Start, sandbox: Sandbox, world: World, people: People
):
    bot = await start(SampleBot())
    sandbox.rate_limits.routes[SEND] = (2, 0.1)
    games = world.channel_called("games").id
    channel = bot.get_channel(games)
    assert isinstance(channel, discord.TextChannel)

    for number in range(5):
        await channel.send(str(number))

    shown = people.visible_messages(world.person("Ann").id, games)
    assert [each["content"] for each in shown] == ["0", "1", "2", "3", "4"]


async def test_discord_py_retries_what_was_refused(start: Start, sandbox: Sandbox, world: World):
    """A limit that the library does not see coming: another process used it up."""
    bot = await start(SampleBot())
    channel = bot.get_channel(world.channel_called("games").id)
    assert isinstance(channel, discord.TextChannel)
    sandbox.faults.rate_limit("POST /channels/*/messages", 0.05, times=2)

    await channel.send("there in the end")

    statuses = [each.status for each in sandbox.requests.matching("POST /channels/*/messages")]
    assert statuses == [429, 429, 200]


async def test_a_held_request_goes_on_when_released(http: Http, sandbox: Sandbox):
    gate = sandbox.faults.hold("GET /users/@me")
    gate.set()

    assert (await http("GET", "/users/@me")).status == 200


async def test_faults_are_taken_back(http: Http, sandbox: Sandbox):
    sandbox.faults.fail("GET /users/@me", status=500, times=5)
    sandbox.faults.clear()

    assert (await http("GET", "/users/@me")).status == 200


@pytest.mark.parametrize(("after", "sent"), [(False, 0), (True, 1)])
async def test_a_connection_breaks_off_before_or_after_the_work(
    http: Http, sandbox: Sandbox, world: World, people: People, after: bool, sent: int
):
    games = world.channel_called("games").id
    sandbox.faults.reset("POST /channels/*/messages", after=after)

    with pytest.raises(aiohttp.ClientError):
        await http("POST", f"/channels/{games}/messages", {"content": "lost"})

    assert len(people.visible_messages(world.person("Ann").id, games)) == sent


@pytest.mark.parametrize("error", [None, BrokenPipeError()])
async def test_a_bot_that_is_killed_in_mid_upload_is_no_failure_of_the_sandbox(
    sandbox: Sandbox,
    http: Http,
    games: int,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception | None,
):
    """Which error a lost connection raises depends on who notices it, and when."""
    lost = RequestHandler.connection_lost
    monkeypatch.setattr(RequestHandler, "connection_lost", lambda it, exc: lost(it, exc or error))
    url = URL(f"{sandbox.api_base}/channels/{games}/messages/1")
    _, writer = await asyncio.open_connection(url.host, url.port)
    head = f"PATCH {url.path} HTTP/1.1\r\nHost: {url.authority}\r\nContent-Length: 9000\r\n"
    part = 'Content-Disposition: form-data; name="files[0]"; filename="a.png"'
    kind = "Content-Type: multipart/form-data; boundary=x"
    writer.write(f"{head}{kind}\r\n\r\n--x\r\n{part}\r\n\r\nabc".encode())
    await until(lambda: sandbox.requests)
    writer.close()
    await writer.wait_closed()
    await http("GET", "/gateway")  # by now the other request has ended

    assert (await http("GET", f"/channels/{games}")).status == 200
    assert [each.message for each in caplog.records if "failed" in each.message] == []


async def test_a_limit_that_is_not_discords_has_none_of_its_headers(http: Http, sandbox: Sandbox):
    sandbox.faults.fail("GET /users/@me", status=429)

    refused = await http("GET", "/users/@me")

    assert (refused.status, refused.headers.get("Via")) == (429, None)


async def test_too_many_invalid_requests_shut_the_bot_out(http: Http, sandbox: Sandbox):
    """The proxy in front of Discord answers then, without Discord's headers."""
    now = 1000.0
    limits = sandbox.rate_limits
    limits.clock, limits.invalid_requests = lambda: now, (2, 600.0)
    refused = [(await http("GET", "/users/@me", token="wrong")).status for _ in range(2)]

    banned = await http("GET", "/users/@me")
    now += 601
    again = await http("GET", "/users/@me")

    assert refused == [401, 401]
    assert (banned.status, again.status) == (429, 200)
    assert "Via" not in banned.headers
