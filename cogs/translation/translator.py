"""Commands in the languages of Discord's clients, through the library's own translator."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.app_commands import TranslationContextLocation as Location

from bot.language.catalogues import catalogue
from bot.language.commands import CHOICE, COMMAND, DESCRIPTION, MENU, OPTION

CONTEXTS = {
    Location.command_name: COMMAND,
    Location.group_name: COMMAND,
    Location.parameter_name: OPTION,
    Location.command_description: DESCRIPTION,
    Location.group_description: DESCRIPTION,
    Location.parameter_description: DESCRIPTION,
    Location.choice_name: CHOICE,
}

LOCALES = {
    discord.Locale.german: "de",
    discord.Locale.russian: "ru",
}
"""Which of Discord's locales are spoken; whatever is not here is shown in English."""


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
