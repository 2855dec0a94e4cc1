"""After a game: its result as a picture, and the buttons to look at it again.

The same buttons stand below a board and below what is seen in private; what they do is in
`analysis/` and `records.py`. Messages posted years ago carry these custom ids: add forms, never
change one.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import discord

from bot.language import _, label, ngettext, told
from bot.model.match import Match
from bot.model.ratings.pools import pool_of
from bot.model.ratings.values import MatchRating, rating_of_level
from bot.render import RatingStep, ResultPicture, Theme, describe_result, draw_result
from cogs.answering import Button, button, picture
from cogs.audience import told_names
from engine import O, Side, X, load_variant

MATCH = r"(?P<match_id>\d{1,18})"
EXPORT = rf"export:{MATCH}"
SHARE = rf"share:(?P<kind>result|review|replay):{MATCH}"


class Shared(StrEnum):
    """What somebody sees in private and may show to everybody in a channel."""

    RESULT = "result"
    REVIEW = "review"
    REPLAY = "replay"


def look_again(match: Match, share: Shared | None = None) -> list[Button]:
    """Return the buttons to look at a finished match again, and one to share what is shown."""
    buttons = [
        button(label("Review"), "review", match.id),
        button(label("Replay"), "replay", match.id),
        button(label("Export"), "export", match.id),
    ]
    return buttons if share is None else [*buttons, share_button(match, share)]


def share_button(match: Match, kind: Shared) -> Button:
    """Return the button that shows to everybody what somebody sees in private."""
    primary = discord.ButtonStyle.primary
    return button(label("Share here"), "share", kind, match.id, style=primary)


def result_picture(match: Match, rating: MatchRating | None, theme: Theme) -> ResultPicture:
    """Return the result of a finished match, to be drawn."""
    moves = ngettext("{count} move", "{count} moves", match.ply).format(count=match.ply)
    variant, number = told(load_variant(match.variant_key).name), _("Game {number}")
    return ResultPicture(
        match.position,
        names=told_names(match),
        subtitle=" · ".join((variant, moves, number.format(number=match.id))),
        winner=match.winner,
        title=_("Ended by the host: does not count") if match.is_annulled else "",
        steps=(_step(match, X, rating), _step(match, O, rating)),
        theme=theme,
    )


def result_card(
    match: Match, rating: MatchRating | None, theme: Theme
) -> tuple[discord.ui.MediaGallery[Any], discord.File]:
    """Return the result of a finished match as one picture, to be sent."""
    card = result_picture(match, rating, theme)
    return picture("result.png", draw_result(card), describe_result(card))


def _step(match: Match, side: Side, rating: MatchRating | None) -> RatingStep | None:
    """Return how a match changed a rating; a computer level's rating never changes."""
    if rating is None or rating.reason is not None:
        return None
    seat, pool = match.seats[side], pool_of(match.rules)
    if seat.level is not None and pool is not None:
        fixed = rating_of_level(seat.level, pool).value
        return RatingStep(before=fixed, after=fixed)
    change = None if seat.player_id is None else rating.of(seat.player_id)
    if change is None:
        return None
    return RatingStep(
        before=change.before.value,
        after=change.after.value,
        said="" if change.is_sure else told(change.words),
    )
