"""Puzzles: given to people, tried, and what that does to ratings."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.clock import Clock, system_clock
from bot.model.puzzles import NoPuzzlesError, NoRoundError
from bot.storage import puzzles as rows
from engine import load_puzzles, load_variant, puzzle_variants

if TYPE_CHECKING:
    from bot.model.match import Person
    from bot.model.puzzles import Round, Wanted
    from bot.storage import Database
    from engine import Attempt, Cell, Puzzle


@dataclass(frozen=True, slots=True)
class PuzzleBook:
    """All puzzles, and everybody's attempts at them.

    Args:
        database: Where attempts and ratings are kept.
        clock: Tells the time, by which ratings become unsure.
        rng: Decides between puzzles that are about as hard.
    """

    database: Database
    clock: Clock = system_clock
    rng: random.Random = field(default_factory=random.Random)

    async def give(self, person: Person, wanted: Wanted, *, resume: bool) -> tuple[Puzzle, Round]:
        """Give somebody a puzzle that they have not tried; with `resume` one they have left.

        Raises:
            AllTriedError: If there is none left of this kind.
            NoPuzzlesError: If there are none of this kind.
            StorageFailedError: If it could not be stored.
        """
        puzzles = await _puzzles_of(wanted.variant_key)
        fitting = [each for each in puzzles if wanted.fits(each)]
        if not fitting:
            raise NoPuzzlesError(load_variant(wanted.variant_key).name, puzzle_variants())
        return await self.database.write(
            rows.begin,
            person,
            wanted,
            fitting,
            resume=resume,
            rng=self.rng,
            now=self.clock(),
        )

    async def round_of(self, user_id: int, key: str, puzzle_id: str) -> tuple[Puzzle, Round]:
        """Return a puzzle and somebody's attempt at it.

        Raises:
            NoRoundError: If they were never given it, or there is no such puzzle any more.
        """
        puzzle = await _find(key, puzzle_id)
        return puzzle, await self.database.read(rows.load_round, user_id, key, puzzle)

    async def try_move(
        self, user_id: int, key: str, puzzle_id: str, *, turn: int, move: Cell
    ) -> tuple[Puzzle, Round, Attempt]:
        """Make a move of somebody's; one of another turn than the next changes nothing.

        Raises:
            IllegalMoveError: If the rules refuse it.
            NoRoundError: If they were never given the puzzle, or there is no such any more.
            StorageFailedError: If it could not be stored.
        """
        puzzle = await _find(key, puzzle_id)
        found, attempt = await self.database.write(
            rows.try_move, user_id, key, puzzle, turn=turn, move=move, now=self.clock()
        )
        return puzzle, found, attempt

    async def give_up(self, user_id: int, key: str, puzzle_id: str) -> tuple[Puzzle, Round]:
        """Count an attempt as failed if it is open still: its player is about to be helped.

        Raises:
            NoRoundError: If they were never given the puzzle, or there is no such any more.
            StorageFailedError: If it could not be stored.
        """
        puzzle = await _find(key, puzzle_id)
        now = self.clock()
        return puzzle, await self.database.write(rows.give_up, user_id, key, puzzle, now=now)


async def _puzzles_of(key: str) -> tuple[Puzzle, ...]:
    # Thousands of them are read the first time.
    return await asyncio.to_thread(load_puzzles, key)


async def _find(key: str, puzzle_id: str) -> Puzzle:
    if key in puzzle_variants():
        for puzzle in await _puzzles_of(key):
            if puzzle.id == puzzle_id:
                return puzzle
    raise NoRoundError
