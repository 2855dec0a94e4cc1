"""The levels' fixed ratings, measured by `python -m engine ladder --write`.

Rules that were not measured get the ratings of the rules most like them: the same rules
with a free opening, then those that `_LIKE` names for their depth, then the standard
rules. A level that was not measured is as far from the nearest measured one as under the
standard rules.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from engine.errors import EngineError
from engine.rules import Opening, Rules
from engine.types import LevelNumber

ANCHOR_LEVEL: Final = 5
ANCHOR_ELO: Final = 1500.0  # of a new player, for whom level 5 is meant

RATINGS_FILE: Final = Path(__file__).with_name("ratings.json")
_STANDARD: Final = "standard"
_LIKE: Final = {3: "sttt-tactical"}  # by depth


def level_rating(number: LevelNumber, variant_key: str = _STANDARD) -> int:
    """Return the fixed rating of a level.

    Raises:
        EngineError: If there is no such level, or there are no such rules.

    Examples:
        >>> level_rating(5)
        1500
    """
    ratings = _ratings()
    standard = ratings.get(_STANDARD, {})
    for key in _keys_like(variant_key):
        measured = ratings.get(key, {})
        if str(number) in measured:
            return round(measured[str(number)]["elo"])
        near = min(measured, key=lambda other: abs(int(other) - number), default=None)
        if near in standard and str(number) in standard:
            step = standard[str(number)]["elo"] - standard[near]["elo"]
            return round(measured[near]["elo"] + step)
    raise EngineError(f"There is no rating of a level {number!r}")


def _keys_like(variant_key: str) -> tuple[str, ...]:
    """Return the keys of the rules whose measured levels count, the most similar first."""
    rules = Rules.parse(variant_key)
    begun_freely = replace(rules, opening=Opening.FREE).key
    return (rules.key, begun_freely, _LIKE.get(rules.depth, _STANDARD), _STANDARD)


def even_out(
    ratings: dict[LevelNumber, tuple[float, float]],
) -> dict[LevelNumber, tuple[float, float]]:
    """Return ratings that never fall from a level to the next.

    If a small sample puts neighbours in the wrong order, they get their average, weighted
    by how well each is known (the pool-adjacent-violators algorithm); errors stay.

    Examples:
        >>> even_out({1: (900.0, 50.0), 2: (1200.0, 50.0), 3: (1100.0, 50.0)})
        {1: (900.0, 50.0), 2: (1150.0, 50.0), 3: (1150.0, 50.0)}
    """
    pools: list[tuple[float, float, list[LevelNumber]]] = []  # rating, weight, levels
    for number, (elo, error) in sorted(ratings.items()):
        pools.append((elo, 1 / max(error, 1.0) ** 2, [number]))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            upper, lower = pools.pop(), pools.pop()
            weight = upper[1] + lower[1]
            average = (upper[0] * upper[1] + lower[0] * lower[1]) / weight
            pools.append((average, weight, lower[2] + upper[2]))
    return {number: (elo, ratings[number][1]) for elo, _, pool in pools for number in pool}


def save_ratings(variant_key: str, ratings: dict[LevelNumber, tuple[float, float]]) -> None:
    """Store the ratings of a variant: Elo and half the width of its interval by level.

    Levels that were not measured keep what is stored for these rules.
    """
    stored = json.loads(RATINGS_FILE.read_text()) if RATINGS_FILE.exists() else {}
    measured = stored.setdefault(variant_key, {})
    for number, (elo, error) in ratings.items():
        measured[str(number)] = {"elo": round(elo), "error": round(error)}
    stored[variant_key] = dict(sorted(measured.items(), key=lambda item: int(item[0])))
    RATINGS_FILE.write_text(json.dumps(stored, indent=2, sort_keys=False) + "\n")
    _ratings.cache_clear()


@cache
def _ratings() -> dict[str, dict[str, dict[str, int]]]:
    found: dict[str, dict[str, dict[str, int]]] = json.loads(RATINGS_FILE.read_text())
    return found
