"""Every variant is played to its end on Discord, through a restart, and exported as text."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bot.model.actions import Resign
from bot.model.match import Match
from deploy.sandbox import Sandbox
from engine import VARIANTS, X
from engine.records import GameRecord, parse_record
from tests.cogs.table import Board, Table, mistakes_in, running_bot, settings_for

CUSTOM = ("depth=1", "no_return=yes,won_board=open", "drawn_board=both,tiebreak=most")
SHORT = [key for key, variant in VARIANTS.items() if variant.rules.depth == 2]
LONG = [key for key, variant in VARIANTS.items() if variant.rules.depth == 3]


async def exported(table: Table, match: Match) -> GameRecord:
    """Export a game on Discord and read the file that comes."""
    await table.command("export", game=match.id)
    files = await table.files(Board(table.seen()[-1]))
    return parse_record(files[f"game-{match.id}.uttt"].decode())


async def play_with_a_restart(
    sandbox: Sandbox, folder: Path, variant: str, *, before: int, after: int
) -> Match:
    """Play `before` clicks, restart the bot, play `after` more, and export the game."""
    rng = random.Random(variant)
    settings = settings_for(sandbox, folder)
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        board = await table.play_on(await table.start(variant=variant), rng, most=before)
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        board = await table.play_on(table.again(board), rng, most=after)
        match = await bot.matches.latest_for(table.ann)
        files = await table.files(board)
        record = await exported(table, match)
    assert all(data.startswith(b"\x89PNG") for data in files.values())
    assert mistakes_in(sandbox) == []
    assert (record.moves, record.swapped) == (match.moves, match.swapped)
    assert record.rules == match.rules
    return match


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "variant", [*SHORT, *(pytest.param(each, marks=pytest.mark.long) for each in CUSTOM)]
)
async def test_a_variant_is_played_to_its_end(sandbox: Sandbox, tmp_path: Path, variant: str):
    match = await play_with_a_restart(sandbox, tmp_path, variant, before=10, after=200)

    assert match.is_over


@pytest.mark.sampled(3)
@pytest.mark.parametrize("variant", LONG)
async def test_a_strategic_game_is_begun(sandbox: Sandbox, tmp_path: Path, variant: str):
    match = await play_with_a_restart(sandbox, tmp_path, variant, before=10, after=20)

    assert match.ply > 20


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("variant", LONG)
async def test_a_strategic_game_is_played_to_its_end(
    sandbox: Sandbox, tmp_path: Path, variant: str
):
    match = await play_with_a_restart(sandbox, tmp_path, variant, before=200, after=2000)

    assert match.is_over


async def test_an_exported_game_is_played_on_after_its_import(table: Table):
    await table.play_on(await table.start(variant="pie"), random.Random(3), most=12)
    match = await table.bot.matches.latest_for(table.ann)
    await table.command("export", game=match.id)
    files = await table.files(Board(table.seen()[-1]))
    text = files[f"game-{match.id}.uttt"].decode().replace("\n", " ")

    await table.command("import", record=text, level=1)

    again = (await table.bot.matches.ongoing_of(table.ann))[0]
    assert again.id != match.id
    assert (again.moves, again.swapped) == (match.moves, match.swapped)
    board = table.newest()
    assert await table.play(board)
    assert (await exported(table, again)).moves[: match.ply] == match.moves


async def test_a_finished_record_is_shown_and_not_played_on(table: Table):
    await table.start()
    match = await table.bot.matches.latest_for(table.ann)
    match = await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)
    await table.command("export", game=match.id)
    files = await table.files(Board(table.seen()[-1]))

    await table.command("import", record=files[f"game-{match.id}.uttt"].decode())

    shown = table.newest()
    assert "This game is finished" in shown.text
    assert "O wins (resigned)" in shown.text
    assert shown.buttons == {}
    assert await table.bot.matches.ongoing_of(table.ann) == []


async def test_a_side_may_be_chosen_on_import(table: Table):
    await table.command("import", record="1. 55 51 *", side=1 - X, level=1)

    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    assert match.names[1] == "Ann"
    assert match.ply == 3  # the computer, X, has moved on


async def test_a_mistake_in_a_record_is_pointed_at(table: Table):
    await table.command("import", record="1. 55 19 *")

    assert "move 1 O 19" in table.whispers(table.ann)[-1]
    assert "board 5" in table.whispers(table.ann)[-1]
