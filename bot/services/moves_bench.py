"""How many moves a second are stored, and how long each takes: 10,000 games on a real file.

A move goes the whole way: the lock, the rules, the clock, a transaction with an fsync. Once at
the pace of a thousand moves a second, which is what counts for players, and once as fast as
500 players who think nothing can press; then each waits for all the others.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.clock import system_clock
from bot.gc_tuning import relax
from bot.model import starting
from bot.model.actions import Play
from bot.model.clock_rules import DEFAULT_CORRESPONDENCE
from bot.model.match import Seat
from bot.model.starting import Start
from bot.services.computer import ComputerPlayers
from bot.services.matches import MatchService
from bot.storage import matches as rows
from bot.storage import open_storage
from engine import warm_up

if TYPE_CHECKING:
    from collections.abc import Iterator


_GAMES: Final = 10_000
_PLAYERS: Final = 500
_PER_SECOND: Final = 1_000
_SECONDS: Final = 5.0


@dataclass(slots=True)
class _Load:
    """What players do to the service, and how long each move took."""

    matches: MatchService
    games: int
    per_second: float | None
    end: float = 0.0
    took_ms: list[float] = field(default_factory=list)
    moves_s: float = 0.0
    cpu_ms: float = 0.0

    async def run(self) -> None:
        """Let all play for a while and note how many moves that were, and their work."""
        began_at, busy_from = time.perf_counter(), time.process_time()
        self.end = began_at + _SECONDS
        await asyncio.gather(*(self._play(number) for number in range(_PLAYERS)))
        self.moves_s = len(self.took_ms) / max(_SECONDS, time.perf_counter() - began_at)
        self.cpu_ms = (time.process_time() - busy_from) * 1000 / len(self.took_ms)
        self.took_ms.sort()

    @property
    def p99_ms(self) -> float:
        """So long did all but one move in a hundred take at most."""
        return self.took_ms[int(0.99 * len(self.took_ms))]

    async def _play(self, number: int) -> None:
        """Move in one game after the other, for both sides, of those that are this player's."""
        rng = random.Random(number)
        due = time.perf_counter()
        while time.perf_counter() < self.end:
            if self.per_second is not None:
                # By the clock, not from the last answer: who is slow gets more to do.
                due += rng.expovariate(self.per_second / _PLAYERS)
                if due >= self.end:
                    return
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
            match_id = 1 + number + _PLAYERS * rng.randrange(self.games // _PLAYERS)
            match = await self.matches.load(match_id)
            seat = match.seat_to_move
            if seat is None or seat.player_id is None:
                continue
            move = rng.choice(match.position.legal_moves)
            began_at = time.perf_counter()
            await self.matches.perform(match_id, Play(move), user_id=seat.player_id, ply=match.ply)
            self.took_ms.append((time.perf_counter() - began_at) * 1000)


def bench_lines(games: int = _GAMES) -> Iterator[str]:
    """Yield the lines of the report."""
    head = f"{games:,} games, {_PLAYERS} players at once"
    yield f"{head:<40}{'moves/s':>8}{'median ms':>10}{'p99 ms':>9}{'cpu ms':>8}"
    with tempfile.TemporaryDirectory() as folder:
        for name, load in asyncio.run(_measure(Path(folder), games)):
            median = statistics.median(load.took_ms)
            figures = f"{load.moves_s:>8,.0f}{median:>10.2f}{load.p99_ms:>9.2f}{load.cpu_ms:>8.2f}"
            yield f"  {name:<38}{figures}"


async def _measure(folder: Path, games: int) -> list[tuple[str, _Load]]:
    async with (
        open_storage(f"sqlite+aiosqlite:///{folder / 'bench.sqlite3'}") as database,
        ComputerPlayers(threads=1, seconds=1.0) as computer,
        MatchService(database, computer) as matches,
    ):
        warm_up()
        await database.write(rows.begin_all, _starts(games), system_clock())
        # As they are some minutes after a start: what goes on is in memory.
        for match_id in range(1, games + 1):
            await matches.load(match_id)
        relax()
        measured = []
        for name, per_second in (
            (f"at {_PER_SECOND:,} moves a second", float(_PER_SECOND)),
            ("as fast as they can", None),
        ):
            load = _Load(matches, games, per_second)
            await load.run()
            measured.append((name, load))
        return measured


def _starts(games: int) -> list[Start]:
    """Return the beginnings of games between people, each with as few as a person may have."""
    rng, rules = random.Random(1), starting.find_rules("standard")
    return [
        Start(
            game=starting.begin_game(rules, None, rng),
            seats=(
                Seat(name=f"Player {2 * number + 1}", player_id=2 * number + 1),
                Seat(name=f"Player {2 * number + 2}", player_id=2 * number + 2),
            ),
            clock=DEFAULT_CORRESPONDENCE,
        )
        for number in range(games)
    ]
