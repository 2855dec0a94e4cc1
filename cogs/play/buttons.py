"""What the buttons under a board do. How they look is the layout's business."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import discord

from bot.model.actions import (
    AcceptDraw,
    AcceptTakeback,
    Action,
    AskTakeback,
    DeclineDraw,
    DeclineTakeback,
    OfferDraw,
    Play,
    Resign,
    Swap,
    Undo,
)
from bot.model.errors import MatchOverError, NotYourTurnError, StaleBoardError
from cogs.answering import GameButton
from cogs.places import playing_here
from cogs.play import ids
from cogs.play.layout import Stage
from cogs.play.showing import (
    ask_in_private,
    play_again,
    post_below,
    redraw,
    show_ending,
    show_match,
    show_new_match,
    with_reply,
)

if TYPE_CHECKING:
    from bot.client import GameBot

Item = discord.ui.Button[Any]


class MatchButton(GameButton, template=r"(?!)"):
    """A button that knows its match, whose board is its own while it is pressed."""

    def __init__(self, item: Item, *, match_id: int) -> None:
        super().__init__(item)
        self.match_id = match_id

    def claimed(self, interaction: discord.Interaction[GameBot]) -> AbstractContextManager[None]:
        """Keep the publisher away from the board: the answer shows it."""
        return interaction.client.publisher.claim(self.match_id)


class CellButton(MatchButton, template=ids.CELL):
    """Plays one cell."""

    def __init__(self, item: Item, *, match_id: int, ply: int, revision: int, move: int) -> None:
        super().__init__(item, match_id=match_id)
        self.ply, self.revision, self.move = ply, revision, move

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Store the move, let the computer reply, and show both in one answer."""
        try:
            match = await interaction.client.matches.perform(
                self.match_id,
                Play(self.move),
                user_id=interaction.user.id,
                ply=self.ply,
                revision=self.revision,
                late_by=interaction.client.arrivals.time_of(interaction).late_by,
            )
        except (StaleBoardError, MatchOverError) as error:
            # The board on the screen is behind: bring it up to date, then say so.
            await redraw(interaction, error.match)
            raise
        await redraw(interaction, match)


class BoardButton(MatchButton, template=ids.BOARD):
    """Chooses the board to play in where the choice is free; stores nothing."""

    def __init__(self, item: Item, *, match_id: int, ply: int, path: int) -> None:
        super().__init__(item, match_id=match_id)
        self.ply = ply
        self.path = tuple(int(digit) - 1 for digit in str(path))

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Show what lies in the chosen board: cells, or boards to choose from."""
        await choose(interaction, self.match_id, self.ply, Stage(path=self.path))


class BackButton(MatchButton, template=ids.BACK):
    """Goes back from a half-made choice: of a board, or about resigning."""

    def __init__(self, item: Item, *, match_id: int, ply: int) -> None:
        super().__init__(item, match_id=match_id)
        self.ply = ply

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Show the board as it was before."""
        await choose(interaction, self.match_id, self.ply, Stage())


class ResignButton(MatchButton, template=ids.RESIGN):
    """Asks whether to resign; resigns nothing yet."""

    def __init__(self, item: Item, *, match_id: int, ply: int) -> None:
        super().__init__(item, match_id=match_id)
        self.ply = ply

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Put the question where the cells were, or to one of two players alone."""
        matches = interaction.client.matches
        match = await matches.load_for(self.match_id, user_id=interaction.user.id)
        if match.is_between_people and not match.is_over:
            await ask_in_private(interaction, match)
        else:
            await choose(interaction, self.match_id, self.ply, Stage(resigning=True))


class ReallyResignButton(MatchButton, template=ids.REALLY_RESIGN):
    """Resigns."""

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """End the game and show its result."""
        try:
            match = await interaction.client.matches.perform(
                self.match_id, Resign(), user_id=interaction.user.id
            )
        except MatchOverError as error:
            await show_ending(interaction, error.match)
            raise
        await show_ending(interaction, match)


AGREEMENTS: Mapping[ids.Agreement, Action] = MappingProxyType(
    {
        ids.Agreement.OFFER_DRAW: OfferDraw(),
        ids.Agreement.ACCEPT_DRAW: AcceptDraw(),
        ids.Agreement.DECLINE_DRAW: DeclineDraw(),
        ids.Agreement.ASK_TAKEBACK: AskTakeback(),
        ids.Agreement.ACCEPT_TAKEBACK: AcceptTakeback(),
        ids.Agreement.DECLINE_TAKEBACK: DeclineTakeback(),
    }
)


class AgreementButton(MatchButton, template=ids.AGREE):
    """Offers, accepts or declines a draw or a move taken back."""

    def __init__(self, item: Item, *, agreement: int, match_id: int) -> None:
        super().__init__(item, match_id=match_id)
        self.agreement = ids.Agreement(agreement)

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Do it, and show on the board what is offered now."""
        try:
            match = await interaction.client.matches.perform(
                self.match_id, AGREEMENTS[self.agreement], user_id=interaction.user.id
            )
        except MatchOverError as error:
            await redraw(interaction, error.match)
            raise
        await redraw(interaction, match)


