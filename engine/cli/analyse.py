"""`analyse`: a game looked over, from moves or from a record file."""

from __future__ import annotations

import argparse
import itertools
import json
from typing import Any

from engine.analysis import Analysis, MoveReview, analyse_game
from engine.cli._options import (
    MOST_SEED,
    Commands,
    add_command,
    start_game,
    variant_help,
    whole_number,
)
from engine.cli.match import add_limit, chosen_limit, progress_bar
from engine.cli.record import read_text
from engine.errors import EngineError
from engine.game import Game
from engine.notation import format_move
from engine.records import parse_records
from engine.records.model import MOST_GAMES

DEFAULT_MOVETIME = 100
LEAST_LOSS = 0.005  # less is shown as none

_DETAILS = (
    "Chances are what X can expect, from 0 to 100. Losses, accuracy and turning points are told in"
    " engine/analysis/README.md. With --iterations the same seed gives the same analysis."
)


def add_commands(commands: Commands) -> None:
    """Add this module's command."""
    parser = add_command(commands, "analyse", _run, "Look a game over, move by move.", _DETAILS)
    parser.add_argument("moves", nargs="?", default="", help="such as '55 51 12'")
    parser.add_argument("--variant", default="standard", metavar="KEY", help=variant_help())
    parser.add_argument("--opening", metavar="CODE", help="the opening code, where one is needed")
    parser.add_argument("--record", metavar="FILE", help="a record file instead; - reads input")
    parser.add_argument(
        "--game",
        type=whole_number(1, MOST_GAMES),
        default=1,
        metavar="N",
        help="which game of the file (1)",
    )
    add_limit(parser, DEFAULT_MOVETIME)
    parser.add_argument(
        "--seed", type=whole_number(0, MOST_SEED), default=1, metavar="S", help="(1)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def _run(options: argparse.Namespace) -> int:
    game = _chosen_game(options)
    positions = len(game.moves) - len(game.opening_moves) + 1
    with progress_bar(positions, "position") as bar:
        analysis = analyse_game(
            game,
            chosen_limit(options, DEFAULT_MOVETIME),
            progress=lambda done, total: bar.update(),  # one more each time
            seed=options.seed,
        )
    print(json.dumps(as_json(analysis), indent=2) if options.json else format_analysis(analysis))
    return 0


def _chosen_game(options: argparse.Namespace) -> Game:
    if options.record is None:
        game = start_game(options.variant, options.moves, options.opening)
    else:
        records = parse_records(read_text(options.record))
        record = next(itertools.islice(records, options.game - 1, None), None)
        if record is None:
            raise EngineError(f"{options.record} has no game number {options.game}")
        game = record.game
    if len(game.moves) == len(game.opening_moves):
        raise EngineError("There are no moves to look over: give them as '55 51 12'")
    return game


def format_analysis(analysis: Analysis) -> str:
    """Return an analysis as text: a line for each move, then the sums."""
    rules = analysis.rules
    lines = [f"{rules.key}, X can expect {100 * analysis.chances[0]:.0f} % at the start", ""]
    lines.append("ply    move  X's chance  lost  ")
    for review, chance in zip(analysis.reviews, analysis.chances[1:], strict=True):
        lost = f"{100 * review.loss:.0f}" if review.loss >= LEAST_LOSS else ""
        lines.append(
            f"{review.ply + 1:>3}  {'XO'[review.side]} {format_move(review.move, rules):>4}"
            f"  {100 * chance:>8.0f} %  {lost:>4}  {_remark(review, analysis)}".rstrip()
        )
    accuracy = analysis.accuracy
    lines += ["", f"accuracy: X {_percent(accuracy.x)}, O {_percent(accuracy.o)}"]
    for name, found in (
        ("turning points", analysis.turning_points),
        ("blunders", analysis.blunders),
    ):
        listed = ", ".join(_named(review, analysis) for review in found)
        lines.append(f"{name}: {listed or 'none'}")
    return "\n".join(lines)


def _remark(review: MoveReview, analysis: Analysis) -> str:
    if review.is_forced:
        return "the only move"
    if review.move == review.best_move or review.loss < LEAST_LOSS:
        return ""
    line = " ".join(format_move(move, analysis.rules) for move in review.best_line[:5])
    sure = f" ({review.proven_before.value} for certain)" if review.proven_before else ""
    return f"{review.judgement}; better {line}{sure}"


def _named(review: MoveReview, analysis: Analysis) -> str:
    return f"{review.ply + 1} {'XO'[review.side]} {format_move(review.move, analysis.rules)}"


def _percent(accuracy: float | None) -> str:
    return "-" if accuracy is None else f"{accuracy:.0f} %"


def as_json(analysis: Analysis) -> dict[str, Any]:
    """Return an analysis as JSON."""
    rules = analysis.rules
    accuracy = analysis.accuracy
    return {
        "variant": rules.key,
        "complete": analysis.complete,
        "first_ply": analysis.first_ply,
        "chances": [round(chance, 4) for chance in analysis.chances],
        "accuracy": {"x": accuracy.x, "o": accuracy.o},
        "turning_points": [review.ply for review in analysis.turning_points],
        "blunders": [review.ply for review in analysis.blunders],
        "moves": [_move_as_json(review, analysis) for review in analysis.reviews],
    }


def _move_as_json(review: MoveReview, analysis: Analysis) -> dict[str, Any]:
    rules = analysis.rules
    return {
        "ply": review.ply,
        "side": "XO"[review.side],
        "move": format_move(review.move, rules),
        "best": format_move(review.best_move, rules),
        "line": [format_move(move, rules) for move in review.best_line],
        "chance_before": round(review.chance_before, 4),
        "chance_after": round(review.chance_after, 4),
        "loss": round(review.loss, 4),
        "judgement": review.judgement.value,
        "forced": review.is_forced,
        "proven_before": review.proven_before.value if review.proven_before else None,
        "proven_after": review.proven_after.value if review.proven_after else None,
    }
