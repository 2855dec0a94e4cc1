"""`variants`: what can be played."""

from __future__ import annotations

import argparse
import textwrap

from engine.cli._options import Commands, add_command
from engine.rules import option_values
from engine.search.levels import LEVELS
from engine.variants import VARIANTS, load_variant


def add_commands(commands: Commands) -> None:
    """Add this module's command."""
    parser = add_command(commands, "variants", _run, "List what can be played, and how well.")
    parser.add_argument("key", nargs="?", metavar="VARIANT", help="tell this one at length")


def _run(options: argparse.Namespace) -> int:
    if options.key is not None:
        variant = load_variant(options.key)
        print(f"{variant.name} ({variant.key})")
        print(textwrap.fill(variant.description, 79))
        print(f"Options: {variant.rules.options_key}")
        return 0
    width = max(map(len, VARIANTS))
    print("Variants:")
    for variant in VARIANTS.values():
        print(f"  {variant.key:<{width}}  {variant.summary}")
    print("\nOptions of your own rules, joined by commas (goal=five,won_board=open):")
    for option, values in option_values().items():
        shown = "two digits from 1 to 8" if option == "map" else ", ".join(values)
        print(f"  {option:<{width}}  {shown}")
    print("\nLevels of the computer:")
    for level in LEVELS:
        print(f"  {level.number:>2} {level.name:<{width - 3}}  {level.summary}")
    return 0
