"""`python -m engine COMMAND`: play, count, measure, speak to other programs."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence

from engine.cli.arena import add_ladder, add_match
from engine.cli.bench import add_bench, add_compile
from engine.cli.play import add_play
from engine.cli.puzzles import add_puzzles
from engine.cli.records import add_analyse, add_record
from engine.cli.truth import add_truth
from engine.cli.ugi import add_ugi
from engine.cli.variants import add_counting, add_prove, add_study, add_variants
from engine.errors import EngineError

# In the order of the help.
_COMMANDS = (
    *(add_play, add_variants, add_record, add_analyse, add_counting, add_prove),
    *(add_match, add_ladder, add_ugi, add_bench, add_study, add_truth, add_puzzles, add_compile),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit status."""
    if isinstance(sys.stdin, io.TextIOWrapper):  # in a test it may be something else
        sys.stdin.reconfigure(errors="backslashreplace")  # bytes that are not text get a reply
    parser = argparse.ArgumentParser(
        prog="python -m engine",
        description="Rules and computer player of Ultimate Tic-Tac-Toe and its variants.",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in _COMMANDS:
        add(commands)
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


if __name__ == "__main__":
    sys.exit(main())
