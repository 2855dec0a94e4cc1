"""Golden pictures: compared as the eye would, and kept when they differ.

`REGENERATE_GOLDEN=1 python -m pytest tests/bot/render` rewrites them; look at
every one before committing it.
"""

import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from tests.bot.render.comparing import difference

GOLDEN = Path(__file__).parent / "golden"
ACTUAL = Path(__file__).parents[3] / "build" / "golden-actual"


@pytest.fixture
def check_golden() -> Callable[[str, bytes], None]:
    """Return a function that compares a picture with the stored one."""

    def check(name: str, png: bytes) -> None:
        path = GOLDEN / f"{name}.png"
        if os.environ.get("REGENERATE_GOLDEN"):
            path.write_bytes(png)
            return
        expected = Image.open(path).convert("RGB")
        actual = Image.open(io.BytesIO(png)).convert("RGB")
        problem = difference(expected, actual)
        if problem:
            ACTUAL.mkdir(parents=True, exist_ok=True)
            kept = ACTUAL / f"{name}.png"
            kept.write_bytes(png)
            pytest.fail(f"{name}: {problem}; compare {path} with {kept}")

    return check
