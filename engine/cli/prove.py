"""`prove`: show that a variant is won, against every reply."""

from __future__ import annotations

import argparse
import time

from engine.cli._options import Commands, add_command
from engine.forced_win import prove_forced_win
from engine.variants import load_variant


def add_commands(commands: Commands) -> None:
    """Add this module's command."""
    parser = add_command(
        commands,
        "prove",
        _run,
        "Check the known forced win of X against every reply of O.",
        "The strategy is that of arXiv 2006.02353, a win in Won-Board Play. With other rules the"
        " command shows that it is none there. The exit status is 1 then.",
    )
    parser.add_argument(
        "variant", nargs="?", default="won-board", help="rules to try it with (won-board)"
    )


def _run(options: argparse.Namespace) -> int:
    variant = load_variant(options.variant)
    started = time.perf_counter()
    proof = prove_forced_win(variant.rules)
    seconds = time.perf_counter() - started
    if proof is None:
        print(f"{variant.name}: the strategy does not beat every reply here.")
        return 1
    first, last = min(proof.endings), max(proof.endings)
    print(f"{variant.name}: X wins against every reply, at ply {first} to {last}.")
    print()
    print(f"{'positions with X to move':<26}{proof.positions:>9,}")
    print(f"{'replies of O':<26}{proof.replies:>9,}")
    print(f"{'seconds':<26}{seconds:>9.2f}")
    print()
    print("ends at ply  positions won by the move before")
    widest = max(proof.endings.values())
    for ply in range(first, last + 1, 2):
        count = proof.endings.get(ply, 0)
        print(f"{ply:>11}  {count:>9,}  {'#' * -(-40 * count // widest)}")
    return 0
