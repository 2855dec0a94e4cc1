"""Weak levels play like people: short lines are seen, nothing silly is done at the end."""

from __future__ import annotations

import random
import time

import pytest

from engine import (
    LEVELS,
    VARIANTS,
    Game,
    Level,
    Position,
    Rules,
    choose_move,
    draw_opening_code,
    parse_move,
    parse_position,
)
from engine.search.levels import Sight, gives_win, glance, winning_move
from tests.engine.playing import play_on

QUICK = 0.05  # seconds, where any search will do


def random_positions(key: str, count: int, plies: range, seed: int) -> list[Position]:
    """Return running positions of random games."""
    rules = VARIANTS[key].rules
    found: list[Position] = []
    rng = random.Random(f"{key}/{seed}")
    while len(found) < count:
        game = Game(rules, draw_opening_code(rules, seed=rng.getrandbits(30)))
        play_on(game, rng, rng.choice(plies))
        if game.outcome is None:
            found.append(game.position)
    return found


def wins_at_once(position: Position) -> set[int]:
    """Return the winning moves, the slow obvious way."""
    found = set()
    for move in position.legal_moves:
        outcome = position.after(move).outcome
        if outcome is not None and outcome.winner == position.side:
            found.add(move)
    return found


@pytest.mark.parametrize("key", [key for key in VARIANTS if not key.startswith("sttt")])
def test_a_win_in_one_is_seen_where_there_is_one(key: str):
    seen = 0
    for position in random_positions(key, 60, range(44, 66), 1):
        wins = wins_at_once(position)
        move = winning_move(position)
        assert (move is not None) == bool(wins)
        assert move is None or move in wins
        seen += bool(wins)
        for candidate in position.legal_moves:
            after = position.after(candidate)
            expected = (
                bool(wins_at_once(after))
                if after.outcome is None
                else after.outcome.winner == after.side
            )
            assert gives_win(position, candidate) == expected
    assert seen


@pytest.mark.parametrize("key", ["standard", "majority", "open-board", "won-board", "tactical"])
def test_levels_from_four_on_give_nothing_away(key: str):
    """They keep the other side from winning at once if they can."""
    checked = 0
    for number, position in enumerate(random_positions(key, 60, range(40, 66), 2)):
        safe = [move for move in position.legal_moves if not gives_win(position, move)]
        if len(safe) in (0, len(position.legal_moves)) or wins_at_once(position):
            continue
        checked += 1
        for level in LEVELS[3:9]:
            report = choose_move(position, level, seed=number, max_seconds=QUICK)
            assert report.move in safe, level
            assert report.move == report.principal_line[0]
    assert checked >= 3


def test_a_newcomer_overlooks_what_a_regular_sees():
    """O wins the game in board 3 if sent there, or anywhere; newcomers let that happen."""
    position = parse_position("standard X 35 5 OO1X4X OOO6/OOO6/1OO1O4/XXX6/9/X8/X8/X8/XXX6")
    given = {move for move in position.legal_moves if gives_win(position, move)}
    assert given == {parse_move(text, Rules()) for text in ("51", "52", "53", "54", "59")}
    shares = []
    for level in LEVELS[:4]:
        moves = [choose_move(position, level, seed=seed).move for seed in range(150)]
        shares.append(sum(move in given for move in moves) / len(moves))

    assert shares[0] > shares[2] >= shares[3] == 0


def test_a_line_in_a_decided_board_is_no_use():
    """Won boards stay in play here: O completing a line in X's board gains nothing."""
    rules = Rules.parse("won-board")
    position = parse_position("won-board O 11 1 X8 XXXOO4/9/9/9/9/9/9/9/9")
    sight = Sight(position)

    assert sight.makes_line(parse_move("16", rules), 1)
    assert not sight.takes_board(parse_move("16", rules), 1)
    moves = {glance(position, 1.0, 0.0, random.Random(seed)) for seed in range(60)}
    assert moves == set(position.legal_moves)


@pytest.mark.parametrize("level", LEVELS[:9], ids=lambda level: f"level {level.number}")
def test_a_won_ending_is_finished_at_once(level: Level):
    """Whenever the game can be won now, it is won, at every level and in every variant."""
    seen = 0
    for key in ("standard", "majority", "open-board", "tic-tac-ku", "tactical"):
        for position in random_positions(key, 25, range(48, 66), 3):
            wins = wins_at_once(position)
            if wins:
                seen += 1
                assert choose_move(position, level, seed=1, max_seconds=QUICK).move in wins
    assert seen > 5


@pytest.mark.parametrize("level", LEVELS[:7], ids=lambda level: f"level {level.number}")
def test_weak_levels_answer_at_once(level: Level):
    """In processor time: the time of other programs does not count."""
    positions = random_positions("standard", 12, range(60), 4)
    for position in positions[:2]:
        choose_move(position, level, seed=1)
    started = time.thread_time()
    for position in positions:
        choose_move(position, level, seed=1)

    assert (time.thread_time() - started) / len(positions) < 0.05


@pytest.mark.parametrize("key", [key for key in VARIANTS if key.startswith("sttt")])
def test_every_level_plays_strategic_games(key: str):
    (position,) = random_positions(key, 1, range(60, 61), 5)
    for level in LEVELS:
        report = choose_move(position, level, seed=1, max_seconds=QUICK)
        assert report.move in position.legal_moves
