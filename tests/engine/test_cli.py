"""The engine's commands, as a person meets them."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys

import pytest

from engine import Proof, SearchReport
from engine.__main__ import main
from tests.engine.programs import ROOT, run


def test_perft_prints_a_line_for_each_depth(capsys: pytest.CaptureFixture[str]):
    assert main(["perft", "standard", "5"]) == 0
    assert capsys.readouterr().out == "1 81\n2 720\n3 6336\n4 55080\n5 473256\n"


def test_perft_begins_after_given_moves(capsys: pytest.CaptureFixture[str]):
    main(["perft", "standard", "2", "--moves", "55 51"])
    main(["perft", "random-four", "1", "--opening", "12345", "--general"])

    assert capsys.readouterr().out == "1 9\n2 78\n1 9\n"


def test_divide_adds_up(capsys: pytest.CaptureFixture[str]):
    main(["divide", "standard", "3"])
    lines = capsys.readouterr().out.splitlines()

    assert len(lines) == 82
    assert lines[-1] == "total 6336"
    assert sum(int(line.split()[1]) for line in lines[:-1]) == 6336


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["perft", "nope", "3"], "There is no variant 'nope'"),
        (["perft", "standard", "3", "--moves", "55 11"], "You were sent to board 5: play there."),
        (["perft", "standard", "3", "--moves", "zz"], "not 'zz'"),
        (["perft", "symmetric", "3"], "add --opening CODE"),
        (["play", "--level", "11"], "there is no level 11: levels are 1 to 10"),
        (["play", "--variant", "depth=9"], "depth must be 1, 2 or 3"),
    ],
)
def test_a_mistake_is_a_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
):
    assert main(arguments) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["perft", "standard", "x"], ["nonsense"]])
def test_bad_arguments_are_explained(arguments: list[str], capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as caught:
        main(arguments)

    assert caught.value.code == 2
    assert "usage: python -m engine" in capsys.readouterr().err


def test_variants_are_listed_and_told(capsys: pytest.CaptureFixture[str]):
    main(["variants"])
    assert "tic-tac-ku" in capsys.readouterr().out
    main(["variants", "won-board"])
    assert capsys.readouterr().out.startswith("Won-Board Play (won-board)")


# Playing in the terminal.


def sit_down(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str, *options: str
) -> str:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert main(["play", "--seed", "1", "--level", "1", *options]) == 0
    return capsys.readouterr().out


def test_a_game_is_played_to_its_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """Typing every cell over and over, refused ones too, eventually ends a game."""
    cells = "".join(f"{board}{cell}\n" for board in range(1, 10) for cell in range(1, 10))
    out = sit_down(monkeypatch, capsys, cells * 40)

    assert re.search(
        r"^(You win|The computer wins) with boards \d, \d and \d in a row\.$", out, re.M
    )
    assert re.search(
        r"^The computer plays \d(\d) and wins board \d\.", out.replace("\r", "\n"), re.M
    )
    assert "\033[" not in out


def test_a_draw_is_told_in_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    typed = "\n".join("678541923" * 2)
    out = sit_down(monkeypatch, capsys, typed, "--variant", "depth=1", "--level", "10")

    assert "A draw: the board is full and nobody has three in a row." in out


def test_a_bare_cell_asks_for_its_board(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """What is typed instead of a board counts as if typed at the first prompt."""
    out = sit_down(monkeypatch, capsys, "4\n\n4\nundo\n4\n11\nundo\n4\n7\nquit\n")

    assert out.count("Cell 4 of which board (1 2 3 4 5 6 7 8 9)? ") == 4
    assert "There is no move of yours to take back." in out
    assert "The computer plays 1" in out
    assert "The computer plays 4" in out
    assert "Good-bye." in sit_down(monkeypatch, capsys, "4\n")  # the input ends at the question

    out = sit_down(monkeypatch, capsys, "4\n79\n", "--variant", "sttt-tactical")
    assert "Cell 4 of which board (two digits, such as 11)? " in out
    assert "The computer plays " in out


@pytest.mark.parametrize(
    ("known", "is_coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False), ({"TERM": ""}, False)],
)
def test_colours_are_for_terminals_that_show_them(
    known: dict[str, str], is_coloured: bool,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
):  # fmt: skip
    for name, value in ({"TERM": "xterm", "NO_COLOR": ""} | known).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)

    assert ("\033[" in sit_down(monkeypatch, capsys, "quit\n")) == is_coloured


def test_what_is_typed_is_answered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    typed = "help\n\nrules\nboard\nundo\nswap\nzz\n55\nundo\n55\n55\n"
    out = sit_down(monkeypatch, capsys, typed)

    for sentence in (
        "boards and cells count 1-9",
        "The cell you play decides which board",
        "There is no move of yours to take back.",
        "These rules have no swap of seats.",
        "not 'zz'. Type help for help.",
        "The computer plays 5",
        "Good-bye.",
    ):
        assert sentence in out


def test_the_board_one_was_sent_to_need_not_be_typed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    out = sit_down(monkeypatch, capsys, "0\n111\n9\n99\nresign\n", "--variant", "sttt-map")

    assert "A move is three digits" in out
    assert out.count("The computer plays") >= 2
    *_, resigned, last = out.splitlines()
    assert resigned.endswith("You resign. The computer wins.")
    assert last.startswith('To look it over: python -m engine analyse "')
    assert last.endswith("--variant sttt-map")


def test_what_is_certain_is_announced(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    small = ("--variant", "depth=1", "--level", "10")
    out = sit_down(monkeypatch, capsys, "5\nhint\n", *small)
    answer, hint = out.index(", a certain draw. "), out.rindex(", a certain draw\n")
    assert answer < hint

    won = ("--variant", "won-board", "--level", "10", "--first", "computer")
    out = sit_down(monkeypatch, capsys, "", *won)
    assert "The computer plays 55, a certain win in at most 22 moves." in out


@pytest.mark.parametrize(
    ("proven", "distance", "told"),
    [
        (Proof.WIN, 1, ", 100 of 100 points expected"),
        (Proof.WIN, 2, ", a certain win in at most 1 move"),
        (Proof.WIN, 3, ", a certain win in at most 2 moves"),
        (Proof.LOSS, 1, ", 0 of 100 points expected"),  # the last move may be the loser's
        (Proof.LOSS, 2, ", lost against best play in at most 1 move"),
        (Proof.LOSS, None, ", 0 of 100 points expected"),
    ],
)
def test_a_result_that_comes_at_once_is_in_no_number_of_moves(
    proven: Proof, distance: int | None, told: str,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
):  # fmt: skip
    found = SearchReport(
        move=0, score_for_side=1.0 if proven is Proof.WIN else 0.0, iterations=1, seconds=0.1,
        principal_line=(0,), visits={0: 1}, proven=proven, distance=distance,
    )  # fmt: skip
    monkeypatch.setattr("engine.cli.play.choose_move", lambda *args, **options: found)

    assert f": 11{told}\n" in sit_down(monkeypatch, capsys, "hint\n")


def test_a_game_that_was_played_can_be_looked_over(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """The line that is shown at the end is a command that works."""
    out = sit_down(monkeypatch, capsys, "5\n2\n4\n1\n3\n6\n7\n8\n9\n" * 3, "--variant", "depth=1")
    told = out.splitlines()[-1]
    command = shlex.split(told.removeprefix("To look it over: python -m engine "))

    assert main([*command, "--iterations", "200"]) == 0
    assert "accuracy" in capsys.readouterr().out


@pytest.mark.parametrize("first", ["computer", "random"])
def test_the_computer_may_begin(
    first: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert "Good-bye." in sit_down(monkeypatch, capsys, "quit\n", "--first", first)


def test_seats_are_swapped_at_the_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    out = sit_down(monkeypatch, capsys, "swap\n", "--variant", "pie", "--first", "computer")

    assert "You are X now." in out


def test_an_opening_code_is_shown_and_can_be_given(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    out = sit_down(monkeypatch, capsys, "quit\n", "--variant", "random-four", "--opening", "12345")

    assert "The opening code is 12345." in out


def test_where_moves_send_is_told_on_27x27_cells(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    typed = "moves 5\n555\nhelp\nmoves 0\nquit\n"
    out = sit_down(monkeypatch, capsys, typed, "--variant", "sttt-hypermap", "--seed", "1")

    assert out.count("From 5") == 9
    assert "From 51: 1 to 41; 2 to 52; 3 to 63" in out
    board = re.search(r"The hypermap of board (\d):", out)
    assert board is not None
    assert f"\nFrom {board[1]}" in out
    assert "moves 5 only those in board 5" in out
    assert "There is no legal move in board 0." in out


def test_the_numbers_of_the_map_stand_in_the_diagram(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    out = sit_down(monkeypatch, capsys, "quit\n", "--variant", "sttt-map")

    assert "2: 1 2 3 | 1 2 3 | 1 2 3 ||3: 1 2 3 |" in out


# As programs.


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
def test_a_terminal_shows_colours_and_asks_for_the_board():
    near, far = os.openpty()
    program = [sys.executable, "-m", "engine", "play", "--level", "1", "--seed", "1"]
    env = {**os.environ, "TERM": "xterm", "NO_COLOR": ""}
    with subprocess.Popen(program, cwd=ROOT, stdin=far, stdout=far, stderr=far, env=env) as playing:
        os.close(far)
        os.write(near, b"5\n5\nquit\n")
        shown = b""
        with contextlib.suppress(OSError):  # how Linux says that nobody writes there any more
            while read := os.read(near, 4096):
                shown += read
    os.close(near)

    assert playing.returncode == 0
    assert b"Cell 5 of which board (1 2 3 4 5 6 7 8 9)? " in shown
    assert b"The computer plays \033[1;36m5" in shown
    assert b"\033[1;31mX\033[0m, your cell in board " in shown


def test_what_is_typed_at_the_table_need_not_be_text():
    done = run("play", "--level", "1", "--seed", "1", typed=b"\xff\xfe\n55\nquit\n")

    assert (done.returncode, done.stderr) == (0, "")
    assert "The computer plays 5" in done.stdout


@pytest.mark.sampled(7)
@pytest.mark.parametrize(
    "number",
    ["9" * 30, "9" * 600, "9" * 5000, "-1", "nan", "inf", "1e400", "²", "\udcff"],
    ids=lambda text: ascii(text)[:12],
)
@pytest.mark.parametrize(
    "command",
    [
        "perft standard -- {}",
        "divide standard -- {}",
        "play --level={}",
        "play --seed={}",
        *(f"analyse 55 --{name}={{}}" for name in ("game", "seed", "movetime", "iterations")),
        *(
            f"match random random --{name}={{}}"
            for name in (
                "games", "movetime", "iterations", "opening-plies", "seed", "concurrency",
            )
        ),
        *(
            f"ladder --{name}={{}}"
            for name in ("games", "levels", "span", "movetime", "minutes", "seed", "concurrency")
        ),
        "ladder --levels=1..{}",
        "study standard --games={}",
        "study standard --seed={}",
    ],
)  # fmt: skip
def test_numbers_that_are_none_or_of_no_use_are_refused_shortly(
    command: str, number: str, capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(SystemExit) as caught:
        main(command.format(number).split())

    assert caught.value.code == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert "is not" in error
    assert len(error) < 300


def test_compiling_again_changes_nothing_and_shows_progress():
    done = run("compile")

    assert done.returncode == 0
    assert "Compiling kernels: 100%" in done.stderr


def test_importing_the_engine_does_not_import_the_compiler():
    """A process must not pay half a second before it needs a kernel."""
    command = "import engine, sys; print('numba' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", command], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert done.stdout == "False False\n"
