"""What stands between the bot's requests and the routes: log, faults, rate limits."""

from __future__ import annotations

import asyncio
import hashlib
import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from .errors import ApiError
from .model import JSON

_LOGGED = 5000


@dataclass(slots=True, kw_only=True, frozen=True)
class LoggedFile:
    """A file that came with a request; its bytes are with the message, not here."""

    filename: str
    size: int


@dataclass(slots=True, kw_only=True)
class LoggedRequest:
    """One request of the bot and its answer."""

    method: str
    route: str
    """The address with its parameters named: /channels/{channel_id}/messages."""
    path: str
    """The actual address after /api/v10, without the query."""
    query: dict[str, str]
    body: Any = None
    """The JSON body, or the payload_json of a multipart request; None if there was none."""
    files: list[LoggedFile] = field(default_factory=list)
    status: int = 0
    answer: Any = None
    fault: Fault | None = None
    """The fault applied to it, if any."""


class RequestLog(deque[LoggedRequest]):
    """The last requests, oldest first; status and answer are filled in later."""

    def __init__(self) -> None:
        super().__init__(maxlen=_LOGGED)

    def matching(self, pattern: str) -> list[LoggedRequest]:
        """Return the requests like `pattern`, for example "POST /interactions/*/callback"."""
        return [each for each in self if fnmatchcase(f"{each.method} {each.path}", pattern)]


@dataclass(slots=True, kw_only=True, frozen=True)
class Fault:
    """Something that goes wrong with a request."""

    error: ApiError | ConnectionResetError | None = None
    delay_seconds: float = 0.0
    """How long the request waits before it is handled."""
    gate: asyncio.Event | None = None
    """The event that the request waits for."""
    after: bool = False
    """Whether the request is carried out before the error."""


@dataclass(slots=True, kw_only=True)
class _Plan:
    pattern: str
    times: int
    fault: Fault


class Faults:
    """Makes requests fail, wait or break off, to test how the bot reacts.

    Patterns are like "PATCH /channels/*/messages/*"; the first that matches is used up.
    """

    def __init__(self) -> None:
        self._plans: list[_Plan] = []
        self.choose: Callable[[str], Fault | None] | None = None
        """Called for each request that no pattern matches, as "PATCH /channels/{channel_id}"."""

    def _plan(self, pattern: str, times: int, fault: Fault) -> None:
        self._plans.append(_Plan(pattern=pattern, times=times, fault=fault))

    def fail(
        self,
        pattern: str,
        *,
        status: int,
        code: int = 0,
        message: str = "",
        times: int = 1,
        after: bool = False,
    ) -> None:
        """Refuse the next `times` requests like `pattern`.

        With `after` the request is carried out and only its answer is replaced. A 429 made here
        looks like a proxy's: it has none of Discord's headers.
        """
        error = ApiError(status, code, message or f"{status}: made to fail")
        self._plan(pattern, times, Fault(error=error, after=after))

    def reset(self, pattern: str, *, times: int = 1, after: bool = False) -> None:
        """Cut the connection of the next `times` requests like `pattern`, without an answer.

        With `after` the request is carried out first.
        """
        error = ConnectionResetError("made to break off")
        self._plan(pattern, times, Fault(error=error, after=after))

    def rate_limit(self, pattern: str, seconds: float, *, times: int = 1) -> None:
        """Refuse the next `times` requests like `pattern` with Discord's 429: wait `seconds`."""
        error = too_many(seconds, is_global=False, headers={})
        self._plan(pattern, times, Fault(error=error))

    def delay(self, pattern: str, seconds: float, *, times: int = 1) -> None:
        """Make the next `times` requests like `pattern` wait before they are handled."""
        self._plan(pattern, times, Fault(delay_seconds=seconds))

    def hold(self, pattern: str, *, times: int = 1) -> asyncio.Event:
        """Make the next `times` requests like `pattern` wait until the returned event is set."""
        gate = asyncio.Event()
        self._plan(pattern, times, Fault(gate=gate))
        return gate

    def clear(self) -> None:
        """Let everything through again, including requests being held."""
        for plan in self._plans:
            if plan.fault.gate is not None:
                plan.fault.gate.set()
        self._plans.clear()
        self.choose = None

    async def apply(self, request: LoggedRequest) -> ApiError | ConnectionResetError | None:
        """Apply the fault planned for a request: make it wait, or raise its error.

        Returns the error if it is to be raised only after the request was carried out.
        """
        fault = request.fault = self._fault_of(request)
        if fault is None:
            return None
        if fault.delay_seconds:
            await asyncio.sleep(fault.delay_seconds)
        if fault.gate is not None:
            await fault.gate.wait()
        if fault.error is not None and not fault.after:
            raise fault.error
        return fault.error

    def _fault_of(self, request: LoggedRequest) -> Fault | None:
        for plan in self._plans:
            if plan.times > 0 and fnmatchcase(f"{request.method} {request.path}", plan.pattern):
                plan.times -= 1
                return plan.fault
        return self.choose(f"{request.method} {request.route}") if self.choose else None


