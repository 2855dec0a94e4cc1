"""Positions that are equal by symmetry have one key, and no others share it."""

from __future__ import annotations

import random

import pytest

from engine import Canonical, Game, Rules, canonical_line, symmetries, transform
from tests.engine.playing import play_on

RULES = [
    Rules.parse(key)
    for key in (
        "depth=1",
        "standard",
        "open-board",
        "won_board=forced,no_return=yes",
        "sttt-tactical",
        "sttt-map",
    )
]


def facts(canonical: Canonical) -> object:
    """Return everything about a position, turned like the key: naively, from every cell."""
    position = canonical.position
    rules = position.rules
    marks = {cell: position.mark_at(cell) for cell in range(rules.cell_count)}
    owners = {board: position.board_status(board) for board in range(rules.board_count)}
    return min(
        (
            [
                str(mark)
                for _, mark in sorted((transform(c, turn, rules), m) for c, m in marks.items())
            ],
            [
                str(status)
                for _, status in sorted(
                    (transform(b, turn, rules) % rules.board_count, s) for b, s in owners.items()
                )
            ],
            sorted(transform(move, turn, rules) for move in position.legal_moves),
        )
        for turn in symmetries(rules)
    )


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.key)
def test_turned_positions_have_one_key_and_moves_are_folded_alike(rules: Rules):
    rng = random.Random(1)
    for _ in range(5):
        line = play_on(Game(rules), rng, 40).moves
        whole = list(canonical_line(rules, line))
        assert [each.position.ply for each in whole] == list(range(len(line) + 1))
        turn = rng.choice(symmetries(rules))
        turned = [transform(move, turn, rules) for move in line]
        for one, other, ply in zip(
            whole, canonical_line(rules, turned), range(len(line)), strict=False
        ):
            assert one.key == other.key
            assert one.fold(line[ply]) == other.fold(turned[ply])
            assert 0 <= one.key < 2**63


@pytest.mark.sampled(4)
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.key)
def test_a_key_stands_for_one_position(rules: Rules):
    rng = random.Random(2)
    known: dict[int, object] = {}
    for _ in range(6 if rules.depth == 3 else 40):
        for each in canonical_line(rules, play_on(Game(rules), rng, 30).moves):
            assert known.setdefault(each.key, facts(each)) == facts(each)
    # Where nobody may be sent back, the board before matters even if no move is left out.
    assert rules.no_return or len(set(map(repr, known.values()))) == len(known)


def test_the_order_of_moves_does_not_count():
    lines = (0, 3, 27, 2, 18), (0, 2, 18, 3, 27)
    one, other = (list(canonical_line(Rules(), line))[-1] for line in lines)
    assert one.position != other.position  # as the last move is another one
    assert one.key == other.key


def test_keys_that_are_stored_stay_what_they_are():
    """They are stored in databases: other keys would make every count worthless."""
    *_before, last = canonical_line(Rules(), (40, 36, 0))
    assert (next(canonical_line(Rules(), ())).key, last.key) == (
        2152013562852940713,
        639124882062567385,
    )
