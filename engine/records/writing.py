"""Write record files: always the same text for the same record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from engine.errors import say
from engine.notation import format_move
from engine.records.model import (
    LONGEST_FILE,
    MOST_GAMES,
    GameRecord,
    InvalidRecordError,
    check_length,
)
from engine.records.tokens import escape
from engine.rules import Opening

_WIDTH: Final = 80
_GAP: Final = re.compile(r"(?<=\S) (?=\S)")  # a line may be broken here and read back


def format_record(record: GameRecord) -> str:
    """Write a record as text that `parse_record` reads back as an equal one.

    Raises:
        InvalidRecordError: If its comments are too long for a file.

    Examples:
        >>> print(format_record(GameRecord(moves=(40, 36, 4), players=("Anna", "Bea"))), end="")
        [Variant "standard"]
        [X "Anna"]
        [O "Bea"]
        [Result "*"]
        <BLANKLINE>
        1. 55 51 2. 15 *
    """
    lines = []
    for name, value in _headers(record):
        quoted = escape(value, '"')
        lines.append(f'[{name} "{quoted}"]')
    text = "\n".join([*lines, "", *_wrap(_words(record)), ""])
    check_length(text)
    return text


def format_records(records: Iterable[GameRecord]) -> str:
    """Write several records as one file.

    Raises:
        InvalidRecordError: If they are too many for a file, or too long.
    """
    written = [format_record(record) for record in records]
    if len(written) > MOST_GAMES:
        raise InvalidRecordError(say("A record file has at most {limit} games.", limit=MOST_GAMES))
    text = "\n".join(written)
    check_length(text)
    return text


def divide_files(written: Iterable[str]) -> list[str]:
    """Divide written records among as few files as can hold them, in order."""
    files: list[list[str]] = []
    length = 0
    for text in written:
        length += len(text) + 1  # the blank line in front of it
        if not files or len(files[-1]) == MOST_GAMES or length > LONGEST_FILE:
            files.append([])
            length = len(text)
        files[-1].append(text)
    return ["\n".join(texts) for texts in files]


def _headers(record: GameRecord) -> Iterator[tuple[str, str]]:
    yield "Variant", record.rules.key
    yield "X", record.players[0]
    yield "O", record.players[1]
    if record.date is not None:
        yield "Date", record.date.isoformat()
    if record.opening_code is not None:
        is_set_up = record.rules.opening is Opening.SYMMETRIC
        yield "SetUp" if is_set_up else "Opening", record.opening_code
    yield "Result", record.result
    if record.end is not None:
        yield "End", record.end
    yield from record.headers


def _words(record: GameRecord) -> Iterator[str]:
    """Yield the parts not to break: a move with its number, pieces of comments, the result."""
    remarks: dict[int, list[str]] = {}
    for comment in record.comments:
        remark = escape(comment.text, "}")
        remarks.setdefault(comment.ply, []).append("{" + remark + "}")
    for ply in range(len(record.moves) + 1):
        if ply:
            move = format_move(record.moves[ply - 1], record.rules)
            yield f"{ply // 2 + 1}. {move}" if ply % 2 else move
        if ply == 1 and record.swapped:
            yield "swap"
        for written in remarks.get(ply, ()):
            yield from _GAP.split(written)
    yield record.result


def _wrap(words: Iterable[str]) -> Iterator[str]:
    """Yield lines of at most 80 characters, but for single words that are longer."""
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > _WIDTH:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line
