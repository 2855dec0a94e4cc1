"""The environment of a program that a test starts without settings."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def bare_environment(home: Path) -> dict[str, str]:
    """Return an environment without settings, in which `make coverage` sees the program."""
    seen = {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}
    return {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ROOT), **seen}
