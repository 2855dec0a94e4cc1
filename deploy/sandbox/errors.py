"""What goes wrong: refusals sent to the bot, and mistakes of whoever drives the sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

JSON = dict[str, Any]


class SandboxError(Exception):
    """Root of everything the sandbox raises on purpose."""


class HandError(SandboxError):
    """A user asked for something that Discord's own window would not let them do."""


class NoAnswerError(SandboxError):
    """The bot did not answer in time."""


class ApiError(SandboxError):
    """A refusal as Discord words it: status, numeric code, message, nested errors."""

    def __init__(
        self,
        status: int,
        code: int,
        message: str,
        *,
        errors: JSON | None = None,
        extra: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(f"{status} ({code}): {message}")
        self.status = status
        self.code = code
        self.message = message
        self.errors = errors
        self.extra = dict(extra or {})
        self.headers = dict(headers or {})

    @property
    def body(self) -> JSON:
        """The JSON object that Discord would answer with."""
        body: JSON = {"message": self.message, "code": self.code, **self.extra}
        if self.errors is not None:
            body["errors"] = self.errors
        return body


# Discord's names for what cannot be found or may not be done: code -> (status, message).
_KNOWN = {
    10002: (404, "Unknown Application"),
    10003: (404, "Unknown Channel"),
    10004: (404, "Unknown Guild"),
    10007: (404, "Unknown Member"),
    10008: (404, "Unknown Message"),
    10011: (404, "Unknown Role"),
    10013: (404, "Unknown User"),
    10014: (404, "Unknown Emoji"),
    10015: (404, "Unknown Webhook"),
    10062: (404, "Unknown interaction"),
    10063: (404, "Unknown application command"),
    30032: (400, "Maximum number of application commands reached (100)."),
    40003: (403, "You are opening direct messages too fast"),
    40005: (413, "Request entity too large"),
    40060: (400, "Interaction has already been acknowledged."),
    50001: (403, "Missing Access"),
    50005: (403, "Cannot edit a message authored by another user"),
    50006: (400, "Cannot send an empty message"),
    50007: (403, "Cannot send messages to this user"),
    50013: (403, "Missing Permissions"),
    50024: (400, "Cannot execute action on this channel type"),
    50027: (401, "Invalid Webhook Token"),
    50083: (400, "Thread is archived"),
    50109: (400, "The request body contains invalid JSON."),
    160004: (400, "A thread has already been created for this message"),
}


def refusal(code: int) -> ApiError:
    """Return Discord's standard refusal with the number `code`."""
    status, message = _KNOWN[code]
    return ApiError(status, code, message)


def unauthorized() -> ApiError:
    """Return the answer to a missing or wrong token."""
    return ApiError(401, 0, "401: Unauthorized")


class Problems:
    """Collects what is wrong with a form, by path, in Discord's nested shape."""

    def __init__(self) -> None:
        self._tree: JSON = {}

    def add(self, path: tuple[str | int, ...], code: str, message: str) -> None:
        """Note one mistake at `path`, for example ("components", 0, "custom_id")."""
        node = self._tree
        for step in path:
            node = node.setdefault(str(step), {})
        node.setdefault("_errors", []).append({"code": code, "message": message})

    def require(self, path: tuple[str | int, ...]) -> None:
        """Note that the field at `path` is missing."""
        self.add(path, "BASE_TYPE_REQUIRED", "This field is required")

    def length(self, path: tuple[str | int, ...], low: int, high: int) -> None:
        """Note that the text or list at `path` is not between `low` and `high` long."""
        if low == 0:
            self.add(path, "BASE_TYPE_MAX_LENGTH", f"Must be {high} or fewer in length.")
        else:
            self.add(path, "BASE_TYPE_BAD_LENGTH", f"Must be between {low} and {high} in length.")

    def raise_if_any(self) -> None:
        """Refuse the form if anything was noted.

        Raises:
            ApiError: 50035 with every mistake at its path.
        """
        if self._tree:
            raise ApiError(400, 50035, "Invalid Form Body", errors=self._tree)
