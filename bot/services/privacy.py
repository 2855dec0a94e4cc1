"""A player's own data: exporting and deleting it."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import structlog

from bot.model.clocks import LATENCY
from bot.model.decide import resigned, timed_out
from bot.model.errors import PlayerError
from bot.model.exporting import record_of
from bot.model.notices import Step
from bot.services.computer import ComputerPlayers
from bot.services.matches import MatchService
from bot.services.records import pack
from bot.storage import backup, erasing, open_storage, personal
from bot.storage.erasing import cross_out, list_outdated
from bot.storage.matches import BrokenRecordError, EventRow, MatchRow, SeatRow, to_match
from engine import MARKS, Cell, EngineError, Rules, format_move
from engine.errors import say
from engine.records import format_record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from bot.model.decide import Change
    from bot.model.match import Match
    from bot.storage.erasing import Outdated
    from bot.storage.personal import Holdings, PersonMatch, PersonRows, Row


FORMAT: Final = "personal data of a player of Ultimate Tic-Tac-Toe"
FORMAT_VERSION: Final = 1
FILE_NAME: Final = "my-data"

_PEOPLE: Final = ("challenger_id", "opponent_id", "taker_id")
"""The columns of a challenge that name somebody."""


class ExportTooLargeError(PlayerError):
    """Somebody's data does not fit in a Discord file."""

    sentence = say(
        "There is more stored about you than fits in a Discord file: ask the "
        "person who runs this bot for it. `/privacy` says who that is."
    )


def packed(content: bytes, limit: int) -> tuple[str, bytes]:
    """Return the name and content of a file of at most `limit` bytes.

    Raises:
        ExportTooLargeError: If it cannot be made that small.
    """
    name, found = pack({f"{FILE_NAME}.json": content}, limit, archive=f"{FILE_NAME}.zip")
    if len(found) > limit:
        raise ExportTooLargeError
    return name, found


def document(
    user_id: int,
    rows: PersonRows,
    matches: Iterable[PersonMatch],
    names: Mapping[int, str],
    now: datetime,
) -> dict[str, Any]:
    """Return everything about a person, read at `now`, as plain values for JSON.

    `names` are those of the people in their challenges.
    """
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "written_at": now.isoformat(),
        "person": None if rows.person is None else _plain(rows.person),
        **_all_plain(rows.named),
        "blocks": [_plain(row) for row in rows.blocks],
        "challenges": [_challenge(user_id, row, names) for row in rows.challenges],
        "matches": [_match(user_id, each) for each in matches],
        **_all_plain(rows.others),
    }


def _all_plain(tables: Mapping[str, list[Row]]) -> dict[str, Any]:
    return {name: [_plain(row, "player_id") for row in rows] for name, rows in tables.items()}


def _challenge(user_id: int, row: Row, names: Mapping[int, str]) -> dict[str, Any]:
    people = {
        column.removesuffix("_id"): "you" if row[column] == user_id else names.get(row[column])
        for column in _PEOPLE
    }
    return people | _plain(row, *_PEOPLE)


def _match(user_id: int, given: PersonMatch) -> dict[str, Any]:
    row = given.row
    return {
        "id": row.id,
        "variant": row.variant_key,
        "rules": row.rules,
        "opening_code": row.opening_code,
        "X": _seat(user_id, row.seats[0]),
        "O": _seat(user_id, row.seats[1]),
        "rated": bool(row.rated),
        "clock": row.clock,
        "status": row.status,
        "winner": None if row.winner is None else MARKS[row.winner],
        "ended_by": row.end_reason,
        "created_at": _value(row.created_at),
        "updated_at": _value(row.updated_at),
        "ended_at": _value(row.ended_at),
        "deadline_at": _value(row.deadline_at),
        "remind_at": _value(row.remind_at),
        "left_x_s": _value(row.left_x),
        "left_o_s": _value(row.left_o),
        "guild_id": _number(row.guild_id),
        "channel_id": _number(row.channel_id),
        "message_id": _number(row.message_id),
        "previous_id": row.previous_id,
        "moves": [
            {"move": _move(row.rules, cell), "played_at": _value(played_at)}
            for cell, played_at in zip(row.moves, given.played_at, strict=True)
        ],
        "events": [_event(row, event) for event in row.events],
        "not_counted_because": None if given.verdict is None else given.verdict["reason"],
        "rating_change": None
        if given.change is None
        else _plain(given.change, "player_id", "match_id", "opponent_id"),
        "record": _record(row),
    }


