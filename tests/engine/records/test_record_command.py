"""`python -m engine record`: what people see of record files in a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.__main__ import main

TWO_GAMES = """\
[X "Anna"]
[O "Bea\\u001b[2J"]
[Result "1-0"]
[End "resigned"]

1. 55 51 1-0

[Variant "tic-tac-ku"]

1. 55 53 *
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "games.uttt"
    path.write_text(TWO_GAMES, encoding="utf-8")
    return path


def test_games_are_summed_up_without_control_signs(file: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["record", str(file)]) == 0
    assert capsys.readouterr().out == (
        "standard: Anna (X) - Bea\\u001b[2J (O), 2 moves, X wins, resigned\n"
        "tic-tac-ku: ? (X) - ? (O), 2 moves, not finished\n"
    )


def test_positions_are_shown_a_line_each(file: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["record", str(file), "--show", "position"]) == 0
    assert capsys.readouterr().out == (
        "standard X 51 1 9 9/9/9/9/O3X4/9/9/9/9\ntic-tac-ku X 53 3 9 9/9/9/9/2O1X4/9/9/9/9\n"
    )


def test_a_file_is_written_in_its_standard_form(file: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["record", str(file), "--show", "record"]) == 0
    shown = capsys.readouterr().out
    file.write_text(shown, encoding="utf-8")

    assert main(["record", str(file), "--show", "record"]) == 0
    assert capsys.readouterr().out == shown


def test_the_end_of_a_game_is_drawn(file: Path, capsys: pytest.CaptureFixture[str]):
    file.write_text('[Variant "depth=1"] 5 1 *')

    assert main(["record", str(file), "--show", "diagram"]) == 0
    assert capsys.readouterr().out == "(O)2 3\n 4 X 6\n 7 8 9\n"


def test_letters_are_for_standard_rules_only(file: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["record", str(file), "--show", "letters"]) == 2
    shown = capsys.readouterr()

    assert shown.out.startswith("ee ea\nX;@........;")
    assert "standard rules only; this is tic-tac-ku" in shown.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1. 55\n19 *", "Line 2, move 1 O 19: You were sent to board 5: play there."),
        (b"1. 55 *\n; caf\xe9", "is no text in UTF-8: look at line 2"),
        (b" " * (4 * 1024 * 1024 + 1), "is larger than any record file: 4,194,304 bytes"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_in_a_sentence(
    file: Path, capsys: pytest.CaptureFixture[str], content: bytes, message: str
):
    file.write_bytes(content)

    assert main(["record", str(file)]) == 2
    assert message in capsys.readouterr().err


def test_a_missing_file_is_told_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["record", str(tmp_path / "none.uttt")]) == 2
    assert "none.uttt cannot be read: No such file or directory" in capsys.readouterr().err
