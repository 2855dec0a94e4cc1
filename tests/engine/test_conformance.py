"""What every variant and every combination of options must keep to."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import (
    BoardStatus,
    EngineError,
    Game,
    GameOverError,
    IllegalMoveError,
    Position,
    Rules,
    symmetries,
    transform,
)
from engine.types import LINES
from tests.strategies import games, positions, presets, rules

FEW = settings(max_examples=40, deadline=None)


@given(positions(rules((1, 2))))
@settings(max_examples=60, deadline=None)
def test_after_accepts_exactly_the_legal_moves(position: Position):
    """Every cell is either listed as legal or refused with a reason, never both or neither."""
    for move in range(position.rules.cell_count):
        reason = position.explain_refusal(move)
        if move in position.legal_moves:
            assert reason is None
            assert position.after(move).ply == position.ply + 1
        else:
            assert reason is not None
            with pytest.raises(EngineError) as caught:
                position.after(move)
            assert str(caught.value) == reason


@given(games(presets() | rules()))
@FEW
def test_there_is_a_move_unless_the_game_is_over(game: Game):
    assert (game.outcome is None) == bool(game.position.legal_moves)
    assert list(game.position.legal_moves) == sorted(set(game.position.legal_moves))
    assert len(game.moves) <= game.rules.cell_count


@given(games(rules((1, 2)), longest=90))
@FEW
def test_a_finished_game_refuses_everything(game: Game):
    while game.outcome is None:
        game.push(game.position.legal_moves[0])

    for move in range(game.rules.cell_count):
        with pytest.raises(GameOverError, match="The game is over"):
            game.position.after(move)
    assert game.position.target is None
    assert game.position.playable_boards == ()


@given(positions(presets()))
@FEW
def test_after_leaves_the_position_as_it_was(position: Position):
    before = (hash(position), position.legal_moves, position.ply)
    for move in position.legal_moves[:5]:
        later = position.after(move)
        assert later != position
        assert later == position.after(move)
        assert hash(later) == hash(position.after(move))
        assert later.last_move == move
        assert later.mark_at(move) == position.side
        assert later.side == 1 - position.side
    assert before == (hash(position), position.legal_moves, position.ply)


@given(games(rules((1, 2))), st.integers(0, 7))
@FEW
def test_a_symmetry_keeps_the_game(game: Game, number: int):
    """Turned or mirrored games have turned or mirrored moves and the same result."""
    if game.opening_code is not None:
        return
    symmetry = symmetries(game.rules)[number]
    mirrored = Game(game.rules)
    for move in game.moves:
        mirrored.push(transform(move, symmetry, game.rules))

    expected = sorted(transform(move, symmetry, game.rules) for move in game.position.legal_moves)
    assert list(mirrored.position.legal_moves) == expected
    if game.outcome is not None:
        assert mirrored.outcome is not None
        assert mirrored.outcome.winner == game.outcome.winner


@pytest.mark.parametrize("number", range(8))
def test_a_symmetry_has_an_inverse_and_keeps_lines(number: int):
    symmetry = symmetries(Rules())[number]
    everything = {transform(cell, symmetry, Rules()) for cell in range(81)}

    assert everything == set(range(81))
    assert {frozenset(symmetry[place] for place in line) for line in LINES} == {
        frozenset(line) for line in LINES
    }


@given(positions(presets()))
@FEW
def test_boards_tell_the_same_as_cells(position: Position):
    rules_ = position.rules
    depth = rules_.depth - 1
    assert {move // 9 for move in position.legal_moves} == set(position.playable_boards)
    if position.target is not None:
        assert position.playable_boards == (position.target,)
    for board in range(rules_.board_count):
        marks = [position.mark_at(9 * board + cell) for cell in range(9)]
        assert position.has_room(board) == (None in marks)
        if position.board_status(board, depth=depth) is BoardStatus.DRAWN:
            assert not position.has_room(board)


@given(games(presets()))
@FEW
def test_replay_and_pop_lead_back(game: Game):
    again = Game.replay(game.rules, game.moves, opening_code=game.opening_code)
    assert again.position == game.position

    while len(again.moves) > len(again.opening_moves):
        again.pop()
    assert again.position == game.start
    with pytest.raises(GameOverError, match="no move to take back"):
        again.pop()


def test_positions_of_different_rules_differ():
    assert Position.initial(Rules()) != Position.initial(Rules.parse("majority"))
    assert Position.initial(Rules()) == Position.initial(Rules())
    assert Position.initial(Rules()) != 5
    with pytest.raises(IllegalMoveError, match="no cell -1"):
        Position.initial(Rules()).after(-1)
