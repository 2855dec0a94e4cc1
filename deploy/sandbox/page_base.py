"""What all routes of the page share: who asks, from where, and whether that makes sense."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Awaitable, Callable
from typing import Any, Protocol
from urllib.parse import urlsplit

from aiohttp import web

from .errors import SandboxError
from .model import JSON, Channel, Upload, User
from .storing import tidy_name
from .traffic import RequestLog
from .world import World

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


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


class Visitors:
    """The handlers of one subject; they translate between the page's JSON and the world."""

    def __init__(self, sandbox: Shown) -> None:
        self._sandbox = sandbox

    @property
    def _world(self) -> World:
        return self._sandbox.world

    def _place(self, body: JSON) -> tuple[int, int]:
        """Return who asks, and about which channel."""
        return self._user(body.get("user")).id, identifier(body, "channel")

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
        channel = self._world.channels.get(number(given, "channel"))
        if channel is None:
            raise BadRequestError(f"there is no channel {given!r}")
        return channel


def guarded(handler: Handler) -> Handler:
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
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc != request.host:
        return False
    # A form on another site cannot send this type without asking first.
    return request.method != "POST" or request.content_type == "application/json"


async def read_body(request: web.Request) -> JSON:
    """Return a request's object.

    Raises:
        BadRequestError: If it is no JSON object.
    """
    try:
        body = await request.json()
    except ValueError:
        raise BadRequestError("the request is not JSON") from None
    if not isinstance(body, dict):
        raise BadRequestError(f"the request has to be an object, got {body!r}")
    return body


def mapping(body: JSON, key: str) -> JSON:
    """Return an object inside `body`, empty where there is none.

    Raises:
        BadRequestError: If it is something else.
    """
    value = body.get(key) or {}
    if not isinstance(value, dict):
        raise BadRequestError(f"{key} has to be an object, got {value!r}")
    return value


def identifier(body: JSON, key: str) -> int:
    """Return an identifier inside `body`.

    Raises:
        BadRequestError: If it is none.
    """
    return number(body.get(key), key)


def number(given: Any, key: str) -> int:
    """Return `given`, which the page calls `key`, as a number.

    Raises:
        BadRequestError: If it is none.
    """
    try:
        return int(given)
    except (TypeError, ValueError):
        raise BadRequestError(f"{key} has to be an id, got {given!r}") from None


def with_files(values: JSON) -> JSON:
    """Return what was entered, with uploads in the place of {"file", "data"} objects.

    Raises:
        BadRequestError: If what should be a file's bytes is not base64.
    """
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
    name = tidy_name(str(value["file"]))
    return Upload(field="file", filename=name, data=data, content_type="")
