"""What is said about blocks, to the one who sets them alone."""

from __future__ import annotations

from collections.abc import Sequence

import discord

from bot.language import _, ngettext

MOST_NAMED = 50
"""So many names fit into a message with room to spare."""


def blocked(name: str, closed: int) -> str:
    """Say what a block does."""
    lines = [
        _("**{name} is blocked.**").format(name=discord.utils.escape_markdown(name)),
        _(
            "Neither of you can challenge the other or take the other's challenges. They are not "
            "told. Games between you go on until they end. `/unblock` takes it back."
        ),
    ]
    if closed:
        words = ngettext(
            "{count} challenge between you has been closed.",
            "{count} challenges between you have been closed.",
            closed,
        )
        lines.append(words.format(count=closed))
    return "\n".join(lines)


def unblocked(name: str) -> str:
    """Say that a block is taken back."""
    words = _("**{name} is not blocked any more:** you can challenge each other again.")
    return words.format(name=discord.utils.escape_markdown(name))


def was_not_blocked(name: str) -> str:
    """Say that there was no block."""
    words = _("You haven't blocked {name}: see who you have with `/blocks`.")
    return words.format(name=discord.utils.escape_markdown(name))


def blocks(user_ids: Sequence[int]) -> str:
    """List whom somebody has blocked, the latest first."""
    if not user_ids:
        return _("You haven't blocked anyone. `/block` stops someone from challenging you.")
    lines = [_("**You have blocked:**")]
    # Discord shows the name that somebody has now; nobody is called by it here.
    lines += [f"- <@{user_id}>" for user_id in user_ids[:MOST_NAMED]]
    more = len(user_ids) - MOST_NAMED
    if more > 0:
        words = ngettext("and {count} more", "and {count} more", more)
        lines.append(words.format(count=more))
    return "\n".join(lines)
