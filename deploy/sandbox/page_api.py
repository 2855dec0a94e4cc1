"""The web page's own routes: its files, what it shows, what its users do, live events.

Every request of a window names its user. There is no password, which is why the sandbox
listens on the loopback interface only and refuses requests that a page from elsewhere
could make.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from inspect import isawaitable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from weakref import WeakSet

from aiohttp import WSCloseCode, web
from aiohttp.typedefs import Handler

from .components import tidy_name
from .errors import NoAnswerError, SandboxError
from .interactions import Interaction
from .intro import PICTURE_PATH
from .model import JSON, LOCALES, Channel, ChannelKind, Guild, Message, MessageFlag, Upload, User
from .news import Event, Subscription
from .payloads import user_json
from .people import People
from .world import World

if TYPE_CHECKING:
    from .server import Sandbox

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

_HEADERS = {
    # Never stale: a developer of the page sees what is on disk.
    "Cache-Control": "no-cache",
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class BadRequestError(SandboxError):
    """The page sent an invalid request."""


def add_page(app: web.Application, sandbox: Sandbox) -> None:
    """Add the page and its routes, / and /sandbox/..., to `app`."""
    page = _Page(sandbox)
    app.router.add_get("/", page.index)
    app.router.add_get("/sandbox/page/{path:.+}", page.file)
    app.router.add_get(PICTURE_PATH, page.intro_picture)
    for shown in (page.state, page.channel, page.live, page.requests):
        app.router.add_get(f"/sandbox/{shown.__name__}", partial(_guarded, shown))
    app.router.add_post("/sandbox/read", partial(_guarded, page.read))
    for name, act in _ACTIONS.items():
        action = partial(_act, sandbox, act)
        app.router.add_post(f"/sandbox/{name}", partial(_guarded, action))
    app.on_shutdown.append(page.close)


async def _guarded(handler: Handler, request: web.Request) -> web.StreamResponse:
    """Refuse requests from other sites, and turn errors into messages for the page."""
    origin = request.headers.get("Origin")
    is_foreign = origin is not None and urlsplit(origin).netloc != request.host
    # A form on another site cannot send JSON without asking first.
    if is_foreign or (request.method == "POST" and request.content_type != "application/json"):
        return web.json_response({"message": "Only this page may do that."}, status=403)
    try:
        return await handler(request)
    except SandboxError as error:
        text = f"{str(error)[:1].upper()}{str(error)[1:]}."
        return web.json_response({"message": text}, status=400)


def _number(given: Any, key: str) -> int:
    """Return `given`, which the page calls `key`, as a number."""
    try:
        return int(given)
    except (TypeError, ValueError):
        raise BadRequestError(f"{key} has to be an id, got {given!r}") from None


def _user(world: World, given: Any) -> User:
    """Return the person with this id or name, the first person if none is given."""
    if given in (None, ""):
        return world.people[0]
    for user in world.people:
        if str(given) == str(user.id) or str(given).lower() == user.username:
            return user
    raise BadRequestError(f"nobody here is called {given!r}")


class _Page:
    """The window itself: its files, what it shows, live events."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._world = sandbox.world
        self._people = sandbox.people
        self._unread = _Unread(sandbox.world)
        self._sockets: WeakSet[web.WebSocketResponse] = WeakSet()

    async def index(self, _: web.Request) -> web.StreamResponse:
        return web.FileResponse(PAGE_FILES / "index.html", headers=_HEADERS)

    async def file(self, request: web.Request) -> web.StreamResponse:
        path = (PAGE_FILES / request.match_info["path"]).resolve()
        if not path.is_relative_to(PAGE_FILES) or not path.is_file():
            raise web.HTTPNotFound
        return web.FileResponse(path, headers=_HEADERS)

    async def intro_picture(self, _: web.Request) -> web.StreamResponse:
        intro = self._sandbox.intro
        if intro is None:
            raise web.HTTPNotFound
        return web.Response(body=intro.picture, content_type="image/png", headers=_HEADERS)

    async def requests(self, _request: web.Request) -> web.Response:
        """Return the bot's last requests, oldest first: what it sent, and with which status."""
        keys, logged = ("method", "path", "status", "body"), self._sandbox.requests
        return web.json_response([{key: getattr(each, key) for key in keys} for each in logged])

    async def state(self, request: web.Request) -> web.StreamResponse:
        """Return the people, the one who asks, and the channels they see."""
        world = self._world
        me = _user(world, request.query.get("user"))
        channels = self._people.channels_for(me.id)
        intro = self._sandbox.intro
        body: JSON = {
            "intro": None if intro is None else intro.json,
            "me": _person_json(me),
            "users": [_person_json(user) for user in world.people],
            "locales": LOCALES,
            "unread": self._unread.json,
            "bot": user_json(world.bot) | {"online": world.bot_online},
            "channels": [channel | self._guild_part(channel) for channel in channels],
        }
        return web.json_response(body)

    def _guild_part(self, channel: JSON) -> JSON:
        if "guild_id" not in channel:
            return {}
        guild = self._world.guilds[int(channel["guild_id"])]
        return {"guild_name": guild.name, "has_bot": self._world.bot_id in guild.members}

    async def channel(self, request: web.Request) -> web.StreamResponse:
        """Return what a user sees in a channel: its newest messages and usable commands."""
        world, given = self._world, request.query.get("channel")
        me = _user(world, request.query.get("user"))
        channel = world.channels.get(_number(given, "channel"))
        if channel is None:
            raise BadRequestError(f"there is no channel {given!r}")
        guild = world.guild_of(channel)
        roles = [] if guild is None else list(guild.roles.values())
        shown = self._people.visible_messages(me.id, channel.id)[-MOST_MESSAGES:]
        there = world.messages[channel.id]
        body: JSON = {
            "messages": [_as_seen_by(me.id, each, there.get(int(each["id"]))) for each in shown],
            "commands": self._people.commands_for(me.id, channel.id),
            "roles": [
                {"id": str(role.id), "name": role.name, "mine": me.id in _members(guild, role.id)}
                for role in roles
            ],
        }
        return web.json_response(body)

    async def read(self, request: web.Request) -> web.StreamResponse:
        self._unread.read(*(await _asked(self._sandbox, request)).place)
        return web.json_response({})

    async def live(self, request: web.Request) -> web.StreamResponse:
        """Send a user's events until the window closes."""
        me = _user(self._world, request.query.get("user"))
        # A window that hangs delays the end of the sandbox by `timeout` at most.
        socket = web.WebSocketResponse(heartbeat=20.0, timeout=1.0)
        await socket.prepare(request)
        self._sockets.add(socket)
        with self._world.news.subscribe(me.id) as subscription:
            self._unread.windows.append(subscription)
            # From here on nothing is missed: the window loads its state now.
            await socket.send_json({"kind": "ready", "data": {}})
            sender = asyncio.create_task(self._forward(subscription, socket))
            try:
                async for _ in socket:  # it says nothing; this ends when it closes
                    pass
            finally:
                sender.cancel()
                self._unread.windows.remove(subscription)
        return socket

    async def _forward(self, subscription: Subscription, socket: web.WebSocketResponse) -> None:
        while not socket.closed:
            event = await subscription.queue.get()
            data = event.data
            if event.kind.startswith("message_") and "reactions" in data:
                message = self._world.find_message(int(data["id"]))
                data = _as_seen_by(subscription.user_id, data, message)
            await socket.send_json({"kind": event.kind, "data": data})

    async def close(self, _: web.Application) -> None:
        """Close every window's connection, so that the server can stop at once."""
        for socket in list(self._sockets):
            await socket.close(code=WSCloseCode.GOING_AWAY, message=b"The sandbox stops")


