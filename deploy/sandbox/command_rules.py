"""Discord's rules for application commands, and the form in which it keeps them."""

from __future__ import annotations

from typing import Any

from .errors import Problems
from .locales import LOCALES
from .model import JSON
from .shapes import check_shapes

Path = tuple[str | int, ...]

CHAT, USER, MESSAGE = 1, 2, 3
MAX_COMMANDS = {CHAT: 100, USER: 15, MESSAGE: 15}
_SUB_COMMAND, _SUB_GROUP = 1, 2
_STRING, _INTEGER, _NUMBER = 3, 4, 10
_NAME_RULE = (
    "Command name is invalid: it has 1 to 32 letters, digits, apostrophes, underscores or "
    "hyphens, in lower case"
)


def check_commands(commands: list[Any]) -> None:
    """Check what is to replace all commands of a scope.

    Raises:
        ApiError: 50035 with the path of every mistake.
    """
    for index, command in enumerate(commands):
        check_shapes(command, (index,))
    problems = Problems()
    seen: set[tuple[int, str]] = set()
    for index, command in enumerate(commands):
        check_command(problems, (index,), command)
        key = (command.get("type") or CHAT, str(command.get("name")))
        if key in seen:
            text = "Application command names must be unique"
            problems.add((index,), "APPLICATION_COMMANDS_DUPLICATE_NAME", text)
        seen.add(key)
    for kind, most in MAX_COMMANDS.items():
        if sum(key[0] == kind for key in seen) > most:
            problems.length((), 0, most)
    problems.raise_if_any()


def check_one(command: JSON) -> None:
    """Check one command.

    Raises:
        ApiError: 50035 with the path of every mistake.
    """
    check_shapes(command)
    problems = Problems()
    check_command(problems, (), command)
    problems.raise_if_any()


def check_command(problems: Problems, path: Path, command: JSON) -> None:
    """Note what is wrong with one command at `path`."""
    kind = command.get("type") or CHAT
    if kind not in MAX_COMMANDS:
        text = "Value must be one of {1, 2, 3}."
        problems.add((*path, "type"), "BASE_TYPE_CHOICES", text)
        return
    name = command.get("name")
    if kind == CHAT:
        _check_named(problems, path, command)
        _check_options(problems, path, command.get("options") or [], depth=0)
        if _weight(command) > 8000:
            text = "Command exceeds maximum size (8000)"
            problems.add(path, "APPLICATION_COMMAND_TOO_LARGE", text)
    else:
        _check_length(problems, (*path, "name"), name, 1, 32)
        for here, text in _localized(problems, path, command, "name"):
            _check_length(problems, here, text, 1, 32)
        if command.get("description"):
            text = "Context menu commands cannot have description"
            problems.add(
                (*path, "description"),
                "APPLICATION_COMMANDS_CONTEXT_MENU_CANNOT_HAVE_DESCRIPTION",
                text,
            )
    _check_permissions(problems, (*path, "default_member_permissions"), command)
    for key, allowed in (("contexts", {0, 1, 2}), ("integration_types", {0, 1})):
        for index, value in enumerate(command.get(key) or []):
            if value not in allowed:
                text = f"Value must be one of {allowed}."
                problems.add((*path, key, index), "BASE_TYPE_CHOICES", text)


def _check_permissions(problems: Problems, path: Path, command: JSON) -> None:
    """Check the bits that a member needs: a number, or its digits, as both are in use."""
    bits = command.get("default_member_permissions")
    if isinstance(bits, bool) or not (bits is None or str(bits).isdigit()):
        problems.add(path, "NUMBER_TYPE_COERCE", f'Value "{bits}" is not int.')


def _check_named(problems: Problems, path: Path, part: JSON) -> None:
    """Check the name and description of a command or option, in every language."""
    _check_name(problems, (*path, "name"), part.get("name"))
    for here, text in _localized(problems, path, part, "name"):
        _check_name(problems, here, text)
    _check_length(problems, (*path, "description"), part.get("description"), 1, 100)
    for here, text in _localized(problems, path, part, "description"):
        _check_length(problems, here, text, 1, 100)


def _localized(problems: Problems, path: Path, part: JSON, field: str) -> list[tuple[Path, Any]]:
    """Return a field's translations with their paths, and note languages that are none."""
    key = f"{field}_localizations"
    found: list[tuple[Path, Any]] = []
    for locale, text in (part.get(key) or {}).items():
        here = (*path, key, locale)
        if locale not in LOCALES:
            said = f'Value "{locale}" is not a locale that Discord knows.'
            problems.add(here, "ENUM_TYPE_COERCE", said)
        elif not isinstance(text, str):
            problems.add(here, "STRING_TYPE_CONVERT", f'Could not interpret "{text}" as string.')
        else:
            found.append((here, text))
    return found


def _check_name(problems: Problems, path: Path, name: Any) -> None:
    if not isinstance(name, str):
        problems.require(path)
        return
    letters = name.replace("-", "").replace("_", "").replace("'", "")
    fits = 1 <= len(name) <= 32 and (not letters or letters.isalnum()) and name == name.lower()
    if not fits:
        problems.add(path, "APPLICATION_COMMAND_INVALID_NAME", _NAME_RULE)


