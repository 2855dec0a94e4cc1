"""What the buttons under `/privacy` do. Their messages are private: only their reader presses."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import discord

from bot.services.personal_data import packed
from bot.storage.outdated import Outdated, Shown
from cogs.answering import GameButton, answer, defer, fulfil, update_clicked
from cogs.privacy import ids
from cogs.privacy.layout import deleted_view, file_view, kept_view, question_view
from cogs.privacy.leftovers import edit

if TYPE_CHECKING:
    from bot.client import GameBot
    from bot.services.privacy import Erased


class GetButton(GameButton, template=ids.GET):
    """Hands one's data out."""

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Answer with the file, which may take a while to write."""
        await defer(interaction, ephemeral=True, thinking=True)
        found = await interaction.client.privacy.export(interaction.user.id)
        name, content = packed(found, interaction.filesize_limit)
        file = discord.File(io.BytesIO(content), filename=name)
        await fulfil(interaction, view=file_view(name), files=[file])


class DeleteButton(GameButton, template=ids.DELETE):
    """Asks whether to delete one's data."""

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Say what would be lost, and ask."""
        found = await interaction.client.privacy.holdings_of(interaction.user.id)
        await answer(interaction, view=question_view(found), ephemeral=True)


class ReallyDeleteButton(GameButton, template=ids.REALLY_DELETE):
    """Deletes one's data."""

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Delete everything, say so, and show others what has changed for them."""
        await defer(interaction)
        erased = await interaction.client.privacy.erase(interaction.user.id)
        await fulfil(interaction, view=deleted_view(erased))
        await _show_endings(interaction.client, erased)
        interaction.client.dispatch("erased")


class KeepButton(GameButton, template=ids.KEEP):
    """Leaves everything as it is."""

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Put an end to the question."""
        await update_clicked(interaction, view=kept_view())


async def _show_endings(bot: GameBot, erased: Erased) -> None:
    """Show the games that were given up and the challenges that were closed as they are now."""
    for number in erased.matches:
        await edit(bot, Outdated(Shown.MATCH, number))
    for number in erased.challenges:
        await edit(bot, Outdated(Shown.CHALLENGE, number))


BUTTONS = (GetButton, DeleteButton, ReallyDeleteButton, KeepButton)
