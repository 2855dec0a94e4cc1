"""The engine's commands, as a person or another program meets them."""

from __future__ import annotations

import io
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine import Proof, SearchReport
from engine.__main__ import main
from engine.cli.ugi import Session, parse_limit
from engine.errors import EngineError

ROOT = Path(__file__).resolve().parents[2]


def converse(*lines: str) -> list[str]:
    """Return what the engine answers to lines of the Universal Game Interface."""
    out = io.StringIO()
    session = Session(out)
    for line in lines:
        if not session.obey(line):
            break
    session.finish()
    return out.getvalue().splitlines()


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
        (["perft", "standard", "3", "--moves", "zz"], "got 'zz'"),
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
    """Typing every cell over and over, refused ones too, ends a game some time."""
    cells = "".join(f"{board}{cell}\n" for board in range(1, 10) for cell in range(1, 10))
    out = sit_down(monkeypatch, capsys, cells * 40)

    assert any(end in out for end in ("You win!", "The computer wins.", "A draw."))
    assert "\033[" not in out


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
        "got 'zz'. Type help for help.",
        "The computer plays 5",
        "Good-bye.",
    ):
        assert sentence in out


def test_the_board_one_was_sent_to_need_not_be_typed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    out = sit_down(monkeypatch, capsys, "5\n111\n9\n99\nresign\n", "--variant", "sttt-map")

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


# The Universal Game Interface.


def test_the_interface_introduces_itself():
    lines = converse("ugi", "isready", "quit")

    assert lines[0].startswith("id name ")
    assert lines[-2:] == ["ugiok", "readyok"]


@pytest.mark.parametrize("go", ["nodes 200", "movetime 5", "depth 3", "p1time 50 p2time 50"])
def test_a_search_answers_with_a_legal_move(go: str):
    *_, info, best = converse("position startpos moves 55 51", f"go {go}")

    assert info.startswith("info depth ")
    assert best.split()[0] == "bestmove"
    assert best.split()[1][0] == "1"


def test_stop_ends_an_endless_search():
    lines = converse("go infinite", "position startpos", "stop", "position startpos moves 55")

    assert lines[0].startswith("info string error a search is running: send stop first")
    assert lines[-1].startswith("bestmove")
    assert len(lines) == 3


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("jump", "unknown command 'jump'"),
        ("position fen x", "position is: position startpos"),
        ("position startpos moves 55 11", "You were sent to board 5"),
        ("setoption value", "setoption is: setoption name NAME value VALUE"),
        ("setoption name Hash value 3", "there is no option 'Hash'"),
        ("setoption name Variant value chess", "There is no variant 'chess'"),
        ("setoption name Opening value 12345", "no opening code"),
        ("setoption name Seed value -1", "Seed needs a whole number from 0 to 2147483647"),
        ("setoption name Threads value 0", "Threads needs a whole number from 1 to 64, got '0'"),
        ("go nodes", "nodes needs a whole number from 0 to 1000000000, got ''"),
        ("go nodes 0", "must be positive"),
        ("go sideways 3", "go does not know 'sideways'"),
        ("go p2time 100", "go needs p1time, movetime"),
        ("query weather", "query is one of: gameover, p1turn, result"),
    ],
)
def test_bad_input_is_answered_and_the_talk_goes_on(line: str, sentence: str):
    error, ready = converse(line, "", "isready")

    assert error.startswith("info string error ")
    assert sentence in error
    assert ready == "readyok"


LONG_SEARCHES = ("nodes 999999999", "movetime 999999999", "p1time 999999999", "infinite")


@pytest.mark.timeout(60)
@pytest.mark.parametrize("go", LONG_SEARCHES)
@pytest.mark.parametrize(
    "line",
    [
        "go nodes 5",
        "position startpos",
        "uginewgame",
        "setoption name Seed value 3",
        "setoption name Variant value pie",
    ],
)
def test_stop_is_heard_whatever_was_asked_for_meanwhile(go: str, line: str):
    refused, ready, side, info, best, again = converse(
        f"go {go}", line, "isready", "query p1turn", "stop", "position startpos moves 55",
        "query p1turn",
    )  # fmt: skip

    assert refused.startswith("info string error a search is running: send stop first")
    assert (ready, side, again) == ("readyok", "response true", "response false")
    assert info.startswith("info depth")
    assert best.startswith("bestmove")


@pytest.mark.timeout(60)
@pytest.mark.parametrize("go", LONG_SEARCHES)
def test_quit_and_the_end_of_the_input_end_every_search(go: str):
    for commands, patience in (((f"go {go}", "quit"), 60), ((f"go {go}",), 0.05)):
        out = io.StringIO()
        session = Session(out)
        assert [session.obey(line) for line in commands][-1] == (commands[-1] != "quit")
        session.finish(patience)

        assert out.getvalue().splitlines()[-1].startswith("bestmove")


def test_a_command_may_follow_the_answer_at_once():
    """The next command is never refused for a search that has answered."""
    out = io.StringIO()
    session = Session(out)
    for number in range(1, 200):
        session.obey("go nodes 1")
        while out.getvalue().count("bestmove") < number:
            pass
        session.obey("position startpos moves 55")

    assert "error" not in out.getvalue()


