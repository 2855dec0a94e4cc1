"""What `python -m bot bench` measures: pictures, moves, leaderboards, the explorer, and the rest.

Parts that need a database get a real file, which is deleted afterwards.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from bot.clock import system_clock
from bot.gc_tuning import relax
from bot.model import starting
from bot.model.actions import Play
from bot.model.clocks import DEFAULT_CORRESPONDENCE
from bot.model.explorer import PLIES, TOTALLED, Asked
from bot.model.match import Seat
from bot.model.ratings.values import BoardKey, BoardKind, Period
from bot.model.starting import Start
from bot.render.bench import bench_lines as picture_lines
from bot.services.computer import ComputerPlayers
from bot.services.explorer import LISTED, Explorer
from bot.services.matches import MatchService
from bot.services.ratings import RatingBook
from bot.storage import explorer as explored
from bot.storage import matches as rows
from bot.storage import open_storage
from bot.storage.filling import GUILD, NOW, POOLS, fill_explorer, fill_ratings
from engine import Limit, Position, canonical_line, load_variant, search, warm_up

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from bot.storage import Database

T = TypeVar("T")

_LAG_SECONDS: Final = 2.0
_TICK_SECONDS: Final = 0.001
_STARTS: Final = 5


def bench_lines() -> Iterator[str]:
    """Yield the lines of the report."""
    yield from picture_lines()
    yield ""
    yield from _lag_lines()
    yield from _start_lines()
    yield ""
    yield from move_lines()
    yield ""
    yield from leaderboard_lines()
    yield ""
    yield from explorer_lines()


def _lag_lines() -> Iterator[str]:
    """Measure how late the event loop wakes, at rest and while two searches run in threads."""
    warm_up()
    yield f"{'event loop wakes late by':<36}{'median ms':>10}{'p99 ms':>8}{'max ms':>8}"
    for name, searches in (("at rest", 0), ("while one search runs", 1), ("while two run", 2)):
        late = asyncio.run(_lags_ms(searches))
        yield f"  {name:<34}{statistics.median(late):>10.2f}{_p99(late):>8.2f}{max(late):>8.2f}"


async def _lags_ms(searches: int) -> list[float]:
    position = Position.initial(load_variant("standard").rules)
    limit = Limit(seconds=_LAG_SECONDS)
    running = [
        asyncio.create_task(asyncio.to_thread(search, position, limit)) for _ in range(searches)
    ]
    late = []
    end = time.perf_counter() + _LAG_SECONDS
    while (start := time.perf_counter()) < end:
        await asyncio.sleep(_TICK_SECONDS)
        late.append((time.perf_counter() - start - _TICK_SECONDS) * 1000)
    await asyncio.gather(*running)
    return late


def _start_lines() -> Iterator[str]:
    """Measure a process that imports the bot and loads its kernels, against an empty one."""
    bare = _median_start_s("pass")
    whole = _median_start_s("import bot.app, cogs.play, cogs.rules, engine; engine.warm_up()")
    ratio = f"{whole / bare:.0f} x bare Python"
    yield f"{'start of the bot up to its login':<36}{whole:>8.2f} s  {ratio}"


def _median_start_s(code: str) -> float:
    seconds = []
    for _ in range(_STARTS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603  # our own words
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


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
        """Let all play for a while, and note how many moves they made and the processor time."""
        began_at, busy_from = time.perf_counter(), time.process_time()
        self.end = began_at + _SECONDS
        await asyncio.gather(*(self._play(number) for number in range(_PLAYERS)))
        self.moves_s = len(self.took_ms) / max(_SECONDS, time.perf_counter() - began_at)
        self.cpu_ms = (time.process_time() - busy_from) * 1000 / len(self.took_ms)

    async def _play(self, number: int) -> None:
        """Move in one of this player's games after the other, for both sides."""
        rng = random.Random(number)
        due = time.perf_counter()
        while time.perf_counter() < self.end:
            if self.per_second is not None:
                # By the clock, not from the last answer: a slow service gets more to do.
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


def move_lines(games: int = _GAMES) -> Iterator[str]:
    """Measure how many moves a second are stored, and how long each takes.

    A move goes the whole way: the lock, the rules, the clock, a transaction with an fsync. Once at
    the pace of a thousand moves a second, which is what counts for players, and once as fast as
    500 players can press without thinking; then each waits for all the others.
    """
    head = f"{games:,} games, {_PLAYERS} players at once"
    yield f"{head:<40}{'moves/s':>8}{'median ms':>10}{'p99 ms':>9}{'cpu ms':>8}"
    for name, load in asyncio.run(_with_database(partial(_play_all, games))):
        median, p99 = statistics.median(load.took_ms), _p99(load.took_ms)
        figures = f"{load.moves_s:>8,.0f}{median:>10.2f}{p99:>9.2f}{load.cpu_ms:>8.2f}"
        yield f"  {name:<38}{figures}"


