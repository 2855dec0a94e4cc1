"""What players and servers set, used as they would."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from bot.model.actions import Play
from bot.model.preferences import Notices
from deploy.sandbox import Sandbox
from tests.cogs.panels import choose, chosen, corner, menus, panel_of
from tests.cogs.table import Board, Table, mistakes_in, running_bot, settings_for

CYRILLIC = "[\u0430-\u044f]"
WISHES = ["theme", "marks", "language", "notices", "text_board", "named_games"]


async def test_ones_panel_shows_all_there_is_to_set(table: Table):
    panel = await panel_of(table)

    assert panel.message["flags"] & 64
    assert list(menus(panel)) == [f"wish:{each}" for each in WISHES]
    assert chosen(panel, "wish:theme") == ["auto"]
    assert chosen(panel, "wish:notices") == ["auto"]
    assert chosen(panel, "wish:text_board") == ["off"]
    assert "board 4" in panel.alt


async def test_what_is_chosen_applies_at_once_and_shows(table: Table):
    board = await table.start()
    panel = await panel_of(table)
    before = await table.files(panel)

    panel = await choose(table, panel, "wish:theme", "light")
    in_light = await table.files(panel)
    panel = await choose(table, panel, "wish:marks", "plus")
    panel = await choose(table, panel, "wish:notices", "dm")
    panel = await choose(table, panel, "wish:text_board", "on")
    panel = await choose(table, panel, "wish:named_games", "on")

    assert chosen(panel, "wish:theme") == ["light"]
    assert chosen(panel, "wish:marks") == ["plus"]
    assert before["sample.png"] != in_light["sample.png"]
    assert in_light["sample.png"] != (await table.files(panel))["sample.png"]
    wanted = await table.bot.preferences.of(table.ann)
    assert (wanted.theme, wanted.marks, wanted.notices) == ("light", "plus", Notices.DM)
    assert wanted.named_games
    dark = await table.files(board)
    board = await table.play(board)
    assert "```" in board.text
    assert re.search(r"X stands for ✚, O for ◇\.", board.text)
    assert re.search(r"### Ann \(✚\) against Computer, level \d+ \(◇\)", board.text)
    assert "for your ✚." in board.text
    assert not {"X", "O"} & {part.get("label") for part in board.parts}
    assert "✚: Ann. ◇: Computer" in board.alt
    words = re.sub(r"(?s:```.*?```)\n-# .*", "", board.text)
    assert not re.search(r"\b[XO]\b", words + board.alt)
    assert corner(dark["board.png"]) == (22, 24, 29)
    assert corner((await table.files(board))["board.png"]) == (255, 255, 255)


async def test_ones_own_language_is_spoken_at_once_and_by_the_board(table: Table):
    panel = await choose(table, await panel_of(table), "wish:language", "de")
    assert "Was du wählst, gilt sofort" in panel.text

    board = await table.start()
    assert "Wähle ein" in board.text
    assert "Brett" in board.alt

    await table.command("move", cell="zz")
    assert "zz" in table.whispers(table.ann)[-1]
    await table.command("board", game=99)
    assert "Partie" in table.whispers(table.ann)[-1]


async def test_discords_language_counts_for_who_has_chosen_none(table: Table):
    table.sandbox.world.people[0].locale = "ru"

    board = await table.start()
    private = await panel_of(table)

    assert re.search(CYRILLIC, board.text)
    assert re.search(CYRILLIC, private.text)
    assert chosen(private, "wish:language") == ["auto"]


async def test_a_language_the_bot_does_not_speak_leaves_it_to_the_server(table: Table):
    table.sandbox.world.people[0].locale = "fr"
    await choose(table, await panel_of(table, "server"), "rule:language", "de")

    assert "Was du wählst, gilt sofort" in (await panel_of(table)).text


async def test_two_people_share_what_both_have_asked_for(table: Table):
    for person in (table.ann, table.ben):
        await table.bot.preferences.change(person, theme="light", language="de")
    await table.bot.preferences.change(table.ben, text_board=True)

    await table.command("challenge", player=table.ben)
    offered = Board(table.seen()[-1])
    await table.press(offered, offered.starting("accept")[0], user=table.ben)
    shared = table.newest()

    assert "Brett" in shared.text
    assert "```" in shared.text
    assert corner((await table.files(shared))["board.png"]) == (255, 255, 255)

    await table.bot.preferences.change(table.ben, theme="dark", language="ru")
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    player = match.seats[0].player_id
    await table.press(shared, shared.starting("board")[0], user=player)
    shared = table.again(shared)

    assert "board" in shared.text
    assert corner((await table.files(shared))["board.png"]) == (22, 24, 29)


async def test_a_board_keeps_its_manner_when_the_bot_refreshes_it_after_a_restart(
    sandbox: Sandbox, tmp_path: Path
):
    """Nobody clicks: what was stored about the player decides the theme and the language."""
    settings = settings_for(sandbox, tmp_path)
    sandbox.world.people[0].locale = "de"
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        await bot.preferences.change(table.ann, theme="light")
        board = await table.start()
        match = (await bot.matches.ongoing_of(table.ann))[0]
        await bot.matches.perform(match.id, Play(40), user_id=table.ann, ply=0)

    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        with sandbox.world.news.subscribe(table.ann) as news:
            if "2 Züge" not in table.again(board).text:
                await news.wait_for("message_update")
        board = table.again(board)

        assert "2 Züge" in board.text
        assert corner((await table.files(board))["board.png"]) == (255, 255, 255)


async def test_a_panel_works_after_a_restart(sandbox: Sandbox, tmp_path: Path):
    settings = settings_for(sandbox, tmp_path)
    async with running_bot(settings) as bot:
        panel = await panel_of(Table(sandbox, bot))

    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        panel = await choose(table, panel, "wish:marks", "filled")

        assert chosen(panel, "wish:marks") == ["filled"]
        assert (await bot.preferences.of(table.ann)).marks == "filled"
    assert mistakes_in(sandbox) == []


async def test_a_spectator_sees_it_as_they_like(table: Table):
    await table.bot.preferences.change(table.ben, theme="light", language="de", text_board=True)
    await table.start()
    match = (await table.bot.matches.ongoing_of(table.ann))[0]

    await table.command("watch", user=table.ben, game=match.id)

    watched = table.newest(table.ben)
    assert watched.message["flags"] & 64
    assert "```" in watched.text
    assert corner((await table.files(watched))["board.png"]) == (255, 255, 255)
    assert "```" not in table.newest(table.ann).text


@pytest.mark.parametrize("variant", ["standard", "sttt-map"])
async def test_a_board_fits_into_a_message_as_text(table: Table, variant: str):
    table.sandbox.world.people[0].global_name = "*" * 32
    await table.bot.preferences.change(table.ann, text_board=True, language="ru")
    board = await table.start(variant=variant)

    board = await table.play_on(board, random.Random(5), most=30)

    assert "```" in board.text
    assert len(board.text) <= 4000
    assert 0 < len(board.alt) <= 1024
