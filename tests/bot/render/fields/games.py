"""Games for the tests of fields, each the same every time, and the first sheet of a field."""

from __future__ import annotations

import random
from functools import cache

from bot.render.fields import Drawing, draw_sheets
from engine import Game, load_variant


@cache
def played(variant_key: str, plies: int, seed: int = 1) -> Game:
    """Return a game of random legal moves, shorter if it ends early; do not change it."""
    game = Game(load_variant(variant_key).rules)
    choose = random.Random(seed)
    while len(game.moves) < plies and game.outcome is None:
        game.push(choose.choice(game.position.legal_moves))
    return game


def draw_field(key: str, *, map_key: str | None = None, game: Game | None = None) -> Drawing:
    return draw_sheets(key, map_key=map_key, game=game)[0]
