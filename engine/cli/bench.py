"""`compile` and `bench`: make the kernels ready, and print speeds.

Speeds are ratios to the same work in C, measured in the same run. The machine may be shared,
so whatever is compared takes turns, in many short rounds, and is timed by the processor time
of its thread: waiting for a core does not count. A speed is that of the best round, a ratio
the median of the rounds. Other programs can still empty the caches. Every line with a bar
says whether it is met. A bar on a speed was set on a machine where the C twin plays 1.59
million games a second; elsewhere it is scaled by the speed of the twin.
"""

from __future__ import annotations

import argparse
import ctypes
import platform
import random
import statistics
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from engine import kernels
from engine.cli._options import Commands, add_command, whole_number
from engine.game import Game
from engine.lab.arena.foreign import OpenSpielPlayer, is_installed
from engine.lab.arena.matches import MatchPlan, available_cores, play_pairs
from engine.lab.bench import load_twin, loop_lag, memory_mb, start_seconds
from engine.lab.cluster import local_workers
from engine.openings import draw_opening_code
from engine.perft import perft
from engine.position import Position, loaded_rules
from engine.rules import Rules
from engine.search.mcts import Limit, search
from engine.variants import VARIANTS

_MOST_WORKERS = 256
_ROUNDS = 3
_SHORT_ROUNDS = 15  # of what is compared with C
_TWIN_RATE = 1.59e6  # random games a second of the C twin where the speed bars were set
_STAGES = 5  # positions of a game, from its start on


def add_compile(commands: Commands) -> None:
    """Add the command."""
    add_command(
        commands,
        "compile",
        _run_compile,
        "Compile the kernels, unless they are compiled already.",
        "The compiled code is kept in .cache/kernels, or in the folder ENGINE_CACHE_DIR.",
    )


def _run_compile(options: argparse.Namespace) -> int:
    del options
    from tqdm import tqdm

    from engine.kernels import compiling
    from engine.lab import kernels as lab_kernels

    tasks = [*compiling.tasks(), *lab_kernels.tasks()]
    with tqdm(tasks, desc="Compiling kernels", unit="kernel", file=sys.stderr) as progress:
        for task in progress:
            progress.set_postfix_str(task.name)
            task.run()
    return 0


