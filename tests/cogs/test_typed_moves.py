"""Moves that are typed, and boards that are only watched."""

from __future__ import annotations

import pytest

from bot.model.match import Match
from cogs.play.layout import chosen_path
from engine import format_move
from tests.cogs.table import Table


async def test_a_move_may_be_typed(table: Table):
    board = await table.start()

    await table.command("move", cell="55")

    below = table.newest()
    assert below.id > board.id
    assert "2 moves" in below.text
    assert "is now at the bottom" in table.again(board).text


async def test_the_board_may_be_left_out_where_there_is_no_choice(table: Table):
    await table.start()
    await table.command("move", cell="55")
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    slot = match.position.legal_moves[0] % 9

    await table.command("move", cell=str(slot + 1))

    assert (await table.bot.matches.load(match.id)).ply == 4


async def sent(table: Table) -> Match:
    """Start a strategic game in which somebody is sent to one tactical board."""
    await table.start(variant="sttt-tactical")
    await table.command("move", cell="555")
    (match,) = await table.bot.matches.ongoing_of(table.ann)
    assert len(chosen_path(match.position, ())) == 2
    return match


@pytest.mark.parametrize("left_out", [0, 1, 2])
async def test_of_a_strategic_move_what_is_bound_may_be_left_out_as_far_as_one_likes(
    table: Table, left_out: int
):
    match = await sent(table)
    move = match.position.legal_moves[-1]

    await table.command("move", cell=format_move(move, match.rules)[left_out:])

    assert (await table.bot.matches.load(match.id)).moves[match.ply] == move


async def test_an_illegal_move_is_answered_by_the_rule_that_forbids_it(table: Table):
    await table.start()
    await table.command("move", cell="55")
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    sent_to = match.position.playable_boards[0] + 1
    elsewhere = 1 if sent_to != 1 else 2

    await table.command("move", cell=f"{elsewhere}9")
    await table.command("move", cell="nine")

    refused, unread = table.whispers(table.ann)[-2:]
    assert f"You were sent to board {sent_to}: play there." in refused
    assert "two digits from 1 to 9" in unread


async def test_legal_moves_are_offered_while_typing(table: Table):
    await table.start()

    offered = await table.sandbox.people.autocomplete(
        table.ann, table.channel, "move", {"cell": "5"}, "cell"
    )

    assert [choice["value"] for choice in offered] == [f"5{cell}" for cell in range(1, 10)]


async def test_legal_moves_on_27x27_cells_are_offered_with_where_they_send(table: Table):
    await table.start(variant="sttt-hypermap")

    offered = await table.sandbox.people.autocomplete(
        table.ann, table.channel, "move", {"cell": "55"}, "cell"
    )

    assert [choice["value"] for choice in offered] == [f"55{cell}" for cell in range(1, 10)]
    assert [choice["name"] for choice in offered][:4] == [
        "551 to 71", "552 to 82", "553 to 93", "554 to 84",
    ]  # fmt: skip


async def test_anybody_may_watch_without_being_able_to_click(table: Table):
    await table.start()
    match = (await table.bot.matches.ongoing_of(table.ann))[0]

    await table.command("watch", user=table.ben, game=match.id)
    await table.command("watch", user=table.ben, game=9999)

    shown = table.newest(user=table.ben)
    assert shown.message["flags"] & 64
    assert shown.buttons == {}
    assert (await table.bot.matches.load(match.id)).message_id != shown.id
    assert "no game 9999" in table.whispers(table.ben)[-1]
