"""Positions for the tests of pictures, all reached by legal moves."""

from hypothesis import strategies as st

from engine import VARIANTS, Opening, Position, Rules

DEPTH_2 = tuple(variant.rules for variant in VARIANTS.values() if variant.rules.depth == 2)
OPENING_CODES = {Opening.RANDOM_FOUR: "12345", Opening.SYMMETRIC: "1"}


def played(rules: Rules, choices: list[int]) -> list[Position]:
    """Return all positions of a game in which each number picks a legal move."""
    positions = [Position.initial(rules, OPENING_CODES.get(rules.opening))]
    for choice in choices:
        moves = positions[-1].legal_moves
        if not moves:
            break
        positions.append(positions[-1].after(moves[choice % len(moves)]))
    return positions


def positions(*, least_plies: int = 0) -> st.SearchStrategy[Position]:
    """Return a strategy for positions of every variant with nine local boards."""
    choices = st.lists(st.integers(0, 80), min_size=least_plies, max_size=81)
    return st.builds(
        lambda rules, numbers: played(rules, numbers)[-1], st.sampled_from(DEPTH_2), choices
    )
