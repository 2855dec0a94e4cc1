"""Puzzles: giving them to people, trying their moves, and how that changes ratings."""

from __future__ import annotations

import asyncio
import hashlib
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.clock import Clock, system_clock
from bot.model.puzzles import DAILY_VARIANT, NoPuzzlesError, NoRoundError, day_of
from bot.storage import dailies
from bot.storage import puzzles as rows
from engine import load_puzzles, load_variant, puzzle_variants

if TYPE_CHECKING:
    from bot.model.match import Person
    from bot.model.puzzles import Round, Try, Wanted
    from bot.storage import Database
    from bot.storage.outbox import OutboxRow
    from engine import Attempt, Cell, Puzzle


@dataclass(frozen=True, slots=True)
class PuzzleBook:
    """All puzzles, and everybody's attempts at them.

    What could not be stored raises a StorageFailedError. Ratings become less certain with time;
    `rng` chooses between puzzles of about the same difficulty.
    """

    database: Database
    clock: Clock = system_clock
    rng: random.Random = field(default_factory=random.Random)

    async def give(self, person: Person, wanted: Wanted, *, resume: bool) -> Round:
        """Give somebody a puzzle that they have not tried; with `resume`, one that they left open.

        Raises:
            AllTriedError: If there is none left of this kind.
            NoPuzzlesError: If there are none of this kind.
        """
        fitting = [each for each in await puzzles_of(wanted.variant_key) if wanted.fits(each)]
        if not fitting:
            raise NoPuzzlesError(load_variant(wanted.variant_key).name, puzzle_variants())
        rng, now = self.rng, self.clock()
        return await self.database.write(
            rows.begin, person, wanted, fitting, resume=resume, rng=rng, now=now
        )

    async def round_of(
        self, user_id: int, key: str, puzzle_id: str, day: int | None = None
    ) -> Round:
        """Return somebody's attempt at a puzzle, or at the daily puzzle if a day is given.

        Raises:
            NoRoundError: If they were never given the puzzle, or it no longer exists.
        """
        puzzle, now = await _find(key, puzzle_id), self.clock()
        return await self.database.read(rows.load_round, user_id, puzzle, day, now=now)

    async def try_move(
        self,
        user_id: int,
        key: str,
        puzzle_id: str,
        *,
        turn: int,
        move: Cell,
        day: int | None = None,
    ) -> tuple[Round, Attempt]:
        """Make somebody's move; a move for any turn but the next changes nothing.

        Raises:
            IllegalMoveError: If the rules refuse it.
            NoRoundError: If they were never given the puzzle, or it no longer exists.
        """
        puzzle, now = await _find(key, puzzle_id), self.clock()
        return await self.database.write(
            rows.try_move, user_id, puzzle, turn=turn, move=move, day=day, now=now
        )

    async def give_up(
        self, user_id: int, key: str, puzzle_id: str, made: Try, day: int | None = None
    ) -> Round:
        """Count an attempt as failed if it is still open: its player is about to get help.

        Raises:
            NoRoundError: If they were never given the puzzle, or it no longer exists.
        """
        puzzle, now = await _find(key, puzzle_id), self.clock()
        return await self.database.write(rows.give_up, user_id, puzzle, made=made, day=day, now=now)

    @property
    def today(self) -> int:
        """The day of the current daily puzzle."""
        return day_of(self.clock())

    async def puzzle_of(self, day: int) -> Puzzle:
        """Return the puzzle of a day: the same for everybody, from the first time it is needed."""
        known = {each.id: each for each in await puzzles_of(DAILY_VARIANT)}
        chosen = await self.database.read(rows.find_puzzle_of, day)
        if chosen not in known:
            # By a hash, so that puzzles from one game, or equally hard ones, are not adjacent.
            ids = sorted(known, key=lambda each: hashlib.sha256(each.encode()).digest())
            chosen = await self.database.write(rows.choose_puzzle_of, day, ids)
        return known[chosen]

    async def give_daily(self, person: Person, day: int) -> Round:
        """Give somebody the puzzle of a day, or return their attempt at it."""
        puzzle, now = await self.puzzle_of(day), self.clock()
        return await self.database.write(rows.begin_daily, person, puzzle, day, now=now)

    async def answer_daily(self, person: Person, day: int) -> Round:
        """Show somebody the solution of a day's puzzle, which they can then no longer solve."""
        puzzle, now = await self.puzzle_of(day), self.clock()
        return await self.database.write(rows.answer_daily, person, puzzle, day, now=now)

    async def enter_due(self) -> list[OutboxRow]:
        """Put the posts that are due into the outbox, each once, and return them."""
        now, home = self.clock(), self.database.home
        entered: list[OutboxRow] = []
        # Looked for first: there is nothing to write in most minutes.
        while await self.database.read(dailies.list_due, now, home):
            entered += await self.database.write(dailies.enter_due, now, home)
        return entered

    async def skip_post(self, guild_id: int) -> None:
        """Post nothing in a server before its next daily hour, which has just been chosen."""
        await self.database.write(dailies.skip_due, guild_id, self.clock())

    async def claim_share(self, user_id: int, day: int, *, shared: bool = True) -> bool:
        """Note that somebody shares their result, and return True; False if they may not.

        Once a day; `shared=False` notes that they could not after all.
        """
        now = self.clock() if shared else None
        return await self.database.write(rows.claim_share, user_id, day, now)


async def puzzles_of(key: str) -> tuple[Puzzle, ...]:
    """Return all puzzles of a variant."""
    # Thousands of them are read the first time.
    return await asyncio.to_thread(load_puzzles, key)


async def _find(key: str, puzzle_id: str) -> Puzzle:
    if key in puzzle_variants():
        for puzzle in await puzzles_of(key):
            if puzzle.id == puzzle_id:
                return puzzle
    raise NoRoundError
