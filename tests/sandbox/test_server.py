"""The process: addresses, the command line, the numbers it hands out."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import aiohttp
import pytest

from deploy.sandbox import AddressError, Sandbox, World, running_sandbox
from deploy.sandbox.compression import make_compressor
from deploy.sandbox.snowflake import SnowflakeMaker, seconds_of, snowflake_at
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


async def test_unknown_files_are_not_found(http: Http, sandbox: Sandbox):
    assert (await http("GET", f"{sandbox.address}/attachments/1/2/a.png")).status == 404
    assert (await http("GET", f"{sandbox.address}/attachments/1/x/a.png")).status == 404


def test_numbers_grow_even_when_time_stands_still_or_goes_back():
    clock = ManualClock()
    maker = SnowflakeMaker(clock)

    first, second = maker.next(), maker.next()
    clock.advance(-100)
    third = maker.next()

    assert first < second < third
    assert seconds_of(first) == clock() + 100


def test_a_number_tells_its_time():
    assert snowflake_at(1420070400.0) == 0
    assert seconds_of(175928847299117063) == pytest.approx(1462015105.796)


def test_an_unknown_compression_is_refused():
    assert make_compressor(None) is None
    with pytest.raises(ValueError, match="brotli"):
        make_compressor("brotli")
