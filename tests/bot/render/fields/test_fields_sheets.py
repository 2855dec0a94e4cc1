"""What is refused and how, the notes beneath a field, and what fits on A4."""

from __future__ import annotations

import re

import pytest

from bot.model.errors import PlayerError
from bot.render.fields import FIELDS, draw_sheets
from bot.render.fields.drawing import Mark, text_width, wrapped
from bot.render.fields.sheets import FieldError, UnfitGameError, UnknownFieldError, UnknownMapError
from engine import VARIANTS, Game, Rules, Sending
from tests.bot.render.fields.games import draw_field, played

# A quarter of an inch is what nearly every printer leaves white.
MARGIN_MM = 6

KEYS = [
    "basic", "numbered", "mapped", "hypermapped", "help", "move", "move-dense", "move-large",
    "continuous", "continuous-large", "full", "full-variant2", "full-variant4",
]  # fmt: skip


def test_all_fields_of_the_authors_are_there():
    assert list(FIELDS) == KEYS
    assert all(key == kind.key for key, kind in FIELDS.items())
    assert all(len(kind.description) <= 100 for kind in FIELDS.values())


def test_keys_and_maps_may_be_typed_carelessly():
    assert draw_field(" Mapped ", map_key=" MAP12 ") == draw_field("mapped", map_key="map12")


@pytest.mark.parametrize("key", ["full-variant3", "", "map34"])
def test_an_unknown_field_is_refused_with_those_there_are(key: str):
    with pytest.raises(UnknownFieldError, match=re.escape(repr(key))) as refused:
        draw_field(key)

    assert all(name in str(refused.value) for name in KEYS)
    assert refused.value.key == key


@pytest.mark.parametrize("map_key", ["map09", "map99", "34", "map", "map345", "map3\uff14"])
def test_an_unknown_map_is_refused_with_those_there_are(map_key: str):
    with pytest.raises(UnknownMapError, match="map11 to map88, 64 in all") as refused:
        draw_field("mapped", map_key=map_key)

    assert refused.value.key == map_key
    assert repr(map_key) in str(refused.value)


@pytest.mark.parametrize("key", KEYS)
def test_a_game_of_another_depth_is_refused_in_words(key: str):
    with pytest.raises(
        UnfitGameError, match=r"games of depth 3; this game \(Standard\) has depth 2"
    ):
        draw_field(key, game=Game(Rules()))


def test_a_game_with_a_map_is_shown_with_its_own_map():
    game = Game(Rules(depth=3, sending=Sending.MAP, map_number=57))

    assert draw_field("mapped", game=game) == draw_field("mapped", map_key="map57", game=game)
    assert draw_field("mapped", game=game).title == "Mapped field, map57"
    with pytest.raises(UnfitGameError, match="played with map57: its field cannot show map34"):
        draw_field("mapped", map_key="map34", game=game)


def test_a_field_without_a_map_takes_a_game_of_any_map():
    game = Game(Rules(depth=3, sending=Sending.MAP, map_number=57))

    assert draw_field("basic", map_key="map34", game=game).only(Mark) == ()


def test_other_games_may_be_shown_with_any_map():
    assert draw_field("full", map_key="map11", game=played("sttt-tactical", 20)).only(Mark)


@pytest.mark.parametrize("key", ["continuous", "continuous-large", "full-variant2"])
@pytest.mark.parametrize("variant", ["sttt-map", "sttt-hypermap"])
def test_only_tactical_like_games_make_continuous_lines(key: str, variant: str):
    with pytest.raises(UnfitGameError, match=f"{VARIANTS[variant].name}.*'full' or 'move'"):
        draw_field(key, game=played(variant, 20))


def test_errors_are_fit_to_be_shown_to_players():
    assert issubclass(FieldError, PlayerError)
    assert all(
        issubclass(kind, FieldError)
        for kind in (UnknownFieldError, UnknownMapError, UnfitGameError)
    )


@pytest.mark.parametrize("key", KEYS)
def test_every_sheet_credits_the_authors(key: str):
    """The game idea and the fields are theirs, under CC-BY 4.0."""
    for game in (None, played("sttt-tactical", 729, 3)):
        for sheet in draw_sheets(key, game=game):
            said = " ".join(note.text for note in sheet.notes)
            assert (
                "Strategic Tic-Tac-Toe: game idea and fields by Mikhail Demchenko and Anton"
                " Shashkov, CC-BY 4.0, github.com/echo-Mike/STTT. This drawing is ours, redrawn"
                " after their fields."
            ) in said
            assert f"one cell is {sheet.unit_mm:g} mm." in said


@pytest.mark.parametrize("key", ["continuous", "continuous-large", "full-variant2"])
def test_continuous_fields_tell_how_a_line_is_broken(key: str):
    said = " ".join(note.text for note in draw_field(key).notes)

    assert "Free move: draw a bar" in said
    assert "Line full: begin the next with its last two digits." in said


def test_a_filled_field_tells_which_game_it_is():
    def about(game: Game) -> str:
        return draw_field("numbered", game=game).notes[0].text

    ended = played("sttt-tactical", 729, 1)
    assert about(played("sttt-map", 0)) == "Game: Strategic, map-like. 0 moves, X to move."
    assert about(played("sttt-map", 1)) == "Game: Strategic, map-like. 1 move, O to move."
    assert about(ended) == (
        f"Game: Strategic, tactical-like. {len(ended.moves)} moves, X wins with three in a row."
    )


@pytest.mark.parametrize("key", KEYS)
def test_every_field_fits_on_a4_with_a_margin_on_all_sides(key: str):
    """Cells are multiples of half a millimetre; the printer would scale what does not fit."""
    for game in (None, played("sttt-tactical", 729, 3)):
        for sheet in draw_sheets(key, game=game):
            wide, high = sheet.page_mm
            assert (wide, high) == ((297, 210) if sheet.landscape else (210, 297))
            assert sheet.unit_mm * 2 == int(sheet.unit_mm * 2)
            assert sheet.width * sheet.unit_mm + 2 * MARGIN_MM <= wide
            assert sheet.full_height * sheet.unit_mm + 2 * MARGIN_MM <= high


@pytest.mark.parametrize("key", KEYS)
def test_notes_stay_beneath_the_field_and_within_its_width(key: str):
    for sheet in draw_sheets(key, game=played("sttt-tactical", 100)):
        assert sheet.notes[0].y >= sheet.height
        for above, note in zip(sheet.notes, sheet.notes[1:], strict=False):
            assert note.y >= above.y + above.height - 1e-9
        assert all(text_width(note.text, note.size) <= sheet.width for note in sheet.notes)
        last = sheet.notes[-1]
        assert sheet.full_height == pytest.approx(last.y + last.height)


def test_words_are_wrapped_and_none_is_lost():
    text = "one two three four five six seven"
    lines = wrapped(text, 1, 6)

    assert " ".join(lines) == text
    assert len(lines) > 2
    assert wrapped("unbreakable", 1, 2) == ["unbreakable"]
