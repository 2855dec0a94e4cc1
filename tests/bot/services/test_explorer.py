"""The tree of played moves: kept with each game that ends, queried, and counted again."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event, select

from bot.model.actions import Annul, ClaimTime, Resign
from bot.model.clocks import ClockRules
from bot.model.explorer import PLIES, Asked, Branches, NoTreeError, opening_moves_of
from bot.model.match import Match
from bot.services.explorer import Explorer, count_games
from bot.services.privacy import PrivacyService
from bot.storage import explorer as rows
from bot.storage.checking import check_file
from bot.storage.schema import opening_move, opening_total
from engine import IllegalMoveError, InvalidRulesError, load_variant, transform
from engine.sending import SQUARE
from tests.bot.services.conftest import ANNA, BEN, Server

GUILD, ELSEWHERE = 300, 301
LINE = (40, 36, 0, 4, 38, 20, 22, 37, 9, 2)
STANDARD = load_variant("standard").rules


def turned(line: tuple[int, ...], symmetry: int) -> tuple[int, ...]:
    return tuple(transform(move, SQUARE[symmetry], STANDARD) for move in line)


async def ended(
    server: Server, line: tuple[int, ...] = LINE, *, by: str = "x", **options: Any
) -> Match:
    """Play a game between Anna, X, and Ben that X or O gives up."""
    match = await server.play(await server.begin_between(**{"guild_id": GUILD} | options), *line)
    who = ANNA if by == "x" else BEN
    return await server.matches.perform(match.id, Resign(), user_id=who.id)


def told(found: Branches) -> dict[int, tuple[int, int, int]]:
    return {each.move: (each.x_wins, each.draws, each.o_wins) for each in found.moves}


async def everything(server: Server) -> list[Any]:
    def job(connection: Connection) -> list[Any]:
        return [
            sorted(map(tuple, connection.execute(select(table))))
            for table in (opening_move, opening_total)
        ]

    return await server.database.read(job)


async def test_each_game_that_ends_is_in_the_tree_as_those_alike_by_symmetry_are(
    server: Server, database_path: Path
):
    explorer, all_ = Explorer(server.database), Asked()
    assert (await explorer.look("standard", (), all_)).moves == ()
    await ended(server)  # X gives up
    await ended(server, turned(LINE, 1), by="o")
    clock = ClockRules.parse("3d")
    late = await server.play(await server.begin_between(guild_id=GUILD, clock=clock), *LINE[:8])
    server.clock.instant += timedelta(days=4)
    await server.matches.perform(late.id, ClaimTime(), user_id=BEN.id)
    await ended(server, LINE[:7])  # hardly played
    annulled = await server.play(await server.begin_between(guild_id=GUILD), *LINE)
    await server.matches.perform(annulled.id, Annul(), user_id=99)

    assert told(await explorer.look("standard", (), all_)) == {40: (1, 0, 2)}
    # From the side each of four moves would do; the first one stands for all.
    for line in (LINE, turned(LINE, 5)):
        for ply in range(1, 8):
            found = await explorer.look("standard", line[:ply], all_)
            assert found.games == 3, ply
            assert found.position.last_move == line[ply - 1]
            assert len(found.moves) == 1
    found = await explorer.look("standard", LINE[:9], all_)
    assert told(found) == {LINE[9]: (1, 0, 1)}
    last = await explorer.look("standard", turned(LINE, 2), all_)
    assert (last.games, last.is_end) == (0, False)
    assert [each.id for each in await explorer.games("standard", LINE[:9], all_)] == [2, 1]
    assert check_file(database_path) == []


async def test_it_is_asked_by_server_by_person_and_by_opponent(server: Server, database_path: Path):
    explorer = Explorer(server.database)
    await ended(server)
    await ended(server, by="o", guild_id=ELSEWHERE)
    await ended(server, guild_id=None)
    alone = await server.begin(guild_id=GUILD)
    while alone.ply < 8:
        if alone.level_to_move is not None:
            alone = await server.matches.reply(alone.id)
            continue
        move = next(
            m for m in (*LINE, *alone.position.legal_moves) if m in alone.position.legal_moves
        )
        alone = await server.play(alone, move)
    await server.matches.perform(alone.id, Resign(), user_id=ANNA.id)

    counted = {
        "everybody": (Asked(), 3),
        "people": (Asked(against_computer=False), 2),
        "computer": (Asked(against_computer=True), 1),
        "here": (Asked(guild_id=GUILD), 2),
        "people here": (Asked(guild_id=GUILD, against_computer=False), 1),
        "nowhere": (Asked(guild_id=7), 0),
        "own": (Asked(player_id=ANNA.id), 4),
        "Ben's": (Asked(player_id=BEN.id), 3),
        "Ben's alone": (Asked(player_id=BEN.id, against_computer=True), 0),
    }
    for name, (asked, count) in counted.items():
        assert (await explorer.look("standard", (), asked)).games == count, name
        assert len(await explorer.games("standard", (), asked)) == count, name
    # The same is found where no sums are stored.
    for asked, count in ((Asked(), 2), (Asked(guild_id=GUILD), 1), (Asked(player_id=BEN.id), 3)):
        assert (await explorer.look("standard", LINE[:8], asked)).games == count

    await PrivacyService(server.matches).erase(BEN.id)
    assert (await explorer.look("standard", (), Asked(player_id=BEN.id))).games == 0
    assert (await explorer.look("standard", (), Asked())).games == 3
    assert check_file(database_path) == []


async def test_counted_again_it_is_what_was_kept(server: Server, database_path: Path):
    for number in range(4):
        await ended(server, turned(LINE, number), by="xo"[number % 2])
    await ended(server, guild_id=None)
    await server.begin_between(guild_id=GUILD)
    kept = await everything(server)
    assert len(kept[0]) == 5 * len(LINE)

    async def count(*, afresh: bool) -> list[tuple[int, int]]:
        await server.stop()
        found = [each async for each in count_games(server.url, afresh=afresh)]
        await server.start()
        return found

    assert await count(afresh=True) == [(5, 5)]
    assert await everything(server) == kept
    assert await count(afresh=False) == [(5, 0)]
    # The count was interrupted, or the games ended before there was an explorer.
    await server.database.write(rows.clear)
    matches = [await server.matches.load(number) for number in (2, 5)]
    assert await server.database.write(rows.enter_all, matches) == 2
    assert check_file(database_path) == []
    assert await count(afresh=False) == [(5, 3)]
    assert await everything(server) == kept
    assert check_file(database_path) == []


async def test_what_cannot_be_walked_is_refused(server: Server):
    explorer = Explorer(server.database)
    with pytest.raises(IllegalMoveError):
        await explorer.look("standard", (40, 0), Asked())
    with pytest.raises(InvalidRulesError):
        await explorer.look("chess", (), Asked())
    for key in ("random-four", "symmetric", "goal=five"):
        with pytest.raises(NoTreeError):
            await explorer.look(key, (), Asked())
    line = list(LINE)
    while len(line) < PLIES:
        found = await explorer.look("standard", line, Asked())
        line.append(found.position.legal_moves[0])
    assert (await explorer.look("standard", line, Asked())).is_end


async def test_nothing_reads_a_whole_table(server: Server):
    match, other = await ended(server), await server.begin_between()
    numbers = [each.position for each in opening_moves_of(match)]
    statements: list[Any] = []

    def job(connection: Connection) -> list[str]:
        event.listen(connection, "before_cursor_execute", lambda *given: statements.append(given))
        rows.enter(connection, replace(match, id=other.id, guild_id=7))
        for asked in (Asked(), Asked(guild_id=GUILD), Asked(player_id=ANNA.id)):
            for ply in (1, 9):
                rows.count_moves(connection, numbers[ply], ply, asked)
                rows.list_games(connection, numbers[ply], asked, 10)
        found: list[Any] = []
        for _connection, _cursor, statement, given, _context, is_many in tuple(statements):
            one = given[0] if is_many else given
            found += connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", one).all()
        return [str(row[3]) for row in found]

    plans = await server.database.write(job)
    assert len(statements) > 10
    assert [each for each in plans if each.startswith("SCAN")] == []
