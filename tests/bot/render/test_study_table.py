"""The tables of the variant study, sampled and against pictures checked by eye."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.render import DARK, LIGHT, THEMES, Theme
from bot.render.card import TALLEST, WIDTH
from bot.render.study_table import (
    StudyPage,
    describe_study_table,
    draw_study_table,
)
from engine import VARIANTS, O, Study, X, load_study
from tests.bot.render.comparing import contrast_ratio, opened

STUDY = load_study()
PAGES = pytest.mark.parametrize("page", StudyPage)
ALL = pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.key)


@ALL
@PAGES
def test_pictures(theme: Theme, page: StudyPage, check_golden: Callable[[str, bytes], None]):
    check_golden(f"{theme.key}-study-{page}", draw_study_table(STUDY, theme, page=page))


@ALL
@PAGES
def test_pictures_are_small_and_not_too_tall(theme: Theme, page: StudyPage):
    png = draw_study_table(STUDY, theme, page=page)
    width, height = opened(png).size

    assert len(png) <= 60_000
    assert width == WIDTH
    assert height <= TALLEST


def test_the_bars_are_as_long_as_the_shares():
    """Each bar of X, draws and O is measured along its top."""
    picture = opened(draw_study_table(STUDY, DARK, page=StudyPage.ENDING))
    lines = []
    for y in range(picture.height):
        line = [picture.getpixel((x, y)) for x in range(WIDTH)]
        lengths = line.count(DARK.solids[X]), line.count(DARK.solids[O])
        if min(lengths) > 40:
            lines.append((y, lengths))
    tops = [lengths for at, (y, lengths) in enumerate(lines) if at == 0 or lines[at - 1][0] < y - 1]

    assert len(tops) == len(VARIANTS)
    for (x_length, o_length), row in zip(tops, STUDY.results, strict=True):
        share = row.x_share.value / (row.x_share.value + row.o_share.value)
        assert x_length / (x_length + o_length) == pytest.approx(share, abs=0.02)


@PAGES
def test_every_row_adds_to_the_height(page: StudyPage):
    heights = [
        opened(
            draw_study_table(replace(STUDY, results=STUDY.results[:count]), DARK, page=page)
        ).height
        for count in (4, 5, 6)
    ]

    assert heights[1] - heights[0] == heights[2] - heights[1] > 30


@PAGES
def test_a_study_of_anything_can_be_drawn(page: StudyPage):
    """Custom rules, one game, a level, nobody who won, nothing at all."""
    drawn = replace(
        STUDY.results[0],
        variant="depth=2,drawn_board=both,no_return=yes",
        games=1,
        fairness=None,
    )
    deep = replace(STUDY.results[-1], variant="depth=3,won_board=open", games=5)
    for results in ((drawn,), (deep,), (drawn, deep), ()):
        study = Study(player="3", seed=1, complete=False, results=results)
        assert opened(draw_study_table(study, LIGHT, page=page)).width == WIDTH
        assert describe_study_table(study, page)


@PAGES
def test_the_words_name_every_variant_and_fit(page: StudyPage):
    text = describe_study_table(STUDY, page)

    assert len(text) <= 1024
    assert "1,000,000 random games of each variant" in text
    assert all(
        str(variant.name).removeprefix("Strategic, ").lower() in text.lower()
        for variant in VARIANTS.values()
    )


def test_the_words_carry_the_figures():
    assert "Won-Board Play: X 43 %, draws 20 %, O 37 %, fair 93 %." in describe_study_table(
        STUDY, StudyPage.ENDING
    )
    assert "Open Board: 10.8 choices, 64 moves, board 79 %." in describe_study_table(
        STUDY, StudyPage.GOING
    )


@ALL
def test_words_on_rows_can_be_read(theme: Theme):
    assert contrast_ratio(theme.text, theme.surface) >= 4.5
    assert contrast_ratio(theme.muted, theme.surface) >= 4.5
    assert all(contrast_ratio(theme.ink, solid) >= 4.5 for solid in theme.solids)
