"""The two panels of settings as messages: a board that shows the colours, and menus below it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cache, lru_cache
from typing import Any, Final

import discord
from discord.utils import escape_markdown, format_dt

from bot.client import Interaction
from bot.language import N_, _, current_language
from bot.model.challenges import CALLED_EVERY
from bot.model.preferences import ServerSettings
from bot.model.puzzles import day_of, post_at
from bot.render import DARK, THEMES, BoardPicture, Theme, describe_position, draw_board
from cogs.answering import Part, boxed, picture, sealed
from cogs.audience import Presentation, own_presentation
from cogs.challenge.showing import can_mention
from cogs.pages import post
from cogs.settings.choices import (
    ROLES,
    Choice,
    Pick,
    Rule,
    Wish,
    rule_choices,
    set_now,
    wish_choices,
)
from engine import Game, Position, load_variant, parse_move

MOST_CHANNELS = 25
"""Discord's limit for the entries chosen in a menu."""

LONGEST_TEXT = 100
"""Discord's limit for an entry of a menu, in characters."""

FEED_KINDS = [discord.ChannelType.text, discord.ChannelType.news]
FEED_NEEDS = discord.Permissions(view_channel=True, send_messages=True, attach_files=True)

CHANNEL_KINDS = [discord.ChannelType.text, discord.ChannelType.news, discord.ChannelType.voice]
"""Where people write; threads count as the channel they belong to."""

WISH_TITLES: Final = {
    Wish.THEME: N_("Colours"),
    Wish.MARKS: N_("Marks of X and O"),
    Wish.LANGUAGE: N_("Language"),
    Wish.NOTICES: N_("When it is my turn"),
    Wish.TEXT_BOARD: N_("Boards"),
    Wish.NAMED_GAMES: N_("My games in the database of games"),
}
PICK_TITLES: Final = {
    Pick.CHANNELS: N_("Channels to play in"),
    Pick.LOBBY_ROLE: N_("Role to mention when someone looks for an opponent"),
    Pick.FEED_CHANNEL: N_("Channel for games and results"),
    Pick.DAILY_CHANNEL: N_("Channel for the daily puzzle"),
    Pick.DAILY_ROLE: N_("Role to mention with the daily puzzle"),
}
RULE_TITLES: Final = {
    Rule.DAILY_HOUR: N_("Hour of the daily puzzle"),
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

Menu = discord.ui.Select[Any] | discord.ui.ChannelSelect[Any] | discord.ui.RoleSelect[Any]


async def show_wishes(interaction: Interaction) -> None:
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
            (WISH_TITLES[each], _menu(f"wish:{each}", wish_choices(each), getattr(wanted, each)))
            for each in Wish
        ]
        await _show(interaction, presentation.theme, heading, menus, footer)


