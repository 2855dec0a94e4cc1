"""The gateway: a WebSocket on which the bot receives events.

Sessions outlive connections: events of a session without a connection are kept and
replayed when the bot resumes it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
import zlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from aiohttp import WebSocketError, WSMsgType, web

from .model import JSON, Guild
from .payloads import each_is, guild_create_json, member_json, overheard, own_user_json
from .world import World

log = logging.getLogger(__name__)

DISPATCH, HEARTBEAT, IDENTIFY, PRESENCE, VOICE_STATE = 0, 1, 2, 3, 4
RESUME, RECONNECT, REQUEST_MEMBERS, INVALID_SESSION, HELLO, ACK = 6, 7, 8, 9, 10, 11

# Intents that need Discord's approval: members, presences, message content.
PRIVILEGED = 1 << 1 | 1 << 8 | 1 << 15
MESSAGE_CONTENT = 1 << 15
_KEPT_EVENTS = 1000
_KEPT_SESSIONS = 16
# How long to wait for the other side's close frame: a bot that was stopped never sends it.
_GOODBYE_SECONDS = 2.0
# The round trip of a network. Between two processes on one machine the answer arrives before
# discord.py (2.7.1) has noted when it asked: it would measure from the previous heartbeat and
# complain of being a whole interval behind.
_ROUND_TRIP_SECONDS = 0.03


Compress = Callable[[bytes], bytes]


@dataclass(slots=True, kw_only=True)
class Session:
    """The events the bot is sent on one shard, connected or not."""

    shard: tuple[int, int]
    intents: int
    connection: Connection | None
    presence: JSON | None = None
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    sequence: int = 0
    sent: deque[tuple[int, JSON]] = field(default_factory=lambda: deque(maxlen=_KEPT_EVENTS))

    def send(self, name: str, data: JSON) -> None:
        """Number an event, keep it for a replay, and send it if there is a connection."""
        self.sequence += 1
        payload = {"op": DISPATCH, "t": name, "s": self.sequence, "d": data}
        self.sent.append((self.sequence, payload))
        if self.connection is not None:
            self.connection.send(payload)

    def missed_since(self, sequence: int) -> list[JSON] | None:
        """Return the events after number `sequence`, None if some are gone."""
        if sequence > self.sequence or sequence < self.sequence - len(self.sent):
            return None
        return [payload for number, payload in self.sent if number > sequence]


@dataclass(slots=True, eq=False)
class Connection:
    """One WebSocket; messages leave in order, compressed in one stream."""

    request: web.Request
    socket: web.WebSocketResponse
    compress: Compress | None
    is_silent: bool = False
    _outgoing: asyncio.Queue[JSON] = field(default_factory=asyncio.Queue)

    def send(self, payload: JSON) -> None:
        """Queue `payload` for sending."""
        if not self.is_silent:
            self._outgoing.put_nowait(payload)

    async def write(self) -> None:
        """Write what is queued, until cancelled or the other side is gone."""
        while True:
            text = json.dumps(await self._outgoing.get())
            try:
                if self.compress is None:
                    await self.socket.send_str(text)
                else:
                    await self.socket.send_bytes(self.compress(text.encode()))
            except ConnectionError:
                return


class Gateway:
    """All sessions of the bot."""

    def __init__(self, world: World, token: str) -> None:
        self.world = world
        self.token = token
        self.heartbeat_seconds = 41.25
        self.sessions: dict[str, Session] = {}
        self.connections: set[Connection] = set()
        self.identified = 0
        self.resumed = 0
        self.is_down = False
        """Whether every new connection is refused."""
        world.news.bot_sinks.append(self.dispatch)

    # Telling the bot

    def dispatch(self, name: str, data: JSON, guild_id: int | None) -> None:
        """Send an event to the session of the guild's shard, if its intents allow."""
        for session in self.sessions.values():
            number, count = session.shard
            if (0 if guild_id is None else (guild_id >> 22) % count) != number:
                continue
            if _wants(session, name, guild_id):
                is_message = guild_id is not None and "content" in data
                hides = is_message and not session.intents & MESSAGE_CONTENT
                session.send(name, overheard(self.world, data) if hides else data)

    # For tests

    async def drop_connections(self, code: int = 4000, *, abruptly: bool = False) -> None:
        """Cut every connection: with a close code, or as if the cable was pulled."""
        for session in self.sessions.values():
            session.connection = None
        for connection in list(self.connections):
            if abruptly and connection.request.transport is not None:
                connection.request.transport.abort()
            else:
                await connection.socket.close(code=code)
        self._note_presence()

    async def close(self) -> None:
        """End every connection and stop listening to the world."""
        self.world.news.bot_sinks.remove(self.dispatch)
        await self.drop_connections(1001)

    def ask_to_reconnect(self) -> None:
        """Ask the bot to come back on a new connection, as Discord does when it restarts."""
        self._send_all({"op": RECONNECT, "d": None})

    def invalidate_sessions(self, *, resumable: bool = False) -> None:
        """Invalidate every session: the bot has to identify again or, if `resumable`, to resume."""
        self._send_all({"op": INVALID_SESSION, "d": resumable})
        if not resumable:
            self.sessions.clear()

    def go_silent(self) -> None:
        """Leave every connection open but send nothing more on it, as behind a dead router."""
        for connection in self.connections:
            connection.is_silent = True

    def _send_all(self, payload: JSON) -> None:
        for session in self.sessions.values():
            if session.connection is not None:
                session.connection.send(payload)

    def forget_sessions(self) -> None:
        """Forget every session, so that the next RESUME is refused."""
        self.sessions.clear()

    # The WebSocket

    async def handle(self, request: web.Request) -> web.WebSocketResponse:
        """Serve one connection from HELLO to its end."""
        if self.is_down:
            raise web.HTTPServiceUnavailable
        socket = web.WebSocketResponse(timeout=_GOODBYE_SECONDS, max_msg_size=65536, compress=False)
        await socket.prepare(request)
        try:
            compress = make_compressor(request.query.get("compress"))
        except ValueError as error:
            log.warning("a bot asked for compression that is not there: %s", error)
            await socket.close(code=4000, message=str(error).encode()[:120])
            return socket
        connection = Connection(request, socket, compress)
        self.connections.add(connection)
        writer = asyncio.create_task(connection.write())
        interval = int(self.heartbeat_seconds * 1000)
        connection.send({"op": HELLO, "d": {"heartbeat_interval": interval, "_trace": []}})
        try:
            await self._converse(connection)
        finally:
            writer.cancel()
            self._leave(connection, socket.close_code)
        return socket

    async def _converse(self, connection: Connection) -> None:
        """Answer what the bot sends until the connection ends."""
        session: Session | None = None
        socket = connection.socket
        while True:
            try:
                received = await socket.receive(timeout=self.heartbeat_seconds * 1.5)
            except TimeoutError:
                await socket.close(code=4009, message=b"Session timed out.")
                return
            if received.type is not WSMsgType.TEXT:
                return
            try:
                session = await self._take(connection, session, received.data)
            except WebSocketError as error:
                await socket.close(code=error.code, message=str(error).encode())
                return

    async def _take(
        self, connection: Connection, session: Session | None, text: str
    ) -> Session | None:
        """Handle one message of the bot and return the session it now has, or hang up."""
        try:
            payload = json.loads(text)
            op, data = payload["op"], payload.get("d")
        except (ValueError, KeyError, TypeError):
            raise WebSocketError(4002, "Error while decoding payload.") from None
        if op == HEARTBEAT:
            loop = asyncio.get_running_loop()
            loop.call_later(_ROUND_TRIP_SECONDS, connection.send, {"op": ACK, "d": None})
        elif op in (IDENTIFY, RESUME):
            if session is not None:
                raise WebSocketError(4005, "Already authenticated.")
            if data.get("token") != self.token:
                raise WebSocketError(4004, "Authentication failed.")
            if op == RESUME:
                return await self._resume(connection, data)
            return self._identify(connection, data)
        elif session is None:
            raise WebSocketError(4003, "Not authenticated.")
        elif op == REQUEST_MEMBERS:
            self._send_members(session, data)
        elif op in (PRESENCE, VOICE_STATE):
            session.presence = data if op == PRESENCE else session.presence
        else:
            raise WebSocketError(4001, "Unknown opcode.")
        return session

    def _identify(self, connection: Connection, data: JSON) -> Session:
        intents = int(data.get("intents", 0))
        if intents & PRIVILEGED and not self.world.limits.privileged_intents:
            raise WebSocketError(4014, "Disallowed intent(s).")
        number, count = data.get("shard") or (0, 1)
        if not 0 <= number < count:
            raise WebSocketError(4010, "Invalid shard.")
        session = Session(
            shard=(number, count),
            intents=intents,
            connection=connection,
            presence=data.get("presence"),
        )
        self.sessions[session.id] = session
        while len(self.sessions) > _KEPT_SESSIONS * count:
            del self.sessions[next(iter(self.sessions))]
        self.identified += 1
        session.send("READY", self._ready(session))
        self._note_presence()
        if session.intents & 1:
            for guild in self._guilds_of(session):
                session.send("GUILD_CREATE", guild_create_json(self.world, guild))
        return session

    async def _resume(self, connection: Connection, data: JSON) -> Session | None:
        session = self.sessions.get(str(data.get("session_id")))
        if session is not None and session.connection is not None:
            old, session.connection = session.connection, None
            await old.socket.close(code=4000)
        missed = None if session is None else session.missed_since(int(data.get("seq") or 0))
        if session is None or missed is None:
            connection.send({"op": INVALID_SESSION, "d": False})
            return None
        session.connection = connection
        self.resumed += 1
        for payload in missed:
            connection.send(payload)
        session.send("RESUMED", {"_trace": []})
        self._note_presence()
        return session

    def _leave(self, connection: Connection, close_code: int | None) -> None:
        log.debug("a connection ended: %s", close_code)
        self.connections.discard(connection)
        for session in list(self.sessions.values()):
            if session.connection is connection:
                session.connection = None
                # A bot that closes with these codes does not resume the session.
                if close_code in (1000, 1001):
                    del self.sessions[session.id]
        self._note_presence()

    def _note_presence(self) -> None:
        online = any(session.connection is not None for session in self.sessions.values())
        self.world.set_bot_online(online)

    def _guilds_of(self, session: Session) -> list[Guild]:
        number, count = session.shard
        return [
            guild
            for guild in self.world.guilds.values()
            if self.world.bot_id in guild.members and (guild.id >> 22) % count == number
        ]

    def _ready(self, session: Session) -> JSON:
        return {
            "v": 10,
            "user": own_user_json(self.world.bot),
            "guilds": [
                {"id": str(guild.id), "unavailable": True} for guild in self._guilds_of(session)
            ],
            "session_id": session.id,
            "resume_gateway_url": self.world.address.replace("http", "ws", 1) + "/gateway",
            "session_type": "normal",
            "shard": list(session.shard),
            "application": {"id": str(self.world.application_id), "flags": 0},
            **each_is({}, "user_settings", "auth"),
            **each_is([], "relationships", "private_channels", "presences", "_trace"),
            **each_is([], "guild_join_requests", "geo_ordered_rtc_regions"),
        }

    def _send_members(self, session: Session, data: JSON) -> None:
        guild = self.world.guilds.get(int(data["guild_id"]))
        if guild is None:
            return
        asked = data.get("user_ids") or []
        wanted = {int(each) for each in (asked if isinstance(asked, list) else [asked])}
        query = str(data.get("query") or "").lower()
        found = [
            member
            for member in guild.members.values()
            if member.user_id in wanted
            or (not wanted and self.world.users[member.user_id].username.startswith(query))
        ]
        chunk: JSON = {
            "guild_id": str(guild.id),
            "members": [member_json(self.world, member) for member in found],
            "chunk_index": 0,
            "chunk_count": 1,
        }
        if data.get("nonce"):
            chunk["nonce"] = data["nonce"]
        session.send("GUILD_MEMBERS_CHUNK", chunk)


