"""Whether a game could count for ratings: better told before it than after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord

from bot.model.errors import NotRatedError
from engine import load_variant

if TYPE_CHECKING:
    from bot.client import GameBot


def require_rateable(
    bot: GameBot, variant_key: str, *people: discord.User | discord.Member | None
) -> None:
    """Raise if a game of these people by these rules could not count.

    Raises:
        NotRatedError: The message says why.
    """
    ids = [each.id for each in people if each is not None]
    reason = bot.ratings.why_not_rated(load_variant(variant_key).rules, ids)
    if reason is not None:
        raise NotRatedError(reason.sentence)
