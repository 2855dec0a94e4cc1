"""A game is exported as text and as a file, and imported from either."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest

from bot.model.actions import Resign
from bot.model.match import Match
from cogs import records
from cogs.answering import LONGEST_VIEW
from cogs.records import LARGEST_FILE, code_block
from deploy.sandbox import Sandbox
from deploy.sandbox.model import Attachment, Upload
from engine import parse_records
from engine.records import GameRecord, Result, format_record, parse_record, writing
from tests.cogs.table import Board, Table, commands_named, running_bot, settings_for
from tests.cogs.test_challenge import begun

MOVES = "55 59 98 83"
CELLS = (40, 44, 79, 65)
X_WINS = "13 31 15 51 17 72 23 32 25 52 27 73 34 43 35 53 36"


def upload(content: str | bytes, name: str = "game.uttt") -> Upload:
    data = content.encode() if isinstance(content, str) else content
    return Upload(field="file", filename=name, data=data)


async def started(table: Table, **options: Any) -> Match:
    """Import something that can be played on, and return the game."""
    await table.command("import", level=1, **options)
    return (await table.bot.matches.ongoing_of(table.ann))[0]


async def refused(table: Table, **options: Any) -> str:
    """Import something that is refused, and return what was said."""
    before = len(table.whispers(table.ann))
    await table.command("import", **options)
    said = table.whispers(table.ann)[before:]
    assert len(said) == 1
    assert await table.bot.matches.ongoing_of(table.ann) == []
    return commands_named(said[0])


async def test_bare_moves_are_a_game(table: Table):
    match = await started(table, record=MOVES)

    assert (match.rules.key, match.moves[:4]) == ("standard", CELLS)


async def test_bare_moves_are_of_the_variant_that_is_named(table: Table):
    match = await started(table, record="55 swap 59", variant="Pie rule")

    assert (match.rules.key, match.swapped) == ("pie", True)


async def test_bare_moves_may_be_a_whole_game(table: Table):
    await table.command("import", record=X_WINS)

    assert "X wins" in table.newest().text
    assert "This game is finished" in table.newest().text


@pytest.mark.parametrize(
    "content",
    [MOVES, "\ufeff1. 55 59\r\n2. 98 83\r\n", f'[Variant "standard"]\n[X "Zoë"]\n\n{MOVES} *\n'],
)
async def test_a_file_is_a_game(table: Table, content: str):
    match = await started(table, file=upload(content))

    assert match.moves[:4] == CELLS


async def test_an_exported_file_and_the_text_beside_it_come_back(table: Table):
    await table.play_on(await table.start(variant="pie"), random.Random(3), most=12)
    match = await table.bot.matches.latest_for(table.ann)
    await table.command("export", game=match.id)
    shown = Board(table.seen()[-1])
    name, content = next(iter((await table.files(shown)).items()))
    text = shown.text.split("```\n")[1].removesuffix("\n```")

    assert shown.message["flags"] & 64
    assert name == f"game-{match.id}.uttt"
    assert text == content.decode().rstrip("\n")
    given: list[dict[str, Any]] = [{"file": upload(content)}, {"record": text.replace("\n", " ")}]
    for options in given:
        again = await started(table, **options)
        assert (again.rules, again.moves[: match.ply]) == (match.rules, match.moves)


REFUSALS: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({}, "attach a record as a file: `/export` writes both."),
    "both": ({"record": MOVES, "file": upload(MOVES)}, "not both"),
    "too large": ({"file": upload(b" " * (LARGEST_FILE + 1))}, "129 KB; the limit is 128 KB"),
    "no text": ({"file": upload(b"\x89PNG\r\n\x1a\n")}, "Line 1: This is not UTF-8 text."),
    "Latin-1": ({"file": upload("55\n{Zoë} 51".encode("latin-1"))}, "Line 2: This is not UTF-8"),
    "empty": ({"file": upload("")}, "There is no game in this text."),
    "a wrong move": ({"file": upload("55\n51\n29 *")}, "Line 3, move 2 X 29: You were sent to"),
    "a wrong bare move": ({"record": "55 19"}, "Line 1, move 1 O 19: You were sent to board 5"),
    "words": ({"record": "my game"}, "Line 1, move 1 X my: A move is two digits"),
    "two games": ({"file": upload("55 *\n\n[X \"Ann\"]\n51 *")}, "Line 3: One game was expected"),
    "no result": ({"file": upload('[X "Ann"]\n55')}, "Line 2: The last game ends without a result"),
    "another variant": (
        {"record": '[Variant "pie"] 55 *', "variant": "standard"},
        "Line 1: The record says that the variant is pie, but standard was chosen.",
    ),
    "no variant": ({"record": MOVES, "variant": "chess"}, "There is no variant 'chess'"),
    "a bare opening": (
        {"record": "12 23 34 45", "variant": "random-four"},
        'Line 1: The variant random-four begins with a code: add the header [Opening "12345"].',
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSALS)
async def test_what_cannot_be_imported_is_told_with_its_line(table: Table, what: str):
    options, words = REFUSALS[what]

    assert words in await refused(table, **options)


async def test_a_file_that_is_gone_is_told(table: Table, monkeypatch: pytest.MonkeyPatch):
    take = table.sandbox.world.take_upload

    def lose(given: Upload) -> Attachment:
        attachment = take(given)
        del table.sandbox.world.files[attachment.id]
        return attachment

    monkeypatch.setattr(table.sandbox.world, "take_upload", lose)

    assert "I couldn't get this file" in await refused(table, file=upload(MOVES))


async def test_a_file_that_comes_too_late_is_told(table: Table, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(records, "READ_WITHIN_S", 0)

    assert "I couldn't get this file" in await refused(table, file=upload(MOVES))


async def test_all_games_come_as_one_file_that_nobody_else_sees(table: Table):
    await begun(table)
    for variant in ("pie", "depth=1"):
        await table.start(variant=variant)

    await table.command("export", all_games=True)

    shown = Board(table.seen()[-1])
    files = await table.files(shown)
    assert "All your games" in shown.text
    assert shown.message["flags"] & 64
    records = parse_records(files["my-games.uttt"].decode())
    assert [each.rules.key for each in records] == ["standard", "pie", "depth=1"]
    assert ["Ann" in each.players for each in records] == [True] * 3


async def test_who_has_no_games_or_asks_for_one_and_all_is_told(table: Table):
    await table.command("export", all_games=True)
    assert "You have no game yet" in table.whispers(table.ann)[-1]

    await table.command("export", all_games=True, game=1)
    assert "Choose one: a game" in table.whispers(table.ann)[-1]


async def test_who_manages_a_server_gets_all_its_finished_games(table: Table):
    await table.command("export", server_games=True)
    assert "No game has been finished in this server yet" in table.whispers(table.ann)[-1]
    _, match = await begun(table)
    await table.bot.matches.perform(match.id, Resign(), user_id=table.ben)
    await table.start()
    direct = (await table.sandbox.people.open_direct(table.ann)).id
    await table.command("play", channel=direct, level=1)
    await table.bot.matches.perform(3, Resign(), user_id=table.ann)
    await table.bot.privacy.erase(table.ben)

    await table.command("export", user=table.ben, server_games=True)
    assert "Only those who may manage this server" in table.whispers(table.ben)[-1]
    await table.command("export", channel=direct, server_games=True)
    assert "for servers" in table.whispers(table.ann)[-1] + str(table.seen(channel=direct)[-1])
    await table.command("export", server_games=True)

    shown = Board(table.seen()[-1])
    assert "All finished games of this server" in shown.text
    (record,) = parse_records((await table.files(shown))["server-games.uttt"].decode())
    assert sorted(record.players) == ["Ann", "Deleted player"]
    assert record.end == "resigned"


async def test_everybodys_games_are_handed_out_where_the_host_offers_them(
    sandbox: Sandbox, tmp_path: Path
):
    folder = tmp_path / "games"
    folder.mkdir()
    async with running_bot(settings_for(sandbox, tmp_path, games_folder=folder)) as bot:
        table = Table(sandbox, bot)
        await table.command("export", month="2026-11")
        assert "offers no files of everybody's games" in table.whispers(table.ann)[-1]
        (folder / "games-2026-10.zip").write_bytes(b"October")
        await table.command("export", month="2026-10")
        assert await table.files(Board(table.seen()[-1])) == {"games-2026-10.zip": b"October"}
        for wrong in ("2026-11", "../../x", "????-??"):
            await table.command("export", month=wrong)
            assert "choose one from 2026-10 to 2026-10" in table.whispers(table.ann)[-1]


async def test_games_that_fit_no_file_are_told(table: Table):
    await table.start()
    table.sandbox.world.limits.upload_bytes = 10

    await table.command("export", all_games=True)

    assert "don't fit in a Discord file" in table.whispers(table.ann)[-1]


async def test_more_games_than_a_file_holds_come_as_an_archive(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(writing, "MOST_GAMES", 2)
    for _ in range(3):
        await table.start(variant="depth=1")

    await table.command("export", all_games=True)

    files = await table.files(Board(table.seen()[-1]))
    with zipfile.ZipFile(io.BytesIO(files["my-games.zip"])) as archive:
        held = {name: parse_records(archive.read(name).decode()) for name in archive.namelist()}
    assert {name: len(records) for name, records in held.items()} == {
        "my-games-1.uttt": 2,
        "my-games-2.uttt": 1,
    }


def test_names_cannot_end_the_block_of_code():
    record = GameRecord(players=("```\n`/play`", "\\`"), result=Result.UNFINISHED, moves=(40,))

    (block,) = code_block(format_record(record), beside="")

    inside = block.content.removeprefix("```\n").removesuffix("\n```")
    assert "`" not in inside
    assert parse_record(inside) == record


def test_a_record_that_fits_no_message_is_a_file_alone():
    long = "1. 55 " * 700

    assert code_block(long, beside="") == []
    (block,) = code_block("x" * (LONGEST_VIEW - 18), beside="0123456789")
    assert len(block.content) == LONGEST_VIEW - 10


async def test_commands_in_names_stay_names_in_the_text(table: Table):
    table.sandbox.world.users[table.ann].global_name = "/play"
    await table.play_on(await table.start(), random.Random(1), most=2)

    await table.command("export")

    assert '"/play"' in Board(table.seen()[-1]).text
