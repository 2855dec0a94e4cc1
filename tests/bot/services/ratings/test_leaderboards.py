"""Who is on a leaderboard, in which order, and how its pages are turned."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import insert, text

from bot.model.ratings.values import BoardKey, BoardKind, Period
from bot.storage import board_queries
from bot.storage.preferences import save_player
from bot.storage.schema import rating
from engine import load_variant
from tests.bot.services.ratings.league import (
    GUILD,
    START,
    League,
    leaderboard,
    level,
    person,
    rank_of,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from bot.model.ratings.values import BoardPage
    from engine.errors import Sentence
    from tests.bot.services.ratings.league import Evening

ANNA, BERT = person(1), person(2)


def put(connection: Connection, number: int, value: float, *, days: float = 30) -> None:
    """Put somebody on the leaderboard with a rating."""
    save_player(connection, player_id=person(number), name=f"Player {number}", seen_at=START)
    connection.execute(
        insert(rating),
        {
            "pool": "standard",
            "player_id": person(number),
            "value": value,
            "deviation": 60.0,
            "volatility": 0.06,
            "games": 20,
            "opponents": 6,
            "telling": 20,
            "best": value,
            "last_game_at": START,
            "listed_until": START + timedelta(days=days),
        },
    )


def play_a_lot(league: League, player_id: int, *, guild_id: int | None = None) -> None:
    """Play often enough, against enough levels, to be on the leaderboard."""
    for number in range(20):
        league.wait(hours=1)
        league.end(player_id, level(3 + number % 5), number % 2, guild_id=guild_id)


def numbers(page: BoardPage) -> list[int]:
    return [entry.player_id - person(0) for entry in page.entries]


async def test_nobody_is_on_an_empty_board(evening: Evening) -> None:
    page = await leaderboard(evening.book, "standard")

    assert page.entries == ()
    assert (page.total, page.before, page.after) == (0, None, None)


async def test_pages_forwards_and_back(evening: Evening) -> None:
    """Twenty-five people, five of them with the same rating across a page's edge."""

    def fill(connection: Connection) -> None:
        for number in range(1, 26):
            put(connection, number, 1700.0 if 8 <= number <= 12 else 1500.0 + number)

    await evening.database.write(fill)
    down = [await leaderboard(evening.book, "standard")]
    while down[-1].after is not None:
        down.append(await leaderboard(evening.book, "standard", after=down[-1].after))
    up = [down[-1]]
    while up[-1].before is not None:
        up.append(await leaderboard(evening.book, "standard", before=up[-1].before))

    assert [len(page.entries) for page in down] == [10, 10, 5]
    entries = [entry for page in down for entry in page.entries]
    assert [entry.rank for entry in entries] == list(range(1, 26))
    assert len({entry.player_id for entry in entries}) == 25
    values = [entry.rating.value for entry in entries]
    assert values == sorted(values, reverse=True)
    assert all(page.total == 25 for page in down)
    # Upwards: the same pages, apart from what says whether there are more.
    assert [page.entries for page in reversed(up)] == [page.entries for page in down]
    assert up[1].after is not None
    assert up[-1].before is None


async def test_my_rank_and_the_page_around_it(evening: Evening) -> None:
    def fill(connection: Connection) -> None:
        for number in range(1, 26):
            put(connection, number, 1500.0 + number)

    await evening.database.write(fill)

    mine = await rank_of(evening.book, person(7), "standard")

    assert mine.entry is not None
    assert (mine.entry.rank, mine.total, mine.why_not) == (19, 25, None)
    page = await leaderboard(evening.book, "standard", after=mine.entry.key, limit=3)
    assert [entry.rank for entry in page.entries] == [20, 21, 22]
    assert numbers(page) == [6, 5, 4]


async def test_the_page_somebody_is_on(evening: Evening) -> None:
    """They stand in its middle, or as near to it as the ends allow."""

    def fill(connection: Connection) -> None:
        for number in range(1, 26):
            put(connection, number, 1500.0 - number)

    await evening.database.write(fill)

    async def ranks(number: int, limit: int = 10) -> list[int]:
        view = await evening.book.view_of(person(number), "standard", around=True, limit=limit)
        assert view.own.entry is not None
        assert view.own.entry.rank == number
        page = view.page
        assert (page.before is None) == (page.entries[0].rank == 1)
        assert (page.after is None) == (page.entries[-1].rank == 25)
        return [entry.rank for entry in page.entries]

    assert await ranks(14) == list(range(9, 19))
    assert await ranks(1) == list(range(1, 11))
    assert await ranks(3) == list(range(1, 11))
    assert await ranks(25) == list(range(16, 26))
    assert await ranks(22) == list(range(16, 26))
    assert await ranks(9, limit=50) == list(range(1, 26))
    view = await evening.book.view_of(person(99), "standard", around=True)
    assert [entry.rank for entry in view.page.entries] == list(range(1, 11))
    assert view.own.entry is None


