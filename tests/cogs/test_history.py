"""Played games: lists of them, looking at one again, and what follows a game."""

from __future__ import annotations

import io
import random
from datetime import UTC, datetime
from itertools import chain
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import Connection, insert

from bot.model.actions import Resign
from bot.model.match import Match
from bot.services.analysis import ReviewBook
from bot.storage.history import StoredReview, Wanted, find_review, save_review
from bot.storage.preferences import save_player
from bot.storage.schema import match, seat
from cogs import after
from cogs.analysis import BUTTONS as ANALYSIS_BUTTONS
from cogs.history import BUTTONS as HISTORY_BUTTONS
from cogs.history import HistoryState
from cogs.play.buttons import BUTTONS as PLAY_BUTTONS
from cogs.ratings.cog import BUTTONS as RATING_BUTTONS
from cogs.records import BUTTONS as RECORD_BUTTONS
from engine import VARIANTS
from tests.cogs.table import Board, Table, commands_named, readers_among
from tests.cogs.test_challenge import begun

LARGEST_USER = 2**63 - 1
LARGEST_MATCH = 10**18 - 1


async def put(table: Table, count: int, **changes: Any) -> list[int]:
    """Store finished games of Ann's against Ben without playing them; return their numbers."""
    now = datetime.now(UTC)
    guild_id = table.sandbox.world.channels[table.channel].guild_id

    def job(connection: Connection) -> list[int]:
        found = []
        for player_id, name in ((table.ann, "Ann"), (table.ben, "Ben")):
            save_player(connection, player_id=player_id, name=name, seen_at=now)
        for number in range(count):
            row = {
                "variant_key": "standard",
                "rules": "standard",
                "status": "finished",
                "ply": 0,
                "winner": number % 2,
                "end_reason": "resigned",
                "guild_id": guild_id,
                "created_at": now,
                "updated_at": now,
                "ended_at": now,
            } | changes
            id_ = connection.execute(insert(match).returning(match.c.id), row).scalar_one()
            seats = [
                {"match_id": id_, "side": side, "player_id": who, "level": None}
                for side, who in enumerate((table.ann, table.ben))
            ]
            connection.execute(insert(seat), seats)
            found.append(id_)
        return found

    return await table.bot.ratings.database.write(job)


async def finished(table: Table, **options: Any) -> tuple[Board, Match]:
    """Let Ann and Ben play four moves, and Ann resign."""
    board, running = await begun(table, colour=0, **options)
    for _ in range(2):
        board = await table.play(board, user=table.ann)
        board = await table.play(board, user=table.ben)
    await table.press(board, board.buttons["Resign"])
    question = Board(table.seen()[-1])
    await table.press(question, question.buttons["Yes, resign"])
    return table.again(board), await table.bot.matches.load(running.id)


def newest(table: Table, user: int | None = None) -> Board:
    return Board(table.seen(user)[-1])


def numbers(board: Board) -> list[int]:
    lines = [line for line in board.text.splitlines() if line.startswith("**")]
    return [int(line.split("**")[1]) for line in lines]


async def test_a_history_goes_back_page_by_page(table: Table):
    games = await put(table, 23)
    await table.command("history")
    first = newest(table)

    assert first.message["flags"] & 64
    assert numbers(first) == games[:12:-1]
    assert "Newer" not in first.buttons
    await table.press(first, first.buttons["Older"])
    second = newest(table)
    assert second.id == first.id
    assert numbers(second) == games[12:2:-1]
    await table.press(second, second.buttons["Older"])
    last = newest(table)
    assert numbers(last) == games[2::-1]
    assert "Older" not in last.buttons
    await table.press(last, last.buttons["Newer"])
    assert numbers(newest(table)) == games[12:2:-1]
    await table.press(newest(table), newest(table).buttons["Newer"])
    assert numbers(newest(table)) == games[:12:-1]
    assert "Newer" not in newest(table).buttons


