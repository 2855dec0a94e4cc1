"""What several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from engine.errors import EngineError, InvalidNotationError, shorten
from engine.game import Game
from engine.notation import parse_move
from engine.variants import VARIANTS, load_variant

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]
else:
    Commands = Any

Run = Callable[[argparse.Namespace], int]

MOST: Final = 10**9
"""Of games, moves and milliseconds: more than anybody can wait for."""

MOST_SEED: Final = 2**63 - 1
LONGEST_GAME: Final = 729  # moves
_MOST_DIGITS: Final = 40


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


def whole_number(least: int, most: int = MOST) -> Callable[[str], int]:
    """Return a reader of whole numbers in a range, for argparse."""

    def read(text: str) -> int:
        try:
            return read_number(text, least, most)
        except EngineError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def read_number(text: str, least: int, most: int) -> int:
    """Read a whole number in a range, whatever its length.

    Raises:
        EngineError: If it is none.

    Examples:
        >>> read_number("64", 1, 64)
        64
        >>> read_number("9" * 5000, 1, 64)
        Traceback (most recent call last):
        ...
        engine.errors.EngineError: '9999999999999999999999999999999999999...' is not a whole number from 1 to 64
    """  # noqa: E501  # the doctest shows the whole message
    try:
        number = int(text) if len(text) <= _MOST_DIGITS else most + 1
    except ValueError:
        number = most + 1
    if not least <= number <= most:
        raise EngineError(f"{shorten(text)!r} is not a whole number from {least} to {most}")
    return number


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
