"""What games cost, counted: `python -m tests.costs --games 40`.

They are played by clicks at random, through the real bot in a sandbox. Requests, rows and bytes are
counted and no time is taken: it makes no difference how fast the machine is, or what else it does.
`deploy/scale.py` computes with what this prints.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import psycopg
import structlog

from bot.storage import copying
from deploy.sandbox import running_sandbox
from engine import warm_up
from tests.bot.services.conftest import Server
from tests.cogs.table import PATIENCE_S, Board, Table, running_bot, settings_for
from tests.faults.__main__ import drop
from tests.postgresql import find_programs, running_server

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from bot.client import GameBot

KINDS: Final = {"two people": None, "level 3": 3, "level 10": 10}
"""The computer's level in the games that are measured; None: two people play."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What some games have cost in total.

    Attributes:
        games: How many games.
        clicks: How often people pressed a button, or began a game.
        answers: Requests that answer these, which Discord's limit does not count.
        others: All other requests.
        uploaded: Bytes of the pictures in them.
        transactions: How many were stored, one after the other, as nobody clicks meanwhile.
        rows: How many rows were inserted, updated or deleted in these.
    """

    games: int
    clicks: int
    answers: int
    others: int
    uploaded: int
    transactions: int
    rows: int

    def __str__(self) -> str:
        per_click = {
            "answers": self.answers / self.clicks,
            "other requests": self.others / self.clicks,
            "KB of pictures": self.uploaded / self.clicks / 1000,
            "transactions": self.transactions / self.clicks,
            "rows written": self.rows / self.clicks,
        }
        return (
            f"{self.games} games, {self.clicks / self.games:.1f} clicks in each; for each click "
            + ", ".join(f"{value:.2f} {name}" for name, value in per_click.items())
        )


async def play(folder: Path, level: int | None, games: int, *, most: int = 1000) -> Costs:
    """Play games one after the other and count what they cost.

    Args:
        folder: Takes the database, `matches.sqlite3`.
        level: The computer's; None: two people play.
        games: How many.
        most: After this many clicks a game is left as it is.
    """
    rng = random.Random(1)
    clicks = answers = others = uploaded = 0
    async with running_sandbox() as sandbox:
        sandbox.world.limits.answer_seconds = PATIENCE_S
        settings = settings_for(sandbox, folder)
        async with running_bot(settings) as bot:
            table, before = Table(sandbox, bot), await _stored(bot)
            for _ in range(games):
                sandbox.requests.clear()  # it keeps only the latest ones
                clicks += await _play_one(table, level, rng, most)
                for each in sandbox.requests:
                    is_answer = each.route.startswith(("/interactions/", "/webhooks/"))
                    answers, others = answers + is_answer, others + (not is_answer)
                    uploaded += sum(file.size for file in each.files)
            after = await _stored(bot)
    transactions, rows = (b - a for a, b in zip(before, after, strict=True))
    return Costs(games, clicks, answers, others, uploaded, transactions, rows)


async def _play_one(table: Table, level: int | None, rng: random.Random, most: int) -> int:
    """Play a game; return how many clicks that took."""
    if level is None:
        await table.command("challenge", player=str(table.ben), colour=0)
        offer = Board(table.seen(table.ben)[-1])
        await table.press(offer, offer.buttons["Accept"], user=table.ben)
        board, begun_by, people = table.newest(), 2, (table.ann, table.ben)
    else:
        board, begun_by, people = await table.start(level=level), 1, (table.ann, table.ann)
    for click in range(most):
        offered = board.starting("board") or board.starting("cell")
        if not offered:
            return begun_by + click
        chosen = rng.choice(offered)
        await table.press(board, chosen, user=people[int(chosen.split(":")[2]) % 2])
        board = table.again(board)
    return begun_by + most


async def _stored(bot: GameBot) -> tuple[int, int]:
    """Return how many transactions and how many rows have been stored since the start."""
    database: Any = bot.matches.database

    def count(connection: Connection) -> int:
        driver: Any = connection.connection.driver_connection
        return int(driver.total_changes)

    return database.writer.groups, await database.writing.run(count)


async def keep(folder: Path, games: int) -> tuple[float, float]:
    """Play games between two people, without Discord, and measure how much the database grows.

    Returns:
        How many bytes a game takes in an SQLite file, and on PostgreSQL.
    """
    rng, server = random.Random(1), Server(f"sqlite+aiosqlite:///{folder / 'matches.sqlite3'}")
    sizes = []
    with running_server(programs()) as there:
        for count in (1, games):
            await server.start()
            for _ in range(count):
                match = await server.begin_between()
                while not match.is_over:
                    match = await server.play(match, rng.choice(match.position.legal_moves))
            await server.stop()
            url = there.new_database()
            copying.move(server.url, url)
            sizes.append(((folder / "matches.sqlite3").stat().st_size, _size(url)))
    (small, small_there), (large, large_there) = sizes
    return (large - small) / games, (large_there - small_there) / games


def programs() -> Path:
    """Return the folder of PostgreSQL's programs, or end the program where there is none."""
    return find_programs() or sys.exit("PostgreSQL is not installed.")


def _size(url: str) -> int:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        found = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    assert found is not None
    return int(found[0])


def main() -> None:
    """Print what games of each kind cost."""
    parser = argparse.ArgumentParser(prog="python -m tests.costs", description=__doc__)
    parser.add_argument("--games", type=int, default=20, help="games of each kind (20)")
    parser.add_argument(
        "--kept", type=int, default=200, help="games to measure the database with (200)"
    )
    given = parser.parse_args()
    structlog.configure(processors=[drop])
    warm_up()
    for kind, level in KINDS.items():
        with tempfile.TemporaryDirectory() as folder:
            _say(f"{kind}: {asyncio.run(play(Path(folder), level, given.games))}")
    with tempfile.TemporaryDirectory() as folder:
        in_file, there = asyncio.run(keep(Path(folder), given.kept))
    _say(f"{given.kept} games stored: {in_file:.0f} bytes each, on PostgreSQL {there:.0f}")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
