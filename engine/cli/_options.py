"""What several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from engine.errors import InvalidNotationError
from engine.game import Game
from engine.notation import parse_move
from engine.variants import VARIANTS, load_variant

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]
else:
    Commands = Any

Run = Callable[[argparse.Namespace], int]


def add_command(
    commands: Commands, name: str, run: Run, summary: str, details: str = ""
) -> argparse.ArgumentParser:
    """Add a command that `run` carries out."""
    parser = commands.add_parser(
        name,
        help=summary[0].lower() + summary[1:].rstrip("."),
        description=summary,
        epilog=details or None,
    )
    parser.set_defaults(run=run)
    return parser


def variant_help() -> str:
    """Return the help of a variant argument."""
    return f"one of {', '.join(VARIANTS)}; or options such as goal=five,won_board=open"


def at_least(minimum: int) -> Callable[[str], int]:
    """Return a reader of whole numbers for argparse."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = minimum - 1
        if number < minimum:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {minimum} on")
        return number

    return read


def start_game(variant: str, moves: str, opening_code: str | None) -> Game:
    """Return a game of a variant after some moves written with spaces between.

    Raises:
        EngineError: If the variant, the code or a move is refused.
    """
    rules = load_variant(variant).rules
    if rules.needs_opening_code and opening_code is None:
        raise InvalidNotationError(
            f"{variant} begins with an opening code: add --opening CODE", text=""
        )
    game = Game(rules, opening_code)
    for text in moves.split():
        game.push(parse_move(text, rules))
    return game
