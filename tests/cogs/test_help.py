"""The rules and the help, as they are shown."""

from __future__ import annotations

from tests.cogs.table import Board, Table, commands_named


async def test_rules_lead_with_the_rule_of_sending(table: Table):
    await table.command("rules", variant="majority")

    board = table.newest()
    assert board.message["flags"] & 64
    assert board.text.index("names the board") < board.text.index("nine boards of nine cells")
    assert "Majority" in board.text


async def test_help_lists_every_command(table: Table):
    await table.command("help")

    text = commands_named(Board(table.seen()[-1]).text)
    names = (
        *("play", "challenge", "lobby", "move", "watch", "board", "resign"),
        *("hint", "review", "replay", "leaderboard", "profile", "export", "import"),
        *("rules", "variants", "field", "help"),
    )
    assert [name for name in names if f"`/{name}`" not in text] == []