# Intents by the prefix of an event's name: in guilds, in direct conversations.
_INTENTS = (
    ("MESSAGE_REACTION_", 1 << 10, 1 << 13),
    ("MESSAGE_", 1 << 9, 1 << 12),
    *((prefix, 1, -1) for prefix in ("GUILD_", "CHANNEL_", "THREAD_")),
)


def _wants(session: Session, name: str, guild_id: int | None) -> bool:
    for prefix, in_guild, in_direct in _INTENTS:
        if name.startswith(prefix):
            return bool(session.intents & (in_direct if guild_id is None else in_guild))
    return True


def make_compressor(name: str | None) -> Compress | None:
    """Return a function that compresses one gateway message at a time, in one stream.

    None without a name: nothing is compressed. ValueError if the kind is not available here.
    """
    if not name:
        return None
    if name == "zlib-stream":
        stream = zlib.compressobj()
        return lambda data: stream.compress(data) + stream.flush(zlib.Z_SYNC_FLUSH)
    if name == "zstd-stream":
        return _zstd()
    raise ValueError(f"unknown compression {name!r}")


def _zstd() -> Compress:
    """Return a Zstandard stream from the library that discord.py uses here."""
    with contextlib.suppress(ImportError):
        standard: Any = import_module("compression.zstd")
        stream, flush = standard.ZstdCompressor(), standard.ZstdCompressor.FLUSH_BLOCK
        return lambda data: bytes(stream.compress(data, flush))
    try:
        package: Any = import_module("zstandard")
    except ImportError:
        raise ValueError("zstd-stream needs Python 3.14 or the package zstandard") from None
    writer, block = package.ZstdCompressor().compressobj(), package.COMPRESSOBJ_FLUSH_BLOCK
    return lambda data: bytes(writer.compress(data) + writer.flush(block))
