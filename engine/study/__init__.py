"""How the variants play: the figures of many games, with their errors. See README.md."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Self

PUBLISHED_SOURCE: Final = "Standard vs Open Board vs Won-Board Play (variant research notes)"

# Raised when the same seed would give other figures, or the JSON form changes.
VERSION: Final = 2

_STORED: Final = Path(__file__).with_name("results.json")
STRONG_FILE: Final = Path(__file__).with_name("strong.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A measured figure and its standard error, which is not known after a single game."""

    value: float
    error: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyResult:
    """What was measured on the games of one variant. Shares are from 0 to 1.

    Attributes:
        variant: Its key.
        choices: Legal moves at a turn: the mean over the turns of a game, then over the games.
        plies: Moves in a game, those that an opening gives included; `shortest` and `longest` are
            those of the shortest and the longest game.
        x_share: Games won by X, who moves first.
        fairness: 1 when X and O win as often, 0 when one of them always wins;
            None while all games were drawn.
        decisiveness: Games not drawn.
        cells_marked: Board use: the cells marked at the end.
        boards_decided: Board use: the local boards won or drawn at the end.
    """

    variant: str
    games: int
    choices: Estimate
    plies: Estimate
    shortest: int
    longest: int
    x_share: Estimate
    o_share: Estimate
    draw_share: Estimate
    fairness: Estimate | None
    decisiveness: Estimate
    cells_marked: Estimate
    boards_decided: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedFigures:
    """A row of a printed table, as printed; the figures are those of `StudyResult`."""

    games: int
    choices: float
    plies: int
    fairness: float

    @property
    def fairness_error(self) -> float:
        """The standard error of the fairness if a fifth of the games are drawn.

        Examples:
            >>> round(PUBLISHED_FIGURES["standard"].fairness_error, 2)
            0.11
        """
        return 1 / math.sqrt(0.8 * self.games)


# With a hundred games a variant, the fairness is uncertain by about 11 points either way,
# so the printed order of the variants says nothing.
PUBLISHED_FIGURES: Final[Mapping[str, PublishedFigures]] = MappingProxyType(
    {
        "standard": PublishedFigures(games=100, choices=9.4, plies=58, fairness=0.918),
        "open-board": PublishedFigures(games=100, choices=10.7, plies=64, fairness=0.933),
        "won-board": PublishedFigures(games=100, choices=6.7, plies=68, fairness=0.805),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """The results of one run, one per variant in the order asked for.

    Attributes:
        player: "random" or the number of a level.
        seed: The seed that repeats it.
        complete: Whether all games that were asked for have been played.
    """

    player: str
    seed: int
    complete: bool
    results: tuple[StudyResult, ...]
    version: int = VERSION

    def result_of(self, variant_key: str) -> StudyResult | None:
        """Return the result of a variant, None if it was not studied."""
        return next((one for one in self.results if one.variant == variant_key), None)

    def to_json(self) -> str:
        """Return the study as text; schema.json describes it."""
        return json.dumps(asdict(self), indent=2)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` has written.

        Raises:
            ValueError: If it is of another version.

        Examples:
            >>> study = load_study()
            >>> Study.from_json(study.to_json()) == study
            True
        """
        found = json.loads(text)
        if found.get("version") != VERSION:
            raise ValueError(f"A study of version {VERSION} is needed, got {found.get('version')}")
        results = []
        for one in found.pop("results"):
            values: dict[str, Any] = {
                name: Estimate(**value) if isinstance(value, dict) else value
                for name, value in one.items()
            }
            results.append(StudyResult(**values))
        return cls(**found, results=tuple(results))


@cache
def load_study() -> Study:
    """Return the study shipped with the program: a million random games of every variant.

    Examples:
        >>> load_study().result_of("standard").games
        1000000
    """
    return Study.from_json(_STORED.read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True, kw_only=True)
class StrongScore:
    """The share of the points that the player who moves first gets under strong play.

    Attributes:
        games: How many were played from the empty board on the same terms.
        score: From 0 to 1, a draw being half a point; 0.5 is fair.
    """

    games: int
    score: Estimate


@cache
def load_strong_scores() -> Mapping[str, StrongScore]:
    """Return the scores shipped with the program, by the keys of their variants.

    Examples:
        >>> load_strong_scores()["standard"].games
        400
    """
    stored = json.loads(STRONG_FILE.read_text(encoding="utf-8"))
    return MappingProxyType(
        {
            key: StrongScore(games=games, score=Estimate(value=value, error=error))
            for key, (games, value, error) in stored.items()
        }
    )


def save_strong_scores(found: Mapping[str, StrongScore]) -> None:
    """Write scores as `load_strong_scores` reads them, a variant a line."""
    rows = {key: [one.games, one.score.value, one.score.error] for key, one in found.items()}
    lines = (f"  {json.dumps(key)}: {json.dumps(row)}" for key, row in sorted(rows.items()))
    STRONG_FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
