"""The lesson: newcomers are offered it, and anybody can take it."""

from __future__ import annotations

from pathlib import Path

from bot.model.preferences import LessonProgress
from deploy.sandbox import Sandbox
from engine import EXERCISES
from tests.cogs.table import Board, Table, commands_named, running_bot, settings_for

# Texts of the first exercise, of a wrong answer, of one that loses the game, of a right one.
SAID = {
    "en-GB": ("Send O to board 7", "Not quite.", "where O wins the game", "Right!"),
    "de": ("Schick O in Brett 7", "Nicht ganz.", "dort gewinnt O die Partie", "Richtig!"),
    "ru": ("Отправьте O на доску 7", "совсем.", "где O выигрывает партию", "Верно!"),
}
TRAP = 4


def newest(table: Table, user: int | None = None) -> Board:
    """Return the newest message, with a board or without."""
    return Board(table.seen(user)[-1])


async def press(table: Table, board: Board, custom_id: str) -> Board:
    await table.press(board, custom_id)
    return table.again(board)


async def answer(table: Table, board: Board, step: int, *, right: bool) -> Board:
    """Play the last right or wrong move, choosing its board first if the choice is free."""
    exercise = EXERCISES[step - 1]
    legal = exercise.position.legal_moves
    move = [each for each in legal if exercise.judge(each).is_right is right][-1]
    if exercise.position.target is None:
        assert len(board.starting("lesson")) == len(exercise.position.playable_boards)
        board = await press(table, board, f"lesson:{step}:{move // 9 + 1}")
        assert f"lesson:{step}:0" in board.buttons.values()  # another board
    here = [f"lesson-cell:{step}:{each}" for each in legal if each // 9 == move // 9]
    assert board.starting("lesson-cell") == here
    return await press(table, board, f"lesson-cell:{step}:{move}")


async def take(table: Table, board: Board, locale: str) -> Board:
    """Answer the questions, in English each one wrong at first; return the end of the lesson."""
    asked, not_quite, lost, right = SAID[locale]
    assert asked in board.text
    for step in range(1, len(EXERCISES) + 1):
        if step == TRAP or locale == "en-GB":
            wrong = await answer(table, board, step, right=False)
            assert not_quite in wrong.text
            assert (lost in wrong.text) == (step == TRAP)
            assert wrong.starting("lesson") == [f"lesson:{step}:0"]
            board = await press(table, wrong, f"lesson:{step}:0")
        board = await answer(table, board, step, right=True)
        assert right in board.text
        if step < len(EXERCISES):
            assert board.starting("lesson-play") == ["lesson-play:3"]
            board = await press(table, board, f"lesson:{step + 1}:0")
    return board


async def test_a_newcomer_learns_the_game_and_plays_it(table: Table):
    await table.command("play")
    offer = newest(table)
    assert offer.message["flags"] & 64
    assert list(offer.buttons) == ["Start the lesson", "Just play"]

    end = await take(table, await press(table, offer, "lesson:1:0"), "en-GB")
    assert "X wins: three boards in a row (1, 5, 9)" in end.alt
    assert "`/challenge`" in commands_named(end.text)
    end = await press(table, end, end.buttons["Play the computer"])

    (match,) = await table.bot.matches.ongoing_of(table.ann)
    board = table.newest(table.ben)
    assert "Computer, level 1" in board.text
    assert match.message_id == board.id
    assert f"/{board.id}" in end.text
    assert end.buttons == {}
    assert "2 moves" in (await table.play(board)).text
    for locale in ("de", "ru"):
        table.sandbox.people.set_person(table.ann, locale=locale)
        await table.bot.preferences.change(table.ann, text_board=locale == "ru")
        await table.command("learn")
        assert ("[5]" in newest(table).text) == (locale == "ru")
        await take(table, newest(table), locale)
    wanted = await table.bot.preferences.of(table.ann)
    assert wanted.lesson is LessonProgress.FINISHED


async def test_it_is_offered_until_it_is_taken_or_skipped_or_a_game_is_played(
    sandbox: Sandbox, tmp_path: Path
):
    """After a restart too; a command with an option starts at once."""
    settings = settings_for(sandbox, tmp_path)
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        people = (table.ann, table.ben, sandbox.world.people[2].id)
        for each in people:
            await table.command("play", user=each)
            assert newest(table, each).starting("lesson") == ["lesson:1:0"]
            assert await bot.matches.ongoing_of(each) == []
        offer = newest(table)

    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        await table.command("play")
        assert newest(table).starting("lesson") == ["lesson:1:0"]
        skipped = await press(table, offer, offer.buttons["Just play"])
        await table.command("learn", user=table.ben)
        await table.command("play", user=people[2], level=1)
        for each in people:
            await table.command("play", user=each)
            assert len(table.newest(each).starting("board")) == 9

        assert [len(await bot.matches.ongoing_of(each)) for each in people] == [2, 1, 2]
        assert "is now at the bottom" in skipped.text
        progress = [(await bot.preferences.of(each)).lesson for each in people]
        assert progress == [LessonProgress.SKIPPED, LessonProgress.STARTED, None]


async def test_a_lost_board_follows_and_old_buttons_ask_again(table: Table):
    """Custom ids of a version with other exercises lead to this version's."""
    table.sandbox.faults.fail("POST /webhooks/*", status=400)
    await table.command("play")
    await table.press(newest(table), "lesson-play:3")
    assert "the board follows" in table.whispers(table.ann)[-1]
    (match,) = await table.bot.matches.ongoing_of(table.ann)
    assert len(table.newest(table.ben).starting("board")) == 9
    assert match.message_id == table.newest(table.ben).id

    await table.command("learn")
    learned = newest(table)
    parts = ("lesson-cell:1:0", "lesson-cell:9:80", "lesson:9:9")
    for number, custom_id in enumerate(parts):
        posted = table.post({"type": 2, "style": 1, "label": str(number), "custom_id": custom_id})
        board = await press(table, posted, custom_id)
        assert ("Send O to board 7" in board.text) == custom_id.endswith("1:0")
    assert newest(table).text != learned.text


async def test_where_games_may_not_be_played_nothing_is_offered(table: Table):
    channel = table.sandbox.world.channel_called("games").id
    guild = table.sandbox.world.channel(channel).guild_id
    assert guild is not None
    await table.bot.servers.change(guild, channels=frozenset({channel}))

    await table.command("play")

    assert table.whispers(table.ann)[-1].startswith("Games are not played in this channel.")
