"""Pages of leaderboards, and somebody's place on one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.model.ratings import glicko, pools
from bot.model.ratings.glicko import Rating
from bot.model.ratings.values import BoardEntry, BoardKey, BoardPage, BoardView, Period, Standing
from bot.storage import leaderboards
from bot.storage import ratings as rows
from bot.storage.leaderboards import Board, BoardRow, Doings, Ranking, ranking_of
from engine.errors import Sentence, say

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection


def board_of(pool: str, guild_id: int | None, period: Period, now: datetime) -> Board:
    """Return which leaderboard is meant, as it is now."""
    return Board(
        pool=pool,
        now=now,
        guild_id=guild_id,
        since=None if period.value is None else now - period.value,
        provisional=pools.PROVISIONAL_DEVIATION,
    )


def page(
    connection: Connection,
    board: Board,
    *,
    after: BoardKey | None,
    before: BoardKey | None,
    limit: int,
) -> BoardPage:
    """Return the page below `after`, or above `before`, or the first.

    Ranks go on from the one in the key; on a page of its own a player's rank is
    counted.
    """
    ranking = ranking_of(connection, board)
    return _with_doings(connection, board, _page(ranking, board, after, before, limit))


def view(
    connection: Connection,
    board: Board,
    player_id: int,
    *,
    after: BoardKey | None = None,
    before: BoardKey | None = None,
    around: bool = False,
    limit: int,
) -> BoardView:
    """Return a page and where a player is; with `around` the page that the player is on."""
    ranking = ranking_of(connection, board)
    own = _standing(connection, ranking, board, player_id)
    if around and own.entry is not None:
        found = _page_around(ranking, board, own.entry, own.total, limit)
    else:
        found = _page(ranking, board, after, before, limit)
    if own.entry is not None:
        entry = _done(own.entry, _doings(connection, board, (own.entry,)))
        own = replace(own, entry=entry)
    return BoardView(page=_with_doings(connection, board, found), own=own)


def standing(connection: Connection, board: Board, player_id: int) -> Standing:
    """Return somebody's place on a leaderboard, or what keeps them from it."""
    return _standing(connection, ranking_of(connection, board), board, player_id)


def _page(
    ranking: Ranking,
    board: Board,
    after: BoardKey | None,
    before: BoardKey | None,
    limit: int,
) -> BoardPage:
    if after is not None and before is not None:
        raise ValueError(f"a page lies after or before a key, not both: {after}, {before}")
    key = after or before
    upwards = before is not None
    # One more than asked for tells whether there is another page.
    found = ranking.part(
        None if key is None else (key.value, key.player_id), upwards=upwards, limit=limit + 1
    )
    more = len(found) > limit
    if more:
        found = found[1:] if upwards else found[:-1]
    if before is not None:
        first_rank = max(before.rank - len(found), 1)
    else:
        first_rank = 1 if after is None else after.rank + 1
    entries = tuple(
        _to_entry(row, rank, board.now) for rank, row in enumerate(found, start=first_rank)
    )
    above = more if upwards else after is not None
    below = True if upwards else more
    return BoardPage(
        entries=entries,
        total=ranking.count_above(None),
        before=entries[0].key if entries and above else None,
        after=entries[-1].key if entries and below else None,
    )


def _page_around(
    ranking: Ranking, board: Board, own: BoardEntry, total: int, limit: int
) -> BoardPage:
    """Return a page with an entry in its middle, or as near to it as the ends allow."""
    key = (own.key.value, own.player_id)
    wanted_above = max(limit // 2, limit - 1 - (total - own.rank))
    above = ranking.part(key, upwards=True, limit=min(wanted_above, own.rank - 1))
    below = ranking.part(key, upwards=False, limit=limit - 1 - len(above))
    first = own.rank - len(above)
    entries = (
        *(_to_entry(row, first + place, board.now) for place, row in enumerate(above)),
        own,
        *(_to_entry(row, own.rank + place, board.now) for place, row in enumerate(below, start=1)),
    )
    return BoardPage(
        entries=entries,
        total=total,
        before=entries[0].key if first > 1 else None,
        after=entries[-1].key if own.rank + len(below) < total else None,
    )


def _standing(connection: Connection, ranking: Ranking, board: Board, player_id: int) -> Standing:
    total = ranking.count_above(None)
    row = ranking.find(player_id)
    if row is None:
        why_not = _why_not(connection, board, player_id)
        return Standing(entry=None, total=total, why_not=why_not)
    key = row.value if row.gain is None else row.gain
    rank = 1 + ranking.count_above((key, player_id))
    return Standing(entry=_to_entry(row, rank, board.now), total=total, why_not=None)


def _why_not(connection: Connection, board: Board, player_id: int) -> Sentence:
    row = rows.find_rating(connection, board.pool, player_id)
    if row is None:
        return pools.games_needed(0)
    sentence = pools.why_not_listed(
        Rating(value=row.value, deviation=row.deviation, volatility=row.volatility),
        games=row.games,
        opponents=row.opponents,
        telling=row.telling,
        last_game_at=row.last_game_at,
        now=board.now,
    )
    if sentence is not None:
        return sentence
    if board.guild_id is not None and not rows.is_member(connection, board.guild_id, player_id):
        return say("No game has been played in this server yet.")
    return say("No game has counted in this time since the rating became certain.")


def _to_entry(row: BoardRow, rank: int, now: datetime) -> BoardEntry:
    stored = Rating(value=row.value, deviation=row.deviation, volatility=row.volatility)
    return BoardEntry(
        rank=rank,
        player_id=row.player_id,
        name=row.name,
        rating=glicko.after_time(stored, now - row.last_game_at),
        games=row.games,
        gain=row.gain,
        last_game_at=row.last_game_at,
        won=row.won,
        drawn=row.drawn,
        lost=row.games - row.won - row.drawn,
    )


def _with_doings(connection: Connection, board: Board, found: BoardPage) -> BoardPage:
    doings = _doings(connection, board, found.entries)
    return replace(found, entries=tuple(_done(entry, doings) for entry in found.entries))


def _doings(
    connection: Connection, board: Board, entries: tuple[BoardEntry, ...]
) -> dict[int, Doings]:
    month = Period.MONTH.value
    assert month is not None
    since = board.now - month if board.since is None else board.since
    players = [entry.player_id for entry in entries]
    return leaderboards.doings_since(connection, board, since, players)


def _done(entry: BoardEntry, doings: dict[int, Doings]) -> BoardEntry:
    """Return an entry with what its player has done lately."""
    done = doings.get(entry.player_id)
    if done is None:
        return entry
    if entry.gain is None:
        return replace(entry, trend=done.gain)
    return replace(entry, trend=entry.gain, won=done.won, drawn=done.drawn, lost=done.lost)
