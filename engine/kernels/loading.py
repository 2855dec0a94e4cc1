"""Make the kernels' tuples and arrays from rules."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from engine.kernels.codes import (
    ANYWHERE,
    COUNT,
    DECIDED,
    FIVE,
    FULL,
    GOAL,
    LAST,
    LINE,
    MACRO,
    NO_MOVE,
    PICK,
    PLY,
    RESULT,
    TARGET,
    WORD_BANNED,
    WORD_COUNT,
    WORD_DECIDED,
    WORD_FULL,
    WORD_PLY,
    WORD_RESULT,
    WORD_TARGET,
    Ints,
    O,
    RuleCodes,
    State,
    Tables,
    X,
)

_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class Loaded(NamedTuple):
    """A rule set in the form every kernel takes."""

    codes: RuleCodes
    tables: Tables


def load(codes: RuleCodes, sends: tuple[int, ...]) -> Loaded:
    """Add the look-up tables to rule codes; `sends` is a local board per cell."""
    masks = _mask_table(is_five=codes.goal == FIVE)
    return Loaded(codes, Tables(masks, np.array(sends, dtype=np.int16)))


@cache
def _mask_table(*, is_five: bool) -> Ints:
    masks: Ints = np.zeros(512, dtype=np.int64)
    for mask in range(masks.size):
        places = [place for place in range(9) if mask >> place & 1]
        has_line = any(set(line) <= set(places) for line in _LINES)
        has_goal = len(places) >= 5 if is_five else has_line
        masks[mask] = LINE * has_line | GOAL * has_goal | len(places) << COUNT
        for index, place in enumerate(places):
            masks[mask] |= place << PICK + 4 * index
    return masks


def empty_state(depth: int) -> State:
    """Return the empty position of a depth."""
    boards = (0, 1, 10, 91)[depth]
    head: Ints = np.zeros(4, dtype=np.int64)
    head[LAST] = NO_MOVE
    return State(
        words=np.zeros(WORD_COUNT, dtype=np.int64),
        nodes=np.zeros((4, boards), dtype=np.int64),
        head=head,
    )


def state_of(codes: RuleCodes, nodes: Ints, head: Ints) -> State:
    """Return a copy of a position with everything the search kernels need."""
    state = State(np.zeros(WORD_COUNT, dtype=np.int64), nodes.copy(), head.copy())
    if codes.depth == 2:
        _fill_words(state, codes)
    return state


def _fill_words(state: State, codes: RuleCodes) -> None:
    words, nodes, head = state
    words[0:9], words[9:18] = nodes[X, 1:], nodes[O, 1:]
    words[MACRO], words[MACRO + 1] = nodes[X, 0], nodes[O, 0]
    words[WORD_DECIDED], words[WORD_FULL] = nodes[DECIDED, 0], nodes[FULL, 0]
    words[WORD_TARGET] = head[TARGET] - 1 if head[TARGET] else ANYWHERE
    words[WORD_PLY], words[WORD_RESULT] = head[PLY], head[RESULT]
    if codes.no_return and head[LAST] != NO_MOVE:
        words[WORD_BANNED] = 1 << int(head[LAST]) // 9