NO_NUMBERS = (
    "9" * 18, "9" * 600, "9" * 5000, "-1", "-" + "9" * 600, "nan", "inf", "1e9", "1_0", "٣",
    "²", "0x10", "5.0", "\\xff", "\x00",
)  # fmt: skip


@pytest.mark.parametrize("number", NO_NUMBERS, ids=lambda text: ascii(text)[:12])
@pytest.mark.parametrize(
    "command",
    [
        *(f"go {name}" for name in ("nodes", "movetime", "depth", "p1time", "p1inc", "p2inc")),
        "go p1time 50 p2time",
        "setoption name Seed value",
        "setoption name Threads value",
        "setoption name Variant value depth=3,sending=map,map",
    ],
)
def test_what_is_no_number_of_use_is_answered_shortly(command: str, number: str):
    joint = "=" if command.endswith("map") else " "
    error, ready = converse(f"{command}{joint}{number}", "isready")

    assert error.startswith("info string error ")
    assert len(error) < 600
    assert ready == "readyok"


def test_questions_about_the_position_are_answered():
    lines = converse(
        "setoption name Variant value depth=1",
        "position startpos moves 1 4 2 5",
        "query p1turn",
        "query gameover",
        "query result",
        "position startpos moves 1 4 2 5 3",
        "query p1turn",
        "query gameover",
        "query result",
        "go nodes 5",
    )

    assert lines == [
        "response true",
        "response false",
        "response none",
        "response false",
        "response true",
        "response p1win",
        "info string error the game is over: X wins with three in a row",
    ]


def test_an_opening_code_is_an_option():
    lines = converse(
        "setoption name Variant value random-four",
        "position startpos",
        "query result",
        "setoption name Opening value 12345",
        "position startpos moves 55",
        "uginewgame",
        "query p1turn",
    )

    assert [line.startswith("info string error this variant begins") for line in lines] == [
        True, True, False,
    ]  # fmt: skip
    assert lines[-1] == "response true"


def test_a_seed_repeats_a_search():
    def lines(*options: str) -> list[str]:
        variant = "setoption name Variant value depth=1"  # random games: chance matters
        talk = converse(*options, variant, "position startpos", "go nodes 60")
        return [line.split(" pv ")[-1] for line in talk]

    seeded = [lines("setoption name Seed value 7") for _ in range(2)]
    other = {tuple(lines(f"setoption name Seed value {seed}")) for seed in range(1, 9)}

    assert seeded[0] == seeded[1]
    assert len(other) > 1
    assert "option name Seed type spin default 0 min 0 max 2147483647" in converse("ugi")


def test_threads_are_an_option():
    lines = converse(
        "position startpos moves 55",
        "setoption name Threads value 3",
        "setoption name seed value 2",
        "go nodes 200",
    )

    assert " nodes 200 " in lines[0]
    assert lines[-1].startswith("bestmove 5")  # and the position was kept


def test_a_clock_is_never_used_up():
    for clock in (1, 50, 1000, 60_000):
        seconds = parse_limit(["p1time", str(clock), "p2time", "9", "p1inc", "99999"], 0).seconds
        assert seconds is not None
        assert seconds <= max(clock * 0.5, 1) / 1000
    with pytest.raises(EngineError):
        parse_limit(["p1time", "5"], 1)


# As programs.


def run(*arguments: str, typed: str | bytes = "") -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "engine", *arguments],
        cwd=ROOT, input=typed.encode() if isinstance(typed, str) else typed, capture_output=True,
        check=False, env={**os.environ, "NO_COLOR": "1"},
    )  # fmt: skip
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def test_the_interface_works_through_pipes():
    done = run("ugi", typed="position startpos moves 55\ngo nodes 100\n")

    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].startswith("bestmove 5")


def test_what_is_no_text_or_too_much_of_it_is_answered():
    typed = b"\xff\xfe\ngo nodes \xff\n\nquery \x00\n" + 3 * b"isready " * 9000 + b"\nisready"
    done = run("ugi", typed=typed)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        r"info string error unknown command '\\xff\\xfe'",
        r"info string error nodes needs a whole number from 0 to 1000000000, got '\\xff'",
        "info string error query is one of: gameover, p1turn, result",
        "info string error a line has at most 10000 characters",
        "readyok",
    ]


def test_what_is_typed_at_the_table_need_not_be_text():
    done = run("play", "--level", "1", "--seed", "1", typed=b"\xff\xfe\n55\nquit\n")

    assert (done.returncode, done.stderr) == (0, "")
    assert "The computer plays 5" in done.stdout


@pytest.mark.timeout(60)
@pytest.mark.parametrize("how", ["interrupt", "nobody reads"])
def test_a_search_does_not_outlive_the_conversation(how: str):
    with subprocess.Popen(
        [sys.executable, "-m", "engine", "ugi"], cwd=ROOT,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # Whoever runs the tests in the background has it ignored, which would be inherited.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as program:  # fmt: skip
        try:
            assert program.stdin is not None
            assert program.stdout is not None
            program.stdin.write("go infinite\nisready\n")
            program.stdin.flush()
            assert program.stdout.readline() == "readyok\n"
            if how == "interrupt":
                program.send_signal(signal.SIGINT)
            else:
                program.stdout.close()
                program.stdin.write("isready\n")
                program.stdin.flush()

            assert program.wait(30) == (130 if how == "interrupt" else 0)
        finally:
            program.kill()


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
