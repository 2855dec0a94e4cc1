"""What the command line writes for others to open: the command reference, printable fields."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from bot.__main__ import main
from bot.render.fields import FIELDS
from engine.records import GameRecord, format_record
from tests.bot.render.fields.games import played
from tests.bot.render.fields.reading import read_pdf

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.usefixtures("logging_as_it_was")
def test_the_reference_of_commands_is_written_as_it_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    written = tmp_path / "COMMANDS.md"

    assert main(["commands", str(written)]) == 0

    assert capsys.readouterr().out == f"{written}\n"
    assert written.read_bytes() == (ROOT / "deploy" / "COMMANDS.md").read_bytes()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", FIELDS)
def test_every_field_is_written_as_a_file_that_opens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
):
    picture, page = tmp_path / "field.PNG", tmp_path / "field.pdf"

    for path in (picture, page):
        assert main(["field", name, "--out", str(path)]) == 0

    assert capsys.readouterr().out == f"{picture}\n{page}\n"
    with Image.open(picture) as image:
        image.load()
        assert image.format == "PNG"
        assert min(image.size) > 200
    (read,) = read_pdf(page.read_bytes())
    assert sorted(round(side) for side in read.size) == [210, 297]


def game_in(folder: Path, plies: int) -> Path:
    """Write a game into a file and return its path."""
    game = played("sttt-tactical", plies)
    path = folder / "game.txt"
    path.write_text(format_record(GameRecord(rules=game.rules, moves=tuple(game.moves))))
    return path


def test_a_long_game_goes_on_on_further_sheets(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    record = str(game_in(tmp_path, 300))
    first, page = tmp_path / "full.png", tmp_path / "full.pdf"

    for path in (first, page):
        assert main(["field", "full", "--game", record, "--out", str(path)]) == 0

    *pictures, last = map(Path, capsys.readouterr().out.split())
    sheets = read_pdf(page.read_bytes())
    assert last == page
    assert len(sheets) == len(pictures) > 1
    assert pictures == [first, *(tmp_path / f"full-{n}.png" for n in range(2, len(sheets) + 1))]
    assert len({path.read_bytes() for path in pictures}) == len(pictures)


def test_the_map_that_is_asked_for_is_the_one_on_the_field(tmp_path: Path):
    written = []
    for chosen in ([], ["--map", "map34"], ["--map", "map56"]):
        path = tmp_path / "mapped.pdf"
        assert main(["field", "mapped", *chosen, "--out", str(path)]) == 0
        written.append({text for page in read_pdf(path.read_bytes()) for text, *_ in page.texts})

    assert written[0] == written[1]
    assert written[0] != written[2]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing", "--out", "a.png"], "basic"),
        (["basic", "--out", "a.gif"], r"a.gif: the file's name must end in .png or .pdf."),
        (["basic", "--out", "missing/a.png"], "missing/a.png: No such file or directory"),
        (["basic", "--out", "a.pdf", "--map", "map99"], "map11 to map88"),
        (["basic", "--out", "a.pdf", "--game", "missing.txt"], "missing.txt: No such file"),
        (["basic", "--out", "a.pdf", "--game", "broken.txt"], "Line 1"),
    ],
)
def test_what_is_wrong_is_told_in_words_and_nothing_is_written(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    told: str,
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.txt").write_text("this is no game")

    assert main(["field", *arguments]) == 2

    heard = capsys.readouterr()
    assert told in heard.err
    assert heard.out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["broken.txt"]
