"""The computer's ratings: fixed, measured by the engine, never moved by a game."""

from __future__ import annotations

from typing import Final

from bot.model.ratings.glicko import Rating
from engine import level_rating

# The levels were measured in hundreds of games against each other; what remains unsure
# is how play between them compares to play against people.
LEVEL_DEVIATION: Final = 60.0


def rating_of_level(level: int, pool: str) -> Rating:
    """Return the rating of a level of the computer in a pool.

    Raises:
        EngineError: If there is no such level.
    """
    return Rating(value=float(level_rating(level, pool)), deviation=LEVEL_DEVIATION)
