"""Storms, streaks and races: many puzzles in one private message, timed by Discord's stamps."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, update

from bot.model.match import Person
from bot.model.puzzle_runs import RaceClosedError, RunKind, RunRow, fitted, line_of
from bot.storage import puzzle_runs as rows
from bot.storage.schema import puzzle_race
from cogs.puzzles import races, runs
from deploy.sandbox import Sandbox
from deploy.sandbox.model import Channel
from engine import Puzzle, load_puzzles
from tests.cogs.table import Board, Table, mistakes_in, running_bot, settings_for

PUZZLES = load_puzzles("standard")


async def run_of(table: Table, board: Board, user: int | None = None) -> RunRow:
    """Return the run in a message, as it is stored."""
    number = next(each.split(":")[1] for each in board.buttons.values() if each.startswith("run"))
    database = table.bot.puzzles.database
    return await database.read(rows.load_run, user or table.ann, int(number))


def ends(run: RunRow) -> datetime:
    assert run.ends_at is not None
    return run.ends_at


async def press(table: Table, board: Board, custom_id: str, user: int | None = None) -> Board:
    await table.press(board, custom_id, user=user)
    seen = table.seen(user)
    return next(Board(each) for each in seen if int(each["id"]) == board.id)


async def moves_in(table: Table, board: Board, user: int | None = None) -> tuple[int, list[int]]:
    """Return the right move of the puzzle in a message, and the others, if there are any."""
    run = await run_of(table, board, user)
    puzzle = line_of(PUZZLES, run)[run.place]
    best = puzzle.solution[2 * run.found]
    position = puzzle.attempt(puzzle.solution[: 2 * run.found : 2]).game.position
    return best, [each for each in position.legal_moves if each != best]


async def play(table: Table, board: Board, *, right: bool = True, user: int | None = None) -> Board:
    """Play the right move of the puzzle in a message, or another one."""
    best, others = await moves_in(table, board, user)
    move = best if right else others[0]
    if not board.starting("run-cell"):
        way = next(each for each in board.starting("run") if each.endswith(f":{move // 9 + 1}"))
        board = await press(table, board, way, user)
    cell = next(each for each in board.starting("run-cell") if each.endswith(f":{move}"))
    return await press(table, board, cell, user)


def newest(table: Table, user: int | None = None) -> Board:
    return Board(table.seen(user)[-1])


async def test_a_storm_is_timed_by_discords_stamps_and_counts_presses_once(table: Table):
    ahead = table.sandbox.world.snowflakes.ahead
    await table.command("puzzles storm")
    board = newest(table)
    assert board.message["flags"] & 64
    assert "Puzzle storm · 0 solved" in board.text
    assert "the clock starts with your first move" in board.text
    await table.command("puzzles storm")  # there is no way to pick an easier one
    assert (await run_of(table, newest(table))).id == (await run_of(table, board)).id

    first = board
    while "Solved!" not in board.text:
        board = await play(table, board)
    run = await run_of(table, board)
    assert (run.score, run.place, run.errors) == (1, 1, 0)
    assert "**3:00** left" in board.text or "**2:59** left" in board.text
    assert f"<t:{int(ends(run).timestamp())}:R>" in board.text
    # The first buttons again, as a double click or an old message sends them.
    stale = (first.starting("run-cell") or first.starting("run-end"))[0]
    if stale.startswith("run-cell"):
        wall = table.post({"type": 2, "style": 1, "label": "?", "custom_id": stale})
        await table.press(wall, stale)
        assert await run_of(table, board) == run
    while run.moves < 5:
        before = run
        board = await play(table, board)
        run = await run_of(table, board)
    assert ends(run) - ends(before) == timedelta(seconds=3)
    assert "+3 s" in board.text

    while not (await moves_in(table, board))[1]:  # later moves of a puzzle may be forced
        board = await play(table, board)
        run = await run_of(table, board)
    await play(table, board, right=False)
    board = table.again(board)
    wrong = await run_of(table, board)
    assert ends(run) - ends(wrong) == timedelta(seconds=10)
    assert (wrong.combo, wrong.errors, wrong.place) == (0, 1, run.place + 1)
    assert "does not win" in board.text
    assert "\N{MINUS SIGN}10 s" in board.text

    left = (ends(wrong) - datetime.now(UTC)).total_seconds()
    with ahead(left - 20):
        board = await play(table, board)
        assert (await run_of(table, board)).moves == run.moves + 1
        with ahead(30):
            over = await press(
                table, board, (board.starting("run-cell") or board.starting("run"))[0]
            )
            assert "Time's up!" in over.text
            assert f"Accuracy {(run.moves + 1) / (run.moves + 2):.0%}" in over.text
            score = (await run_of(table, board)).score
            assert f"{score} ever" in over.text
            assert set(over.buttons) == {"Play again", "Leaderboard"}
            again = await press(table, over, over.buttons["Play again"])
            assert "Puzzle storm · 0 solved" in again.text


async def test_a_storm_shows_its_result_when_the_time_is_up(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(runs, "LATEST", -timedelta(minutes=3))
    await table.command("puzzles storm")
    board = await play(table, newest(table))
    assert "Play again" in (await shows(table, board, "Time's up!")).buttons
    cog = table.bot.get_cog("Runs")
    assert isinstance(cog, runs.Runs)
    await asyncio.gather(*cog._endings.values())
    assert cog._endings == {}  # nothing is kept of it


async def test_a_streak_survives_a_restart_and_ends_with_the_first_mistake(
    sandbox: Sandbox, tmp_path: Path
):
    settings = settings_for(sandbox, tmp_path)
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        await table.command("puzzles streak")
        board = await play(table, newest(table))
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        board = await press(table, board, board.buttons["Skip this move"])
        run = await run_of(table, board)
        assert (run.moves, run.skipped) == (2, 1)
        assert "Skipped" in board.text
        assert "Skip this move" not in board.buttons
        while run.score < 2:
            board = await play(table, board)
            run = await run_of(table, board)
        for kind in ("run-skip", "run-cell"):  # a second skip, and a press by somebody else
            forged = f"{kind}:{run.id}:{_current(run).id}:{run.found}" + ":0" * (kind == "run-cell")
            wall = table.post({"type": 2, "style": 1, "label": "?", "custom_id": forged})
            user = table.ann if kind == "run-skip" else table.ben
            await table.press(wall, forged, user=user)
        assert "not a run of yours" in table.whispers(table.ben)[-1]
        assert await run_of(table, board) == run
        board = await play(table, board, right=False)
        assert "Puzzle streak · 2 solved" in board.text
        assert "does not win" in board.text
        assert "Your best so far!" in board.text
        assert board.alt
        assert table.bot.puzzles.database is not None
        assert (await table.bot.ratings.profile_of(table.ann)).puzzles is None  # not rated


def _current(run: RunRow) -> Puzzle:
    return line_of(PUZZLES, run)[run.place]


async def test_a_servers_leaderboard_is_of_a_week_and_goes_with_the_person(table: Table):
    for user, solved in ((table.ann, 1), (table.ben, 2)):
        await table.command("puzzles storm", user=user)
        board = newest(table, user)
        while (await run_of(table, board, user)).score < solved:
            board = await play(table, board, user=user)
    await table.command("puzzles leaderboard")
    shown = newest(table)
    assert not shown.message["flags"] & 64
    assert shown.text.splitlines() == [
        "### Puzzle storm: the best of this server · This week",
        "**1.** Ben · **2**",
        "**2.** Ann · **1**",
        "-# You are number 2 with 1.",
    ]
    await table.press(shown, shown.buttons["Last week"], user=table.ben)
    assert "No results yet" in newest(table, table.ben).text
    assert "No results yet" not in table.again(shown).text
    streaks = await press(table, shown, shown.buttons["Puzzle streak"])
    assert "Puzzle streak: the best of this server" in streaks.text
    with table.sandbox.world.snowflakes.ahead(7 * 86_400):
        await table.command("puzzles leaderboard", period="l")
        assert "**1.** Ben · **2**" in newest(table).text
        await table.command("puzzles leaderboard")
        assert "No results yet" in newest(table).text

    data: dict[str, Any] = json.loads(await table.bot.privacy.export(table.ben))
    assert [each["score"] for each in data["puzzle_run"]] == [2]
    await table.bot.privacy.erase(table.ben)
    guild = table.sandbox.world.channel(table.channel).guild_id or 0
    ever = datetime.max.replace(tzinfo=UTC)
    everybody = rows.RunBoard(guild_id=guild, kind=RunKind.STORM, since=None, until=ever)
    read = table.bot.puzzles.database.read
    places = await read(rows.list_places, everybody, first=0, limit=9)
    assert [(each.rank, each.name) for each in places] == [(1, "Ann")]


async def shows(table: Table, board: Board, words: str, user: int | None = None) -> Board:
    """Wait until a message that is edited without a click says something."""
    async with asyncio.timeout(60):
        while True:
            for each in map(Board, table.seen(user)):
                if each.id == board.id and words in each.text:
                    return each
            await asyncio.sleep(0.02)


def without_time(board: Board) -> str:
    return re.sub(r"\*\*\d:\d\d\*\*", "", board.text)


async def thread_of(table: Table, board: Board) -> Channel:
    """Wait until the message has a thread with both of them in it."""
    async with asyncio.timeout(60):
        while True:
            thread = table.sandbox.world.channels.get(board.id)
            if thread is not None and len(thread.thread_member_ids) > 2:
                return thread
            await asyncio.sleep(0.02)


async def test_two_people_race_through_a_restart(sandbox: Sandbox, tmp_path: Path):
    settings = settings_for(sandbox, tmp_path)
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        await table.command("puzzles race")
        anns = newest(table)
        (lobby,) = (Board(each) for each in table.seen(table.ben))
        assert "In the race (1 of 10):** Ann" in lobby.text
        assert "You're in!" in anns.text
        await table.press(lobby, lobby.buttons["Start now"])
        assert "Wait until somebody else has joined" in table.whispers(table.ann)[-1]
        await table.press(lobby, lobby.buttons["Join"], user=table.ben)
        bens = newest(table, table.ben)
        await table.press(lobby, lobby.buttons["Start now"], user=table.ben)
        assert "Only the person who opened the race" in table.whispers(table.ben)[-1]
        await table.press(bens, bens.buttons["Show my puzzle"], user=table.ben)
        assert "hasn't started yet" in table.whispers(table.ben)[-1]
        lobby = await shows(table, lobby, "In the race (2 of 10):** Ann, Ben")
        await table.press(lobby, lobby.buttons["Start now"])

    with sandbox.world.snowflakes.ahead(30):
        async with running_bot(settings) as bot:
            table = Table(sandbox, bot)
            anns = await press(table, anns, anns.buttons["Show my puzzle"])
            bens = await press(table, bens, bens.buttons["Show my puzzle"], table.ben)
            assert without_time(anns).replace("Ann", "Ben") == without_time(bens)
            for _move in range(5):
                anns = await play(table, anns)
            assert "Puzzle race · 6 points" in anns.text
            assert "1 bonus point" in anns.text
            bens = await play(table, bens, right=False, user=table.ben)
            bens = await play(table, bens, user=table.ben)
            run = await run_of(table, bens, table.ben)
            assert (run.score, run.errors, run.place >= 1) == (1, 1, True)
            assert run.ends_at == (await run_of(table, anns)).ends_at  # a mistake costs no time
            cleo = sandbox.world.people[2].id
            await table.press(lobby, lobby.buttons["Join"], user=cleo)
            assert "full or has started" in table.whispers(cleo)[-1]

            def is_long_ago(connection: Connection) -> None:
                past = datetime.now(UTC) - timedelta(minutes=2)
                connection.execute(update(puzzle_race).values(starts_at=past))

            await bot.puzzles.database.write(is_long_ago)
        async with running_bot(settings) as bot:
            table = Table(sandbox, bot)
            result = await shows(table, lobby, "the result")
            assert result.text.splitlines()[1:] == [
                "**1.** Ann · **6** · accuracy 100%",
                "**2.** Ben · **1** · accuracy 50%",
            ]
            assert list(result.buttons) == ["New race"]
            with sandbox.world.snowflakes.ahead(80):
                over = await press(table, anns, anns.starting("run-skip")[0])
                assert "Time's up!" in over.text
    assert mistakes_in(sandbox) == []


async def test_a_race_starts_by_itself_and_hands_out_the_boards(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(rows, "LOBBY_SECONDS", 4.0)
    monkeypatch.setattr(races, "REST_S", 0.01)
    monkeypatch.setattr(races, "LOOKS_EVERY_S", 0.05)
    await table.command("puzzles race")
    anns, lobby = newest(table), Board(table.seen(table.ben)[0])
    await table.press(lobby, lobby.buttons["Join"], user=table.ben)
    await shows(table, anns, "Puzzle race · 0 points")
    lobby = await shows(table, lobby, "Puzzle race, ends")
    thread = await thread_of(table, lobby)
    assert thread.name == "Puzzle race"
    assert {table.ann, table.ben} < set(thread.thread_member_ids)
    await play(table, table.again(anns))
    await shows(table, lobby, "**1.** Ann · **1**\n**2.** Ben · **0**")
    await table.press(lobby, lobby.buttons["My puzzle"], user=table.ben)
    assert "Puzzle race · 0 points" in newest(table, table.ben).text

    monkeypatch.setattr(rows, "LOBBY_SECONDS", 0.4)
    await table.command("puzzles race")
    await shows(table, newest(table, table.ben), "Nobody else joined")
    assert len(table.sandbox.requests.matching("POST /channels/*/messages/*/threads")) == 1


async def test_a_race_goes_on_where_there_can_be_no_thread(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(rows, "LOBBY_SECONDS", 4.0)
    monkeypatch.setattr(races, "REST_S", 0.01)
    monkeypatch.setattr(races, "LOOKS_EVERY_S", 0.05)
    table.sandbox.faults.fail("POST /channels/*/messages/*/threads", status=403, code=50013)
    await table.command("puzzles race")
    anns, lobby = newest(table), Board(table.seen(table.ben)[0])
    await table.press(lobby, lobby.buttons["Join"], user=table.ben)
    await shows(table, anns, "Puzzle race · 0 points")
    await play(table, table.again(anns))
    await shows(table, lobby, "**1.** Ann · **1**\n**2.** Ben · **0**")
    assert len(table.sandbox.requests.matching("POST /channels/*/messages/*/threads")) == 1


async def test_a_full_race_starts_and_takes_nobody_else(table: Table):
    write, at = table.bot.puzzles.database.write, datetime.now(UTC).replace(microsecond=0)
    here = {"guild_id": 1, "channel_id": 2, "seed": 3}
    race, _run = await write(rows.open_race, Person(id=1, name="Host"), **here, at=at)
    for number in range(2, 11):
        race, run = await write(rows.join_race, race.id, Person(id=number, name="R"), at)
    assert race.starts_at - at == timedelta(seconds=5)
    assert run.ends_at == race.ends_at
    assert await write(rows.join_race, race.id, Person(id=10, name="R"), at) == (race, run)
    with pytest.raises(RaceClosedError):
        await write(rows.join_race, race.id, Person(id=11, name="Late"), at)


def test_a_run_goes_on_though_an_upgrade_has_changed_its_puzzles():
    run = RunRow(kind="streak", seed=1, player_id=1, guild_id=None, begun_at=datetime.now(UTC))
    line = line_of(load_puzzles("standard"), run)
    assert fitted(run, line) == run
    assert fitted(replace(run, found=line[0].turns), line) == run
