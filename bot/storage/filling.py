"""Fills the tables of ratings and of the explorer for `python -m bot bench`."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import insert

from bot.model.explorer import PLIES, TOTALLED
from bot.model.match import MatchStatus
from bot.model.ratings import pools
from bot.storage.explorer import EVERYWHERE
from bot.storage.schema import (
    guild_player,
    match,
    opening_move,
    opening_total,
    player,
    rated_match,
    rating,
    rating_change,
    seat,
)
from engine import VARIANTS, Cell, canonical_line

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

POOLS: Final = tuple(VARIANTS)[:6]
GUILD: Final = 1
NOW: Final = datetime(2026, 3, 1, tzinfo=UTC)
_LISTED_SHARE: Final = 0.3  # of those with a rating: the others play seldom
_ACTIVE: Final = 5_000  # people who have played recently
_MEMBERS: Final = 1_000
_ALIKE: Final = 20  # games with the same opening, on average
_GUILDS: Final = 1_000
_AT_ONCE: Final = 100_000
_FINISHED: Final = {
    "variant_key": POOLS[0],
    "rules": POOLS[0],
    "status": MatchStatus.FINISHED,
    "ply": 40,
    "end_reason": "board",
    "created_at": NOW,
    "updated_at": NOW,
}


def _add_people(connection: Connection, ids: range) -> None:
    rows = [{"id": i, "name": f"Player {i}", "created_at": NOW, "seen_at": NOW} for i in ids]
    connection.execute(insert(player), rows)


def fill_ratings(connection: Connection, people: int) -> None:
    """Put people with ratings, and a server with some of them, into the tables."""
    rng = random.Random(1)
    ids = range(1, people + 1)
    _add_people(connection, ids)
    members = set(rng.sample(ids, min(_MEMBERS, people)))
    for pool in POOLS:
        rated = [_row(pool, i, rng) for i in ids]
        connection.execute(insert(rating), rated)
        here = [_row_in_guild(row, rng) for row in rated if row["player_id"] in members]
        connection.execute(insert(guild_player), here)
    _fill_changes(connection, people, rng)


def _fill_changes(connection: Connection, people: int, rng: random.Random) -> None:
    """Put games of the last sixty days into the first pool: fifteen a month for the active."""
    active = range(1, min(people, _ACTIVE) + 1)
    games = range(1, 15 * len(active) + 1)
    connection.execute(insert(match), [_ended(i) for i in games])
    pairs = {i: rng.sample(active, 2) for i in games}
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
                "ended_at": NOW,
            }
            for i, pair in pairs.items()
        ],
    )
    connection.execute(
        insert(rating_change),
        [
            _change(i, player_id, pair[1 - place], rng)
            for i, pair in pairs.items()
            for place, player_id in enumerate(pair)
        ],
    )


def _ended(match_id: int) -> dict[str, Any]:
    """Return a rated match; one in ten was played in the server."""
    return _FINISHED | {
        "id": match_id,
        "rated": 1,
        "winner": match_id % 2,
        "guild_id": None if match_id % 10 else GUILD,
        "ended_at": NOW - timedelta(minutes=match_id * 7919 % (60 * 24 * 60)),
    }


def _change(match_id: int, player_id: int, opponent_id: int, rng: random.Random) -> dict[str, Any]:
    return {
        "match_id": match_id,
        "player_id": player_id,
        "pool": POOLS[0],
        "opponent_id": opponent_id,
        "value_before": 1500.0,
        "deviation_before": 60.0,
        "volatility_before": 0.06,
        "value_after": 1500.0 + rng.gauss(0, 9),
        "deviation_after": 60.0,
        "volatility_after": 0.06,
        "changed_at": NOW - timedelta(minutes=rng.randrange(60 * 24 * 60)),
    }


def _row(pool: str, player_id: int, rng: random.Random) -> dict[str, Any]:
    is_listed = rng.random() < _LISTED_SHARE
    return {
        "pool": pool,
        "player_id": player_id,
        "value": rng.gauss(1500, 250),
        "deviation": 60.0,
        "volatility": 0.06,
        "games": 40,
        "opponents": 9,
        "telling": 40,
        "best": 1600.0,
        "placed_after": 5,
        "last_game_at": NOW - timedelta(days=1),
        "listed_until": NOW + timedelta(days=29) if is_listed else None,
    }


def _row_in_guild(rated: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    won = rng.randrange(40)
    return {
        "guild_id": GUILD,
        "pool": rated["pool"],
        "player_id": rated["player_id"],
        "careful": rated["value"] - 2 * rated["deviation"],
        "games": 40,
        "won": won,
        "drawn": 0,
        "wins": pools.wins_place(won, 40 - won),
    }


def fill_explorer(connection: Connection, games: int) -> list[Cell]:
    """Count games with openings as people play them; return the most common opening line.

    Every second one is played in the first server, every fourth against the computer, and every
    thousandth by the first player.
    """
    rng = random.Random(1)
    _add_people(connection, range(1, 1_001))
    drawn = [_line(rng) for _ in range(1 + games // _ALIKE)]
    sums: Counter[tuple[int, int, int, int, int | None]] = Counter()
    for first in range(1, games + 1, _AT_ONCE):
        matches, seats, moves = [], [], []
        for number in range(first, min(first + _AT_ONCE, games + 1)):
            guild_id = GUILD if number % 2 else 1 + rng.randrange(_GUILDS)
            winner, alone = rng.choice((0, 0, 1, 1, None)), int(number % 4 == 0)
            row = {"id": number, "winner": winner, "guild_id": guild_id, "ended_at": NOW}
            matches.append(_FINISHED | row)
            seats.append({"match_id": number, "side": 0, "player_id": number % 1_000 + 1})
            for place, (position, move) in enumerate(rng.choice(drawn)):
                moves.append((position, number, move, alone, winner, guild_id))
                if place < TOTALLED:
                    for scope in (EVERYWHERE, guild_id):
                        sums[scope, position, alone, move, winner] += 1
        connection.execute(insert(match), matches)
        connection.execute(insert(seat), seats)
        # In the order of the table, so that each page is written only once.
        moves.sort(key=itemgetter(0, 1))
        connection.execute(insert(opening_move), [_named(opening_move, row) for row in moves])
    totals: dict[tuple[int, ...], list[int]] = {}
    for (*key, winner), count in sums.items():
        counts = totals.setdefault(tuple(key), [0, 0, 0])
        counts[{0: 0, None: 1, 1: 2}[winner]] += count
    rows = [_named(opening_total, (*key, *counts)) for key, counts in totals.items()]
    connection.execute(insert(opening_total), rows)
    return _favourites()


def _named(table: Table, values: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip(table.c.keys(), values, strict=True))


def _favourites() -> list[Cell]:
    """Return the most played moves, each in the position after those before it."""
    line: list[Cell] = []
    for here in canonical_line(VARIANTS[POOLS[0]].rules, (line[-1] for _ in range(PLIES - 1))):
        line.append(_liked(here.position.legal_moves)[0])
    return line


def _line(rng: random.Random) -> list[tuple[int, Cell]]:
    """Draw the opening of a game at random: half of the time the most liked move is played."""
    moves: list[Cell] = []
    found = []
    for here in canonical_line(VARIANTS[POOLS[0]].rules, (moves[-1] for _ in range(PLIES - 1))):
        liked = _liked(here.position.legal_moves)
        moves.append(liked[min(int(rng.expovariate(0.7)), len(liked) - 1)])
        found.append((here.key, here.fold(moves[-1])))
    return found


def _liked(moves: tuple[Cell, ...]) -> list[Cell]:
    """Sort moves by how much people like them, in the same order everywhere."""
    return sorted(moves, key=lambda move: (move * 37) % 83)
