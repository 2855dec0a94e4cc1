"""`/learn`: a lesson in five positions, which `/play` offers to newcomers. Everything is private.

The custom ids of its buttons hold the exercise and what was pressed, and stay in use: add forms,
never change one.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import discord
from discord import app_commands
from discord.ext import commands

from bot.client import GameBot, Interaction
from bot.language import _, label, told
from bot.model.preferences import LessonProgress
from bot.render import BoardPicture, describe_position, draw_board
from cogs.answering import Button, GameItem, answering, boxed, button, custom_id, picture, sealed
from cogs.audience import Presentation, own_presentation
from cogs.options import DEFAULT_LEVEL
from cogs.pages import post
from cogs.play.layout import IMAGE_NAME, board_rows, cell_rows, chosen_path
from cogs.play.showing import post_below
from cogs.play.texts import text_board
from cogs.starting import start_game
from engine import EXERCISES, Answer, Exercise, X

EASY: Final = 1
"""The computer's level for those who have just learned the game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What the message of the lesson shows.

    Attributes:
        step: Which exercise, from 1.
        board: The board chosen to play in, from 1; 0 if none is.
        answer: How the move was judged; None if one is still to be made.
    """

    step: int
    board: int = 0
    answer: Answer | None = None

    @property
    def exercise(self) -> Exercise:
        """The exercise; the last one if `step` comes from a version that had more."""
        return EXERCISES[min(self.step, len(EXERCISES)) - 1]

    @property
    def is_end(self) -> bool:
        """Whether nothing is left to ask."""
        is_right = self.answer is not None and self.answer.is_right
        return is_right and self.step >= len(EXERCISES)


class Lesson(commands.Cog):
    """The lesson."""

    @app_commands.command()
    async def learn(self, interaction: Interaction) -> None:
        """Learn the game in five short positions."""
        async with answering(interaction):
            await _show(interaction, Page(step=1))
            await _note(interaction, LessonProgress.STARTED)


class ExerciseButton(GameItem, template=r"lesson:(?P<step>[1-9]):(?P<board>\d)"):
    """Shows an exercise, or what lies in the board chosen in it."""

    step: int
    board: int

    async def pressed(self, interaction: Interaction) -> None:
        """Put it into the message."""
        await _show(interaction, Page(step=self.step, board=self.board), update=True)
        if self.step == 1:
            await _note(interaction, LessonProgress.STARTED)


class ExerciseCellButton(GameItem, template=r"lesson-cell:(?P<step>[1-9]):(?P<cell>\d{1,2})"):
    """Plays a cell in an exercise."""

    step: int
    cell: int

    async def pressed(self, interaction: Interaction) -> None:
        """Judge the move; if only another version offered it, ask again."""
        page = Page(step=self.step)
        if self.cell in page.exercise.position.legal_moves:
            page = replace(page, answer=page.exercise.judge(self.cell))
        await _show(interaction, page, update=True)
        if page.is_end:
            await _note(interaction, LessonProgress.FINISHED)


class SkipButton(GameItem, template=r"lesson-play:(?P<level>[1-9]|10)"):
    """Starts a game against the computer, instead of the lesson or after it."""

    level: int

    async def pressed(self, interaction: Interaction) -> None:
        """Post its board for everybody; the lesson is replaced by a pointer to it."""
        publisher = interaction.client.publisher
        match = await start_game(interaction, level=self.level)
        with publisher.claim(match.id):
            publisher.owe(match)
            await post_below(interaction, match)
        await _note(interaction, LessonProgress.SKIPPED)


async def _note(interaction: Interaction, progress: LessonProgress) -> None:
    await interaction.client.preferences.note_lesson(interaction.user.id, progress)


async def _show(interaction: Interaction, page: Page, *, update: bool = False) -> None:
    """Answer with a page, or put it into the clicked message."""
    presentation = await own_presentation(interaction)
    position = page.exercise.position if page.answer is None else page.answer.position
    path = chosen_path(position, (page.board - 1,))
    names = (_("You"), _("Computer"))
    board = BoardPicture(position, names=names, selected=path, theme=presentation.theme)
    # Drawing takes milliseconds, but two hundred games may want it at once.
    png = await asyncio.to_thread(draw_board, board)
    alt = describe_position(position, names, selected=path)
    image, file = picture(IMAGE_NAME, png, alt)
    view = _view(page, presentation, path, image)
    await post(interaction, view, [file], ephemeral=True, update=update)


def _view(
    page: Page,
    presentation: Presentation,
    path: tuple[int, ...],
    image: discord.ui.MediaGallery[Any],
) -> discord.ui.LayoutView:
    """Lay out a page like a board: words, the picture, and nine buttons or one to continue."""
    exercise, answer = page.exercise, page.answer
    position = exercise.position if answer is None else answer.position
    heading = _("### Lesson {step} of {steps}: {title}").format(
        step=page.step, steps=len(EXERCISES), title=told(exercise.title)
    )
    container = boxed(
        f"{heading}\n{_words(page)}",
        image,
        *([text_board(position, path)] if presentation.text_board else []),
        *_rows(page, path),
        colour=_accent(page, presentation),
    )
    return sealed(container)


def _words(page: Page) -> str:
    if page.answer is None:
        return told(page.exercise.question)
    said = " ".join(map(told, page.answer.words))
    if not page.answer.is_right:
        return _("**Not quite.** {why}").format(why=said)
    words = _("**Right!** {why}").format(why=said)
    if page.is_end:
        words += "\n" + _(
            "You know the game now. Play the computer, challenge a friend with `/challenge`, or "
            "read `/rules`."
        )
    return words


def _accent(page: Page, presentation: Presentation) -> discord.Colour:
    if page.answer is None:
        return discord.Colour.from_rgb(*presentation.theme.marks[X])
    return discord.Colour.green() if page.answer.is_right else discord.Colour.red()


def _rows(page: Page, path: tuple[int, ...]) -> list[list[Button]]:
    """Return the rows of buttons: for the move until it is made, then to go on."""
    step, position, primary = page.step, page.exercise.position, discord.ButtonStyle.primary
    skip = button(label("Skip the lesson"), "lesson-play", DEFAULT_LEVEL)
    if page.is_end:
        return [[button(label("Play the computer"), "lesson-play", EASY, style=primary)]]
    if page.answer is not None and page.answer.is_right:
        return [[button(label("Continue"), "lesson", step + 1, 0, style=primary), skip]]
    if page.answer is not None:
        return [[button(label("Try again"), "lesson", step, 0, style=primary), skip]]
    if not path:
        boards = board_rows(position, path, lambda to: custom_id("lesson", step, to[0] + 1))
        return [*boards, [skip]]
    nine = cell_rows(position, path, partial(custom_id, "lesson-cell", step))
    if path == chosen_path(position, ()):
        return [*nine, [skip]]
    other = button(label("Other board"), "lesson", step, 0)
    return [*nine, [other, skip]]


async def setup(bot: GameBot) -> None:
    """Add the command and make every button ever sent work again."""
    bot.add_dynamic_items(ExerciseButton, ExerciseCellButton, SkipButton)
    await bot.add_cog(Lesson())