async def show_rules(interaction: Interaction, guild: discord.Guild) -> None:
    """Show a server's panel, in the message that was clicked if there is one."""
    settings = await interaction.client.servers.of(guild.id)
    title = _("Settings of {server}").format(server=escape_markdown(guild.name))
    about = _("What you choose applies at once.")
    notes = [f"⚠️ {each}" for each in _notes(interaction, guild, settings)]
    if settings.daily_channel is not None:
        at = _next_post(guild.id, settings, interaction.client.puzzles.clock())
        about += " " + _("The next daily puzzle comes {at}.").format(at=format_dt(at, "R"))
    heading = "\n".join([f"### {title}\n-# {about}", *notes])
    footer = _(
        "With no channel chosen, games are played everywhere. Looking for an opponent mentions the "
        "role every {minutes} minutes at most. `/server` also takes other rules, such as "
        "`won_board=open,goal=five`, and other clocks, such as `36h`."
    ).format(minutes=CALLED_EVERY // timedelta(minutes=1))
    menus = [(PICK_TITLES[each], _pick_menu(each, settings, guild)) for each in Pick]
    for rule in Rule:
        menu = _menu(f"rule:{rule}", rule_choices(rule, settings), set_now(rule, settings))
        menus.append((RULE_TITLES[rule], menu))
    # The words are for the person who sets it, the picture is what the others will see.
    await _show(interaction, THEMES[settings.theme or DARK.key], heading, menus, footer)


def _notes(
    interaction: Interaction, guild: discord.Guild, settings: ServerSettings
) -> Iterator[str]:
    """Yield what keeps the bot from doing what is set."""
    may = interaction.app_permissions
    if settings.threads and not (may.create_public_threads and may.send_messages_in_threads):
        yield _(
            "In this channel I may not start threads: give me *Create Public Threads* and "
            "*Send Messages in Threads*. Until then games stay in the channel."
        )
    if settings.lobby_role is not None:
        role = guild.get_role(settings.lobby_role)
        if role is None:
            yield _("The role to mention has been deleted: choose another one.")
        elif not can_mention(role, may):
            yield _(
                "In this channel I may not mention {role}: allow anyone to mention this role, "
                "or give me *Mention @everyone, @here and All Roles*."
            ).format(role=role.mention)
    yield from _channel_notes(
        guild,
        settings.feed_channel,
        _("The channel for games and results has been deleted: choose another one."),
        _(
            "I may not post games and results in {channel}: give me *View Channel*, *Send "
            "Messages* and *Attach Files* there."
        ),
    )
    yield from _channel_notes(
        guild,
        settings.daily_channel,
        _("The channel for the daily puzzle has been deleted: choose another one."),
        _(
            "I may not post the daily puzzle in {channel}: give me *View Channel*, *Send "
            "Messages* and *Attach Files* there."
        ),
    )
    channel = guild.get_channel(settings.daily_channel or 0)
    if settings.daily_role is not None and channel is not None:
        role = guild.get_role(settings.daily_role)
        if role is None:
            yield _("The role to mention with the daily puzzle has been deleted.")
        elif not can_mention(role, channel.permissions_for(guild.me)):
            yield _(
                "In {channel} I may not mention {role}: allow anyone to mention this role, "
                "or give me *Mention @everyone, @here and All Roles*."
            ).format(channel=channel.mention, role=role.mention)


def _channel_notes(
    guild: discord.Guild, channel_id: int | None, gone: str, refused: str
) -> Iterator[str]:
    """Yield what keeps the bot from posting in a channel, if one is set."""
    channel = None if channel_id is None else guild.get_channel(channel_id)
    if channel_id is not None and channel is None:
        yield gone
    elif channel is not None and not channel.permissions_for(guild.me) >= FEED_NEEDS:
        yield refused.format(channel=channel.mention)


def _next_post(guild_id: int, settings: ServerSettings, now: datetime) -> datetime:
    """Return when the next daily puzzle is posted in a server."""
    at = post_at(day_of(now), guild_id, settings.daily_hour)
    return at if at > now else at + timedelta(days=1)


async def _show(
    interaction: Interaction,
    theme: Theme,
    heading: str,
    menus: Iterable[tuple[str, Menu]],
    footer: str,
) -> None:
    """Answer with a panel, its menus below their titles, in the message clicked if there is one."""
    with Presentation(theme=theme, language=current_language()).spoken():
        png = await asyncio.to_thread(_draw_sample, theme, current_language())
        gallery, file = picture("sample.png", png, describe_position(sample_position(), _names()))
    parts: list[Part] = [heading, gallery]
    for title, menu in menus:
        parts += [f"**{_(title)}**", discord.ui.ActionRow[Any](menu)]
    colour = discord.Colour.from_rgb(*theme.accent)
    container = boxed(*parts, f"-# {footer}", colour=colour)
    update = interaction.message is not None
    await post(interaction, sealed(container), [file], ephemeral=True, update=update)


def _menu(custom_id: str, choices: Sequence[Choice], setting: object) -> Menu:
    options = [
        discord.SelectOption(
            label=choice.label[:LONGEST_TEXT],
            value=choice.value,
            description=choice.description and choice.description[:LONGEST_TEXT],
            default=choice.setting == setting,
        )
        for choice in choices
    ]
    return discord.ui.Select(custom_id=custom_id, options=options)


def _pick_menu(pick: Pick, settings: ServerSettings, guild: discord.Guild) -> Menu:
    # Discord refuses to preselect what no longer exists.
    custom_id = f"rule:{pick}"
    if pick in ROLES:
        role = guild.get_role(getattr(settings, pick) or 0)
        return discord.ui.RoleSelect(
            custom_id=custom_id,
            placeholder=_("Nobody"),
            min_values=0,
            default_values=[] if role is None else [role],
        )
    everywhere = pick is Pick.CHANNELS
    chosen = sorted(settings.channels or ()) if everywhere else [getattr(settings, pick) or 0]
    there = [each for each in chosen if guild.get_channel(each)]
    return discord.ui.ChannelSelect(
        custom_id=custom_id,
        channel_types=CHANNEL_KINDS if everywhere else FEED_KINDS,
        placeholder=_("Everywhere") if everywhere else _("Nowhere"),
        min_values=0,
        max_values=MOST_CHANNELS if everywhere else 1,
        default_values=[discord.Object(each) for each in there[:MOST_CHANNELS]],
    )


@cache
def sample_position() -> Position:
    """Return a position that shows everything that colours and marks are used for."""
    rules = load_variant("standard").rules
    return Game.replay(rules, [parse_move(move, rules) for move in SAMPLE_MOVES.split()]).position


def _names() -> tuple[str, str]:
    return _("You"), _("The other player")


@lru_cache(maxsize=16)
def _draw_sample(theme: Theme, _language: str) -> bytes:
    # The language is part of the key: there are words in the picture.
    return draw_board(BoardPicture(sample_position(), names=_names(), theme=theme))
