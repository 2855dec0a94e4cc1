"""The moves played in each position: a row for each of a game's first moves, and sums of them.

The sums are of games played in servers: for each server and, as number 0, for all of them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, bindparam, case, delete, func, insert, select, update

from bot.model.explorer import TOTALLED, MoveCount, OpeningMove, opening_moves_of
from bot.model.match import MatchStatus
from bot.storage.ratings import read_as
from bot.storage.schema import match, opening_move, opening_total, seat
from engine import O, X

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import ColumnElement, Connection

    from bot.model.explorer import Asked
    from bot.model.match import Match

EVERYWHERE: Final = 0
"""The server number that stands for all servers."""

_TOTAL_KEY: Final = ("guild_id", "position", "against_computer", "move")
_COUNTS: Final = ("x_wins", "draws", "o_wins")
_ADD: Final = (
    update(opening_total)
    .where(*(opening_total.c[name] == bindparam(f"given_{name}") for name in _TOTAL_KEY))
    .values({name: opening_total.c[name] + bindparam(f"given_{name}") for name in _COUNTS})
)


def enter(connection: Connection, ended: Match) -> int:
    """Count a match that has ended, only once; return how many of its moves were added."""
    rows = opening_moves_of(ended)
    if not rows or _is_entered(connection, rows[0]):
        return 0
    connection.execute(insert(opening_move), [asdict(row) for row in rows])
    if ended.guild_id is not None:
        _add(connection, (EVERYWHERE, ended.guild_id), rows[:TOTALLED])
    return len(rows)


def enter_all(connection: Connection, matches: Iterable[Match]) -> int:
    """Call `enter` for many matches; return how many had not been counted."""
    return sum(enter(connection, each) > 0 for each in matches)


def _is_entered(connection: Connection, row: OpeningMove) -> bool:
    same = and_(opening_move.c.position == row.position, opening_move.c.match_id == row.match_id)
    return connection.execute(select(opening_move.c.move).where(same)).first() is not None


def _add(connection: Connection, guilds: Sequence[int], rows: Sequence[OpeningMove]) -> None:
    keys = [
        (guild, row.position, row.against_computer, row.move) for guild in guilds for row in rows
    ]
    # Not by whole keys, which SQLite would compare with every row of the table.
    near = select(*(opening_total.c[name] for name in _TOTAL_KEY)).where(
        opening_total.c.guild_id.in_(guilds),
        opening_total.c.position.in_([row.position for row in rows]),
    )
    there = {tuple(row) for row in connection.execute(near)}
    winner = rows[0].winner
    counts = {"x_wins": winner == X, "draws": winner is None, "o_wins": winner == O}
    added = {name: int(is_so) for name, is_so in counts.items()}
    new = [dict(zip(_TOTAL_KEY, key, strict=True)) | added for key in keys if key not in there]
    more = [dict(zip(_TOTAL_KEY, key, strict=True)) | added for key in keys if key in there]
    if new:
        connection.execute(insert(opening_total), new)
    if more:
        given = [{f"given_{name}": value for name, value in row.items()} for row in more]
        connection.execute(_ADD, given)


def clear(connection: Connection) -> None:
    """Forget all counts."""
    for table in (opening_move, opening_total):
        connection.execute(delete(table))


def list_finished(connection: Connection, after: int, limit: int) -> list[int]:
    """Return the numbers of finished matches after one, ascending, at most `limit` of them."""
    wanted = select(match.c.id).where(match.c.status == MatchStatus.FINISHED, match.c.id > after)
    return list(connection.execute(wanted.order_by(match.c.id).limit(limit)).scalars())


def list_entered(
    connection: Connection, match_id: int, positions: Sequence[int]
) -> set[OpeningMove]:
    """Return the counted moves of a match in some positions."""
    wanted = select(opening_move).where(
        opening_move.c.position.in_(positions), opening_move.c.match_id == match_id
    )
    return set(read_as(connection, OpeningMove, wanted))


def count_moves(connection: Connection, position: int, ply: int, asked: Asked) -> list[MoveCount]:
    """Return the moves played in a position, folded like it, in no order.

    `ply` is how many moves had been played before it.
    """
    if asked.player_id is None and ply < TOTALLED:
        return _read_totals(connection, position, asked)
    winner = opening_move.c.winner
    sums = [
        func.sum(case((each, 1), else_=0)) for each in (winner == X, winner.is_(None), winner == O)
    ]
    wanted = select(opening_move.c.move, *sums).where(*_asked(position, asked))
    return _counted(connection.execute(wanted.group_by(opening_move.c.move)))


def _read_totals(connection: Connection, position: int, asked: Asked) -> list[MoveCount]:
    conditions = [
        opening_total.c.guild_id == (EVERYWHERE if asked.guild_id is None else asked.guild_id),
        opening_total.c.position == position,
    ]
    if asked.against_computer is not None:
        conditions.append(opening_total.c.against_computer == int(asked.against_computer))
    columns = [opening_total.c[name] for name in ("move", *_COUNTS)]
    return _counted(connection.execute(select(*columns).where(*conditions)))


def _counted(rows: Iterable[Sequence[int]]) -> list[MoveCount]:
    sums: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
    for move, *counts in rows:
        sums[move] = [int(old + new) for old, new in zip(sums[move], counts, strict=True)]
    return [
        MoveCount(move=move, x_wins=x_wins, draws=draws, o_wins=o_wins)
        for move, (x_wins, draws, o_wins) in sums.items()
    ]


def list_games(connection: Connection, position: int, asked: Asked, limit: int) -> list[int]:
    """Return the numbers of the newest games that have gone on from a position."""
    wanted = select(opening_move.c.match_id).where(*_asked(position, asked))
    newest = wanted.order_by(opening_move.c.match_id.desc()).limit(limit)
    return list(connection.execute(newest).scalars())


def _asked(position: int, asked: Asked) -> list[ColumnElement[bool]]:
    """Return the conditions on rows of a position."""
    conditions: list[ColumnElement[bool]] = [opening_move.c.position == position]
    if asked.against_computer is not None:
        conditions.append(opening_move.c.against_computer == int(asked.against_computer))
    if asked.player_id is not None:
        own = select(seat.c.match_id).where(seat.c.player_id == asked.player_id)
        conditions.append(opening_move.c.match_id.in_(own))
    elif asked.guild_id is not None:
        conditions.append(opening_move.c.guild_id == asked.guild_id)
    else:
        conditions.append(opening_move.c.guild_id.is_not(None))
    return conditions