async def test_a_history_is_filtered(table: Table):
    plain = await put(table, 2)
    other = await put(table, 1, variant_key="majority", rules="majority", winner=None)
    rated = await put(table, 1, rated=1)

    async def listed(**options: Any) -> list[int]:
        await table.command("history", **options)
        return numbers(newest(table))

    assert await listed() == [*rated, *other, *reversed(plain)]
    assert await listed(variant="Majority") == other
    assert await listed(result="d") == other
    assert await listed(result="l") == [plain[1]]
    assert await listed(result="w", rated=False) == [plain[0]]
    assert await listed(rated=True) == rated
    assert await listed(opponent=str(table.ben)) == [*rated, *other, *reversed(plain)]
    assert await listed(opponent=str(table.ann)) == []
    assert "No finished games like these" in newest(table).text
    assert await listed(computer=True) == []
    assert await listed(player=str(table.ben), result="w") == [plain[1]]
    text = newest(table).text
    assert "### Games of Ben" in text
    assert "**won** against Ann (X)" in text  # Ben had O


async def test_a_history_takes_named_variants_only(table: Table):
    await table.command("history", variant="goal=five")
    assert "Only named variants can be searched" in table.whispers(table.ann)[-1]
    await table.command("history", variant="nonsense")
    assert "nonsense" in table.whispers(table.ann)[-1]


async def test_a_line_tells_the_game_and_leads_to_its_board(table: Table):
    board, over = await finished(table, rated=True)

    await table.command("history", user=table.ben)

    line = next(line for line in newest(table, table.ben).text.splitlines() if "**won" in line)
    assert line.startswith(f"**{over.id}** <t:")
    assert "Standard · **won** against Ann (X) · 1500 → 1662 (+162)" in line
    assert f"/{table.channel}/{board.id})" in line


async def test_private_games_are_their_players_own(table: Table):
    """Played outside any server: others can neither find nor see them."""
    cleo = table.sandbox.world.person("Cleo").id
    (private,) = await put(table, 1, guild_id=None)
    (public,) = await put(table, 1)

    await table.command("history", user=cleo, player=str(table.ann))
    assert numbers(newest(table, cleo)) == [public]
    await table.command("history", user=table.ben, player=str(table.ann))
    assert numbers(newest(table, table.ben)) == [public, private]

    for name, option in (
        ("game", "number"),
        ("watch", "game"),
        ("review", "game"),
        ("replay", "game"),
        ("export", "game"),
    ):
        await table.command(name, user=cleo, **{option: private})
        assert "was played in private" in table.whispers(cleo)[-1], name
    assert len([said for said in table.whispers(cleo) if said]) == 5
    await table.command("game", user=table.ben, number=private)
    assert newest(table, table.ben).text.startswith("### Ann (X) against Ben (O)")


async def test_a_finished_game_is_shown_with_its_moves_and_shared(table: Table):
    _, over = await finished(table, rated=True)
    cleo = table.sandbox.world.person("Cleo").id

    await table.command("game", user=cleo, number=over.id)

    shown = newest(table, cleo)
    assert shown.message["flags"] & 64
    assert set(shown.buttons) == {"Review", "Replay", "Export", "Share here"}
    assert "-# 4 moves: 1." in shown.text
    assert set(await table.files(shown)) == {"board.png", "result.png"}
    await table.press(shown, shown.buttons["Share here"], user=cleo)
    card = newest(table)
    assert not card.message["flags"] & 64
    assert card.text.startswith(f"### Cleo shares game {over.id}")
    assert "Ben wins" in card.alt
    assert "O Ben: placement game 1 of 5" in card.alt
    assert set(await table.files(card)) == {"result.png"}


async def test_a_running_game_is_shown_without_buttons(table: Table):
    board, running = await begun(table, colour=0)
    await table.play(board, user=table.ann)

    await table.command("game", user=table.ben, number=running.id)

    shown = newest(table, table.ben)
    assert shown.message["flags"] & 64
    assert shown.buttons == {}
    assert "-# 1 move: 1." in shown.text


