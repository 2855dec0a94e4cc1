"""A run as its player sees it at a press."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import discord

from bot.clock import to_milliseconds
from bot.language import _
from bot.model.errors import PlayerError
from bot.model.puzzle_runs import VARIANT_KEY, RaceRow, RunKind, RunRow, RunStep, fitted, puzzles_of
from bot.storage import puzzle_runs as rows
from cogs.audience import own_presentation
from cogs.puzzles import run_pages as pages
from cogs.puzzles.run_pages import Shown, Sight
from engine import load_puzzles

if TYPE_CHECKING:
    from datetime import datetime

    from bot.client import GameBot
    from engine import Puzzle


LATEST: Final = timedelta(seconds=3)
"""How long a press made in time may take to arrive."""


class NoServerError(PlayerError):
    """Something that exists only in servers was asked for elsewhere."""

    def __init__(self) -> None:
        super().__init__(_("This is only possible in a server that I'm a member of."))


def stamp(interaction: discord.Interaction[GameBot]) -> datetime:
    """Return when Discord received a press: the time that counts in runs."""
    return to_milliseconds(interaction.created_at)


async def all_puzzles() -> tuple[Puzzle, ...]:
    """Return the puzzles that runs are made of."""
    # Thousands of them are read the first time.
    return await asyncio.to_thread(load_puzzles, VARIANT_KEY)


async def shown(
    interaction: discord.Interaction[GameBot],
    run: RunRow,
    step: RunStep | None = None,
    board: int = 0,
    at: datetime | None = None,
) -> Shown:
    """Lay out somebody's run as it stands at their press, or at another moment."""
    at, bests = at or stamp(interaction), None
    is_still = run.is_over(at) or not run.moves + run.errors
    if is_still and run.race_id is None:
        database, kind = interaction.client.puzzles.database, RunKind(run.kind)
        bests = await database.read(rows.load_bests, run.player_id, kind, at)
    line = puzzles_of(await all_puzzles(), run)
    sight = Sight(
        run=fitted(run, line),
        line=line,
        at=at,
        name=interaction.user.display_name,
        presentation=await own_presentation(interaction),
        step=step,
        board=board,
        bests=bests,
    )
    return await pages.draw(sight)


async def waiting_view(run: RunRow, race: RaceRow) -> discord.ui.LayoutView:
    """Lay out the message in which somebody waits for the start of a race."""
    return pages.waiting(run, puzzles_of(await all_puzzles(), run)[0], race.starts_at)
