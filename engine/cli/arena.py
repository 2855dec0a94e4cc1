"""`match` and `ladder`: players against each other, and the ratings that follow."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from typing import TypeVar

from engine.cli._options import (
    LONGEST_GAME,
    Commands,
    add_command,
    add_json,
    add_limit,
    add_number,
    add_seed,
    add_variant,
    add_workers,
    chosen_limit,
    progress_bar,
    read_number,
)
from engine.errors import EngineError, shorten
from engine.lab.arena.ladder import Ladder, LadderPlan, PairingScore, play_ladder, rate
from engine.lab.arena.matches import (
    OPENING_PLIES,
    MatchPlan,
    MatchResult,
    PlayedPair,
    format_interval,
    format_result,
    play_pairs,
)
from engine.lab.arena.players import player_names
from engine.search.levels import LEVELS
from engine.search.mcts import Clock, Limit
from engine.search.ratings import ANCHOR_LEVEL, RATINGS_FILE, even_out, save_ratings
from engine.types import LevelNumber
from engine.variants import load_variant

T = TypeVar("T")

MOST_AT_ONCE = 256

_MATCH_DETAILS = (
    "Each random opening is played twice, with sides changed. Levels also keep to their own"
    " limits. Times are CPU time. Players may have different times: match"
    " puct-net@10ms uct@100ms. To compare with an earlier version, check it out beside this one"
    " (git worktree add ../before COMMIT): match 'cmd:python -m engine ugi' checkout:../before."
    " A program that crashes, is late by half a second or plays an illegal move loses the game."
    " The Elo interval is the 95 % interval over pairs (engine/lab/arena/elo.py). With"
    " --iterations the same seed gives the same games. Ctrl-C prints the games played so far."
)


def add_match(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands, "match", _run_match, "Let two players play a match.", _MATCH_DETAILS
    )
    players = (
        f"{', '.join(player_names())}, level:1 to level:10, 'checkout:FOLDER' for the engine of"
        " another checkout, or 'cmd:COMMAND' for a program; add its own limit after @"
        " (puct-net@10ms, uct@2000it)"
    )
    parser.add_argument("first", metavar="A", help=players)
    parser.add_argument("second", metavar="B", help="the other player")
    help = "number of games, rounded up to pairs (%(default)s)"
    add_number(parser, "--games", 2, default=200, help=help)
    add_limit(parser, movetime=50)
    add_variant(parser)
    help = "random moves at the start of both games of a pair (%(default)s)"
    add_number(parser, "--opening-plies", 0, LONGEST_GAME, default=OPENING_PLIES, help=help)
    help = "use only openings that a search of N iterations considers even (any)"
    add_number(parser, "--even", 1, default=0, help=help)
    _add_common(parser)
    add_json(parser, "print JSON, all moves included")


def _add_common(parser: argparse.ArgumentParser) -> None:
    add_seed(parser, "seed of openings and players (1)")
    help = "pairs played at once (1); with a time limit, at most one per core"
    add_number(parser, "--concurrency", 1, MOST_AT_ONCE, default=1, help=help)
    add_workers(parser)


def _run_match(options: argparse.Namespace) -> int:
    plan = MatchPlan(
        players=(options.first, options.second),
        rules=load_variant(options.variant).rules,
        limit=replace(chosen_limit(options), clock=Clock.CPU),
        pair_count=(options.games + 1) // 2,
        opening_plies=options.opening_plies,
        even=options.even,
        seed=options.seed,
    )
    pairs: list[PlayedPair] = []
    playing = play_pairs(plan, concurrency=options.concurrency, workers=options.workers)
    result = MatchResult(plan=plan, pairs=pairs)
    _collect(playing, pairs, plan.pair_count, lambda: f"Elo {format_interval(result.elo)}")
    if not pairs:
        raise EngineError("Interrupted before a pair of games had been finished")
    print(json.dumps(result.as_json(), indent=2) if options.json else format_result(result))
    return 0 if result.complete else 130


def _collect(
    playing: Iterable[T], played: list[T], total: int, told: Callable[[], str] = str
) -> bool:
    """Add what is played to a list and show the score; return False if interrupted."""
    try:
        with progress_bar(total, "pair") as bar:
            for one in playing:
                played.append(one)
                bar.set_postfix_str(told(), refresh=False)
                bar.update()
    except KeyboardInterrupt:
        return False
    return True


_LADDER_DETAILS = (
    "Every two levels play pairs of games from random openings. Ratings have the maximum likelihood"
    " in the Bradley-Terry model, with level 5 at 1500; if it does not play, the lowest level keeps"
    " its stored rating. Error bars are 95 %, relative to that level. The exit status is 1 if a"
    " level is not stronger than the one below. Ctrl-C prints the games played so far. The pairs"
    " are played in rounds; with --minutes the round running then is the last. For a quick look:"
    " --span 2 --movetime 100 --minutes 10."
)


def add_ladder(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands, "ladder", _run_ladder, "Rate the levels by a round robin.", _LADDER_DETAILS
    )
    add_variant(parser)
    help = "games between every two levels, rounded up to pairs (%(default)s)"
    add_number(parser, "--games", 2, default=40, help=help)
    parser.add_argument(
        "--levels", type=_levels, default=_levels(f"1..{len(LEVELS)}"), metavar="A..B", help="(all)"
    )
    help = "only levels at most N apart play each other (all)"
    add_number(parser, "--span", 1, default=len(LEVELS) - 1, help=help)
    help = "the longest that any level thinks about a move (%(default)s)"
    add_number(parser, "--movetime", 1, default=1000, metavar="MS", help=help)
    add_number(parser, "--minutes", 1, help="start no new round after N minutes")
    _add_common(parser)
    add_json(parser)
    parser.add_argument(
        "--write", action="store_true", help=f"store the ratings in {RATINGS_FILE.name}"
    )


def _levels(text: str) -> tuple[LevelNumber, ...]:
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


def _run_ladder(options: argparse.Namespace) -> int:
    plan = LadderPlan(
        levels=options.levels,
        rules=load_variant(options.variant).rules,
        pair_count=(options.games + 1) // 2,
        limit=Limit(seconds=options.movetime / 1000, clock=Clock.CPU),
        span=options.span,
        opening_plies=OPENING_PLIES,
        seed=options.seed,
    )
    played: list[PairingScore] = []
    max_seconds = None if options.minutes is None else 60.0 * options.minutes
    playing = play_ladder(
        plan, concurrency=options.concurrency, workers=options.workers, max_seconds=max_seconds
    )
    is_complete = _collect(playing, played, len(plan.pairings) * plan.pair_count)
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


def _store(ladder: Ladder) -> None:
    """Store ratings, evened out where a level was weaker than the one below."""
    found = dict(zip(ladder.plan.levels, ladder.fit.ratings, strict=True))
    ratings = even_out({number: (rating.elo, rating.error) for number, rating in found.items()})
    if ANCHOR_LEVEL not in ratings:
        del ratings[min(ratings)]  # keeps its stored rating, from which the others were measured
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
