from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any

from bot.model.actions import Play
from bot.model.match import Person
from bot.services.computer import ComputerPlayers
from bot.services.matches import MatchService
from bot.services.starting import start_against_computer
from bot.settings import Settings
from bot.storage import open_storage

README = Path(__file__).parents[2] / "bot" / "README.md"


async def test_the_example_runs(database_url: str) -> None:
    """Documentation that nothing executes rots."""
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    names: dict[str, Any] = {
        "ComputerPlayers": ComputerPlayers,
        "MatchService": MatchService,
        "Person": Person,
        "Play": Play,
        "open_storage": open_storage,
        "start_against_computer": start_against_computer,
        "settings": Settings(_env_file=None, database_url=database_url),
    }
    body = textwrap.indent(example, "    ") + "    return match\n"
    exec(f"async def example():\n{body}", names)

    match = await names["example"]()

    assert match.ply == 2


def test_the_map_names_every_module_where_it_belongs() -> None:
    """And nothing else: a file is found in the section of its floor."""
    text = README.read_text()
    for title, folder in (
        ("### model", "model"),
        ("### services", "services"),
        ("### storage", "storage"),
        ("### Beside the floors", "."),
    ):
        section = text.split(title)[1].split("\n### ")[0]
        named = set(re.findall(r"`([a-z_]+\.py)`", section))
        there = {path.name for path in (README.parent / folder).glob("*.py")}
        assert named == there - {"__init__.py"}, folder
