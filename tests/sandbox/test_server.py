"""The process: addresses, the command line, the numbers it hands out."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
from pathlib import Path

import aiohttp
import pytest

from deploy.sandbox import AddressError, Sandbox, World, running_sandbox
from deploy.sandbox.gateway import make_compressor
from deploy.sandbox.model import SnowflakeMaker, snowflake_at
from deploy.sandbox.server import make_app
from tests.sandbox.conftest import Http, ManualClock

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.1", "::", "example.org", ""])
async def test_only_this_machine_is_served(host: str):
    with pytest.raises(AddressError, match="loopback only"):
        async with running_sandbox(host=host):
            pass


async def test_a_taken_port_is_named(sandbox: Sandbox):
    port = int(sandbox.address.rsplit(":", 1)[1])

    with pytest.raises(AddressError, match=f"port {port}"):
        async with running_sandbox(port):
            pass


async def test_the_command_line_serves_until_told_to_stop(tmp_path: Path):
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "deploy.sandbox", "--port", "0", "--state", str(tmp_path / "kept"),
        cwd=REPOSITORY, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    first = (await process.stdout.readline()).decode()
    process.send_signal(signal.SIGTERM)
    rest = (await process.stdout.read()).decode()

    assert await process.wait() == 0
    assert "http://127.0.0.1:" in first
    assert "DISCORD_GATEWAY_URL=ws://127.0.0.1:" in rest
    assert (tmp_path / "kept" / "world.json").exists()


async def test_the_command_line_refuses_other_hosts_in_words():
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "deploy.sandbox", "--host", "0.0.0.0",
        cwd=REPOSITORY, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    _, errors = await process.communicate()

    assert process.returncode == 1
    assert errors.decode().startswith("error: the sandbox has no passwords")


async def test_uploads_never_run_as_pages(http: Http, world: World):
    """A picture is shown; anything that could carry a script is only downloaded."""
    path = f"/channels/{world.channel_called('games').id}/messages"
    files = {"a.html": b"<script>", "b.svg": b"<svg/>", "c.png": b"\x89PNG"}
    sent = await http("POST", path, {}, files=files)

    page, drawing, picture = [await http("GET", each["url"]) for each in sent.body["attachments"]]
    assert page.headers["Content-Disposition"] == "attachment"
    assert drawing.headers["Content-Disposition"] == "attachment"
    assert "Content-Disposition" not in picture.headers
    assert picture.headers["X-Content-Type-Options"] == "nosniff"


async def test_web_pages_cannot_play_the_bot(sandbox: Sandbox):
    headers = {"Origin": "https://a.example", "Authorization": f"Bot {sandbox.token}"}
    async with aiohttp.ClientSession(headers=headers) as session:
        async with session.get(sandbox.api_base + "/users/@me") as response:
            assert response.status == 403
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(sandbox.gateway_url)


FOREIGN_NAMES = (
    *("evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}", "[::2]:{port}"),
    *("127.0.0.1", "127.0.0.1:1", "localhost:{port}9", "localhost:port", ""),
)


@pytest.mark.parametrize("name", FOREIGN_NAMES)
async def test_no_route_answers_who_asked_for_another_name_or_port(sandbox: Sandbox, name: str):
    """A page whose own name points at this machine (DNS rebinding) sends no foreign Origin."""
    port = sandbox.address.rsplit(":", 1)[1]
    headers = {"Host": name.format(port=port), "Authorization": f"Bot {sandbox.token}"}
    answers = {}
    async with aiohttp.ClientSession(sandbox.address, headers=headers) as session:
        for method, path in every_route(sandbox):
            async with session.request(method, path) as response:
                answers[method, path] = response.status
        for path in ("/gateway", "/sandbox/live"):
            with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
                await session.ws_connect(path)

    assert len(answers) > 60
    assert set(answers.values()) == {403}
    assert list(sandbox.requests) == []


def every_route(sandbox: Sandbox) -> set[tuple[str, str]]:
    """Return every route of the sandbox, and one that is not there."""
    routes = {
        (route.method, re.sub(r"\{[^}]+\}", "1", route.resource.canonical))
        for route in make_app(sandbox).router.routes()
        if route.resource is not None
    }
    return {(method.replace("*", "GET"), path) for method, path in routes} | {("GET", "/nowhere")}


@pytest.mark.parametrize("name", ["127.0.0.1:{port}", "LocalHost:{port}", "[::1]:{port}"])
async def test_every_name_of_this_machine_is_answered(sandbox: Sandbox, name: str):
    headers = {
        "Host": name.format(port=sandbox.address.rsplit(":", 1)[1]),
        "Authorization": f"Bot {sandbox.token}",
    }
    async with aiohttp.ClientSession(headers=headers) as session:
        for path in ("/", "/sandbox/state", "/api/v10/users/@me"):
            async with session.get(sandbox.address + path) as response:
                assert response.status == 200, path
        async with session.ws_connect(sandbox.gateway_url) as socket:
            assert (await socket.receive_json())["op"] == 10


async def test_a_sandbox_on_another_loopback_address_is_asked_for_by_that():
    async with (
        running_sandbox(host="127.0.0.2") as sandbox,
        aiohttp.ClientSession() as session,
        session.get(sandbox.address) as response,
    ):
        assert response.status == 200


async def test_unknown_files_are_not_found(http: Http, sandbox: Sandbox):
    assert (await http("GET", f"{sandbox.address}/attachments/1/2/a.png")).status == 404
    assert (await http("GET", f"{sandbox.address}/attachments/1/x/a.png")).status == 404


def test_numbers_grow_even_when_time_stands_still_or_goes_back():
    clock = ManualClock()
    maker = SnowflakeMaker(clock)

    first, second = maker.next(), maker.next()
    clock.advance(-100)
    third = maker.next()

    assert snowflake_at(clock() + 100) == first < second < third


def test_a_number_tells_its_time():
    assert snowflake_at(1420070400.0) == 0
    assert snowflake_at(1462015105.796) >> 22 == 175928847299117063 >> 22


def test_an_unknown_compression_is_refused():
    assert make_compressor(None) is None
    with pytest.raises(ValueError, match="brotli"):
        make_compressor("brotli")
