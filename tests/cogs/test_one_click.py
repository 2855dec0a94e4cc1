"""One click can be followed: it goes through no more modules than it has to."""

from __future__ import annotations

from tests.cogs.one_click import Walk
from tests.cogs.table import Table

MOST_MODULES = 63
"""A ratchet: 61 with the computer's reply when this was written. Lower it, never raise it."""

MOST_FRAMES_TO_SQL = 10


async def test_a_move_and_its_reply_go_through_no_more_modules_than_before(table: Table) -> None:
    board = await table.start()
    board = await table.play(board)  # once, so that nothing is read for the first time
    if board.starting("board"):
        await table.press(board, board.starting("board")[0])
        board = table.again(board)

    with Walk() as walk:
        await table.press(board, board.starting("cell")[0])

    assert "bot/model/decide/board" in walk.modules
    assert len(walk.modules) <= MOST_MODULES, sorted(walk.modules)
    assert 0 < walk.frames_to_sql <= MOST_FRAMES_TO_SQL
