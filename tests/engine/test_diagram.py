"""Positions as text: what they say about where a move sends is true."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Game, Position, Rules, draw_text, format_board, hypermap_number, map_columns
from engine.diagram import draw_hypermap, draw_part, tell_move, tell_sending
from tests.engine.playing import play_on

MAPS = ("sttt-map", "depth=3,sending=map,map=58")
RULES = (*MAPS, "sttt-hypermap", "sttt-tactical", "depth=3,sending=hypermap,won_board=forced")


def met(key: str, seed: int, plies: int) -> Position:
    """Return a position of a random game, the last but one if it ends early."""
    game = play_on(Game(Rules.parse(key)), random.Random(seed), plies)
    if game.outcome is not None:
        game.pop()
    return game.position


def cells_below(line: str) -> str:
    """Return a line of cells without what is printed before and between them."""
    return re.sub(r"^\d:|[^\dXO.]", "", line)


@pytest.mark.parametrize("key", MAPS)
def test_the_number_of_the_map_stands_before_every_row(key: str):
    position = met(key, 1, 60)
    for strategic in range(9):
        lines = draw_part(position, strategic).splitlines()
        numbers = [int(line[0]) for line in lines if re.match(r"\d:", line)]

        assert tuple(numbers) == map_columns(position.rules.map_number)[strategic % 3]
        assert max(len(line) for line in lines) <= 25
        rows = [cells_below(line) for line in lines if re.match(r"\d:", line)]
        assert [len(row) for row in rows] == [9] * 9


def test_the_whole_diagram_has_the_numbers_of_every_strategic_board():
    """And still fits into a terminal of 80 columns."""
    lines = draw_text(met("sttt-map", 1, 60)).splitlines()
    numbered = [re.findall(r"(\d):", line) for line in lines if ":" in line]
    left, middle, right = map_columns(34)

    assert [tuple(map(int, row)) for row in numbered] == [
        *zip(left, middle, right, strict=True)
    ] * 3
    assert max(len(line) for line in lines) <= 79


def test_without_a_map_there_are_no_numbers():
    assert ":" not in draw_text(met("sttt-hypermap", 1, 60))
    assert ":" not in draw_text(Position.initial(Rules()))


def test_the_hypermap_is_drawn_with_a_number_in_every_empty_cell():
    position = met("sttt-hypermap", 1, 300)
    for strategic in range(9):
        rows = [cells_below(line) for line in draw_hypermap(position, strategic).splitlines()]
        shown = [row for row in rows if row]
        assert [len(row) for row in shown] == [9] * 9
        for place in range(81):
            tactical, slot = divmod(place, 9)
            cell = 81 * strategic + place
            sign = shown[3 * (tactical // 3) + slot // 3][3 * (tactical % 3) + slot % 3]
            is_empty = position.mark_at(cell) is None
            assert sign == (str(hypermap_number(cell)) if is_empty else ".")


@given(st.sampled_from(RULES), st.integers(0, 99), st.integers(0, 700))
def test_a_move_is_told_with_where_the_opponent_must_play_then(key: str, seed: int, plies: int):
    position = met(key, seed, plies)
    rng = random.Random(seed)
    for move in rng.sample(position.legal_moves, min(9, len(position.legal_moves))):
        later = position.after(move)
        boards = {format_board(board, later.rules) for board in later.playable_boards}
        _, words = str(tell_move(position, move)).split(" ", 1)
        if words == "to end the game":
            assert later.outcome is not None
        elif words == "anywhere":
            assert later.target_path == ()
            assert boards
        elif words.startswith("anywhere in "):
            assert later.target is None
            assert {board[0] for board in boards} == {words[-1]}
        else:
            assert {words.removeprefix("to ")} == boards


@given(st.sampled_from(RULES), st.integers(0, 99), st.integers(0, 700))
def test_a_board_is_told_with_all_its_moves(key: str, seed: int, plies: int):
    position = met(key, seed, plies)
    board = random.Random(seed).choice(position.playable_boards)
    head, parts = str(tell_sending(position, board)).split(": ")

    assert head == f"From {format_board(board, position.rules)}"
    told = {
        f"{head[5:]}{cell} {words}"
        for part in parts.split("; ")
        for cells, words in [re.fullmatch(r"([\d, ]+) (\D.*)", part).groups()]  # type: ignore[union-attr]
        for cell in cells.split(", ")
    }
    moves = [move for move in position.legal_moves if move // 9 == board]
    assert told == {str(tell_move(position, move)) for move in moves}
