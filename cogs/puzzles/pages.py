"""How a puzzle looks in a message. Custom ids stay in use: add forms, never change one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import discord
from discord.utils import escape_markdown

from bot.language import _, label
from bot.model.puzzles import DailyRow, Difficulty, Round, Wanted
from bot.render import Advice, BoardPicture, CellNote
from cogs.answering import Button, sealed
from cogs.audience import Presentation
from cogs.pages import Contents, board_image
from cogs.play.layout import IMAGE_NAME, board_rows, cell_rows, chosen_path
from cogs.play.texts import text_board, to_do
from cogs.puzzles import texts
from engine import Attempt, Position, Puzzle, Refutation, X

ANY_THEME: Final = "-"
_WANTED: Final = r"(?P<key>[a-z0-9-]{1,20}):(?P<letter>[enh]):(?P<theme>[a-z0-9-]{1,20})"
_QUEST: Final = rf"(?P<puzzle_id>[a-z2-7]{{8}}):{_WANTED}"
_TURN: Final = r"(?P<turn>\d{1,2})"

NEXT: Final = rf"puzzle-next:{_WANTED}"
SHOW: Final = rf"puzzle:{_QUEST}:(?P<board>\d)"  # 0: no board is chosen
CELL: Final = rf"puzzle-cell:{_QUEST}:{_TURN}:(?P<cell>\d{{1,2}})"
HINT: Final = rf"puzzle-hint:{_QUEST}:{_TURN}:(?P<stage>[12])"  # the board, the cell
LINE: Final = rf"puzzle-line:{_QUEST}:(?P<ply>\d{{1,3}})"

_DAY: Final = r"(?P<day>\d{1,6})"
TRY: Final = rf"daily:{_DAY}"
ANSWER: Final = rf"daily-answer:{_DAY}"
SHARE: Final = rf"daily-share:{_DAY}"

_OF_DAY: Final = "daily-"
"""Takes the place of the theme in a custom id, for the puzzle of a day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quest:
    """A puzzle that somebody attempts, and what they have asked for.

    Attributes:
        found: How it stands.
        wanted: What the next one should be like.
        name: What the player is called.
        is_alone: Whether nobody else sees the conversation it is shown in.
    """

    found: Round
    wanted: Wanted
    name: str
    presentation: Presentation
    is_alone: bool = False

    @property
    def position(self) -> Position:
        """Where the next move is to be found; the end of the solution if there is none."""
        return self.found.puzzle.attempt(self.found.tried).game.position

    def id(self, kind: str, *numbers: int) -> str:
        """Write the custom id of a button of this puzzle."""
        return ":".join((kind, self.found.puzzle.id, named(self.wanted), *map(str, numbers)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a message shows of a puzzle.

    Attributes:
        said: What is above the board.
        below: What is below the rows of buttons.
        colour: The colour at the edge; None for that of the side that is to win.
        path: The place of the board to play in, if that is settled.
        notes: Marks on cells.
        status: What the picture says if it is not to be played on.
    """

    puzzle: Puzzle
    presentation: Presentation
    position: Position
    said: str = ""
    rows: Sequence[list[Button]] = ()
    below: str = ""
    colour: discord.Colour | None = None
    path: tuple[int, ...] = ()
    notes: tuple[CellNote, ...] = ()
    status: str | None = None


def named(wanted: Wanted) -> str:
    """Write what is wanted as a part of a custom id."""
    theme = wanted.theme or ANY_THEME
    if wanted.day is not None:
        theme = f"{_OF_DAY}{wanted.day}"
    return f"{wanted.variant_key}:{wanted.difficulty.value}:{theme}"


def read_wanted(key: str, letter: str, theme: str) -> Wanted:
    """Read what `named` wrote."""
    wanted = Wanted(variant_key=key, difficulty=Difficulty(letter))
    day = theme.removeprefix(_OF_DAY)
    if day != theme and day.isdecimal():
        return replace(wanted, day=int(day))
    return wanted if theme == ANY_THEME else replace(wanted, theme=theme)


def _page(
    quest: Quest, position: Position, *said: str, rows: list[list[Button]], **look: Any
) -> Page:
    """Return a page with the lines that every page of a quest has; empty ones are left out."""
    found = quest.found
    heading = texts.heading(found.puzzle, is_daily=found.daily is not None)
    if found.daily is not None:
        rows = [*rows, _daily_buttons(quest, found.daily.row)]
    return Page(
        puzzle=found.puzzle,
        presentation=quest.presentation,
        position=position,
        said="\n".join(filter(None, (heading, *said))),
        rows=rows,
        below=f"{texts.stakes(found)}\n{texts.footer(found)}",
        **look,
    )


def question(quest: Quest, *, board: int = 0, stage: int = 0, is_right: bool = False) -> Page:
    """Ask for the next move.

    Args:
        quest: Of which puzzle.
        board: The board chosen to play in, from 1; 0 if none is.
        stage: How much is given away: 0 nothing, 1 the board, 2 the cell.
        is_right: Whether the move before has just been found.
    """
    puzzle, found, position = quest.found.puzzle, quest.found.turn, quest.position
    free, move = not chosen_path(position, ()), puzzle.solution[2 * found]
    path = chosen_path(position, (move // 9 if stage else board - 1,))
    is_chosen = free and bool(path)
    if stage and not free:
        stage = 2  # there is only one board: naming it is no help
    cell_id, board_id = partial(quest.id, "puzzle-cell", found), partial(quest.id, "puzzle")
    return _page(
        quest,
        position,
        texts.last_move(puzzle, found, is_right=is_right),
        texts.hint(puzzle, found, is_whole=stage == 2) if stage else "",
        to_do(position, escape_markdown(quest.name), path, is_chosen=is_chosen),
        rows=[
            *choices(position, path, cell_id, board_id),
            _controls(quest, stage, free=free, is_chosen=is_chosen),
        ],
        path=path,
        notes=(CellNote(move, Advice.BEST, mark=position.side),) if stage == 2 else (),
    )


def choices(
    position: Position,
    path: tuple[int, ...],
    cell_id: Callable[[int], str],
    board_id: Callable[[int], str],
) -> list[list[Button]]:
    """Return the cells of the board to play in, or the boards to choose from."""
    if path:
        return cell_rows(position, path, cell_id)
    return board_rows(position, path, lambda way: board_id(way[0] + 1))


def _controls(quest: Quest, stage: int, *, free: bool, is_chosen: bool) -> list[Button]:
    controls = []
    if is_chosen:
        controls.append(_button(label("Other board"), quest.id("puzzle", 0)))
    if stage < 2:
        to = quest.id("puzzle-hint", quest.found.turn, stage + 1 if free else 2)
        controls.append(_button(label("Hint"), to))
    controls.append(_button(label("Solution"), quest.id("puzzle-line", 1)))
    return controls if quest.found.won is None else [*controls, _next(quest)]


def refutation(quest: Quest, attempt: Attempt, refuted: Refutation | None) -> Page:
    """Show what is wrong with a move; `refuted` is None if it has ended the game."""
    position, move = attempt.game.position, attempt.game.moves[-1]
    if refuted is not None:
        position = position.after(refuted.reply)
    solution = _button(label("Solution"), quest.id("puzzle-line", 1))
    return _page(
        quest,
        position,
        texts.wrong(quest.position, attempt, refuted),
        rows=[[_again(quest), solution, _next(quest)]],
        colour=discord.Colour.red(),
        notes=(CellNote(move, Advice.PLAYED, label=("?",)),),
        status=None if position.outcome else texts.does_not_win(move, quest.found.puzzle),
    )


def success(quest: Quest, position: Position) -> Page:
    """Show the end of a solution that was found."""
    steps = _button(label("Step through it"), quest.id("puzzle-line", 1))
    return _page(
        quest,
        position,
        texts.solved(quest.found),
        rows=[[_next(quest, discord.ButtonStyle.primary), steps]],
        colour=discord.Colour.green(),
    )


def solution(quest: Quest, ply: int) -> Page:
    """Show the solution after `ply` of its moves, at least one."""
    puzzle = quest.found.puzzle
    last = len(puzzle.solution)
    ply = max(1, min(ply, last))
    position = puzzle.start().position
    for move in puzzle.solution[:ply]:
        position = position.after(move)
    here = Button(label=f"{ply}/{last}", custom_id=f"puzzle-line:here:{ply}", disabled=True)
    # Near an end two buttons lead to the same move: their ids differ in the number of digits.
    turns = [
        _turn("|◀", quest, "1", is_pale=ply == 1),
        _turn("◀", quest, f"{ply - 1:03}", is_pale=ply == 1),
        here,
        _turn("▶", quest, f"{ply + 1:03}", is_pale=ply == last),
        _turn("▶|", quest, f"{last}", is_pale=ply == last),
    ]
    further = [_next(quest, discord.ButtonStyle.primary)]
    if quest.found.turn < puzzle.turns:
        further.append(_again(quest))
    return _page(quest, position, texts.line(puzzle, ply), rows=[turns, further])


async def draw(page: Page) -> Contents:
    """Draw a page as a message: its components, and the image they refer to."""
    image, file = await draw_position(page)
    marks = page.presentation.theme.marks
    colour = page.colour or discord.Colour.from_rgb(*marks[page.puzzle.side])
    said = discord.ui.TextDisplay[Any](page.said)
    container = discord.ui.Container[Any](said, image, accent_colour=colour)
    if page.presentation.text_board:
        container.add_item(discord.ui.TextDisplay(text_board(page.position, page.path)))
    for row in page.rows:
        container.add_item(discord.ui.ActionRow(*row))
    if page.below:
        container.add_item(discord.ui.TextDisplay(page.below))
    return sealed(container), [file]


async def draw_position(page: Page) -> tuple[discord.ui.MediaGallery[Any], discord.File]:
    """Draw the board of a page, with its alt text."""
    you, them = _("You"), _("Opponent")
    names = (you, them) if page.puzzle.side == X else (them, you)
    board = BoardPicture(
        page.position,
        names=names,
        status=page.status,
        selected=page.path,
        is_over=page.status is not None,
        notes=page.notes,
        theme=page.presentation.theme,
    )
    return await board_image(IMAGE_NAME, board)


def _next(quest: Quest, style: discord.ButtonStyle = discord.ButtonStyle.secondary) -> Button:
    wanted = named(replace(quest.wanted, day=None))
    return _button(label("Next puzzle"), f"puzzle-next:{wanted}", style)


def _again(quest: Quest) -> Button:
    return _button(label("Try again"), quest.id("puzzle", 0), discord.ButtonStyle.primary)


def try_button(day: int) -> Button:
    """Return the button that gives the puzzle of a day."""
    return _button(label("Try it"), f"daily:{day}", discord.ButtonStyle.primary)


def answer_button(day: int) -> Button:
    """Return the button that shows the solution of the day before."""
    return _button(label("Yesterday's answer"), f"daily-answer:{day - 1}")


def _daily_buttons(quest: Quest, row: DailyRow) -> list[Button]:
    share = _button(label("Share"), f"daily-share:{row.day}", discord.ButtonStyle.success)
    can_share = row.is_shareable and not quest.is_alone
    return [*([share] if can_share else []), answer_button(row.day)]


def _turn(text: str, quest: Quest, ply: str, *, is_pale: bool) -> Button:
    """Return a button to a move of the solution; a disabled one leads nowhere."""
    custom_id = f"puzzle-line:none:{text}" if is_pale else f"{quest.id('puzzle-line')}:{ply}"
    return Button(label=text, custom_id=custom_id, disabled=is_pale)


def _button(
    text: str, custom_id: str, style: discord.ButtonStyle = discord.ButtonStyle.secondary
) -> Button:
    return Button(label=text, custom_id=custom_id, style=style)
