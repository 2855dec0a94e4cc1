"""Records written and read again, and what the written text looks like."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import (
    VARIANTS,
    Comment,
    EndReason,
    Game,
    GameRecord,
    IllegalMoveError,
    InvalidRecordError,
    Result,
    Rules,
    draw_opening_code,
    format_record,
    format_records,
    parse_move,
    parse_record,
    parse_records,
)
from engine.records import writing
from tests.engine.records import strategies

WHOLE = """\
[Variant "pie"]
[X "Anna \\"the X\\""]
[O "Björn \\u202e"]
[Date "2026-11-21"]
[Result "0-1"]
[End "resigned"]
[Event "Autumn cup"]

{A quiet beginning.} 1. 55 swap {Bold!} 51 2. 15 56 3. 65 {This comment is long
enough to be continued on the next line, and reads as if it were not.} 57 0-1
"""


def moves_of(text: str) -> tuple[int, ...]:
    return tuple(parse_move(word, Rules()) for word in text.split())


def whole_record() -> GameRecord:
    return GameRecord(
        rules=Rules.parse("pie"),
        moves=moves_of("55 51 15 56 65 57"),
        swapped=True,
        result=Result.O_WINS,
        end=EndReason.RESIGNED,
        players=('Anna "the X"', "Björn \u202e"),
        date=datetime.date(2026, 11, 21),
        headers=(("Event", "Autumn cup"),),
        comments=(
            Comment(ply=0, text="A quiet beginning."),
            Comment(ply=1, text="Bold!"),
            Comment(
                ply=5,
                text="This comment is long enough to be continued on the next line,"
                " and reads as if it were not.",
            ),
        ),
    )


def test_a_record_is_written_like_this():
    assert format_record(whole_record()) == WHOLE


def test_a_record_is_read_like_this():
    assert parse_record(WHOLE) == whole_record()


@given(strategies.records())
def test_a_written_record_is_read_as_the_same(record: GameRecord):
    assert parse_record(format_record(record)) == record


@given(strategies.records())
def test_only_headers_and_words_without_spaces_are_longer_than_a_line(record: GameRecord):
    for line in format_record(record).split("\n"):
        assert len(line) <= 80 or line.startswith("[") or "  " in line or " " not in line.strip()


@settings(max_examples=20)
@given(st.lists(strategies.records(), min_size=1, max_size=3))
def test_several_games_in_a_file_are_read_in_order(records: list[GameRecord]):
    assert parse_records(format_records(records)) == tuple(records)


def test_what_is_made_of_a_game_is_kept():
    record = whole_record()
    made = GameRecord.of_game(
        record.game,
        result=record.result,
        end=record.end,
        players=record.players,
        date=record.date,
        headers=record.headers,
        comments=record.comments,
    )

    assert made == record


def test_the_fullest_record_is_read_back():
    """As many headers as there may be, none of them known, with the longest values."""
    code = draw_opening_code(Rules.parse("random-four"), seed=1)
    own = tuple((f"H{number:0>3}" + "x" * 60, '"' * 1000) for number in range(100))
    record = GameRecord.of_game(
        Game(Rules.parse("random-four"), code),
        result=Result.DRAW,
        end="a" * 1000,
        players=("b" * 1000, "c" * 1000),
        date=datetime.date(2026, 11, 21),
        headers=own,
    )

    assert parse_record(format_record(record)) == record


def test_what_could_not_be_read_back_is_not_written():
    long = GameRecord(comments=(Comment(ply=0, text="long " * 210_000),))
    with pytest.raises(InvalidRecordError, match="at most 1,048,576 characters; this one has"):
        format_record(long)
    half = GameRecord(comments=(Comment(ply=0, text="long " * 105_000),))
    assert parse_record(format_record(half)) == half
    with pytest.raises(InvalidRecordError, match="at most 1,048,576 characters; this one has"):
        format_records([half, half])
    assert len(parse_records(format_records([GameRecord()] * 1000))) == 1000
    with pytest.raises(InvalidRecordError, match="at most 1000 games"):
        format_records([GameRecord()] * 1001)


@pytest.mark.parametrize("key", [*VARIANTS, "depth=2,goal=five,won_board=open", "depth=1"])
def test_a_whole_game_of_every_variant_is_read_back(key: str):
    rules = Rules.parse(key)
    game = Game(rules, draw_opening_code(rules, seed=1))
    while game.outcome is None:
        moves = game.position.legal_moves
        game.push(moves[7 * len(game.moves) % len(moves)])
    record = GameRecord.of_game(game)
    again = parse_record(format_record(record))

    assert again == record
    assert again.game.position == game.position
    assert again.result is not Result.UNFINISHED


@pytest.mark.parametrize(
    "text",
    [
        "55 51 15 *",
        "1.55 51 2.15 *",
        "1. 55 1... 51 2. 15 *",
        "1.\n55\r\n51\r15 *",
        "\ufeff1. 55 {centre} 51 ; a remark { to the end of the line\n2. 15 *",
        '[variant "Standard"]\n[RESULT "*"]\n\n55 51 15 *\n; farewell',
        '[Date "?"] 55 51 15 *',
    ],
)
def test_typing_by_hand_is_easy(text: str):
    assert parse_record(text).moves == moves_of("55 51 15")


def test_a_remark_after_the_last_result_belongs_to_the_last_game():
    record = parse_record("1. 55 * {What a game!}")

    assert record.comments == (Comment(ply=1, text="What a game!"),)


def test_a_remark_between_games_belongs_to_the_next():
    first, second = parse_records('1. 55 * ; next\n[Variant "pie"] *')

    assert first.comments == ()
    assert second.comments == (Comment(ply=0, text="next"),)


def test_a_set_up_is_a_header_and_its_marks_are_no_moves():
    record = parse_record('[Variant "symmetric"]\n[SetUp "1"]\n1. 55 *')

    assert record.opening_code == "1"
    assert record.moves == (40,)
    assert '[SetUp "1"]' in format_record(record)


def test_a_random_opening_keeps_its_code_and_its_moves():
    record = GameRecord.of_game(Game(Rules.parse("random-four"), "12345"))

    assert format_record(record).endswith(
        '[Opening "12345"]\n[Result "*"]\n\n1. 12 23 2. 34 45 *\n'
    )


def test_the_code_of_a_random_opening_is_told_by_its_moves():
    record = GameRecord(rules=Rules.parse("random-four"), moves=(1, 11, 21, 31))

    assert record.opening_code == "12345"


def test_comments_are_put_in_order():
    later, earlier = Comment(ply=1, text="b"), Comment(ply=0, text="a")

    assert GameRecord(moves=(40,), comments=(later, earlier)).comments == (earlier, later)


def test_every_call_of_game_returns_a_game_of_its_own():
    record = GameRecord(moves=(40,))
    record.game.pop()

    assert record.game.moves == (40,)


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"result": Result.X_WINS}, "after these moves the game goes on"),
        ({"swapped": True}, "Seats are swapped after the first move"),
        ({"headers": (("Result", "*"),)}, "The header Result may appear only once"),
        ({"headers": (("Round", "1"), ("round", "2"))}, "The header round may appear only once"),
        ({"headers": (("two words", "1"),)}, "'two words' is not a header name"),
        (
            {"headers": tuple((f"H{number}", "1") for number in range(101))},
            "A game has at most 100 headers",
        ),
        ({"players": ("x" * 1001, "?")}, "A header holds at most 1000 characters, not 1001"),
        ({"players": ("\ud800", "?")}, "half a character"),
        (
            {"comments": (Comment(ply=1, text=""),)},
            "A comment follows move 1, but there are only 0",
        ),
        ({"comments": (Comment(ply=0, text="\udfff"),)}, "half a character"),
        (
            {"rules": Rules.parse("random-four"), "opening_code": "12345"},
            "The moves do not begin with 12 23 34 45, the opening 12345",
        ),
    ],
)
def test_a_record_cannot_be_made_of_parts_that_contradict_each_other(
    parts: dict[str, object], reason: str
):
    with pytest.raises(InvalidRecordError, match=reason):
        GameRecord(**parts)  # type: ignore[arg-type]  # the parts are right but for their content


def test_a_record_cannot_be_made_of_illegal_moves():
    with pytest.raises(IllegalMoveError, match="You were sent to board 5"):
        GameRecord(moves=(40, 0))


def test_records_are_divided_among_as_few_files_as_hold_them(monkeypatch: pytest.MonkeyPatch):
    one = format_record(GameRecord(moves=(40,)))
    monkeypatch.setattr(writing, "LONGEST_FILE", 2 * len(one) + 1)

    files = writing.divide_files([one] * 5)

    assert [len(parse_records(text)) for text in files] == [2, 2, 1]
    assert [len(text) for text in files] == [2 * len(one) + 1, 2 * len(one) + 1, len(one)]
    assert writing.divide_files([]) == []
