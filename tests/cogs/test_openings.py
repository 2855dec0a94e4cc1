"""Openings that are drawn or asked for, and the swap of the pie rule."""

from __future__ import annotations

from tests.cogs.table import Board, Table


async def test_an_opening_is_drawn_and_its_code_shown(table: Table):
    board = await table.start(variant="random-four")
    match = (await table.bot.matches.ongoing_of(table.ann))[0]

    assert match.opening_code is not None
    assert f"opening {match.opening_code}" in board.text
    assert len(match.moves) == 4


async def test_an_opening_may_be_asked_for_by_its_code(table: Table):
    board = await table.start(variant="random-four", opening="12345")

    assert "opening 12345" in board.text
    assert "board 5" in board.text


async def test_a_code_that_cannot_be_played_is_told_why(table: Table):
    await table.command("play", variant="random-four", opening="11111")
    await table.command("play", variant="standard", opening="12345")

    refused, unwanted = table.whispers(table.ann)[-2:]
    assert "11111" in refused
    assert "no opening code" in unwanted
    assert await table.bot.matches.ongoing_of(table.ann) == []


async def offered_a_swap(table: Table) -> Board:
    """Start a game as the second player, the first move being up for a swap."""
    board = await table.start(variant="pie", first="computer")
    assert "swap seats" in board.text
    return board


async def test_the_second_player_may_take_the_first_players_seat(table: Table):
    board = await offered_a_swap(table)
    assert board.text.startswith("### Computer, level 1 (X) against Ann (O)")

    await table.press(board, board.buttons["Swap: take X"])

    board = table.again(board)
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    assert match.swapped
    assert board.text.startswith("### Ann (X) against Computer, level 1 (O)")
    assert match.ply == 2  # the computer, now O, has answered the first move
    assert "Swap: take X" not in board.buttons


async def test_seats_are_swapped_once(table: Table):
    board = await offered_a_swap(table)

    await table.press_at_once(board, [board.buttons["Swap: take X"]] * 2)

    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    assert match.names[0] == "Ann"


async def test_the_computer_may_swap_as_well(table: Table):
    """Level 1 tosses a coin: at least once in ten games it swaps."""
    swapped = []
    for _ in range(10):
        board = await table.start(variant="pie")
        await table.play(board, pick=4)
        match = (await table.bot.matches.ongoing_of(table.ann))[0]
        swapped.append(match.swapped)
        assert match.position.side == match.side_of(table.ann)

    assert True in swapped
