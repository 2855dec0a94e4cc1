"""Discord's rules for application commands, and the form in which it stores them."""

from __future__ import annotations

from collections import Counter
from typing import Any

from .errors import Path, Problems, check_shapes
from .model import JSON, LOCALES

CHAT, USER, MESSAGE = 1, 2, 3
MAX_COMMANDS = {CHAT: 100, USER: 15, MESSAGE: 15}
_SUB_COMMAND, _SUB_GROUP = 1, 2
_STRING, _INTEGER, _NUMBER = 3, 4, 10
_NAME_RULE = (
    "Command name is invalid: it has 1 to 32 letters, digits, apostrophes, underscores or "
    "hyphens, in lower case"
)


def check_commands(commands: list[Any]) -> None:
    """Check commands that are to replace all of a scope, or refuse them with 50035."""
    for index, command in enumerate(commands):
        check_shapes(command, (index,))
    problems = Problems()
    seen: set[tuple[int, str]] = set()
    for index, command in enumerate(commands):
        _check_command(problems, (index,), command)
        key = (command.get("type") or CHAT, str(command.get("name")))
        if key in seen:
            text = "Application command names must be unique"
            problems.add((index,), "APPLICATION_COMMANDS_DUPLICATE_NAME", text)
        seen.add(key)
    counts = Counter(kind for kind, _ in seen)
    for kind, most in MAX_COMMANDS.items():
        problems.length((), range(counts[kind]), 0, most)
    problems.raise_if_any()


def check_one(command: JSON) -> None:
    """Check one command, or refuse it with 50035."""
    check_shapes(command)
    problems = Problems()
    _check_command(problems, (), command)
    problems.raise_if_any()


def _check_command(problems: Problems, path: Path, command: JSON) -> None:
    kind = command.get("type") or CHAT
    if not problems.one_of((*path, "type"), kind, MAX_COMMANDS):
        return
    if kind == CHAT:
        _check_named(problems, path, command)
        _check_options(problems, path, command.get("options") or [], depth=0)
        if _weight(command) > 8000:
            text = "Command exceeds maximum size (8000)"
            problems.add(path, "APPLICATION_COMMAND_TOO_LARGE", text)
    else:
        _check_lengths(problems, path, command, "name", 32)
        if command.get("description"):
            code = "APPLICATION_COMMANDS_CONTEXT_MENU_CANNOT_HAVE_DESCRIPTION"
            text = "Context menu commands cannot have description"
            problems.add((*path, "description"), code, text)
    # A number, or its digits: both are in use.
    bits = command.get("default_member_permissions")
    if isinstance(bits, bool) or not (bits is None or str(bits).isdigit()):
        here = (*path, "default_member_permissions")
        problems.add(here, "NUMBER_TYPE_COERCE", f'Value "{bits}" is not int.')
    for key, allowed in (("contexts", (0, 1, 2)), ("integration_types", (0, 1))):
        for index, value in enumerate(command.get(key) or []):
            problems.one_of((*path, key, index), value, allowed)


def _check_named(problems: Problems, path: Path, part: JSON) -> None:
    """Check the name and description of a command or option, in every language."""
    for here, name in _in_every_language(problems, path, part, "name"):
        if not isinstance(name, str):
            problems.require(here)
            continue
        letters = name.replace("-", "").replace("_", "").replace("'", "")
        fits = 1 <= len(name) <= 32 and (not letters or letters.isalnum()) and name == name.lower()
        if not fits:
            problems.add(here, "APPLICATION_COMMAND_INVALID_NAME", _NAME_RULE)
    _check_lengths(problems, path, part, "description", 100)


def _check_lengths(problems: Problems, path: Path, part: JSON, field: str, high: int) -> None:
    """Check that a text is there and has up to `high` characters, in every language."""
    for here, text in _in_every_language(problems, path, part, field):
        if text is None:
            problems.require(here)
        else:
            problems.length(here, str(text), 1, high)


def _in_every_language(
    problems: Problems, path: Path, part: JSON, field: str
) -> list[tuple[Path, Any]]:
    """Return a field and its translations with their paths, and note unknown languages."""
    key = f"{field}_localizations"
    found: list[tuple[Path, Any]] = [((*path, field), part.get(field))]
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


def _check_options(problems: Problems, path: Path, options: list[JSON], *, depth: int) -> None:
    path = (*path, "options")
    problems.length(path, options, 0, 25)
    names: set[str] = set()
    optional_seen = False
    nested = [option.get("type") in (_SUB_COMMAND, _SUB_GROUP) for option in options]
    for index, option in enumerate(options):
        here = (*path, index)
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
    # A group holds subcommands, and only the command itself holds groups.
    deepest = {_SUB_GROUP: 0, _SUB_COMMAND: 1}.get(int(kind or 0), depth)
    if kind not in range(1, 12) or depth > deepest:
        text = "Value is not a type that an option can have here."
        problems.add((*path, "type"), "BASE_TYPE_CHOICES", text)
        return
    _check_named(problems, path, option)
    if kind in (_SUB_COMMAND, _SUB_GROUP):
        _check_options(problems, path, option.get("options") or [], depth=depth + 1)
        return
    choices, here = option.get("choices") or [], (*path, "choices")
    if choices and option.get("autocomplete"):
        text = "Autocomplete and choices are mutually exclusive"
        problems.add(path, "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_INVALID", text)
    problems.length(here, choices, 0, 25)
    for index, choice in enumerate(choices):
        _check_choice(problems, (*here, index), choice, int(kind or 0))


def _check_choice(problems: Problems, path: Path, choice: JSON, kind: int) -> None:
    _check_lengths(problems, path, choice, "name", 100)
    value, here = choice.get("value"), (*path, "value")
    if kind == _STRING and value is None:
        problems.require(here)
    elif kind == _STRING:
        problems.length(here, str(value or ""), 1, 100)
    elif kind == _INTEGER and (isinstance(value, bool) or not isinstance(value, int)):
        problems.add(here, "NUMBER_TYPE_COERCE", f'Value "{value}" is not int.')
    elif kind == _NUMBER and not isinstance(value, int | float):
        problems.add(here, "NUMBER_TYPE_COERCE", f'Value "{value}" is not float.')


def _weight(part: JSON) -> int:
    """Return how many characters count towards a command's limit of 8000.

    Of a text and its translations only the longest counts.
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
    """Return a command as Discord returns it, with every field filled in."""
    permissions = command.get("default_member_permissions")
    body: JSON = {
        "id": str(identifier),
        "application_id": str(application_id),
        "version": str(version),
        "type": command.get("type") or CHAT,
        "name": command["name"],
        "name_localizations": command.get("name_localizations"),
        "description": command.get("description") or "",
        "description_localizations": command.get("description_localizations"),
        "default_member_permissions": None if permissions is None else str(permissions),
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
    return body


def _stored_option(option: JSON) -> JSON:
    kept = {key: value for key, value in option.items() if value not in (None, [], False)}
    if "options" in kept:
        kept["options"] = [_stored_option(each) for each in kept["options"]]
    return kept
