"""The server: REST, gateway, attachments and the page, on a loopback address."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import mimetypes
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler

from . import rest_application, rest_channels
from .errors import SandboxError
from .gateway import Gateway
from .interactions import Interactions
from .intro import Intro
from .messages import Channels, Messages
from .page_api import add_page
from .people import People
from .rest import MAX_BODY_BYTES, add_routes
from .traffic import Faults, RateLimits, RequestLog
from .world import World

log = logging.getLogger(__name__)

_SAVE_EVERY_SECONDS = 2.0
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")
_HTTP_PORT = 80


class AddressError(SandboxError):
    """The sandbox was asked to listen where others could reach it, or could not listen."""


class Sandbox:
    """A running stand-in: its world, the parts that act on it, and what tests may do to it."""

    def __init__(self, world: World, *, intro: Intro | None = None) -> None:
        self.world = world
        self.token = "sandbox-token"  # noqa: S105 - opens nothing but this sandbox
        self.intro = intro
        """What the page shows to newcomers; only the commands if None."""
        self.channels = Channels(world)
        self.messages = Messages(world, self.channels)
        self.interactions = Interactions(world, self.messages)
        self.people = People(world, self.channels, self.messages, self.interactions)
        self.requests = RequestLog()
        self.faults = Faults()
        self.rate_limits = RateLimits()
        self.gateway = Gateway(world, self.token)
        self.address = ""

    @property
    def api_base(self) -> str:
        """Where the REST interface is, for discord.py's Route.BASE."""
        return f"{self.address}/api/v10"

    @property
    def gateway_url(self) -> str:
        """Where the gateway is, for discord.py's DEFAULT_GATEWAY."""
        return self.address.replace("http", "ws", 1) + "/gateway"

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables that point the bot's process here."""
        return {
            "DISCORD_TOKEN": self.token,
            "DISCORD_API_BASE": self.api_base,
            "DISCORD_GATEWAY_URL": self.gateway_url,
        }


@asynccontextmanager
async def running_sandbox(
    port: int = 0,
    *,
    host: str = "127.0.0.1",
    world: World | None = None,
    state: Path | None = None,
    intro: Intro | None = None,
) -> AsyncIterator[Sandbox]:
    """Serve a sandbox until the block ends.

    Args:
        port: 0 for any free one.
        host: A loopback address.
        world: The world to serve; the default one if neither this nor `state` is given.
        state: A directory in which the world is kept between runs.
        intro: What the page shows to newcomers.

    Raises:
        AddressError: If `host` is not a loopback address or the port is taken.
        SnapshotError: If the kept world cannot be read.
    """
    _require_loopback(host)
    if world is None:
        world = World.default() if state is None else World.load(state)
    sandbox = Sandbox(world, intro=intro)
    runner = web.AppRunner(make_app(sandbox), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await _listen(sandbox, runner, host, port)
        async with _kept(world, state):
            yield sandbox
    finally:
        sandbox.faults.clear()
        sandbox.interactions.stop_timers()
        await sandbox.gateway.close()
        await runner.cleanup()


def make_app(sandbox: Sandbox) -> web.Application:
    """Return the web application that serves `sandbox`."""
    only_by_our_name = web.middleware(partial(_only_by_our_name, sandbox))
    app = web.Application(
        client_max_size=MAX_BODY_BYTES, middlewares=[only_by_our_name, _no_browsers]
    )
    for path in ("/gateway", "/gateway/"):
        app.router.add_get(path, sandbox.gateway.handle)
    path = "/attachments/{channel_id}/{attachment_id}/{name}"
    app.router.add_get(path, partial(_attachment, sandbox.world))
    add_routes(app, sandbox, [*rest_application.ROUTES, *rest_channels.ROUTES])
    add_page(app, sandbox)
    return app


async def _only_by_our_name(
    sandbox: Sandbox, request: web.Request, handler: Handler
) -> web.StreamResponse:
    """Refuse requests to a host that is not one of this machine's own names with our port.

    A page from elsewhere can make its own host name point at this machine: its requests
    then carry no foreign origin, but still that name.
    """
    own = urlsplit(sandbox.address)
    try:
        asked = urlsplit(f"//{request.host}")
        ports = asked.port or _HTTP_PORT, own.port or _HTTP_PORT
        is_ours = asked.hostname in {*_LOOPBACK_NAMES, own.hostname} and ports[0] == ports[1]
    except ValueError:  # an impossible name or port
        is_ours = False
    if not is_ours:
        raise web.HTTPForbidden(text=f"This is {sandbox.address}: ask for it by that name.")
    return await handler(request)


@web.middleware
async def _no_browsers(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse requests from web pages at the addresses for bots.

    The token is known to everybody, so a page from elsewhere, open in a browser on this
    machine, could otherwise act as the bot. Browsers send a page's origin; bots do not.
    """
    is_bots = request.path.startswith(("/api/", "/gateway"))
    if is_bots and "Origin" in request.headers:
        raise web.HTTPForbidden(text="The interface for bots is not for web pages.")
    return await handler(request)


async def _attachment(world: World, request: web.Request) -> web.Response:
    """Serve the bytes of an attachment; those of deleted messages are gone."""
    identifier = request.match_info["attachment_id"]
    data = world.files.get(int(identifier)) if identifier.isdigit() else None
    if data is None:
        raise web.HTTPNotFound(text="This content is no longer available.")
    kind = mimetypes.guess_type(request.match_info["name"])[0] or "application/octet-stream"
    headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "private, max-age=3600"}
    # Nothing that a bot uploads may run as a page of the sandbox's own address.
    if "svg" in kind or not kind.startswith(("image/", "video/", "audio/")):
        headers["Content-Disposition"] = "attachment"
    return web.Response(body=data, content_type=kind, headers=headers)


def _require_loopback(host: str) -> None:
    try:
        is_loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback:
        only = "the sandbox has no passwords and listens on loopback only"
        raise AddressError(f"{only}, not on {host!r}; use 127.0.0.1")


async def _listen(sandbox: Sandbox, runner: web.AppRunner, host: str, port: int) -> None:
    site = web.TCPSite(runner, host, port)
    try:
        await site.start()
    except OSError as error:
        raise AddressError(f"cannot listen on {host} port {port}: {error.strerror}") from error
    bound = runner.addresses[0][1]
    shown = f"[{host}]" if ":" in host else host
    sandbox.address = f"http://{shown}:{bound}"
    sandbox.world.address = sandbox.address


@asynccontextmanager
async def _kept(world: World, state: Path | None) -> AsyncIterator[None]:
    """Write the world to `state` while the block runs, and once more at its end."""
    if state is None:
        yield
        return
    saver = asyncio.create_task(_save_regularly(world, state))
    try:
        yield
    finally:
        saver.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await saver
        world.save(state)


async def _save_regularly(world: World, state: Path) -> None:
    while True:
        await asyncio.sleep(_SAVE_EVERY_SECONDS)
        if world.changed:
            world.changed = False
            world.save(state)
