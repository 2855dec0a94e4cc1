"""A person plays the computer through the real client."""

from __future__ import annotations

import asyncio

import pytest

from deploy.sandbox import Interaction
from tests.cogs.table import JSON, Board, Table, mistakes_in
from tests.openapi import find_description


def callbacks(table: Table) -> list[JSON]:
    return [each.body for each in table.sandbox.requests.matching("POST /interactions/*/callback")]


async def test_a_new_game_offers_nine_boards_and_says_so(table: Table):
    board = await table.start()

    assert len(board.starting("board")) == 9
    assert "free to choose" in board.text
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


async def test_someone_else_is_told_whose_game_it_is(table: Table):
    board = await table.start()

    await table.press(board, board.starting("board")[0], user=table.ben)

    assert "This game is between" in table.whispers(table.ben)[-1]
    assert table.whispers(table.ann) == []
    assert table.again(board).text == board.text


async def both(table: Table, board: Board, custom_ids: list[str]) -> list[Interaction]:
    """Press several buttons before any of the presses has been answered."""
    pressed = [await table.sandbox.world.press(table.ann, board.id, each) for each in custom_ids]
    await asyncio.gather(*(each.wait() for each in pressed))
    await table.quiet()
    return pressed


async def test_of_two_clicks_at_once_one_is_played_and_both_are_answered(table: Table):
    board = await table.start()
    await table.press(board, board.starting("board")[4])
    board = table.again(board)

    await both(table, board, board.starting("cell")[:2])

    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    assert match.ply == 2
    assert len(table.whispers(table.ann)) == 1
    assert "out of date" in table.whispers(table.ann)[0]


async def test_the_same_click_twice_is_no_mistake(table: Table):
    board = await table.start()
    await table.press(board, board.starting("board")[4])
    board = table.again(board)

    await both(table, board, [board.starting("cell")[0]] * 2)

    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    assert match.ply == 2
    assert table.whispers(table.ann) == []


async def test_a_stale_board_is_brought_up_to_date_and_says_so(table: Table):
    """The board is played on elsewhere: here through the service, as from another channel."""
    board = await table.start()
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    await table.bot.matches.play(match.id, user_id=table.ann, ply=0, move=40)

    await table.press(board, board.starting("board")[0])

    assert "out of date" in table.whispers(table.ann)[-1]
    assert "2 moves" in table.again(board).text


async def test_a_finished_game_says_so(table: Table):
    board = await table.start()
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    await table.bot.matches.resign(match.id, user_id=table.ann)

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
    await table.sandbox.world.say(table.ben, table.channel, "hello")

    await table.command("board")

    below = table.newest()
    assert below.id > board.id
    assert "moved down" in table.again(board).text
    assert str(below.id) in table.again(board).text
    assert await table.play(below)


async def test_move_down_does_the_same_from_a_button(table: Table):
    board = await table.start()

    await table.press(board, board.buttons["Move down"])

    assert table.newest().id > board.id
    assert "moved down" in table.again(board).text


async def test_board_without_a_game_says_how_to_start_one(table: Table):
    await table.command("board")

    assert "/play" in table.whispers(table.ann)[-1]


async def test_a_game_is_found_by_number_in_a_list_of_ones_own(table: Table):
    await table.start()
    await table.start(user=table.ben)

    choices = await table.sandbox.world.autocomplete(
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
    direct = await table.sandbox.world.open_direct(table.ann)
    await table.command("play", channel=direct.id)

    assert len(table.newest(channel=direct.id).starting("board")) == 9


async def test_rules_lead_with_the_rule_of_sending(table: Table):
    await table.command("rules", variant="majority")

    board = table.newest()
    assert board.message["flags"] & 64
    assert board.text.index("names the board") < board.text.index("nine boards of nine cells")
    assert "Majority" in board.text


async def test_help_lists_every_command(table: Table):
    await table.command("help")

    text = Board(table.seen()[-1]).text
    names = (
        *("play", "challenge", "lobby", "move", "watch", "board", "resign"),
        *("hint", "review", "replay", "leaderboard", "profile", "export", "import"),
        *("rules", "variants", "field", "help"),
    )
    assert [name for name in names if f"`/{name}`" not in text] == []


@pytest.mark.skipif(find_description() is None, reason="Discord's description is not at hand")
async def test_the_bodies_are_checked_against_discords_description(table: Table):
    """The fixture does so after every test; here it is shown that a mistake would be found."""
    await table.start()
    callback = table.sandbox.requests.matching("POST /interactions/*/callback")[0]
    callback.body["data"]["components"][0]["type"] = 99

    assert len(mistakes_in(table.sandbox)) == 1
    callback.body["data"]["components"][0]["type"] = 17


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

    await both(table, board, [board.buttons["Swap: take X"]] * 2)

    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    assert match.names[0] == "Ann"


async def test_the_computer_may_swap_as_well(table: Table):
    """Level 1 throws a coin: somewhere in ten games it does."""
    swapped = []
    for _ in range(10):
        board = await table.start(variant="pie")
        await table.play(board, pick=4)
        match = (await table.bot.matches.ongoing_of(table.ann))[0]
        swapped.append(match.swapped)
        assert match.position.side == match.side_of(table.ann)

    assert True in swapped


async def test_a_move_may_be_typed(table: Table):
    board = await table.start()

    await table.command("move", cell="55")

    below = table.newest()
    assert below.id > board.id
    assert "2 moves" in below.text
    assert "moved down" in table.again(board).text


async def test_the_board_may_be_left_out_where_there_is_no_choice(table: Table):
    await table.start()
    await table.command("move", cell="55")
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    slot = match.position.legal_moves[0] % 9

    await table.command("move", cell=str(slot + 1))

    assert (await table.bot.matches.load(match.id)).ply == 4


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

    offered = await table.sandbox.world.autocomplete(
        table.ann, table.channel, "move", {"cell": "5"}, "cell"
    )

    assert [choice["value"] for choice in offered] == [f"5{cell}" for cell in range(1, 10)]


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
