"""`/export` and `/import`: games as text; and sharing what is shown in private."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable
from typing import Any, Final

import discord
from discord import app_commands
from discord.ext import commands
from discord.utils import escape_markdown

from bot.client import DISCORD_FAILURES, GameBot, Interaction
from bot.language import _, mark_of, mentioned, ngettext, number, pgettext, told
from bot.model.errors import PlayerError
from bot.model.exporting import record_of
from bot.model.match import Match
from bot.operations import HEAVY
from bot.render import BoardPicture, Theme
from bot.services.records import export_games, export_server, list_months, read_month
from bot.services.starting import start_from_record
from cogs.after import EXPORT, SHARE, Shared, look_again, result_card
from cogs.analysis.replays import post_replay
from cogs.analysis.reviews import post_review
from cogs.answering import (
    LONGEST_VIEW,
    GameItem,
    Verbatim,
    answer,
    answering,
    defer,
    fulfil,
    sealed,
)
from cogs.audience import own_presentation, person_of, shared_presentation
from cogs.options import (
    DEFAULT_LEVEL,
    LEVEL_CHOICES,
    MOST_CHOICES,
    complete_any_game,
    complete_variant,
    finished_game,
    game_meant,
    game_seen,
    read_variant,
)
from cogs.pages import board_image
from cogs.play.showing import redraw
from cogs.play.texts import heading_of
from cogs.settings.cog import require_manager
from engine import LevelNumber, O, Side, X, load_variant, shorten
from engine.records import EndReason, GameRecord, Result, format_record, parse_game

SIDE_CHOICES = [
    app_commands.Choice(name="X", value=X),
    app_commands.Choice(name="O", value=O),
]
GAME_HELP = "The number of any game; default: your latest in this channel"
LONGEST_RECORD = 6000
"""Discord's limit for an option, in characters; the longest strategic games need about 4,000."""

WINNERS = {Result.X_WINS: X, Result.O_WINS: O}

LARGEST_FILE: Final = 128 * 1024
"""In bytes; the longest games need 6 KiB, the rest is for comments and headers."""

READ_WITHIN_S: Final = 1.5
"""Half of the time that Discord gives for an answer."""