def _seat(user_id: int, seat: SeatRow) -> dict[str, Any]:
    if seat.level is not None:
        return {"computer_level": seat.level}
    return {"name": seat.name, "is_you": seat.player_id == user_id}


def _event(row: MatchRow, event: EventRow) -> dict[str, Any]:
    return {
        "kind": event.kind,
        "by": MARKS[event.side],
        "ply": event.ply,
        "happened_at": _value(event.happened_at),
        "moves_taken_back": [_move(row.rules, int(cell)) for cell in (event.cells or "").split()],
    }


def _record(row: MatchRow) -> str | None:
    """Return a match as the text that `/import` reads; None if it cannot be replayed."""
    try:
        return format_record(record_of(to_match(row)))
    except BrokenRecordError:
        return None


def _move(rules: str, cell: Cell) -> str:
    """Write a move as players do, or as its number if its rules no longer exist."""
    try:
        return format_move(cell, Rules.parse(rules))
    except (EngineError, IndexError):
        return str(cell)


def _plain(row: Mapping[str, Any], *without: str) -> dict[str, Any]:
    return {
        key: _number(value) if key == "id" or key.endswith("_id") else _value(value)
        for key, value in row.items()
        if key not in without
    }


def _number(value: int | None) -> str | None:
    return None if value is None else str(value)


