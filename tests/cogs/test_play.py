"""A person plays the computer through the real client."""

from __future__ import annotations

from typing import Any

import pytest

from bot.model.actions import Play, Resign
from bot.model.errors import ComputerFailedError
from tests.cogs.table import JSON, Table, mistakes_in
from tests.openapi import find_description


def callbacks(table: Table) -> list[JSON]:
    return [each.body for each in table.sandbox.requests.matching("POST /interactions/*/callback")]


async def test_a_new_game_offers_nine_boards_and_says_so(table: Table):
    board = await table.start()

    assert len(board.starting("board")) == 9
    assert "you may play anywhere" in board.text
    assert "Computer, level 1" in board.text
    assert "X" in board.alt


async def test_one_answer_carries_the_move_the_reply_and_the_image(table: Table):
    board = await table.start()
    await table.press(board, board.starting("board")[4])
    board = table.again(board)
    table.sandbox.requests.clear()

    await table.press(board, board.starting("cell")[4])

    sent = list(table.sandbox.requests)
    assert [(each.method, each.body["type"], len(each.files)) for each in sent] == [("POST", 7, 1)]
    assert "2 moves" in table.again(board).text


async def test_a_forced_board_takes_one_click(table: Table):
    board = await table.start()
    board = await table.play(board, pick=4)

    cells = board.starting("cell")
    assert "you must play in **board" in board.text
    assert 1 <= len(cells) <= 9
    assert board.starting("board") == []


async def test_taken_cells_show_their_mark_and_cannot_be_pressed(table: Table):
    """X takes the centre of the centre and is answered there, so its cells are shown again."""
    board = await table.start(first="computer")
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    (first_move,) = match.moves
    labels = [part["label"] for part in board.parts if part["type"] == 2][:9]
    expected = [str(slot + 1) for slot in range(9)]
    if first_move // 9 == first_move % 9:
        expected[first_move % 9] = "X"

    assert labels == expected


async def test_a_choice_of_a_board_can_be_taken_back(table: Table):
    board = await table.start()
    await table.press(board, board.starting("board")[0])
    chosen = table.again(board)
    assert "you chose **board 1**" in chosen.text

    await table.press(chosen, chosen.buttons["Other board"])

    assert len(table.again(board).starting("board")) == 9


@pytest.mark.parametrize(("variant", "first"), [("standard", "you"), ("majority", "random")])
async def test_a_whole_game_is_played_to_its_end_and_stored(table: Table, variant: str, first: str):
    board = await table.start(variant=variant, first=first)
    moves = 0
    while board.starting("cell") or board.starting("board"):
        board = await table.play(board, pick=moves * 7)
        moves += 1
    match = await table.bot.matches.latest_for(table.ann)

    assert match.is_over
    assert match.position.outcome is not None
    assert "wins" in board.text or "Draw" in board.text
    assert list(board.buttons) == ["Play again", "Review", "Replay", "Export"]


async def test_play_again_lets_the_other_player_begin(table: Table):
    board = await table.start(level=2)
    await table.press(board, board.buttons["Resign"])
    await table.press(board, table.again(board).buttons["Yes, resign"])
    over = table.again(board)

    await table.press(over, over.buttons["Play again"])

    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    assert match.seats[0].level == 2
    assert match.ply == 1
    assert table.newest().id != board.id


