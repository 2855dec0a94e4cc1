"""Errors: refusals sent to the bot, and actions that a user may not take."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, TypeVar

from .model import JSON

T = TypeVar("T")
Path = tuple[str | int, ...]
"""The path of a field in a request: ("components", 0, "custom_id")."""

# The types of fields, by name: checked before their values.
_TEXTS = (
    *("content", "custom_id", "description", "filename", "label", "name", "placeholder"),
    *("title", "url"),
)
_NUMBERS = (
    *("accent_color", "auto_archive_duration", "flags", "max_length", "max_values"),
    *("min_length", "min_values", "spacing", "style", "type"),
)
_OBJECTS = (
    *("accessory", "allowed_mentions", "component", "data", "emoji", "file", "media"),
    *("message_reference", "name_localizations", "description_localizations"),
)
# Lists of objects: everything that is repeated in a request has fields of its own.
_LISTS = (
    *("attachments", "choices", "components", "default_values", "embeds", "fields", "items"),
    "options",
)
# In these a type is a word, not a number.
_WORDY = {"embeds", "default_values"}
_DEEPEST = 12


class SandboxError(Exception):
    """Base class of every error that the sandbox raises on purpose."""


class HandError(SandboxError):
    """A user tried something that Discord's own client would not let them do."""


class NoAnswerError(SandboxError):
    """The bot did not answer in time."""


@dataclass(eq=False)
class ApiError(SandboxError):
    """A refusal as Discord words it: status, numeric code, message, nested errors."""

    status: int
    code: int
    message: str
    _: KW_ONLY
    errors: JSON | None = None
    extra: JSON = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.status} ({self.code}): {self.message}"

    @property
    def body(self) -> JSON:
        """The JSON object that Discord would answer with."""
        body: JSON = {"message": self.message, "code": self.code, **self.extra}
        if self.errors is not None:
            body["errors"] = self.errors
        return body


# Discord's standard errors: code -> (status, message).
_KNOWN = {
    10002: (404, "Unknown Application"),
    10003: (404, "Unknown Channel"),
    10004: (404, "Unknown Guild"),
    10007: (404, "Unknown Member"),
    10008: (404, "Unknown Message"),
    10013: (404, "Unknown User"),
    10015: (404, "Unknown Webhook"),
    10062: (404, "Unknown interaction"),
    10063: (404, "Unknown application command"),
    30032: (400, "Maximum number of application commands reached (100)."),
    30046: (429, "Maximum number of edits to messages older than 1 hour reached. Try again later."),
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


def known(value: T | None, code: int) -> T:
    """Return `value`, or refuse with `code` if it is None."""
    if value is None:
        raise refusal(code)
    return value


class Problems:
    """Collects the mistakes in a form by path, in Discord's nested format."""

    def __init__(self) -> None:
        self._tree: JSON = {}

    def add(self, path: Path, code: str, message: str) -> None:
        """Note one mistake at `path`, for example ("components", 0, "custom_id")."""
        node = self._tree
        for step in path:
            node = node.setdefault(str(step), {})
        node.setdefault("_errors", []).append({"code": code, "message": message})

    def require(self, path: Path) -> None:
        """Note that the field at `path` is missing."""
        self.add(path, "BASE_TYPE_REQUIRED", "This field is required")

    def length(self, path: Path, value: Sized | None, low: int, high: int) -> None:
        """Check the length of the text or list at `path`; None counts as empty."""
        if low <= len(value or ()) <= high:
            return
        if low == 0:
            self.add(path, "BASE_TYPE_MAX_LENGTH", f"Must be {high} or fewer in length.")
        else:
            self.add(path, "BASE_TYPE_BAD_LENGTH", f"Must be between {low} and {high} in length.")

    def one_of(self, path: Path, value: Any, allowed: Iterable[int]) -> bool:
        """Check that the value at `path` is one of the allowed numbers; return whether it is."""
        if value in allowed:
            return True
        numbers = ", ".join(str(int(each)) for each in sorted(allowed))
        self.add(path, "BASE_TYPE_CHOICES", f"Value must be one of {{{numbers}}}.")
        return False

    @property
    def refusal(self) -> ApiError:
        """The refusal of the form: 50035 with every mistake at its path."""
        return ApiError(400, 50035, "Invalid Form Body", errors=self._tree)

    def raise_if_any(self) -> None:
        """Refuse the form with 50035 if anything was noted."""
        if self._tree:
            raise self.refusal


def bad_form(path: Path, code: str, message: str) -> ApiError:
    """Return the refusal of a form with one mistake: 50035."""
    problems = Problems()
    problems.add(path, code, message)
    return problems.refusal


def check_shapes(body: Any, root: Path = ()) -> None:
    """Refuse a request with 50035 if a field at any depth has the wrong type."""
    problems = Problems()
    _check(problems, body, root, depth=0)
    problems.raise_if_any()


def _check(problems: Problems, body: Any, path: Path, *, depth: int) -> None:
    if not isinstance(body, dict) or depth > _DEEPEST:
        problems.add(path, "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
        return
    for key, value in body.items():
        here = (*path, key)
        if value is None:
            continue
        if key in _LISTS and isinstance(value, list):
            for index, item in enumerate(value):
                _check(problems, item, (*here, index), depth=depth + 1)
        elif key in _OBJECTS:
            _check(problems, value, here, depth=depth + 1)
        else:
            _check_value(problems, key, value, here)


def _check_value(problems: Problems, key: str, value: Any, path: Path) -> None:
    if key in _LISTS:
        problems.add(path, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
    elif key in _TEXTS and not isinstance(value, str):
        problems.add(path, "STRING_TYPE_CONVERT", f'Could not interpret "{value}" as string.')
    elif key in _NUMBERS and type(value) is not int and not _WORDY & {*path}:
        problems.add(path, "NUMBER_TYPE_COERCE", f'Value "{value}" is not int.')
    elif key in ("id", "value") and isinstance(value, dict | list):
        problems.add(path, "STRING_TYPE_CONVERT", "Could not interpret this as string.")
