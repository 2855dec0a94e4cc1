"""How a game looks in a message: the board image, nine buttons laid out as the board, controls.

Nine buttons show nine places. A local board shows cells; where the choice of the board is free,
the boards of each level come first. A button's custom id is its whole state: add forms of ids,
never change one.

Components V2 allow 40 components in a message; the fullest board here takes 29.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import discord

from bot.language import _, label, mark_of
from bot.model.actions import (
    AcceptDraw,
    AcceptTakeback,
    Action,
    AskTakeback,
    DeclineDraw,
    DeclineTakeback,
    OfferDraw,
)
from bot.model.match import Match, can_ask_takeback, can_offer_draw, can_undo
from bot.model.ratings.values import MatchRating
from bot.render import (
    BoardPicture,
    Theme,
    describe_position,
    describe_result,
    draw_board,
    draw_result_strip,
)
from bot.render.describe import numbers
from cogs.after import MATCH as MATCH
from cogs.after import Shared, look_again, result_picture
from cogs.answering import Button, boxed, button, picture, sealed
from cogs.answering import custom_id as custom_id
from cogs.audience import Presentation, told_names
from cogs.play import texts
from cogs.play.texts import text_board
from engine import BoardStatus, LevelNumber, Position, X, format_move, parse_move

PLY = r"(?P<ply>\d{1,4})"
REVISION = r"(?P<revision>\d{1,9})"  # it grows with every offer and every move taken back

AGREEMENTS: Final[tuple[Action, ...]] = (
    OfferDraw(),
    AcceptDraw(),
    DeclineDraw(),
    AskTakeback(),
    AcceptTakeback(),
    DeclineTakeback(),
)
"""What two players can settle between them; custom ids have their places, from 1: append."""


def chosen_path(position: Position, chosen: tuple[int, ...]) -> tuple[int, ...]:
    """Return the path to the board whose nine places are offered next, outermost first.

    Where only one place can be played, it is taken; otherwise `chosen` is followed as
    far as it leads to a legal move. A whole path leads to a local board.
    """
    path: tuple[int, ...] = ()
    while len(path) < position.rules.depth - 1:
        places = playable_places(position, path)
        if len(places) == 1:
            path += places
        elif len(path) < len(chosen) and chosen[len(path)] in places:
            path += (chosen[len(path)],)
        else:
            break
    return path


def playable_places(position: Position, path: tuple[int, ...]) -> tuple[int, ...]:
    """Return the places of the board at `path` that lead to a legal move, ascending."""
    first = 9 * number_of(path)
    boards = position.playable_at(len(path) + 1)
    return tuple(board - first for board in boards if first <= board < first + 9)


def number_of(path: tuple[int, ...]) -> int:
    """Return the number of the board at `path` among the boards of its level."""
    number = 0
    for place in path:
        number = 9 * number + place
    return number


def read_move(text: str, position: Position) -> int:
    """Read a typed move; leading digits may be left out if they are forced.

    A player sent to board 5 may type 3 for 53.

    Raises:
        InvalidNotationError: If the text is not a move; legality is not checked.
    """
    typed = text.strip()
    missing = position.rules.depth - len(typed)
    bound = chosen_path(position, ())
    if typed.isdecimal() and 0 < missing <= len(bound):
        typed = "".join(str(place + 1) for place in bound[:missing]) + typed
    return parse_move(typed, position.rules)


def typed_moves(position: Position, current: str) -> dict[str, int]:
    """Return the legal moves whose notation begins with `current`, by notation, ascending."""
    moves = {format_move(move, position.rules): move for move in position.legal_moves}
    return {typed: move for typed, move in moves.items() if typed.startswith(current.strip())}


IMAGE_NAME = "board.png"
RESULT_NAME = "result.png"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """How far a player has come with a choice; none of it is stored.

    Attributes:
        path: The places of the boards chosen so far, outermost first, 0 to 8 each.
        resigning: Whether the player is being asked to confirm resigning.
        watching: Whether it is shown for viewing only.
        below: Text below the images, if any.
    """

    path: tuple[int, ...] = ()
    resigning: bool = False
    watching: bool = False
    below: str = ""


PLAIN: Final = Stage()
"""A board as its players see it while nothing is half chosen."""


async def draw_match(
    match: Match, stage: Stage, presentation: Presentation, rating: MatchRating | None = None
) -> tuple[discord.ui.LayoutView, list[discord.File]]:
    """Draw `match` as a message: its components, and the images they refer to."""
    with presentation.spoken():
        path = chosen_path(match.position, stage.path)
        drawn = [await _board(match, presentation.theme, path)]
        if match.is_over:
            card = result_picture(match, rating, presentation.theme)
            # If a game changed no rating, the board says everything.
            if any(step is not None for step in card.steps):
                png = await asyncio.to_thread(draw_result_strip, card)
                drawn.append(picture(RESULT_NAME, png, describe_result(card)))
        view = _match_view(
            match, stage, path, presentation, [each for each, _file in drawn], rating
        )
    return view, [file for _image, file in drawn]


async def _board(
    match: Match, theme: Theme, path: tuple[int, ...]
) -> tuple[discord.ui.MediaGallery[Any], discord.File]:
    """Draw the board, with the part at `path` selected."""
    status, clocks = texts.image_status(match), texts.clock_faces(match)
    board = BoardPicture(
        position=match.position,
        names=told_names(match),
        status=status,
        selected=path,
        is_over=match.is_over,
        winner=match.winner,
        clocks=clocks,
        theme=theme,
    )
    # Drawing takes milliseconds, but two hundred games may want it at once.
    png = await asyncio.to_thread(draw_board, board)
    alt = describe_position(
        match.position, board.names, status=status, selected=path, clocks=clocks
    )
    return picture(IMAGE_NAME, png, alt)


def _match_view(
    match: Match,
    stage: Stage,
    path: tuple[int, ...],
    presentation: Presentation,
    images: Sequence[discord.ui.MediaGallery[Any]],
    rating: MatchRating | None,
) -> discord.ui.LayoutView:
    """Lay out the message of `match` with its attached images, the board first."""
    is_chosen = path != chosen_path(match.position, ())
    notes = texts.rating_lines(match, rating)
    # The side to move has its colour, so that the turn shows at a glance.
    theme, side = presentation.theme, match.position.side
    container = boxed(
        "\n".join([texts.headline(match, path, is_chosen=is_chosen), *notes]),
        # One below the other: side by side they would be half as wide.
        *images,
        *([text_board(match.position, path)] if presentation.text_board else []),
        *([stage.below] if stage.below else []),
        *_rows(match, stage, path),
        *_agreements(match, stage),
        texts.footer(match, rating),
        colour=discord.Colour.from_rgb(*(theme.muted if match.is_over else theme.marks[side])),
    )
    return sealed(container)


def offer_view(level: LevelNumber) -> discord.ui.LayoutView:
    """Lay out a newcomer's first choice: the lesson, or a game at `level` at once."""
    words = _(
        "### New here?\nLearn Ultimate Tic-Tac-Toe in five short positions. It takes two minutes, "
        "and only you see them."
    )
    start = button(label("Start the lesson"), "lesson", 1, 0, style=discord.ButtonStyle.primary)
    return sealed(words, [start, button(label("Just play"), "lesson-play", level)])


