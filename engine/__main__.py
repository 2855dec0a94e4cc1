"""`python -m engine COMMAND`: play, count, measure, speak to other programs."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence

from engine.cli import (
    analyse,
    bench,
    compile_kernels,
    count,
    ladder,
    match,
    play,
    prove,
    record,
    study,
    table,
    ugi,
)
from engine.errors import EngineError

_COMMANDS = (
    play,
    table,
    record,
    analyse,
    count,
    prove,
    match,
    ladder,
    ugi,
    bench,
    study,
    compile_kernels,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit status."""
    if isinstance(sys.stdin, io.TextIOWrapper):  # in a test it may be something else
        sys.stdin.reconfigure(errors="backslashreplace")  # bytes that are no text are answered
    parser = _parser()
    options = parser.parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        return run(options)
    except EngineError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader has seen enough, as in `... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m engine",
        description="Rules and computer player of Ultimate Tic-Tac-Toe and its family.",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in _COMMANDS:
        module.add_commands(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
