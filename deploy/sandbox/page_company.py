"""The page's routes for what people do among themselves."""

from __future__ import annotations

from aiohttp import web

from .model import JSON, Message
from .page_base import Visitors, identifier, read_body


class CompanyRoutes(Visitors):
    """Context menus, reactions, threads, conversations, and a person's own settings."""

    ACTIONS = ("react", "thread", "archive", "person")

    async def react(self, request: web.Request) -> web.StreamResponse:
        """Add a reaction or take it back."""
        body = await read_body(request)
        me, message = self._user(body.get("user")), identifier(body, "message")
        there = self._world.toggle_reaction(me.id, message, str(body.get("emoji", "")))
        return web.json_response({"there": there})

    async def thread(self, request: web.Request) -> web.StreamResponse:
        """Open a thread, below a message if one is named."""
        body = await read_body(request)
        message = identifier(body, "message") if body.get("message") else None
        name = str(body.get("name", ""))
        thread = self._world.start_thread(*self._place(body), name, message)
        return web.json_response({"id": str(thread.id)})

    async def archive(self, request: web.Request) -> web.StreamResponse:
        """Close a thread or open it again."""
        body = await read_body(request)
        self._world.set_archived(*self._place(body), archived=bool(body.get("archived")))
        return web.json_response({})

    async def person(self, request: web.Request) -> web.StreamResponse:
        """Change a person's own settings."""
        body = await read_body(request)
        switches = {
            key: bool(body[key])
            for key in ("has_installed", "accepts_direct_messages")
            if key in body
        }
        locale = str(body["locale"]) if "locale" in body else None
        self._world.set_person(self._user(body.get("user")).id, locale=locale, **switches)
        return web.json_response({})


def as_seen_by(user_id: int, body: JSON, message: Message | None) -> JSON:
    """Return a message's JSON with the reactions that are a person's own marked as theirs.

    Discord's JSON marks those of whoever asks, which otherwise is the bot.
    """
    if message is None or "reactions" not in body:
        return body
    return body | {
        "reactions": [
            each | {"me": user_id in message.reactions.get(each["emoji"]["name"], [])}
            for each in body["reactions"]
        ]
    }
