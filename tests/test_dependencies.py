"""What `pyproject.toml` asks for is what is used."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())

BY_NAME = {"aiosqlite"}  # a URL names it, and SQLAlchemy imports it


def imported_by(*folders: str) -> set[str]:
    """Return the distributions that the code of some folders imports, by their normal names."""
    modules = {
        name
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        for name in re.findall(r"^\s*(?:import|from) (\w+)", path.read_text(), re.MULTILINE)
    }
    of_module = packages_distributions()
    return {normal(each) for module in modules for each in of_module.get(module, ())}


def normal(requirement: str) -> str:
    """Return the name in a requirement such as "sqlalchemy[asyncio]>=2.1"."""
    name = re.match(r"[\w.-]+", requirement)
    assert name is not None
    return re.sub(r"[._-]+", "-", name[0]).lower()


def test_what_is_imported_is_asked_for_and_nothing_else_is():
    asked_for = {normal(each) for each in PROJECT["project"]["dependencies"]}
    extras = PROJECT["project"]["optional-dependencies"].values()
    for_more = {normal(each) for extra in extras for each in extra}

    assert imported_by("engine", "bot", "cogs", "deploy") - for_more == asked_for - BY_NAME


def test_numba_stays_below_its_next_minor_version_while_a_part_of_its_own_is_used():
    assert "_nrt=False" in (ROOT / "engine/kernels/_jit.py").read_text()
    (numba,) = [each for each in PROJECT["project"]["dependencies"] if normal(each) == "numba"]
    lower, upper = re.findall(r"(\d+)\.(\d+)", numba)

    assert (int(upper[0]), int(upper[1])) == (int(lower[0]), int(lower[1]) + 1)
