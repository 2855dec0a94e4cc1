"""A person's data as a document. Its keys are told in `deploy/PRIVACY.md`; a test compares them.

Numbers of Discord are written as text: they are too long for the numbers of many programs. Of
other people it holds what this person saw anyway, their names, but not their numbers, except
those that this person has blocked by number.
"""

from __future__ import annotations

import io
import zipfile
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from bot.model.errors import PlayerError
from bot.model.exporting import record_of
from bot.storage import match_rows
from engine import MARKS, EngineError, Rules, format_move
from engine.errors import say
from engine.records import format_record

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bot.storage.match_rows import EventRow, MatchRow, SeatRow
    from bot.storage.personal import PersonMatch, PersonRows, Row

FORMAT: Final = "personal data of a player of Ultimate Tic-Tac-Toe"
FORMAT_VERSION: Final = 1
FILE_NAME: Final = "my-data"

_OF_OTHERS: Final = ("opponent_id", "challenger_id", "taker_id")


class ExportTooLargeError(PlayerError):
    """Somebody's data is more than Discord takes in a file."""

    def __init__(self) -> None:
        super().__init__(
            say(
                "There is more stored about you than fits in a Discord file: ask the "
                "person who runs this bot for it. `/privacy` says who that is."
            )
        )


def packed(content: bytes, limit: int) -> tuple[str, bytes]:
    """Return a name and the content for a file of at most so many bytes.

    Raises:
        ExportTooLargeError: If it cannot be made that small.
    """
    if len(content) <= limit:
        return f"{FILE_NAME}.json", content
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as writing:
        writing.writestr(f"{FILE_NAME}.json", content)
    if archive.tell() > limit:
        raise ExportTooLargeError
    return f"{FILE_NAME}.zip", archive.getvalue()


def document(
    user_id: int,
    rows: PersonRows,
    matches: Iterable[PersonMatch],
    names: Mapping[int, str],
    now: datetime,
) -> dict[str, Any]:
    """Return everything about a person as plain values for JSON.

    Args:
        user_id: Who.
        rows: What is stored about them beside their matches.
        matches: Their matches.
        names: What the people of their challenges are called.
        now: When it was read.
    """
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "written_at": now.isoformat(),
        "person": None if rows.person is None else _plain(rows.person),
        "preferences": [_plain(row, "player_id") for row in rows.preferences],
        "ratings": [_plain(row, "player_id") for row in rows.ratings],
        "servers": [_plain(row, "player_id") for row in rows.servers],
        "vacations": [_plain(row, "player_id") for row in rows.vacations],
        "blocks": [_plain(row) for row in rows.blocks],
        "challenges": [_challenge(user_id, row, names) for row in rows.challenges],
        "matches": [_match(user_id, each) for each in matches],
    } | {name: [_plain(row, "player_id") for row in found] for name, found in rows.others.items()}


def _challenge(user_id: int, row: Row, names: Mapping[int, str]) -> dict[str, Any]:
    people = {}
    for column, key in (
        ("challenger_id", "challenger"),
        ("opponent_id", "opponent"),
        ("taker_id", "taker"),
    ):
        number = row[column]
        people[key] = "you" if number == user_id else names.get(number)
    return people | _plain(row, *_OF_OTHERS)


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
        return format_record(record_of(match_rows.to_match(row)))
    except match_rows.BrokenRecordError:
        return None


def _move(rules: str, cell: int) -> str:
    """Write a move as players do; one of rules that are gone as its number."""
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
