"""The levels' fixed ratings, measured by `python -m engine ladder --write`.

Where a variant has not been measured, the ratings of the standard rules are the best
guess there is.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Final

from engine.errors import EngineError

ANCHOR_LEVEL: Final = 5
ANCHOR_ELO: Final = 1500.0  # what a new player is rated at: level 5 is meant for him

RATINGS_FILE: Final = Path(__file__).with_name("ratings.json")
_STANDARD: Final = "standard"


def level_rating(number: int, variant_key: str = _STANDARD) -> int:
    """Return the fixed rating of a level.

    Args:
        number: The level's number.
        variant_key: The key of the rules.

    Raises:
        EngineError: If there is no such level.

    Examples:
        >>> level_rating(5)
        1500
    """
    ratings = _ratings()
    for key in (variant_key, _STANDARD):
        rating = ratings.get(key, {}).get(str(number))
        if rating is not None:
            return round(rating["elo"])
    raise EngineError(f"There is no rating of a level {number!r}")


def save_ratings(variant_key: str, ratings: dict[int, tuple[float, float]]) -> None:
    """Store the ratings of a variant: Elo and half the width of its interval by level."""
    stored = json.loads(RATINGS_FILE.read_text()) if RATINGS_FILE.exists() else {}
    stored[variant_key] = {
        str(number): {"elo": round(elo), "error": round(error)}
        for number, (elo, error) in sorted(ratings.items())
    }
    RATINGS_FILE.write_text(json.dumps(stored, indent=2, sort_keys=False) + "\n")
    _ratings.cache_clear()


@cache
def _ratings() -> dict[str, dict[str, dict[str, int]]]:
    found: dict[str, dict[str, dict[str, int]]] = json.loads(RATINGS_FILE.read_text())
    return found
