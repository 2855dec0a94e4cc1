"""`study`: what many games say about the variants."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, NoReturn

from engine.cli._options import MOST_SEED, Commands, add_command, whole_number
from engine.lab.study import (
    RANDOM,
    SelfPlay,
    default_game_count,
    make_self_play,
    parse_player,
)
from engine.lab.study.text import format_study
from engine.search.levels import LEVELS
from engine.study import Study, StudyResult
from engine.variants import VARIANTS, Variant, load_variant

if TYPE_CHECKING:
    from tqdm import tqdm

_DETAILS = (
    "The same seed gives the same figures, but for the last level, which thinks by the clock."
    " Seats are never swapped: X is who moves first. Ctrl-C shows what has been played so far."
)


def add_commands(commands: Commands) -> None:
    """Add this module's command."""
    parser = add_command(
        commands,
        "study",
        _run,
        "Play many games of the variants and print their figures.",
        _DETAILS,
    )
    parser.add_argument(
        "variants",
        nargs="*",
        metavar="VARIANT",
        help="a name as `variants` lists them, or options such as goal=five,won_board=open;"
        " all names if left out",
    )
    parser.add_argument(
        "--games",
        type=whole_number(1),
        metavar="N",
        help="games of each variant (100000 random ones; fewer of levels and of 27x27)",
    )
    parser.add_argument(
        "--player",
        default=RANDOM,
        metavar=f"{RANDOM}|LEVEL",
        help=f"random moves, or a level from 1 to {len(LEVELS)} against itself",
    )
    parser.add_argument(
        "--seed",
        type=whole_number(0, MOST_SEED),
        default=1,
        metavar="S",
        help="repeats a study (1)",
    )
    parser.add_argument(
        "--json", action="store_true", help="print JSON, see engine/study/README.md"
    )


def _run(options: argparse.Namespace) -> int:
    parse_player(options.player)
    variants = _chosen(options.variants)
    counts = [
        options.games or default_game_count(variant.rules, options.player) for variant in variants
    ]
    results: list[StudyResult] = []
    complete = True
    with _progress(sum(counts)) as progress:
        try:
            for variant, count in zip(variants, counts, strict=True):
                progress.set_postfix_str(variant.key, refresh=False)
                player = make_self_play(variant, options.player, seed=options.seed)
                try:
                    _play(player, count, progress)
                finally:
                    if player.tally.games:
                        results.append(player.tally.result(variant))
        except KeyboardInterrupt:
            complete = False
    study = Study(
        player=options.player, seed=options.seed, complete=complete, results=tuple(results)
    )
    print(study.to_json() if options.json else _told(study))
    return 0 if complete else 130


def _chosen(keys: Iterable[str]) -> list[Variant]:
    """Return the variants asked for, each once; all named ones if none is."""
    found = [load_variant(key) for key in keys] or list(VARIANTS.values())
    return list({variant.key: variant for variant in found}.values())


def _progress(total: int) -> tqdm[NoReturn]:
    """Return a bar that appears on a terminal only, and only when it takes long."""
    from tqdm import tqdm

    return tqdm(total=total, unit="game", unit_scale=True, file=sys.stderr, disable=None, delay=1)


def _play(player: SelfPlay, game_count: int, progress: tqdm[NoReturn]) -> None:
    """Play the games in chunks, so that the bar moves and Ctrl-C is heard."""
    left = game_count
    while left:
        chunk = min(player.chunk, left)
        player.play(chunk)
        left -= chunk
        progress.update(chunk)


def _told(study: Study) -> str:
    """Return the study as text, with a word on what is missing."""
    who = "random moves" if study.player == RANDOM else f"level {study.player} against itself"
    lines = [f"{who}, seed {study.seed}", ""]
    if study.results:
        lines.append(format_study(study))
    if not study.complete:
        played = "this is what had been played" if study.results else "no game had been finished"
        lines += ["", f"Interrupted: {played}."]
    return "\n".join(lines)
