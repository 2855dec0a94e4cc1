"""`/hint`: the best moves drawn on the board, each with a button that plays it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands
from discord.utils import escape_markdown

from bot.client import Interaction
from bot.language import _, label, mark_of, ngettext, percent, told
from bot.model.actions import Play
from bot.model.errors import MatchError, MatchOverError, NotYourTurnError
from bot.model.match import Match
from bot.operations import HEAVY
from bot.render import Advice, BoardPicture, CellNote, Theme, describe_position, draw_board
from bot.render.describe import cell_name
from cogs.answering import (
    GameItem,
    answering,
    boxed,
    button,
    defer,
    fulfil,
    picture,
    sealed,
    update_clicked,
)
from cogs.audience import own_presentation, told_names
from cogs.options import GAME_HELP, complete_game, game_meant, is_turn_of
from cogs.play.buttons import MatchButton
from cogs.play.layout import MATCH, PLY, REVISION, chosen_path
from cogs.play.showing import message_link, redraw, show_match
from cogs.play.texts import text_board
from engine import Cell, Hint, Ply, Position, Proof, format_move, other


class Hints(commands.Cog):
    """The engine's advice."""

    @app_commands.command(extras={"cost": HEAVY})
    @app_commands.describe(game=GAME_HELP)
    @app_commands.autocomplete(game=complete_game)
    async def hint(self, interaction: Interaction, game: int | None = None) -> None:
        """See the three best moves on the board and play one of them, in private."""
        async with answering(interaction):
            await post_hints(interaction, await game_meant(interaction, game))


class HintButton(GameItem, template=rf"hint:{MATCH}"):
    """Shows the best moves of a game against the computer."""

    match_id: int
    cost = HEAVY

    async def pressed(self, interaction: Interaction) -> None:
        """Answer in private; what was pressed stays as it is."""
        await post_hints(interaction, await game_meant(interaction, self.match_id))


class HintedButton(MatchButton, template=rf"hinted:{MATCH}:{PLY}:{REVISION}:(?P<move>\d{{1,3}})"):
    """Plays a move that was recommended."""

    move: int

    def claimed(self, interaction: Interaction) -> AbstractContextManager[None]:
        """Leave the board to the publisher: the answer is another message."""
        del interaction
        return nullcontext()

    async def pressed(self, interaction: Interaction) -> None:
        """Store the move as a click on its cell would, and say what has come of it."""
        bot = interaction.client
        late_by = bot.arrivals.time_of(interaction).late_by
        try:
            match = await bot.matches.perform(
                self.match_id,
                Play(self.move),
                user_id=interaction.user.id,
                ply=self.ply,
                revision=self.revision,
                late_by=late_by,
            )
        except MatchError as error:
            await _replace(interaction, error.match, told(error.sentence))
            return
        show = partial(_show_played, move=self.move, ply=self.ply or 0)
        await redraw(interaction, match, show)


async def post_hints(interaction: Interaction, match: Match) -> None:
    """Answer in private with the best moves of a match, if it is the user's turn."""
    _require_turn(match, interaction.user.id)
    # Thinking may have to wait for other players' hints.
    await defer(interaction, ephemeral=True, thinking=True)
    found = await interaction.client.analyst.hints(match.position, who=interaction.user.id)
    presentation = await own_presentation(interaction)
    drawn = await asyncio.to_thread(draw_hints, match, found, presentation.theme)
    gallery, file = picture("hints.png", *drawn)
    heading = _("### Game {number}: {side} to move").format(
        number=match.id, side=mark_of(match.position.side)
    )
    note = _("-# Chances with good play from both; a draw counts half.")
    lines = [_line(match, each, rank) for rank, each in enumerate(found, start=1)]
    if presentation.text_board:
        heading += f"\n{text_board(match.position, chosen_path(match.position, ()))}"
    # In a container the buttons stand near their lines on wide screens too.
    view = sealed(boxed(heading, gallery, *lines, note))
    await fulfil(interaction, view=view, files=[file])


def _require_turn(match: Match, user_id: int) -> None:
    """Raise unless the player is to move: hints are for one's own decisions."""
    if match.is_over:
        raise MatchOverError(match)
    if not is_turn_of(match, user_id):
        raise NotYourTurnError(match)
    if match.rated:
        raise MatchError(match, _("This game is rated: there are no hints in it."))


