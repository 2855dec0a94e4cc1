"""`bench`: speeds, as ratios to the same work in C measured in the same run."""

from __future__ import annotations

import argparse
import ctypes
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from engine import kernels
from engine.cli._options import Commands, add_command
from engine.openings import draw_opening_code
from engine.perft import perft
from engine.position import Position, loaded_rules
from engine.rules import Rules
from engine.search.mcts import Limit, search
from engine.variants import VARIANTS

_ROUNDS = 3


def add_commands(commands: Commands) -> None:
    """Add this module's command."""
    parser = add_command(commands, "bench", _run, "Print speeds as ratios.")
    parser.add_argument(
        "--quick", action="store_true", help="a tenth of the work, for a first impression"
    )


def _run(options: argparse.Namespace) -> int:
    scale = 0.1 if options.quick else 1.0
    print(f"{platform.machine()}, Python {platform.python_version()}, best of {_ROUNDS}")
    kernels.compiling.run_all()
    twin = _load_twin()
    if twin is None:
        print("no C compiler found: the ratios to C are left out")
    _bench_perft(twin, 6 if options.quick else 7)
    rate = _bench_playouts(twin, round(400_000 * scale))
    _bench_search(rate, scale)
    _bench_folding()
    _bench_threads(round(400_000 * scale))
    _bench_start()
    return 0


def _report(name: str, value: float, unit: str, ratio: str = "") -> None:
    print(f"{name:<44} {value:>10.2f} {unit:<12} {ratio}", flush=True)


def _best_rate(work: int, run: Callable[[], object]) -> float:
    """Return units of work per second in the best round."""
    best = 0.0
    for _ in range(_ROUNDS):
        started = time.perf_counter()
        run()
        best = max(best, work / (time.perf_counter() - started))
    return best


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
    ours = _best_rate(nodes, lambda: perft(start, plies))
    ratio = ""
    if twin is not None:
        theirs = _best_rate(nodes, lambda: twin.perft(plies))
        ratio = f"{ours / theirs:.2f} of C ({theirs / 1e6:.0f} M/s)"
    _report(f"perft {plies}, standard", ours / 1e6, "M nodes/s", ratio)
    general = _best_rate(perft(start, 5), lambda: perft(start, 5, general=True))
    _report("perft 5, general kernel", general / 1e6, "M nodes/s", f"{general / ours:.2f} of fast")


def _playout_rate(rules: Rules, game_count: int) -> float:
    position = Position.initial(rules, draw_opening_code(rules, seed=1))
    state, work = position.search_state(), position.search_state()
    dice = kernels.dice.make_dice(1)
    moves = np.empty(rules.cell_count, dtype=np.int64)
    tally = np.zeros(4, dtype=np.int64)
    loaded = loaded_rules(rules)
    return _best_rate(
        game_count,
        lambda: kernels.play.rollouts(state, work, *loaded, dice, moves, game_count, tally),
    )


def _bench_playouts(twin: ctypes.CDLL | None, game_count: int) -> float:
    standard = _playout_rate(Rules(), game_count)
    ratio = ""
    if twin is not None:
        tally = (ctypes.c_int64 * 4)()
        games = ctypes.c_int64(game_count)
        theirs = _best_rate(
            game_count, lambda: twin.playouts(games, ctypes.c_uint64(88172645463325252), tally)
        )
        ratio = f"{standard / theirs:.2f} of C ({theirs / 1e6:.2f} M/s)"
    _report("random games, standard", standard / 1e6, "M games/s", ratio)
    for variant in list(VARIANTS.values())[1:]:
        is_large = variant.rules.depth == 3
        rate = _playout_rate(variant.rules, game_count // 40 if is_large else game_count // 4)
        _report(
            f"random games, {variant.key}",
            rate / 1e6,
            "M games/s",
            f"{rate / standard:.3f} of standard",
        )
    return standard


def _bench_search(playout_rate: float, scale: float) -> None:
    plain = 0.0
    for key, evaluation, iterations in (
        ("standard", "playouts", 400_000),
        ("won-board", "playouts", 400_000),
        ("sttt-map", "playouts", 40_000),
        ("standard", "hand", 400_000),
        ("standard", "net", 400_000),
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
            ratio = f"{rate / plain:.2f} of the search with random games"
        _report(f"search from the start, {key}, {evaluation}", rate / 1e6, "M it/s", ratio)


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
    """Measure what a second thread adds, as the kernels hold no lock."""
    one = _playout_rate(Rules(), game_count)
    rates: list[float] = []
    threads = [
        threading.Thread(target=lambda: rates.append(_playout_rate(Rules(), game_count)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    both = sum(rates)
    _report("random games in two threads", both / 1e6, "M games/s", f"{both / one:.2f} of one")


def _bench_start() -> None:
    """Measure a new process that loads every kernel from the cache."""
    command = [sys.executable, "-c", "import engine; engine.warm_up()"]
    seconds = []
    for _ in range(_ROUNDS):
        started = time.perf_counter()
        subprocess.run(command, check=True)  # noqa: S603  # this Python, fixed words
        seconds.append(time.perf_counter() - started)
    _report("start with all kernels from the cache", statistics.median(seconds), "s")
