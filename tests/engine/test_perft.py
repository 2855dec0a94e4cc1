"""Both kernels count what the perft files say, and the oracle as deep as it goes."""

from __future__ import annotations

import pytest

from engine import EngineError, Position, Rules, divide, format_move, perft
from tests.engine.agreement import copy_of, naive_of
from tests.engine.perft_files import Suite, load_suites
from tests.naive import NaiveGame

SUITES = load_suites()
IDS = [f"{suite.variant}: {suite.name}" for suite in SUITES]
QUICK = 5_000_000
GENERAL_QUICK = 500_000
NAIVE_QUICK = 800


def check(suite: Suite, plies: int, *, general: bool) -> None:
    """Fail with the divide, the first thing one needs."""
    position = suite.game().position
    counted = perft(position, plies, general=general)
    if counted != suite.counts[plies]:
        parts = divide(position, plies, general=general)
        lines = [f"{format_move(move, position.rules)} {count}" for move, count in parts.items()]
        pytest.fail(
            f"perft {plies}: {suite.counts[plies]} expected, {counted}\n" + "\n".join(lines)
        )


@pytest.mark.parametrize("suite", SUITES, ids=IDS)
def test_the_kernel_counts_what_the_file_says(suite: Suite):
    for plies, nodes in suite.counts.items():
        if nodes <= QUICK:
            check(suite, plies, general=False)


@pytest.mark.parametrize("suite", SUITES, ids=IDS)
def test_the_general_kernel_counts_the_same(suite: Suite):
    for plies, nodes in suite.counts.items():
        if nodes <= GENERAL_QUICK:
            check(suite, plies, general=True)


@pytest.mark.long
@pytest.mark.parametrize("general", [False, True], ids=["fast", "general"])
@pytest.mark.parametrize("suite", SUITES, ids=IDS)
def test_both_count_the_deep_ones(suite: Suite, general: bool):
    for plies, nodes in suite.counts.items():
        if nodes > (GENERAL_QUICK if general else QUICK):
            check(suite, plies, general=general)


def naive_perft(game: NaiveGame, plies: int) -> int:
    legal = game.legal_moves()
    if plies == 1:
        return len(legal)
    total = 0
    for move in legal:
        later = copy_of(game)
        later.play(move)
        total += naive_perft(later, plies - 1)
    return total


@pytest.mark.parametrize("suite", SUITES, ids=IDS)
def test_the_oracle_counts_the_same(suite: Suite):
    naive = naive_of(suite.game())
    most = 80 if naive.rules.depth == 3 else NAIVE_QUICK
    for plies in suite.counts:
        if plies == 1 or max(list(suite.counts.values())[:plies]) <= most:
            assert naive_perft(naive, plies) == suite.counts[plies]


def test_the_published_counts_from_the_start():
    """Known numbers of Standard, on which independent programs agree."""
    start = Position.initial(Rules())

    assert [perft(start, plies) for plies in range(1, 8)] == [
        81, 720, 6336, 55080, 473256, 4020960, 33782544,
    ]  # fmt: skip


def test_variants_of_the_won_board_agree_until_a_board_can_be_won():
    standard, opened, forced = (
        Position.initial(Rules.parse(key)) for key in ("standard", "open-board", "won-board")
    )

    for plies in range(1, 6):
        assert perft(standard, plies) == perft(opened, plies) == perft(forced, plies)
    assert len({perft(one, 6) for one in (standard, opened, forced)}) > 1


@pytest.mark.parametrize("general", [False, True])
def test_no_game_is_longer_than_there_are_cells(general: bool):
    for depth in (1, 2, 3):
        start = Position.initial(Rules(depth=depth))
        for plies in (start.rules.cell_count + 1, 10**18):
            assert perft(start, plies, general=general) == 0
    full = Position.initial(Rules(depth=1)).after(0).after(1)
    assert perft(full, 8) == 0 < perft(full, 7)


def test_no_plies_is_one_sequence_and_fewer_are_refused():
    start = Position.initial(Rules())

    assert perft(start, 0) == 1
    with pytest.raises(EngineError, match="-1"):
        perft(start, -1)
    with pytest.raises(EngineError, match="0"):
        divide(start, 0)
