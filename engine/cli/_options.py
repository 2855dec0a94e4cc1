"""What several commands share."""

from __future__ import annotations

import argparse
import math
import re
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, TypeVar

from engine.errors import EngineError, InvalidNotationError, shorten
from engine.game import Game
from engine.notation import parse_move
from engine.search.mcts import Limit
from engine.variants import VARIANTS, load_variant

if TYPE_CHECKING:
    from tqdm import tqdm

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]
else:
    Commands = Any

Run = Callable[[argparse.Namespace], int]
T = TypeVar("T")

MOST: Final = 10**9  # games, moves, milliseconds: more than anybody can wait for

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


def add_variant(parser: argparse.ArgumentParser) -> None:
    """Add the option `--variant`."""
    parser.add_argument("--variant", default="standard", metavar="KEY", help=variant_help())


def add_number(
    parser: argparse._ActionsContainer,
    name: str,
    least: int,
    most: int = MOST,
    *,
    default: int | None = None,
    metavar: str = "N",
    help: str,
) -> None:
    """Add an option whose value is a whole number in a range."""
    reader = whole_number(least, most)
    parser.add_argument(name, type=reader, default=default, metavar=metavar, help=help)


def add_seed(parser: argparse.ArgumentParser, help: str = "(1)") -> None:
    """Add the option `--seed`, which is 1 unless it is given."""
    add_number(parser, "--seed", 0, MOST_SEED, default=1, metavar="S", help=help)


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add the option `--workers`."""
    parser.add_argument(
        "--workers",
        type=_scheduler,
        metavar="tcp://HOST:PORT",
        help="use the workers of this dask scheduler (see deploy/README.md)",
    )


def _scheduler(text: str) -> str:
    if not re.fullmatch(r"(tcp|tls)://[^/@]+:[0-9]{1,5}", text):
        raise argparse.ArgumentTypeError(f"{shorten(text)!r} is not an address as tcp://HOST:PORT")
    return text


def add_json(parser: argparse.ArgumentParser, help: str = "print JSON") -> None:
    """Add the option `--json`."""
    parser.add_argument("--json", action="store_true", help=help)


def add_limit(parser: argparse.ArgumentParser, movetime: int) -> None:
    """Add the options of a limit on thinking; `movetime` is the default in milliseconds."""
    limits = parser.add_mutually_exclusive_group()
    words = "milliseconds per move (%(default)s)"
    add_number(limits, "--movetime", 1, default=movetime, metavar="MS", help=words)
    add_number(limits, "--iterations", 1, help="iterations per move")


def chosen_limit(options: argparse.Namespace) -> Limit:
    """Return the limit that the options of `add_limit` set."""
    if options.iterations is not None:
        return Limit(iterations=options.iterations)
    return Limit(seconds=options.movetime / 1000)


def progress_bar(total: int, unit: str, *, unit_scale: bool = False) -> tqdm[Any]:
    """Return a progress bar, shown only on a terminal and only if the work takes long."""
    from tqdm import tqdm

    return tqdm(
        total=total, unit=unit, unit_scale=unit_scale, file=sys.stderr, disable=None, delay=1
    )


def in_time(coming: Iterator[T], minutes: int | None) -> Iterator[T]:
    """Yield what comes, but ask for nothing more once so many minutes have passed."""
    until = math.inf if minutes is None else time.monotonic() + 60 * minutes
    for one in coming:
        yield one
        if time.monotonic() >= until:
            return


def whole_number(least: int, most: int = MOST) -> Callable[[str], int]:
    """Return a reader of whole numbers in a range, for argparse."""

    def read(text: str) -> int:
        try:
            return read_number(text, least, most)
        except EngineError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def read_number(text: str, least: int, most: int) -> int:
    """Read a whole number in a range, or raise `EngineError`, whatever the length of the text.

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
    """Return a game of a variant after moves separated by spaces, or raise `EngineError`."""
    rules = load_variant(variant).rules
    if rules.needs_opening_code and opening_code is None:
        raise InvalidNotationError(
            f"{variant} begins with an opening code: add --opening CODE", text=""
        )
    game = Game(rules, opening_code)
    for text in moves.split():
        game.push(parse_move(text, rules))
    return game
