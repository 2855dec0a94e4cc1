"""The Universal Game Interface, as another program meets it."""

from __future__ import annotations

import importlib
import io
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from engine.cli.ugi import Session, parse_limit
from engine.errors import EngineError
from tests.engine.programs import ROOT, run


def converse(*lines: str) -> list[str]:
    """Return what the engine answers to lines of the Universal Game Interface.

    Reports of a running search are left out: they depend on how busy the machine is.
    """
    out = io.StringIO()
    session = Session(out)
    for line in lines:
        if not session.obey(line):
            break
    session.finish()
    said = out.getvalue().splitlines()
    return [
        line
        for line, following in zip(said, [*said[1:], ""], strict=True)
        if not line.startswith("info depth ") or following.startswith("bestmove ")
    ]


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
        ("setoption name Threads value 2", "no option 'Threads': options are Variant, Opening"),
        ("go nodes", "nodes needs a whole number from 0 to 1000000000, got ''"),
        ("go nodes 0", "must be positive"),
        ("go sideways 3", "go does not know 'sideways'"),
        ("go p2time 100", "go needs p1time, movetime"),
        ("setoption name Swap value 1", "Swap is true or false, got '1'"),
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
    """The next command is never refused because of a search that has answered."""
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


@pytest.mark.sampled(7)
@pytest.mark.parametrize("number", NO_NUMBERS, ids=lambda text: ascii(text)[:12])
@pytest.mark.parametrize(
    "command",
    [
        *(f"go {name}" for name in ("nodes", "movetime", "depth", "p1time", "p1inc", "p2inc")),
        "go p1time 50 p2time",
        "setoption name Seed value",
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


def test_a_position_outlasts_a_new_seed():
    lines = converse("position startpos moves 55", "setoption name seed value 2", "go nodes 200")

    assert " nodes 200 " in lines[0]
    assert lines[-1].startswith("bestmove 5")


def depth_of(info: str) -> int:
    return int(info.split()[2])


def patiently(*lines: str) -> list[str]:
    """Return the answers, waiting for each search before the next line."""
    out = io.StringIO()
    session = Session(out)
    for line in lines:
        session.obey(line)
        session.finish()
    return out.getvalue().splitlines()


def test_the_tree_is_kept_until_a_new_game():
    begin = ("setoption name Seed value 3", "position startpos moves 55", "go nodes 20000")

    def look_after(*lines: str) -> str:
        return patiently(*begin, *lines, "go nodes 1")[-2]

    first = patiently(*begin)[-2]
    reply = " ".join(first.split(" pv ")[1].split()[:2])
    again = look_after(begin[1])
    followed = look_after(f"{begin[1]} {reply}")
    anew = look_after("uginewgame", begin[1])
    elsewhere = look_after("position startpos moves 11")

    assert " nodes 1 " in again
    assert min(depth_of(again), depth_of(followed)) > max(depth_of(anew), depth_of(elsewhere)) + 2


def test_a_search_that_lasts_says_how_it_stands():
    out = io.StringIO()
    session = Session(out)
    session.obey("go infinite")
    while out.getvalue().count("info depth ") < 2:
        time.sleep(0.01)
    session.obey("stop")
    session.finish()
    *lasting, last, best = out.getvalue().splitlines()

    assert len(lasting) >= 2
    nodes = [int(line.split(" nodes ")[1].split()[0]) for line in (*lasting, last)]
    assert nodes == sorted(nodes)
    assert last.split(" pv ")[1].split()[0] == best.split()[1]


def test_a_certain_end_is_told_in_moves():
    """A side that has announced a win wins in time, and the loser has known it."""
    out = io.StringIO()
    session = Session(out)
    moves = ["11", "12", "21", "13", "31", "14", "41", "15", "51", "18"]  # X has next to nothing
    announced: list[tuple[int, int]] = []
    rules = "drawn_board=both,won_board=forced,tiebreak=most"
    session.obey(f"setoption name Variant value {rules}")
    session.obey("setoption name Seed value 1")
    while True:
        session.obey(f"position startpos moves {' '.join(moves)}")
        session.obey("query gameover")
        if out.getvalue().splitlines()[-1] == "response true":
            break
        session.obey("go nodes 3000")
        session.finish()
        info, best = out.getvalue().splitlines()[-2:]
        if " mate " in info:
            announced.append((len(moves), int(info.split(" mate ")[1].split()[0])))
        moves.append(best.split()[1])

    assert len(announced) > 1
    for ply, in_moves in announced:
        own_moves = (len(moves) - ply + 1) // 2  # of the side to move; a loser may make the last
        assert own_moves <= abs(in_moves)
    assert {in_moves > 0 for _, in_moves in announced} == {True, False}


def test_seats_are_swapped_where_the_rules_and_the_option_say_so():
    pie, swap = "setoption name Variant value pie", "setoption name Swap value true"
    centre, think = "position startpos moves 55", "go nodes 3000"

    assert converse(pie, swap, centre, think)[-1] == "bestmove swap"
    assert converse(pie, centre, think)[-1].startswith("bestmove 5")  # the option is off
    assert converse(swap, centre, think)[-1].startswith("bestmove 5")  # standard rules
    _, mild = converse(pie, swap, "go nodes 300")
    assert mild != "bestmove 55"
    *_, turn, _, reply = converse(pie, swap, f"{centre} swap", "query p1turn", think)
    assert turn == "response false"  # marks and turn stay: it is O's move
    assert reply.startswith("bestmove 5")
    for moves in ("55 swap swap", "swap", "55 51 swap"):
        assert converse(pie, f"position startpos moves {moves}")[0].startswith("info string error")


def test_what_is_refused_leaves_the_position_as_it_was():
    refused, side, *_, best = converse(
        "position startpos moves 55",
        "position startpos moves 55 51 19 22",
        "query p1turn",
        "go nodes 20",
    )

    assert refused.startswith("info string error ")
    assert side == "response false"
    assert best.startswith("bestmove 5")


def test_a_clock_is_never_used_up():
    for clock in (1, 50, 1000, 60_000):
        seconds = parse_limit(["p1time", str(clock), "p2time", "9", "p1inc", "99999"], 0).seconds
        assert seconds is not None
        assert seconds <= max(clock * 0.5, 1) / 1000
    with pytest.raises(EngineError):
        parse_limit(["p1time", "5"], 1)


# As a program.


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


@pytest.mark.sampled(2)
@pytest.mark.timeout(60)
@pytest.mark.parametrize("how", ["interrupt", "nobody reads"])
def test_a_search_does_not_outlive_the_conversation(how: str):
    with subprocess.Popen(
        [sys.executable, "-m", "engine", "ugi"], cwd=ROOT,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # Tests run in the background ignore this signal, and the program would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as program:  # fmt: skip
        try:
            assert program.stdin is not None
            assert program.stdout is not None
            program.stdin.write("go infinite\nisready\n")
            program.stdin.flush()
            while program.stdout.readline() != "readyok\n":
                pass
            if how == "interrupt":
                # A signal just before it reads is noticed only when it has read a line.
                time.sleep(0.3)
                program.send_signal(signal.SIGINT)
            else:
                program.stdout.close()
                program.stdin.write("isready\n")
                program.stdin.flush()

            assert program.wait(30) == (130 if how == "interrupt" else 0)
        finally:
            program.kill()


def processor_seconds(pid: int) -> float:
    """Return the processor time of another process."""
    return time.clock_gettime(~pid << 3 | 2)


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.timeout(600)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the clock of a process")
@pytest.mark.parametrize("milliseconds", [5, 50])
def test_the_time_of_a_move_is_kept(milliseconds: int, figure: Callable[..., None]):
    """Processor time from `go` to `bestmove`; a certain end is answered earlier."""
    over: list[float] = []
    command = [sys.executable, "-m", "engine", "ugi"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None

        def ask(*lines: str, until: str) -> list[str]:
            assert program.stdin is not None
            assert program.stdout is not None
            program.stdin.write("\n".join(lines) + "\n")
            said: list[str] = []
            while not (said and said[-1].startswith(until)):
                said.append(program.stdout.readline())
            return said

        for number in range(3):
            moves = [f"{number + 4}5"]
            ask("uginewgame", "isready", until="readyok")
            while True:
                position = f"position startpos moves {' '.join(moves)}"
                if "true" in ask(position, "query gameover", until="response")[-1]:
                    break
                before = processor_seconds(program.pid)
                *_, info, best = ask(f"go movetime {milliseconds}", until="bestmove")
                time.sleep(0.002)  # its thread ends
                if int(info.split(" time ")[1].split()[0]) >= milliseconds - 1:
                    spent = processor_seconds(program.pid) - before
                    over.append(100 * (1000 * spent / milliseconds - 1))
                moves.append(best.split()[1])
        ask("quit", until="")
    over.sort()
    middle, near = statistics.median(over), sum(abs(one) <= 2 for one in over) / len(over)
    figure(
        f"go movetime {milliseconds}, processor time",
        cases=len(over),
        bar="within 2 %",
        measured=f"median {middle:+.2f} %, mean {statistics.mean(over):+.2f} %,"
        f" {100 * near:.0f} % of moves within",
    )
    assert abs(middle) <= 2


def test_what_is_ready_needs_nothing_more(monkeypatch: pytest.MonkeyPatch):
    """The net and the memory are there before the first search."""
    out = io.StringIO()
    session = Session(out)
    session.obey("setoption name Variant value majority")
    session.obey("isready")
    loaded: list[object] = []
    searching = importlib.import_module("engine.search.mcts")
    monkeypatch.setattr(searching, "load_evaluator", lambda *asked: loaded.append(asked))
    monkeypatch.setattr(searching.trees, "ValuedTree", lambda *asked, **_: loaded.append(asked))
    session.obey("position startpos moves 55")
    session.obey("go nodes 200")
    session.finish()

    assert out.getvalue().splitlines()[-1].startswith("bestmove 5")
    assert loaded == []
