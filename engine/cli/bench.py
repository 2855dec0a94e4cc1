"""`bench`: speeds, as ratios to the same work in C measured in the same run.

The machine may be shared. What is compared is therefore run in turns, in many short
rounds, and timed by the processor time of its thread, so that waiting for a core counts
for nobody; a speed is that of the best round, a ratio the median of the rounds. What
cannot be hidden is that others empty the caches. Every line with a bar says whether it
is met; bars in ratios hold on any machine, the others on the one they were set on.
"""

from __future__ import annotations

import argparse
import ctypes
import platform
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from engine import kernels
from engine.arena import openspiel
from engine.cli import bench_process
from engine.cli._options import Commands, add_command
from engine.game import Game
from engine.openings import draw_opening_code
from engine.perft import perft
from engine.position import Position, loaded_rules
from engine.rules import Rules
from engine.search.mcts import Limit, search
from engine.variants import VARIANTS

_ROUNDS = 3
_SHORT_ROUNDS = 15  # of what is compared with C


def add_commands(commands: Commands) -> None:
    """Add this module's command."""
    parser = add_command(commands, "bench", _run, "Print speeds as ratios.")
    parser.add_argument(
        "--quick", action="store_true", help="a tenth of the work, for a first impression"
    )


def _run(options: argparse.Namespace) -> int:
    scale = 0.1 if options.quick else 1.0
    print(f"{platform.machine()}, Python {platform.python_version()}")
    kernels.compiling.run_all()
    twin = _load_twin()
    if twin is None:
        print("no C compiler found: the ratios to C are left out")
    _bench_perft(twin, 6 if options.quick else 7)
    rate = _bench_playouts(twin, round(200_000 * scale))
    plain = _bench_search(rate, scale)
    _bench_openspiel(plain, round(10_000 * scale))
    _bench_folding()
    _bench_threads(round(400_000 * scale))
    _bench_process()
    return 0


def _report(name: str, value: float, unit: str, ratio: str = "", bar: str = "") -> None:
    print(f"{name:<44} {value:>10.2f} {unit:<12} {ratio:<34} {bar}".rstrip(), flush=True)


def _bar(value: float, least: float, unit: str = "") -> str:
    """Return the bar that a value must reach, and whether it does."""
    return f"bar {least:g}{unit}: {'met' if value >= least else 'MISSED'}"


def _ceiling(value: float, most: float, unit: str) -> str:
    """Return the bar that a value must stay under, and whether it does."""
    return f"bar < {most:g}{unit}: {'met' if value < most else 'MISSED'}"


def _rates(work: int, *runs: Callable[[], object], rounds: int = _ROUNDS) -> list[list[float]]:
    """Return units of work per second of processor time: for every run, of every round.

    The runs take turns.
    """
    rates: list[list[float]] = [[] for _ in runs]
    for _ in range(rounds):
        for run, found in zip(runs, rates, strict=True):
            started = time.thread_time()
            run()
            found.append(work / max(time.thread_time() - started, 1e-9))
    return rates


def _best_rate(work: int, run: Callable[[], object], rounds: int = _ROUNDS) -> float:
    """Return units of work per second in the best round."""
    return max(_rates(work, run, rounds=rounds)[0])


def _against(ours: list[float], theirs: list[float]) -> float:
    """Return the median of the ratios of rounds run in turns."""
    return statistics.median(one / other for one, other in zip(ours, theirs, strict=True))