async def test_pages_seen_by_somebody_are_the_same_pages(evening: Evening) -> None:
    def fill(connection: Connection) -> None:
        for number in range(1, 26):
            put(connection, number, 1500.0 - number)

    await evening.database.write(fill)
    first = await leaderboard(evening.book, "standard")

    view = await evening.book.view_of(person(20), "standard", after=first.after)

    assert view.page == await leaderboard(evening.book, "standard", after=first.after)
    assert view.own == await rank_of(evening.book, person(20), "standard")


async def test_a_board_tells_how_the_games_ended(evening: Evening) -> None:
    """All games on the all-time board, the week's games on a weekly board."""

    def happen(league: League) -> None:
        play_a_lot(league, ANNA)
        play_a_lot(league, ANNA)
        league.end(ANNA, level(5), None)
        league.wait(days=20)
        league.end(level(5), ANNA, 1)
        league.end(ANNA, level(6), None)

    await evening.play(happen)

    (always,) = (await leaderboard(evening.book, "standard")).entries
    (week,) = (await leaderboard(evening.book, "standard", period=Period.WEEK)).entries
    points = await evening.book.points_of(ANNA, "standard")
    gained = points[-1].after.value - points[-3].after.value

    assert (always.won, always.drawn, always.lost) == (21, 2, 20)
    assert always.games == 43
    assert (week.won, week.drawn, week.lost) == (1, 1, 0)
    assert week.trend == week.gain == pytest.approx(gained)
    sure = [point for point in points if point.before.deviation < 110]
    assert always.trend == pytest.approx(sure[-1].after.value - sure[0].before.value)
    evening.now += timedelta(days=29)
    assert (await leaderboard(evening.book, "standard")).entries[0].trend == pytest.approx(gained)


async def test_a_page_lies_on_one_side_of_a_key(evening: Evening) -> None:
    key = BoardKey(value=1500.0, player_id=1, rank=1)

    with pytest.raises(ValueError, match="not both"):
        await leaderboard(evening.book, "standard", after=key, before=key)


def test_a_key_fits_into_a_button() -> None:
    key = BoardKey(value=-1234.5678901234567, player_id=2**63 - 1, rank=1_000_000)

    assert BoardKey.parse(key.text) == key
    assert len(key.text) <= 56
    for text_ in ("", "1/2", "a/b/c", "1/2/3/4"):
        with pytest.raises(ValueError, match="not a key"):
            BoardKey.parse(text_)


async def test_ten_games_against_five_opponents(evening: Evening) -> None:
    """One game after another, until nothing is missing any more."""

    async def why_not() -> Sentence | None:
        return (await rank_of(evening.book, ANNA, "standard")).why_not

    assert "0 of 10 rated games, 0 of 5 opponents" in str(await why_not())
    for number in range(4):
        await evening.play(partial(League.end, x=ANNA, o=level(1 + number), winner=number % 2))
    assert "4 of 10 rated games, 4 of 5 opponents" in str(await why_not())
    for number in range(6):
        await evening.play(partial(League.end, x=ANNA, o=level(1 + number % 4), winner=number % 2))
    assert "10 of 10 rated games, 4 of 5 opponents" in str(await why_not())
    for _ in range(10):
        await evening.play(lambda league: league.end(ANNA, level(5), 0))
        await evening.play(lambda league: league.end(ANNA, level(5), 1))
    assert await why_not() is None
    assert (await leaderboard(evening.book, "standard")).total == 1
    assert (await leaderboard(evening.book, "majority")).total == 0


