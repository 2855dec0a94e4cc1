"""The texts of all commands: they are in classes, not in calls, so the classes are looked at."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from discord import app_commands
from discord.ext import commands

from bot.language.commands import CHOICE, COMMAND, DESCRIPTION, MENU, OPTION


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandText:
    """A text of a command.

    Attributes:
        context: What it is for: one of the constants of `bot.language.commands`.
        text: In English.
        path: The file it is in.
    """

    context: str
    text: str
    path: str


def command_texts(packages: Sequence[str]) -> list[CommandText]:
    """Return the texts of all commands that the extensions `packages` define."""
    found: list[CommandText] = []
    for module in _modules(packages):
        path = module.__name__.replace(".", "/") + ".py"
        for command in _commands_of(module):
            found += [
                CommandText(context=context, text=text, path=path)
                for context, text in _texts_of(command)
            ]
    return found


def _modules(packages: Sequence[str]) -> Iterator[ModuleType]:
    for name in sorted(packages):
        package = importlib.import_module(name)
        yield package
        for each in pkgutil.iter_modules(package.__path__, f"{name}."):
            yield importlib.import_module(each.name)


def _commands_of(module: ModuleType) -> Iterator[Any]:
    for value in vars(module).values():
        if isinstance(value, app_commands.ContextMenu):
            yield value
        elif (
            isinstance(value, type)
            and issubclass(value, commands.Cog)
            and value.__module__ == module.__name__
        ):
            if value.__cog_is_app_commands_group__:
                yield _GroupOf(value)
            yield from value.__cog_app_commands__


@dataclass(frozen=True, slots=True)
class _GroupOf:
    """A cog whose commands share a first word; the group is made with the cog only."""

    cog: type[commands.Cog]


def _texts_of(command: Any) -> Iterator[tuple[str, str]]:
    if isinstance(command, app_commands.ContextMenu):
        yield MENU, command.name
        return
    if isinstance(command, _GroupOf):
        yield COMMAND, str(command.cog.__cog_group_name__)
        yield DESCRIPTION, str(command.cog.__cog_group_description__)
        return
    yield COMMAND, command.name
    yield DESCRIPTION, command.description
    if isinstance(command, app_commands.Group):
        for inner in command.commands:
            yield from _texts_of(inner)
        return
    for option in command.parameters:
        yield OPTION, option.display_name
        yield DESCRIPTION, str(option.description)
        for choice in option.choices:
            yield CHOICE, choice.name
