"""Correcting the chances shown to people: what a search expects against what comes of it.

The correction for a rule set is measured by `python -m engine truth --hints` and stored by
`--calibrate` in `calibration.json`. Rules that were not measured get that of the same rules with a
free opening, or none.
"""

from __future__ import annotations

import json
import math
from dataclasses import astuple, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from engine.rules import Opening, Rules

CALIBRATION_FILE: Final = Path(__file__).with_name("calibration.json")

LEAST, MOST = 0.002, 0.998  # beyond these log-odds say nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """In log-odds: slope x what the search expects + offset."""

    slope: float = 1.0
    offset: float = 0.0

    def correct(self, chance: float) -> float:
        """Return what the side to move can expect where the search expects `chance`."""
        return 1.0 / (1.0 + math.exp(-self.slope * log_odds(chance) - self.offset))


def correct(chance: float, rules: Rules) -> float:
    """Return what the side to move can expect where the search expects `chance`, unproven."""
    found = _load()
    for one in (rules, replace(rules, opening=Opening.FREE)):
        if one.key in found:
            return found[one.key].correct(chance)
    return chance


@cache
def _load() -> dict[str, Calibration]:
    stored = json.loads(CALIBRATION_FILE.read_text(encoding="utf-8"))
    return {key: Calibration(slope=slope, offset=offset) for key, (slope, offset) in stored.items()}


def save_calibrations(found: dict[str, Calibration], path: Path = CALIBRATION_FILE) -> None:
    """Write corrections by the keys of their variants, one a line."""
    lines = (
        f"  {json.dumps(key)}: {json.dumps([round(value, 3) or 0.0 for value in astuple(one)])}"
        for key, one in sorted(found.items())
    )
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def log_odds(chance: float) -> float:
    """Return the log-odds of a chance that is not certain."""
    bounded = min(max(chance, LEAST), MOST)
    return math.log(bounded / (1.0 - bounded))
