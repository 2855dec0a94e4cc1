"""One click can be followed: it goes through no more modules than it has to."""

from __future__ import annotations

from typing import Any

from tests.cogs.one_click import Walk
from tests.cogs.table import Table

MOST_MODULES = 25
"""The computer's reply included."""

MOST_MODULES_BELOW = 8
"""Of these in `bot/model` and `bot/services`."""

MOST_FRAMES_TO_SQL = 10


async def test_a_move_and_its_reply_go_through_few_modules(table: Table) -> None:
    board = await table.start()
    board = await table.play(board)  # once, so that everything is loaded already
    if board.starting("board"):
        await table.press(board, board.starting("board")[0])
        board = table.again(board)

    cog: Any = table.bot.get_cog("Challenges")
    await cog.cog_unload()  # on a slow machine it would check deadlines meanwhile

    with Walk() as walk:
        await table.press(board, board.starting("cell")[0])

    assert {"bot/model/decide", "bot/services/computer", "cogs/play/showing"} <= walk.modules
    assert len(walk.modules) <= MOST_MODULES, sorted(walk.modules)
    below = [each for each in walk.modules if each.startswith(("bot/model/", "bot/services/"))]
    assert len(below) <= MOST_MODULES_BELOW, sorted(below)
    assert 0 < walk.frames_to_sql <= MOST_FRAMES_TO_SQL
