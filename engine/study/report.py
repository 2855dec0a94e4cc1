"""A whole study: its results, their JSON form, and the one that is kept."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Final, Self

from engine.study.figures import Estimate, StudyResult

# Raised when the same seed would give other figures, or the JSON form changes.
VERSION: Final = 2

_STORED: Final = Path(__file__).with_name("results.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """The results of one run.

    Attributes:
        player: "random" or the number of a level.
        seed: What repeats it.
        complete: Whether all games that were asked for have been played.
        results: One per variant, in the order asked for.
        version: The `VERSION` of the program that played.
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
        written = {name.name: getattr(self, name.name) for name in fields(self)}
        written["results"] = [asdict(one) for one in self.results]
        return json.dumps(written, indent=2)

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
        results = tuple(_result(one) for one in found.pop("results"))
        return cls(**found, results=results)


def _result(found: dict[str, Any]) -> StudyResult:
    """Read a result: what is nested is an estimate."""
    values: dict[str, Any] = {
        name: Estimate(**value) if isinstance(value, dict) else value
        for name, value in found.items()
    }
    return StudyResult(**values)


@cache
def load_study() -> Study:
    """Return the study kept with the program: a million random games of every variant.

    Examples:
        >>> load_study().result_of("standard").games
        1000000
    """
    return Study.from_json(_STORED.read_text(encoding="utf-8"))
