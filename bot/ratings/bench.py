"""How long leaderboards take: 100,000 people with ratings in six variants.

Everything is on a real file that is made for it and thrown away afterwards.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import insert

from bot.ratings.book import RatingBook
from bot.ratings.model import BoardKey, Period
from bot.storage import open_storage
from bot.storage.rating_tables import guild_member, rating
from bot.storage.schema import player
from engine import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from sqlalchemy import Connection

_PEOPLE: Final = 100_000
_POOLS: Final = tuple(VARIANTS)[:6]
_LISTED_SHARE: Final = 0.3  # of those with a rating: the others play seldom
_MEMBERS: Final = 1_000
_GUILD: Final = 1
_NOW: Final = datetime(2026, 3, 1, tzinfo=UTC)
_TIMES: Final = 50


def bench_lines(people: int = _PEOPLE) -> Iterator[str]:
    """Yield the lines of the report."""
    yield f"{f'{people:,} people x {len(_POOLS)} variants':<44}{'median ms':>10}{'p99 ms':>8}"
    with tempfile.TemporaryDirectory() as folder:
        for name, times in asyncio.run(_measure(Path(folder), people)):
            times.sort()
            p99 = times[int(0.99 * len(times))]
            yield f"  {name:<42}{statistics.median(times):>10.2f}{p99:>8.2f}"


async def _measure(folder: Path, people: int) -> list[tuple[str, list[float]]]:
    async with open_storage(f"sqlite+aiosqlite:///{folder / 'bench.sqlite3'}") as database:
        await database.write(lambda c: _fill(c, people))
        book = RatingBook(database, lambda: _NOW)
        pool = _POOLS[0]
        first = await book.leaderboard(pool)
        middle = BoardKey(value=1500.0, player_id=0, rank=first.total // 2)
        somebody = first.entries[-1].player_id
        asked: list[tuple[str, Callable[[], Awaitable[Any]]]] = [
            ("first page", lambda: book.leaderboard(pool)),
            ("a page in the middle", lambda: book.leaderboard(pool, after=middle)),
            ("the page above it", lambda: book.leaderboard(pool, before=middle)),
            ("first page of 1,000 in a server", lambda: book.leaderboard(pool, guild_id=_GUILD)),
            ("first page of a month", lambda: book.leaderboard(pool, period=Period.MONTH)),
            ("rank of somebody at the top", lambda: book.rank_of(somebody, pool)),
            ("an empty read", lambda: database.read(lambda _: None)),
        ]
        return [(name, [await _ms(ask) for _ in range(_TIMES)]) for name, ask in asked]


async def _ms(ask: Callable[[], Awaitable[Any]]) -> float:
    start = time.perf_counter()
    await ask()
    return (time.perf_counter() - start) * 1000


def _fill(connection: Connection, people: int) -> None:
    """Put people with ratings, and a server with some of them, into the tables."""
    dice = random.Random(1)
    ids = range(1, people + 1)
    connection.execute(
        insert(player),
        [{"id": i, "name": f"Player {i}", "created_at": _NOW, "seen_at": _NOW} for i in ids],
    )
    for pool in _POOLS:
        connection.execute(insert(rating), [_row(pool, i, dice) for i in ids])
    members = dice.sample(ids, min(_MEMBERS, people))
    connection.execute(
        insert(guild_member),
        [{"guild_id": _GUILD, "player_id": i, "seen_at": _NOW} for i in members],
    )


def _row(pool: str, player_id: int, dice: random.Random) -> dict[str, Any]:
    is_listed = dice.random() < _LISTED_SHARE
    return {
        "pool": pool,
        "player_id": player_id,
        "value": dice.gauss(1500, 250),
        "deviation": 60.0,
        "volatility": 0.06,
        "games": 40,
        "opponents": 9,
        "telling": 40,
        "best": 1600.0,
        "last_game_at": _NOW - timedelta(days=1),
        "listed_until": _NOW + timedelta(days=29) if is_listed else None,
    }
