"""`variants`, `perft`, `divide`, `prove` and `study`: the variants and what is known of them."""

from __future__ import annotations

import argparse
import textwrap
import time
from collections.abc import Iterable, Iterator

from engine.cli._options import (
    LONGEST_GAME,
    Commands,
    add_command,
    add_json,
    add_number,
    add_seed,
    add_workers,
    progress_bar,
    start_game,
    variant_help,
)
from engine.forced_win import prove_forced_win
from engine.lab.cluster import carry_out
from engine.lab.study import (
    RANDOM,
    Tally,
    default_game_count,
    format_study,
    make_self_play,
    parse_player,
    parts_of,
    play_part,
)
from engine.notation import format_move
from engine.perft import divide, perft
from engine.rules import option_values
from engine.rules_in_words import credit_of, explain_rules
from engine.search.levels import LEVELS
from engine.study import Study
from engine.variants import VARIANTS, Variant, load_variant


def add_variants(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands, "variants", _run_variants, "List the variants and the levels of the computer."
    )
    parser.add_argument("key", nargs="?", metavar="VARIANT", help="describe this one in full")


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


def _run_variants(options: argparse.Namespace) -> int:
    if options.key is not None:
        variant = load_variant(options.key)
        print(f"{variant.name} ({variant.key})\n{rules_text(variant)}")
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


def add_counting(commands: Commands) -> None:
    """Add the commands."""
    for name, run, summary in (
        ("perft", _perft, "Count the sequences of exactly N moves, a line for each N."),
        ("divide", _divide, "Count them for every first move, and in total."),
    ):
        parser = add_command(commands, name, run, summary)
        parser.add_argument("variant", metavar="VARIANT", help=variant_help())
        add_number(parser, "depth", 1, LONGEST_GAME, metavar="DEPTH", help="number of moves")
        parser.add_argument("--moves", default="", metavar='"55 51"', help="play these moves first")
        parser.add_argument("--opening", metavar="CODE", help="the opening code, if one is needed")
        parser.add_argument(
            "--general",
            action="store_true",
            help="use the general kernel instead of the fast one for 81 cells",
        )


def _perft(options: argparse.Namespace) -> int:
    position = start_game(options.variant, options.moves, options.opening).position
    for plies in range(1, options.depth + 1):
        print(plies, perft(position, plies, general=options.general), flush=True)
    return 0


def _divide(options: argparse.Namespace) -> int:
    game = start_game(options.variant, options.moves, options.opening)
    counts = divide(game.position, options.depth, general=options.general)
    for move, count in counts.items():
        print(format_move(move, game.rules), count)
    print("total", sum(counts.values()))
    return 0


def add_prove(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "prove",
        _run_prove,
        "Check the known forced win of X against every reply of O.",
        "The strategy is that of arXiv 2006.02353, which wins in Won-Board Play. Under rules where"
        " it does not win, the command says so and exits with status 1.",
    )
    parser.add_argument("variant", nargs="?", default="won-board", help="the rules (won-board)")


def _run_prove(options: argparse.Namespace) -> int:
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


_STUDY_DETAILS = (
    "The same seed gives the same figures, except at the last level, which has a time limit."
    " Seats are never swapped: X moves first. Ctrl-C shows the games played so far."
)


def add_study(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "study",
        _run_study,
        "Play many games of the variants and print their figures.",
        _STUDY_DETAILS,
    )
    parser.add_argument(
        "variants",
        nargs="*",
        metavar="VARIANT",
        help="a name listed by `variants`, or options such as goal=five,won_board=open"
        " (all named variants)",
    )
    help = "games of each variant (100000 random ones; fewer with levels and of 27x27)"
    add_number(parser, "--games", 1, help=help)
    parser.add_argument(
        "--player",
        default=RANDOM,
        metavar=f"{RANDOM}|LEVEL",
        help=f"random moves, or a level from 1 to {len(LEVELS)} against itself",
    )
    add_seed(parser, "seed of the study (1)")
    add_workers(parser)
    add_json(parser, "print JSON, see engine/study/README.md")


def _run_study(options: argparse.Namespace) -> int:
    parse_player(options.player)
    variants = _chosen(options.variants)
    counts = [
        options.games or default_game_count(variant.rules, options.player) for variant in variants
    ]
    tallies: dict[str, Tally] = {}
    played = _play_here if options.workers is None else _play_elsewhere
    complete = True
    with progress_bar(sum(counts), "game", unit_scale=True) as progress:
        try:
            for variant, tally, added in played(options, list(zip(variants, counts, strict=True))):
                tallies[variant.key] = tally
                progress.set_postfix_str(variant.key, refresh=False)
                progress.update(added)
        except KeyboardInterrupt:
            complete = False
    results = [each.result(load_variant(key)) for key, each in tallies.items()]
    study = Study(
        player=options.player, seed=options.seed, complete=complete, results=tuple(results)
    )
    print(study.to_json() if options.json else _told(study))
    return 0 if complete else 130


def _chosen(keys: Iterable[str]) -> list[Variant]:
    """Return the variants asked for, each once; all named ones if none is."""
    found = [load_variant(key) for key in keys] or list(VARIANTS.values())
    return list({variant.key: variant for variant in found}.values())


def _play_here(
    options: argparse.Namespace, counts: list[tuple[Variant, int]]
) -> Iterator[tuple[Variant, Tally, int]]:
    """Play in chunks, so that the bar moves and Ctrl-C works; yield each tally so far."""
    for variant, count in counts:
        player = make_self_play(variant, options.player, seed=options.seed)
        for begun in range(0, count, player.chunk):
            chunk = min(player.chunk, count - begun)
            player.play(chunk)
            yield variant, player.tally, chunk


def _play_elsewhere(
    options: argparse.Namespace, counts: list[tuple[Variant, int]]
) -> Iterator[tuple[Variant, Tally, int]]:
    """Let workers play the independent parts, and merge them in order."""
    variants = {variant.key: (variant, Tally()) for variant, _ in counts}
    parts = [
        part
        for variant, count in counts
        for part in parts_of(variant.key, options.player, options.seed, count)
    ]
    for (key, *_), part in carry_out(play_part, parts, workers=options.workers):
        variant, tally = variants[key]
        tally.merge(part)
        yield variant, tally, part.games


def _told(study: Study) -> str:
    """Return the study as text, with a note if it was interrupted."""
    who = "random moves" if study.player == RANDOM else f"level {study.player} against itself"
    lines = [f"{who}, seed {study.seed}", ""]
    if study.results:
        lines.append(format_study(study))
    if not study.complete:
        played = "this is what had been played" if study.results else "no game had been finished"
        lines += ["", f"Interrupted: {played}."]
    return "\n".join(lines)