def _value(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value


PORTION: Final = 100
"""How many matches are read at once, so that others do not wait long."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What the deletion of somebody's data has changed for others.

    Attributes:
        matches: The numbers of ongoing matches, which were given up.
        challenges: The numbers of open challenges, which were closed.
    """

    matches: tuple[int, ...]
    challenges: tuple[int, ...]


class PrivacyService:
    """Exports people's data and deletes it. What could not be stored raises a StorageFailedError.

    Args:
        forget: Called with the number of each person whose data was deleted, to drop what memory
            holds of theirs.
        forget_guild: The same for a server.
    """

    def __init__(
        self,
        matches: MatchService,
        *,
        forget: Iterable[Callable[[int], None]] = (),
        forget_guild: Iterable[Callable[[int], None]] = (),
    ) -> None:
        self._matches = matches
        self._forget = tuple(forget)
        self._forget_guild = tuple(forget_guild)

    async def holdings_of(self, user_id: int) -> Holdings:
        """Return how much is stored about a person."""
        return await self._matches.database.read(personal.count_holdings, user_id)

    async def export(self, user_id: int) -> bytes:
        """Return everything that is stored about a person, as JSON in UTF-8."""
        database, now = self._matches.database, self._matches.clock()
        rows = await database.read(personal.load_person, user_id)
        match_ids = await database.read(erasing.list_match_ids, user_id)
        found: list[PersonMatch] = []
        for start in range(0, len(match_ids), PORTION):
            portion = match_ids[start : start + PORTION]
            found += await database.read(personal.load_matches, user_id, portion)
        names = await database.read(personal.names_of, _people_in(rows))
        return await asyncio.to_thread(
            lambda: json.dumps(
                document(user_id, rows, found, names, now), ensure_ascii=False, indent=1
            ).encode()
        )

    async def erase(self, user_id: int) -> Erased:
        """Delete all of a person's data or, if that fails, none.

        Their games stay, with a stand-in in their place. Ongoing games are given up first, and
        rated if they were to be; challenges are closed. What belongs to others stays: their
        ratings, history and blocks.

        Raises:
            StorageFailedError: If it could not be stored; nothing has changed then.
        """
        return await self._matches.operations.run(self._erase(user_id))

    async def forget_guild(self, guild_id: int) -> None:
        """Delete a server's settings and leaderboards: the bot is no longer there."""
        await self._matches.operations.run(
            self._matches.database.write(erasing.forget_guild, guild_id)
        )
        for forget in self._forget_guild:
            forget(guild_id)
        await self._matches.database.empty_log()

    async def note_guilds(
        self,
        application_id: int,
        guild_ids: Collection[int],
        serves: Callable[[int], bool] = lambda _: True,
    ) -> list[int]:
        """Note which servers the bot is in, drop those it has left since, and return them.

        A bot that was offline is not told about them. Servers that it never joined are not
        included: people bring it along there. Another application is in other servers. `serves`
        returns whether this process would know of a server.
        """
        matches, key = self._matches, f"guilds:{application_id}"
        before = set(json.loads(await matches.database.find_setting(key) or "[]"))
        left = sorted(each for each in before - set(guild_ids) if serves(each))
        for guild_id in left:
            await self.forget_guild(guild_id)
        if left or not set(guild_ids) <= before:
            await matches.database.write(
                erasing.note_guilds, key, guild_ids, serves, matches.clock()
            )
        return left

    async def tidy_up(self) -> None:
        """Delete what there is no reason to keep any more; call it once a day."""
        now = self._matches.clock()
        await self._matches.database.write(erasing.tidy_up, now)
        await self._matches.database.empty_log()

    async def list_outdated(self) -> list[Outdated]:
        """Return the messages that still name somebody who has had their data deleted."""
        return await self._matches.database.read(list_outdated)

    async def cross_out(self, message: Outdated) -> None:
        """Forget a message that names nobody any more, or that cannot be edited."""
        now = self._matches.clock()
        await self._matches.database.write(cross_out, message, now)

    async def _erase(self, user_id: int) -> Erased:
        while True:
            try:
                erased = await self._try_to_erase(user_id)
            except erasing.UnknownMatchError:
                continue  # somebody has begun a match with them meanwhile
            for forget in self._forget:
                forget(user_id)
            await self._matches.database.empty_log()
            log.info("player erased", player=user_id, matches=len(erased.matches))
            return erased

    async def _try_to_erase(self, user_id: int) -> Erased:
        matches = self._matches
        match_ids = await matches.database.read(erasing.list_match_ids, user_id)
        async with AsyncExitStack() as locks:
            # In order, as everybody takes them, so that there is no deadlock.
            for match_id in match_ids:
                await locks.enter_async_context(matches.cache.lock(match_id))
            now = matches.clock()
            endings = [
                _ending(match, user_id, now)
                for match in await matches.ongoing_of(user_id)
                if match.id in match_ids  # and so locked
            ]
            steps = [
                Step(before=ending.before, after=ending.after, by=user_id) for ending in endings
            ]
            closed = await matches.database.write(
                erasing.end_and_erase,
                user_id,
                endings=endings,
                news=[write for step in steps for write in matches.news_writes(step)],
                known=match_ids,
                now=now,
            )
            matches.cache.forget(match_ids)
            matches.away.pop(user_id, None)
        for step in steps:
            matches.tell(step)
        return Erased(matches=tuple(step.after.id for step in steps), challenges=tuple(closed))


def _ending(match: Match, user_id: int, now: datetime) -> Change:
    """Return how a match ends for somebody who leaves: lost, unless the other's time is up."""
    side = match.side_of(user_id)
    assert side is not None, "they were found by their seat"
    # The other's press may be on its way still.
    if side != match.side_to_move and match.is_overdue(now - LATENCY):
        return timed_out(match, now)
    return resigned(match, side, now)


def _people_in(rows: PersonRows) -> list[int]:
    found = {row[column] for row in rows.challenges for column in _PEOPLE}
    return sorted(found - {None})


async def export_for(url: str, user_id: int) -> bytes:
    """Return what the database of `url` holds about a person; the bot may be running.

    Raises:
        UnusableDatabaseError: If there is no database, or it cannot be read.
    """
    # From a copy: the database itself belongs to the bot that runs.
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.sqlite3"
        backup(url, copy)
        async with _privacy(f"sqlite+aiosqlite:///{copy}") as privacy:
            return await privacy.export(user_id)


async def erase_for(url: str, user_id: int) -> Erased:
    """Delete a person's data from the database of `url`; the bot may not be running.

    Raises:
        DatabaseInUseError: If it is.
        UnusableDatabaseError: If the database cannot be used.
    """
    async with _privacy(url) as privacy:
        return await privacy.erase(user_id)


@asynccontextmanager
async def _privacy(url: str) -> AsyncIterator[PrivacyService]:
    async with (
        open_storage(url) as storage,
        ComputerPlayers(threads=1, seconds=0.1) as computer,
        MatchService(storage, computer) as matches,
    ):
        yield PrivacyService(matches)
