"""Random games choose every legal move equally often, in both kernels."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from engine import Game, Position, Rules
from engine.kernels import bitboard81, generic, rng
from engine.position import loaded_rules
from tests.engine.playing import play_on

DRAWS = 3000


def free_position(key: str, plies: int) -> Position:
    """Return a position late in a game with a free choice among several boards."""
    rules = Rules.parse(key)
    for seed in range(1000):
        game = play_on(Game(rules), random.Random(seed), plies)
        if game.outcome is None and len(game.position.playable_boards) > 2:
            return game.position
    raise AssertionError(f"no such position in {key}")


def drawn_by_heap(position: Position) -> Counter[int]:
    codes, tables = loaded_rules(position.rules)
    state = position.search_state()
    numbers = rng.make_rng(1)
    moves = np.empty(position.rules.cell_count, dtype=np.int64)
    return Counter(
        generic.draw(state.nodes, state.head, codes, tables, numbers, moves) for _ in range(DRAWS)
    )


def drawn_by_small(position: Position) -> Counter[int]:
    codes, tables = loaded_rules(position.rules)
    words = position.search_state().words
    numbers = rng.make_rng(1)
    banned = bitboard81.banned_cells(words, codes, bitboard81.allowed_boards(words, codes))
    packed = (bitboard81.draw_anywhere(words, codes, tables, numbers, banned) for _ in range(DRAWS))
    return Counter((one >> 4) * 9 + (one & 15) for one in packed)


def check_even(counts: Counter[int], position: Position) -> None:
    """Fail if a move is missing or its count is five standard deviations off."""
    expected = DRAWS / len(position.legal_moves)
    assert set(counts) == set(position.legal_moves)
    assert all(abs(count - expected) < 5 * expected**0.5 for count in counts.values())


@pytest.mark.parametrize("key", ["standard", "open-board", "won-board", "no_return=yes"])
def test_cells_of_free_choices_are_as_likely(key: str):
    position = free_position(key, 45 if key != "won-board" else 60)

    check_even(drawn_by_small(position), position)
    check_even(drawn_by_heap(position), position)


@pytest.mark.parametrize("key", ["sttt-map", "depth=3,won_board=open,no_return=yes"])
def test_cells_of_the_large_board_are_as_likely(key: str):
    position = free_position(key, 430)

    check_even(drawn_by_heap(position), position)


def test_the_banned_first_move_is_never_drawn():
    position = Position.initial(Rules.parse("mulloy"))

    check_even(drawn_by_small(position), position)
    check_even(drawn_by_heap(position), position)


def test_different_seeds_give_different_dice():
    assert len({int(rng.make_rng(seed)[0]) for seed in range(100)}) == 100
    assert rng.make_rng(-1).dtype == np.uint64