async def test_who_does_not_play_leaves_and_comes_back(evening: Evening) -> None:
    await evening.play(lambda league: play_a_lot(league, ANNA))
    assert (await leaderboard(evening.book, "standard")).total == 1

    evening.now += timedelta(days=31)

    assert (await leaderboard(evening.book, "standard")).total == 0
    standing = await rank_of(evening.book, ANNA, "standard")
    assert standing.entry is None
    assert standing.why_not is not None
    await evening.play(lambda league: play_a_lot(league, BERT))
    stored = await evening.database.read(
        lambda c: c.execute(text("SELECT count(listed_until) FROM rating")).scalar_one()
    )
    assert stored == 1  # Anna's row is no longer in the index
    await evening.play(lambda league: play_a_lot(league, ANNA))
    assert (await leaderboard(evening.book, "standard")).total == 2


async def test_a_servers_board_has_everybody_with_a_rated_game_there(evening: Evening) -> None:
    """From the first game on; a surely good player ranks above one who may be better."""
    carl, dora = person(3), person(4)

    def happen(league: League) -> None:
        play_a_lot(league, BERT)
        league.end(carl, dora, 0, guild_id=GUILD)
        league.end(ANNA, level(9), None, guild_id=GUILD)
        league.end(BERT, dora, 0, rated=False, guild_id=GUILD)

    await evening.play(happen)
    here = await leaderboard(evening.book, "standard", guild_id=GUILD)

    assert {numbers(here)[0], numbers(here)[-1]} == {1, 4}
    careful = [each.rating.value - 2 * each.rating.deviation for each in here.entries]
    assert [each.place for each in here.entries] == pytest.approx(careful)
    assert careful == sorted(careful, reverse=True)
    assert not any(each.is_placed for each in here.entries)
    absent = await rank_of(evening.book, BERT, "standard", guild_id=GUILD)
    assert (absent.total, str(absent.why_not)) == (
        3,
        "You have not finished a rated game here yet.",
    )

    # A rating is the same everywhere: games won elsewhere move people here too.
    await evening.play(lambda league: league.end(BERT, carl, 0, guild_id=GUILD))
    await evening.play(lambda league: [league.end(dora, level(9), 0) for _ in range(6)])
    later = await leaderboard(evening.book, "standard", guild_id=GUILD)
    assert numbers(later)[:2] == [4, 2]
    assert later.entries[0].is_placed
    assert (await rank_of(evening.book, dora, "standard", guild_id=GUILD)).entry == later.entries[0]
    assert (await leaderboard(evening.book, "standard", guild_id=GUILD + 1)).total == 0
    assert numbers(await leaderboard(evening.book, "standard")) == [2]


async def test_a_servers_week_has_new_players_below_what_was_surely_won(evening: Evening) -> None:
    def happen(league: League) -> None:
        for _ in range(2):
            play_a_lot(league, ANNA)
            play_a_lot(league, BERT)
        league.wait(days=10)
        league.end(ANNA, person(3), 1, guild_id=GUILD)
        league.end(person(4), person(5), 0, guild_id=GUILD)

    await evening.play(happen)
    week = await leaderboard(evening.book, "standard", guild_id=GUILD, period=Period.WEEK)
    last = await leaderboard(
        evening.book, "standard", guild_id=GUILD, period=Period.WEEK, after=week.entries[1].key
    )

    assert numbers(week) == [1, 3, 4, 5]
    assert [each.gain is None for each in week.entries] == [False, True, True, True]
    assert last.entries == week.entries[2:]
    evening.now += timedelta(days=8)
    standing = await rank_of(evening.book, ANNA, "standard", guild_id=GUILD, period=Period.WEEK)
    assert str(standing.why_not) == "You have not finished a rated game in this time."


