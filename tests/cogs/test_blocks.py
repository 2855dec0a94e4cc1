"""Keeping somebody away, without their being told."""

from __future__ import annotations

from bot.model.actions import Resign
from tests.cogs.table import Board, Table
from tests.cogs.test_challenge import begun, challenged, newest


async def test_who_is_blocked_cannot_challenge_and_hears_no_more_than_that(table: Table):
    await table.command("block", user=table.ben, player=str(table.ann))
    assert "**Ann is blocked.**" in table.whispers(table.ben)[-1]

    await table.command("challenge", player=str(table.ben))
    assert table.whispers(table.ann)[-1] == "You can't challenge Ben right now."
    await table.command("challenge", user=table.ben, player=str(table.ann))
    assert "You have blocked Ann" in table.whispers(table.ben)[-1]

    await table.command("unblock", user=table.ben, player=str(table.ann))
    assert "Ann is not blocked any more" in table.whispers(table.ben)[-1]
    assert "Ann challenges Ben" in (await challenged(table, player=str(table.ben))).text


async def test_the_lobby_hides_what_one_could_not_take(table: Table):
    cleo = table.sandbox.world.person("Cleo").id
    open_one = await challenged(table)
    await table.command("block", user=table.ben, player=str(table.ann))
    await table.command("lobby", user=table.ben)
    assert "Play Ann" not in newest(table, table.ben).buttons
    await table.command("lobby", user=cleo)
    assert "Play Ann" in newest(table, cleo).buttons
    await table.command("lobby")
    assert newest(table).buttons == {}  # the only challenge is hers

    await table.press(open_one, open_one.buttons["Accept"], user=table.ben)
    assert "You have blocked Ann" in table.whispers(table.ben)[-1]
    await table.command("unblock", user=table.ben, player=str(table.ann))
    await table.command("block", player=str(table.ben))
    await table.press(open_one, open_one.buttons["Accept"], user=table.ben)
    assert table.whispers(table.ben)[-1] == "You can't accept this challenge."
    assert await table.bot.matches.ongoing_of(table.ann) == []


async def test_a_block_closes_what_waits_and_leaves_games_alone(table: Table):
    board, _ = await begun(table, colour=0)
    waiting = await challenged(table, player=str(table.ben))

    await table.command("block", user=table.ben, player=str(table.ann))

    assert "1 challenge between you has been closed" in table.whispers(table.ben)[-1]
    closed = table.again(waiting)
    assert "Ben has declined it" in closed.text
    assert closed.buttons == {}
    assert "1 move" in (await table.play(board, pick=4)).text


async def test_a_rematch_with_somebody_blocked_is_refused(table: Table):
    board, match = await begun(table, colour=0)
    await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)
    await table.command("board", game=match.id)
    board = table.newest()
    await table.command("block", player=str(table.ben))

    await table.press(board, board.buttons["Rematch"], user=table.ben)

    assert table.whispers(table.ben)[-1] == "You can't challenge Ann right now."


async def test_whom_one_has_blocked_is_ones_own_business(table: Table):
    await table.command("blocks")
    assert "You haven't blocked anyone" in table.whispers(table.ann)[-1]
    await table.command("block", player=str(table.ben))
    interaction = await table.command("blocks")

    assert f"<@{table.ben}>" in table.whispers(table.ann)[-1]
    assert interaction.message is not None
    assert interaction.message.mention_ids == []
    assert [each for each in table.seen(table.ben) if Board(each).message["content"]] == []


async def test_one_cannot_block_oneself_nor_unblock_whom_one_has_not(table: Table):
    await table.command("block", player=str(table.ann))
    assert "cannot block yourself" in table.whispers(table.ann)[-1]

    await table.command("unblock", player=str(table.ben))
    assert "You haven't blocked Ben" in table.whispers(table.ann)[-1]
