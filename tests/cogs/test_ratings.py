"""What a rated game comes to, seen from Discord."""

from __future__ import annotations

from tests.cogs.table import Board, Table
from tests.cogs.test_challenge import begun


async def test_a_rated_game_is_on_both_profiles(table: Table):
    board, match = await begun(table, rated=True, colour=0)
    assert match.rated
    for _ in range(2):
        board = await table.play(board, user=table.ann)
        board = await table.play(board, user=table.ben)
    await table.press(board, board.buttons["Resign"])
    question = Board(table.seen()[-1])
    await table.press(question, question.buttons["Yes, resign"])
    assert "Ratings: Ann 1500? → " in table.again(board).text

    await table.command("profile")
    own = Board(table.seen()[-1])
    await table.command("profile", player=str(table.ben))
    other = Board(table.seen()[-1])

    assert "1 game: 0 won, 0 drawn, 1 lost" in own.text
    assert "1 game: 1 won, 0 drawn, 0 lost" in other.text
    assert (await table.files(own))["profile.png"].startswith(b"\x89PNG")
    ann, ben = [
        await table.bot.ratings.rating_of(each, "standard") for each in (table.ann, table.ben)
    ]
    assert ann.rating.value < 1500 < ben.rating.value


async def test_a_newcomer_has_an_empty_profile(table: Table):
    await table.command("profile")

    assert "No finished games yet" in Board(table.seen()[-1]).text


async def test_an_empty_leaderboard_says_what_it_takes(table: Table):
    await table.command("leaderboard", variant="open-board", period="WEEK")

    text = Board(table.seen()[-1]).text
    assert "Open Board" in text
    assert "Nobody is on this leaderboard yet" in text
    assert "You:" in text


async def test_custom_rules_have_no_leaderboard(table: Table):
    await table.command("leaderboard", variant="goal=five")

    assert "only named variants are rated" in table.whispers(table.ann)[-1]


async def test_a_challenge_that_could_not_count_is_refused_before_the_game(table: Table):
    await table.command("challenge", player=str(table.ben), variant="goal=five", rated=True)

    assert await table.bot.challenges.challenges_of(table.ann) == []
    assert len(table.whispers(table.ann)) == 1
