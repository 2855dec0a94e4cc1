"""What is said about settings."""

from __future__ import annotations

from typing import Final

import discord

from bot.language import N_, _
from cogs.settings.ids import Rule, Wish

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
CHANNELS_TITLE: Final = N_("Channels to play in")


def wishes_heading() -> str:
    """Head a player's panel."""
    title = _("Your settings")
    about = _("What you choose applies at once, here and in every server.")
    return f"### {title}\n-# {about}"


def wishes_footer() -> str:
    """Say where one's own settings end."""
    return "-# " + _(
        "A board that you share is drawn in the server's colours and language if it has set any, "
        "otherwise in those that both players want."
    )


def rules_heading(server_name: str) -> str:
    """Head a server's panel."""
    title = _("Settings of {server}").format(server=discord.utils.escape_markdown(server_name))
    about = _("What you choose applies at once.")
    return f"### {title}\n-# {about}"


def rules_footer() -> str:
    """Say how to set what no menu lists."""
    return "-# " + _(
        "With no channel chosen, games are played everywhere. `/server` also takes other rules, "
        "such as `won_board=open,goal=five`, and other clocks, such as `36h`."
    )


def no_threads_here() -> str:
    """Warn that threads are wanted and not possible where this is said."""
    return _(
        "In this channel I may not start threads: give me *Create Public Threads* and *Send "
        "Messages in Threads*. Until then games stay in the channel."
    )
