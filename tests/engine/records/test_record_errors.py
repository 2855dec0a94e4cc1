"""Errors in a file are reported with their place, and nothing else ever happens."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import (
    EngineError,
    InvalidNotationError,
    InvalidRecordError,
    format_record,
    parse_record,
    parse_records,
)
from engine.records.model import GameRecord
from tests.engine.records import strategies

# A game of Standard that X wins in 17 plies with boards 1, 2 and 3.
X_WINS = "13 31 15 51 17 72 23 32 25 52 27 73 34 43 35 53 36"

CASES = [
    # Reading: line, column, message.
    ("55 51\n15 x3 *", 2, 4, "Line 2, move 2 O x3: A move is two digits from 1 to 9, such as 55,"),
    ("1. 55 51\n2. 53 *", 2, 4, "Line 2, move 2 X 53: You were sent to board 1: play there."),
    ("1. 55 2. 51 *", 1, 7, "Line 1: '2.' says move number 2, but it is move number 1 for O"),
    ("1.55 2.51 *", 1, 6, "Line 1: '2.51' says move number 2, but it is move number 1 for O"),
    ("1. 55 55 *", 1, 7, "Line 1, move 1 O 55: Cell 55 is taken by X."),
    ("1. 55 5111 *", 1, 7, "Line 1, move 1 O 5111: A move is two digits"),
    (
        f"{X_WINS} 61 1-0",
        1,
        52,
        "Line 1, move 9 O 61: The game is over: X wins with three in a row. Write 1-0",
    ),
    ("1. 55 swap *", 1, 7, "Line 1, move 1 O swap: These rules have no swap of seats."),
    (
        '[Variant "pie"] 1. 55 51 swap *',
        1,
        26,
        "Line 1, move 2 X swap: Seats can be swapped only once, right after the first move.",
    ),
    # The end.
    ("1. 55 51", 1, 1, "Line 1: The last game ends without a result: 1-0 (X wins), 0-1 (O wins),"),
    ("", 1, 1, "There is no game in this text."),
    ("{nothing but words}", 1, 1, "There is no game in this text."),
    (X_WINS + " 0-1", 1, 52, "Line 1: The result is 0-1 (O wins), but these moves end the game:"),
    (X_WINS + " *", 1, 52, "X wins with three in a row. Write 1-0."),
    (
        "1. 55 1-0",
        1,
        7,
        "Line 1: The result is 1-0 (X wins), but after these moves the game goes on",
    ),
    ("1. 55 1/2-1/2", 1, 7, 'such as [End "agreed"].'),
    ('[End "resigned"] 1. 55 *', 1, 24, "End says 'resigned', but the result is * (not finished)"),
    ('[End "time"] 1. 55 1/2-1/2', 1, 20, "End says 'time', but the result is 1/2-1/2 (a draw)"),
    ('[End "agreed"] 1. 55 1-0', 1, 22, "End says 'agreed', but the result is 1-0 (X wins)"),
    ('[End "board"] 1. 55 1-0', 1, 21, "End says 'board', but after these moves the game goes on."),
    (f'[End "time"] {X_WINS} 1-0', 1, 65, "these moves end the game on the board: leave End out."),
    ('[Result "1-0"]\n1. 55 *', 1, 1, "Line 1: The header Result says '1-0', but the moves end"),
    ("1. 55 *\n51 *", 2, 1, "Line 2: '51' stands after the result *. The next game begins with"),
    ('1. 55\n[X "Anna"] *', 2, 1, "Line 2: The header X comes after moves."),
    # Headers.
    ('[Variant "chess"] *', 1, 1, "Line 1: There is no variant 'chess'. Choose one of: standard,"),
    ('[Variant "goal=six"] *', 1, 1, "Line 1: goal must be line or five, not 'six'."),
    ('\n[X "A"]\n[x "B"] *', 3, 1, "Line 3: The header x appears here a second time."),
    ('[Date "21.11.2026"] *', 1, 1, "Line 1: A date is written year-month-day, such as 2026-11-21"),
    ('[Date "2026-02-30"] *', 1, 1, "not '2026-02-30'."),
    ('[-X "A"] *', 1, 1, "Line 1: '-X' is not a header name"),
    (f'[X "{"a" * 1001}"] *', 1, 1, "Line 1: A header holds at most 1000 characters, not 1001"),
    ('[X "\\q"] *', 1, 1, "Line 1: \\q is not an escape: write"),
    ('[X "\\ud800"] *', 1, 1, "\\ud800 is not a character"),
    ('[X "Anna] *', 1, 1, 'Line 1: A header is one line like [X "Anna"], not'),
    ("[X Anna] *", 1, 1, 'Line 1: A header is one line like [X "Anna"], not'),
    # Openings.
    (
        '[Variant "random-four"]\n1. 12 23 2. 34 45 *',
        1,
        1,
        'The variant random-four begins with a code: add the header [Opening "12345"].',
    ),
    (
        '[Variant "random-four"]\n1. 99 98 2. 87 75 3. 55 *',
        1,
        1,
        'add the header [Opening "99875"].',
    ),
    ('[Variant "symmetric"] 1. 55 *', 1, 1, 'add the header [SetUp "1"].'),
    (
        '[Variant "random-four"] [Opening "12345"] 1. 12 24 *',
        1,
        49,
        "Line 1, move 1 O 24: The opening 12345 plays 23 here.",
    ),
    (
        '[Variant "random-four"] [Opening "12345"] 1. 12 *',
        1,
        49,
        "Line 1: The opening 12345 has the moves 12 23 34 45: write them all.",
    ),
    ('[Variant "random-four"] [Opening "11112"] *', 1, 25, "would play cell 11 twice"),
    ('[Variant "symmetric"] [SetUp "5"] *', 1, 23, "a digit from 1 to 9 but 5, not '5'"),
    ('[Variant "symmetric"] [Opening "1"] *', 1, 23, "has no header Opening: write SetUp instead."),
    ('[Opening "12345"] *', 1, 1, "These rules take no opening code: leave out '12345'."),
    ('[SetUp "1"] *', 1, 1, "The variant standard has no header SetUp: leave it out."),
    # Signs.
    ("1. 55 {never closed", 1, 7, "Line 1: This comment is never closed: write } after it"),
    ("1. 55 } *", 1, 7, "There is no comment to close here"),
    ("1. 55 ] *", 1, 7, "There is no header to close here"),
    ('1. 55 "51" *', 1, 7, "Quotes belong in headers"),
]


@pytest.mark.parametrize(("text", "line", "column", "message"), CASES)
def test_an_error_tells_place_and_reason(text: str, line: int, column: int, message: str):
    with pytest.raises(InvalidRecordError) as caught:
        parse_record(text)

    assert message in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_an_error_about_a_move_quotes_it():
    with pytest.raises(InvalidRecordError) as caught:
        parse_record(f'[X "Anna"]\n\n{X_WINS[:-2]}\n31 *')

    assert caught.value.move == caught.value.text == "31"
    assert caught.value.line == 4
    assert isinstance(caught.value, InvalidNotationError)


def test_the_rule_that_forbids_a_move_is_told():
    sent_to_won_board = "1. 13 31 2. 15 51 3. 17 71 4. 11 *"
    with pytest.raises(InvalidRecordError) as caught:
        parse_record(sent_to_won_board)

    assert str(caught.value) == (
        "Line 1, move 4 X 11: Board 1 is won and this is Standard: play in any ongoing board:"
        " 2, 3, 4, 5, 6, 7, 8, 9."
    )


def test_a_file_with_another_number_of_games_is_refused():
    with pytest.raises(InvalidRecordError, match="Line 1: One game was expected; the text holds 2"):
        parse_record('* [Variant "pie"] *')


def test_a_huge_file_is_refused():
    with pytest.raises(InvalidRecordError, match="at most 1,048,576 characters; this one has"):
        parse_records(" " * (1024 * 1024 + 1))


def test_a_file_with_too_many_games_is_refused():
    with pytest.raises(InvalidRecordError, match="Line 1001: A record file has at most 1000 games"):
        parse_records('[X "A"] *\n' * 1001)


SHAPES = {
    "spaces in a comment": lambda size: "{" + " " * size + "}*",
    "tabs in a comment": lambda size: "{a" + "\t" * size + "b}*",
    "lines in a comment": lambda size: "{" + " \n" * (size // 2) + "}*",
    "escapes": lambda size: "{" + "\\}" * (size // 2) + "}*",
    "comments": lambda size: "{}" * (size // 2) + "*",
    "comments and headers": lambda size: "{}" * (size // 4) + '[A ""]' * (size // 12) + "*",
    "remarks": lambda size: ";\n" * (size // 2) + "*",
    "numbers": lambda size: "1. " * (size // 3) + "*",
    "moves of no game": lambda size: '[Variant "random-four"]' + "12 " * (size // 3) + "*",
    "games": lambda size: '[X ""]*' * min(1000, size // 7),
    "brackets": lambda size: "[" * size,
    "an open comment": lambda size: "{" * size,
    "an open header": lambda size: '[X "' + "\\a" * (size // 2),
    "a long word": lambda size: "1" * size,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_reading_takes_time_in_proportion(shape: str):
    """Twice the text takes twice the lines of Python, and little time in all."""

    def lines_run(text: str) -> int:
        count = 0

        def trace(frame: FrameType, event: str, arg: object) -> Any:
            nonlocal count
            count += 1
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            read(text)
        finally:
            sys.settrace(before)
        return count

    def read(text: str) -> None:
        with suppress(InvalidRecordError):
            parse_records(text)

    small, large = (lines_run(SHAPES[shape](size)) for size in (1200, 2400))
    assert large < 2.3 * small + 1000
    begun = time.process_time()
    read(SHAPES[shape](200_000))
    assert time.process_time() - begun < 10


def test_a_game_with_too_many_headers_is_refused():
    headers = '[Variant "pie"]' + "".join(f'[H{number} "x"]\n' for number in range(101))
    with pytest.raises(InvalidRecordError, match="Line 101: A game has at most 100 headers"):
        parse_records(headers + "*")


def test_long_pieces_are_quoted_short():
    with pytest.raises(InvalidRecordError) as caught:
        parse_record("5" * 100_000 + " *")

    assert len(str(caught.value)) < 300


def parse_or_refuse(text: str) -> None:
    """Read anything: a record or a refusal, and what is read can be written."""
    try:
        records = parse_records(text)
    except InvalidRecordError:
        return
    assert all(parse_record(format_record(record)) == record for record in records)


@given(st.text(st.characters()))
def test_any_text_is_a_record_or_refused(text: str):
    parse_or_refuse(text)


HEADERS = ('[X "', '[Variant "pie"]', '[Opening "12345"]', '"', "]")
SIGNS = ("{", "}", ";", "\\", "\\u00", "\n", " ", "²", "٣")
WORDS = ("1.", "55", "51", "15", "swap", "*", "1-0", "0-1", "1/2-1/2", "...")
PIECES = st.sampled_from((*HEADERS, *SIGNS, *WORDS))


@given(st.lists(PIECES, max_size=30).map("".join))
def test_any_pieces_of_records_are_a_record_or_refused(text: str):
    parse_or_refuse(text)


@given(strategies.records(), st.data())
def test_a_record_with_one_sign_changed_is_a_record_or_refused(
    record: GameRecord, data: st.DataObject
):
    text = format_record(record)
    place = data.draw(st.integers(0, len(text)))
    sign = data.draw(st.sampled_from('[]{}";\\\n 195.*-s') | st.just(""))
    parse_or_refuse(text[:place] + sign + text[place + 1 :])


def test_every_refusal_is_one_the_engine_promises():
    assert issubclass(InvalidRecordError, EngineError)