async def test_a_new_game_is_shown_though_the_computer_cannot_begin_it(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    computer = table.bot.matches.computer
    think, failures = computer.think, iter([ComputerFailedError(), ComputerFailedError()])

    async def fail_at_first(*asked: Any, **more: Any) -> Any:
        for failure in failures:
            raise failure
        return await think(*asked, **more)

    board = await table.start(level=2)
    await table.press(board, board.buttons["Resign"])
    await table.press(board, table.again(board).buttons["Yes, resign"])
    over = table.again(board)
    monkeypatch.setattr(computer, "think", fail_at_first)

    await table.press(over, over.buttons["Play again"])

    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    assert table.newest().id == match.message_id != board.id
    assert "it will try again in a moment" in table.whispers(table.ann)[-1]


async def test_someone_else_is_told_whose_game_it_is(table: Table):
    board = await table.start()

    await table.press(board, board.starting("board")[0], user=table.ben)

    assert "This game is between" in table.whispers(table.ben)[-1]
    assert table.whispers(table.ann) == []
    assert table.again(board).text == board.text


async def test_of_two_clicks_at_once_one_is_played_and_both_are_answered(table: Table):
    board = await table.start()
    await table.press(board, board.starting("board")[4])
    board = table.again(board)

    await table.press_at_once(board, board.starting("cell")[:2])

    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    assert match.ply == 2
    assert len(table.whispers(table.ann)) == 1
    assert "out of date" in table.whispers(table.ann)[0]


async def test_the_same_click_twice_is_no_mistake(table: Table):
    board = await table.start()
    await table.press(board, board.starting("board")[4])
    board = table.again(board)

    await table.press_at_once(board, [board.starting("cell")[0]] * 2)

    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    assert match.ply == 2
    assert table.whispers(table.ann) == []


async def test_a_stale_board_is_brought_up_to_date_and_says_so(table: Table):
    """The board is played on elsewhere: here through the service, as from another channel."""
    board = await table.start()
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    await table.bot.matches.perform(match.id, Play(40), user_id=table.ann, ply=0)

    await table.press(board, board.starting("board")[0])

    assert "out of date" in table.whispers(table.ann)[-1]
    assert "2 moves" in table.again(board).text


async def test_a_finished_game_says_so(table: Table):
    board = await table.start()
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)

    await table.press(board, board.starting("board")[0])

    assert "This game is over" in table.whispers(table.ann)[-1]
    assert list(table.again(board).buttons) == ["Play again", "Review", "Replay", "Export"]


async def test_several_games_run_in_one_channel(table: Table):
    first = await table.start()
    second = await table.start()
    third = await table.start(user=table.ben)
    await table.play(first)
    await table.play(third, user=table.ben)

    plies = [match.ply for match in await table.bot.matches.ongoing_of(table.ann)]
    assert sorted(plies) == [0, 2]
    assert len(table.again(second).starting("board")) == 9


async def test_board_posts_the_board_below_and_leaves_a_pointer(table: Table):
    board = await table.start()
    await table.sandbox.people.say(table.ben, table.channel, "hello")

    await table.command("board")

    below = table.newest()
    assert below.id > board.id
    assert "is now at the bottom" in table.again(board).text
    assert str(below.id) in table.again(board).text
    assert await table.play(below)


async def test_move_down_does_the_same_from_a_button(table: Table):
    board = await table.start()

    await table.press(board, board.buttons["Bring to bottom"])

    assert table.newest().id > board.id
    assert "is now at the bottom" in table.again(board).text


async def test_board_without_a_game_says_how_to_start_one(table: Table):
    await table.command("board")

    assert "/play" in table.whispers(table.ann)[-1]


async def test_a_game_is_found_by_number_in_a_list_of_ones_own(table: Table):
    await table.start()
    await table.start(user=table.ben)

    choices = await table.sandbox.people.autocomplete(
        table.ann, table.channel, "board", {"game": ""}, "game"
    )

    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    assert [choice["value"] for choice in choices] == [match.id]


async def test_resign_asks_first(table: Table):
    board = await table.start()

    await table.command("resign")
    asked = table.newest()
    assert asked.id != board.id
    assert set(asked.buttons) == {"Yes, resign", "Keep playing"}

    await table.press(asked, asked.buttons["Keep playing"])
    assert len(table.again(asked).starting("board")) == 9


async def test_resigning_ends_the_game(table: Table):
    board = await table.start()
    await table.press(board, board.buttons["Resign"])
    await table.press(board, table.again(board).buttons["Yes, resign"])

    assert "resigned" in table.again(board).text
    match = await table.bot.matches.latest_for(table.ann)
    assert match.is_over


async def test_games_work_in_direct_messages(table: Table):
    direct = await table.sandbox.people.open_direct(table.ann)
    await table.command("play", channel=direct.id, level=1)

    assert len(table.newest(channel=direct.id).starting("board")) == 9


@pytest.mark.skipif(find_description() is None, reason="Discord's description is not at hand")
async def test_the_bodies_are_checked_against_discords_description(table: Table):
    """The fixture checks them after every test; this shows that a mistake would be found."""
    await table.start()
    callback = table.sandbox.requests.matching("POST /interactions/*/callback")[0]
    callback.body["data"]["components"][0]["type"] = 99

    assert len(mistakes_in(table.sandbox)) == 1
    callback.body["data"]["components"][0]["type"] = 17


@pytest.mark.parametrize(
    ("variant", "words"),
    [
        ("depth=1", "pick a cell for your X"),
        ("standard", "pick a **board**"),
        ("sttt-tactical", "pick a **board**"),
    ],
)
async def test_what_is_to_be_picked_first_is_told(table: Table, variant: str, words: str):
    assert words in (await table.start(variant=variant)).text
