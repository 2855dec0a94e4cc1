"""Bringing the panels onto the screen, in the colours and the language that were just chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import discord

from bot.language import _, speaking
from bot.model.errors import PlayerError
from bot.model.preferences import ServerSettings
from bot.render import DARK, THEMES
from bot.render.presentation import Presentation
from cogs.answering import answer, update_clicked
from cogs.audience import own_presentation
from cogs.settings import texts
from cogs.settings.layout import rules_panel, wishes_panel

if TYPE_CHECKING:
    from bot.client import GameBot


class NoServerError(PlayerError):
    """Something for a server was wanted where there is none, or none that the bot is in."""

    def __init__(self) -> None:
        super().__init__(_("This is for servers that have invited me: use it in one of those."))


class NotManagerError(PlayerError):
    """Whoever wants to set something for a server does not manage it."""

    def __init__(self) -> None:
        super().__init__(
            _("Only those who may manage this server (*Manage Server*) can change its settings.")
        )


def managed_server(interaction: discord.Interaction[GameBot]) -> discord.Guild:
    """Return the server in which somebody who manages it is clicking.

    Discord hides the command from others unless it was told not to; who has lost the right
    since the panel was opened still has its menus.

    Raises:
        PlayerError: If there is no server here, or they do not manage it.
    """
    guild_id = interaction.guild_id
    guild = None if guild_id is None else interaction.client.get_guild(guild_id)
    if guild is None:
        raise NoServerError
    if not interaction.permissions.manage_guild:
        raise NotManagerError
    return guild


async def show_wishes(interaction: discord.Interaction[GameBot]) -> None:
    """Show a player's panel, in the message that was clicked if there is one."""
    presentation = await own_presentation(interaction)
    wanted = await interaction.client.preferences.of(interaction.user.id)
    with speaking(presentation.language):
        view, image = await wishes_panel(wanted, presentation)
    await _show(interaction, view, image)


async def show_rules(interaction: discord.Interaction[GameBot], guild: discord.Guild) -> None:
    """Show a server's panel, in the message that was clicked if there is one."""
    own = await own_presentation(interaction)
    settings = await interaction.client.servers.of(guild.id)
    # The words are for whoever sets it, the picture is what the others will see.
    presentation = Presentation(theme=THEMES[settings.theme or DARK.key], language=own.language)
    view, image = await rules_panel(settings, guild, presentation, _notes(interaction, settings))
    await _show(interaction, view, image)


def _notes(interaction: discord.Interaction[GameBot], settings: ServerSettings) -> Sequence[str]:
    may = interaction.app_permissions
    if settings.threads and not (may.create_public_threads and may.send_messages_in_threads):
        return [texts.no_threads_here()]
    return []


async def _show(
    interaction: discord.Interaction[GameBot], view: discord.ui.LayoutView, image: discord.File
) -> None:
    if interaction.message is None:
        await answer(interaction, view=view, files=[image], ephemeral=True)
    else:
        await update_clicked(interaction, view=view, files=[image])
