"""What several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from engine.errors import InvalidNotationError, shorten
from engine.game import Game
from engine.notation import parse_move
from engine.variants import VARIANTS, load_variant

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]
else:
    Commands = Any

GREATEST: Final = 10**9
"""What a number on the command line may be; in milliseconds eleven days."""

_DIGITS: Final = len(str(GREATEST))

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
    """Return a reader of whole numbers for argparse; none is greater than `GREATEST`."""

    def read(text: str) -> int:
        number = int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else -1
        if not minimum <= number <= GREATEST:
            raise argparse.ArgumentTypeError(
                f"{shorten(text)!r} is not a whole number from {minimum} to {GREATEST}"
            )
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
