"""Everything that can be done to a match. The only writer of matches."""

from __future__ import annotations

import asyncio
import random
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Self
from weakref import WeakValueDictionary

import structlog

from bot.clock import Clock, system_clock
from bot.errors import (
    MatchNotFoundError,
    MatchOverError,
    NotAPlayerError,
    NotYourTurnError,
    StaleBoardError,
    UnknownVariantError,
)
from bot.matches import records
from bot.matches.model import EndReason, FirstMove, Match, MatchStatus, Person, Seat
from bot.matches.operations import Operations
from bot.matches.thinking import Thinking
from bot.players.computer import find_level
from bot.storage import matches as rows
from bot.storage import players
from engine import Game, InvalidRulesError, draw_opening_code, load_variant

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from types import TracebackType

    from sqlalchemy import Connection

    from bot.players import ComputerPlayer
    from bot.storage import Database
    from bot.storage.matches import MatchRow, Standing

# Matches kept in memory between two clicks; a match takes a few kilobytes.
_KEPT: Final = 4096

log = structlog.get_logger(__name__)


class MatchService:
    """Starts matches, plays in them and ends them. Use it as a context manager.

    What a method returns is on disk. Each works on one match at a time under that
    match's lock and is carried out to its end even if its caller is cancelled.

    Args:
        database: Where matches are kept; must outlive the service.
        computer: Who thinks for the seats of the computer; must outlive it too.
        clock: Tells the time.
        dice: Decides who starts and draws openings.
    """

    def __init__(
        self,
        database: Database,
        computer: ComputerPlayer,
        *,
        clock: Clock = system_clock,
        dice: random.Random | None = None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._dice = random.SystemRandom() if dice is None else dice
        self._operations = Operations()
        self._thinking = Thinking(computer)
        # Weak: a lock is dropped when nobody holds it or waits for it.
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        # Right because nobody else writes, and only what is on disk gets in.
        self._recent: OrderedDict[int, Match] = OrderedDict()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop thinking, finish what has been begun, and take nothing more."""
        await self._thinking.close()
        await self._operations.close()

    # Starting and looking.

    async def start_against_computer(
        self,
        *,
        person: Person,
        level: int,
        first: FirstMove = FirstMove.YOU,
        variant_key: str = "standard",
        channel_id: int | None = None,
        guild_id: int | None = None,
    ) -> Match:
        """Start a match of a person against the computer.

        If the computer is to move, it does so when `reply` is called.

        Raises:
            UnknownLevelError: If there is no such level.
            UnknownVariantError: If there is no such variant.
            StorageFailedError: If it could not be stored.
        """
        computer = records.computer_seat(find_level(level).number)
        try:
            variant = load_variant(variant_key)
        except InvalidRulesError as error:
            raise UnknownVariantError(str(error)) from error
        seat = Seat(name=person.name, player_id=person.id)
        starts = first is FirstMove.YOU or (first is FirstMove.RANDOM and self._dice.random() < 0.5)
        seats = (seat, computer) if starts else (computer, seat)
        code = draw_opening_code(variant.rules, seed=self._dice.getrandbits(63))
        game = Game(variant.rules, code)

        def store(connection: Connection) -> int:
            now = self._clock()
            players.save_player(connection, player_id=person.id, name=person.name, seen_at=now)
            return rows.insert_match(
                connection,
                variant_key=variant.key,
                rules=variant.rules.key,
                opening_code=code,
                given_moves=game.moves,
                seats=(records.to_seat_row(seats[0]), records.to_seat_row(seats[1])),
                standing=records.standing_at(game.position),
                guild_id=guild_id,
                channel_id=channel_id,
                now=now,
            )

        match_id = await self._operations.run(self._database.write(store))
        return await self.load(match_id)

    async def load(self, match_id: int) -> Match:
        """Return a match as it is now.

        Raises:
            MatchNotFoundError: If there is no such match.
        """
        return await self._operations.run(self._load(match_id))

    async def latest_of(self, user_id: int, channel_id: int | None = None) -> Match | None:
        """Return a person's newest match, an ongoing one before any that has ended.

        Args:
            user_id: Who has a seat in it.
            channel_id: Where it is shown; None for anywhere.
        """
        row = await self._database.read(lambda c: rows.find_latest(c, user_id, channel_id))
        return None if row is None else records.to_match(row)

    async def ongoing_of(self, user_id: int) -> list[Match]:
        """Return a person's ongoing matches, the newest first."""
        return await self._list(lambda c: rows.list_ongoing(c, user_id))

    async def awaiting_computer(self) -> list[Match]:
        """Return the matches that wait for the computer, to be replied to after a restart."""
        return await self._list(rows.list_awaiting_computer)

    # Playing.

    async def play(self, match_id: int, *, user_id: int, ply: int, move: int) -> Match:
        """Play `move` for a person in the position numbered `ply`.

        A click that is delivered twice is no mistake: if the person has played just
        this move at that ply already, the match is returned as it is now.

        Raises:
            MatchNotFoundError: If there is no such match.
            NotAPlayerError: If the person has no seat in it.
            MatchOverError: If it has ended.
            StaleBoardError: If it is no longer at `ply`.
            NotYourTurnError: If the other seat is to move.
            IllegalMoveError: If the rules forbid the move.
            StorageFailedError: If it could not be stored; nothing has changed then.
        """
        return await self._operations.run(self._play(match_id, user_id, ply, move))

    async def reply(self, match_id: int) -> Match:
        """Let the computer move if it is its turn, and return the match.

        Safe to call at any time and any number of times: one position is thought
        about once, and a result that comes too late is dropped.

        Raises:
            MatchNotFoundError: If there is no such match.
            ComputerFailedError: If the search broke; the match waits for it still.
            RestartingError: If the service is closing.
            StorageFailedError: If the move could not be stored.
        """
        match = await self.load(match_id)
        if match.level_to_move is None:
            return match
        move = await self._thinking.choose(match)
        if move is None:
            return await self.load(match_id)
        return await self._operations.run(self._play_for_computer(match, move))

    async def resign(self, match_id: int, *, user_id: int) -> Match:
        """Give a match up for a person, whoever's turn it is.

        Raises:
            MatchNotFoundError: If there is no such match.
            NotAPlayerError: If the person has no seat in it.
            MatchOverError: If it has ended, except by this person's resigning.
            StorageFailedError: If it could not be stored.
        """
        return await self._operations.run(self._resign(match_id, user_id))

    async def place(self, match_id: int, *, channel_id: int, message_id: int) -> Match:
        """Remember where the newest board of a match is shown.

        Raises:
            MatchNotFoundError: If there is no such match.
            StorageFailedError: If it could not be stored.
        """
        return await self._operations.run(self._place(match_id, channel_id, message_id))

    # The same, carried out as tasks of their own.

    async def _load(self, match_id: int) -> Match:
        async with self._lock(match_id):
            return await self._current(match_id)

    async def _play(self, match_id: int, user_id: int, ply: int, move: int) -> Match:
        async with self._lock(match_id):
            match = await self._current(match_id)
            if not match.has_player(user_id):
                raise NotAPlayerError(match)
            if ply < match.ply and _was_played(match, user_id, ply, move):
                return match
            if match.is_over:
                raise MatchOverError(match)
            if match.ply != ply:
                raise StaleBoardError(match, ply)
            seat = match.seat_to_move
            if seat is None or seat.player_id != user_id:
                raise NotYourTurnError(match)
            return await self._store_move(match, move)

    async def _play_for_computer(self, seen: Match, move: int) -> Match:
        async with self._lock(seen.id):
            match = await self._current(seen.id)
            if match.is_over or match.ply != seen.ply:
                log.info("late reply dropped", match=seen.id, ply=seen.ply, now_at=match.ply)
                return match
            return await self._store_move(match, move)

    async def _resign(self, match_id: int, user_id: int) -> Match:
        async with self._lock(match_id):
            match = await self._current(match_id)
            side = match.side_of(user_id)
            if side is None:
                raise NotAPlayerError(match)
            if match.end_reason is EndReason.RESIGNED and match.winner == 1 - side:
                return match
            if match.is_over:
                raise MatchOverError(match)
            now = self._clock()
            standing = records.ended(winner=1 - side, reason=EndReason.RESIGNED)
            resigned = _with_standing(match, standing, now)
            await self._store(
                resigned,
                lambda c: rows.end_match(c, match_id, ply=match.ply, standing=standing, now=now),
            )
            self._thinking.stop(match_id)
            return resigned

    async def _place(self, match_id: int, channel_id: int, message_id: int) -> Match:
        async with self._lock(match_id):
            match = await self._current(match_id)
            if (match.channel_id, match.message_id) == (channel_id, message_id):
                return match
            now = self._clock()
            placed = replace(match, channel_id=channel_id, message_id=message_id, updated_at=now)
            await self._store(
                placed,
                lambda c: rows.place_match(
                    c, match_id, channel_id=channel_id, message_id=message_id, now=now
                ),
            )
            return placed

    async def _store_move(self, match: Match, move: int) -> Match:
        position = match.position.after(move)
        standing = records.standing_at(position)
        now = self._clock()
        played = replace(
            _with_standing(match, standing, now), moves=(*match.moves, move), position=position
        )
        await self._store(
            played,
            lambda c: rows.append_move(
                c, match.id, ply=match.ply, cell=move, standing=standing, now=now
            ),
        )
        return played

    # Storage and what is remembered of it; the caller has the match's lock.

    def _lock(self, match_id: int) -> asyncio.Lock:
        return self._locks.setdefault(match_id, asyncio.Lock())

    async def _current(self, match_id: int) -> Match:
        """Return the match as it is on disk."""
        match = self._recent.get(match_id)
        if match is None:
            row = await self._database.read(lambda c: rows.find_match(c, match_id))
            if row is None:
                raise MatchNotFoundError(match_id)
            match = records.to_match(row)
            self._remember(match)
        return match

    async def _store(self, match: Match, change: Callable[[Connection], None]) -> None:
        """Make `change` on disk and remember `match`, which is what it results in."""
        before = self._recent.pop(match.id)
        try:
            await self._database.write(change)
        except rows.ConflictError as error:
            # Not in one process; the database keeps the promise if there ever are two.
            raise StaleBoardError(await self._current(match.id), before.ply) from error
        self._remember(match)

    def _remember(self, match: Match) -> None:
        self._recent[match.id] = match
        self._recent.move_to_end(match.id)
        if len(self._recent) > _KEPT:
            self._recent.popitem(last=False)

    async def _list(self, query: Callable[[Connection], list[MatchRow]]) -> list[Match]:
        """Return the matches that a query finds, without any that cannot be replayed."""
        found = []
        for row in await self._database.read(query):
            try:
                found.append(records.to_match(row))
            except records.BrokenRecordError:
                log.exception("match left out", match=row.id)
        return found


def _with_standing(match: Match, standing: Standing, now: datetime) -> Match:
    """Return `match` with what has become of it."""
    ended = standing.end_reason is not None
    return replace(
        match,
        status=MatchStatus(standing.status),
        winner=standing.winner,
        end_reason=EndReason(standing.end_reason) if standing.end_reason is not None else None,
        updated_at=now,
        ended_at=now if ended else None,
    )


def _was_played(match: Match, user_id: int, ply: int, move: int) -> bool:
    """Tell whether a person's move at an earlier ply was this one."""
    given = len(match.game.opening_moves)
    if ply < given or match.moves[ply] != move:
        return False
    # X plays the even plies in every variant.
    return match.seats[ply % 2].player_id == user_id
