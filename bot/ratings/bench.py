"""How long leaderboards take: many people with ratings in six variants.

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
from bot.storage.rating_tables import guild_member, rated_match, rating, rating_change
from bot.storage.schema import match, player, seat
from engine import VARIANTS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from sqlalchemy import Connection

_PEOPLE: Final = (5_000, 100_000)
_POOLS: Final = tuple(VARIANTS)[:6]
_LISTED_SHARE: Final = 0.3  # of those with a rating: the others play seldom
_ACTIVE: Final = 5_000  # who has played lately
_MEMBERS: Final = 1_000
_GUILD: Final = 1
_NOW: Final = datetime(2026, 3, 1, tzinfo=UTC)
_TIMES: Final = 50


def bench_lines(sizes: Sequence[int] = _PEOPLE) -> Iterator[str]:
    """Yield the lines of the report."""
    for people in sizes:
        yield from _lines(people)


def _lines(people: int) -> Iterator[str]:
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
    _fill_changes(connection, people, dice)
    members = dice.sample(ids, min(_MEMBERS, people))
    connection.execute(
        insert(guild_member),
        [{"guild_id": _GUILD, "player_id": i, "seen_at": _NOW} for i in members],
    )


def _fill_changes(connection: Connection, people: int, dice: random.Random) -> None:
    """Put games of the last sixty days into the first pool: fifteen a month for the active."""
    active = range(1, min(people, _ACTIVE) + 1)
    games = range(1, 15 * len(active) + 1)
    finished = {
        "variant_key": _POOLS[0],
        "rules": _POOLS[0],
        "status": "finished",
        "ply": 40,
        "end_reason": "board",
        "rated": 1,
        "created_at": _NOW,
        "updated_at": _NOW,
        "ended_at": _NOW,
    }
    connection.execute(insert(match), [finished | {"id": i, "winner": i % 2} for i in games])
    pairs = {i: dice.sample(active, 2) for i in games}
    connection.execute(
        insert(seat),
        [
            {"match_id": i, "side": side, "player_id": player_id}
            for i, pair in pairs.items()
            for side, player_id in enumerate(pair)
        ],
    )
    connection.execute(
        insert(rated_match),
        [
            {
                "match_id": i,
                "first_id": min(pair),
                "second_id": max(pair),
                "winner": i % 2,
                "ended_at": _NOW,
            }
            for i, pair in pairs.items()
        ],
    )
    connection.execute(
        insert(rating_change),
        [
            _change(i, player_id, pair[1 - place], dice)
            for i, pair in pairs.items()
            for place, player_id in enumerate(pair)
        ],
    )


def _change(match_id: int, player_id: int, opponent_id: int, dice: random.Random) -> dict[str, Any]:
    return {
        "match_id": match_id,
        "player_id": player_id,
        "pool": _POOLS[0],
        "opponent_id": opponent_id,
        "value_before": 1500.0,
        "deviation_before": 60.0,
        "volatility_before": 0.06,
        "value_after": 1500.0 + dice.gauss(0, 9),
        "deviation_after": 60.0,
        "volatility_after": 0.06,
        "changed_at": _NOW - timedelta(minutes=dice.randrange(60 * 24 * 60)),
    }


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
