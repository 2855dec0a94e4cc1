"""`record`: check a record file, show what is in it, or write it in another form."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Final

from engine.cli._options import Commands, add_command
from engine.diagram import draw_text
from engine.errors import EngineError
from engine.records import (
    GameRecord,
    format_letter_move,
    format_letter_position,
    format_position,
    format_record,
    parse_records,
)
from engine.records.escapes import escape
from engine.records.model import LONGEST_FILE
from engine.variants import variant_of

_STDIN: Final = "-"
_LARGEST_FILE: Final = 4 * LONGEST_FILE  # a character has at most four bytes


def add_commands(commands: Commands) -> None:
    """Add this module's command."""
    parser = add_command(
        commands,
        "record",
        _run,
        "Check a record file and show its games.",
        "The form of record files is told in engine/NOTATION.md.",
    )
    parser.add_argument(
        "file", metavar="FILE", help="a record file (.uttt); - reads standard input"
    )
    parser.add_argument(
        "--show",
        choices=tuple(_FORMS),
        default="summary",
        help="summary: a line for each game; record: the file in its standard form;"
        " position: the last position as one line; diagram: the same to look at;"
        " letters: moves and last position in the form of ultimattt (standard rules only)"
        " (default: summary)",
    )


def _run(options: argparse.Namespace) -> int:
    show = _FORMS[options.show]
    blank_between = options.show in ("record", "diagram")
    for number, record in enumerate(parse_records(read_text(options.file)), start=1):
        if number > 1 and blank_between:
            print()
        print(show(record))
    return 0


def read_text(name: str) -> str:
    """Return the text of a file.

    Raises:
        EngineError: If it cannot be read, or is no text.
    """
    try:
        with nullcontext(sys.stdin.buffer) if name == _STDIN else Path(name).open("rb") as file:
            data = file.read(_LARGEST_FILE + 1)
        if len(data) > _LARGEST_FILE:
            raise EngineError(f"{name} is larger than any record file: {_LARGEST_FILE:,} bytes")
        return data.decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise EngineError(f"{name} is no text in UTF-8: look at line {line}") from None
    except OSError as error:
        raise EngineError(f"{name} cannot be read: {error.strerror}") from None


def _summary(record: GameRecord) -> str:
    game = record.game
    x_name, o_name = (escape(name, "") for name in record.players)  # may hold control signs
    ending = "" if game.outcome is None or record.end else f": {game.outcome}"
    reason = f", {escape(record.end, '')}" if record.end else ""
    return (
        f"{variant_of(record.rules).key}: {x_name} (X) - {o_name} (O),"
        f" {len(record.moves)} moves, {record.result.words}{reason}{ending}"
    )


def _letters(record: GameRecord) -> str:
    position = format_letter_position(record.game.position)  # refuses other rules
    moves = [format_letter_move(move) for move in record.moves]
    return f"{' '.join(moves)}\n{position}".strip()


_FORMS: Final[dict[str, Callable[[GameRecord], str]]] = {
    "summary": _summary,
    "record": lambda record: format_record(record).rstrip("\n"),
    "position": lambda record: format_position(record.game.position),
    "diagram": lambda record: draw_text(record.game.position),
    "letters": _letters,
}
