"""`ladder`: the levels against each other, with ratings and error bars."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from engine.cli._options import Commands, add_command, read_number, variant_help, whole_number
from engine.cli.match import add_common, progress_bar
from engine.errors import EngineError, shorten
from engine.lab.arena.ladder import Ladder, LadderPlan, PlayedPairing, play_ladder, rate
from engine.lab.arena.matches import OPENING_PLIES
from engine.search.levels import LEVELS
from engine.search.mcts import Limit
from engine.search.ratings import ANCHOR_LEVEL, RATINGS_FILE, even_out, save_ratings
from engine.variants import load_variant

DEFAULT_GAMES = 40
DEFAULT_MOVETIME = 1000

_DETAILS = (
    "Every two levels play pairs of games from random openings; ratings are the likeliest in the"
    " model of Bradley and Terry, level 5 has 1500; where it does not play, the lowest level has"
    " the rating that is stored. Error bars are those of 95 %, as measured from there. The exit"
    " status is 1 if a level is not stronger than the one below. Ctrl-C prints what has been"
    " played. The pairs are played in rounds; with --minutes the round then running is the last."
    " A quick look: --span 2 --movetime 100 --minutes 10."
)


def add_commands(commands: Commands) -> None:
    """Add this module's command."""
    parser = add_command(commands, "ladder", _run, "Rate the levels by a round robin.", _DETAILS)
    parser.add_argument("--variant", default="standard", metavar="KEY", help=variant_help())
    parser.add_argument(
        "--games",
        type=whole_number(2),
        default=DEFAULT_GAMES,
        metavar="N",
        help=f"of every two levels, rounded up to pairs ({DEFAULT_GAMES})",
    )
    parser.add_argument(
        "--levels", type=_levels, default=_levels(f"1..{len(LEVELS)}"), metavar="A..B", help="which"
    )
    parser.add_argument(
        "--span",
        type=whole_number(1),
        default=len(LEVELS) - 1,
        metavar="N",
        help="only levels so far apart at most meet (all)",
    )
    parser.add_argument(
        "--movetime",
        type=whole_number(1),
        default=DEFAULT_MOVETIME,
        metavar="MS",
        help=f"no level thinks longer about a move ({DEFAULT_MOVETIME})",
    )
    parser.add_argument(
        "--minutes", type=whole_number(1), metavar="N", help="begin no further round after so long"
    )
    add_common(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--write", action="store_true", help=f"store the ratings in {RATINGS_FILE.name}"
    )


def _levels(text: str) -> tuple[int, ...]:
    first, _, last = text.partition("..")
    try:
        ends = [read_number(end, 1, len(LEVELS)) for end in (first, last or first)]
        numbers = tuple(range(ends[0], ends[1] + 1))
    except EngineError:
        numbers = ()
    if len(numbers) < 2:
        raise argparse.ArgumentTypeError(
            f"{shorten(text)!r} is not two or more levels from 1 to {len(LEVELS)}, such as 3..6"
        )
    return numbers


def _run(options: argparse.Namespace) -> int:
    plan = LadderPlan(
        levels=options.levels,
        rules=load_variant(options.variant).rules,
        pair_count=(options.games + 1) // 2,
        limit=Limit(seconds=options.movetime / 1000),
        span=options.span,
        opening_plies=OPENING_PLIES,
        seed=options.seed,
    )
    played: list[PlayedPairing] = []
    is_complete = _play(plan, options, played)
    if options.write and not is_complete:
        raise EngineError("Interrupted: nothing has been stored")
    ladder = rate(plan, played)
    print(_as_json(ladder) if options.json else format_ladder(ladder))
    if not is_complete:
        print("Interrupted: this is what had been played.", file=sys.stderr)
        return 130
    if options.write:
        _store(ladder)
    return 0 if ladder.is_monotone else 1


def _play(plan: LadderPlan, options: argparse.Namespace, played: list[PlayedPairing]) -> bool:
    """Add what is played to a list; return whether it was not interrupted."""
    max_seconds = None if options.minutes is None else 60.0 * options.minutes
    running = play_ladder(plan, concurrency=options.concurrency, max_seconds=max_seconds)
    try:
        with progress_bar(len(plan.pairings) * plan.pair_count, "pair") as bar:
            for one in running:
                played.append(one)
                bar.update()
    except KeyboardInterrupt:
        return False
    return True


def _store(ladder: Ladder) -> None:
    """Store ratings, evened out where the games tell of a step down."""
    found = dict(zip(ladder.plan.levels, ladder.fit.ratings, strict=True))
    ratings = even_out({number: (rating.elo, rating.error) for number, rating in found.items()})
    if ANCHOR_LEVEL not in ratings:
        del ratings[min(ratings)]  # the others were measured from what is stored of it
    save_ratings(ladder.plan.rules.key, ratings)
    told = "" if ladder.is_monotone else "; levels in the wrong order got their average"
    print(f"Stored in {RATINGS_FILE.name}{told}.", file=sys.stderr)


def format_ladder(ladder: Ladder) -> str:
    """Return a table to read."""
    lines = [
        f"{ladder.plan.rules.key}, {ladder.pair_count} pairs of games of every two levels that met",
        "",
        "level  rating    ±   games  score %   above the level below",
    ]
    gaps = ("", *(f"{gap.elo:+5.0f} ± {gap.error:.0f}" for gap in ladder.gaps))
    for number, rating, gap in zip(ladder.plan.levels, ladder.fit.ratings, gaps, strict=True):
        lines.append(
            f"{number:>5}  {rating.elo:>6.0f}  {rating.error:>3.0f}  {rating.games:>6}"
            f"  {100 * rating.score:>7.1f}   {gap}".rstrip()
        )
    if not ladder.is_monotone:
        lines += ["", "Not every level is stronger than the one below."]
    return "\n".join(lines)


def _as_json(ladder: Ladder) -> str:
    found = {
        "variant": ladder.plan.rules.key,
        "pairs": ladder.pair_count,
        "monotone": ladder.is_monotone,
        "levels": [
            {"level": number, **asdict(rating)}
            for number, rating in zip(ladder.plan.levels, ladder.fit.ratings, strict=True)
        ],
        "gaps": [asdict(gap) for gap in ladder.gaps],
    }
    return json.dumps(found, indent=2)