def _rows(match: Match, stage: Stage, path: tuple[int, ...]) -> Iterable[list[Button]]:
    """Return the rows of buttons for the stage that `match` is in."""
    if stage.watching and match.is_over:
        return [look_again(match, Shared.RESULT)]
    if stage.watching:
        return []
    if match.is_over:
        text, kind = (
            (label("Rematch"), "rematch")
            if match.is_between_people
            else (label("Play again"), "again")
        )
        primary = discord.ButtonStyle.primary
        return [[button(text, kind, match.id, style=primary), *look_again(match)]]
    position, ply = match.position, match.position.ply
    if stage.resigning:
        return [[resign_button(match), button(label("Keep playing"), "back", match.id, ply)]]
    if match.level_to_move is not None:
        # A board always has a button: once nobody can edit it any more, this one posts it again.
        return [[button(label("Bring to bottom"), "bump", match.id)]]
    if len(path) == position.rules.depth - 1:
        nine = cell_rows(position, path, partial(custom_id, "cell", match.id, ply, match.revision))
    else:
        name = partial(custom_id, "board", match.id, ply)
        nine = board_rows(position, path, lambda there: name(numbers(there, "")))
    return [*nine, _controls(match, path)]


def resign_button(match: Match) -> Button:
    """Return the button that resigns without asking again."""
    danger = discord.ButtonStyle.danger
    return button(label("Yes, resign"), "really-resign", match.id, style=danger)


