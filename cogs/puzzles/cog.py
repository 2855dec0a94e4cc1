"""`/puzzle`, and the buttons below a puzzle."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from bot.client import Interaction
from bot.model.puzzles import Difficulty, Round, Try, Wanted
from cogs.answering import GameItem, answering, defer, fulfil
from cogs.audience import own_presentation, person_of
from cogs.options import MOST_CHOICES, complete_variant, variant_meant
from cogs.pages import post
from cogs.puzzles import pages
from cogs.puzzles.pages import CELL, HINT, LINE, NEXT, SHOW, Page, Quest, read_wanted
from engine import THEMES, puzzle_variants

DIFFICULTY_CHOICES = [
    app_commands.Choice(name="Easier", value=Difficulty.EASIER.value),
    app_commands.Choice(name="Normal", value=Difficulty.NORMAL.value),
    app_commands.Choice(name="Harder", value=Difficulty.HARDER.value),
]
THEME_CHOICES = [
    app_commands.Choice(name=str(each.name), value=key) for key, each in THEMES.items()
][:MOST_CHOICES]


class Puzzles(commands.Cog):
    """Positions that are won in one way."""

    @app_commands.command()
    @app_commands.describe(
        theme="What it is about; default: anything",
        difficulty="How hard, compared with your puzzle rating; default: normal",
        variant="The rules; default: the server's",
    )
    @app_commands.choices(theme=THEME_CHOICES, difficulty=DIFFICULTY_CHOICES)
    async def puzzle(
        self,
        interaction: Interaction,
        theme: str | None = None,
        difficulty: str | None = None,
        variant: str | None = None,
    ) -> None:
        """Find the one way to win, in private, for a puzzle rating."""
        async with answering(interaction):
            here = await interaction.client.servers.of(interaction.guild_id)
            wanted = Wanted(
                variant_key=variant_meant(variant, here, puzzle_variants().__contains__),
                difficulty=Difficulty(difficulty or Difficulty.NORMAL.value),
                theme=theme,
            )
            # The puzzle that was left is resumed only if no kind was asked for.
            await _give(interaction, wanted, resume=theme is None and difficulty is None)

    @puzzle.autocomplete("variant")
    async def _complete_variant(
        self, interaction: Interaction, current: str
    ) -> list[app_commands.Choice[str]]:
        found = await complete_variant(interaction, current)
        return [each for each in found if each.value in puzzle_variants()]


async def _give(
    interaction: Interaction,
    wanted: Wanted,
    *,
    resume: bool,
    update: bool = False,
) -> None:
    """Answer with a puzzle, or put it into the clicked message."""
    book = interaction.client.puzzles
    found = await book.give(person_of(interaction.user), wanted, resume=resume)
    quest = await quest_of(interaction, wanted, found)
    await show(interaction, pages.question(quest), update=update)


async def show(interaction: Interaction, page: Page, *, update: bool = False) -> None:
    """Answer with a page in private, or put it into the clicked message."""
    await post(interaction, *await pages.draw(page), ephemeral=True, update=update)


async def quest_of(interaction: Interaction, wanted: Wanted, found: Round) -> Quest:
    """Return an attempt as it is shown to the user."""
    return Quest(
        found=found,
        wanted=wanted,
        name=interaction.user.display_name,
        presentation=await own_presentation(interaction),
        is_alone=interaction.context.dm_channel,
    )


class _PuzzleItem(GameItem, template=r"(?!)"):
    """A button of a puzzle."""

    puzzle_id: str
    key: str
    letter: str
    theme: str

    @property
    def wanted(self) -> Wanted:
        """What was asked for; texts that are all digits have become numbers."""
        return read_wanted(str(self.key), self.letter, str(self.theme))

    async def load(self, interaction: Interaction) -> Quest:
        """Return the puzzle as it stands for the user."""
        found = await interaction.client.puzzles.round_of(
            interaction.user.id, str(self.key), str(self.puzzle_id), self.wanted.day
        )
        return await quest_of(interaction, self.wanted, found)

    async def help(self, interaction: Interaction, made: Try) -> Quest:
        """Count the puzzle as failed unless it was decided before, and return it."""
        found = await interaction.client.puzzles.give_up(
            interaction.user.id, str(self.key), str(self.puzzle_id), made, self.wanted.day
        )
        return await quest_of(interaction, self.wanted, found)


def current(quest: Quest, board: int = 0, stage: int = 0) -> Page:
    """Return the next question, or the end."""
    if quest.found.turn < quest.found.puzzle.turns:
        return pages.question(quest, board=board, stage=stage)
    return pages.success(quest, quest.position)


class ShowButton(_PuzzleItem, template=SHOW):
    """Shows the puzzle as it stands, or what lies in the board chosen in it."""

    board: int

    async def pressed(self, interaction: Interaction) -> None:
        """Put it into the message."""
        page = current(await self.load(interaction), self.board)
        await show(interaction, page, update=True)


class CellButton(_PuzzleItem, template=CELL):
    """Plays a cell."""

    turn: int
    cell: int

    async def pressed(self, interaction: Interaction) -> None:
        """Show the reply to a right move, the refutation of a wrong one, or the end."""
        user, bot = interaction.user.id, interaction.client
        found, attempt = await bot.puzzles.try_move(
            user,
            str(self.key),
            str(self.puzzle_id),
            turn=self.turn,
            move=self.cell,
            day=self.wanted.day,
        )
        quest = await quest_of(interaction, self.wanted, found)
        position = attempt.game.position
        if attempt.is_solved:
            await show(interaction, pages.success(quest, position), update=True)
        elif attempt.is_right:
            is_right = found.turn == self.turn + 1
            await show(interaction, pages.question(quest, is_right=is_right), update=True)
        else:
            # This may have to wait for other players' hints.
            await defer(interaction)
            refuted = None
            if position.outcome is None:
                refuted = await bot.analyst.refutation(position, who=user)
            view, files = await pages.draw(pages.refutation(quest, attempt, refuted))
            await fulfil(interaction, view=view, files=files)


class HintButton(_PuzzleItem, template=HINT):
    """Says which board the move is in, then which cell it is."""

    turn: int
    stage: int

    async def pressed(self, interaction: Interaction) -> None:
        """Count the puzzle as failed and help; a hint for an earlier move gives nothing away."""
        quest, stage = await self.load(interaction), 0
        if quest.found.turn == self.turn:
            quest, stage = await self.help(interaction, Try.HINT), self.stage
        await show(interaction, current(quest, stage=stage), update=True)


class LineButton(_PuzzleItem, template=LINE):
    """Shows the solution, move by move."""

    ply: int

    async def pressed(self, interaction: Interaction) -> None:
        """Count the puzzle as failed unless it was decided, and show the solution."""
        quest = await self.help(interaction, Try.SOLUTION)
        await show(interaction, pages.solution(quest, self.ply), update=True)


class NextButton(GameItem, template=NEXT):
    """Gives another puzzle of the same kind."""

    key: str
    letter: str
    theme: str

    async def pressed(self, interaction: Interaction) -> None:
        """Put it into the message."""
        wanted = read_wanted(str(self.key), self.letter, str(self.theme))
        await _give(interaction, wanted, resume=False, update=True)


BUTTONS = (ShowButton, CellButton, HintButton, LineButton, NextButton)