async def test_a_board_of_wins_counts_games_between_people_of_a_server(evening: Evening) -> None:
    """Casual ones too; and the tables agree with the games one by one."""
    carl = person(3)

    def happen(league: League) -> None:
        for winner in (0, 0, None, 1):
            league.end(ANNA, BERT, winner, rated=False, guild_id=GUILD)
        league.end(ANNA, level(1), 0, guild_id=GUILD)
        league.end(ANNA, ANNA, 0, rated=False, guild_id=GUILD)
        league.end(ANNA, BERT, 0, rated=False, guild_id=GUILD + 1)
        league.end(ANNA, BERT, 0, rated=False, guild_id=GUILD, rules=load_variant("majority").rules)
        league.wait(days=10)
        league.end(carl, BERT, 0, guild_id=GUILD)
        league.end(carl, BERT, 0, rated=False, guild_id=GUILD)

    await evening.play(happen)
    of_wins: dict[str, Any] = {"guild_id": GUILD, "kind": BoardKind.WINS}
    wins = partial(leaderboard, evening.book, "standard", **of_wins)

    def told(page: BoardPage) -> list[tuple[int, int, int, int]]:
        return [
            (each.player_id - person(0), each.won, each.drawn, each.lost) for each in page.entries
        ]

    # Equal wins, fewer losses: Carl leads.
    assert told(await wins()) == [(3, 2, 0, 0), (1, 2, 1, 1), (2, 1, 1, 4)]
    assert told(await wins(period=Period.WEEK)) == [(3, 2, 0, 0), (2, 0, 0, 2)]
    assert told(await wins(period=Period.MONTH)) == told(await wins())
    first = await wins(limit=1)
    assert told(await wins(limit=1, after=first.after)) == [(1, 2, 1, 1)]
    anna, bert = (await wins()).entries[1:]
    assert (anna.games, anna.is_placed, bert.games) == (1, False, 1)
    mine = await rank_of(evening.book, ANNA, "standard", period=Period.WEEK, **of_wins)
    assert "in this time" in str(mine.why_not)
    nobody = await rank_of(evening.book, person(9), "standard", **of_wins)
    assert "here yet" in str(nobody.why_not)
    with pytest.raises(ValueError, match="servers only"):
        await leaderboard(evening.book, "standard", kind=BoardKind.WINS)


async def test_a_week_is_about_what_was_won_in_it(evening: Evening) -> None:
    def happen(league: League) -> None:
        for player_id in (ANNA, BERT):
            play_a_lot(league, player_id)
            play_a_lot(league, player_id)
        league.wait(days=10)
        league.end(ANNA, level(9), 1)
        league.end(BERT, level(9), 0)

    await evening.play(happen)

    week = await leaderboard(evening.book, "standard", period=Period.WEEK)
    month = await leaderboard(evening.book, "standard", period=Period.MONTH)

    assert [entry.player_id for entry in week.entries] == [BERT, ANNA]
    first, second = week.entries
    assert first.gain is not None
    assert second.gain is not None
    assert first.gain > 0 > second.gain
    points = await evening.book.points_of(BERT, "standard")
    last = points[-1]
    assert first.gain == pytest.approx(last.after.value - last.before.value)
    sure = [point for point in points if point.before.deviation < 110]
    gain = sum(point.after.value - point.before.value for point in sure)
    by_player = {entry.player_id: entry.gain for entry in month.entries}
    assert by_player[BERT] == pytest.approx(gain)
    assert len(sure) < len(points)  # the leaps of the first games do not count as gains
    evening.now += timedelta(days=8)
    assert (await leaderboard(evening.book, "standard", period=Period.WEEK)).total == 0
    standing = await rank_of(evening.book, BERT, "standard", period=Period.WEEK)
    assert standing.why_not is not None


async def test_pages_of_a_month_go_by_what_was_won(evening: Evening) -> None:
    def happen(league: League) -> None:
        for number in range(1, 8):
            play_a_lot(league, person(number))
            play_a_lot(league, person(number))
            league.end(person(number), level(number), number % 2)

    await evening.play(happen)
    whole = await leaderboard(evening.book, "standard", period=Period.MONTH, limit=50)
    parts = [await leaderboard(evening.book, "standard", period=Period.MONTH, limit=3)]
    while parts[-1].after is not None:
        key = BoardKey.parse(parts[-1].after.text)
        parts.append(
            await leaderboard(evening.book, "standard", period=Period.MONTH, after=key, limit=3)
        )

    assert whole.total == 7
    assert [entry for part in parts for entry in part.entries] == list(whole.entries)


@pytest.mark.parametrize(
    ("source", "index"),
    [
        (board_queries.LISTED, "ix_rating_listed"),
        (board_queries.HERE, "ix_guild_player_careful"),
        (board_queries.WINNERS, "ix_guild_player_wins"),
    ],
)
async def test_a_page_is_read_from_the_index_without_sorting(
    evening: Evening, source: board_queries.Source, index: str
) -> None:
    """This makes the hundredth page as fast as the first."""
    seen: list[str] = []

    def explain(connection: Connection) -> None:
        part = source.select.order_by(source.place.desc(), source.player_id.desc()).limit(10)
        sql = str(part.compile(connection.engine, compile_kwargs={"render_postcompile": True}))
        count = sql.count("?")
        rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", (1,) * count)
        seen.extend(str(row[3]) for row in rows)

    await evening.database.read(explain)

    assert any(index in line for line in seen), seen
    assert not any("TEMP B-TREE" in line for line in seen), seen
