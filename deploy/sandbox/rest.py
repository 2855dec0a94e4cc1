"""The frame of the REST interface: routes, tokens, bodies, refusals."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aiohttp import BodyPartReader, web

from .errors import ApiError, Problems, refusal, unauthorized
from .model import JSON, Upload
from .storing import tidy_name
from .traffic import LoggedFile, LoggedRequest

if TYPE_CHECKING:
    from .server import Sandbox
    from .world import World

log = logging.getLogger(__name__)

PREFIX = "/api/v10"
# Above what any honest request holds: ten files of 10 MiB and their description.
MAX_BODY_BYTES = 128 * 1024 * 1024


@dataclass(slots=True, kw_only=True)
class Call:
    """One request to the interface, read and checked as far as that goes for all."""

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
        """The world that is asked or changed."""
        return self.sandbox.world

    @property
    def form(self) -> JSON:
        """The body, which must be an object.

        Raises:
            ApiError: 50035 if it is anything else.
        """
        if self.body is None:
            return {}
        if not isinstance(self.body, dict):
            problems = Problems()
            problems.add((), "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
            problems.raise_if_any()
        form: JSON = self.body
        return form

    def flag(self, name: str) -> bool:
        """Return whether a switch in the query is on."""
        return self.query.get(name, "").lower() in ("1", "true")


Result = JSON | list[JSON] | None
Handler = Callable[[Call], Awaitable[Result]]


@dataclass(slots=True, kw_only=True, frozen=True)
class Route:
    """One route: how it is asked, and who answers."""

    method: str
    template: str
    handler: Handler
    needs_token: bool
    status: int


class Routes(list[Route]):
    """The routes of one subject, collected by decorating their handlers."""

    def on(
        self, method: str, template: str, *, needs_token: bool = True, status: int = 200
    ) -> Callable[[Handler], Handler]:
        """Register a handler; without a result it answers 204."""

        def register(handler: Handler) -> Handler:
            self.append(
                Route(
                    method=method,
                    template=template,
                    handler=handler,
                    needs_token=needs_token,
                    status=status,
                )
            )
            return handler

        return register


def json_answer(status: int, body: Any, headers: dict[str, str] | None = None) -> web.Response:
    """Return an answer whose type is exactly application/json, as libraries compare it."""
    return web.Response(
        status=status,
        body=json.dumps(body).encode(),
        content_type="application/json",
        headers=headers,
    )


def error_answer(error: ApiError) -> web.Response:
    """Return a refusal as an answer."""
    return json_answer(error.status, error.body, error.headers)


def add_routes(app: web.Application, sandbox: Sandbox, routes: list[Route]) -> None:
    """Serve `routes` below the interface's prefix, and refuse everything else there."""
    for route in routes:
        # Identifiers are digits: "@original" and "@me" are routes of their own.
        steps = [
            f"{{{step[1:-1]}:[0-9]+}}" if step.startswith("{") and step.endswith("_id}") else step
            for step in route.template.split("/")
        ]
        app.router.add_route(route.method, PREFIX + "/".join(steps), _serve(sandbox, route))

    async def unknown(request: web.Request) -> web.Response:
        log.warning("the bot asked for %s %s, which is not there", request.method, request.path)
        return json_answer(404, {"message": "404: Not Found", "code": 0})

    app.router.add_route("*", PREFIX + "/{rest:.*}", unknown)


def _serve(
    sandbox: Sandbox, route: Route
) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def serve(request: web.Request) -> web.StreamResponse:
        path = request.path.removeprefix(PREFIX)
        entry = LoggedRequest(
            method=route.method,
            route=route.template,
            path=path,
            query=dict(request.query),
            body=None,
        )
        sandbox.requests.add(entry)
        headers: dict[str, str] = {}
        try:
            body, uploads = await _read(request)
            entry.body = body
            entry.files = [_logged(upload) for upload in uploads]
            lost = await sandbox.faults.apply(route.method, path)
            _check_token(sandbox, route, request)
            headers = _count(sandbox, route, request)
            result = await route.handler(_call(sandbox, request, body, uploads))
            if lost is not None:
                raise lost
        except ApiError as error:
            entry.status, entry.answer = error.status, error.body
            log.debug("refused %s %s: %s", route.method, path, error.body)
            error.headers = headers | error.headers
            return error_answer(error)
        except ConnectionResetError:
            if request.transport is not None:
                request.transport.abort()
            return web.Response(status=500)  # nobody hears it
        except Exception:
            log.exception("the sandbox failed at %s %s", route.method, path)
            entry.status = 500
            return json_answer(500, {"message": "500: Internal Server Error", "code": 0})
        entry.status = 204 if result is None else route.status
        entry.answer = result
        if result is None:
            return web.Response(status=204, headers=headers)
        return json_answer(route.status, result, headers)

    return serve


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


def _check_token(sandbox: Sandbox, route: Route, request: web.Request) -> None:
    if route.needs_token and request.headers.get("Authorization") != f"Bot {sandbox.token}":
        raise unauthorized()


def _count(sandbox: Sandbox, route: Route, request: web.Request) -> dict[str, str]:
    parts = request.match_info
    major = ":".join(
        parts.get(key, "") for key in ("channel_id", "guild_id", "webhook_id", "token")
    )
    is_interaction = route.template.startswith(("/interactions", "/webhooks"))
    return sandbox.rate_limits.count(
        route.method, route.template, major, is_interaction=is_interaction
    )


def _logged(upload: Upload) -> LoggedFile:
    return LoggedFile(
        field=upload.field,
        filename=upload.filename,
        content_type=upload.content_type,
        size=len(upload.data),
    )


async def _read(request: web.Request) -> tuple[Any, list[Upload]]:
    """Read the body, JSON alone or with files.

    Raises:
        ApiError: 50109 for broken JSON, 40005 for too much.
    """
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
            uploads.append(
                Upload(
                    field=part.name or "files[0]",
                    filename=tidy_name(part.filename),
                    data=data,
                    content_type=part.headers.get("Content-Type", "application/octet-stream"),
                )
            )
    return body, uploads


def _parse(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise refusal(50109) from None
