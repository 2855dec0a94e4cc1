"""The types of fields in requests, checked before anybody looks at what they say."""

from __future__ import annotations

from typing import Any

from .errors import Problems

Path = tuple[str | int, ...]

_TEXTS = frozenset(
    {"content", "custom_id", "description", "label", "name", "placeholder", "title", "url"}
    | {"filename"}
)
_NUMBERS = frozenset(
    {"accent_color", "auto_archive_duration", "flags", "max_length", "max_values", "min_length"}
    | {"min_values", "spacing", "style", "type"}
)
_OBJECTS = frozenset(
    {"accessory", "allowed_mentions", "component", "data", "emoji", "file", "media"}
    | {"message_reference", "name_localizations", "description_localizations"}
)
# Lists of objects: everything that is repeated in a request has fields of its own.
_LISTS = frozenset(
    {"attachments", "choices", "components", "embeds", "fields", "items", "options"}
    | {"default_values"}
)
# In these a type is a word.
_WORDY = frozenset({"embeds", "default_values"})
_DEEPEST = 12


def check_shapes(body: Any, root: Path = ()) -> None:
    """Refuse a request in which a field has the wrong type, at any depth.

    Raises:
        ApiError: 50035 with the path of every such field.
    """
    problems = Problems()
    _check(problems, body, root, depth=0)
    problems.raise_if_any()


def _check(problems: Problems, body: Any, path: Path, *, depth: int) -> None:
    if not isinstance(body, dict) or depth > _DEEPEST:
        text = "Only dictionaries may be used in a DictType"
        problems.add(path, "DICT_TYPE_CONVERT", text)
        return
    for key, value in body.items():
        here = (*path, key)
        if value is None:
            continue
        if key in _LISTS:
            _check_list(problems, value, here, depth=depth)
        elif key in _OBJECTS:
            _check(problems, value, here, depth=depth + 1)
        elif key in _TEXTS and not isinstance(value, str):
            problems.add(here, "STRING_TYPE_CONVERT", f'Could not interpret "{value}" as string.')
        elif key in _NUMBERS and not _is_number(value) and not _WORDY & {*path}:
            problems.add(here, "NUMBER_TYPE_COERCE", f'Value "{value}" is not int.')
        elif key in ("id", "value") and isinstance(value, dict | list):
            problems.add(here, "STRING_TYPE_CONVERT", "Could not interpret this as string.")


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_list(problems: Problems, value: Any, path: Path, *, depth: int) -> None:
    if not isinstance(value, list):
        problems.add(path, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
        return
    for index, item in enumerate(value):
        _check(problems, item, (*path, index), depth=depth + 1)