def add_bench(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(commands, "bench", _run_bench, "Print speeds as ratios.")
    parser.add_argument(
        "--quick", action="store_true", help="a tenth of the work, for a first impression"
    )
    parser.add_argument(
        "--workers",
        type=whole_number(1, _MOST_WORKERS),
        nargs="+",
        metavar="N",
        help="only measure how fast N local dask worker processes play a match",
    )


def _run_bench(options: argparse.Namespace) -> int:
    if options.workers:
        return _bench_workers(options.workers, 32 if options.quick else 320)
    scale = 0.1 if options.quick else 1.0
    print(f"{platform.machine()}, Python {platform.python_version()}")
    kernels.compiling.run_all()
    twin = load_twin()
    if twin is None:
        print("no C compiler found: the ratios to C are left out")
    _bench_perft(twin, 6 if options.quick else 7)
    rate, pace = _bench_playouts(twin, round(200_000 * scale))
    plain = _bench_search(rate, pace, scale)
    _bench_openspiel(plain, round(10_000 * scale))
    _bench_folding()
    _bench_threads(round(400_000 * scale))
    _bench_process()
    return 0


def _bench_workers(counts: list[int], pairs: int) -> int:
    """Measure how many pairs of games a second are played by more and more workers of dask."""
    plan = MatchPlan(
        players=("puct-hand", "uct"), rules=Rules(), limit=Limit(iterations=500), pair_count=pairs
    )
    first = 0.0
    for count in counts:
        with local_workers(count) as address:
            deque(play_pairs(replace(plan, pair_count=2 * count), workers=address), maxlen=0)
            started = time.perf_counter()
            deque(play_pairs(plan, workers=address), maxlen=0)
            rate = pairs / (time.perf_counter() - started)
        first = first or rate
        name = f"a match by {count} worker{'s' if count > 1 else ''}, {pairs} pairs"
        _report(name, rate, "pairs/s", f"{rate / first:.2f} times the first")
    print(f"{available_cores()} cores are here")
    return 0


def _report(name: str, value: float, unit: str, ratio: str = "", bar: str = "") -> None:
    print(f"{name:<44} {value:>10.2f} {unit:<12} {ratio:<34} {bar}".rstrip(), flush=True)


def _bar(words: str, *, is_met: bool) -> str:
    return f"bar {words}: {'met' if is_met else 'MISSED'}"


def _speed_bar(rate: float, least: float | None, pace: float) -> str:
    """Return the bar that a rate a second must reach on this machine, and whether it does.

    `least` is the bar as it was set, `pace` the speed of this machine relative to that one.
    """
    if least is None:
        return ""
    here = least * pace
    return _bar(f"{least / 1e6:g} M, here {here / 1e6:.3g} M", is_met=rate >= here)


def _rates(work: int, *runs: Callable[[], object], rounds: int = _ROUNDS) -> list[list[float]]:
    """Return units of work per processor second by run and round; the runs take turns."""
    rates: list[list[float]] = [[] for _ in runs]
    for _ in range(rounds):
        for run, found in zip(runs, rates, strict=True):
            started = time.thread_time()
            run()
            found.append(work / max(time.thread_time() - started, 1e-9))
    return rates


def _best_rate(work: int, run: Callable[[], object]) -> float:
    return max(_rates(work, run)[0])


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
    """Return the ratio to the C twin, the median of rounds run in turns, and its bar, if any."""
    if not theirs:
        return "", ""
    ratio = statistics.median(one / other for one, other in zip(ours, theirs[0], strict=True))
    return f"{ratio:.2f} of C ({max(theirs[0]) / 1e6:.2f} M/s)", _bar(
        "0.9 of C", is_met=ratio >= 0.9
    )


def _playouts(rules: Rules, game_count: int) -> Callable[[], object]:
    position = Position.initial(rules, draw_opening_code(rules, seed=1))
    state, work = position.search_state(), position.search_state()
    rng = kernels.rng.make_rng(1)
    moves = np.empty(rules.cell_count, dtype=np.int64)
    tally = np.zeros(4, dtype=np.int64)
    loaded = loaded_rules(rules)
    return lambda: kernels.play.rollouts(state, work, *loaded, rng, moves, game_count, tally)


def _bench_playouts(twin: ctypes.CDLL | None, game_count: int) -> tuple[float, float]:
    """Measure random games; return games a second, and how fast this machine is."""
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
    pace = max(theirs[0]) / _TWIN_RATE if theirs else 1.0
    _report(
        "the same as a speed", standard / 1e6, "M games/s", "", _speed_bar(standard, 1.3e6, pace)
    )
    for variant in list(VARIANTS.values())[1:]:
        is_large = variant.rules.depth == 3
        count = game_count // 40 if is_large else game_count // 4
        rate = _best_rate(count, _playouts(variant.rules, count))
        bar = _speed_bar(rate, 0.058e6 if is_large else 0.9e6, pace)
        share = f"{rate / standard:.3f} of standard"
        _report(f"random games, {variant.key}", rate / 1e6, "M games/s", share, bar)
    return standard, pace


def _bench_search(playout_rate: float, pace: float, scale: float) -> float:
    """Measure the searches; return iterations a second with random games."""
    plain = 0.0
    # As many iterations as a move of a match has. Larger trees no longer fit into the caches.
    iterations = round(30_000 * scale)
    for key, evaluation, least, least_in_game in (
        ("standard", "playouts", 0.6e6, None),
        ("won-board", "playouts", None, None),
        # On 27 x 27 cells a random game from the start is longer than any later one.
        ("sttt-map", "playouts", None, 0.085e6),
        ("sttt-map", "hand", None, None),
        ("standard", "hand", None, None),
        ("standard", "net", 0.5e6, None),
    ):
        stages = _stages(VARIANTS[key].rules)
        rate = _search_rate(stages[:1], iterations, evaluation)
        ratio = ""
        if key == "standard" and evaluation == "playouts":
            plain = rate
            ratio = f"{rate / playout_rate:.2f} of random games"
        elif key == "standard":
            ratio = f"{rate / plain:.2f} of it with random games"
        bar = _speed_bar(rate, least, pace)
        _report(f"search from the start, {key}, {evaluation}", rate / 1e6, "M it/s", ratio, bar)
        rate = _search_rate(stages, iterations, evaluation)
        bar = _speed_bar(rate, least_in_game, pace)
        _report(f"search through a game, {key}, {evaluation}", rate / 1e6, "M it/s", "", bar)
    return plain


def _stages(rules: Rules) -> list[Position]:
    """Return evenly spaced positions of a random game, the first being its start."""
    rng, position = random.Random(5), Position.initial(rules)
    played = []
    while position.outcome is None:
        played.append(position)
        position = position.after(rng.choice(position.legal_moves))
    return [played[len(played) * stage // _STAGES] for stage in range(_STAGES)]


def _search_rate(positions: list[Position], iterations: int, evaluation: str) -> float:
    """Return iterations a second in the best round of searching all the positions.

    The time to make room for a tree counts; a search ends early once the result is certain.
    """
    rates = []
    for _ in range(_ROUNDS):
        started, done = time.thread_time(), 0
        for position in positions:
            limit = Limit(iterations=iterations)
            done += search(position, limit, seed=1, evaluation=evaluation).iterations
        rates.append(done / max(time.thread_time() - started, 1e-9))
    return max(rates)


def _bench_openspiel(plain: float, simulations: int) -> None:
    """Measure OpenSpiel's search with random games beside ours."""
    if not is_installed():
        print("OpenSpiel is not installed: the comparison with it is left out")
        return
    player = OpenSpielPlayer()
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
    from engine.nets.evaluators import net_evaluator
    from engine.nets.net import find_net

    def fold() -> None:
        net = find_net(Rules())
        assert net is not None, "the net of the standard rules is shipped"
        net_evaluator(net)

    _report("a net read and folded", 1 / _best_rate(1, fold), "s")


def _bench_threads(game_count: int) -> None:
    """Measure what a second thread adds, as the kernels hold no lock.

    Timed by the wall clock, as two threads on two cores must be: it needs an idle machine.
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
    _report("random games in two threads", best, "of one", "", _bar("1.9", is_met=best >= 1.9))


def _bench_process() -> None:
    seconds = start_seconds(_ROUNDS)
    bar = _bar("< 2 s", is_met=seconds < 2)
    _report("start with all kernels from the cache", seconds, "s", "", bar)
    median, worst = (1000 * lag for lag in loop_lag())
    ratio, bar = f"median {median:.2f} ms", _bar("< 5 ms", is_met=worst < 5)
    _report("event loop beside a search, worst lag", worst, "ms", ratio, bar)
    sizes = memory_mb()
    if sizes is None:
        print("no /proc here: memory is left out")
    for name, size in (sizes or {}).items():
        _report(f"memory {name}", size, "MB")
