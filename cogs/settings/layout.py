"""How the two panels look: a menu for everything that can be set."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Sequence
from typing import Any

import discord

from bot.language import _
from bot.model.preferences import PlayerPreferences, ServerSettings
from bot.render.presentation import Presentation
from cogs.settings import ids, texts
from cogs.settings.choices import Choice, rule_choices, rule_value, wish_choices, wish_value
from cogs.settings.ids import Rule, Wish
from cogs.settings.sample import describe_sample, draw_sample
from cogs.views import sealed

IMAGE_NAME = "sample.png"

MOST_CHANNELS = 25
"""So many channels a menu can have chosen."""

LONGEST_TEXT = 100
"""So many characters of an entry Discord shows."""

KINDS = [discord.ChannelType.text, discord.ChannelType.news, discord.ChannelType.voice]
"""Where people write; threads count as the channel they belong to."""

Container = discord.ui.Container[Any]


async def wishes_panel(
    wanted: PlayerPreferences, presentation: Presentation
) -> tuple[discord.ui.LayoutView, discord.File]:
    """Lay out what a player has set, with a board that shows it."""
    image = await _sample(presentation)
    container = _begun(texts.wishes_heading(), presentation)
    for wish in Wish:
        options = _options(wish_choices(wish), wish_value(wish, wanted))
        _add(container, texts.WISH_TITLES[wish], _menu(ids.wish_id(wish), options))
    container.add_item(discord.ui.TextDisplay(texts.wishes_footer()))
    return sealed(container), image


async def rules_panel(
    settings: ServerSettings,
    guild: discord.Guild,
    presentation: Presentation,
    notes: Sequence[str] = (),
) -> tuple[discord.ui.LayoutView, discord.File]:
    """Lay out what is set for a server, with a board that shows its colours."""
    image = await _sample(presentation)
    container = _begun("\n".join([texts.rules_heading(guild.name), *notes]), presentation)
    _add(container, texts.CHANNELS_TITLE, _channel_menu(settings, guild))
    for rule in Rule:
        options = _options(rule_choices(rule, settings), rule_value(rule, settings))
        _add(container, texts.RULE_TITLES[rule], _menu(ids.rule_id(rule), options))
    container.add_item(discord.ui.TextDisplay(texts.rules_footer()))
    return sealed(container), image


def _begun(heading: str, presentation: Presentation) -> Container:
    gallery = discord.ui.MediaGallery[Any](
        discord.MediaGalleryItem(f"attachment://{IMAGE_NAME}", description=describe_sample())
    )
    accent = discord.Colour.from_rgb(*presentation.theme.accent)
    return Container(discord.ui.TextDisplay(heading), gallery, accent_colour=accent)


async def _sample(presentation: Presentation) -> discord.File:
    png = await asyncio.to_thread(draw_sample, presentation.theme)
    return discord.File(io.BytesIO(png), filename=IMAGE_NAME)


def _add(container: Container, title: str, menu: discord.ui.Item[Any]) -> None:
    container.add_item(discord.ui.TextDisplay(f"**{_(title)}**"))
    container.add_item(discord.ui.ActionRow[Any](menu))


def _options(choices: Sequence[Choice], chosen: str) -> list[discord.SelectOption]:
    return [
        discord.SelectOption(
            label=choice.label[:LONGEST_TEXT],
            value=choice.value,
            description=choice.description and choice.description[:LONGEST_TEXT],
            default=choice.value == chosen,
        )
        for choice in choices
    ]


def _menu(custom_id: str, options: list[discord.SelectOption]) -> discord.ui.Select[Any]:
    return discord.ui.Select(custom_id=custom_id, options=options)


def _channel_menu(settings: ServerSettings, guild: discord.Guild) -> discord.ui.ChannelSelect[Any]:
    # Discord refuses to show a channel as chosen that is no longer there.
    there = [each for each in sorted(settings.channels or ()) if guild.get_channel(each)]
    return discord.ui.ChannelSelect(
        custom_id=ids.CHANNELS,
        channel_types=KINDS,
        placeholder=_("Everywhere"),
        min_values=0,
        max_values=MOST_CHANNELS,
        default_values=[discord.Object(each) for each in there[:MOST_CHANNELS]],
    )
