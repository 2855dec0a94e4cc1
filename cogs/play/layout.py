"""How a game looks in a message: the board image, nine buttons laid out as the board, controls.

Components V2 allow 40 components in a message; the fullest board here takes 24.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import discord

from bot.language import label, speaking
from bot.model.match import Match
from bot.model.ratings.values import MatchRating
from bot.render import (
    BoardPicture,
    Theme,
    describe_position,
    describe_result,
    draw_board,
    draw_result_strip,
)
from bot.render.presentation import Presentation
from cogs.after import Shared, has_result_card, look_again, result_picture
from cogs.people import told_names
from cogs.play import ids, texts
from cogs.play.choice import chosen_path, number_of, playable_places
from cogs.play.text_board import text_board
from cogs.views import sealed
from engine import MARKS

IMAGE_NAME = "board.png"
RESULT_NAME = "result.png"

Button = discord.ui.Button[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """How far a player has come with a choice; nothing of it is stored.

    Attributes:
        path: The places of the boards chosen so far, outermost first, 0 to 8 each.
        resigning: Whether the question about resigning stands.
        watching: Whether it is shown to somebody who only looks on.
        below: What is written below the images, if anything.
    """

    path: tuple[int, ...] = ()
    resigning: bool = False
    watching: bool = False
    below: str = ""


async def draw_match(
    match: Match,
    stage: Stage,
    presentation: Presentation,
    notes: Sequence[str] = (),
    rating: MatchRating | None = None,
) -> tuple[discord.ui.LayoutView, list[discord.File]]:
    """Draw `match` as a message: its components, and the images they refer to.

    Args:
        match: What to show.
        stage: How far a player has come with a choice.
        presentation: In which colours and language, for whoever sees it.
        notes: Further lines below the headline, in that language.
        rating: What it came to, once it is over.
    """
    with speaking(presentation.language):
        path = chosen_path(match.position, stage.path)
        drawn = [await _board(match, presentation.theme, path)]
        if has_result_card(match, rating):
            drawn.append(await _result(match, presentation.theme, rating))
        images = [image for image, _file in drawn]
        view = match_view(match, stage, presentation, images, notes, rating)
    return view, [file for _image, file in drawn]


Drawn = tuple[discord.MediaGalleryItem, discord.File]


async def _board(match: Match, theme: Theme, path: tuple[int, ...]) -> Drawn:
    """Draw the board, the one at `path` chosen."""
    status = texts.image_status(match)
    picture = BoardPicture(
        position=match.position,
        names=told_names(match),
        status=status,
        selected=path,
        is_over=match.is_over,
        winner=match.winner,
        theme=theme,
    )
    # Drawing takes milliseconds, but two hundred games may want it at once.
    png = await asyncio.to_thread(draw_board, picture)
    alt = describe_position(match.position, told_names(match), status=status, selected=path)
    return _shown(IMAGE_NAME, alt, png)


async def _result(match: Match, theme: Theme, rating: MatchRating | None) -> Drawn:
    """Draw what a match between two people came to."""
    picture = result_picture(match, rating, theme)
    png = await asyncio.to_thread(draw_result_strip, picture)
    return _shown(RESULT_NAME, describe_result(picture), png)


def _shown(name: str, alt: str, png: bytes) -> Drawn:
    image = discord.MediaGalleryItem(f"attachment://{name}", description=alt)
    return image, discord.File(io.BytesIO(png), filename=name)


def match_view(
    match: Match,
    stage: Stage,
    presentation: Presentation,
    images: Sequence[discord.MediaGalleryItem],
    notes: Sequence[str] = (),
    rating: MatchRating | None = None,
) -> discord.ui.LayoutView:
    """Lay out the message of `match` with its images, which are attached, the board first."""
    path = chosen_path(match.position, stage.path)
    container = discord.ui.Container[Any](
        discord.ui.TextDisplay("\n".join([texts.headline(match, path), *notes])),
        # One below the other: side by side they would be half as wide.
        *(discord.ui.MediaGallery[Any](image) for image in images),
        accent_colour=_accent(match, presentation.theme),
    )
    if presentation.text_board:
        container.add_item(discord.ui.TextDisplay(text_board(match.position, path)))
    if stage.below:
        container.add_item(discord.ui.TextDisplay(stage.below))
    for row in _rows(match, stage, path):
        container.add_item(discord.ui.ActionRow(*row))
    container.add_item(discord.ui.TextDisplay(texts.footer(match, rating)))
    return sealed(container)


def pointer_view(match: Match, link: str) -> discord.ui.LayoutView:
    """Lay out what is left of a message whose board moved to `link`."""
    return sealed(discord.ui.TextDisplay(texts.moved(match, link)))


def thread_view(match: Match, mention: str) -> discord.ui.LayoutView:
    """Lay out what is left in the channel of a match that is played in a thread."""
    return sealed(discord.ui.TextDisplay(texts.in_thread(match, mention)))


def question_view(match: Match) -> discord.ui.LayoutView:
    """Lay out the private question whether to resign."""
    yes = _button(label("Yes, resign"), ids.really_resign_id(match.id), discord.ButtonStyle.danger)
    return sealed(discord.ui.TextDisplay(texts.resign_question(match)), discord.ui.ActionRow(yes))


def _rows(match: Match, stage: Stage, path: tuple[int, ...]) -> Iterable[list[Button]]:
    """Return the rows of buttons for the stage that `match` is in."""
    if stage.watching and match.is_over:
        return [look_again(match, Shared.RESULT)]
    if stage.watching:
        return []
    if match.is_over:
        text, custom_id = (
            (label("Rematch"), ids.rematch_id(match.id))
            if match.is_between_people
            else (label("Play again"), ids.again_id(match.id))
        )
        return [[_button(text, custom_id, discord.ButtonStyle.primary), *look_again(match)]]
    if stage.resigning:
        return [
            [
                _button(
                    label("Yes, resign"), ids.really_resign_id(match.id), discord.ButtonStyle.danger
                ),
                _button(label("Keep playing"), ids.back_id(match.id, match.position.ply)),
            ]
        ]
    if match.level_to_move is not None:
        # A board is never without a button: where nobody can edit it any more, this one shows it.
        return [[_button(label("Bring to bottom"), ids.bump_id(match.id))]]
    whole = len(path) == match.position.rules.depth - 1
    nine = _cell_buttons(match, path) if whole else _board_buttons(match, path)
    rows = [nine[0:3], nine[3:6], nine[6:9], _controls(match, path)]
    return [*rows, _agreements(match)] if match.is_between_people else rows


def _cell_buttons(match: Match, path: tuple[int, ...]) -> list[Button]:
    """Return the nine cells of a local board: a number where one may play, else the mark."""
    position = match.position
    legal = set(position.legal_moves)
    first = 9 * number_of(path)
    buttons = []
    for cell in range(first, first + 9):
        mark = position.mark_at(cell)
        text = str(cell % 9 + 1) if mark is None else MARKS[mark]
        style = discord.ButtonStyle.success if cell in legal else discord.ButtonStyle.secondary
        custom_id = ids.cell_id(match.id, position.ply, match.revision, cell)
        buttons.append(_button(text, custom_id, style, disabled=cell not in legal))
    return buttons


def _board_buttons(match: Match, path: tuple[int, ...]) -> list[Button]:
    """Return the nine boards in the board at `path`, of which one is to be chosen."""
    position = match.position
    playable = playable_places(position, path)
    buttons = []
    for place in range(9):
        free = place in playable
        text = str(place + 1) if free else texts.owner_label(position, (*path, place))
        style = discord.ButtonStyle.primary if free else discord.ButtonStyle.secondary
        custom_id = ids.board_id(match.id, position.ply, (*path, place))
        buttons.append(_button(text, custom_id, style, disabled=not free))
    return buttons


def _controls(match: Match, path: tuple[int, ...]) -> list[Button]:
    ply = match.position.ply
    controls = [
        _button(label("Bring to bottom"), ids.bump_id(match.id)),
        _button(label("Resign"), ids.resign_id(match.id, ply)),
    ]
    if path != chosen_path(match.position, ()):
        controls.insert(0, _button(label("Other board"), ids.back_id(match.id, ply)))
    if not match.is_between_people and match.ply and not match.rated:
        controls.insert(0, _button(label("Undo"), ids.undo_id(match.id, match.revision)))
    if match.can_swap:
        swap_id = ids.swap_id(match.id, ply)
        controls.insert(0, _button(label("Swap: take X"), swap_id, discord.ButtonStyle.primary))
    return controls


def _agreements(match: Match) -> list[Button]:
    """Return what the two players may settle now: answer an offer, or make one."""
    if match.draw_offer is not None:
        offers = {
            label("Accept draw"): ids.Agreement.ACCEPT_DRAW,
            label("Decline draw"): ids.Agreement.DECLINE_DRAW,
        }
    elif match.takeback_offer is not None:
        offers = {
            label("Allow takeback"): ids.Agreement.ACCEPT_TAKEBACK,
            label("Decline takeback"): ids.Agreement.DECLINE_TAKEBACK,
        }
    else:
        offers = {label("Offer draw"): ids.Agreement.OFFER_DRAW}
        if not match.rated:
            offers[label("Take back")] = ids.Agreement.ASK_TAKEBACK
    return [_button(text, ids.agree_id(each, match.id)) for text, each in offers.items()]


def _button(
    text: str,
    custom_id: str,
    style: discord.ButtonStyle = discord.ButtonStyle.secondary,
    *,
    disabled: bool = False,
) -> Button:
    return discord.ui.Button(label=text, custom_id=custom_id, style=style, disabled=disabled)


def _accent(match: Match, theme: Theme) -> discord.Colour:
    """Return the colour of the side to move, so that the turn shows at a glance."""
    colour = theme.muted if match.is_over else theme.marks[match.position.side]
    return discord.Colour.from_rgb(*colour)
