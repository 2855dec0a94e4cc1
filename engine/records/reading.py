"""Read record files; NOTATION.md tells the grammar."""

from __future__ import annotations

from engine.errors import say
from engine.records.building import build_record
from engine.records.drafts import divide
from engine.records.errors import InvalidRecordError
from engine.records.model import MOST_GAMES, GameRecord, check_length, check_unicode


def parse_record(text: str) -> GameRecord:
    """Read a record file that holds one game.

    Raises:
        InvalidRecordError: If it holds no game or several, or something in it is
            wrong; the message names line and move and says what would be right.

    Examples:
        >>> parse_record("1. 55 51 2. 15 *").moves
        (40, 36, 4)
        >>> parse_record("1. 55 19 *")
        Traceback (most recent call last):
        ...
        engine.records.errors.InvalidRecordError: Line 1, move 1 O 19: You were sent to board 5: play there.
    """  # noqa: E501  # the doctest shows the whole message
    records = parse_records(text)
    if len(records) > 1:
        raise InvalidRecordError(
            say("One game was expected; the text holds {count}.", count=len(records))
        )
    return records[0]


def parse_records(text: str) -> tuple[GameRecord, ...]:
    """Read a record file with any number of games from one on.

    Raises:
        InvalidRecordError: As for `parse_record`.

    Examples:
        >>> [record.result.words for record in parse_records('* [Variant "pie"] 1. 55 swap *')]
        ['not finished', 'not finished']
    """
    check_length(text)
    check_unicode(text)
    cleaned = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    records: list[GameRecord] = []
    for draft in divide(cleaned):
        if len(records) == MOST_GAMES:
            raise draft.first.error(
                say("A record file has at most {limit} games.", limit=MOST_GAMES)
            )
        records.append(build_record(draft))
    return tuple(records)
