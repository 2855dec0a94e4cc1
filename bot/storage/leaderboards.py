"""Leaderboards: pages, and a player's place.

A page begins after the last entry of the page before it, which an index finds quickly at any
depth; no rows are counted from the top.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bot.model.ratings import glicko, pools
from bot.model.ratings.glicko import Rating
from bot.model.ratings.values import (
    BoardEntry,
    BoardKey,
    BoardKind,
    BoardPage,
    BoardView,
    Period,
    Standing,
)
from bot.storage import ratings as rows
from bot.storage.board_queries import (
    DOINGS,
    HERE,
    LISTED,
    RESULTS,
    UNSURE,
    WINNERS,
    counts_of,
    gains_of,
    of_players,
    part_of,
)
from engine.errors import Sentence, say

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy import Connection, Row


# What an entry is ordered by, and its player.
Key = tuple[float, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """Which leaderboard, and at what moment.

    Attributes:
        pool: The key of the variant.
        now: The moment to show.
        guild_id: Only people who have played in this server; None for everybody who qualifies.
        period: Ordered by the ratings themselves, or by what was won in the last days.
        kind: Whether it goes by ratings or by games won; the latter in a server only.
    """

    pool: str
    now: datetime
    guild_id: int | None = None
    period: Period = Period.ALL
    kind: BoardKind = BoardKind.RATING

    def __post_init__(self) -> None:
        if self.kind is BoardKind.WINS and self.guild_id is None:
            raise ValueError("games won are counted in servers only")

    @property
    def since(self) -> datetime:
        """When gains start to count; a leaderboard of ratings shows those of a month."""
        length = self.period.value or Period.MONTH.value
        assert length is not None
        return self.now - length


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
    """Return a page and a player's place; with `around`, the page that the player is on."""
    kind = _Ranking if board.period is Period.ALL else _PeriodRanking
    ranking = kind(connection, board)
    own = ranking.standing(player_id)
    if around and own.entry is not None:
        found = ranking.page_around(own.entry, own.total, limit)
    else:
        found = ranking.page(after, before, limit, own.total)
    return BoardView(page=found, own=own)