async def test_a_number_that_is_no_game_is_answered(table: Table):
    await table.command("game", number=99)

    assert "no game 99" in table.whispers(table.ann)[-1]


async def test_a_game_of_the_list_is_opened_from_the_menu(table: Table):
    (first, second) = await put(table, 2)
    await table.command("history")
    listed = newest(table)
    menu = next(part for part in listed.parts if part["type"] == 3)
    assert [option["value"] for option in menu["options"]] == [str(second), str(first)]

    interaction = await table.sandbox.people.select(
        table.ann, listed.id, menu["custom_id"], [str(first)]
    )
    await interaction.wait()
    await table.quiet()

    assert f"Game {first}" in newest(table).text
    assert numbers(next(Board(each) for each in table.seen() if int(each["id"]) == listed.id))


async def test_games_are_offered_while_a_number_is_typed(table: Table):
    (game,) = await put(table, 1)

    offered = await table.sandbox.people.autocomplete(
        table.ann, table.channel, "game", {"number": ""}, "number"
    )

    assert {"name": f"Game {game} against Ben, finished", "value": game} in [
        {"name": each["name"], "value": each["value"]} for each in offered
    ]


async def test_a_result_is_a_card_below_the_board_with_the_ways_on(table: Table):
    board, _ = await finished(table, rated=True)

    files = await table.files(board)
    assert set(files) == {"board.png", "result.png"}
    with Image.open(io.BytesIO(files["result.png"])) as strip:
        assert strip.width > 3 * strip.height
    galleries = [part for part in board.parts if part["type"] == 12]
    assert "X Ann: placement game 1 of 5" in galleries[1]["items"][0]["description"]
    assert set(board.buttons) == {"Rematch", "Review", "Replay", "Export"}


async def test_a_rated_game_that_did_not_count_is_not_called_rated(table: Table):
    """Nor is there a picture of two ratings that have not changed."""
    for board, _ in ((await table.start(rated=True), None), await begun(table, rated=True)):
        assert "rated" in board.text.splitlines()[-1]
        await table.command("resign")
        question = newest(table)
        await table.press(question, question.buttons["Yes, resign"])
        over = table.newest()
        assert "This game is not rated: it ended within" in over.text
        assert "rated" not in over.text.splitlines()[-1]
        assert set(await table.files(over)) == {"board.png"}


async def test_a_casual_game_of_two_people_has_no_card_but_says_that_it_was_casual(table: Table):
    board, over = await finished(table)

    assert "casual" in table.again(board).text.splitlines()[-1]
    assert set(await table.files(board)) == {"board.png"}
    assert over.is_over


async def test_a_casual_game_against_the_computer_has_no_card(table: Table):
    await table.start()
    running = (await table.bot.matches.ongoing_of(table.ann))[0]
    await table.command("resign")
    board = newest(table)
    await table.press(board, board.buttons["Yes, resign"])

    over = table.again(board)
    assert set(await table.files(over)) == {"board.png"}
    assert set(over.buttons) == {"Play again", "Review", "Replay", "Export"}
    assert (await table.bot.matches.load(running.id)).is_over


async def test_the_record_is_handed_out_by_a_button(table: Table):
    board, over = await finished(table)

    await table.press(board, board.buttons["Export"], user=table.ben)

    given = newest(table, table.ben)
    assert given.message["flags"] & 64
    record = (await table.files(given))[f"game-{over.id}.uttt"].decode()
    assert '[X "Ann"]' in record


async def test_a_replay_has_a_bar_once_the_game_was_reviewed(table: Table):
    board, over = await finished(table)
    await table.press(board, board.buttons["Replay"], user=table.ben)
    plain = newest(table, table.ben)
    assert plain.message["flags"] & 64
    assert "After a `/review`" in commands_named(plain.text)

    await table.press(board, board.buttons["Review"], user=table.ben)
    review = newest(table, table.ben)
    assert review.message["flags"] & 64
    assert f"Review of game {over.id}" in review.text
    await table.press(review, review.buttons["Share here"], user=table.ben)
    shared = newest(table)
    assert not shared.message["flags"] & 64
    assert f"Review of game {over.id}" in shared.text

    await table.command("replay", game=over.id)
    with_bar = newest(table)
    assert "After a `/review`" not in commands_named(with_bar.text)
    films = [(await table.files(each))["replay.gif"] for each in (plain, with_bar)]
    widths = [Image.open(io.BytesIO(film)).width for film in films]
    assert widths[1] > widths[0]


