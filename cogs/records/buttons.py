"""The buttons that take a finished game along, and that show it to others."""

from __future__ import annotations

import asyncio
import io
from typing import TYPE_CHECKING, Any, Self

import discord

from bot.language import speaking
from bot.model.match import Match
from bot.render import describe_result, draw_result
from cogs import after
from cogs.after import Shared, look_again, result_picture
from cogs.analysis.pages import finished_game, post_replay, post_review
from cogs.answering import GameButton, answer
from cogs.audience import shared_presentation
from cogs.games import game_seen
from cogs.records import texts
from cogs.records.files import record_message
from cogs.views import sealed

if TYPE_CHECKING:
    import re

    from bot.client import GameBot

RESULT_NAME = "result.png"

Item = discord.ui.Button[Any]


class ExportButton(GameButton, template=after.EXPORT):
    """Gives the record of a game as a file."""

    def __init__(self, item: Item, *, match_id: int) -> None:
        super().__init__(item)
        self.match_id = match_id

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Answer in private."""
        view, file = record_message(await game_seen(interaction, self.match_id))
        await answer(interaction, view=view, files=[file], ephemeral=True)


class ShareButton(GameButton, template=after.SHARE):
    """Shows to everybody here what somebody sees in private."""

    def __init__(self, item: Item, *, kind: str, match_id: int) -> None:
        super().__init__(item)
        self.kind, self.match_id = Shared(kind), match_id

    @classmethod
    async def from_custom_id(
        cls,
        interaction: discord.Interaction[Any],
        item: discord.ui.Item[Any],
        match: re.Match[str],
        /,
    ) -> Self:
        """Build the button again: what is shared is a word."""
        assert isinstance(item, discord.ui.Button), "the templates are those of buttons"
        return cls(item, kind=match["kind"], match_id=int(match["match_id"]))

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Post it in the channel."""
        match = await finished_game(interaction, self.match_id)
        show = {
            Shared.RESULT: _post_result,
            Shared.REVIEW: post_review,
            Shared.REPLAY: post_replay,
        }[self.kind]
        await show(interaction, match)


async def _post_result(interaction: discord.Interaction[GameBot], match: Match) -> None:
    """Answer with the card of a result, for everybody."""
    rating = await interaction.client.ratings.changes_of(match.id)
    presentation = await shared_presentation(interaction)
    with speaking(presentation.language):
        picture = result_picture(match, rating, presentation.theme)
        png = await asyncio.to_thread(draw_result, picture)
        alt = describe_result(picture)
        image = discord.MediaGalleryItem(f"attachment://{RESULT_NAME}", description=alt)
        view = sealed(
            discord.ui.TextDisplay(texts.shared(match, interaction.user.display_name)),
            discord.ui.MediaGallery[Any](image),
            discord.ui.ActionRow(*look_again(match)),
        )
    file = discord.File(io.BytesIO(png), filename=RESULT_NAME)
    await answer(interaction, view=view, files=[file])


BUTTONS = (ExportButton, ShareButton)