class _Ranking:
    """An all-time leaderboard, in one transaction; an index holds the order."""

    def __init__(self, connection: Connection, board: Board) -> None:
        self.connection, self.board = connection, board
        self.source = LISTED if board.guild_id is None else HERE
        if board.kind is BoardKind.WINS:
            self.source = WINNERS
        self.given: dict[str, Any] = {
            "given_pool": board.pool,
            "given_now": board.now,
            "given_since": board.since,
        }
        if board.guild_id is not None:
            self.given["given_guild_id"] = board.guild_id

    def part(self, key: Key | None, *, upwards: bool, limit: int) -> list[Row[Any]]:
        """Return the part below the entry with a key, or above it; None to begin at an end."""
        given = self.given | {"given_limit": limit}
        if key is not None:
            given |= {"key_value": key[0], "key_player_id": key[1]}
        found = self.connection.execute(part_of(self.source, key is not None, upwards), given)
        return sorted(found, key=lambda row: (row.place, row.player_id), reverse=True)

    def find(self, player_id: int) -> Row[Any] | None:
        """Return a player's entry; None if they are not on it."""
        return self._rows([player_id]).get(player_id)

    def counts(self, key: Key | None) -> tuple[int, int]:
        """Return how many entries there are, and how many of them are above a key."""
        value, player_id = (None, None) if key is None else key
        given = self.given | {"key_value": value, "key_player_id": player_id}
        total, above = self.connection.execute(counts_of(self.source), given).one()
        return total, above

    def page(
        self, after: BoardKey | None, before: BoardKey | None, limit: int, total: int
    ) -> BoardPage:
        """Return the page below `after`, or above `before`, or the first."""
        if after is not None and before is not None:
            raise ValueError(f"a page lies after or before a key, not both: {after}, {before}")
        key = after or before
        upwards = before is not None
        # One more than asked for says whether there is another page.
        found = self.part(
            None if key is None else (key.value, key.player_id), upwards=upwards, limit=limit + 1
        )
        more = len(found) > limit
        if more:
            found = found[1:] if upwards else found[:-1]
        if before is not None:
            first_rank = max(before.rank - len(found), 1)
        else:
            first_rank = 1 if after is None else after.rank + 1
        entries = self._entries(found, first_rank)
        above = more if upwards else after is not None
        below = True if upwards else more
        return BoardPage(
            entries=entries,
            total=total,
            before=entries[0].key if entries and above else None,
            after=entries[-1].key if entries and below else None,
        )

    def page_around(self, own: BoardEntry, total: int, limit: int) -> BoardPage:
        """Return a page with an entry in its middle, or as near to it as the ends allow."""
        key = (own.key.value, own.player_id)
        wanted_above = max(limit // 2, limit - 1 - (total - own.rank))
        above = self.part(key, upwards=True, limit=min(wanted_above, own.rank - 1))
        below = self.part(key, upwards=False, limit=limit - 1 - len(above))
        first = own.rank - len(above)
        entries = (*self._entries(above, first), own, *self._entries(below, own.rank + 1))
        return BoardPage(
            entries=entries,
            total=total,
            before=entries[0].key if first > 1 else None,
            after=entries[-1].key if own.rank + len(below) < total else None,
        )

    def standing(self, player_id: int) -> Standing:
        """Return a player's place, or why they have none."""
        row = self.find(player_id)
        if row is None:
            why_not = _why_not(self.connection, self.board, player_id)
            return Standing(entry=None, total=self.counts(None)[0], why_not=why_not)
        (entry,) = self._entries([row], 1)
        total, above = self.counts((entry.place, player_id))
        entry = replace(entry, rank=above + 1)
        return Standing(entry=entry, total=total, why_not=None)

    def _rows(self, player_ids: list[int]) -> dict[int, Row[Any]]:
        given = self.given | {"given_players": player_ids}
        found = self.connection.execute(of_players(self.source), given)
        return {row.player_id: row for row in found}

    def _entries(self, found: Iterable[Row[Any]], first_rank: int) -> tuple[BoardEntry, ...]:
        return tuple(
            BoardEntry(
                rank=rank,
                player_id=row.player_id,
                name=row.name,
                rating=self._rating(row),
                games=row.games or 0,
                is_placed=row.placed_after is not None,
                place=row.place,
                won=row.won,
                drawn=row.drawn,
                lost=row.played - row.won - row.drawn,
                trend=row.gain,
            )
            for rank, row in enumerate(found, start=first_rank)
        )

    def _rating(self, row: Row[Any]) -> Rating:
        if row.value is None:
            return Rating()
        return glicko.after_time(Rating.of(row), self.board.now - row.last_game_at)


class _PeriodRanking(_Ranking):
    """A leaderboard of a period: its order is computed once, as no index holds it.

    By points won since a moment, in a server those with unsure points last; or by games won.
    """

    def __init__(self, connection: Connection, board: Board) -> None:
        super().__init__(connection, board)
        self._is_of_wins = board.kind is BoardKind.WINS
        self._place_of = self._by_wins() if self._is_of_wins else self._by_gains()
        # Lowest first, for `bisect`.
        self._places: list[Key] = sorted((place, each) for each, place in self._place_of.items())

    def _by_wins(self) -> dict[int, float]:
        """Return the players on it, with the values they are ordered by."""
        self._done = {row.player_id: row for row in self.connection.execute(RESULTS, self.given)}
        return {
            player_id: pools.wins_place(row.won, row.games - row.won - row.drawn)
            for player_id, row in self._done.items()
        }

    def _by_gains(self) -> dict[int, float]:
        found = self.connection.execute(gains_of(self.source), self.given)
        return {
            player_id: place + UNSURE if gain is None else gain
            for player_id, place, gain in found
            if gain is not None or self.source is HERE
        }

    def part(self, key: Key | None, *, upwards: bool, limit: int) -> list[Row[Any]]:
        """Return a part of it, the best first."""
        if upwards:
            start = 0 if key is None else bisect_right(self._places, key)
            found = self._places[start : start + limit]
        else:
            end = len(self._places) if key is None else bisect_left(self._places, key)
            found = self._places[max(0, end - limit) : end]
        rows = self._rows([player_id for _, player_id in found])
        return [rows[player_id] for _, player_id in reversed(found)]

    def find(self, player_id: int) -> Row[Any] | None:
        """Return a player's entry; None if they are not on it."""
        return super().find(player_id) if player_id in self._place_of else None

    def counts(self, key: Key | None) -> tuple[int, int]:
        """Return how many entries there are, and how many of them are above a key."""
        total = len(self._places)
        return total, total - (total if key is None else bisect_right(self._places, key))

    def _entries(self, found: Iterable[Row[Any]], first_rank: int) -> tuple[BoardEntry, ...]:
        """Return entries with the results of the games since that moment."""
        entries = super()._entries(found, first_rank)
        if not self._is_of_wins:
            given = self.given | {"given_players": [entry.player_id for entry in entries]}
            self._done = {row.player_id: row for row in self.connection.execute(DOINGS, given)}
        return tuple(
            replace(
                entry,
                place=self._place_of[entry.player_id],
                gain=None if self._is_of_wins else entry.trend,
                won=row.won,
                drawn=row.drawn,
                lost=row.games - row.won - row.drawn,
            )
            for entry in entries
            for row in (self._done[entry.player_id],)
        )


def _why_not(connection: Connection, board: Board, player_id: int) -> Sentence:
    if board.guild_id is not None:
        here = rows.find_guild_player(connection, board.guild_id, board.pool, player_id)
        if board.kind is BoardKind.WINS:
            if here is None or not here.games:
                return say("You have not finished a game against another player here yet.")
            return say("You have not finished a game against another player here in this time.")
        if here is None or here.careful is None:
            return say("You have not finished a rated game here yet.")
        return say("You have not finished a rated game in this time.")
    row = rows.find_rating(connection, board.pool, player_id)
    if row is None:
        return pools.progress(0, 0)
    sentence = pools.why_not_listed(
        Rating.of(row),
        games=row.games,
        opponents=row.opponents,
        telling=row.telling,
        last_game_at=row.last_game_at,
        now=board.now,
    )
    return sentence or say("No game has counted in this time since the rating became certain.")
