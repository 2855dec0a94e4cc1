"""The reference of all commands, generated from their definitions for Discord."""

from __future__ import annotations

import tempfile
from typing import Any, Final

from bot.app import application
from bot.settings import Settings

_KINDS: Final = {
    3: "a text",
    4: "a whole number",
    5: "yes or no",
    6: "a person",
    7: "a channel",
    8: "a role",
    10: "a number",
    11: "a file",
}
_SUBCOMMAND: Final = (1, 2)
_SLASH, _ON_USER, _ON_MESSAGE = 1, 2, 3
_IN_SERVERS: Final = [0]
_MANAGE_SERVER: Final = 1 << 5

_LONGEST_CELL: Final = 100

_HEAD: Final = """\
# Commands

Every command with every option, as Discord offers them. Written by `make docs` from the commands
themselves: change what they say there, not here. In other languages Discord shows them translated.
"""

Command = dict[str, Any]


async def load_commands() -> list[Command]:
    """Return the definitions of the commands for Discord, in order of their names."""
    with tempfile.TemporaryDirectory() as folder:
        # The real bot, which never goes online here.
        settings = Settings(
            _env_file=None,
            database_url=f"sqlite+aiosqlite:///{folder}/none.sqlite3",
            computer_threads=1,
        )
        async with application(settings) as bot:
            await bot.load_features()
            payload = [command.to_dict(bot.tree) for command in bot.tree.get_commands()]
    return sorted(payload, key=lambda command: (command["type"], command["name"]))


def format_reference(commands: list[Command]) -> str:
    """Write the reference as Markdown."""
    sections = [_HEAD]
    for command in commands:
        if _is_group(command):
            sections.append(f"## `/{command['name']} ...`\n\n{command['description']}\n")
        for name, each in _leaves(command):
            sections.append("\n".join(_section(name, each, command)) + "\n")
    return "\n".join(sections)


def _leaves(command: Command, above: str = "") -> list[tuple[str, Command]]:
    """Return the usable commands: the command itself, or those of a group."""
    name = f"{above} {command['name']}".strip()
    if not _is_group(command):
        return [(name, command)]
    return [leaf for each in command["options"] for leaf in _leaves(each, name)]


def _is_group(command: Command) -> bool:
    return any(each["type"] in _SUBCOMMAND for each in command.get("options", []))


def _section(name: str, command: Command, top: Command) -> list[str]:
    if top["type"] == _SLASH:
        lines = [f"## `/{name}`", "", command["description"]]
    else:
        where = "person" if top["type"] == _ON_USER else "message"
        lines = [f"## {name}", "", f"In the menu of a {where}, under *Apps*."]
    lines += _limits(top)
    options = command.get("options", [])
    if options:
        lines += ["", "| option | what | takes |", "|---|---|---|"]
        lines += [_option(option) for option in options]
    for option in options:
        if _is_long(option):
            lines += ["", f"`{option['name']}` takes one of"]
            lines += ["", *(f"- {choice['name']}" for choice in option["choices"])]
    return lines


def _limits(top: Command) -> list[str]:
    limits = []
    if top.get("contexts") == _IN_SERVERS:
        limits.append("In servers only.")
    needed = top.get("default_member_permissions")
    if needed is not None and int(needed) & _MANAGE_SERVER:
        limits.append("For those who may manage the server.")
    return ["", " ".join(limits)] if limits else []


def _option(option: Command) -> str:
    name = f"`{option['name']}`" + (" (needed)" if option.get("required") else "")
    return f"| {name} | {_cell(option['description'])} | {_cell(_takes(option))} |"


def _takes(option: Command) -> str:
    choices = option.get("choices")
    if _is_long(option):
        return "one of the list below"
    if choices:
        return "one of: " + "; ".join(choice["name"] for choice in choices)
    words = _KINDS[option["type"]]
    least, most = option.get("min_value"), option.get("max_value")
    if least is not None or most is not None:
        words += f" from {least} to {most}" if most is not None else f" from {least}"
    if option.get("max_length"):
        words += f" of at most {option['max_length']} characters"
    return words + (", completed as you type" if option.get("autocomplete") else "")


def _is_long(option: Command) -> bool:
    """Return whether the choices of an option are too much for a table cell."""
    return sum(len(choice["name"]) for choice in option.get("choices", [])) > _LONGEST_CELL


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
