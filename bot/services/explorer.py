"""What was played in a position: looked up, and counted again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import structlog

from bot.model.explorer import PLIES, Branches, NoTreeError, is_explored
from bot.storage import explorer as rows
from bot.storage import matches as match_rows
from bot.storage import open_storage
from bot.storage.matches import BrokenRecordError, MatchRow, to_match
from engine import canonical_line, load_variant

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from bot.model.explorer import Asked
    from bot.model.match import Match
    from bot.storage import Database
    from engine import Canonical, Cell

LISTED: Final = 10
"""How many of a position's newest games are listed."""

PORTION: Final = 200
"""How many games are counted in one transaction, so that others do not wait long."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Explorer:
    """The tree of what was played."""

    database: Database

    async def look(self, key: str, line: Sequence[Cell], asked: Asked) -> Branches:
        """Return what was played after some moves of a variant.

        Raises:
            EngineError: If there is no such variant, or its rules refuse a move.
            NoTreeError: If its games are not counted.
        """
        here, ply = _walk(key, line), len(line)
        counts = await self.database.read(rows.count_moves, here.key, ply, asked)
        # The key may be ambiguous: two positions in some 10^19 have the same one.
        shown = {here.fold(move): move for move in reversed(here.position.legal_moves)}
        moves = (replace(each, move=shown[each.move]) for each in counts if each.move in shown)
        ordered = sorted(moves, key=lambda each: (-each.games, each.move))
        return Branches(here.position, tuple(ordered), is_end=ply >= PLIES)

    async def games(self, key: str, line: Sequence[Cell], asked: Asked) -> tuple[Match, ...]:
        """Return the newest games that continued from there; errors as for `look`."""
        here = _walk(key, line)
        found = await self.database.read(rows.list_games, here.key, asked, LISTED)
        stored = await self.database.read(match_rows.list_matches, found)
        return tuple(reversed(_whole(stored)))


def _walk(key: str, line: Sequence[Cell]) -> Canonical:
    variant = load_variant(key)
    if not is_explored(variant.key):
        raise NoTreeError(variant.name)
    *_before, here = canonical_line(variant.rules, line)
    return here


async def count_games(url: str, *, afresh: bool) -> AsyncIterator[tuple[int, int]]:
    """Count the finished games in a database that are not counted yet; the bot must not be running.

    This can be stopped at any time, and continues from there unless all is to be counted `afresh`.

    Yields:
        After each portion, how many games were looked at so far, and how many of them were new.

    Raises:
        DatabaseInUseError: If the bot is running.
        UnusableDatabaseError: If the database cannot be used.
    """
    async with open_storage(url) as database:
        if afresh:
            await database.write(rows.clear)
        last, looked, new = 0, 0, 0
        while numbers := await database.read(rows.list_finished, last, PORTION):
            found = await database.read(match_rows.list_matches, numbers)
            new += await database.write(rows.enter_all, list(_whole(found)))
            looked, last = looked + len(numbers), numbers[-1]
            yield looked, new


def _whole(found: Sequence[MatchRow]) -> list[Match]:
    """Return the matches that can be replayed."""
    whole = []
    for row in found:
        try:
            whole.append(to_match(row))
        except BrokenRecordError as error:
            log.warning("game not counted", match=row.id, reason=str(error))
    return whole
