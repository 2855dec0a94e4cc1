"""The web page's own routes: its files, what it shows, what its users do, live news.

Everything a window does names its user; there is no password, which is why the sandbox
listens on the loopback interface only, and why requests that a page from elsewhere
could make are refused here.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from weakref import WeakSet

from aiohttp import WSCloseCode, WSMsgType, web

from .errors import NoAnswerError
from .events import Subscription
from .interaction import Interaction
from .locales import LOCALES
from .model import JSON, User
from .page_base import (
    BadRequestError,
    Shown,
    Visitors,
    guarded,
    identifier,
    mapping,
    read_body,
    with_files,
)
from .page_company import CompanyRoutes, as_seen_by
from .page_unread import Unread
from .payloads import user_json

PAGE_FILES = Path(__file__).parent / "page"
MOST_MESSAGES = 200

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


def add_page(app: web.Application, sandbox: Shown) -> None:
    """Add the page and its routes, / and /sandbox/..., to `app`."""
    page, company = _Page(sandbox), CompanyRoutes(sandbox)
    app.router.add_get("/", page.index)
    app.router.add_get("/sandbox/page/{path:.+}", page.file)
    app.router.add_get("/sandbox/state", guarded(page.state))
    app.router.add_get("/sandbox/channel", guarded(page.channel))
    app.router.add_get("/sandbox/requests", guarded(page.requests))
    app.router.add_get("/sandbox/live", guarded(page.live))
    for routes in (page, company):
        for name in routes.ACTIONS:
            app.router.add_post(f"/sandbox/{name}", guarded(getattr(routes, name)))
    app.on_shutdown.append(page.close)


class _Page(Visitors):
    """The window itself, and what its user does with the bot."""

    ACTIONS = (
        *("say", "slash", "autocomplete", "menu", "press", "select", "modal"),
        *("dismiss", "direct", "read"),
    )

    def __init__(self, sandbox: Shown) -> None:
        super().__init__(sandbox)
        self._unread = Unread(sandbox.world)
        self._sockets: WeakSet[web.WebSocketResponse] = WeakSet()

    async def requests(self, _request: web.Request) -> web.Response:
        """Return the bot's last requests, oldest first: what it sent, and with which status."""
        logged = [
            {"method": each.method, "path": each.path, "status": each.status, "body": each.body}
            for each in self._sandbox.requests
        ]
        return web.json_response(logged)

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
            "me": _person_json(me),
            "users": [_person_json(user) for user in world.people],
            "locales": LOCALES,
            "unread": self._unread.json,
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
        shown = world.visible_messages(me.id, channel.id)[-MOST_MESSAGES:]
        there = world.messages[channel.id]
        body: JSON = {
            "messages": [as_seen_by(me.id, each, there.get(int(each["id"]))) for each in shown],
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
            self._unread.windows.append(subscription)
            # From here on nothing is missed: the window loads its state now.
            await socket.send_json({"kind": "ready", "data": {}})
            sender = asyncio.create_task(self._forward(subscription, socket))
            try:
                async for message in socket:
                    if message.type is WSMsgType.ERROR:
                        break
            finally:
                sender.cancel()
                self._unread.windows.remove(subscription)
        return socket

    async def _forward(self, subscription: Subscription, socket: web.WebSocketResponse) -> None:
        while not socket.closed:
            event = await subscription.next()
            data = event.data
            if event.kind.startswith("message_") and "reactions" in data:
                message = self._world.find_message(int(data["id"]))
                data = as_seen_by(subscription.user_id, data, message)
            await socket.send_json({"kind": event.kind, "data": data})

    async def close(self, _: web.Application) -> None:
        """Close every window's connection, so that the server can stop at once."""
        for socket in list(self._sockets):
            await socket.close(code=WSCloseCode.GOING_AWAY, message=b"The sandbox stops")

    # What its users do

    async def say(self, request: web.Request) -> web.StreamResponse:
        """Send a message."""
        body = await read_body(request)
        message = await self._world.say(*self._place(body), str(body.get("content", "")))
        return web.json_response({"id": str(message.id)})

    async def slash(self, request: web.Request) -> web.StreamResponse:
        """Use a slash command."""
        body = await read_body(request)
        name = str(body.get("command", ""))
        options = with_files(mapping(body, "options"))
        return await self._outcome(await self._world.slash(*self._place(body), name, options))

    async def autocomplete(self, request: web.Request) -> web.StreamResponse:
        """Ask the bot for suggestions."""
        body = await read_body(request)
        name, options = str(body.get("command", "")), mapping(body, "options")
        focused = str(body.get("focused", ""))
        place = self._place(body)
        choices = await self._world.autocomplete(*place, name, options, focused)
        return web.json_response({"choices": choices})

    async def menu(self, request: web.Request) -> web.StreamResponse:
        """Use a command of a message's context menu, or of a person's."""
        body = await read_body(request)
        me, channel_id = self._place(body)
        name = str(body.get("command", ""))
        if body.get("message"):
            used = self._world.use_on_message(me, name, identifier(body, "message"))
        else:
            used = self._world.use_on_user(me, channel_id, name, identifier(body, "target"))
        return await self._outcome(await used)

    async def press(self, request: web.Request) -> web.StreamResponse:
        """Press a button."""
        body = await read_body(request)
        me, message = self._user(body.get("user")), identifier(body, "message")
        return await self._outcome(
            await self._world.press(me.id, message, str(body.get("custom_id")))
        )

    async def select(self, request: web.Request) -> web.StreamResponse:
        """Choose from a select menu."""
        body = await read_body(request)
        me, message = self._user(body.get("user")), identifier(body, "message")
        values = body.get("values")
        if not isinstance(values, list):
            raise BadRequestError(f"values has to be a list, got {values!r}")
        return await self._outcome(
            await self._world.select(me.id, message, str(body.get("custom_id")), values)
        )

    async def modal(self, request: web.Request) -> web.StreamResponse:
        """Send a modal."""
        body = await read_body(request)
        me = self._user(body.get("user"))
        opener = self._world.interactions.get(identifier(body, "interaction"))
        if opener is None:
            raise BadRequestError("that dialog is no longer open")
        values = with_files(mapping(body, "values"))
        return await self._outcome(await self._world.submit_modal(me.id, opener, values))

    async def dismiss(self, request: web.Request) -> web.StreamResponse:
        """Close an ephemeral message."""
        body = await read_body(request)
        await self._world.dismiss(self._user(body.get("user")).id, identifier(body, "message"))
        return web.json_response({})

    async def direct(self, request: web.Request) -> web.StreamResponse:
        """Open the conversation with the bot, or with another person."""
        body = await read_body(request)
        me = self._user(body.get("user"))
        if body.get("with"):
            channel = self._world.open_direct_with(me.id, self._user(body["with"]).id)
        else:
            channel = await self._world.open_direct(me.id)
        return web.json_response({"id": str(channel.id)})

    async def read(self, request: web.Request) -> web.StreamResponse:
        """Note that a channel has been looked at."""
        self._unread.read(*self._place(await read_body(request)))
        return web.json_response({})

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


def _person_json(user: User) -> JSON:
    return user_json(user) | {
        "locale": user.locale,
        "has_installed": user.has_installed,
        "accepts_direct_messages": user.accepts_direct_messages,
    }


def _file(path: Path) -> web.StreamResponse:
    headers = {
        # Never stale: whoever works on the page sees what is on disk.
        "Cache-Control": "no-cache",
        "Content-Security-Policy": _POLICY,
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
    return web.FileResponse(path, headers=headers)
