"""One game as people pass it on: a record, or its moves and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given

from engine import (
    GameRecord,
    InvalidRecordError,
    Result,
    Rules,
    format_record,
    load_variant,
    parse_game,
    parse_record,
)
from tests.engine.records import strategies

PIE = load_variant("pie").rules
BARE = [
    ("55 59 98 83", (40, 44, 79, 65), Result.UNFINISHED),
    ("1. 55 59 {a remark}\r\n2. 98 83 ; another", (40, 44, 79, 65), Result.UNFINISHED),
    ("\ufeff55", (40,), Result.UNFINISHED),
]


@pytest.mark.parametrize(("text", "moves", "result"), BARE)
def test_bare_moves_are_a_game(text: str, moves: tuple[int, ...], result: Result):
    record = parse_game(text)

    assert (record.moves, record.result) == (moves, result)


def test_bare_moves_may_end_the_game():
    record = parse_game("1 4 2 5 3", Rules(depth=1))

    assert (record.result, record.end) == (Result.X_WINS, None)


def test_a_text_is_of_the_rules_that_are_named_beside_it():
    assert parse_game("55 swap", PIE).swapped
    assert parse_game("55 swap *", PIE).rules == PIE
    assert parse_game('[Variant "pie"] 55 swap *', PIE).rules == PIE
    assert parse_game('[Variant "pie"] 55 swap *').rules == PIE
    with pytest.raises(InvalidRecordError, match=r"Line 2: .* variant is pie, but standard was"):
        parse_game('[X "Ann"]\n[Variant "pie"] 55 *', Rules())


@pytest.mark.parametrize("text", ['[X "Ann"] 55', "", "{words}", "55 * 51", '55 *\n*\n[X "A"] *'])
def test_whatever_else_has_no_result_is_refused(text: str):
    with pytest.raises(InvalidRecordError):
        parse_game(text)


@given(strategies.records())
def test_a_record_is_read_alike_by_both(record: GameRecord):
    text = format_record(record)

    assert parse_game(text) == parse_record(text) == parse_game(text, record.rules)
