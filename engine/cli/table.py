"""`variants`: what can be played."""

from __future__ import annotations

import argparse
import textwrap

from engine.cli._options import Commands, add_command
from engine.rules import option_values
from engine.rules_in_words import credit_of, explain_rules
from engine.search.levels import LEVELS
from engine.variants import VARIANTS, Variant, load_variant


def add_commands(commands: Commands) -> None:
    """Add this module's command."""
    parser = add_command(commands, "variants", _run, "List what can be played, and how well.")
    parser.add_argument("key", nargs="?", metavar="VARIANT", help="tell this one at length")


def rules_text(variant: Variant) -> str:
    """Return the rules of a variant for a terminal, a paragraph for each."""
    rules = (" ".join(map(str, (one.gist, *one.details))) for one in explain_rules(variant.rules))
    paragraphs = [textwrap.fill(str(variant.summary), 79)]
    paragraphs += [
        textwrap.fill(each, 79, initial_indent="- ", subsequent_indent="  ") for each in rules
    ]
    more = (variant.note, credit_of(variant.rules))
    paragraphs += [textwrap.fill(str(each), 79) for each in more if each is not None]
    return "\n".join(paragraphs)


def _run(options: argparse.Namespace) -> int:
    if options.key is not None:
        variant = load_variant(options.key)
        print(f"{variant.name} ({variant.key})")
        print(rules_text(variant))
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
