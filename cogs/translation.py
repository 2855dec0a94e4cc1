"""The commands in their users' languages, through discord.py's own translator.

Their texts are in classes, not in calls, so the catalogues' tool gets them from `command_texts`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import discord
from discord import app_commands
from discord.app_commands import TranslationContextLocation as Location
from discord.ext import commands

from bot.client import GameBot
from bot.language.catalogues import catalogue
from bot.language.checking import CHOICE, COMMAND, DESCRIPTION, MENU, OPTION

CONTEXTS = {
    Location.command_name: COMMAND,
    Location.group_name: COMMAND,
    Location.parameter_name: OPTION,
    Location.command_description: DESCRIPTION,
    Location.group_description: DESCRIPTION,
    Location.parameter_description: DESCRIPTION,
    Location.choice_name: CHOICE,
}

LOCALES = {discord.Locale.german: "de", discord.Locale.russian: "ru"}
"""The supported ones of Discord's locales; in others, commands are shown in English."""


class CommandTranslator(app_commands.Translator):
    """Looks up the names, descriptions and choices of commands in the catalogues."""

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        """Return a text in a language; None leaves it as it is."""
        language = LOCALES.get(locale)
        kind = CONTEXTS.get(context.location)
        if language is None or kind is None:
            return None
        if isinstance(context.data, app_commands.ContextMenu):
            kind = MENU
        translated = catalogue(language).pgettext(kind, string.message)
        return None if translated == string.message else translated


def command_texts(extensions: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the texts of all commands that `extensions`, modules or packages, define.

    Each comes after its file, from the root of the repository, and before its context, one of the
    constants of `bot.language.checking`.
    """
    for module in _modules(extensions):
        assert module.__file__ is not None, "it was read from there"
        path = Path(module.__file__).relative_to(Path(__file__).parents[1]).as_posix()
        for command in _commands_of(module):
            for context, text in _texts_of(command):
                yield path, text, context


def _modules(extensions: Sequence[str]) -> Iterator[ModuleType]:
    for name in sorted(extensions):
        extension = importlib.import_module(name)
        yield extension
        for each in pkgutil.iter_modules(getattr(extension, "__path__", ()), f"{name}."):
            yield importlib.import_module(each.name)


def _commands_of(module: ModuleType) -> Iterator[Any]:
    for value in vars(module).values():
        if isinstance(value, app_commands.ContextMenu):
            if value.module == module.__name__:
                yield value
        elif (
            isinstance(value, type)
            and issubclass(value, commands.Cog)
            and value.__module__ == module.__name__
        ):
            if value.__cog_is_app_commands_group__:
                yield value  # the group is made with the cog only
            yield from value.__cog_app_commands__


def _texts_of(command: Any) -> Iterator[tuple[str, str]]:
    if isinstance(command, app_commands.ContextMenu):
        yield MENU, command.name
        return
    if isinstance(command, commands.CogMeta):
        yield COMMAND, str(command.__cog_group_name__)
        yield DESCRIPTION, str(command.__cog_group_description__)
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


async def setup(bot: GameBot) -> None:
    """Translate commands for every client that shows them."""
    await bot.tree.set_translator(CommandTranslator())