def _load_twin() -> ctypes.CDLL | None:
    """Compile the C twin; None where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    source = Path(__file__).with_name("twin.c")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "twin.so"
        command = [compiler, "-O3", "-march=native", "-shared", "-fPIC"]
        made = subprocess.run(  # noqa: S603  # the compiler of this machine on our own file
            [*command, "-o", str(library), str(source)], check=False, capture_output=True
        )
        if made.returncode != 0:
            return None
        twin = ctypes.CDLL(str(library))
    twin.perft.restype = ctypes.c_int64
    twin.prepare()
    return twin


def _bench_perft(twin: ctypes.CDLL | None, plies: int) -> None:
    start = Position.initial(Rules())
    nodes = perft(start, plies)
    runs: list[Callable[[], object]] = [lambda: perft(start, plies)]
    if twin is not None:
        runs.append(lambda: twin.perft(plies))
    ours, *theirs = _rates(nodes, *runs, rounds=_SHORT_ROUNDS)
    _report(f"perft {plies}, standard", max(ours) / 1e6, "M nodes/s", *_to_twin(ours, theirs))
    general = _best_rate(perft(start, 5), lambda: perft(start, 5, general=True))
    _report(
        "perft 5, general kernel", general / 1e6, "M nodes/s", f"{general / max(ours):.2f} of fast"
    )


def _to_twin(ours: list[float], theirs: list[list[float]]) -> tuple[str, str]:
    """Return the ratio to the C twin and its bar, or nothing without one."""
    if not theirs:
        return "", ""
    ratio = _against(ours, theirs[0])
    return f"{ratio:.2f} of C ({max(theirs[0]) / 1e6:.2f} M/s)", _bar(ratio, 0.9, " of C")


def _playouts(rules: Rules, game_count: int) -> Callable[[], object]:
    """Return something that plays so many random games."""
    position = Position.initial(rules, draw_opening_code(rules, seed=1))
    state, work = position.search_state(), position.search_state()
    dice = kernels.dice.make_dice(1)
    moves = np.empty(rules.cell_count, dtype=np.int64)
    tally = np.zeros(4, dtype=np.int64)
    loaded = loaded_rules(rules)
    return lambda: kernels.play.rollouts(state, work, *loaded, dice, moves, game_count, tally)


def _bench_playouts(twin: ctypes.CDLL | None, game_count: int) -> float:
    short = game_count // 10
    runs = [_playouts(Rules(), short)]
    if twin is not None:
        tally = (ctypes.c_int64 * 4)()
        seed = ctypes.c_uint64(88172645463325252)
        runs.append(lambda: twin.playouts(ctypes.c_int64(short), seed, tally))
    ours, *theirs = _rates(short, *runs, rounds=_SHORT_ROUNDS)
    standard = max(ours)
    ratio, bar = _to_twin(ours, theirs)
    _report("random games, standard", standard / 1e6, "M games/s", ratio, bar)
    _report("the same as a speed", standard / 1e6, "M games/s", "", _bar(standard / 1e6, 1.3, " M"))
    for variant in list(VARIANTS.values())[1:]:
        is_large = variant.rules.depth == 3
        count = game_count // 40 if is_large else game_count // 4
        rate = _best_rate(count, _playouts(variant.rules, count)) / 1e6
        bar = _bar(rate * 1000, 58, " k") if is_large else _bar(rate, 0.9, " M")
        share = f"{rate * 1e6 / standard:.3f} of standard"
        _report(f"random games, {variant.key}", rate, "M games/s", share, bar)
    return standard


def _bench_search(playout_rate: float, scale: float) -> float:
    """Measure the searches; return iterations a second with random games."""
    plain = 0.0
    for key, evaluation, iterations, least in (
        ("standard", "playouts", 200_000, 0.6),
        ("won-board", "playouts", 200_000, None),
        ("sttt-map", "playouts", 30_000, 0.085),
        ("standard", "hand", 200_000, None),
        ("standard", "net", 200_000, 0.5),
    ):
        position = Position.initial(VARIANTS[key].rules)
        limit = Limit(iterations=round(iterations * scale))
        run = partial(search, position, limit, seed=1, evaluation=evaluation)
        rate = _best_rate(limit.iterations or 0, run)
        ratio = ""
        if key == "standard" and evaluation == "playouts":
            plain = rate
            ratio = f"{rate / playout_rate:.2f} of random games"
        elif key == "standard":
            ratio = f"{rate / plain:.2f} of it with random games"
        bar = "" if least is None else _bar(rate / 1e6, least, " M")
        _report(f"search from the start, {key}, {evaluation}", rate / 1e6, "M it/s", ratio, bar)
    return plain


def _bench_openspiel(plain: float, simulations: int) -> None:
    """Measure OpenSpiel's search with random games beside ours."""
    if not openspiel.is_installed():
        print("OpenSpiel is not installed: the comparison with it is left out")
        return
    player = openspiel.OpenSpielPlayer()
    game, limit = Game(Rules()), Limit(iterations=simulations)
    rate = _best_rate(simulations, lambda: player.choose(game, limit, 1))
    _report(
        "OpenSpiel's MCTS bot from the start, standard",
        rate / 1e6,
        "M it/s",
        f"ours with random games: {plain / rate:.1f} times",
    )


def _bench_folding() -> None:
    """Measure how long a net takes to be read and folded."""
    from engine.nets.files import find_net
    from engine.nets.folding import net_evaluator

    def fold() -> None:
        net = find_net(Rules())
        assert net is not None, "the net of the standard rules is shipped"
        net_evaluator(net)

    _report("a net read and folded", 1 / _best_rate(1, fold), "s")


def _bench_threads(game_count: int) -> None:
    """Measure what a second thread adds, as the kernels hold no lock.

    By the clock, as two threads of two cores must be: it needs an idle machine.
    """
    runs = [_playouts(Rules(), game_count) for _ in range(2)]
    ratios = []
    for _ in range(_ROUNDS):
        started = time.perf_counter()
        runs[0]()
        one = time.perf_counter() - started
        threads = [threading.Thread(target=run) for run in runs]
        started = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        ratios.append(2 * one / (time.perf_counter() - started))
    best = max(ratios)
    _report("random games in two threads", best, "of one", "", _bar(best, 1.9))


def _bench_process() -> None:
    seconds = bench_process.start_seconds(_ROUNDS)
    _report("start with all kernels from the cache", seconds, "s", "", _ceiling(seconds, 2, " s"))
    median, worst = (1000 * lag for lag in bench_process.loop_lag())
    ratio = f"median {median:.2f} ms"
    _report("event loop beside a search, worst lag", worst, "ms", ratio, _ceiling(worst, 5, " ms"))
    sizes = bench_process.memory_mb()
    if sizes is None:
        print("no /proc here: memory is left out")
        return
    for name, size in zip(
        ("after the start", "with a net", "with a full tree"), sizes, strict=True
    ):
        _report(f"memory {name}", size, "MB")