def draw_hints(match: Match, found: Sequence[Hint], theme: Theme) -> tuple[bytes, str]:
    """Draw the board with the best moves on it; return the picture and its alt text."""
    notes, names = hint_notes(found), told_names(match)
    board = BoardPicture(match.position, names=names, notes=notes, theme=theme)
    return draw_board(board), describe_position(match.position, names, notes=notes)


def hint_notes(found: Sequence[Hint]) -> tuple[CellNote, ...]:
    """Return marks on the cells of the best moves: their ranks, and what they promise."""
    return tuple(
        CellNote(
            each.move,
            Advice.GOOD if place else Advice.BEST,
            label=(str(place + 1), f"{100 * _chance(each):.0f}%"),
        )
        for place, each in enumerate(found)
    )


def _chance(hint: Hint) -> float:
    """Return the chance as it is shown: never certain unless it is proven."""
    return hint.chance if hint.proven is not None else min(0.99, max(0.01, hint.chance))


def _line(match: Match, hint: Hint, rank: int) -> discord.ui.Section[Any]:
    """Say what a move promises, beside the button that plays it."""
    move = format_move(hint.move, match.rules)
    place = located(hint.move, match)
    words = _("{rank}. {move}: {result}.")
    if hint.line[1:]:
        words = _("{rank}. {move}: {result}; {name} will likely answer {reply}.")
    text = words.format(
        rank=rank,
        move=place,
        result=promise(hint),
        name=escape_markdown(told_names(match)[other(match.position.side)]),
        reply="".join(format_move(each, match.rules) for each in hint.line[1:2]),
    )
    name = label("Play {move}").format(move=move)
    style = discord.ButtonStyle.success if rank == 1 else discord.ButtonStyle.secondary
    play = button(name, "hinted", match.id, match.ply, match.revision, hint.move, style=style)
    return discord.ui.Section(discord.ui.TextDisplay(text), accessory=play)


def located(move: Cell, game: Match | Position) -> str:
    """Name a move by its number and, if there is more than one board, by its place."""
    number, depth = format_move(move, game.rules), game.rules.depth
    return f"**{number}**" if depth == 1 else f"**{number}** — {cell_name(move, depth)}"


def promise(hint: Hint) -> str:
    """Say what a move leads to."""
    if hint.proven is Proof.DRAW:
        return _("leads to a certain draw")
    if hint.proven is Proof.LOSS:
        return _("loses against best play")
    if hint.proven is None:
        return _("scores {chance} on average").format(chance=percent(_chance(hint)))
    if not hint.at_most_plies:
        return _("wins by force")
    if hint.at_most_plies == 1:
        return _("wins at once")
    return ngettext(
        "wins by force in at most {count} move",
        "wins by force in at most {count} moves",
        hint.at_most_plies,
    ).format(count=hint.at_most_plies)


async def _show_played(interaction: Interaction, match: Match, move: Cell, ply: Ply) -> None:
    """Say in the clicked message what was played, and what came of it.

    A board that is shown nowhere else is shown there.
    """
    if match.message_id is None:
        await show_match(interaction, match)
        return
    said = [_("You played {move}.").format(move=located(move, match))]
    if match.ply > ply + 1:
        side = other(match.position.side)
        said.append(
            _("{name} answered {move}.").format(
                name=escape_markdown(told_names(match)[side]), move=located(match.moves[-1], match)
            )
        )
    if match.is_over:
        said.append(_("Game over: {result}.").format(result=told(match.result_in_words)))
    await _replace(interaction, match, "\n".join(said))


async def _replace(interaction: Interaction, match: Match, said: str) -> None:
    """Replace hints with words, a link to the board and a button for the next hints."""
    heading = _("### Game {number}").format(number=match.id)
    if match.channel_id is not None and match.message_id is not None:
        link = message_link(match.guild_id, match.channel_id, match.message_id)
        heading += f" · [{_('board')}]({link})"
    rows = []
    if is_turn_of(match, interaction.user.id) and not match.rated:
        rows.append([button(label("Hint"), "hint", match.id)])
    view = sealed(f"{heading}\n{said}", *rows)
    await update_clicked(interaction, view=view, files=[])


BUTTONS = (HintButton, HintedButton)
