"""Animations of whole games."""

import io
from functools import cache

import pytest
from PIL import Image

from bot.render import DARK, LIGHT, THEMES, Replay, Theme, describe_replay, draw_replay
from bot.render.preview import evaluations_of, played_out, sample_games
from bot.render.replay import MOST_FRAMES, shown_plies
from engine import VARIANTS, O, X
from tests.bot.render.comparing import difference

GAMES = sample_games()
NAMES = ("Anna", "\U0001f600\u5c71" * 40)


@cache
def film(name: str, theme: Theme = DARK, *, evaluated: bool = True) -> bytes:
    game = GAMES[name]
    evaluations = evaluations_of(game) if evaluated else None
    return draw_replay(Replay(game, names=NAMES, theme=theme, evaluations=evaluations))


def frames(gif: bytes) -> list[tuple[Image.Image, int]]:
    image = Image.open(io.BytesIO(gif))
    shown = []
    for number in range(getattr(image, "n_frames", 1)):
        image.seek(number)
        shown.append((image.convert("RGB"), image.info["duration"]))
    return shown


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", GAMES)
def test_a_frame_for_each_move_and_the_last_is_held(name: str):
    gif = film(name)
    shown = frames(gif)
    game = GAMES[name]

    assert len(gif) <= 2_000_000
    assert len(shown) == min(len(game), MOST_FRAMES)
    durations = [duration for _, duration in shown]
    assert durations[-1] >= 3000 > 2 * max(durations[1:-1])
    assert shown[0][0].width != shown[0][0].height
    assert Image.open(io.BytesIO(gif)).info["loop"] == 0


def test_the_longest_game_of_nine_boards_fits():
    game = GAMES["longest"]

    assert len(game) > 70
    # As if every further move up to the 81st cost as much as those of this game.
    assert len(film("longest")) * 82 / len(game) <= 2_000_000


@pytest.mark.sampled(4)
@pytest.mark.parametrize("key", VARIANTS)
def test_every_variant_can_be_animated(key: str):
    game = played_out(VARIANTS[key].rules, 6)
    some = [game[0], *game[-3:]]
    gif = draw_replay(Replay(some, names=NAMES, theme=LIGHT))

    assert len(frames(gif)) == len(some)


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.key)
def test_the_bar_is_as_long_as_the_chances(theme: Theme):
    game = GAMES["x-wins"][:4]
    replay = Replay(game, names=NAMES, theme=theme, evaluations=[0.5, 0.75, 0.25, 1.0])
    shown = frames(draw_replay(replay))
    lengths = []
    for picture, _ in shown:
        column = [picture.getpixel((25, y)) for y in range(110, picture.height - 60)]
        lengths.append(column.count(theme.solids[X]) / len(column))

    assert lengths[0] == pytest.approx(0.5, abs=0.06)
    assert lengths[1] > lengths[0] + 0.15 > lengths[2] + 0.3
    assert lengths[3] == pytest.approx(1, abs=0.1)


def test_storing_changes_only_changes_nothing():
    """The last of many frames is the same as if it had been drawn alone."""
    game = GAMES["x-wins"]
    last = frames(film("x-wins", evaluated=False))[-1][0]
    alone = frames(draw_replay(Replay([game[0], game[-1]], names=NAMES)))[-1][0]

    assert difference(alone, last) is None


def test_the_winner_of_a_game_that_ended_off_the_board_is_filled():
    game = GAMES["x-wins"][:10]
    replay = Replay(game, names=NAMES, is_over=True, winner=O, status="Anna resigned")
    shown = frames(draw_replay(replay))
    counts = [
        picture.crop((0, 0, picture.width, 60)).tobytes().count(bytes(DARK.solids[O]))
        for picture, _ in shown
    ]

    assert counts[-1] > 2 * max(counts[:-1])


def test_many_positions_are_shown_in_strides():
    plies = shown_plies(730)

    assert len(plies) == MOST_FRAMES
    assert (plies[0], plies[-1]) == (0, 729)
    assert plies == sorted(set(plies))


def test_what_cannot_be_animated_is_refused():
    with pytest.raises(ValueError, match="at least one position"):
        draw_replay(Replay([], names=NAMES))
    with pytest.raises(ValueError, match="1 evaluations for 2 positions"):
        draw_replay(Replay(GAMES["x-wins"][:2], names=NAMES, evaluations=[0.5]))


def test_the_words_of_a_replay():
    game = tuple(GAMES["x-wins"])

    text = describe_replay(Replay(game, names=("Anna", "Ole")))
    assert text == "Replay of 57 moves. X: Anna, O: Ole. X wins: three boards in a row."
