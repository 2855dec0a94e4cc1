"""How long leaderboards take: many people with ratings in six variants.

Everything is on a real file that is made for it and thrown away afterwards.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bot.model.ratings.values import BoardKey, Period
from bot.services.ratings import RatingBook
from bot.storage import open_storage
from bot.storage.filling import GUILD, NOW, POOLS, fill_ratings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

_PEOPLE: Final = (5_000, 100_000)
_TIMES: Final = 50


def bench_lines(sizes: Sequence[int] = _PEOPLE) -> Iterator[str]:
    """Yield the lines of the report."""
    for people in sizes:
        yield from _lines(people)


def _lines(people: int) -> Iterator[str]:
    yield f"{f'{people:,} people x {len(POOLS)} variants':<44}{'median ms':>10}{'p99 ms':>8}"
    with tempfile.TemporaryDirectory() as folder:
        for name, times in asyncio.run(_measure(Path(folder), people)):
            times.sort()
            p99 = times[int(0.99 * len(times))]
            yield f"  {name:<42}{statistics.median(times):>10.2f}{p99:>8.2f}"


async def _measure(folder: Path, people: int) -> list[tuple[str, list[float]]]:
    async with open_storage(f"sqlite+aiosqlite:///{folder / 'bench.sqlite3'}") as database:
        await database.write(fill_ratings, people)
        book = RatingBook(database, lambda: NOW)
        pool = POOLS[0]
        first = await book.leaderboard(pool)
        middle = BoardKey(value=1500.0, player_id=0, rank=first.total // 2)
        somebody = first.entries[-1].player_id
        asked: list[tuple[str, Callable[[], Awaitable[Any]]]] = [
            ("first page", lambda: book.leaderboard(pool)),
            ("a page in the middle", lambda: book.leaderboard(pool, after=middle)),
            ("the page above it", lambda: book.leaderboard(pool, before=middle)),
            ("first page of 1,000 in a server", lambda: book.leaderboard(pool, guild_id=GUILD)),
            ("rank of somebody at the top", lambda: book.rank_of(somebody, pool)),
            ("what /leaderboard asks for", lambda: book.view_of(somebody, pool)),
            (
                "the same for a month",
                lambda: book.view_of(somebody, pool, period=Period.MONTH),
            ),
            ("an empty read", lambda: database.read(lambda _: None)),
        ]
        return [(name, [await _ms(ask) for _ in range(_TIMES)]) for name, ask in asked]


async def _ms(ask: Callable[[], Awaitable[Any]]) -> float:
    start = time.perf_counter()
    await ask()
    return (time.perf_counter() - start) * 1000
