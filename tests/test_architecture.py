"""Rules of the architecture that no linter can check."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

from bot.extensions import EXTENSIONS
from cogs.play.buttons import BUTTONS
from cogs.play.layout import AGREEMENTS, custom_id

ROOT = Path(__file__).resolve().parents[1]
LONGEST_CALLBACK = 25
LARGEST_ID = 10**18 - 1


def test_the_extensions_are_the_features():
    """A module or package right below `cogs` is one if it adds anything to the bot."""
    features = set()
    for path in (ROOT / "cogs").rglob("*.py"):
        if re.search(r"^async def setup\(|commands\.(Group)?Cog\b", path.read_text(), re.MULTILINE):
            name = path.relative_to(ROOT / "cogs").parts[0].removesuffix(".py")
            features.add(f"cogs.{name}")

    assert set(EXTENSIONS) == features
    assert all(hasattr(import_module(each), "setup") for each in EXTENSIONS)


def _coroutines() -> dict[str, int]:
    """Return how many lines each coroutine of the cogs has, by its place in the source."""
    found = {}
    for path in sorted((ROOT / "cogs").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.AsyncFunctionDef) and node.end_lineno is not None:
                place = f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
                found[place] = node.end_lineno - node.body[0].lineno + 1
    return found


def test_a_callback_does_one_thing():
    found = _coroutines()

    assert {"setup", "play"} <= {place.rpartition(" ")[2] for place in found}
    assert {place: lines for place, lines in found.items() if lines > LONGEST_CALLBACK} == {}


def test_of_the_process_only_the_client_and_its_commands_know_discord():
    importing = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "bot").rglob("*.py")
        if re.search(r"^\s*(import|from) discord\b", path.read_text(), re.MULTILINE)
    ]

    assert set(importing) == {"bot/client.py", "bot/tree.py"}


def test_custom_ids_are_read_back_and_short_enough():
    """Discord takes 100 characters; each id must lead to exactly the button that wrote it."""
    written = [
        custom_id("cell", LARGEST_ID, 9999, 9999, 728),
        custom_id("board", LARGEST_ID, 9999, 99),
        custom_id("back", LARGEST_ID, 9999),
        custom_id("resign", LARGEST_ID, 9999),
        custom_id("really-resign", LARGEST_ID),
        custom_id("agree", len(AGREEMENTS), LARGEST_ID),
        custom_id("undo", LARGEST_ID, 9999),
        custom_id("swap", LARGEST_ID, 9999),
        custom_id("bump", LARGEST_ID),
        custom_id("again", LARGEST_ID),
        custom_id("here", LARGEST_ID),
    ]
    readers = [
        [
            button.__name__
            for button in BUTTONS
            if button.__discord_ui_compiled_template__.fullmatch(custom_id)
        ]
        for custom_id in written
    ]

    assert max(map(len, written)) <= 100
    assert readers == [[button.__name__] for button in BUTTONS]
