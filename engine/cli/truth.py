"""`truth`: strong play against itself, and the page of its results."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
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
    in_time,
    progress_bar,
)
from engine.lab.cluster import carry_out
from engine.lab.truth import (
    Task,
    append_records,
    first_moves,
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
from engine.lab.truth.records import (
    RESULTS_FILE,
    GivenHints,
    Record,
    Sitting,
    SolvedGame,
    format_record,
    read_records,
    strong_scores,
)
from engine.rules import Rules
from engine.search.mcts import Clock
from engine.study import save_strong_scores
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
    "--calibrate": "no games: correct the chances of hints by the results of those games, and"
    " store how fair they show the variants to be",
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
        help=f"the file to add to (engine/lab/truth/{RESULTS_FILE.name})",
    )


def _run_truth(options: argparse.Namespace) -> int:
    records = read_records(options.results)
    if options.page is not None:
        options.page.write_text(format_page(records), encoding="utf-8")
        print(f"Written: {options.page}")
        return 0
    if options.calibrate:
        save_strong_scores(strong_scores(records))
        print(f"Corrected: {', '.join(calibrate(records)) or 'nothing, there are too few hints'}.")
        return 0
    keys = options.variants or list(VARIANTS)
    rule_sets = list(dict.fromkeys(load_variant(key).rules for key in keys))
    work, missing = _missing(options, rule_sets, records)
    total = len(missing)
    if not missing:
        print("Nothing is missing: ask for more games, or write the page with --page.")
        return 0
    coming, added = in_time(_sitting(options, work, missing), options.minutes), 0
    try:
        with progress_bar(total, "move" if options.prove else "game") as bar:
            for record in append_records(options.results, coming, format_record):
                is_found = not isinstance(record, Sitting)
                added += is_found
                bar.update(is_found)
    except KeyboardInterrupt:
        pass
    things = "moves" if options.prove else "games"
    print(f"{added} of {total} missing {things} added to {options.results.name}.")
    return 0 if added == total else 130


def _missing(
    options: argparse.Namespace, rule_sets: list[Rules], records: list[Record]
) -> tuple[Callable[..., Record], Sequence[tuple[object, ...]]]:
    """Return what is asked for, and for what it is still to be done."""
    if options.prove:
        iterations = options.iterations or _PROVING_ITERATIONS
        return prove_first_move, [
            (rules, move, iterations)
            for rules in rule_sets
            for move in unproved_moves(rules, iterations, records)
        ]
    limit = replace(chosen_limit(options), clock=Clock.CPU)
    if options.solve or options.hints:
        kind = SolvedGame if options.solve else GivenHints
        return solve_game if options.solve else give_hints, [
            (game, limit)
            for rules in rule_sets
            for game in unmeasured_games(kind, records, rules, options.games, format_limit(limit))
        ]
    tasks = [Task(rules=rules, limit=limit, seed=options.seed) for rules in rule_sets]
    if options.first_moves:
        tasks = [replace(task, first=move) for task in tasks for move in first_moves(task.rules)]
    return play_game, missing_games(tasks, options.games, records)


def _sitting(
    options: argparse.Namespace, work: Callable[..., Record], jobs: Iterable[tuple[object, ...]]
) -> Iterator[Record]:
    """Yield a record of this machine, then the results of jobs done here or by workers."""
    if options.workers is None:
        yield this_sitting()
        yield from (work(*job) for job in jobs)
    else:
        yield replace(this_sitting(), machine="workers of dask")
        done = carry_out(work, jobs, workers=options.workers)
        yield from (record for _, record in done)
