"""What the buttons under a board do. How they look is the layout's business.

Messages posted years ago carry these custom ids: add forms, never change one.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import timedelta

from bot.client import Interaction
from bot.model.actions import Action, Play, Resign, Swap, Undo
from bot.model.errors import MatchOverError, NotYourTurnError, StaleBoardError
from bot.model.match import Match
from cogs.answering import GameItem
from cogs.play.layout import AGREEMENTS, MATCH, PLAIN, PLY, REVISION, Stage
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
from cogs.starting import playing_here


class MatchButton(GameItem, template=r"(?!)"):
    """A button that knows its match, and claims the match's board while it is pressed.

    Attributes:
        match_id: Which match.
        ply: The number of the position that it was shown with; None if that does not matter.
        revision: The revision of the match that it was shown with, likewise. It also counts swaps
            and takebacks: a board from before one of these may show the same ply.
    """

    match_id: int
    ply: int | None = None
    revision: int | None = None

    def claimed(self, interaction: Interaction) -> AbstractContextManager[None]:
        """Keep the publisher away from the board: the answer shows it."""
        return interaction.client.publisher.claim(self.match_id)

    async def load(self, interaction: Interaction) -> Match:
        """Return the match, for its players only."""
        return await interaction.client.matches.load_for(self.match_id, user_id=interaction.user.id)

    async def act(self, interaction: Interaction, action: Action, **more: timedelta) -> None:
        """Apply an action to the match and redraw its board.

        If the board on the screen is outdated, it is redrawn before the player is told so.
        """
        try:
            match = await interaction.client.matches.perform(
                self.match_id,
                action,
                user_id=interaction.user.id,
                ply=self.ply,
                revision=self.revision,
                **more,
            )
        except (StaleBoardError, MatchOverError) as error:
            await redraw(interaction, error.match)
            raise
        await redraw(interaction, match)

    async def choose(self, interaction: Interaction, stage: Stage) -> None:
        """Redraw the board at `stage` of a choice, for its player and while it is current.

        Raises:
            PlayerError: If someone else pressed, or the board on the screen is behind.
        """
        assert self.ply is not None, "the button of a choice knows it"
        try:
            match = await interaction.client.matches.check_turn(
                self.match_id, user_id=interaction.user.id, ply=self.ply
            )
        except (StaleBoardError, MatchOverError) as error:
            await redraw(interaction, error.match)
            raise
        await show_match(interaction, match, stage)


class CellButton(MatchButton, template=rf"cell:{MATCH}:{PLY}:{REVISION}:(?P<move>\d{{1,3}})"):
    """Plays one cell."""

    move: int

    async def pressed(self, interaction: Interaction) -> None:
        """Store the move, let the computer reply, and show both in one answer."""
        late_by = interaction.client.arrivals.time_of(interaction).late_by
        await self.act(interaction, Play(self.move), late_by=late_by)


class BoardButton(MatchButton, template=rf"board:{MATCH}:{PLY}:(?P<path>[1-9]{{1,2}})"):
    """Chooses the board to play in where the choice is free; stores nothing."""

    path: int

    async def pressed(self, interaction: Interaction) -> None:
        """Show what lies in the chosen board: cells, or boards to choose from."""
        path = tuple(int(digit) - 1 for digit in str(self.path))
        await self.choose(interaction, Stage(path=path))


class BackButton(MatchButton, template=rf"back:{MATCH}:{PLY}"):
    """Goes back from a half-made choice: of a board, or about resigning."""

    async def pressed(self, interaction: Interaction) -> None:
        """Show the board as it was before."""
        await self.choose(interaction, PLAIN)


class ResignButton(MatchButton, template=rf"resign:{MATCH}:{PLY}"):
    """Asks whether to resign; resigns nothing yet."""

    async def pressed(self, interaction: Interaction) -> None:
        """Ask in place of the cells, or in private if two people play."""
        match = await self.load(interaction)
        if match.is_between_people and not match.is_over:
            await ask_in_private(interaction, match)
        else:
            await self.choose(interaction, Stage(resigning=True))


class ReallyResignButton(MatchButton, template=rf"really-resign:{MATCH}"):
    """Resigns."""

    async def pressed(self, interaction: Interaction) -> None:
        """End the game and show its result."""
        try:
            match = await interaction.client.matches.perform(
                self.match_id, Resign(), user_id=interaction.user.id
            )
        except MatchOverError as error:
            await show_ending(interaction, error.match)
            raise
        await show_ending(interaction, match)


class AgreementButton(MatchButton, template=rf"agree:(?P<agreement>[1-6]):{MATCH}"):
    """Offers, accepts or declines a draw or a takeback."""

    agreement: int

    async def pressed(self, interaction: Interaction) -> None:
        """Do it, and show on the board what is offered now."""
        await self.act(interaction, AGREEMENTS[self.agreement - 1])


class UndoButton(MatchButton, template=rf"undo:{MATCH}:{REVISION}"):
    """Takes back the player's last turn against the computer."""

    async def pressed(self, interaction: Interaction) -> None:
        """Show the board as it was before that turn."""
        await self.act(interaction, Undo())


class SwapButton(MatchButton, template=rf"swap:{MATCH}:{PLY}"):
    """Takes the other seat instead of moving (pie rule)."""

    async def pressed(self, interaction: Interaction) -> None:
        """Exchange the seats; the player who has O now is to move."""
        late_by = interaction.client.arrivals.time_of(interaction).late_by
        try:
            await self.act(interaction, Swap(), late_by=late_by)
        except NotYourTurnError as error:
            await redraw(interaction, error.match)
            raise


class BumpButton(MatchButton, template=rf"bump:{MATCH}"):
    """Posts the board again below all later messages."""

    async def pressed(self, interaction: Interaction) -> None:
        """Leave a pointer here and put the board below."""
        match = await self.load(interaction)
        await post_below(interaction, await with_reply(interaction, match))


class AgainButton(MatchButton, template=rf"again:{MATCH}"):
    """Starts another game like the one that ended, the other player moving first."""

    async def pressed(self, interaction: Interaction) -> None:
        """Post the new game's board; the finished one stays as it is."""
        await playing_here(interaction)
        match = await self.load(interaction)
        await play_again(interaction, match)


class HereButton(MatchButton, template=rf"here:{MATCH}"):
    """Shows the board here, for a player who cannot see it where it stands."""

    async def pressed(self, interaction: Interaction) -> None:
        """Post the board below; the other board stays, and its buttons keep working."""
        match = await self.load(interaction)
        await show_new_match(interaction, match, fresh=True)


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