@dataclass(frozen=True, slots=True)
class _Asked:
    """One request of the page: who asks, and about what."""

    _sandbox: Sandbox
    body: JSON

    def __contains__(self, key: str) -> bool:
        return bool(self.body.get(key))

    @property
    def me(self) -> int:
        return self.user("user")

    @property
    def place(self) -> tuple[int, int]:
        """Who asks, and about which channel."""
        return self.me, self.id("channel")

    @property
    def command(self) -> tuple[int, int, str, JSON]:
        """A place, and a slash command with its options."""
        return *self.place, self.text("command"), self.entries("options")

    @property
    def part(self) -> tuple[int, int, str]:
        """Who asks, and the component of a message."""
        return self.me, self.id("message"), str(self.body.get("custom_id"))

    @property
    def values(self) -> list[Any]:
        values = self.body.get("values")
        if not isinstance(values, list):
            raise BadRequestError(f"values has to be a list, got {values!r}")
        return values

    @property
    def opener(self) -> Interaction:
        """The interaction that opened the dialog."""
        opener = self._sandbox.interactions.find(self.id("interaction"))
        if opener is None:
            raise BadRequestError("that dialog is no longer open")
        return opener

    @property
    def settings(self) -> JSON:
        """What a person changes in their own settings."""
        there = {"has_installed", "accepts_direct_messages"} & self.body.keys()
        locale = self.text("locale") if "locale" in self.body else None
        return {key: bool(self.body[key]) for key in there} | {"locale": locale}

    def user(self, key: str) -> int:
        """Return the id of a person, by id or name."""
        return _user(self._sandbox.world, self.body.get(key)).id

    def id(self, key: str) -> int:
        return _number(self.body.get(key), key)

    def text(self, key: str) -> str:
        """Return a text, empty where there is none."""
        return str(self.body.get(key, ""))

    def entries(self, key: str) -> JSON:
        """Return what was entered, with uploads in place of {"file", "data"} objects."""
        values = self.body.get(key) or {}
        if not isinstance(values, dict):
            raise BadRequestError(f"{key} has to be an object, got {values!r}")
        return {
            key: [_upload(each) for each in value] if isinstance(value, list) else _upload(value)
            for key, value in values.items()
        }


