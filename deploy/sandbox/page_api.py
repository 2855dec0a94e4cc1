"""The web page's own routes: its files, what it shows, what its users do, live news.

Everything a window does names its user; there is no password, which is why the sandbox
listens on the loopback interface only, and why requests that a page from elsewhere
could make are refused here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit
from weakref import WeakSet

from aiohttp import WSCloseCode, WSMsgType, web

from .errors import NoAnswerError, SandboxError
from .events import Subscription
from .interaction import Interaction
from .model import JSON, Channel, User
from .payloads import user_json
from .traffic import RequestLog
from .world import World

PAGE_FILES = Path(__file__).parent / "page"
MOST_MESSAGES = 200

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")

# The page loads nothing from elsewhere and runs nothing but its own files: even text
# that slipped through as markup could neither run nor phone home.
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self' ws://127.0.0.1:* ws://localhost:*",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)


class Shown(Protocol):
    """What the page needs of the sandbox."""

    @property
    def world(self) -> World:
        """The world that the page shows."""
        ...

    @property
    def requests(self) -> RequestLog:
        """What the bot has sent, for its developer to read."""
        ...


class BadRequestError(SandboxError):
    """The page asked in a way that nobody could understand."""


def add_page(app: web.Application, sandbox: Shown) -> None:
    """Add the page and its routes, / and /sandbox/..., to `app`."""
    page = _Page(sandbox)
    app.router.add_get("/", page.index)
    app.router.add_get("/sandbox/page/{path:.+}", page.file)
    app.router.add_get("/sandbox/state", _guarded(page.state))
    app.router.add_get("/sandbox/channel", _guarded(page.channel))
    app.router.add_get("/sandbox/requests", _guarded(page.requests))
    app.router.add_get("/sandbox/live", _guarded(page.live))
    actions = ("say", "slash", "autocomplete", "press", "select", "modal", "dismiss", "direct")
    for name in actions:
        app.router.add_post(f"/sandbox/{name}", _guarded(getattr(page, name)))
    app.on_shutdown.append(page.close)


def _guarded(handler: Handler) -> Handler:
    """Refuse what comes from other sites, and put refusals into words for the page."""

    async def guard(request: web.Request) -> web.StreamResponse:
        if not _is_own(request):
            return web.json_response({"message": "Only this page may do that."}, status=403)
        try:
            return await handler(request)
        except SandboxError as error:
            return web.json_response(
                {"message": f"{str(error)[:1].upper()}{str(error)[1:]}."}, status=400
            )

    return guard


def _is_own(request: web.Request) -> bool:
    # A name that was made to point at this machine is as foreign as another origin.
    if urlsplit(f"//{request.host}").hostname not in _LOOPBACK_NAMES:
        return False
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc != request.host:
        return False
    # A form on another site cannot send this type without asking first.
    return request.method != "POST" or request.content_type == "application/json"


class _Page:
    """The handlers; they translate between the page's JSON and the world."""

    def __init__(self, sandbox: Shown) -> None:
        self._sandbox = sandbox
        self._sockets: WeakSet[web.WebSocketResponse] = WeakSet()

    async def requests(self, _request: web.Request) -> web.Response:
        """Return the bot's last requests, oldest first: what it sent, and with which status."""
        logged = [
            {"method": each.method, "path": each.path, "status": each.status, "body": each.body}
            for each in self._sandbox.requests
        ]
        return web.json_response(logged)

    @property
    def _world(self) -> World:
        return self._sandbox.world

    # The page itself

    async def index(self, _: web.Request) -> web.StreamResponse:
        """Send the page."""
        return _file(PAGE_FILES / "index.html")

    async def file(self, request: web.Request) -> web.StreamResponse:
        """Send a file of the page."""
        path = (PAGE_FILES / request.match_info["path"]).resolve()
        if not path.is_relative_to(PAGE_FILES) or not path.is_file():
            raise web.HTTPNotFound
        return _file(path)

    # What it shows

    async def state(self, request: web.Request) -> web.StreamResponse:
        """Tell who there is, who asks, and which channels they see."""
        world = self._world
        me = self._user(request.query.get("user"))
        channels = [channel | self._guild_part(channel) for channel in world.channels_for(me.id)]
        body: JSON = {
            "me": user_json(me),
            "users": [user_json(user) for user in world.people],
            "bot": user_json(world.bot) | {"online": world.bot_online},
            "channels": channels,
        }
        return web.json_response(body)

    def _guild_part(self, channel: JSON) -> JSON:
        if "guild_id" not in channel:
            return {}
        guild = self._world.guilds[int(channel["guild_id"])]
        return {"guild_name": guild.name, "has_bot": self._world.bot_id in guild.members}

    async def channel(self, request: web.Request) -> web.StreamResponse:
        """Tell what a user sees in a channel: its newest messages and usable commands."""
        world = self._world
        me = self._user(request.query.get("user"))
        channel = self._channel(request.query.get("channel"))
        guild = world.guild_of(channel)
        roles = [] if guild is None else list(guild.roles.values())
        body: JSON = {
            "messages": world.visible_messages(me.id, channel.id)[-MOST_MESSAGES:],
            "commands": world.commands_for(me.id, channel.id),
            "roles": [{"id": str(role.id), "name": role.name} for role in roles],
        }
        return web.json_response(body)

    async def live(self, request: web.Request) -> web.StreamResponse:
        """Send a user's news until the window closes."""
        me = self._user(request.query.get("user"))
        # A window that hangs does not hold up the sandbox's end for longer than `timeout`.
        socket = web.WebSocketResponse(heartbeat=20.0, timeout=1.0)
        await socket.prepare(request)
        self._sockets.add(socket)
        with self._world.subscribe(me.id) as subscription:
            # From here on nothing is missed: the window loads its state now.
            await socket.send_json({"kind": "ready", "data": {}})
            sender = asyncio.create_task(_forward(subscription, socket))
            try:
                async for message in socket:
                    if message.type is WSMsgType.ERROR:
                        break
            finally:
                sender.cancel()
        return socket

    async def close(self, _: web.Application) -> None:
        """Close every window's connection, so that the server can stop at once."""
        for socket in list(self._sockets):
            await socket.close(code=WSCloseCode.GOING_AWAY, message=b"The sandbox stops")

    # What its users do

    async def say(self, request: web.Request) -> web.StreamResponse:
        """Send a message."""
        body = await _body(request)
        message = await self._world.say(*self._place(body), str(body.get("content", "")))
        return web.json_response({"id": str(message.id)})

    async def slash(self, request: web.Request) -> web.StreamResponse:
        """Use a slash command."""
        body = await _body(request)
        name, options = str(body.get("command", "")), _mapping(body, "options")
        return await self._outcome(await self._world.slash(*self._place(body), name, options))

    async def autocomplete(self, request: web.Request) -> web.StreamResponse:
        """Ask the bot for suggestions."""
        body = await _body(request)
        name, options = str(body.get("command", "")), _mapping(body, "options")
        focused = str(body.get("focused", ""))
        place = self._place(body)
        choices = await self._world.autocomplete(*place, name, options, focused)
        return web.json_response({"choices": choices})

    async def press(self, request: web.Request) -> web.StreamResponse:
        """Press a button."""
        body = await _body(request)
        me, message = self._user(body.get("user")), _identifier(body, "message")
        return await self._outcome(
            await self._world.press(me.id, message, str(body.get("custom_id")))
        )

    async def select(self, request: web.Request) -> web.StreamResponse:
        """Choose from a select menu."""
        body = await _body(request)
        me, message = self._user(body.get("user")), _identifier(body, "message")
        values = body.get("values")
        if not isinstance(values, list):
            raise BadRequestError(f"values has to be a list, got {values!r}")
        return await self._outcome(
            await self._world.select(me.id, message, str(body.get("custom_id")), values)
        )

    async def modal(self, request: web.Request) -> web.StreamResponse:
        """Send a modal."""
        body = await _body(request)
        me = self._user(body.get("user"))
        opener = self._world.interactions.get(_identifier(body, "interaction"))
        if opener is None:
            raise BadRequestError("that dialog is no longer open")
        values = _mapping(body, "values")
        return await self._outcome(await self._world.submit_modal(me.id, opener, values))

    async def dismiss(self, request: web.Request) -> web.StreamResponse:
        """Close an ephemeral message."""
        body = await _body(request)
        await self._world.dismiss(self._user(body.get("user")).id, _identifier(body, "message"))
        return web.json_response({})

    async def direct(self, request: web.Request) -> web.StreamResponse:
        """Open the conversation with the bot."""
        body = await _body(request)
        channel = await self._world.open_direct(self._user(body.get("user")).id)
        return web.json_response({"id": str(channel.id)})

    async def _outcome(self, interaction: Interaction) -> web.StreamResponse:
        """Wait for the bot's first answer and tell what came of it."""
        # The world's own deadline comes first; this one only ends a world that closes.
        patience = self._world.limits.answer_seconds + 5.0
        try:
            await asyncio.wait_for(interaction.wait(), patience)
        except (NoAnswerError, TimeoutError):
            return web.json_response({"state": "failed"})
        body: JSON = {"state": interaction.state.value, "interaction": str(interaction.id)}
        if interaction.modal is not None:
            body["modal"] = interaction.modal
        return web.json_response(body)

    # Who and where

    def _place(self, body: JSON) -> tuple[int, int]:
        return self._user(body.get("user")).id, _identifier(body, "channel")

    def _user(self, given: Any) -> User:
        """Return the person with an id or name; without one, the first person."""
        people = self._world.people
        if given in (None, ""):
            return people[0]
        for user in people:
            if str(given) == str(user.id) or str(given).lower() == user.username:
                return user
        raise BadRequestError(f"nobody here is called {given!r}")

    def _channel(self, given: Any) -> Channel:
        channel = self._world.channels.get(_number(given, "channel"))
        if channel is None:
            raise BadRequestError(f"there is no channel {given!r}")
        return channel


async def _forward(subscription: Subscription, socket: web.WebSocketResponse) -> None:
    while not socket.closed:
        event = await subscription.next()
        await socket.send_json(event.json)


def _file(path: Path) -> web.StreamResponse:
    headers = {
        # Never stale: whoever works on the page sees what is on disk.
        "Cache-Control": "no-cache",
        "Content-Security-Policy": _POLICY,
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
    return web.FileResponse(path, headers=headers)


async def _body(request: web.Request) -> JSON:
    try:
        body = await request.json()
    except ValueError:
        raise BadRequestError("the request is not JSON") from None
    if not isinstance(body, dict):
        raise BadRequestError(f"the request has to be an object, got {body!r}")
    return body


def _mapping(body: JSON, key: str) -> JSON:
    value = body.get(key) or {}
    if not isinstance(value, dict):
        raise BadRequestError(f"{key} has to be an object, got {value!r}")
    return value


def _identifier(body: JSON, key: str) -> int:
    return _number(body.get(key), key)


def _number(given: Any, key: str) -> int:
    try:
        return int(given)
    except (TypeError, ValueError):
        raise BadRequestError(f"{key} has to be an id, got {given!r}") from None
