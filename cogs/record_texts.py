"""Records as text: what `/import` is given, typed or as a file, and what `/export` shows."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from bot.client import DISCORD_FAILURES
from bot.language import _, number
from bot.model.errors import PlayerError
from cogs.answering import LONGEST_VIEW, Verbatim

if TYPE_CHECKING:
    import discord

LARGEST_FILE: Final = 128 * 1024
"""In bytes; the longest games need 6 KiB, the rest is for comments and headers."""

READ_WITHIN_S: Final = 1.5
"""Half of the time that Discord gives for an answer."""


async def given_text(record: str | None, file: discord.Attachment | None) -> str:
    """Return the text that was typed, or that of the file.

    Raises:
        PlayerError: If not exactly one of them is given, or the file cannot be read.
    """
    if record is not None and file is not None:
        raise PlayerError(_("Paste the text or attach the file, not both."))
    if file is not None:
        return _decoded(await _read(file))
    if record is None:
        raise PlayerError(
            _(
                "Paste a game record or its moves, such as `55 59 98`, or attach a record as a "
                "file: `/export` writes both."
            )
        )
    return record


async def _read(file: discord.Attachment) -> bytes:
    if file.size > LARGEST_FILE:
        words = _("This file is too large for a game record: {size} KB; the limit is {limit} KB.")
        size, limit = number(-(-file.size // 1024)), number(LARGEST_FILE // 1024)
        raise PlayerError(words.format(size=size, limit=limit))
    try:
        async with asyncio.timeout(READ_WITHIN_S):
            return await file.read()
    except DISCORD_FAILURES as error:
        raise PlayerError(
            _("I couldn't get this file from Discord: please try again, or paste its text.")
        ) from error


def _decoded(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        words = _("Line {line}: This is not UTF-8 text. Save the file as UTF-8 and try again.")
        raise PlayerError(words.format(line=line)) from None


def code_block(record: str, *, beside: str) -> list[Verbatim]:
    """Return a record to be copied from a message, or nothing if it is too long for one.

    Args:
        record: As `format_record` writes it.
        beside: What else the message says.
    """
    # A backtick in a name could end the block; written like this, it reads the same.
    content = record.rstrip("\n").replace("`", r"\u0060")
    block = f"```\n{content}\n```"
    return [Verbatim(block)] if len(block) + len(beside) <= LONGEST_VIEW else []
