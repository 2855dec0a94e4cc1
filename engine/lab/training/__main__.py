"""The command line of the training: `python -m engine.lab.training VARIANT`."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.cli._options import add_workers
from engine.errors import EngineError
from engine.lab.training.run import Run, RunPlan
from engine.nets.net import rules_of_net
from engine.variants import VARIANTS, load_variant


def _options() -> RunPlan:
    parser = argparse.ArgumentParser(
        prog="python -m engine.lab.training",
        description="Train a net by self-play; needs PyTorch. Can be stopped and resumed.",
    )
    parser.add_argument(
        "variant", type=_rules_key, help="a variant, or options such as goal=five,won_board=open"
    )
    parser.add_argument(
        "--generations", type=int, default=4, help="number of generations to add (4)"
    )
    parser.add_argument("--minutes", type=float, default=60, help="time limit (60)")
    parser.add_argument(
        "--positions", type=int, default=500_000, help="positions per generation (500000)"
    )
    parser.add_argument("--iterations", type=int, default=600, help="iterations per move (600)")
    parser.add_argument(
        "--steps", type=int, default=4000, help="batches to fit per generation (4000)"
    )
    parser.add_argument("--batch", type=int, default=4096, help="positions per batch (4096)")
    parser.add_argument(
        "--pairs", type=int, default=100, help="pairs of games to compare nets (100)"
    )
    parser.add_argument(
        "--even",
        type=int,
        default=0,
        help="compare nets from openings that a search of N iterations considers even (any)",
        metavar="N",
    )
    parser.add_argument("--start", metavar="VARIANT", help="begin with this variant's net")
    parser.add_argument("--work", type=Path, default=Path("build/training"), help="work folder")
    parser.add_argument("--threads", type=int, default=1, help="cores to use")
    add_workers(parser)
    return RunPlan(**vars(parser.parse_args()))


def _rules_key(text: str) -> str:
    """Return the key of a variant or of unnamed rules, which is the name of the net's file."""
    try:
        rules = load_variant(text).rules
    except EngineError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    if rules.depth != 2:
        raise argparse.ArgumentTypeError(f"{text} is not played on 81 cells")
    return text if text in VARIANTS else rules_of_net(rules).key


if __name__ == "__main__":
    Run(_options()).go()
