"""Positions as text: narrow enough for a phone, short enough for a message, nothing left out."""

from __future__ import annotations

import random

import pytest

from bot.language import LANGUAGES, speaking
from bot.render import describe_position
from cogs.play.layout import chosen_path
from cogs.play.texts import text_board
from engine import VARIANTS, Game, Opening, Position, format_move, load_variant

CODES = {Opening.RANDOM_FOUR: "12345", Opening.SYMMETRIC: "1"}

MOST_CHARACTERS = 2000
"""Half of what a message may have: headline, notes and footer need less than the other half."""

WIDEST = 25
"""How many monospaced characters a phone shows in a row."""


def played_out(key: str, seed: int) -> list[Position]:
    """Return every position of a game played at random."""
    rules = load_variant(key).rules
    rng = random.Random(seed)
    positions = [Position.initial(rules, CODES.get(rules.opening))]
    while moves := positions[-1].legal_moves:
        positions.append(positions[-1].after(rng.choice(moves)))
    return positions


@pytest.mark.sampled(5)
@pytest.mark.parametrize("key", sorted({*VARIANTS, "depth=1", "depth=3,won_board=open"}))
@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_position_fits(key: str, language: str):
    for position in played_out(key, 7)[::5]:
        with speaking(language):
            texts = [
                text_board(position, chosen_path(position, chosen)) for chosen in ((4,), (4, 4))
            ]
            alt = describe_position(position, ("*" * 32, "W" * 32))
        for text in texts:
            assert len(text) <= MOST_CHARACTERS
            diagrams = "".join(text.split("```")[1::2])
            assert max(len(line) for line in diagrams.splitlines()) <= WIDEST
        assert 0 < len(alt) <= 1024


def test_what_may_be_played_stands_in_it():
    game = Game(load_variant("standard").rules)
    game.push(40)

    text = text_board(game.position, chosen_path(game.position, ()))

    assert "[5]" in text
    assert "[1]" not in text
    assert "4(X)6" in text


def test_of_the_largest_game_the_board_in_play_is_shown_cell_by_cell():
    position = Position.initial(load_variant("depth=3").rules)
    overview_only = text_board(position, ())
    chosen = text_board(position, (4, 0))

    assert overview_only.count("```") == 2
    assert chosen.count("```") == 4
    assert "[51]" in chosen
    assert "[59]" in chosen
    assert "[41]" not in chosen


def test_every_cell_of_the_board_in_play_is_told_with_where_it_sends():
    """For screen readers: a cell's row and its place in the hypermap are hard to find by ear."""
    position = Position.initial(load_variant("sttt-hypermap").rules).after(340)

    told = text_board(position, chosen_path(position, ()))

    assert position.target == 9 * 7 + 7
    assert "\nFrom 88: 1 to 41; 2 to 42; 3 to 43; 4 to 54; 5 to 55; 6 to 56; 7 to 67" in told


def test_all_boards_to_choose_from_are_told_with_where_their_cells_send():
    start = Position.initial(load_variant("sttt-map").rules)
    told = text_board(start, (4,))

    assert [line[:14] for line in told.splitlines() if line.startswith("From ")] == [
        f"From 5{board}: 1 to " for board in range(1, 10)
    ]
    assert "From " not in text_board(start, ())


def test_numbers_of_map_and_hypermap_stand_in_it():
    by_map = text_board(Position.initial(load_variant("sttt-map").rules), (4,))
    by_hypermap = text_board(Position.initial(load_variant("sttt-hypermap").rules), (4, 4))

    assert "\n3: 1 2 3 | 1 2 3 | 1 2 3\n2: 4 5 6 | 4 5 6 | 4 5 6\n" in by_map
    assert "\n 4 5 6 | 7 8 9 | 1 2 3\n 5 5 6 | 7 8 9 | 1 2 3\n" in by_hypermap


def test_where_the_choice_is_free_the_strategic_board_of_the_last_move_is_shown():
    """Otherwise a screen reader would not read out what the opponent has played."""
    free = [
        each
        for seed in range(4)
        for each in played_out("depth=3", seed)[1:]
        if each.legal_moves and not chosen_path(each, ())
    ]
    assert len(free) > 100
    for position in free:
        assert position.last_move is not None
        strategic = format_move(position.last_move, position.rules)[0]

        _, _, _, shown, _ = text_board(position, ()).split("```")

        assert "(X)" in shown or "(O)" in shown
        assert f"{strategic}1" in shown


def test_owners_of_tactical_boards_stand_in_the_overview():
    position = next(each for each in played_out("sttt-map", 3) if each.ply == 400)
    overview = text_board(position, ()).split("```")[1]

    signs = "".join(overview.split("-------+-------+-------"))
    won = [position.board_status(board).name for board in range(81)]
    headed = sum(position.board_status(each, depth=1).name == "X_WON" for each in range(9))
    assert signs.count("X") == won.count("X_WON") + headed
