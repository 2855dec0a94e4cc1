"""The two panels of settings as messages: a board that shows the colours, and menus below it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

import discord
from discord.utils import escape_markdown

from bot.language import N_, _, current_language
from bot.model.preferences import ServerSettings
from bot.render import DARK, THEMES, BoardPicture, Theme, describe_position, draw_board
from cogs.answering import picture, sealed
from cogs.audience import Presentation, own_presentation
from cogs.pages import post
from cogs.settings.choices import (
    Choice,
    Rule,
    Wish,
    rule_choices,
    rule_value,
    wish_choices,
    wish_value,
)
from engine import Game, Position, load_variant, parse_move

if TYPE_CHECKING:
    from bot.client import GameBot

CHANNELS: Final = "rule:channels"
"""The custom id of the menu of channels; never change it."""

MOST_CHANNELS = 25
"""Discord's limit for what is chosen in a menu."""

LONGEST_TEXT = 100
"""Discord's limit for an entry of a menu, in characters."""

CHANNEL_KINDS = [discord.ChannelType.text, discord.ChannelType.news, discord.ChannelType.voice]
"""Where people write; threads count as the channel they belong to."""

WISH_TITLES: Final = {
    Wish.THEME: N_("Colours"),
    Wish.MARKS: N_("Marks of X and O"),
    Wish.LANGUAGE: N_("Language"),
    Wish.NOTICES: N_("When it is my turn"),
    Wish.TEXT_BOARD: N_("Boards"),
}
RULE_TITLES: Final = {
    Rule.VARIANT: N_("Default rules"),
    Rule.CLOCK: N_("Default clock of challenges"),
    Rule.THREADS: N_("Games between people"),
    Rule.LANGUAGE: N_("Language everybody sees"),
    Rule.THEME: N_("Colours everybody sees"),
}

SAMPLE_MOVES: Final = (
    "39 92 28 85 56 68 86 65 59 96 63 32 23 31 17 76 66 62 29 97 73 33 53 19 91 16 27 72 45 12 71"
    " 13 98 89 93 81 77 78 75 49 95 99 94 46"
)
"""Both sides have won boards, one is drawn, and one is to be played in."""

Menu = discord.ui.Select[Any] | discord.ui.ChannelSelect[Any]


async def show_wishes(interaction: discord.Interaction[GameBot]) -> None:
    """Show a player's panel, in the message that was clicked if there is one."""
    presentation = await own_presentation(interaction)
    wanted = await interaction.client.preferences.of(interaction.user.id)
    with presentation.spoken():
        title = _("Your settings")
        about = _("What you choose applies at once, here and in every server.")
        heading = f"### {title}\n-# {about}"
        footer = _(
            "A board that you share is drawn in the server's colours and language if it has set "
            "any, otherwise in those that both players want."
        )
        menus = [
            (WISH_TITLES[each], _menu(f"wish:{each}", wish_choices(each), wish_value(each, wanted)))
            for each in Wish
        ]
        await _show(interaction, presentation.theme, heading, menus, footer)


async def show_rules(interaction: discord.Interaction[GameBot], guild: discord.Guild) -> None:
    """Show a server's panel, in the message that was clicked if there is one."""
    settings = await interaction.client.servers.of(guild.id)
    title = _("Settings of {server}").format(server=escape_markdown(guild.name))
    about = _("What you choose applies at once.")
    heading = "\n".join([f"### {title}\n-# {about}", *_notes(interaction, settings)])
    footer = _(
        "With no channel chosen, games are played everywhere. `/server` also takes other rules, "
        "such as `won_board=open,goal=five`, and other clocks, such as `36h`."
    )
    menus: list[tuple[str, Menu]] = [(N_("Channels to play in"), _channel_menu(settings, guild))]
    for each in Rule:
        choices, chosen = rule_choices(each, settings), rule_value(each, settings)
        menus.append((RULE_TITLES[each], _menu(f"rule:{each}", choices, chosen)))
    # The words are for the person who sets it, the picture is what the others will see.
    await _show(interaction, THEMES[settings.theme or DARK.key], heading, menus, footer)


def _notes(interaction: discord.Interaction[GameBot], settings: ServerSettings) -> Sequence[str]:
    may = interaction.app_permissions
    if settings.threads and not (may.create_public_threads and may.send_messages_in_threads):
        return [
            _(
                "In this channel I may not start threads: give me *Create Public Threads* and "
                "*Send Messages in Threads*. Until then games stay in the channel."
            )
        ]
    return []


async def _show(
    interaction: discord.Interaction[GameBot],
    theme: Theme,
    heading: str,
    menus: Iterable[tuple[str, Menu]],
    footer: str,
) -> None:
    """Answer with a panel, its menus below their titles, in the message clicked if there is one."""
    with Presentation(theme=theme, language=current_language()).spoken():
        png = await asyncio.to_thread(_draw_sample, theme, current_language())
        gallery, file = picture("sample.png", png, describe_position(sample_position(), _names()))
    container = discord.ui.Container[Any](
        discord.ui.TextDisplay(heading),
        gallery,
        accent_colour=discord.Colour.from_rgb(*theme.accent),
    )
    for title, menu in menus:
        container.add_item(discord.ui.TextDisplay(f"**{_(title)}**"))
        container.add_item(discord.ui.ActionRow[Any](menu))
    container.add_item(discord.ui.TextDisplay(f"-# {footer}"))
    update = interaction.message is not None
    await post(interaction, sealed(container), [file], ephemeral=True, update=update)


def _menu(custom_id: str, choices: Sequence[Choice], chosen: str) -> Menu:
    options = [
        discord.SelectOption(
            label=choice.label[:LONGEST_TEXT],
            value=choice.value,
            description=choice.description and choice.description[:LONGEST_TEXT],
            default=choice.value == chosen,
        )
        for choice in choices
    ]
    return discord.ui.Select(custom_id=custom_id, options=options)


def _channel_menu(settings: ServerSettings, guild: discord.Guild) -> Menu:
    # Discord refuses to show a channel as chosen that is no longer there.
    there = [each for each in sorted(settings.channels or ()) if guild.get_channel(each)]
    return discord.ui.ChannelSelect(
        custom_id=CHANNELS,
        channel_types=CHANNEL_KINDS,
        placeholder=_("Everywhere"),
        min_values=0,
        max_values=MOST_CHANNELS,
        default_values=[discord.Object(each) for each in there[:MOST_CHANNELS]],
    )


@cache
def sample_position() -> Position:
    """Return a position in which there is all to see that colours and marks are for."""
    rules = load_variant("standard").rules
    return Game.replay(rules, [parse_move(move, rules) for move in SAMPLE_MOVES.split()]).position


def _names() -> tuple[str, str]:
    return _("You"), _("The other player")


@lru_cache(maxsize=16)
def _draw_sample(theme: Theme, _language: str) -> bytes:
    # The language is part of the key: there are words in the picture.
    return draw_board(BoardPicture(sample_position(), names=_names(), theme=theme))