def _check_length(problems: Problems, path: Path, text: Any, low: int, high: int) -> None:
    if text is None and low > 0:
        problems.require(path)
    elif not low <= len(str(text or "")) <= high:
        problems.length(path, low, high)


def _check_options(problems: Problems, path: Path, options: list[JSON], *, depth: int) -> None:
    if len(options) > 25:
        problems.length((*path, "options"), 0, 25)
    names: set[str] = set()
    optional_seen = False
    nested = [option.get("type") in (_SUB_COMMAND, _SUB_GROUP) for option in options]
    for index, option in enumerate(options):
        here = (*path, "options", index)
        _check_option(problems, here, option, depth=depth)
        if option.get("name") in names:
            text = "Option names must be unique"
            problems.add(here, "APPLICATION_COMMAND_OPTIONS_NAME_NOT_UNIQUE", text)
        names.add(str(option.get("name")))
        if option.get("required") and optional_seen:
            text = "Required options must be placed before non-required options"
            problems.add(here, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", text)
        optional_seen = optional_seen or not option.get("required")
        if any(nested) and not nested[index]:
            text = "Sub-command and sub-command group option types are mutually exclusive"
            problems.add(here, "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", text)


def _check_option(problems: Problems, path: Path, option: JSON, *, depth: int) -> None:
    kind = option.get("type")
    if (
        kind not in range(1, 12)
        or (kind == _SUB_GROUP and depth > 0)
        or (kind == _SUB_COMMAND and depth > 1)
    ):
        text = "Value is not a type that an option can have here."
        problems.add((*path, "type"), "BASE_TYPE_CHOICES", text)
        return
    _check_named(problems, path, option)
    if kind in (_SUB_COMMAND, _SUB_GROUP):
        _check_options(problems, path, option.get("options") or [], depth=depth + 1)
        return
    choices = option.get("choices") or []
    if choices and option.get("autocomplete"):
        text = "Autocomplete and choices are mutually exclusive"
        problems.add(path, "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_INVALID", text)
    if len(choices) > 25:
        problems.length((*path, "choices"), 0, 25)
    for index, choice in enumerate(choices):
        _check_choice(problems, (*path, "choices", index), choice, int(kind or 0))


def _check_choice(problems: Problems, path: Path, choice: JSON, kind: int) -> None:
    _check_length(problems, (*path, "name"), choice.get("name"), 1, 100)
    for here, text in _localized(problems, path, choice, "name"):
        _check_length(problems, here, text, 1, 100)
    value = choice.get("value")
    if kind == _STRING:
        _check_length(problems, (*path, "value"), value, 1, 100)
    elif kind == _INTEGER and (isinstance(value, bool) or not isinstance(value, int)):
        problems.add((*path, "value"), "NUMBER_TYPE_COERCE", f'Value "{value}" is not int.')
    elif kind == _NUMBER and not isinstance(value, int | float):
        problems.add((*path, "value"), "NUMBER_TYPE_COERCE", f'Value "{value}" is not float.')


def _weight(part: JSON) -> int:
    """Return the characters that count towards a command's 8000.

    Of a text and its translations the longest one counts.
    """
    own = _longest(part, "name") + _longest(part, "description")
    for choice in part.get("choices") or []:
        own += _longest(choice, "name") + len(str(choice.get("value")))
    return own + sum(_weight(option) for option in part.get("options") or [])


def _longest(part: JSON, field: str) -> int:
    texts = [part.get(field) or "", *(part.get(f"{field}_localizations") or {}).values()]
    return max(len(str(each)) for each in texts)


def stored_command(
    command: JSON, *, identifier: int, application_id: int, version: int, guild_id: int | None
) -> JSON:
    """Return a command as Discord gives it back, with every field filled in."""
    kind = command.get("type") or CHAT
    body: JSON = {
        "id": str(identifier),
        "application_id": str(application_id),
        "version": str(version),
        "type": kind,
        "name": command["name"],
        "name_localizations": command.get("name_localizations"),
        "description": command.get("description") or "",
        "description_localizations": command.get("description_localizations"),
        "default_member_permissions": command.get("default_member_permissions"),
        "dm_permission": command.get("dm_permission", True),
        "nsfw": bool(command.get("nsfw")),
    }
    if command.get("options"):
        body["options"] = [_stored_option(option) for option in command["options"]]
    if guild_id is None:
        body["contexts"] = command.get("contexts")
        body["integration_types"] = command.get("integration_types") or [0]
    else:
        body["guild_id"] = str(guild_id)
    permissions = body["default_member_permissions"]
    body["default_member_permissions"] = None if permissions is None else str(permissions)
    return body


def _stored_option(option: JSON) -> JSON:
    kept = {key: value for key, value in option.items() if value not in (None, [], False)}
    if "options" in kept:
        kept["options"] = [_stored_option(each) for each in kept["options"]]
    return kept
