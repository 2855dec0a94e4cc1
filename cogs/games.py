"""`/games`: the user's running games and open offers, each with a button. Everything is private.

The custom ids of its buttons stay in use: add forms, never change one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands
from discord.utils import TimestampStyle, escape_markdown

from bot.client import GameBot, Interaction
from bot.language import _, label, mark_of, told
from bot.model.challenges import Challenge
from bot.model.clocks import ClockKind
from bot.model.errors import ChallengeClosedError
from bot.model.match import Match
from cogs.answering import Button, GameItem, answering, sealed
from cogs.challenge.showing import refresh_challenge
from cogs.challenge.texts import CHALLENGE, terms
from cogs.options import is_turn_of, opponent_in, own_turns_first
from cogs.pages import post
from cogs.play.buttons import MatchButton
from cogs.play.layout import MATCH, custom_id
from cogs.play.showing import bring_board
from engine import load_variant, other

ROWS = 8
"""Entries on a page: with the longest rules and names, no more fit into 4,000 characters."""

PAGE = r"(?P<page>\d{1,4})"

GAMES = rf"games:{PAGE}"
BRING = rf"bring:{MATCH}"
WITHDRAW_LISTED = rf"my-offer:{CHALLENGE}:{PAGE}"

Entry = discord.ui.Section[Any]


class Games(commands.Cog):
    """What somebody has going on."""

    @app_commands.command()
    async def games(self, interaction: Interaction) -> None:
        """See your running games and open offers, those where it's your turn first."""
        async with answering(interaction):
            await _show(interaction, 0)


class PageButton(GameItem, template=GAMES):
    """Turns to another page of the list."""

    page: int

    async def pressed(self, interaction: Interaction) -> None:
        """Show that page as things are now."""
        await _show(interaction, self.page, update=True)


class BringButton(MatchButton, template=BRING):
    """Brings the board of a game that is listed."""

    async def pressed(self, interaction: Interaction) -> None:
        """Put the board at the bottom, as `/board` does; the list stays as it is."""
        await bring_board(interaction, await self.load(interaction))


class WithdrawListedButton(GameItem, template=WITHDRAW_LISTED):
    """Withdraws an offer that is listed."""

    challenge_id: int
    page: int

    async def pressed(self, interaction: Interaction) -> None:
        """Close the challenge, list what is left, and have its own message updated."""
        bot = interaction.client
        try:
            closed = await bot.challenges.withdraw(self.challenge_id, user_id=interaction.user.id)
        except ChallengeClosedError:
            await _show(interaction, self.page, update=True)
            raise
        try:
            await _show(interaction, self.page, update=True)
        finally:
            refresh_challenge(bot, closed)


async def _show(interaction: Interaction, page: int, *, update: bool = False) -> None:
    """Answer with a page of the list, or put it into the clicked message."""
    bot, user_id = interaction.client, interaction.user.id
    waiting = await bot.challenges.challenges_of(user_id)
    listed: list[Match | Challenge] = [
        *own_turns_first(await bot.matches.ongoing_of(user_id), user_id),
        *(each for each in waiting if each.challenger.id == user_id),
    ]
    await post(interaction, games_view(user_id, listed, page), [], ephemeral=True, update=update)


def games_view(
    user_id: int, listed: Sequence[Match | Challenge], page: int
) -> discord.ui.LayoutView:
    """Lay out a page of the list; the last one if that page no longer exists."""
    if not listed:
        return sealed(
            _(
                "You have no running games and no open offers. `/play` starts a game against the "
                "computer, `/challenge` one against people."
            )
        )
    pages = -(-len(listed) // ROWS)
    page = min(page, pages - 1)
    entries = [
        _game(each, user_id) if isinstance(each, Match) else _offer(each, page)
        for each in listed[page * ROWS : (page + 1) * ROWS]
    ]
    if pages == 1:
        return sealed(_("### Your games"), *entries)
    heading = _("### Your games, page {page} of {pages}").format(page=page + 1, pages=pages)
    return sealed(heading, *entries, _turning(page, pages))


def _turning(page: int, pages: int) -> list[Button]:
    """Return the buttons that turn pages."""
    return [
        Button(label=word, custom_id=custom_id("games", to))
        if 0 <= to < pages
        else Button(label=word, custom_id=f"games:none:{word}", disabled=True)
        for word, to in ((label("Previous"), page - 1), (label("Next"), page + 1))
    ]


def _game(match: Match, user_id: int) -> Entry:
    """List a game: against whom, what, whose turn it is, and until when."""
    side = match.side_of(user_id)
    assert side is not None, "it is theirs"
    name = escape_markdown(opponent_in(match, user_id))
    variant = told(load_variant(match.variant_key).name)
    is_own_turn = is_turn_of(match, user_id)
    turn = _("**Your turn**") if is_own_turn else _("{name} is to move").format(name=name)
    text = f"**{name}** ({mark_of(other(side))}) · {variant}\n{turn} · {_time(match)}"
    button = Button(
        label=label("Game {number}").format(number=match.id),
        custom_id=custom_id("bring", match.id),
        style=discord.ButtonStyle.success if is_own_turn else discord.ButtonStyle.secondary,
    )
    return Entry(discord.ui.TextDisplay(text), accessory=button)


def _time(match: Match) -> str:
    """Say when the time of the side to move runs out; without a deadline, name the clock."""
    if match.deadline is None:
        return told(match.clock.words)
    # A live clock runs out today, a correspondence clock on some later day.
    style: TimestampStyle = "T" if match.clock.kind is ClockKind.LIVE else "f"
    until = discord.utils.format_dt(match.deadline, style)
    when = discord.utils.format_dt(match.deadline, "R")
    return _("until {until} ({when})").format(until=until, when=when)


def _offer(challenge: Challenge, page: int) -> Entry:
    """List an offer: to whom, what, and until when."""
    if challenge.opponent is None:
        to = _("**Offer {number}**, open to anyone").format(number=challenge.id)
    else:
        name = escape_markdown(challenge.opponent.name)
        to = _("**Offer {number}** to {name}").format(number=challenge.id, name=name)
    ends = _("ends {when}").format(when=discord.utils.format_dt(challenge.expires_at, "R"))
    button = Button(
        label=label("Withdraw {number}").format(number=challenge.id),
        custom_id=custom_id("my-offer", challenge.id, page),
    )
    return Entry(discord.ui.TextDisplay(f"{to} · {ends}\n{terms(challenge)}"), accessory=button)


BUTTONS = (PageButton, BringButton, WithdrawListedButton)


async def setup(bot: GameBot) -> None:
    """Add the command and make every button ever sent work again."""
    bot.add_dynamic_items(*BUTTONS)
    await bot.add_cog(Games())
