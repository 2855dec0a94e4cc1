"""`perft` and `divide`: count sequences of moves."""

from __future__ import annotations

import argparse

from engine.cli._options import (
    LONGEST_GAME,
    Commands,
    add_command,
    start_game,
    variant_help,
    whole_number,
)
from engine.notation import format_move
from engine.perft import divide, perft


def add_commands(commands: Commands) -> None:
    """Add this module's commands."""
    for name, run, summary in (
        ("perft", _perft, "Count the sequences of exactly so many moves, a line for each number."),
        ("divide", _divide, "Count them for every first move, and in all."),
    ):
        parser = add_command(commands, name, run, summary)
        parser.add_argument("variant", metavar="VARIANT", help=variant_help())
        parser.add_argument(
            "depth", metavar="DEPTH", type=whole_number(1, LONGEST_GAME), help="how many moves"
        )
        parser.add_argument("--moves", default="", metavar='"55 51"', help="play these moves first")
        parser.add_argument("--opening", metavar="CODE", help="the opening code, if one is needed")
        parser.add_argument(
            "--general",
            action="store_true",
            help="use the general kernel instead of the fast one for 81 cells",
        )


def _perft(options: argparse.Namespace) -> int:
    position = start_game(options.variant, options.moves, options.opening).position
    for plies in range(1, options.depth + 1):
        print(plies, perft(position, plies, general=options.general), flush=True)
    return 0


def _divide(options: argparse.Namespace) -> int:
    game = start_game(options.variant, options.moves, options.opening)
    counts = divide(game.position, options.depth, general=options.general)
    for move, count in counts.items():
        print(format_move(move, game.rules), count)
    print("total", sum(counts.values()))
    return 0
