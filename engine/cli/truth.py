"""`truth`: strong play against itself, and the page of its results."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from engine.cli._options import (
    Commands,
    add_command,
    add_limit,
    add_number,
    add_seed,
    add_workers,
    chosen_limit,
    progress_bar,
)
from engine.lab.cluster import carry_out
from engine.lab.truth import (
    Task,
    append_records,
    first_move_tasks,
    format_limit,
    give_hints,
    missing_games,
    play_game,
    solve_game,
    this_sitting,
    unmeasured_games,
)
from engine.lab.truth.hints import calibrate
from engine.lab.truth.page import PAGE_FILE, format_page
from engine.lab.truth.proving import prove_first_move, unproved_moves
from engine.rules import Rules
from engine.search.mcts import Clock
from engine.truth import (
    RESULTS_FILE,
    GivenHints,
    Record,
    Sitting,
    SolvedGame,
    format_record,
    read_records,
)
from engine.variants import VARIANTS, load_variant

_PROVING_ITERATIONS: Final = 1_000

_DETAILS: Final = (
    "Both sides are the strongest player, each keeping its own tree; limits are in CPU time. Every"
    " game is stored as soon as it ends, and the same command continues where the file ends, so it"
    " can be stopped at any moment. Use one run at a time. `truth --page` plays nothing and writes"
    " the page from the file. With --iterations the same seed gives the same games."
)


# What is done instead of playing games from the start.
_INSTEAD: Final = {
    "--first-moves": "start the games with each first move that differs by symmetry",
    "--solve": "no games: find from which ply on stored games are solved within the limit",
    "--prove": "no games: try to prove who wins after each of these first moves, with"
    f" --iterations per position to begin with ({_PROVING_ITERATIONS})",
    "--hints": "no games: get hints in positions of stored games, within the limit",
    "--calibrate": "no games: correct the chances of hints by the results of those games",
}


def add_truth(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "truth",
        _run_truth,
        "Let the strongest player play itself, and store the games.",
        _DETAILS,
    )
    parser.add_argument(
        "variants",
        nargs="*",
        metavar="VARIANT",
        help="a name listed by `variants`, or options (all named variants)",
    )
    help = "games of each variant, or of each first move (%(default)s)"
    add_number(parser, "--games", 1, default=400, help=help)
    add_limit(parser, movetime=50)
    add_seed(parser, "seed of the games (1)")
    what = parser.add_mutually_exclusive_group()
    for option, told in _INSTEAD.items():
        what.add_argument(option, action="store_true", help=told)
    what.add_argument(
        "--page",
        nargs="?",
        type=Path,
        const=PAGE_FILE,
        metavar="FILE",
        help=f"write the page ({PAGE_FILE.name})",
    )
    add_number(parser, "--minutes", 1, help="start no new game after N minutes")
    add_workers(parser)
    parser.add_argument(
        "--results",
        type=Path,
        default=RESULTS_FILE,
        metavar="FILE",
        help=f"the file to add to (engine/truth/{RESULTS_FILE.name})",
    )


def _run_truth(options: argparse.Namespace) -> int:
    records = read_records(options.results)
    if options.page is not None:
        options.page.write_text(format_page(records), encoding="utf-8")
        print(f"Written: {options.page}")
        return 0
    if options.calibrate:
        print(f"Corrected: {', '.join(calibrate(records)) or 'nothing, there are too few hints'}.")
        return 0
    keys = options.variants or list(VARIANTS)
    rule_sets = list(dict.fromkeys(load_variant(key).rules for key in keys))
    if options.prove:
        total, coming = _proving(options, rule_sets, records)
    elif options.solve or options.hints:
        total, coming = _measuring(options, rule_sets, records)
    else:
        total, coming = _playing(options, rule_sets, records)
    if not total:
        print("Nothing is missing: ask for more games, or write the page with --page.")
        return 0
    until = time.monotonic() + 60 * options.minutes if options.minutes else None
    added = 0
    try:
        with progress_bar(total, "move" if options.prove else "game") as bar:
            for record in append_records(options.results, _until(coming, until), format_record):
                is_found = not isinstance(record, Sitting)
                added += is_found
                bar.update(is_found)
    except KeyboardInterrupt:
        pass
    things = "moves" if options.prove else "games"
    print(f"{added} of {total} missing {things} added to {options.results.name}.")
    return 0 if added == total else 130


def _playing(
    options: argparse.Namespace, rule_sets: list[Rules], records: list[Record]
) -> tuple[int, Iterator[Record]]:
    """Return the number of missing games, and an iterator that plays them."""
    limit = replace(chosen_limit(options), clock=Clock.CPU)
    tasks = [Task(rules=rules, limit=limit, seed=options.seed) for rules in rule_sets]
    if options.first_moves:
        tasks = [one for task in tasks for one in first_move_tasks(task)]
    missing = missing_games(tasks, options.games, records)

    return len(missing), _sitting(options, play_game, missing)


def _proving(
    options: argparse.Namespace, rule_sets: list[Rules], records: list[Record]
) -> tuple[int, Iterator[Record]]:
    """Return the number of first moves to prove, and an iterator over the results."""
    iterations = options.iterations or _PROVING_ITERATIONS
    missing = [
        (rules, move, iterations)
        for rules in rule_sets
        for move in unproved_moves(rules, iterations, records)
    ]
    return len(missing), _sitting(options, prove_first_move, missing)


def _measuring(
    options: argparse.Namespace, rule_sets: list[Rules], records: list[Record]
) -> tuple[int, Iterator[Record]]:
    """Return the number of games to solve or to get hints for, and the results as they come."""
    limit = replace(chosen_limit(options), clock=Clock.CPU)
    kind = SolvedGame if options.solve else GivenHints
    missing = [
        (game, limit)
        for rules in rule_sets
        for game in unmeasured_games(kind, records, rules, options.games, format_limit(limit))
    ]
    return len(missing), _sitting(options, solve_game if options.solve else give_hints, missing)


def _sitting(
    options: argparse.Namespace,
    work: Callable[..., Record],
    jobs: Iterable[tuple[object, ...]],
) -> Iterator[Record]:
    """Yield a record of this machine, then the results of jobs done here or by workers."""
    if options.workers is None:
        yield this_sitting()
        yield from (work(*job) for job in jobs)
    else:
        yield replace(this_sitting(), machine="workers of dask")
        done = carry_out(work, jobs, workers=options.workers)
        yield from (record for _, record in done)


def _until(coming: Iterator[Record], until: float | None) -> Iterator[Record]:
    """Yield records until a moment of the monotonic clock has come."""
    while until is None or time.monotonic() < until:
        record = next(coming, None)
        if record is None:
            return
        yield record