def _upload(value: Any) -> Any:
    if not (isinstance(value, dict) and "file" in value):
        return value
    try:
        data = base64.b64decode(str(value.get("data", "")), validate=True)
    except binascii.Error:
        raise BadRequestError(f"the file {value['file']!r} is not base64") from None
    return Upload(field="file", filename=tidy_name(str(value["file"])), data=data)


Action = Callable[[People, _Asked], Any]

_ACTIONS: dict[str, Action] = {
    "say": lambda people, asked: people.say(*asked.place, asked.text("content")),
    "slash": lambda people, asked: people.slash(*asked.command),
    "autocomplete": lambda people, asked: people.autocomplete(
        *asked.command, asked.text("focused")
    ),
    "menu": lambda people, asked: (
        people.use_on_message(asked.me, asked.text("command"), asked.id("message"))
        if "message" in asked
        else people.use_on_user(*asked.place, asked.text("command"), asked.id("target"))
    ),
    "press": lambda people, asked: people.press(*asked.part),
    "select": lambda people, asked: people.select(*asked.part, asked.values),
    "modal": lambda people, asked: people.submit_modal(
        asked.me, asked.opener, asked.entries("values")
    ),
    "dismiss": lambda people, asked: people.dismiss(asked.me, asked.id("message")),
    "direct": lambda people, asked: (
        people.open_direct_with(asked.me, asked.user("with"))
        if "with" in asked
        else people.open_direct(asked.me)
    ),
    "react": lambda people, asked: people.toggle_reaction(
        asked.me, asked.id("message"), asked.text("emoji")
    ),
    "thread": lambda people, asked: people.start_thread(
        *asked.place, asked.text("name"), asked.id("message") if "message" in asked else None
    ),
    "archive": lambda people, asked: people.set_archived(
        *asked.place, archived=bool(asked.body.get("archived"))
    ),
    "person": lambda people, asked: people.set_person(asked.me, **asked.settings),
}
"""The actions of a window's user, by the names of their routes."""