async def _with_database(measure: Callable[[Database], Awaitable[T]]) -> T:
    """Measure something in a database of its own."""
    with tempfile.TemporaryDirectory() as folder:
        async with open_storage(f"sqlite+aiosqlite:///{folder}/bench.sqlite3") as database:
            return await measure(database)


def _p99(times: Sequence[float]) -> float:
    """Return what all but one in a hundred took at most."""
    return sorted(times)[int(0.99 * len(times))]


async def _play_all(games: int, database: Database) -> list[tuple[str, _Load]]:
    async with (
        ComputerPlayers(threads=1, seconds=1.0) as computer,
        MatchService(database, computer) as matches,
    ):
        warm_up()
        await database.write(rows.begin_all, _starts(games), system_clock())
        # As some minutes after a start: ongoing matches are in memory.
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
    """Return the starts of games between people, each of whom plays only one."""
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


_PEOPLE: Final = (5_000, 100_000)
_TIMES: Final = 50


def leaderboard_lines(sizes: Sequence[int] = _PEOPLE) -> Iterator[str]:
    """Measure how long leaderboards take: many people with ratings in six variants."""
    for people in sizes:
        head = f"{people:,} people x {len(POOLS)} variants"
        yield from _table_of_times(head, partial(_ask_all, people))


def _table_of_times(
    head: str, measure: Callable[[Database], Awaitable[list[tuple[str, list[float]]]]]
) -> Iterator[str]:
    yield f"{head:<44}{'median ms':>10}{'p99 ms':>8}"
    for name, times in asyncio.run(_with_database(measure)):
        yield f"  {name:<42}{statistics.median(times):>10.2f}{_p99(times):>8.2f}"


async def _ask_all(people: int, database: Database) -> list[tuple[str, list[float]]]:
    await database.write(fill_ratings, people)
    book = RatingBook(database, lambda: NOW)
    pool = POOLS[0]
    first = (await book.view_of(0, pool)).page
    middle = BoardKey(value=1500.0, player_id=0, rank=first.total // 2)
    look = partial(book.view_of, first.entries[-1].player_id, pool)
    wins = partial(look, guild_id=GUILD, kind=BoardKind.WINS)
    asked: list[tuple[str, Callable[[], Awaitable[Any]]]] = [
        ("first page", look),
        ("a page in the middle", partial(look, after=middle)),
        ("the page above it", partial(look, before=middle)),
        ("first page of 1,000 in a server", partial(look, guild_id=GUILD)),
        ("most wins in that server", wins),
        ("most wins there in a month", partial(wins, period=Period.MONTH)),
        ("first page of a month", partial(look, period=Period.MONTH)),
        ("an empty read", partial(database.read, lambda _: None)),
    ]
    return [(name, [await _ms(ask) for _ in range(_TIMES)]) for name, ask in asked]


_EXPLORED: Final = 100_000


def explorer_lines(games: int = _EXPLORED) -> Iterator[str]:
    """Measure how long pages of the explorer take, with `games` of one variant counted."""
    head = f"{games:,} games counted for /explore"
    yield from _table_of_times(head, partial(_explore_all, games))


async def _explore_all(games: int, database: Database) -> list[tuple[str, list[float]]]:
    line = await database.write(fill_explorer, games)
    explorer = Explorer(database)
    whose = {
        "everybody": Asked(),
        "a server with half of them": Asked(guild_id=GUILD),
        "a person with one in a thousand": Asked(player_id=1),
    }
    measured = []
    for ply in (0, TOTALLED - 1, TOTALLED, PLIES - 1):
        for name, asked in whose.items():
            look = partial(explorer.look, POOLS[0], line[:ply], asked)
            measured.append((f"move {ply + 1}, {name}", [await _ms(look) for _ in range(_TIMES)]))
    *_before, here = canonical_line(load_variant(POOLS[0]).rules, line[:1])
    for name, asked in whose.items():
        listed = partial(database.read, explored.list_games, here.key, asked, LISTED)
        measured.append((f"newest games, {name}", [await _ms(listed) for _ in range(_TIMES)]))
    return measured


async def _ms(ask: Callable[[], Awaitable[Any]]) -> float:
    start = time.perf_counter()
    await ask()
    return (time.perf_counter() - start) * 1000
