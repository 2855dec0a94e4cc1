"""Every situation against a picture that was checked by eye."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from PIL import Image, ImageDraw

from bot.render import COLOUR_BLIND, DARK, HIGH_CONTRAST, LIGHT, Theme, draw_board
from bot.render.preview import sample_pictures
from tests.bot.render.comparing import difference

SAMPLES = sample_pictures()
LIGHT_SAMPLES = (
    "middle",
    "choice-selected",
    "o-wins",
    "draw",
    "played-on-won-board",
    "single",
    "drawn-for-both",
    "won-with-drawn",
    "strategic-both-selected",
    "strategic-more-boards",
)


@pytest.mark.parametrize("name", SAMPLES)
def test_dark_pictures(name: str, check_golden: Callable[[str, bytes], None]):
    check_golden(f"dark-{name}", draw_board(SAMPLES[name]))


@pytest.mark.parametrize("name", LIGHT_SAMPLES)
def test_light_pictures(name: str, check_golden: Callable[[str, bytes], None]):
    check_golden(f"light-{name}", draw_board(replace(SAMPLES[name], theme=LIGHT)))


@pytest.mark.parametrize("theme", [HIGH_CONTRAST, COLOUR_BLIND], ids=lambda theme: theme.key)
@pytest.mark.parametrize("name", ["choice-selected", "x-wins", "drawn-for-both"])
def test_further_themes(theme: Theme, name: str, check_golden: Callable[[str, bytes], None]):
    check_golden(f"{theme.key}-{name}", draw_board(replace(SAMPLES[name], theme=theme)))


@pytest.mark.parametrize("pair", ["plus", "filled"])
def test_shapes(pair: str, check_golden: Callable[[str, bytes], None]):
    theme = DARK.with_marks(pair)
    check_golden(f"shapes-{pair}", draw_board(replace(SAMPLES["x-wins"], theme=theme)))


def test_the_comparison_notices_one_mark():
    """Otherwise the tests above would prove nothing."""
    plain = Image.new("RGB", (730, 845), (34, 37, 45))
    marked = plain.copy()
    ImageDraw.Draw(marked).line((310, 310, 345, 345), (158, 165, 180), 9)

    assert difference(plain, plain) is None
    assert difference(plain, marked) is not None