async def test_many_who_ask_for_a_review_get_the_same_one(table: Table):
    _, over = await finished(table)
    reviews = table.bot.reviews

    first = await reviews.review(over)
    again = await reviews.review(over)

    assert again is first
    stored = await reviews.chances_of(over.id)
    assert stored == pytest.approx(first.chances, abs=0.001)
    assert await reviews.chances_of(over.id + 1) is None

    # What an older version stored lacks the best moves: it is made again.
    database = table.bot.matches.database
    kept = StoredReview(first.chances, ())
    await database.write(save_review, over.id, kept, over.created_at)
    made = await ReviewBook(database, table.bot.analyst).review(over)
    found = await database.read(find_review, over.id)
    assert found == StoredReview(made.chances, tuple(each.best_move for each in made.reviews))


async def test_a_longer_game_is_replayed_from_its_opening_on(table: Table):
    await table.play_on(await table.start(variant="random-four"), random.Random(2), most=6)
    running = (await table.bot.matches.ongoing_of(table.ann))[0]
    await table.bot.matches.perform(running.id, Resign(), user_id=table.ann)
    over = await table.bot.matches.load(running.id)
    await table.bot.reviews.review(over)

    await table.command("replay", game=over.id)

    film = Image.open(io.BytesIO((await table.files(newest(table)))["replay.gif"]))
    assert getattr(film, "n_frames", 1) == over.ply - 4 + 1
    assert "After a `/review`" not in newest(table).text


@pytest.mark.parametrize("variant", [None, *VARIANTS])
@pytest.mark.parametrize("score", [None, 1, 0, -1])
def test_every_state_of_a_history_is_read_back(variant: str | None, score: int | None):
    for rated in (None, True, False):
        for computer in (None, True, False):
            for go in ({}, {"older_than": LARGEST_MATCH}, {"newer_than": LARGEST_MATCH}):
                wanted = Wanted(
                    variant_key=variant,
                    opponent_id=LARGEST_USER,
                    against_computer=computer,
                    rated=rated,
                    score=score,
                )
                state = HistoryState(who=LARGEST_USER, wanted=wanted, **go)
                assert HistoryState.parse(state.custom_id) == state
                assert len(state.custom_id) <= 100
                assert readers(state.custom_id) == ["HistoryButton"]


def readers(custom_id: str) -> list[str]:
    """Return the names of the buttons of all features that match a custom id."""
    features = (HISTORY_BUTTONS, ANALYSIS_BUTTONS, RECORD_BUTTONS, RATING_BUTTONS, PLAY_BUTTONS)
    return readers_among(chain.from_iterable(features), custom_id)


def test_what_follows_a_game_is_read_back():
    written = [f"{name}:{LARGEST_MATCH}" for name in ("review", "replay", "export")]
    written += [f"share:{kind}:{LARGEST_MATCH}" for kind in after.Shared]
    written += [
        f"review-at:{LARGEST_USER}:{LARGEST_MATCH}:729:{key}" for key in ("mistake", "summary")
    ]
    written += [f"hint:{LARGEST_MATCH}", f"hinted:{LARGEST_MATCH}:729:999999999:728"]
    assert all(len(custom_id) <= 100 for custom_id in written)

    assert [readers(custom_id) for custom_id in written] == [
        ["ReviewButton"],
        ["ReplayButton"],
        ["ExportButton"],
        *([["ShareButton"]] * 3),
        *([["ReviewAtButton"]] * 2),
        ["HintButton"],
        ["HintedButton"],
    ]
