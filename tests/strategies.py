"""The only source of random inputs in the tests."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

from hypothesis import strategies as st

from engine import (
    VARIANTS,
    DrawnBoard,
    Game,
    Goal,
    InvalidRulesError,
    Opening,
    Position,
    Rules,
    Sending,
    Tiebreak,
    WonBoard,
    draw_opening_code,
)


@cache
def every_rules(depth: int) -> list[Rules]:
    """Return every valid combination of options of a depth; one map stands for all."""
    combinations = product(WonBoard, Goal, Tiebreak, DrawnBoard, (False, True), Opening, Sending)
    found = []
    for won_board, goal, tiebreak, drawn_board, no_return, opening, sending in combinations:
        try:
            rules = Rules(
                depth=depth,
                won_board=won_board,
                goal=goal,
                tiebreak=tiebreak,
                drawn_board=drawn_board,
                no_return=no_return,
                opening=opening,
                sending=sending,
            )
        except InvalidRulesError:
            continue
        found.append(rules)
    return found


def presets() -> st.SearchStrategy[Rules]:
    """Rules of the named variants."""
    return st.sampled_from([variant.rules for variant in VARIANTS.values()])


def rules(depths: tuple[int, ...] = (1, 2, 3)) -> st.SearchStrategy[Rules]:
    """Any valid rules; maps other than the default too."""
    combinations = st.sampled_from([one for depth in depths for one in every_rules(depth)])
    digits = st.integers(1, 8)
    return st.builds(_with_map, combinations, digits, digits)


def _with_map(combination: Rules, first: int, second: int) -> Rules:
    if combination.sending is not Sending.MAP:
        return combination
    return replace(combination, map_number=10 * first + second)


@st.composite
def games(
    draw: st.DrawFn, among: st.SearchStrategy[Rules] | None = None, longest: int = 90
) -> Game:
    """A game played at random for some plies or to its end."""
    chosen = draw(among if among is not None else rules((1, 2)))
    game = Game(chosen, draw_opening_code(chosen, seed=draw(st.integers(0, 999))))
    rng = draw(st.randoms(use_true_random=False))
    for _ in range(draw(st.integers(0, longest))):
        if game.outcome is not None:
            break
        game.push(rng.choice(game.position.legal_moves))
    return game


def positions(among: st.SearchStrategy[Rules] | None = None) -> st.SearchStrategy[Position]:
    """A position met in such a game."""
    return games(among).map(lambda game: game.position)
