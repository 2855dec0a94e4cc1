"""Random games with their statistics, collected while they are played.

Any depth and any rules. One of the figures is the number of legal moves, so they
are counted at every turn, which `bitboard81.rollout` avoids.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels import bitboard81, generic, play
from engine.kernels._jit import kernel
from engine.kernels.codes import (
    ALL_NINE,
    DECIDED,
    FULL,
    NO_MOVE,
    ONGOING,
    WORD_DECIDED,
    WORD_PLY,
    Ints,
    Rng,
    RuleCodes,
    State,
    Tables,
)
from engine.kernels.generic import count_of, place_of
from engine.kernels.rng import below

# Places in `Sums.whole`; 1 to 3 count the results under their codes.
GAMES: Final = 0
PLIES: Final = 4  # then the sum of their squares, as for the next two
MARKS: Final = 6
DECIDED_BOARDS: Final = 8
SHORTEST: Final = 10
LONGEST: Final = 11
WHOLE_COUNT: Final = 12

# Places in `Sums.parts`: the mean number of legal moves of each game, and its square.
CHOICES: Final = 0
PART_COUNT: Final = 2


class Sums(NamedTuple):
    """Running sums: int64[12] and float64[2], see the places above."""

    whole: Ints
    parts: NDArray[np.float64]


class Starts(NamedTuple):
    """Where games begin: any of the positions, followed by any of the lines of moves.

    Attributes:
        words: int64[positions, 26].
        nodes: int64[positions, 4, boards].
        heads: int64[positions, 4].
        lines: int64[lines, moves]: moves given by an opening, not chosen by a player.
    """

    words: Ints
    nodes: NDArray[np.int64]
    heads: Ints
    lines: Ints


def make_sums() -> Sums:
    """Return empty sums."""
    return Sums(np.zeros(WHOLE_COUNT, dtype=np.int64), np.zeros(PART_COUNT, dtype=np.float64))


def make_starts(states: list[State], lines: list[tuple[int, ...]]) -> Starts:
    """Return the starts made of some positions and of lines of the same length."""
    return Starts(
        words=np.array([state.words for state in states], dtype=np.int64),
        nodes=np.array([state.nodes for state in states], dtype=np.int64),
        heads=np.array([state.head for state in states], dtype=np.int64),
        lines=np.array(lines, dtype=np.int64).reshape(len(lines), -1),
    )


@kernel
def draw_listed(
    state: State, rules: RuleCodes, tables: Tables, rng: Rng, moves: Ints
) -> tuple[int, int]:
    """Return a random legal move and how many there are; `moves` is scratch."""
    count = generic.legal_moves(state.nodes, state.head, rules, tables, moves)
    return int(moves[below(rng, count)]), count


@kernel
def draw_bitboard81(words: Ints, rules: RuleCodes, tables: Tables, rng: Rng) -> tuple[int, int]:
    """Return the same at depth 2 without making the list.

    The number drawn is an index into the legal moves in ascending order, as in the list.
    """
    boards = bitboard81.allowed_boards(words, rules)
    banned = bitboard81.banned_cells(words, rules, boards)
    count = int(bitboard81.count_moves(words, rules, tables))  # a byte when not compiled
    drawn = below(rng, count)
    banned_first = rules.banned_first if words[WORD_PLY] == 0 else NO_MOVE
    for board in range(9):
        if boards >> board & 1 == 0:
            continue
        free = ALL_NINE & ~(words[board] | words[9 + board] | banned)
        if banned_first // 9 == board:
            free &= ~(1 << banned_first % 9)
        here = count_of(tables.masks[free])
        if drawn < here:
            return 9 * board + place_of(tables.masks[free], drawn), count
        drawn -= here
    return NO_MOVE, count  # never reached: the boards hold `count` moves


@kernel
def count_marks(state: State, rules: RuleCodes, tables: Tables) -> int:
    """Return how many cells are marked."""
    count = 0
    if rules.depth == 2:
        for board in range(9):
            count += count_of(tables.masks[state.words[board] | state.words[9 + board]])
    else:
        for board in range(generic.first_leaf(rules.depth), state.nodes.shape[1]):
            count += count_of(tables.masks[state.nodes[FULL, board]])
    return count


@kernel
def count_decided(state: State, rules: RuleCodes, tables: Tables) -> int:
    """Return how many local boards are decided in a game that is over."""
    if rules.depth == 1:
        return 1
    if rules.depth == 2:
        return count_of(tables.masks[state.words[WORD_DECIDED]])
    count = 0
    for board in range(1, 10):
        count += count_of(tables.masks[state.nodes[DECIDED, board]])
    return count


@kernel
def add_square(sums: Ints, place: int, value: int) -> None:
    """Add a value and its square."""
    sums[place] += value
    sums[place + 1] += value * value


@kernel
def add_game(state: State, rules: RuleCodes, tables: Tables, sums: Sums, choices: float) -> None:
    """Add a game that is over; `choices` is its mean number of legal moves."""
    whole = sums.whole
    plies = play.ply(state, rules)
    whole[SHORTEST] = plies if whole[GAMES] == 0 else min(whole[SHORTEST], plies)
    whole[LONGEST] = max(whole[LONGEST], plies)
    whole[GAMES] += 1
    whole[play.result(state, rules)] += 1
    add_square(whole, PLIES, plies)
    add_square(whole, MARKS, count_marks(state, rules, tables))
    add_square(whole, DECIDED_BOARDS, count_decided(state, rules, tables))
    sums.parts[CHOICES] += choices
    sums.parts[CHOICES + 1] += choices * choices


@kernel
def random_games(
    starts: Starts,
    work: State,
    rules: RuleCodes,
    tables: Tables,
    rng: Rng,
    moves: Ints,
    game_count: int,
    sums: Sums,
) -> None:
    """Play random games and add them to `sums`; `work` and `moves` are scratch."""
    for _ in range(game_count):
        first = below(rng, starts.heads.shape[0])
        start = State(starts.words[first], starts.nodes[first], starts.heads[first])
        play.copy(work, start, rules)
        line = starts.lines[below(rng, starts.lines.shape[0])]
        for place in range(line.size):
            play.push(work, rules, tables, line[place])
        turns = choices = 0
        while play.result(work, rules) == ONGOING:
            if rules.depth == 2:
                move, count = draw_bitboard81(work.words, rules, tables, rng)
            else:
                move, count = draw_listed(work, rules, tables, rng, moves)
            turns += 1
            choices += count
            play.push(work, rules, tables, move)
        add_game(work, rules, tables, sums, choices / turns)
