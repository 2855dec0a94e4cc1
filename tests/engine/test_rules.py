"""Rule sets, their keys and the named variants."""

from __future__ import annotations

import pytest
from hypothesis import given

from engine import (
    VARIANTS,
    DrawnBoard,
    Goal,
    InvalidRulesError,
    Opening,
    Rules,
    Sending,
    Tiebreak,
    WonBoard,
    hypermap_number,
    load_variant,
    map_columns,
    named_boards,
    option_values,
    variant_of,
)
from tests.strategies import every_rules, rules
from tests.tables import read_table


@given(rules())
def test_a_key_leads_back_to_its_rules(one: Rules):
    assert Rules.parse(one.key) == one
    assert Rules.parse(one.options_key) == one
    assert load_variant(one.key).rules == one


@pytest.mark.parametrize("key", VARIANTS)
def test_a_variant_describes_itself(key: str):
    variant = VARIANTS[key]

    assert load_variant(key.upper()) is variant
    assert variant.rules.key == variant.key == key
    assert variant_of(variant.rules) is variant
    assert 20 <= len(str(variant.summary)) <= 100


def test_no_two_variants_are_the_same_game():
    assert len({variant.rules for variant in VARIANTS.values()}) == len(VARIANTS) == 14


def test_the_named_variants_are_those_of_the_rules():
    expected = {
        "standard": Rules(),
        "majority": Rules(tiebreak=Tiebreak.MOST),
        "open-board": Rules(won_board=WonBoard.OPEN),
        "won-board": Rules(won_board=WonBoard.FORCED),
        "mulloy": Rules(
            won_board=WonBoard.FORCED, opening=Opening.NO_CENTRE, tiebreak=Tiebreak.MOST
        ),
        "tic-tac-ku": Rules(goal=Goal.FIVE, won_board=WonBoard.FORCED, tiebreak=Tiebreak.MOST),
        "random-four": Rules(won_board=WonBoard.FORCED, opening=Opening.RANDOM_FOUR),
        "pie": Rules(opening=Opening.PIE),
        "balanced": Rules(opening=Opening.PIE, won_board=WonBoard.OPEN),
        "symmetric": Rules(opening=Opening.SYMMETRIC),
        "tactical": Rules(drawn_board=DrawnBoard.BOTH, won_board=WonBoard.FORCED),
        "sttt-tactical": Rules(depth=3, drawn_board=DrawnBoard.BOTH),
        "sttt-map": Rules(depth=3, sending=Sending.MAP, drawn_board=DrawnBoard.BOTH),
        "sttt-hypermap": Rules(depth=3, sending=Sending.HYPERMAP, drawn_board=DrawnBoard.BOTH),
    }

    assert {key: variant.rules for key, variant in VARIANTS.items()} == expected


def test_a_custom_variant_has_a_key_and_words():
    variant = load_variant("goal=five, won_board=open")

    assert variant.key == "depth=2,goal=five,won_board=open"
    assert str(variant.name) == "Custom (Open Board, five boards win)"
    assert len(str(variant.summary)) <= 100


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("standart", "There is no variant 'standart'. Choose one of: standard, majority"),
        ("goal=six", "goal must be line or five, not 'six'"),
        ("goal", "There is no variant 'goal'"),
        ("colour=red", "There is no option 'colour'. Options are: depth, drawn_board"),
        ("goal=five,goal=line", "The option goal is given twice"),
        ("depth=4", "depth must be 1, 2 or 3, not '4'"),
        ("sending=map,depth=3,map=19", "map must be two digits from 1 to 8, not '19'"),
        ("sending=map", "sending=map is made for depth 3, not for depth 2"),
        ("depth=3,map=12", "map=12 needs sending=map"),
        ("depth=3,opening=symmetric", "opening=symmetric is made for depth 2, not for depth 3"),
        ("depth=1,goal=five", "goal=five needs boards to win: depth 1 has none"),
        ("depth=1,tiebreak=most", "tiebreak=most needs boards to count: depth 1 has none"),
        ("depth=1,won_board=open", "won_board=open needs boards to be sent to"),
        ("depth=1,no_return=yes", "no_return=yes needs boards to be sent to"),
        ("depth=1,drawn_board=both", "drawn_board=both needs inner boards"),
        ("goal=five,drawn_board=both", "drawn_board=both means nothing with goal=five at depth 2"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(key: str, sentence: str):
    with pytest.raises(InvalidRulesError) as caught:
        load_variant(key)

    assert sentence in str(caught.value)


def test_bare_numbers_are_checked_too():
    with pytest.raises(InvalidRulesError, match="depth must be 1, 2 or 3, not 0"):
        Rules(depth=0)
    with pytest.raises(InvalidRulesError, match="map must be two digits from 1 to 8"):
        Rules(depth=3, sending=Sending.MAP, map_number=90)


def test_there_are_as_many_rule_sets_as_options_allow():
    assert [len(every_rules(depth)) for depth in (1, 2, 3)] == [4, 216, 576]
    assert set(option_values()) == {
        "depth", "drawn_board", "goal", "map", "no_return", "opening", "sending", "tiebreak",
        "won_board",
    }  # fmt: skip


# Where a move sends.


def test_there_are_64_different_maps_and_a_column_holds_every_number():
    maps = {map_columns(10 * first + second) for first in range(1, 9) for second in range(1, 9)}

    assert len(maps) == 64
    assert all(sorted(column) == list(range(1, 10)) for one in maps for column in one)


def test_the_default_map_is_the_printed_one():
    assert map_columns(34) == (
        (2, 1, 3, 6, 5, 4, 7, 9, 8),
        (3, 2, 1, 4, 6, 5, 8, 7, 9),
        (1, 3, 2, 5, 4, 6, 9, 8, 7),
    )


def test_all_maps_are_the_published_ones():
    head, *lines = read_table("all_64_maps.csv")
    rows = [dict(zip(head, line, strict=True)) for line in lines]

    assert len(rows) == 192
    for row in rows:
        column = map_columns(int(row["map"].removeprefix("map")))[int(row["strategic_column"]) - 1]
        assert column == tuple(int(row[f"row{number}"]) for number in range(1, 10))


def test_the_hypermap_is_the_published_one():
    for row, line in enumerate(read_table("hypermap.csv")):
        for column, number in enumerate(line):
            strategic = 3 * (row // 9) + column // 9
            tactical = 3 * (row % 9 // 3) + column % 9 // 3
            cell = 81 * strategic + 9 * tactical + 3 * (row % 3) + column % 3
            assert hypermap_number(cell) == int(number)


def test_a_move_names_a_board_in_each_kind_of_sending():
    move = 81 * 4 + 9 * 0 + 8  # 519

    assert named_boards(Rules(depth=1))[4] == 0
    assert named_boards(Rules())[40] == 4
    assert named_boards(Rules(depth=3))[move] == 9 * 0 + 8
    # Row 3 of a strategic cell in the middle column says 1; the cell shows (2 + 5 - 2) % 9 + 1.
    assert named_boards(Rules(depth=3, sending=Sending.MAP))[move] == 9 * 0 + 8
    assert named_boards(Rules(depth=3, sending=Sending.HYPERMAP))[move] == 9 * 5 + 8
