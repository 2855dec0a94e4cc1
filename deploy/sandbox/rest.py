"""The core of the REST interface: how requests are read, routed and refused."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from aiohttp import BodyPartReader, web

from .components import tidy_name
from .errors import ApiError, bad_form, known, refusal
from .model import JSON, Channel, Guild, Message, Upload
from .traffic import LoggedFile, LoggedRequest

if TYPE_CHECKING:
    from .server import Sandbox
    from .world import World

log = logging.getLogger(__name__)

PREFIX = "/api/v10"
# More than any honest request needs: ten files of 10 MiB and their description.
MAX_BODY_BYTES = 128 * 1024 * 1024


@dataclass(slots=True, kw_only=True)
class Call:
    """One request to the interface, read and with the checks common to all routes."""

    sandbox: Sandbox
    ids: dict[str, int]
    """Identifiers in the address, by the name that the route gives them."""
    texts: dict[str, str]
    """Other parts of the address: tokens, emoji."""
    query: dict[str, str]
    body: Any = None
    uploads: list[Upload] = field(default_factory=list)

    @property
    def world(self) -> World:
        """The world that the request reads or changes."""
        return self.sandbox.world

    @property
    def form(self) -> JSON:
        """The body, which must be an object; anything else is refused with 50035."""
        if self.body is None:
            return {}
        if not isinstance(self.body, dict):
            raise bad_form((), "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
        return self.body

    def flag(self, name: str) -> bool:
        """Return whether a flag in the query is set."""
        return self.query.get(name, "").lower() in ("1", "true")

    def guild(self) -> Guild:
        """Return the guild in the address, or refuse with 10004 or 50001."""
        guild = known(self.world.guilds.get(self.ids["guild_id"]), 10004)
        if self.world.bot_id not in guild.members:
            raise refusal(50001)
        return guild

    def channel(self, needed: int = 0) -> Channel:
        """Return the channel in the address, or refuse where the bot lacks a permission."""
        channel = self.world.channel(self.ids["channel_id"])
        self.world.require_bot(channel, needed)
        return channel

    def thread(self) -> Channel:
        """Return the thread in the address, or refuse with 50024 for other channels."""
        thread = self.channel()
        if not thread.is_thread:
            raise refusal(50024)
        return thread

    def message(self, needed: int = 0) -> Message:
        """Return the message in the address, or refuse as for its channel.

        Ephemeral messages exist only for interactions and their webhooks.
        """
        message = self.world.message(self.channel(needed).id, self.ids["message_id"])
        if message.visible_to is not None:
            raise refusal(10008)
        return message


Result = JSON | list[JSON] | None
Handler = Callable[[Call], Result]


@dataclass(slots=True, frozen=True)
class Route:
    """One route and the handler that answers it; without a result the status is 204."""

    method: str
    template: str
    handler: Handler
    needs_token: bool = True
    status: int = 200


def json_answer(status: int, body: Any, headers: dict[str, str] | None = None) -> web.Response:
    """Return an answer whose type is exactly application/json: libraries compare it literally."""
    kind, data = "application/json", json.dumps(body).encode()
    return web.Response(status=status, body=data, content_type=kind, headers=headers)


def add_routes(app: web.Application, sandbox: Sandbox, routes: Iterable[Route]) -> None:
    """Serve `routes` below the interface's prefix, and refuse everything else there."""
    for route in routes:
        # Identifiers are digits: "@original" and "@me" are routes of their own.
        path = PREFIX + re.sub(r"{(\w+_id)}", r"{\1:[0-9]+}", route.template)
        app.router.add_route(route.method, path, partial(_serve, sandbox, route))

    async def unknown(request: web.Request) -> web.Response:
        log.warning("the bot asked for %s %s, which is not there", request.method, request.path)
        return json_answer(404, {"message": "404: Not Found", "code": 0})

    app.router.add_route("*", PREFIX + "/{rest:.*}", unknown)


async def _serve(sandbox: Sandbox, route: Route, request: web.Request) -> web.StreamResponse:
    path = request.path.removeprefix(PREFIX)
    query = dict(request.query)
    entry = LoggedRequest(method=route.method, route=route.template, path=path, query=query)
    sandbox.requests.append(entry)
    headers: dict[str, str] = {}
    try:
        body, uploads = await _read(request)
        entry.body = body
        entry.files = [LoggedFile(filename=x.filename, size=len(x.data)) for x in uploads]
        sandbox.rate_limits.require_not_banned()
        lost = await sandbox.faults.apply(entry)
        token = request.headers.get("Authorization")
        if route.needs_token and token != f"Bot {sandbox.token}":
            raise ApiError(401, 0, "401: Unauthorized")
        keys = ("channel_id", "guild_id", "webhook_id", "token")
        major = ":".join(request.match_info.get(key, "") for key in keys)
        headers = sandbox.rate_limits.count(route.method, route.template, major)
        result = route.handler(_call(sandbox, request, body, uploads))
        if lost is not None:
            raise lost
    except ApiError as error:
        entry.status, entry.answer = error.status, error.body
        sandbox.rate_limits.count_answer(error.status)
        log.debug("refused %s %s: %s", route.method, path, error.body)
        return json_answer(error.status, error.body, headers | error.headers)
    except Exception as error:
        if isinstance(error, ConnectionError) or request.transport is None:
            # The bot disconnected in the middle of its request, or is to believe that we did.
            if request.transport is not None:
                request.transport.abort()
            return web.Response(status=500)  # nobody hears it
        log.exception("the sandbox failed at %s %s", route.method, path)
        entry.status = 500
        return json_answer(500, {"message": "500: Internal Server Error", "code": 0})
    entry.answer = result
    if result is None:
        entry.status = 204
        return web.Response(status=204, headers=headers)
    entry.status = route.status
    return json_answer(route.status, result, headers)


def _call(sandbox: Sandbox, request: web.Request, body: Any, uploads: list[Upload]) -> Call:
    parts = request.match_info
    return Call(
        sandbox=sandbox,
        ids={key: int(value) for key, value in parts.items() if key.endswith("_id")},
        texts={key: value for key, value in parts.items() if not key.endswith("_id")},
        query=dict(request.query),
        body=body,
        uploads=uploads,
    )


async def _read(request: web.Request) -> tuple[Any, list[Upload]]:
    """Read the body, JSON alone or with files; 50109 if it is broken, 40005 if too large."""
    try:
        if request.content_type.startswith("multipart/"):
            return await _read_multipart(request)
        text = await request.read()
    except web.HTTPRequestEntityTooLarge:
        raise refusal(40005) from None
    return (_parse(text) if text else None), []


async def _read_multipart(request: web.Request) -> tuple[Any, list[Upload]]:
    body: Any = None
    uploads: list[Upload] = []
    size = 0
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader):
            continue
        data = bytes(await part.read(decode=True))
        size += len(data)
        if size > MAX_BODY_BYTES:
            raise refusal(40005)
        if part.name == "payload_json":
            body = _parse(data)
        elif part.filename is not None:
            name, filename = part.name or "files[0]", tidy_name(part.filename)
            uploads.append(Upload(field=name, filename=filename, data=data))
    return body, uploads


def _parse(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise refusal(50109) from None
