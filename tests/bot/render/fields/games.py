"""Games for the tests of fields, each the same every time."""

from __future__ import annotations

import random
from functools import cache

from engine import Game, load_variant


@cache
def played(variant_key: str, plies: int, seed: int = 1) -> Game:
    """Return a game of random legal moves, shorter if it ends early; do not change it."""
    game = Game(load_variant(variant_key).rules)
    choose = random.Random(seed)
    while len(game.moves) < plies and game.outcome is None:
        game.push(choose.choice(game.position.legal_moves))
    return game
