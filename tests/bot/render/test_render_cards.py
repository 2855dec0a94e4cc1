"""Designed images: sizes, what they say, and pictures checked by eye."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from gettext import NullTranslations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.language import speaking
from bot.render import (
    DARK,
    LIGHT,
    THEMES,
    EvaluationPicture,
    LeaderboardPicture,
    LeaderboardRow,
    PlayerResult,
    PlyNote,
    ProfilePicture,
    RatingPicture,
    RatingPoint,
    RatingStep,
    Record,
    ResultPicture,
    Theme,
    VersusPicture,
    describe_evaluation_graph,
    describe_leaderboard,
    describe_profile,
    describe_rating_graph,
    describe_result,
    describe_versus,
    draw_evaluation_graph,
    draw_leaderboard,
    draw_profile,
    draw_rating_graph,
    draw_result,
    draw_result_strip,
    draw_statistics,
    draw_versus,
)
from bot.render.card import HEAD, TALLEST, WIDTH, Card
from bot.render.describe import signed, told
from bot.render.graphs import SIGNS
from bot.render.preview import (
    designed_samples,
    evaluation_sample,
    leaderboard_sample,
    new_server_sample,
    profile_sample,
    rating_points,
    result_sample,
    sample_pictures,
    versus_sample,
)
from bot.render.theme import mix
from engine import O, Position, Rules, X
from tests.bot.render.comparing import contrast_ratio, opened

SAMPLES = designed_samples()
BOARDS = sample_pictures()
ALL = pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.key)
NAMES = st.one_of(
    st.text(max_size=300), st.sampled_from(["", "\u202e", "\U0001f600" * 9, "W" * 99])
)
COUNTS = st.integers(0, 100_000)
RATINGS = st.floats(-500, 5000)
DAY = datetime(2026, 3, 1, tzinfo=UTC)

RUSSIAN = {
    "player": "игрок",
    "rating": "рейтинг",
    "games": "партии",
    "won": "победы",
    "trend": "тренд",
    "No rated games yet": "Рейтинговых партий пока нет",
    "wins": "выиграно",
    "placement": "калибровка",
    "The rating is shown after the placement": "Рейтинг появится после калибровки",
    "Nobody has enough rated games yet": "Пока никто не сыграл достаточно партий",
    "won in a row": "побед подряд",
    "last games, best streak {best}": "последние игры, серия до {best}",
    "best rating": "рекорд",
    "games played": "всего партий",
    "levels of the computer beaten": "пройденные уровни бота",
    "Won, drawn, lost": "Победы, ничьи, поражения",
    "Achievements": "Достижения",
    "Games against each other, the newest last": "Личные встречи, последние справа",
    "They have not finished a game yet": "Они ещё не сыграли ни одной партии",
    "drawn": "ничьи",
    "W": "П",
    "D": "=",
    "L": "\N{MINUS SIGN}",
    "accuracy": "%: точность",
    "blunder": "зевок",
    "mistake": "ошибка",
    "inaccuracy": "неточность",
    "better {move}": "лучше {move}",
    "{name} wins": "{name} побеждает",
    "A draw": "Ничья",
    "unrated": "без рейтинга",
    "Player": "Игрок",
}


class Russian(NullTranslations):
    """Words that the pictures were checked with; those of the catalogue may change."""

    def gettext(self, message: str) -> str:
        return RUSSIAN.get(message, message)

    def pgettext(self, context: str, message: str) -> str:
        del context
        return RUSSIAN.get(message, message)


@pytest.fixture
def in_russian(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Any], bytes], Any], bytes]:
    """Return a function that draws a picture in Russian."""

    def draw_in_russian(draw: Callable[[Any], bytes], picture: Any) -> bytes:
        with monkeypatch.context() as patched:
            patched.setattr("bot.language.catalogue", lambda _language: Russian())
            return draw(picture)

    return draw_in_russian


def count_of(png: bytes, colour: tuple[int, int, int]) -> int:
    return opened(png).tobytes().count(bytes(colour))


@ALL
@pytest.mark.parametrize("name", SAMPLES)
def test_pictures(theme: Theme, name: str, check_golden: Callable[[str, bytes], None]):
    png = SAMPLES[name](theme)
    width, height = opened(png).size

    assert len(png) <= 200_000
    assert width == WIDTH != height
    assert height <= TALLEST
    check_golden(f"{theme.key}-{name}", png)


@ALL
def test_words_on_the_viewer_and_on_accents_can_be_read(theme: Theme):
    for share in (0.14, 0.16):
        ground = mix(theme.surface, theme.accent, share)
        assert contrast_ratio(theme.text, ground) >= 4.5
        assert contrast_ratio(theme.accent, ground) >= 3


def test_the_viewer_is_marked_on_the_page_or_below_it():
    away = leaderboard_sample()
    assert away.viewer is not None
    rows = (*away.rows[:4], replace(away.rows[4], is_viewer=True), *away.rows[5:])
    here = replace(away, rows=rows)
    nobody = replace(away, viewer=None)
    heights = [opened(draw_leaderboard(page)).height for page in (away, here, nobody)]

    assert heights[0] > heights[1] == heights[2]
    assert describe_leaderboard(away).count("You: 1234. Maria-Magdalena 1501?") == 1
    assert "You: 5. Zoë 1802" in describe_leaderboard(here)
    assert "You" not in describe_leaderboard(nobody)


def test_the_bar_is_as_long_as_the_share_won():
    def accent_in_bar(wins: int) -> int:
        row = LeaderboardRow(rank=9, name="A", rating=1500, wins=wins, losses=100 - wins)
        picture = opened(draw_leaderboard(LeaderboardPicture("T", (row,))))
        line = [picture.getpixel((x, picture.height - 30)) for x in range(WIDTH)]
        return line.count(DARK.accent)

    assert accent_in_bar(80) == pytest.approx(2 * accent_in_bar(40), abs=4)
    assert accent_in_bar(0) == 0


@given(
    names=st.lists(NAMES, max_size=12),
    number=COUNTS,
    rating=RATINGS,
    trend=st.none() | st.floats(-3000, 3000),
)
@settings(max_examples=25, deadline=None)
def test_any_leaderboard_can_be_drawn(
    names: list[str], number: int, rating: float, trend: float | None
):
    rows = tuple(
        LeaderboardRow(
            rank=number + place + 1,
            name=name,
            rating=rating,
            is_provisional=bool(place % 2),
            wins=number,
            draws=place,
            losses=place // 2,
            trend=trend,
        )
        for place, name in enumerate(names)
    )
    viewer = LeaderboardRow(rank=1, name="".join(names), rating=rating)
    title = names[0] if names else ""
    picture = LeaderboardPicture(title, rows, subtitle=title, viewer=viewer, empty=title)

    assert len(draw_leaderboard(picture)) <= 200_000
    assert len(describe_leaderboard(picture)) <= 1024


@given(
    ratings=st.lists(RATINGS, max_size=12),
    hours=st.integers(0, 9000),
    deviation=st.floats(0, 700),
)
@settings(max_examples=25, deadline=None)
def test_any_rating_can_be_drawn(ratings: list[float], hours: int, deviation: float):
    points = tuple(
        RatingPoint(at=DAY + timedelta(hours=hours * place), rating=rating, deviation=deviation)
        for place, rating in enumerate(ratings)
    )
    picture = RatingPicture("Anna", points, is_provisional=True)

    assert opened(draw_rating_graph(picture)).width == WIDTH
    assert len(describe_rating_graph(picture)) <= 1024


def test_a_long_history_is_thinned_but_keeps_its_best_and_its_end():
    points = tuple(
        RatingPoint(at=DAY + timedelta(hours=place), rating=1500 + (place == 777) * 300)
        for place in range(5000)
    )
    text = describe_rating_graph(RatingPicture("Anna", points))
    with_peak = draw_rating_graph(RatingPicture("Anna", points))
    without = draw_rating_graph(RatingPicture("Anna", (*points[:777], *points[778:])))

    assert "Highest 1800 on 2026-04-02" in text
    assert with_peak != without


def test_the_words_of_a_rating():
    text = describe_rating_graph(RatingPicture("Anna", rating_points(), subtitle="Standard"))

    assert text.startswith("Rating of Anna, Standard. From 1500 on 2026-05-01 to ")
    empty = describe_rating_graph(RatingPicture("Anna", ()))
    assert empty == "Rating of Anna. No rated games yet."


@given(
    name=NAMES,
    counts=st.tuples(COUNTS, COUNTS, COUNTS),
    form=st.lists(st.sampled_from(PlayerResult), max_size=30),
    achievements=st.lists(NAMES, max_size=12),
)
@settings(max_examples=25, deadline=None)
def test_any_profile_can_be_drawn(
    name: str, counts: tuple[int, int, int], form: list[PlayerResult], achievements: list[str]
):
    wins, draws, losses = counts
    record = Record(label=name, wins=wins, draws=draws, losses=losses)
    picture = ProfilePicture(
        name,
        1500.4,
        subtitle=name,
        sides=(record, record),
        records=(record,) * 9,
        form=tuple(form),
        achievements=tuple(achievements),
        theme=LIGHT,
    )

    assert len(draw_profile(picture)) + len(draw_statistics(picture)) <= 200_000
    assert len(describe_profile(picture)) <= 1024


def test_the_words_of_a_profile():
    text = describe_profile(profile_sample())

    for part in (
        "Rating ",
        "X: 61 won, 12 drawn, 31 lost.",
        "Last games, newest last: W L L D W L D W W W.",
        "Won-Board Play: 12 won, 2 drawn, 9 lost.",
        "Achievements: First win, Ten in a row, Beat level 7, Every variant, Marathon.",
    ):
        assert part in text


@given(
    chances=st.lists(st.floats(-0.2, 1.2), max_size=90),
    plies=st.lists(st.integers(0, 120), max_size=20),
    text=NAMES,
)
@settings(max_examples=25, deadline=None)
def test_any_evaluation_can_be_drawn(chances: list[float], plies: list[int], text: str):
    notes = tuple(
        PlyNote(ply=ply, side=ply % 2, kind=kind, move=text, better=text, loss=ply / 120)
        for ply, kind in zip(plies, list(SIGNS) * 7, strict=False)
    )
    picture = EvaluationPicture(
        tuple(chances), names=(text, text), notes=notes, accuracies=(0.0, 1.0)
    )

    assert len(picture.listed) == min(6, len(notes))
    assert len(draw_evaluation_graph(picture)) <= 200_000
    assert len(describe_evaluation_graph(picture)) <= 1024


def test_the_leading_side_fills_the_graph():
    def filled(chance: float) -> tuple[int, int]:
        png = draw_evaluation_graph(EvaluationPicture((chance,) * 30))
        first, second = (mix(DARK.surface, solid, 0.55) for solid in DARK.solids)
        return count_of(png, first), count_of(png, second)

    for chance, ahead in ((0.9, X), (0.1, O)):
        counts = filled(chance)
        assert counts[ahead] > 20_000
        assert counts[1 - ahead] < 100


def test_the_words_of_an_evaluation():
    text = describe_evaluation_graph(evaluation_sample())

    assert "X Anna: accuracy 87%." in text
    assert "Move 52, O 55: blunder, better 59, lost 41%." in text
    assert "Chances of X after moves: 0: 52%" in text


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", BOARDS)
def test_every_position_fits_on_a_result(name: str):
    picture = result_sample(BOARDS[name])

    assert len(draw_result(picture)) <= 200_000
    assert len(describe_result(picture)) <= 1024


def test_the_winner_of_a_result_is_filled():
    for name, winner in (("x-wins", X), ("o-wins", O), ("resigned", O)):
        png = draw_result(result_sample(BOARDS[name]))
        picture = opened(png)
        spots = [picture.getpixel((WIDTH - 40, y)) for y in (190, picture.height - 60)]
        assert spots[winner] == DARK.solids[winner]
        assert spots[1 - winner] == DARK.surface


def test_the_words_of_a_result():
    text = describe_result(result_sample(BOARDS["x-wins"]))
    assert text.startswith("Anna wins. Standard · 57 moves · rated.")
    assert "X Anna: rating 1512 to 1524 (+12)." in text
    assert "III: placement game 3 of 5." in text

    bare = ResultPicture(Position.initial(Rules()), steps=(None, RatingStep(before=1, after=1)))
    assert describe_result(bare) == "A draw. X X: unrated. O O: rating 1 to 1 (±0)."


def test_a_long_name_still_wins():
    """The name is cut off, not the word that matters."""
    board = BOARDS["x-wins"].position
    long, longer = (ResultPicture(board, names=("W" * count, "O")) for count in (60, 70))

    assert opened(draw_result(long)).tobytes() == opened(draw_result(longer)).tobytes()


def test_told_keeps_whole_sentences():
    assert told(["One.", "Two.", "Three."], 9) == "One. Two."
    assert [signed(change) for change in (3.4, -3.6, 0.3)] == ["+3", "\N{MINUS SIGN}4", "±0"]


def test_what_lies_outside_of_a_card_is_lost():
    card = Card(DARK, 40, width=40)
    card.block((-20, -20, 30, 30), DARK.accent, 0)
    card.dot((200, 200), 9, DARK.accent)

    assert opened(card.png()).size == (40, 48)
    assert count_of(card.png(), DARK.accent) == 100


def test_every_picture_can_be_in_another_language(
    in_russian: Callable[[Callable[[Any], bytes], Any], bytes],
):
    drawn = BOARDS["draw"].position
    pictures: list[tuple[Callable[[Any], bytes], Any]] = [
        (draw_leaderboard, leaderboard_sample()),
        (draw_leaderboard, LeaderboardPicture("T", ())),
        (draw_profile, profile_sample()),
        (draw_leaderboard, new_server_sample()),
        (draw_leaderboard, replace(new_server_sample(), is_of_wins=True)),
        (draw_profile, ProfilePicture("T")),
        (draw_profile, ProfilePicture("T", placement="3/5")),
        (draw_versus, versus_sample()),
        (draw_versus, VersusPicture(("A", "B"), Record(label=""))),
        (draw_rating_graph, RatingPicture("T", ())),
        (draw_evaluation_graph, evaluation_sample()),
        (draw_result, ResultPicture(drawn, subtitle="T")),
        (draw_result, ResultPicture(BOARDS["x-wins"].position, subtitle="T")),
    ]
    for draw, picture in pictures:
        assert draw(picture) != in_russian(draw, picture)


@given(
    names=st.tuples(NAMES, NAMES),
    counts=st.tuples(COUNTS, COUNTS, COUNTS),
    count=st.integers(0, 40),
)
@settings(max_examples=25, deadline=None)
def test_any_two_can_be_compared(names: tuple[str, str], counts: tuple[int, int, int], count: int):
    wins, draws, losses = counts
    record = Record(label=names[0], wins=wins, draws=draws, losses=losses)
    picture = VersusPicture(
        names,
        record,
        subtitle=names[1],
        ratings=names,
        sides=(record, record),
        records=(record,) * 9,
        games=(PlayerResult.WON, PlayerResult.LOST) * (count // 2),
    )

    assert len(draw_versus(picture)) <= 200_000
    assert len(describe_versus(picture)) <= 1024


def test_the_words_of_two_players():
    text = describe_versus(versus_sample())

    assert text.startswith("Anna against Bartholomew")
    assert "23 games, 12 won, 3 drawn, 8 lost." in text
    assert "X: 8 won, 1 drawn, 3 lost." in text
    nobody = describe_versus(VersusPicture(("A", "B"), Record(label="")))
    assert nobody == "A and B have not finished a game against each other yet."


def test_the_bar_of_two_players_is_shared_as_the_games_were():
    def accent(wins: int, losses: int) -> int:
        record = Record(label="", wins=wins, losses=losses)
        picture = opened(draw_versus(VersusPicture(("A", "B"), record)))
        line = [picture.getpixel((x, 230)) for x in range(WIDTH)]
        return line.count(DARK.accent)

    assert accent(3, 1) == pytest.approx(3 * accent(1, 3), rel=0.05)
    assert accent(0, 3) == 0


def test_the_strip_of_a_result_fills_the_winner():
    for name, winner in (("x-wins", X), ("o-wins", O)):
        picture = opened(draw_result_strip(result_sample(BOARDS[name])))
        spots = [picture.getpixel((x, picture.height - 40)) for x in (330, WIDTH - 40)]
        assert spots[winner] == DARK.solids[winner]
        assert spots[1 - winner] == DARK.surface


def test_without_ratings_the_strip_is_lower():
    rated = result_sample(BOARDS["x-wins"])
    heights = [
        opened(draw_result_strip(replace(rated, steps=steps))).height
        for steps in (rated.steps, (None, None))
    ]

    assert heights[0] > heights[1] + 40


def test_heads_of_columns_do_not_touch():
    """There is a gap between two headings, even in languages with long words."""
    for language in ("en", "de", "ru"):
        with speaking(language):
            picture = opened(draw_leaderboard(leaderboard_sample()))
        columns = [
            any(picture.getpixel((x, y)) != DARK.canvas for y in range(HEAD, HEAD + 30))
            for x in range(290, WIDTH)
        ]
        words_apart = "".join("#" if column else "." for column in columns).split("." * 6)

        assert len([part for part in words_apart if "#" in part]) == 4


@pytest.mark.parametrize("name", ["leaderboard", "profile", "statistics", "evaluation", "versus"])
def test_other_languages_fit(
    name: str,
    check_golden: Callable[[str, bytes], None],
    in_russian: Callable[[Callable[[Any], bytes], Any], bytes],
):
    check_golden(f"russian-{name}", in_russian(SAMPLES[name], DARK))
