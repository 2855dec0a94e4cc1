"""What can be looked up and printed."""

from __future__ import annotations

from typing import Any

import pytest

from bot.model.actions import Play, Resign
from bot.render.fields import FIELDS
from cogs.play import texts
from deploy.sandbox import HandError
from engine import VARIANTS, load_strong_scores, load_variant, option_values
from tests.cogs.table import Board, Table


async def test_variants_compares_all_of_them(table: Table):
    await table.command("variants")

    board = table.newest()
    assert [
        variant.name for variant in VARIANTS.values() if str(variant.name) not in board.text
    ] == []
    # The columns are explained below the tables, as text.
    assert "board use: marks at the end" in board.text
    # How fair they are under strong play, as far as that is known.
    found = load_strong_scores()["standard"]
    percent = f"{100 * found.score.value:.0f} %"
    error = f"{196 * (found.score.error or 0):.0f}"
    assert f"- Standard: {percent} ± {error} ({found.games})\n" in board.text
    assert "with best play X always wins in Won-Board Play, Tic-Tac-Ku, Tactical" in board.text
    assert "- Strategic, map-like: " in board.text
    told = board.text.partition("How fair is it?")[2]
    assert told.index("- Pie rule: ") < told.index("- Standard: ") < told.index("- Majority: ")
    files = await table.files(board)
    assert len(files) == 2
    assert all(data.startswith(b"\x89PNG") for data in files.values())


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", FIELDS)
async def test_each_field_comes_as_picture_and_pdf(table: Table, name: str):
    await table.command("field", name=name)

    files = await table.files(table.newest())
    assert files[f"{name}.pdf"].startswith(b"%PDF")
    assert files[f"{name}-1.png"].startswith(b"\x89PNG")


async def test_a_field_is_filled_from_a_game(table: Table):
    await table.start(variant="sttt-map")
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    for _ in range(3):
        match = await table.bot.matches.perform(
            match.id, Play(match.position.legal_moves[0]), user_id=table.ann, ply=match.ply
        )
        match = await table.bot.matches.reply(match.id)

    await table.command("field", name="full", game=match.id)

    assert "Full" in table.newest().text


async def test_a_game_of_nine_boards_fits_no_field_and_this_is_said(table: Table):
    await table.start()
    match = (await table.bot.matches.ongoing_of(table.ann))[0]

    await table.command("field", name="full", game=match.id)

    assert "depth 3" in table.whispers(table.ann)[-1]


async def test_maps_are_offered_the_default_first_and_a_wrong_one_is_told(table: Table):
    offered = await table.sandbox.people.autocomplete(
        table.ann, table.channel, "field", {"name": "mapped", "map": ""}, "map"
    )
    await table.command("field", name="mapped", map="map99")

    assert offered[0]["value"] == "map34"
    assert "map11 to map88" in table.whispers(table.ann)[-1]


async def test_variants_are_found_by_name_by_word_and_by_options(table: Table):
    async def offered(text: str) -> list[str]:
        choices = await table.sandbox.people.autocomplete(
            table.ann, table.channel, "play", {"variant": text}, "variant"
        )
        return [choice["value"] for choice in choices]

    assert await offered("") == list(VARIANTS)
    assert await offered("open bo") == ["open-board"]
    assert await offered("goal=five, won_board=open") == ["depth=2,goal=five,won_board=open"]
    assert await offered("nonsense") == []

    assert await offered("won_board=open,goal=") == [
        "won_board=open,goal=line",
        "won_board=open,goal=five",
    ]
    assert await offered("goal=F") == ["goal=five"]
    assert await offered("opening=pie") == ["pie", "opening=pie+no_centre"]
    assert await offered("tieb") == ["tiebreak=draw", "tiebreak=most"]
    assert await offered("sending=") == [
        *("sending=tactical", "depth=3,sending=map", "depth=3,sending=hypermap")
    ]
    assert (await offered("map=1"))[0] == "depth=3,sending=map,map=11"
    assert "depth=1,tiebreak=most" not in await offered("depth=1,")
    further = await offered("goal=five,")
    assert "goal=five,no_return=yes" in further
    assert "goal=five,no_return=no" not in further
    for option, values in option_values().items():
        taken = [each.partition(f"{option}=")[2] for each in await offered(f"{option}=")]
        assert taken == list(values)[:25]


async def test_rules_too_long_for_a_choice_are_taken_as_typed(table: Table):
    """Discord refuses all choices if one of them has a value of more than 100 characters."""
    text = (
        "depth=3,drawn_board=both,goal=five,map=12,no_return=yes,opening=pie+no_centre,"
        "sending=map,tiebreak=most,won_board=forced"
    )
    assert len(text) > 100

    offered = await table.sandbox.people.autocomplete(
        table.ann, table.channel, "play", {"variant": text}, "variant"
    )
    board = await table.start(variant=text)

    assert offered == []
    assert "Custom (27x27, map 12" in board.text


async def test_custom_rules_are_named_in_words_wherever_they_are_told(table: Table):
    """In choices, on the board, in its alt text, in the result and in what is kept of it."""
    named = "Custom (Open Board, five boards win)"
    variant = "goal=five,won_board=open"
    [choice] = await table.sandbox.people.autocomplete(
        table.ann, table.channel, "play", {"variant": variant}, "variant"
    )
    assert choice["name"].startswith(f"{named}: ")

    casual: dict[str, Any] = {"variant": variant, "colour": 0, "rated": False}
    await table.command("challenge", player=str(table.ben), **casual)
    offer = Board(table.seen()[-1])
    assert named in offer.text
    await table.press(offer, offer.buttons["Accept"], user=table.ben)
    board = table.again(offer)
    assert named in board.text
    board = await table.play(board, user=table.ann)
    board = await table.play(board, user=table.ben)
    match = await table.bot.matches.latest_for(table.ann)
    await table.bot.matches.perform(match.id, Resign(), user_id=table.ben)

    said = [offer.text, board.text]
    for command, options in (
        ("game", {"number": match.id}),
        ("history", {}),
        ("profile", {}),
        ("review", {"game": match.id}),
        ("rules", {}),
    ):
        await table.command(command, **options)
        shown = Board(table.seen()[-1])
        said += [shown.text, shown.alt]
        if command != "review":
            assert named in f"{shown.text} {shown.alt}", command
    await table.command("leaderboard", variant=variant)
    assert f"There are no ratings for {named}" in table.whispers(table.ann)[-1]
    assert [text for text in said if "goal=" in text or "goal five" in text] == []


async def test_an_unknown_variant_is_told_with_those_there_are(table: Table):
    await table.command("play", variant="blitz")

    assert "There is no variant 'blitz'" in table.whispers(table.ann)[-1]


@pytest.mark.parametrize("variant", ["Won-Board Play", "won_board = forced"])
async def test_a_variant_may_be_typed_by_its_name_or_options(table: Table, variant: str):
    await table.start(variant=variant)

    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    assert match.rules.key == "won-board"


async def test_the_name_of_a_field_is_chosen_from_a_list(table: Table):
    with pytest.raises(HandError):
        await table.command("field", name="unknown")


@pytest.mark.parametrize(
    ("variant", "words"),
    [
        ("standard", "nobody has three in a row"),
        ("goal=five", "nobody has won five"),
        ("majority", "both have won the same number"),
        ("tic-tac-ku", "both have won the same number"),
        ("depth=1", "The board is full and nobody has three in a row"),
    ],
)
def test_a_draw_is_explained_by_the_rules_of_the_game(variant: str, words: str):
    assert words in texts.drawn(load_variant(variant).rules)