class UndoButton(MatchButton, template=ids.UNDO):
    """Takes one's last turn back in a game against the computer."""

    def __init__(self, item: Item, *, match_id: int, revision: int) -> None:
        super().__init__(item, match_id=match_id)
        self.revision = revision

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Show the board as it was before that turn."""
        try:
            match = await interaction.client.matches.perform(
                self.match_id, Undo(), user_id=interaction.user.id, revision=self.revision
            )
        except (StaleBoardError, MatchOverError) as error:
            await redraw(interaction, error.match)
            raise
        await redraw(interaction, match)


class SwapButton(MatchButton, template=ids.SWAP):
    """Takes the other seat instead of moving (pie rule)."""

    def __init__(self, item: Item, *, match_id: int, ply: int) -> None:
        super().__init__(item, match_id=match_id)
        self.ply = ply

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Exchange the seats; whoever has O now is to move."""
        try:
            match = await interaction.client.matches.perform(
                self.match_id,
                Swap(),
                user_id=interaction.user.id,
                ply=self.ply,
                late_by=interaction.client.arrivals.time_of(interaction).late_by,
            )
        except (StaleBoardError, MatchOverError, NotYourTurnError) as error:
            await redraw(interaction, error.match)
            raise
        await redraw(interaction, match)


class BumpButton(MatchButton, template=ids.BUMP):
    """Posts the board again below everything said since."""

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Leave a pointer here and put the board below."""
        matches = interaction.client.matches
        match = await matches.load_for(self.match_id, user_id=interaction.user.id)
        await post_below(interaction, await with_reply(interaction, match))


class AgainButton(MatchButton, template=ids.AGAIN):
    """Starts another game like the one that ended, the other player moving first."""

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Post the new game's board; the finished one stays as it is."""
        await playing_here(interaction)
        matches = interaction.client.matches
        match = await matches.load_for(self.match_id, user_id=interaction.user.id)
        await play_again(interaction, match)


class HereButton(MatchButton, template=ids.HERE):
    """Shows the board here, for whoever does not see it where it stands."""

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Post the board below; the other board stays, and its buttons work on."""
        matches = interaction.client.matches
        match = await matches.load_for(self.match_id, user_id=interaction.user.id)
        await show_new_match(interaction, match, fresh=True)


async def choose(
    interaction: discord.Interaction[GameBot], match_id: int, ply: int, stage: Stage
) -> None:
    """Redraw the board at `stage` of the choice, for its player and while it is current.

    Raises:
        PlayerError: If someone else pressed, or the board on the screen is behind.
    """
    matches = interaction.client.matches
    try:
        match = await matches.check_turn(match_id, user_id=interaction.user.id, ply=ply)
    except (StaleBoardError, MatchOverError) as error:
        await redraw(interaction, error.match)
        raise
    await show_match(interaction, match, stage)


BUTTONS = (
    CellButton,
    BoardButton,
    BackButton,
    ResignButton,
    ReallyResignButton,
    AgreementButton,
    UndoButton,
    SwapButton,
    BumpButton,
    AgainButton,
    HereButton,
)
