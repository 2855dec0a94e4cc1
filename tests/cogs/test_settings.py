"""What players and servers set, used as they would."""

from __future__ import annotations

from bot.players.preferences import Notices
from tests.cogs.panels import choose, chosen, corner, menus, panel_of
from tests.cogs.table import Table

WISHES = ["theme", "marks", "language", "notices", "text_board"]


async def test_ones_panel_shows_all_there_is_to_set(table: Table):
    panel = await panel_of(table)

    assert panel.message["flags"] & 64
    assert list(menus(panel)) == [f"wish:{each}" for each in WISHES]
    assert chosen(panel, "wish:theme") == ["auto"]
    assert chosen(panel, "wish:notices") == ["none"]
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

    assert chosen(panel, "wish:theme") == ["light"]
    assert chosen(panel, "wish:marks") == ["plus"]
    assert before["sample.png"] != in_light["sample.png"]
    assert in_light["sample.png"] != (await table.files(panel))["sample.png"]
    wanted = await table.bot.preferences.of(table.ann)
    assert (wanted.theme, wanted.marks, wanted.notices) == ("light", "plus", Notices.DM)
    dark = await table.files(board)
    board = await table.play(board)
    assert "[" in board.text
    assert "```" in board.text
    assert corner(dark["board.png"]) == (22, 24, 29)
    assert corner((await table.files(board))["board.png"]) == (255, 255, 255)
