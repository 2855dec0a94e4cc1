"""Figures that others have printed, to compare with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

PUBLISHED_SOURCE: Final = "Standard vs Open Board vs Won-Board Play (variant research notes)"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedFigures:
    """A row of a printed table, as printed.

    Attributes:
        games: From how many games.
        choices: Choices per turn.
        plies: Moves per game.
        fairness: As in `StudyResult`, 0 to 1.
    """

    games: int
    choices: float
    plies: int
    fairness: float

    @property
    def fairness_error(self) -> float:
        """The standard error of the fairness, a fifth of the games being drawn.

        Examples:
            >>> round(PUBLISHED_FIGURES["standard"].fairness_error, 2)
            0.11
        """
        return 1 / math.sqrt(0.8 * self.games)


# A hundred games a variant: the fairness is noise of about 11 points either way,
# so that the printed order of the variants says nothing.
PUBLISHED_FIGURES: Final[Mapping[str, PublishedFigures]] = MappingProxyType(
    {
        "standard": PublishedFigures(games=100, choices=9.4, plies=58, fairness=0.918),
        "open-board": PublishedFigures(games=100, choices=10.7, plies=64, fairness=0.933),
        "won-board": PublishedFigures(games=100, choices=6.7, plies=68, fairness=0.805),
    }
)