@dataclass(slots=True)
class _Window:
    ends_at: float
    left: int


class RateLimits:
    """Discord's rate limits: generous unless set, with all their headers.

    `global_per_second` counts every request but those to interactions and their
    webhooks; `routes` maps "METHOD /route/{with}/{names}" to (requests, seconds),
    counted separately for each channel, guild or webhook.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.global_per_second: int | None = None
        self.routes: dict[str, tuple[int, float]] = {}
        self.default: tuple[int, float] = (1000, 1.0)
        self.invalid_requests: tuple[int, float] = (10_000, 600.0)
        """How many answers of 401, 403 and 429, in how many seconds, get everything refused."""
        self._invalid: deque[float] = deque()
        self._windows: dict[tuple[str, str], _Window] = {}
        self._global = _Window(0.0, 0)

    def like_discord(self) -> None:
        """Set the limits that Discord was seen to apply at the time of writing."""
        self.global_per_second = 50
        self.routes["POST /channels/{channel_id}/messages"] = (5, 5.0)
        self.routes["PATCH /channels/{channel_id}/messages/{message_id}"] = (5, 5.0)
        self.routes["POST /webhooks/{webhook_id}/{token}"] = (5, 2.0)

    def count_answer(self, status: int) -> None:
        """Count an answer if Discord counts the request as invalid."""
        if status in (401, 403, 429):
            self._invalid.append(self.clock())

    def require_not_banned(self) -> None:
        """Refuse everything after too many invalid requests, as a proxy does: a bare 429."""
        most, seconds = self.invalid_requests
        while self._invalid and self._invalid[0] <= self.clock() - seconds:
            self._invalid.popleft()
        if len(self._invalid) >= most:
            raise ApiError(429, 0, "error code: 1015")

    def count(self, method: str, route: str, major: str) -> dict[str, str]:
        """Count one request and return the headers; 429 when nothing is left."""
        now = self.clock()
        key = f"{method} {route}"
        limit, seconds = self.routes.get(key, self.default)
        bucket = hashlib.sha256(key.encode()).hexdigest()[:32]
        if not route.startswith(("/interactions", "/webhooks")):
            self._count_globally(now, bucket)
        window = self._windows.get((key, major))
        if window is None or window.ends_at <= now:
            if len(self._windows) > 1000:  # forget those that are over
                self._windows = {k: each for k, each in self._windows.items() if each.ends_at > now}
            window = self._windows[key, major] = _Window(now + seconds, limit)
        headers = {
            "X-RateLimit-Bucket": bucket,
            "X-RateLimit-Limit": str(limit),
            "X-RateLimit-Reset": f"{time.time() + window.ends_at - now:.3f}",
            "X-RateLimit-Reset-After": f"{window.ends_at - now:.3f}",
        }
        if window.left <= 0:
            headers["X-RateLimit-Remaining"] = "0"
            raise too_many(window.ends_at - now, is_global=False, headers=headers)
        window.left -= 1
        return headers | {"X-RateLimit-Remaining": str(window.left)}

    def _count_globally(self, now: float, bucket: str) -> None:
        if self.global_per_second is None:
            return
        if self._global.ends_at <= now:
            self._global = _Window(now + 1.0, self.global_per_second)
        if self._global.left <= 0:
            headers = {"X-RateLimit-Global": "true", "X-RateLimit-Bucket": bucket}
            raise too_many(self._global.ends_at - now, is_global=True, headers=headers)
        self._global.left -= 1


def too_many(wait: float, *, is_global: bool, headers: dict[str, str]) -> ApiError:
    """Return Discord's 429, with the headers that libraries look for."""
    wait = max(wait, 0.001)
    extra: JSON = {"retry_after": round(wait, 3), "global": is_global}
    scope = "global" if is_global else "user"
    headers = headers | {
        "Retry-After": str(math.ceil(wait)),
        "X-RateLimit-Scope": scope,
        # Without it libraries take the answer for that of a proxy that banned them.
        "Via": "1.1 sandbox",
    }
    return ApiError(429, 0, "You are being rate limited.", extra=extra, headers=headers)
