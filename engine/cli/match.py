"""`match`: two players, pairs of games, Elo with an interval."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from engine.cli._options import (
    LONGEST_GAME,
    MOST_SEED,
    Commands,
    add_command,
    variant_help,
    whole_number,
)
from engine.errors import EngineError
from engine.lab.arena.elo import elo_interval
from engine.lab.arena.matches import OPENING_PLIES, MatchPlan, PlayedPair, play_pairs
from engine.lab.arena.players import player_names
from engine.lab.arena.results import format_interval, format_result, summarise
from engine.search.mcts import Limit
from engine.variants import load_variant

if TYPE_CHECKING:
    from tqdm import tqdm

DEFAULT_MOVETIME = 50
DEFAULT_GAMES = 200
MOST_AT_ONCE = 256

_DETAILS = (
    "Two games begin with each random opening; the players change sides. Levels keep to their own"
    " limits too. Players may have different times: match puct-net@10ms uct@100ms. A program that"
    " crashes, is late by half a second or plays an illegal move loses the game. The Elo interval"
    " is one of 95 %, counted by pairs (engine/lab/arena/elo.py). With --iterations the same seed"
    " gives the same games. Ctrl-C prints what has been played."
)


def add_commands(commands: Commands) -> None:
    """Add this module's command."""
    parser = add_command(commands, "match", _run, "Let two players play a match.", _DETAILS)
    players = (
        f"{', '.join(player_names())}, level:1 to level:10, or 'cmd:COMMAND' for a program; a limit"
        " of its own goes after @ (puct-net@10ms, uct@2000it), threads after * (puct-net*2)"
    )
    parser.add_argument("first", metavar="A", help=players)
    parser.add_argument("second", metavar="B", help="the other player")
    parser.add_argument(
        "--games",
        type=whole_number(2),
        default=DEFAULT_GAMES,
        metavar="N",
        help=f"how many, rounded up to pairs ({DEFAULT_GAMES})",
    )
    add_limit(parser)
    parser.add_argument("--variant", default="standard", metavar="KEY", help=variant_help())
    parser.add_argument(
        "--opening-plies",
        type=whole_number(0, LONGEST_GAME),
        default=OPENING_PLIES,
        metavar="N",
        help=f"random moves that both games of a pair begin with ({OPENING_PLIES})",
    )
    add_common(parser)
    parser.add_argument("--json", action="store_true", help="print JSON, all moves included")


def add_limit(parser: argparse.ArgumentParser, movetime: int = DEFAULT_MOVETIME) -> None:
    """Add the options of a limit on thinking."""
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument(
        "--movetime", type=whole_number(1), metavar="MS", help=f"milliseconds a move ({movetime})"
    )
    limits.add_argument("--iterations", type=whole_number(1), metavar="N", help="iterations a move")


def add_common(parser: argparse.ArgumentParser) -> None:
    """Add the options of everything that plays matches."""
    parser.add_argument(
        "--seed",
        type=whole_number(0, MOST_SEED),
        default=1,
        metavar="S",
        help="of openings and players (1)",
    )
    parser.add_argument(
        "--concurrency",
        type=whole_number(1, MOST_AT_ONCE),
        default=1,
        metavar="N",
        help="pairs played at once (1), by time at most one for each core",
    )


def chosen_limit(options: argparse.Namespace, movetime: int = DEFAULT_MOVETIME) -> Limit:
    """Return the limit that the options of `add_limit` say."""
    if options.iterations is not None:
        return Limit(iterations=options.iterations)
    return Limit(seconds=(options.movetime or movetime) / 1000)


def progress_bar(total: int, unit: str) -> tqdm[Any]:
    """Return a bar that appears on a terminal only, and only when it takes long."""
    from tqdm import tqdm

    return tqdm(total=total, unit=unit, file=sys.stderr, disable=None, delay=1)


def _run(options: argparse.Namespace) -> int:
    plan = MatchPlan(
        players=(options.first, options.second),
        rules=load_variant(options.variant).rules,
        limit=chosen_limit(options),
        pair_count=(options.games + 1) // 2,
        opening_plies=options.opening_plies,
        seed=options.seed,
    )
    pairs: list[PlayedPair] = []
    try:
        _collect(play_pairs(plan, concurrency=options.concurrency), pairs, plan.pair_count)
    except KeyboardInterrupt:
        if not pairs:
            raise EngineError("Interrupted before a pair of games had been finished") from None
    result = summarise(plan, pairs)
    print(json.dumps(result.as_json(), indent=2) if options.json else format_result(result))
    return 0 if result.complete else 130


def _collect(played: Iterable[PlayedPair], pairs: list[PlayedPair], total: int) -> None:
    """Add pairs to a list as they are finished, and tell how it stands."""
    with progress_bar(total, "pair") as bar:
        for pair in played:
            pairs.append(pair)
            elo = elo_interval([one.score for one in pairs])
            bar.set_postfix_str(f"Elo {format_interval(elo)}", refresh=False)
            bar.update()
