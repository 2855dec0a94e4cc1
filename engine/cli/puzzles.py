"""`puzzles`: make puzzles from games between levels, or from given ones."""

from __future__ import annotations

import argparse
from itertools import chain
from pathlib import Path
from typing import Final

from engine.cli._options import (
    Commands,
    add_command,
    add_number,
    add_seed,
    add_variant,
    add_workers,
    in_time,
    progress_bar,
)
from engine.cli.records import read_text
from engine.errors import EngineError
from engine.lab.puzzles.runs import Collection, Terms, digest_of, go_on, read_run
from engine.puzzles import FOLDER
from engine.records.reading import parse_records
from engine.variants import load_variant

_RUNS: Final = Path(".cache/puzzles")
_DETAILS: Final = (
    "A puzzle is proven: at each turn one move wins and all others do not. The result of each game"
    " is stored at once, so the run can be stopped at any moment; the same command with --resume"
    " continues it. Whenever it ends, the puzzles so far and their log are written into the"
    " folder. Use one run at a time for a variant."
)


def add_puzzles(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands, "puzzles", _run_puzzles, "Make puzzles from games, and prove them.", _DETAILS
    )
    add_variant(parser)
    add_number(parser, "--count", 1, default=500, help="total number of puzzles (%(default)s)")
    add_seed(parser, "seed of the games (1)")
    add_number(parser, "--minutes", 1, help="start no new game after N minutes")
    parser.add_argument("--records", metavar="FILE", help="use the games of a record file instead")
    add_workers(parser)
    parser.add_argument("--resume", action="store_true", help="resume a run that was stopped")
    parser.add_argument(
        "--run",
        dest="path",
        type=Path,
        metavar="FILE",
        help=f"where the run is stored ({_RUNS}/KEY.jsonl)",
    )
    parser.add_argument(
        "--folder", type=Path, default=FOLDER, help="where puzzles and log go (engine/puzzles)"
    )


def _run_puzzles(options: argparse.Namespace) -> int:
    rules = load_variant(options.variant).rules
    if rules.depth != 2:
        raise EngineError(f"Puzzles are proven at depth 2 only, not for {rules.key!r}")
    terms, records = Terms(variant=rules.key, seed=options.seed), None
    if options.records is not None:
        text = read_text(options.records)
        records = [one for one in parse_records(text) if one.rules == rules]
        terms = Terms(variant=rules.key, seed=options.seed, games=digest_of(text))
    path: Path = options.path or _RUNS / f"{rules.key}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size and not options.resume:
        raise EngineError(f"{path} has a run already: go on with --resume, or take it away")
    found = read_run(path, terms)
    made = Collection(terms)
    coming = in_time(go_on(path, terms, found, records, options.workers), options.minutes)
    try:
        with progress_bar(options.count, "puzzle") as bar:
            for finding in chain(found, coming):
                bar.update(made.add(finding))
                if len(made.puzzles) == options.count:
                    break
    except KeyboardInterrupt:
        pass
    print(f"{len(made.puzzles)} of {options.count} puzzles: {made.write(options.folder)}")
    return 0 if len(made.puzzles) == options.count else 130
