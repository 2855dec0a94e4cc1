"""What is readable at the size clients show a picture: 550 x 350 pixels, or 360 wide."""

import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from PIL import Image

from bot.language import speaking, told
from bot.render import (
    DARK,
    THEMES,
    BoardPicture,
    PlyNote,
    RatingPicture,
    RatingPoint,
    Record,
    Theme,
    card,
    draw_board,
    draw_evaluation_graph,
    draw_leaderboard,
    draw_profile,
    draw_rating_graph,
    draw_result,
    draw_result_strip,
    draw_statistics,
    draw_versus,
    strategic,
    tiles,
)
from bot.render.card import WIDTH
from bot.render.graphs import SIGNS
from bot.render.preview import (
    evaluation_sample,
    leaderboard_sample,
    profile_sample,
    rating_points,
    result_sample,
    sample_pictures,
    versus_sample,
)
from bot.render.study_table import StudyPage, draw_study_table
from bot.render.theme import mix
from engine import VARIANTS, load_study

LANGUAGES = pytest.mark.parametrize("language", ["en", "de", "ru"])
LEAST_PX = 11
BOARDS = sample_pictures()


class Written:
    """The lines written into pictures, with their font sizes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lines: list[tuple[str, int]] = []
        for module in (card, strategic, tiles):
            monkeypatch.setattr(module, "text_mask", self._noting(module.text_mask))

    def _noting(self, mask: Callable[..., Image.Image]) -> Callable[..., Image.Image]:
        def noted(text: str, size_px: int, box: tuple[int, int], align: str) -> Image.Image:
            self.lines.append((text, size_px))
            return mask(text, size_px, box, align)

        return noted


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Written:
    return Written(monkeypatch)


def sized(png: bytes) -> tuple[int, int]:
    return Image.open(io.BytesIO(png)).size


def lists(name: str) -> Iterator[bytes]:
    """Draw every picture that has a list, in the current language, with players called `name`."""
    study = load_study()
    longest = sorted((told(each.name) for each in VARIANTS.values()), key=len)[-6:]
    records = tuple(Record(label=label, wins=88, draws=20, losses=70) for label in longest)
    profile = replace(profile_sample(), name=name, records=records)
    board = leaderboard_sample()
    rows = tuple(replace(row, name=name) for row in board.rows)
    notes = tuple(
        PlyNote(ply=9 * place + 9, side=place % 2, kind=kind, move="537", better="999", loss=0.1)
        for place, kind in enumerate(2 * list(SIGNS))
    )
    review = replace(evaluation_sample(), names=(name, name), notes=notes)
    result = replace(result_sample(BOARDS["x-wins"]), names=(name, name))
    yield draw_leaderboard(replace(board, rows=rows))
    yield draw_profile(profile)
    yield draw_statistics(profile)
    yield draw_versus(replace(versus_sample(), names=(name, name), records=records))
    yield draw_rating_graph(RatingPicture(name, rating_points()))
    yield draw_evaluation_graph(review)
    yield draw_result(result)
    yield draw_result_strip(result)
    for page in StudyPage:
        yield draw_study_table(study, page=page)


@LANGUAGES
def test_every_word_of_a_list_is_large_enough_on_a_desktop_and_on_a_phone(
    language: str, written: Written
):
    with speaking(language):
        for png in lists(32 * "W"):
            width, height = sized(png)
            least = min(size for _text, size in written.lines)
            assert least * min(1, 550 / width, 350 / height) >= LEAST_PX, written.lines
            assert least * 360 / width >= LEAST_PX
            written.lines.clear()


@LANGUAGES
def test_no_word_of_a_list_is_cut(language: str, written: Written):
    with speaking(language):
        drawn = list(lists("Zoë"))

    assert drawn
    assert [text for text, _size in written.lines if "…" in text] == []


@LANGUAGES
def test_a_review_shows_whole_names(language: str, written: Written):
    """Discord's names have 32 letters at most."""
    names = ("Александра Преображенская-Орлова", "Bartholomew Featherstonehaugh-C.")
    assert {len(name) for name in names} == {32}
    with speaking(language):
        picture = replace(evaluation_sample(), names=names)
        draw_evaluation_graph(picture)

    assert set(names) <= {text for text, _size in written.lines}


@LANGUAGES
@pytest.mark.parametrize("name", ["strategic-both-selected", "variant-sttt-map", "strategic-wins"])
def test_every_number_of_27_x_27_cells_is_large_enough_on_a_desktop(
    language: str, name: str, written: Written
):
    # A theme that was not used yet: its pieces are drawn only once.
    theme = replace(DARK, key=f"{language} {name}")
    with speaking(language):
        width, height = sized(draw_board(replace(BOARDS[name], theme=theme)))

    assert 1 < width / height < 11 / 7
    assert min(size for _text, size in written.lines) * min(550 / width, 350 / height) >= LEAST_PX
    assert len(written.lines) > 20
    assert [text for text, _size in written.lines if "…" in text] == []


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.key)
def test_names_with_emoji_are_written_in_the_colours_of_the_theme(theme: Theme):
    """Exactly as they would be without emoji, in the ink that the theme declares."""
    plain, emoji = (
        ("Anna", "Ben"),
        ("\U0001f389 Anna\ufe0f \u2764\ufe0f", "\U0001f1e9\U0001f1eaBen"),
    )
    board = replace(leaderboard_sample(), theme=theme)
    for key, ink in (("middle", theme.text), ("forced", theme.muted), ("x-wins", theme.ink)):
        first, second = (
            draw_board(replace(BOARDS[key], theme=theme, names=names)) for names in (plain, emoji)
        )
        assert first == second
        header = Image.open(io.BytesIO(first)).convert("RGB").crop((70, 24, 320, 70))
        counted = header.getcolors(100_000) or []
        assert ink in {colour for count, colour in counted if count > 100}
    pages = [
        draw_leaderboard(replace(board, rows=(replace(board.rows[0], name=names[0]),)))
        for names in (plain, emoji)
    ]
    assert pages[0] == pages[1]


def test_the_band_around_a_rating_is_not_clipped():
    """It reaches as far above the curve as below, even where the rating is most uncertain."""
    start = datetime(2026, 3, 1, tzinfo=UTC)
    points = tuple(
        RatingPoint(at=start + timedelta(days=day), rating=1500 + 10 * day, deviation=deviation)
        for day, deviation in enumerate((350, 90, 60))
    )
    picture = Image.open(io.BytesIO(draw_rating_graph(RatingPicture("A", points)))).convert("RGB")
    band = mix(DARK.surface, DARK.accent, 0.2)
    x = next(x for x in range(WIDTH) if _rows(picture, x, band)) + 6
    edges, curve = _rows(picture, x, band), _rows(picture, x, DARK.accent)

    middle = (curve[0] + curve[-1]) / 2
    assert (edges[0] + edges[-1]) / 2 == pytest.approx(middle, abs=3)
    assert edges[-1] - edges[0] > 150


def _rows(picture: Image.Image, x: int, colour: tuple[int, int, int]) -> list[int]:
    return [y for y in range(picture.height) if picture.getpixel((x, y)) == colour]


def test_a_game_that_ended_off_the_board_has_room_for_the_name(written: Written):
    """The sentence takes the place of the last move beside it."""
    name = "Александра Преображенская-Орлова"
    said = f"{name} resigned: X wins"
    picture: BoardPicture = replace(BOARDS["strategic-resigned"], status=said)
    draw_board(replace(picture, theme=replace(DARK, key="resigned")))

    assert said in {text for text, _size in written.lines}