async def _act(sandbox: Sandbox, act: Action, request: web.Request) -> web.StreamResponse:
    """Let a window's user do something, and return what came of it."""
    done = act(sandbox.people, await _asked(sandbox, request))
    if isawaitable(done):
        done = await done
    if isinstance(done, Interaction):
        body = await _outcome(done, sandbox.world.limits.answer_seconds)
    elif isinstance(done, Message | Channel):
        body = {"id": str(done.id)}
    elif isinstance(done, list):
        body = {"choices": done}
    else:
        body = {} if done is None else {"there": done}
    return web.json_response(body)


async def _asked(sandbox: Sandbox, request: web.Request) -> _Asked:
    try:
        body = await request.json()
    except ValueError:
        raise BadRequestError("the request is not JSON") from None
    if not isinstance(body, dict):
        raise BadRequestError(f"the request has to be an object, got {body!r}")
    return _Asked(sandbox, body)


async def _outcome(interaction: Interaction, answer_seconds: float) -> JSON:
    """Wait for the bot's first answer and return what came of it."""
    # The world's own deadline comes first; this one matters only while the world is closing.
    try:
        await asyncio.wait_for(interaction.wait(), answer_seconds + 5.0)
    except (NoAnswerError, TimeoutError):
        return {"state": "failed"}
    body: JSON = {"state": interaction.state.value, "interaction": str(interaction.id)}
    return body if interaction.modal is None else body | {"modal": interaction.modal}


class _Unread:
    """Counts unread messages and pings, by person and channel, and tells open windows.

    They are counted here and not in the page, so that a reload misses none. Everything said
    before the sandbox started counts as read.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._counts: dict[int, dict[int, list[int]]] = {}
        self.windows: list[Subscription] = []
        world.news.watchers.append(self._heard)

    @property
    def json(self) -> JSON:
        """The counts as {person: {channel: {"count", "pings"}}}, without zeros."""
        return {
            str(user_id): {
                str(channel_id): {"count": count, "pings": pings}
                for channel_id, (count, pings) in channels.items()
            }
            for user_id, channels in self._counts.items()
            if channels
        }

    def read(self, user_id: int, channel_id: int) -> None:
        """Note that a person has read a channel to its end."""
        if self._counts.get(user_id, {}).pop(channel_id, None) is not None:
            self._tell()

    def _heard(self, event: Event) -> None:
        if event.kind == "channel_delete":
            for channels in self._counts.values():
                channels.pop(int(event.data["id"]), None)
        if event.kind != "message_create" or event.data["flags"] & MessageFlag.EPHEMERAL:
            return
        world, message = self._world, event.data
        channel = world.channels[int(message["channel_id"])]
        named = {int(each["id"]) for each in message["mentions"]}
        for role in message["mention_roles"]:
            named |= _members(world.guild_of(channel), int(role))
        for user in world.people:
            if str(user.id) != message["author"]["id"] and world.can_see(user.id, channel):
                counts = self._counts.setdefault(user.id, {}).setdefault(channel.id, [0, 0])
                counts[0] += 1
                # A direct message always counts as a ping.
                counts[1] += user.id in named or channel.kind is ChannelKind.DM
        self._tell()

    def _tell(self) -> None:
        event = Event(kind="unread", data=self.json)
        for window in self.windows:
            window.queue.put_nowait(event)


def _members(guild: Guild | None, role_id: int) -> set[int]:
    there = [] if guild is None else guild.members.values()
    return {each.user_id for each in there if role_id in each.role_ids}


def _person_json(user: User) -> JSON:
    return user_json(user) | {
        "locale": user.locale,
        "has_installed": user.has_installed,
        "accepts_direct_messages": user.accepts_direct_messages,
    }


def _as_seen_by(user_id: int, body: JSON, message: Message | None) -> JSON:
    """Return a message's JSON with a person's own reactions marked as theirs.

    Discord's JSON marks the reactions of the one who asks, which otherwise is the bot.
    """
    if message is None or "reactions" not in body:
        return body
    return body | {
        "reactions": [
            each | {"me": user_id in message.reactions.get(each["emoji"]["name"], [])}
            for each in body["reactions"]
        ]
    }
