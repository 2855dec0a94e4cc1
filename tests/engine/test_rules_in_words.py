"""The rules in words: every option, nothing of another's, and nothing said twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from engine import (
    VARIANTS,
    DrawnBoard,
    Goal,
    O,
    Opening,
    Rules,
    Sending,
    Tiebreak,
    WonBoard,
    X,
    credit_of,
    example_of,
    explain_example,
    explain_rules,
    format_move,
    hypermap_number,
    map_columns,
    variant_of,
)
from engine.errors import Sentence
from tests.strategies import every_rules

MAPS = [
    Rules(depth=3, sending=Sending.MAP, map_number=10 * first + second)
    for first in range(1, 9)
    for second in range(1, 9)
]
ALL = list(dict.fromkeys([*(one for depth in (1, 2, 3) for one in every_rules(depth)), *MAPS]))

# What the text may say for one value of an option only: (the option's value, the words).
CLAIMS = [
    (lambda rules: rules.depth == 1, "are nine cells."),
    (lambda rules: rules.depth == 2, "nine boards of nine cells."),
    (lambda rules: rules.depth == 3, "nine strategic boards"),
    (lambda rules: rules.depth == 2, "decides which board"),
    (lambda rules: rules.depth == 3, "decides which tactical board"),
    (lambda rules: rules.depth == 3 and rules.sending is Sending.TACTICAL, "you play in decides"),
    (lambda rules: rules.sending is Sending.MAP, "beside your row"),
    (lambda rules: rules.sending is Sending.HYPERMAP, "in that cell"),
    (lambda rules: rules.goal is Goal.LINE, "in a row win the game"),
    (lambda rules: rules.goal is Goal.LINE, "nobody has three in a row"),
    (lambda rules: rules.goal is Goal.FIVE, "by winning five"),
    (lambda rules: rules.goal is Goal.FIVE, "nobody has won five"),
    (lambda rules: rules.tiebreak is Tiebreak.DRAW, ", the game is a draw."),
    (lambda rules: rules.tiebreak is Tiebreak.MOST, "who has won more"),
    (lambda rules: rules.depth == 2 and rules.won_board is WonBoard.CLOSED, "that is neither"),
    (lambda rules: rules.depth == 3 and rules.won_board is WonBoard.CLOSED, "are closed"),
    (lambda rules: rules.won_board is WonBoard.OPEN, "included"),
    (lambda rules: rules.won_board is WonBoard.FORCED, "you must play there"),
    (lambda rules: rules.drawn_board is DrawnBoard.BOTH, "for both players in rows"),
    (
        lambda rules: (
            rules.depth == 3 and rules.drawn_board is DrawnBoard.BOTH and rules.goal is Goal.FIVE
        ),
        "drawn strategic boards for nobody",
    ),
    (lambda rules: rules.no_return, "may not send"),
    (lambda rules: rules.depth > 1 and not rules.no_return, "may send"),
    (lambda rules: rules.bans_centre, "the very centre"),
    (lambda rules: rules.has_swap, "may swap seats"),
    (lambda rules: rules.opening is Opening.FREE, "in any cell. "),
    (lambda rules: rules.opening is Opening.RANDOM_FOUR, "five digits"),
    (lambda rules: rules.opening is Opening.SYMMETRIC, "opposite"),
]


def sentences(rules: Rules) -> Iterator[Sentence]:
    for rule in explain_rules(rules):
        yield rule.gist
        yield from rule.details


@cache
def told(rules: Rules) -> str:
    return " ".join([*map(str, sentences(rules)), ""])


def options(rules: Rules) -> dict[str, object]:
    names = (
        "depth", "won_board", "goal", "tiebreak", "drawn_board", "no_return", "opening", "sending",
        "map_number",
    )  # fmt: skip
    return {name: getattr(rules, name) for name in names}


def test_no_two_rule_sets_are_told_alike():
    assert len({told(rules) for rules in ALL}) == len(ALL) == 4 + 216 + 576 + 63


def test_every_value_of_an_option_has_a_sentence_that_no_other_value_has():
    said_with: dict[tuple[str, str], set[object]] = defaultdict(set)
    values: dict[tuple[int, str], set[object]] = defaultdict(set)
    for rules in ALL:
        for name, value in options(rules).items():
            values[rules.depth, name].add(value)
            for sentence in sentences(rules):
                said_with[str(sentence), name].add(value)

    for rules in ALL:
        for name, value in options(rules).items():
            is_option = name == "depth" or len(values[rules.depth, name]) > 1
            if is_option and (name != "map_number" or rules.sending is Sending.MAP):
                own = [each for each in sentences(rules) if said_with[str(each), name] == {value}]
                assert own, (rules.key, name)


@pytest.mark.parametrize(("holds", "words"), CLAIMS, ids=[words for _, words in CLAIMS])
def test_words_that_are_true_of_one_value_only_are_said_of_it_alone(
    holds: Callable[[Rules], bool], words: str
):
    wrong = [rules.key for rules in ALL if (words in told(rules)) != holds(rules)]

    assert wrong == []


def test_five_boards_need_no_row():
    for rules in ALL:
        if rules.goal is Goal.FIVE:
            assert "boards in a row win" not in told(rules)


def test_the_rule_of_sending_comes_first_and_the_opening_last():
    for rules in ALL:
        first, *_, last = explain_rules(rules)
        assert ("decides" in str(first.gist)) == (rules.depth > 1)
        assert "first" in str(last.gist) or rules.opening is Opening.SYMMETRIC


def test_the_example_is_a_game_by_the_rules_and_tells_where_it_sends():
    for rules in ALL:
        position = example_of(rules)
        words = str(explain_example(rules))

        assert position.rules == rules
        assert position.side == O
        if rules.depth > 1:
            boards = position.playable_boards
            assert len(boards) == 1
            strategic, tactical = divmod(boards[0], 9)
            assert (
                f"in board {tactical + 1}."
                if rules.depth == 2
                else f"in tactical board {tactical + 1} of strategic board {strategic + 1}."
            ) in words


def test_the_number_that_a_map_has_beside_the_example_is_told():
    """X 519 stands in the third row of a strategic board in the middle."""
    words = str(explain_example(Rules(depth=3, sending=Sending.MAP)))

    assert "in a row with the number 1 beside it" in words


def test_the_numbers_of_the_very_map_are_told():
    for rules in MAPS:
        columns = [" ".join(map(str, column)) for column in map_columns(rules.map_number)]
        places = ("beside the strategic boards on the left", "in the middle", "on the right")
        text = told(rules)
        spots = [text.index(column) for column in columns]
        ends = [text.index(place) for place in places]
        assert spots[0] < ends[0] < spots[1] < ends[1] < spots[2] < ends[2]


def test_the_hypermap_is_numbered_as_it_is_told():
    corners = [hypermap_number(81 * strategic) for strategic in range(3)]
    assert corners == [9, 1, 2]
    # A tactical board of strategic board 2: two rows down and one column to the right is 2 more.
    assert hypermap_number(81 + 3 * 2 + 1) == corners[1] + 2


def test_the_code_in_the_explanation_of_the_random_opening_is_played_as_it_says():
    position = example_of(Rules(opening=Opening.RANDOM_FOUR))

    marks = [(format_move(cell, position.rules), position.mark_at(cell)) for cell in range(81)]
    played = {text: mark for text, mark in marks if mark is not None}
    assert played == {"19": X, "92": O, "24": X, "45": O, "53": X}
    assert "19245 plays X 19, O 92, X 24 and O 45, and X must then play in board 5" in told(
        position.rules
    )


def test_the_authors_are_credited_wherever_their_game_is_told():
    for rules in ALL:
        theirs = rules.depth == 3 or rules.drawn_board is DrawnBoard.BOTH
        credit = credit_of(rules)
        assert (credit is not None) == theirs
        if credit is not None:
            for word in ("Demchenko", "Shashkov", "CC-BY 4.0", "https://github.com/echo-Mike/STTT"):
                assert word in str(credit)


def test_no_two_rule_sets_have_the_same_name_and_none_is_written_in_options():
    names = {str(variant_of(rules).name) for rules in ALL}

    assert len(names) == len(ALL)
    assert [name for name in names if "=" in name or "_" in name] == []


def test_a_custom_name_says_what_differs_from_standard():
    named = {rules: str(variant_of(rules).name) for rules in ALL if rules.key not in VARIANTS}

    assert named[Rules(goal=Goal.FIVE, won_board=WonBoard.OPEN)] == (
        "Custom (Open Board, five boards win)"
    )
    assert named[Rules(depth=3, sending=Sending.MAP, map_number=12)] == "Custom (27x27, map 12)"
    assert named[Rules(depth=1)] == "Custom (3x3)"