class Records(commands.Cog):
    """Game records, readable by people and programs."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot

    @app_commands.command(extras={"cost": HEAVY})
    @app_commands.describe(
        game=GAME_HELP,
        all_games="Get all your games as one file instead",
        server_games="Get all finished games of this server instead; needs Manage Server",
        month="Get everybody's finished games of a month instead, such as 2026-11",
    )
    @app_commands.autocomplete(game=complete_any_game)
    async def export(
        self,
        interaction: Interaction,
        game: int | None = None,
        all_games: bool = False,
        server_games: bool = False,
        month: str | None = None,
    ) -> None:
        """Get the record of a game as text and as a file."""
        async with answering(interaction):
            if (game is not None) + all_games + server_games + (month is not None) > 1:
                raise PlayerError(
                    _("Choose one: a game, all your games, all games of this server, or a month.")
                )
            bot = interaction.client
            stored = bot.matches.database, bot.drawing
            if all_games:
                said = _("All your games, the oldest first.")
                await _hand_over(interaction, said, export_games, *stored, interaction.user.id)
            elif server_games:
                guild_id = require_manager(interaction)
                said = _("All finished games of this server, the oldest first.")
                await _hand_over(interaction, said, export_server, *stored, guild_id)
            elif month is not None:
                said, folder = (
                    _("Everybody's games that ended in this month."),
                    bot.settings.games_folder,
                )
                await _hand_over(interaction, said, asyncio.to_thread, read_month, folder, month)
            elif game is None:
                await _hand_out(interaction, await game_meant(interaction, None))
            else:
                await _hand_out(interaction, await game_seen(interaction, game))

    @export.autocomplete("month")
    async def _complete_month(
        self, interaction: Interaction, current: str
    ) -> list[app_commands.Choice[str]]:
        months = await asyncio.to_thread(list_months, interaction.client.settings.games_folder)
        fitting = [each for each in reversed(months) if current in each][:MOST_CHOICES]
        return [app_commands.Choice(name=each, value=each) for each in fitting]

    @app_commands.command(name="import")
    @app_commands.describe(
        record="A game record as /export writes it, or just moves: 55 59 98",
        file="A game record as a file, instead of the text",
        variant="Which rules the moves are played by, if the record doesn't say; default: standard",
        level="How strong the computer plays on, from 1 to 10; default: 3",
        side="Which side you play; default: the side to move",
    )
    @app_commands.choices(level=LEVEL_CHOICES)
    @app_commands.choices(side=SIDE_CHOICES)
    @app_commands.autocomplete(variant=complete_variant)
    async def import_(
        self,
        interaction: Interaction,
        record: app_commands.Range[str, 1, LONGEST_RECORD] | None = None,
        file: discord.Attachment | None = None,
        variant: str | None = None,
        level: LevelNumber = DEFAULT_LEVEL,
        side: Side | None = None,
    ) -> None:
        """Play on from a game record against the computer, or view a finished one."""
        async with answering(interaction):
            text = await _given_text(record, file)
            # They apply to a text that names none.
            rules = None if variant is None else load_variant(read_variant(variant)).rules
            read = await asyncio.to_thread(parse_game, text, rules)
            if read.result != "*":
                view, image = await _finished(read, (await own_presentation(interaction)).theme)
                await answer(interaction, view=view, files=[image], ephemeral=True)
                return
            match = await start_from_record(
                self.bot.matches,
                read,
                person=person_of(interaction.user),
                side=read.game.position.side if side is None else side,
                level=level,
                channel_id=interaction.channel_id,
                guild_id=interaction.guild_id,
            )
            await redraw(interaction, match)


class ExportButton(GameItem, template=EXPORT):
    """Gives the record of a game as a file."""

    match_id: int

    async def pressed(self, interaction: Interaction) -> None:
        """Answer in private."""
        await _hand_out(interaction, await game_seen(interaction, self.match_id))


class ShareButton(GameItem, template=SHARE):
    """Shows to everybody here what somebody sees in private."""

    kind: str
    match_id: int
    cost = HEAVY

    async def pressed(self, interaction: Interaction) -> None:
        """Post it in the channel."""
        match = await finished_game(interaction, self.match_id)
        show = {
            Shared.RESULT: _post_result,
            Shared.REVIEW: post_review,
            Shared.REPLAY: post_replay,
        }[Shared(self.kind)]
        await show(interaction, match)


async def _given_text(record: str | None, file: discord.Attachment | None) -> str:
    """Return the text that was typed, or that of the file.

    Raises:
        PlayerError: If not exactly one of them is given, or the file cannot be read.
    """
    if record is not None and file is not None:
        raise PlayerError(_("Paste the text or attach the file, not both."))
    if file is not None:
        return _decoded(await _read(file))
    if record is None:
        raise PlayerError(
            _(
                "Paste a game record or its moves, such as `55 59 98`, or attach a record as a "
                "file: `/export` writes both."
            )
        )
    return record


async def _read(file: discord.Attachment) -> bytes:
    if file.size > LARGEST_FILE:
        words = _("This file is too large for a game record: {size} KB; the limit is {limit} KB.")
        size, limit = number(-(-file.size // 1024)), number(LARGEST_FILE // 1024)
        raise PlayerError(words.format(size=size, limit=limit))
    try:
        async with asyncio.timeout(READ_WITHIN_S):
            return await file.read()
    except DISCORD_FAILURES as error:
        raise PlayerError(
            _("I couldn't get this file from Discord: please try again, or paste its text.")
        ) from error


def _decoded(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        words = _("Line {line}: This is not UTF-8 text. Save the file as UTF-8 and try again.")
        raise PlayerError(words.format(line=line)) from None


def code_block(record: str, *, beside: str) -> list[Verbatim]:
    """Return a record to be copied from a message, or nothing if it is too long.

    The message says `beside` as well.
    """
    # A backtick in a name could end the block; written like this, it reads the same.
    content = record.rstrip("\n").replace("`", r"\u0060")
    block = f"```\n{content}\n```"
    return [Verbatim(block)] if len(block) + len(beside) <= LONGEST_VIEW else []


async def _hand_out(interaction: Interaction, match: Match) -> None:
    """Answer in private with the record of a game."""
    name = f"game-{match.id}.uttt"
    text = format_record(record_of(match))
    file = discord.File(io.BytesIO(text.encode()), filename=name)
    said = _("The record of game {number}. `/import` plays on from it.").format(number=match.id)
    shown = code_block(text, beside=mentioned(said))
    view = sealed(said, *shown, discord.ui.File[Any](f"attachment://{name}"))
    await answer(interaction, view=view, files=[file], ephemeral=True)


async def _hand_over(
    interaction: Interaction,
    said: str,
    export: Callable[..., Awaitable[tuple[str, bytes]]],
    *given: Any,
) -> None:
    """Answer in private with a file that `export` makes; it may take a while."""
    await defer(interaction, ephemeral=True, thinking=True)
    name, content = await export(*given, interaction.filesize_limit)
    file = discord.File(io.BytesIO(content), filename=name)
    view = sealed(said, discord.ui.File[Any](f"attachment://{name}"))
    await fulfil(interaction, view=view, files=[file])


async def _post_result(interaction: Interaction, match: Match) -> None:
    """Answer with the card of a result, for everybody."""
    rating = await interaction.client.ratings.changes_of(match.id)
    presentation = await shared_presentation(interaction)
    with presentation.spoken():
        gallery, file = await asyncio.to_thread(result_card, match, rating, presentation.theme)
        heading = _("### {name} shares game {number}").format(
            name=escape_markdown(interaction.user.display_name), number=match.id
        )
        view = sealed(heading, gallery, look_again(match))
    await answer(interaction, view=view, files=[file])


async def _finished(record: GameRecord, theme: Theme) -> tuple[discord.ui.LayoutView, discord.File]:
    """Show how a recorded game ended, and say that it cannot be played on."""
    game = record.game
    board = BoardPicture(
        position=game.position,
        names=record.players,
        status=_ending(record) if game.outcome is None else None,
        is_over=True,
        winner=WINNERS.get(record.result),
        theme=theme,
    )
    gallery, file = await board_image("record.png", board)
    # A record's names may be longer than a message.
    x, o = (escape_markdown(shorten(name)) for name in record.players)
    heading = heading_of((x, o))
    if record.date:
        heading += f" · {record.date:%Y-%m-%d}"
    moves = ngettext("{count} move", "{count} moves", len(record.moves))
    played = f"{moves.format(count=len(record.moves))}, {_ending(record)}."
    advice = _(
        "This game is finished: there is nothing to play on. Leave the result out (`*`) and some "
        "moves off to try from an earlier position."
    )
    return sealed(f"{heading}\n{played} {advice}", gallery), file


def _ending(record: GameRecord) -> str:
    """Say in a few words how a game ended."""
    winner = WINNERS.get(record.result)
    result = (
        told(record.result.sentence)
        if winner is None
        else _("{mark} wins").format(mark=mark_of(winner))
    )
    if not record.end:
        return result
    # A record may name reasons in words of its own.
    known: dict[str, str] = {
        EndReason.BOARD: pgettext("how a game ended", "on the board"),
        EndReason.RESIGNED: pgettext("how a game ended", "resigned"),
        EndReason.TIME: pgettext("how a game ended", "out of time"),
        EndReason.AGREED: pgettext("how a game ended", "agreed"),
        EndReason.ANNULLED: pgettext("how a game ended", "annulled"),
    }
    return f"{result} ({known.get(record.end, shorten(record.end))})"


BUTTONS = (ExportButton, ShareButton)


async def setup(bot: GameBot) -> None:
    """Add the commands and make every button ever sent work again."""
    bot.add_dynamic_items(*BUTTONS)
    await bot.add_cog(Records(bot))
