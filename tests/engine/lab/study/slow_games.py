"""The random games of the kernel, played again through the Python API."""

from __future__ import annotations

from itertools import product

from engine import Opening, Position, Rules, Variant
from engine.kernels.codes import Rng
from engine.kernels.rng import below, make_rng
from engine.lab.study import RANDOM, Tally, seeded
from engine.openings import is_drawable


def slow_tally(variant: Variant, *, seed: int, games: int) -> Tally:
    """Draw a start, then at every turn the number of a legal move, in ascending order."""
    rules = variant.rules
    rng = make_rng(seeded(seed, variant.key, RANDOM).getrandbits(63))
    tally = Tally()
    codes = drawable_codes(rules)
    for _ in range(games):
        position = Position.initial(rules, draw_code(rules, codes, rng))
        choices = []
        while position.outcome is None:
            moves = position.legal_moves
            choices.append(len(moves))
            position = position.after(moves[below(rng, len(moves))])
        tally.add(position, choices)
    return tally


def draw_code(rules: Rules, codes: list[str], rng: Rng) -> str | None:
    """Draw a start as the kernel does: set-up marks first, then a line of moves."""
    is_line = rules.opening is Opening.RANDOM_FOUR
    marks = below(rng, 1 if is_line else max(1, len(codes)))
    line = below(rng, len(codes) if is_line else 1)
    return codes[line if is_line else marks] if codes else None


def drawable_codes(rules: Rules) -> list[str]:
    length = {Opening.RANDOM_FOUR: 5, Opening.SYMMETRIC: 1}.get(rules.opening)
    if length is None:
        return []
    codes = ("".join(digits) for digits in product("123456789", repeat=length))
    return [code for code in codes if is_drawable(rules, code)]
