"""The shape of the house, checked where a linter cannot."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from bot.extensions import EXTENSIONS
from cogs.play import ids
from cogs.play.buttons import BUTTONS

ROOT = Path(__file__).resolve().parents[1]
LONGEST_CALLBACK = 25
LARGEST_ID = 10**18 - 1


def test_the_extensions_are_the_feature_packages():
    packages = {
        f"cogs.{path.parent.name}"
        for path in (ROOT / "cogs").glob("*/__init__.py")
        if "async def setup" in path.read_text()
    }

    assert set(EXTENSIONS) == packages


def _coroutines() -> dict[str, int]:
    """Return how many lines each coroutine of the cogs has, by where it stands."""
    found = {}
    for path in sorted((ROOT / "cogs").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.AsyncFunctionDef) and node.end_lineno is not None:
                place = f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
                found[place] = node.end_lineno - node.body[0].lineno + 1
    return found


@pytest.mark.parametrize(("place", "lines"), _coroutines().items())
def test_a_callback_does_one_thing(place: str, lines: int):
    assert lines <= LONGEST_CALLBACK, place


def test_of_the_process_only_the_client_knows_discord():
    importing = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "bot").rglob("*.py")
        if re.search(r"^\s*(import|from) discord\b", path.read_text(), re.MULTILINE)
    ]

    assert importing == ["bot/client.py"]


def test_custom_ids_are_read_back_and_short_enough():
    """Discord takes 100 characters; each id must lead to exactly the button that wrote it."""
    written = [
        ids.cell_id(LARGEST_ID, 9999, 9999, 728),
        ids.board_id(LARGEST_ID, 9999, (8, 8)),
        ids.back_id(LARGEST_ID, 9999),
        ids.resign_id(LARGEST_ID, 9999),
        ids.really_resign_id(LARGEST_ID),
        ids.agree_id(ids.Agreement.DECLINE_TAKEBACK, LARGEST_ID),
        ids.undo_id(LARGEST_ID, 9999),
        ids.swap_id(LARGEST_ID, 9999),
        ids.bump_id(LARGEST_ID),
        ids.again_id(LARGEST_ID),
        ids.here_id(LARGEST_ID),
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
