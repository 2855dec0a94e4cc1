"""NOTATION.md shows only what the engine reads."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from engine import format_position, parse_letter_position, parse_position, parse_record
from engine.records.model import (
    KNOWN_HEADERS,
    LONGEST_FILE,
    LONGEST_VALUE,
    MOST_GAMES,
    MOST_HEADERS,
)

NOTATION = (Path(__file__).resolve().parents[3] / "engine" / "NOTATION.md").read_text()


def test_its_positions_are_positions():
    shown = re.findall(r"^\| `(\S+ [XO] .*?)` \|", NOTATION, re.MULTILINE)

    assert len(shown) == 3
    assert [format_position(parse_position(text)) for text in shown] == shown


def test_its_record_is_a_record():
    block = re.search(r"(?:^    .*\n|^\n)*?^    3\. 65 57 0-1\n", NOTATION, re.MULTILINE)

    assert block is not None
    record = parse_record(textwrap.dedent(block[0]))
    assert record.swapped
    assert [comment.ply for comment in record.comments] == [0, 1, 4]


def test_its_letters_are_a_position():
    shown = re.search(r"^    (O;\S+)$", NOTATION, re.MULTILINE)

    assert shown is not None
    assert parse_letter_position(shown[1]).target == 4


def test_it_tells_every_header_and_limit():
    for name in KNOWN_HEADERS:
        assert re.search(rf"^\|.*`{name}`", NOTATION, re.MULTILINE), name
    assert f"at most {LONGEST_FILE:,} characters, {MOST_GAMES} games" in NOTATION
    assert f"each on one line, values up to {LONGEST_VALUE} characters" in NOTATION
    assert f"Other headers, at most {MOST_HEADERS}, are kept" in NOTATION
