"""`/replay`: a finished game as an animation."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands
from discord.utils import escape_markdown

from bot.client import Interaction
from bot.language import _, mark_of, told
from bot.model.match import Match
from bot.operations import HEAVY
from bot.render import Replay, Theme, captions, describe_replay, draw_replay
from cogs.after import MATCH, Shared, share_button
from cogs.analysis.steps import positions_of
from cogs.answering import GameItem, answering, defer, fulfil, picture, sealed
from cogs.audience import own_presentation, shared_presentation, told_names
from cogs.options import ANY_GAME_HELP, complete_any_game, finished_game
from cogs.play.texts import image_status, seated
from engine import O, X


class Replays(commands.Cog):
    """Games shown again."""

    @app_commands.command(extras={"cost": HEAVY})
    @app_commands.describe(game=ANY_GAME_HELP)
    @app_commands.autocomplete(game=complete_any_game)
    async def replay(self, interaction: Interaction, game: int | None = None) -> None:
        """Watch an animated replay of a finished game."""
        async with answering(interaction):
            await post_replay(interaction, await finished_game(interaction, game))


class ReplayButton(GameItem, template=rf"replay:{MATCH}"):
    """Shows a finished game again."""

    match_id: int
    cost = HEAVY

    async def pressed(self, interaction: Interaction) -> None:
        """Answer in private; what is shown can be shared."""
        match = await finished_game(interaction, self.match_id)
        await post_replay(interaction, match, private=True)


async def post_replay(interaction: Interaction, match: Match, *, private: bool = False) -> None:
    """Answer with a replay; with `private` only the user sees it, and may share it."""
    await defer(interaction, ephemeral=private, thinking=True)
    chances = await interaction.client.reviews.chances_of(match.id)
    presentation = await (own_presentation if private else shared_presentation)(interaction)
    with presentation.spoken():
        film = await interaction.client.drawing.run(
            draw_film, match, chances, presentation.theme, who=interaction.user.id
        )
        gallery, file = picture("replay.gif", *film)
        share = [[share_button(match, Shared.REPLAY)]] if private else []
        view = sealed(_describe_film(match, has_bar=chances is not None), gallery, *share)
    await fulfil(interaction, view=view, files=[file])


def draw_film(match: Match, chances: tuple[float, ...] | None, theme: Theme) -> tuple[bytes, str]:
    """Animate a finished match, with a bar if it was reviewed; return it and its alt text."""
    positions = positions_of(match)
    names, ended = told_names(match), image_status(match, (mark_of(X), mark_of(O)))
    off_board = match.outcome is None
    film = Replay(
        positions,
        names=names,
        evaluations=chances if chances and len(chances) == len(positions) else None,
        status=ended,
        is_over=off_board,
        winner=match.winner if off_board else None,
        theme=theme,
        captions=captions(),
    )
    return draw_replay(film), describe_replay(film)


def _describe_film(match: Match, *, has_bar: bool) -> str:
    """Name the game, and say how to make its replay show the chances."""
    x, o = map(escape_markdown, told_names(match))
    words = _("### Game {number}: {x} ({x_mark}) against {o} ({o_mark})")
    heading = words.format(number=match.id, **seated((x, o)))
    said = f"{heading}\n{told(match.result_in_words)}."
    if not has_bar:
        note = _("-# After a `/review` of this game its replay shows the chances as well.")
        said += f"\n{note}"
    return said


BUTTONS = (ReplayButton,)