def cell_rows(
    position: Position, path: tuple[int, ...], name: Callable[[int], str]
) -> list[list[Button]]:
    """Return the nine buttons of a local board: an empty cell's number, else its mark.

    `name` returns the custom id of a cell's button.
    """
    legal = set(position.legal_moves)
    first = 9 * number_of(path)
    buttons = []
    for cell in range(first, first + 9):
        mark = position.mark_at(cell)
        text = str(cell % 9 + 1) if mark is None else mark_of(mark)
        style = discord.ButtonStyle.success if cell in legal else discord.ButtonStyle.secondary
        buttons.append(button(text, name(cell), style=style, disabled=cell not in legal))
    return [buttons[0:3], buttons[3:6], buttons[6:9]]


def board_rows(
    position: Position, path: tuple[int, ...], name: Callable[[tuple[int, ...]], str]
) -> list[list[Button]]:
    """Return buttons to choose one of the nine boards in the board at `path`.

    `name` returns the custom id of the button for the board at a path.
    """
    playable = playable_places(position, path)
    buttons = []
    for place in range(9):
        free = place in playable
        text = str(place + 1) if free else _owner_label(position, (*path, place))
        style = discord.ButtonStyle.primary if free else discord.ButtonStyle.secondary
        buttons.append(button(text, name((*path, place)), style=style, disabled=not free))
    return [buttons[0:3], buttons[3:6], buttons[6:9]]


def _owner_label(position: Position, path: tuple[int, ...]) -> str:
    """Label the button of a board that may not be played in."""
    status = position.board_status(number_of(path), depth=len(path))
    if status is BoardStatus.ONGOING:
        return str(path[-1] + 1)
    return "=" if status.winner is None else mark_of(status.winner)


def _controls(match: Match, path: tuple[int, ...]) -> list[Button]:
    ply = match.position.ply
    controls = [
        button(label("Bring to bottom"), "bump", match.id),
        button(label("Resign"), "resign", match.id, ply),
    ]
    if path != chosen_path(match.position, ()):
        controls.insert(0, button(label("Other board"), "back", match.id, ply))
    if not match.is_between_people and not match.rated:
        controls.insert(0, button(label("Hint"), "hint", match.id))
    if not match.is_between_people and can_undo(match):
        controls.insert(0, button(label("Undo"), "undo", match.id, match.revision))
    if match.can_swap:
        text = label("Swap: take {mark}").format(mark=mark_of(X))
        primary = discord.ButtonStyle.primary
        controls.insert(0, button(text, "swap", match.id, ply, style=primary))
    return controls[:5]  # a row holds no more


def _agreements(match: Match, stage: Stage) -> list[str | list[Button]]:
    """Return what the two players may settle now: each offer in words, with its answers below.

    If there is no offer, return what was just declined, and buttons to make an offer.
    """
    if match.is_over or not match.is_between_people:
        return []
    yes, no = discord.ButtonStyle.success, discord.ButtonStyle.danger
    parts: list[str | list[Button]] = []
    if match.draw_offer is not None:
        answers = [
            _agreement(match, label("Accept draw"), AcceptDraw(), yes),
            _agreement(match, label("Decline draw"), DeclineDraw(), no),
        ]
        parts += [texts.draw_offered(match, match.draw_offer), answers]
    if match.takeback_offer is not None:
        answers = [
            _agreement(match, label("Allow takeback"), AcceptTakeback(), yes),
            _agreement(match, label("Decline takeback"), DeclineTakeback(), no),
        ]
        parts += [texts.takeback_asked(match, match.takeback_offer), answers]
    if not parts:
        offers = []
        if can_offer_draw(match):
            offers.append(_agreement(match, label("Offer draw"), OfferDraw()))
        if can_ask_takeback(match):
            offers.append(_agreement(match, label("Take back"), AskTakeback()))
        parts = [texts.refused(match), offers]
    return [each for each in parts if each and (isinstance(each, str) or not stage.watching)]


def _agreement(
    match: Match,
    text: str,
    action: Action,
    style: discord.ButtonStyle = discord.ButtonStyle.secondary,
) -> Button:
    return button(text, "agree", AGREEMENTS.index(action) + 1, match.id, style=style)
