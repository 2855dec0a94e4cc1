"""The results of rated games, as seen on Discord."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, insert

from bot.model.actions import Resign
from bot.model.preferences import PlayerPreferences
from bot.model.ratings.values import BoardKey, BoardKind, Period
from bot.storage.preferences import save_player
from bot.storage.schema import guild_player, rating
from cogs.pages import compact
from cogs.ratings.cog import BUTTONS
from cogs.ratings.pages import BoardState, Page, ProfileState
from engine import VARIANTS
from tests.bot.services.ratings.league import League, level, rating_of
from tests.cogs.table import Board, Table, readers_among
from tests.cogs.test_challenge import begun

GUILD_PLAYERS = 25


async def fill(table: Table, *, mine: int | None = None) -> None:
    """Put people with ratings on the leaderboard of standard rules; Ann at a rank if asked."""
    now = datetime.now(UTC)
    guild_id = table.sandbox.world.channels[table.channel].guild_id
    ids = [7_000 + number for number in range(1, GUILD_PLAYERS + 1)]
    if mine is not None:
        ids[mine - 1] = table.ann

    def job(connection: Connection) -> None:
        for number, player_id in enumerate(ids, start=1):
            name = "Ann" if player_id == table.ann else f"Rival {number}"
            save_player(connection, player_id=player_id, name=name, seen_at=now)
            row = {
                "pool": "standard",
                "player_id": player_id,
                "value": 2000.0 - 10 * number,
                "deviation": 60.0,
                "volatility": 0.06,
                "games": 20,
                "opponents": 6,
                "telling": 20,
                "last_game_at": now,
                "listed_until": now + timedelta(days=20),
                "won": 12,
                "drawn": 3,
                "placed_after": 5,
            }
            connection.execute(insert(rating), row)
            if number <= GUILD_PLAYERS - 5:
                here: dict[str, Any] = {
                    "guild_id": guild_id,
                    "pool": "standard",
                    "player_id": player_id,
                }
                here |= {"games": 0, "won": 0, "drawn": 0, "careful": 1880.0 - 10 * number}
                connection.execute(insert(guild_player), here)

    await table.bot.ratings.database.write(job)


def shown(board: Board) -> list[str]:
    """Return the names listed on a leaderboard, as text or in the words of its picture."""
    lines = board.text.splitlines() if board.alt == "" else board.alt.split(". ")
    return [word for line in lines for word in line.split("**") if word.startswith("Rival")]


def posted(table: Table) -> Board:
    """Return the newest message that everybody sees."""
    return Board([each for each in table.seen() if not each["flags"] & 64][-1])


async def test_a_leaderboard_is_a_picture_with_my_rank_and_pages(table: Table):
    await fill(table, mine=14)
    await table.command("leaderboard")
    first = Board(table.seen()[-1])

    assert (await table.files(first))["leaderboard.png"].startswith(b"\x89PNG")
    assert "You: 14. Ann 1860, 20 games, 60% won." in first.alt
    assert "You are number 14 of 20" in first.text
    assert "1. Rival 1 1990" in first.alt
    assert "Previous" not in first.buttons
    await table.press(first, first.buttons["Next"])
    second = table.again(first)
    assert "11. Rival 11 1890" in second.alt
    assert {"Previous"} == {"Previous", "Next"} & set(second.buttons)
    await table.press(second, second.buttons["Previous"])
    assert table.again(first).alt == first.alt


async def test_my_rank_turns_to_the_page_i_am_on(table: Table):
    await fill(table, mine=14)
    await table.command("leaderboard", everywhere=True)
    first = Board(table.seen()[-1])

    await table.press(first, first.buttons["My rank"])

    mine = table.again(first)
    assert "9. Rival 9" in mine.alt
    assert "18. Rival 18" in mine.alt
    assert {"Previous", "Next"} <= set(mine.buttons)
    assert "My rank" not in mine.buttons
    assert "of 25" in mine.text


async def test_somebody_else_turns_pages_of_their_own(table: Table):
    await fill(table, mine=14)
    await table.command("leaderboard")
    first = Board(table.seen()[-1])

    await table.press(first, first.buttons["Next"], user=table.ben)

    assert table.again(first).alt == first.alt
    own = Board(table.seen(table.ben)[-1])
    assert own.message["flags"] & 64
    assert "11. Rival 11" in own.alt
    assert "You have not finished a rated game here yet." in own.text
    # Their own copy is turned in place, although its first page was Ann's.
    await table.press(own, own.buttons["Previous"], user=table.ben)
    assert "1. Rival 1 1990" in Board(table.seen(table.ben)[-1]).alt
    assert Board(table.seen(table.ben)[-1]).id == own.id


async def test_a_leaderboard_as_text_says_all_that_the_picture_says(table: Table):
    await fill(table, mine=3)
    await table.command("leaderboard", text=True)
    text = Board(table.seen()[-1])

    assert text.alt == ""
    assert "1. **Rival 1** 1990 (20 games: 12 won, 3 drawn, 5 lost)" in text.text
    assert "3. **Ann** 1970" in text.text
    await table.press(text, text.buttons["As a picture"])
    assert "1. Rival 1 1990" in table.again(text).alt

    wanted = dataclasses.replace(PlayerPreferences(), text_board=True)
    await table.bot.preferences.put(table.ann, wanted)
    await table.command("leaderboard")
    assert Board(table.seen()[-1]).alt == ""
    await table.command("leaderboard", text=False)
    assert Board(table.seen()[-1]).alt != ""


async def test_the_buttons_lead_to_other_leaderboards(table: Table):
    await fill(table)
    await table.command("leaderboard")
    board = posted(table)
    assert "the best of this server" in board.text

    await table.press(board, board.buttons["Most wins"])
    wins = table.again(board)
    assert "most wins in this server" in wins.text
    assert "The first place is free" in wins.alt
    assert "somebody here and win" in wins.text
    await table.press(wins, wins.buttons["All servers"])
    everywhere = table.again(board)
    assert "the best of all servers" in everywhere.text
    await table.press(everywhere, everywhere.buttons["The last 7 days"])

    week = table.again(board)
    assert "The last 7 days" in week.text
    assert "The first place is free. It takes 10 rated games against 5" in week.text
    assert set(week.buttons) == {
        *("My rank", "As text", "All time", "The last 30 days", "This server")
    }


async def test_what_is_missing_is_said_in_private(table: Table):
    """With each new public leaderboard and by a button; never shown to others."""
    await fill(table)
    await play_rated(table)
    told = table.whispers(table.ann)

    await table.command("leaderboard", everywhere=True)

    board = posted(table)
    missing = "So far 1 of 10 rated games, 1 of 5 opponents."
    assert missing in table.whispers(table.ann)[-1]
    assert missing not in board.text
    await table.press(board, board.buttons["My rank"])
    assert table.whispers(table.ann)[-1] == table.whispers(table.ann)[-2]
    assert len(table.whispers(table.ann)) == len(told) + 2
    await table.command("leaderboard")
    assert "You are number" in posted(table).text
    assert len(table.whispers(table.ann)) == len(told) + 2
    await table.command("leaderboard", everywhere=True, by="WINS")
    assert "Wins are counted for each server" in table.whispers(table.ann)[-1]
    table.channel = (await table.sandbox.people.open_direct(table.ann)).id
    forged = "lb:sAi:0:standard:f"
    await table.press(
        table.post({"type": 2, "style": 2, "label": "?", "custom_id": forged}), forged
    )
    assert "Wins are counted for each server" in table.whispers(table.ann)[-1]


async def play_rated(table: Table, *, loser: int | None = None, **options: Any) -> Board:
    """Let Ann and Ben play a rated game, which one of them resigns; return the board."""
    board, match = await begun(table, rated=True, colour=0, **options)
    for _ in range(2):
        board = await table.play(board, user=table.ann)
        board = await table.play(board, user=table.ben)
    await table.bot.matches.perform(match.id, Resign(), user_id=loser or table.ann)
    await table.quiet()
    return table.again(board)


async def test_a_server_s_boards_are_alive_from_the_first_game(table: Table):
    """Two people, an empty database, one evening."""
    await table.command("leaderboard")
    empty = posted(table)
    assert "One rated game is enough" in empty.text
    over = await play_rated(table)
    assert "Ratings: Ann: placement game 1 of 5 · Ben: placement game 1 of 5" in over.text
    strip = [part for part in over.parts if part["type"] == 12][1]["items"][0]["description"]
    assert "X Ann: placement game 1 of 5." in strip

    await table.command("leaderboard")
    first = posted(table)
    assert "1. Ben (placement 1/5), 1 game, 100% won." in first.alt
    assert "2. Ann (placement 1/5), 1 game, 0% won." in first.alt
    assert "You are number 2 of 2" in first.text
    await table.press(first, first.buttons["The last 7 days"])
    assert "1. Ben (placement 1/5)" in table.again(first).alt
    await table.press(first, table.again(first).buttons["Most wins"])
    week = table.again(first)
    assert "1. Ben, 1 won of 1 game." in week.alt
    await table.press(week, week.buttons["As text"])
    assert "1. **Ben** (1 game: 1 won, 0 drawn, 0 lost)" in table.again(week).text
    await table.command("profile", player=str(table.ben))
    profile = posted(table)
    assert "Placement 1/5." in profile.alt
    assert "The rating is shown after the placement." in profile.alt
    assert "1662" not in profile.alt + first.alt + strip


async def test_a_server_of_three_and_of_four_friends_has_a_leaderboard(table: Table):
    """Everybody with a rated game is on it, and each new one joins it with their first."""
    world = table.sandbox.world
    guild = world.guild_of(world.channel(table.channel))
    assert guild is not None
    dan = world.add_user("Dan", id=table.ann + 1_000)
    world.add_member(guild, dan)
    people = {"Ann": table.ann, "Ben": table.ben, "Cleo": world.people[2].id, "Dan": dan.id}

    async def beat(winner: str, loser: str) -> None:
        first, second = people[winner], people[loser]
        await table.command("challenge", user=first, player=str(second), colour=0)
        offer = Board(table.seen()[-1])
        await table.press(offer, offer.buttons["Accept"], user=second)
        match = (await table.bot.matches.ongoing_of(first))[0]
        assert match.rated
        board = table.again(offer)
        for mover in (first, second, first, second):
            board = await table.play(board, user=mover)
        await table.bot.matches.perform(match.id, Resign(), user_id=second)
        await table.quiet()

    async def ranked() -> list[str]:
        await table.command("leaderboard")
        entries = [part for part in posted(table).alt.split(". ") if "(placement" in part]
        return [entry.split(" (")[0] for entry in entries]

    await beat("Ben", "Ann")
    await beat("Cleo", "Ben")
    assert {each.split(". ")[-1] for each in await ranked()} == {"Ann", "Ben", "Cleo"}
    await beat("Dan", "Ann")
    four = [each.split(". ")[-1] for each in await ranked()]
    assert set(four) == set(people)
    assert four[-1] == "Ann", "she has lost twice"
    await table.press(posted(table), posted(table).buttons["Most wins"])
    assert "1 won of 1 game" in posted(table).alt


LARGEST_USER = 2**63 - 1


@pytest.mark.parametrize("pool", VARIANTS)
@pytest.mark.parametrize("period", Period)
def test_every_state_of_a_leaderboard_is_read_back(pool: str, period: Period):
    key = BoardKey(value=-1234.5678901234567, player_id=LARGEST_USER, rank=1_000_000)
    for go in ("f", "m", f"<{key.text}", f">{key.text}", ">1e-05/1/1"):
        for everywhere, as_text, kind in (
            (False, True, BoardKind.WINS),
            (False, False, BoardKind.RATING),
            (True, False, BoardKind.RATING),
        ):
            state = BoardState(
                owner=LARGEST_USER,
                pool=pool,
                everywhere=everywhere,
                period=period,
                kind=kind,
                as_text=as_text,
                go=go,
            )
            assert BoardState.parse(state.custom_id) == state
            assert len(state.custom_id) <= 100
            assert readers_among(BUTTONS, state.custom_id) == ["BoardButton"]


@pytest.mark.parametrize("page", Page)
@pytest.mark.parametrize("pool", [None, *VARIANTS])
def test_every_state_of_a_profile_is_read_back(page: Page, pool: str | None):
    state = ProfileState(
        page=page, owner=LARGEST_USER, who=LARGEST_USER, pool=pool, against=LARGEST_USER
    )

    assert ProfileState.parse(state.custom_id) == state
    assert len(state.custom_id) <= 100
    assert readers_among(BUTTONS, state.custom_id) == ["ProfileButton"]


@pytest.mark.parametrize(
    "go",
    [
        *(">1/2", "<--/1/1", ">1/99999999999999999999/1", ">1/1/99999999999999999999", ">1/-1/1"),
        *(">1e999/1/1", "<-1e999/1/1", ">1/1/9223372036854775807", ">1/1/0"),
    ],
)
def test_a_key_that_nobody_wrote_leads_to_the_first_page(go: str):
    state = BoardState.parse(f"lb:sai:{'z' * 13}:standard:{go}")

    assert state.key is None
    assert state.owner == LARGEST_USER


@pytest.mark.parametrize("number", [0, 1, 35, 36, 10**18, LARGEST_USER])
def test_compact_numbers_are_read_back(number: int):
    assert int(compact(number), 36) == number


@pytest.mark.timeout(10)
@pytest.mark.parametrize("number", [-1, -36, -(2**63)])
def test_a_negative_number_is_refused_at_once(number: int):
    with pytest.raises(ValueError, match="no negative number"):
        compact(number)


async def test_a_profile_turns_to_the_graph_and_to_the_two_of_us(table: Table):
    board, match = await begun(table, rated=True, colour=0)
    for _ in range(2):
        board = await table.play(board, user=table.ann)
        board = await table.play(board, user=table.ben)
    await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)

    await table.command("profile", player=str(table.ben))
    card = Board(table.seen()[-1])
    assert "Placement 1/5." in card.alt
    await table.press(card, card.buttons["Statistics"])
    statistics = table.again(card)
    assert statistics.alt == card.alt
    assert statistics.buttons["Profile"]
    await table.press(statistics, statistics.buttons["Rating graph"])
    graph = table.again(card)
    assert graph.alt.startswith("Rating of Ben, Standard.")
    # They are compared to the person who looks.
    await table.press(graph, graph.buttons["Head to head"])
    both = table.again(card)
    assert both.text.startswith("### Ben against Ann")
    assert "Ben against Ann: 1 game, 1 won, 0 drawn, 0 lost." in both.alt
    await table.press(both, both.buttons["Profile"])
    assert table.again(card).alt == card.alt


async def test_placement_ends_with_a_rating_and_its_graph(table: Table):
    """After five games; until then nothing is shown as a number."""
    await play_rated(table, loser=table.ben)
    now = datetime.now(UTC)

    def play_on(connection: Connection) -> None:
        league = League(connection, table.bot.ratings, now)
        for number in range(2, 6):
            ended = league.end(table.ann, level(number), 0)
        assert ended.rated

    await table.bot.ratings.database.write(play_on)
    points = await table.bot.ratings.points_of(table.ann, "standard")
    rated = await rating_of(table.bot.ratings, table.ann, "standard")

    assert [str(each.words) for each in points[:4]] == [
        f"placement game {number} of 5" for number in range(1, 5)
    ]
    assert str(points[4].words) == f"placement done: {rated.words}"
    await table.command("profile")
    card = Board(table.seen()[-1])
    assert f"Rating {rated.words}." in card.alt
    assert f"Best rating {rated.words}." in card.alt
    assert "1 point." in card.alt  # of the graph


async def test_two_people_are_compared_from_the_command(table: Table):
    cleo = table.sandbox.world.person("Cleo").id
    await table.command(
        "profile", user=cleo, player=str(table.ben), against=str(table.ann), variant="majority"
    )

    both = Board(table.seen(cleo)[-1])
    assert "have not finished a game against each other yet" in both.text
    assert both.buttons == {}


async def test_a_profile_shows_the_rating_of_the_variant_asked_for(table: Table):
    await fill(table, mine=1)
    await table.command("profile", variant="open-board")
    assert "Rating" not in Board(table.seen()[-1]).alt
    await table.command("profile", variant="standard")
    assert "Rating 1990." in Board(table.seen()[-1]).alt
    await table.command("profile", variant="goal=five")
    assert "only named variants are rated" in table.whispers(table.ann)[-1]


async def test_a_rated_game_is_on_both_profiles(table: Table):
    board, match = await begun(table, rated=True, colour=0)
    assert match.rated
    for _ in range(2):
        board = await table.play(board, user=table.ann)
        board = await table.play(board, user=table.ben)
    await table.press(board, board.buttons["Resign"])
    question = Board(table.seen()[-1])
    await table.press(question, question.buttons["Yes, resign"])
    assert "Ratings: Ann: placement game 1 of 5" in table.again(board).text

    await table.command("profile")
    own = Board(table.seen()[-1])
    await table.command("profile", player=str(table.ben))
    other = Board(table.seen()[-1])

    assert "1 game: 0 won, 0 drawn, 1 lost" in own.text
    assert "1 game: 1 won, 0 drawn, 0 lost" in other.text
    assert (await table.files(own))["profile.png"].startswith(b"\x89PNG")
    ann, ben = [
        await rating_of(table.bot.ratings, each, "standard") for each in (table.ann, table.ben)
    ]
    assert ann.rating.value < 1500 < ben.rating.value


async def test_a_profile_is_in_the_menu_of_its_person(table: Table):
    await fill(table, mine=1)
    await table.menu("Profile", of=table.ann, user=table.ben)

    card = Board(table.seen()[-1])
    assert "Ann" in card.alt
    assert "Rating 1990." in card.alt


async def test_a_newcomer_has_an_empty_profile(table: Table):
    await table.command("profile")

    assert "No finished games yet" in Board(table.seen()[-1]).text


async def test_custom_rules_have_no_leaderboard(table: Table):
    await table.command("leaderboard", variant="goal=five")

    assert "only named variants are rated" in table.whispers(table.ann)[-1]


async def test_a_challenge_that_could_not_count_is_refused_before_the_game(table: Table):
    await table.command("challenge", player=str(table.ben), variant="goal=five", rated=True)

    assert await table.bot.challenges.challenges_of(table.ann) == []
    assert len(table.whispers(table.ann)) == 1
