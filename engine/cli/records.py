"""`record` and `analyse`: check, show and rewrite record files, and analyse games."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from engine.analysis.review import Analysis, MoveReview, analyse_game
from engine.cli._options import (
    Commands,
    add_command,
    add_json,
    add_limit,
    add_number,
    add_seed,
    add_variant,
    chosen_limit,
    progress_bar,
    start_game,
)
from engine.diagram import draw_text
from engine.errors import EngineError
from engine.game import Game
from engine.notation import format_move
from engine.records.model import LONGEST_FILE, MOST_GAMES, GameRecord
from engine.records.positions import format_letter_move, format_letter_position, format_position
from engine.records.reading import parse_records
from engine.records.tokens import escape
from engine.records.writing import format_record
from engine.variants import variant_of

_STDIN: Final = "-"
_LARGEST_FILE: Final = 4 * LONGEST_FILE  # a character has at most four bytes

LEAST_LOSS = 0.005  # less is shown as none


def add_record(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "record",
        _run_record,
        "Check a record file and show its games.",
        "engine/NOTATION.md describes the format of record files.",
    )
    parser.add_argument("file", metavar="FILE", help="a record file (.uttt); - for standard input")
    parser.add_argument(
        "--show",
        choices=tuple(_FORMS),
        default="summary",
        help="summary: a line for each game; record: the file in its standard form;"
        " position: the last position as one line; diagram: the same as a picture;"
        " letters: moves and last position in the form of ultimattt (standard rules only)"
        " (default: summary)",
    )


def _run_record(options: argparse.Namespace) -> int:
    show = _FORMS[options.show]
    blank_between = options.show in ("record", "diagram")
    for number, record in enumerate(parse_records(read_text(options.file)), start=1):
        if number > 1 and blank_between:
            print()
        print(show(record))
    return 0


def read_text(name: str) -> str:
    """Return the text of a file, or raise `EngineError` if it cannot be read or is not text."""
    try:
        with nullcontext(sys.stdin.buffer) if name == _STDIN else Path(name).open("rb") as file:
            data = file.read(_LARGEST_FILE + 1)
        if len(data) > _LARGEST_FILE:
            raise EngineError(f"{name} is larger than any record file: {_LARGEST_FILE:,} bytes")
        return data.decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise EngineError(f"{name} is no text in UTF-8: look at line {line}") from None
    except OSError as error:
        raise EngineError(f"{name} cannot be read: {error.strerror}") from None


def _summary(record: GameRecord) -> str:
    game = record.game
    x_name, o_name = (escape(name, "") for name in record.players)  # may hold control signs
    ending = "" if game.outcome is None or record.end else f": {game.outcome}"
    reason = f", {escape(record.end, '')}" if record.end else ""
    return (
        f"{variant_of(record.rules).key}: {x_name} (X) - {o_name} (O),"
        f" {len(record.moves)} moves, {record.result.words}{reason}{ending}"
    )


def _letters(record: GameRecord) -> str:
    position = format_letter_position(record.game.position)  # refuses other rules
    moves = [format_letter_move(move) for move in record.moves]
    return f"{' '.join(moves)}\n{position}".strip()


_FORMS: Final[dict[str, Callable[[GameRecord], str]]] = {
    "summary": _summary,
    "record": lambda record: format_record(record).rstrip("\n"),
    "position": lambda record: format_position(record.game.position),
    "diagram": lambda record: draw_text(record.game.position),
    "letters": _letters,
}


_ANALYSE_DETAILS = (
    "Chances are what X can expect, from 0 to 100. Losses, accuracy and turning points are told in"
    " engine/analysis/README.md. With --iterations the same seed gives the same analysis."
)


def add_analyse(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands, "analyse", _run_analyse, "Analyse a game, move by move.", _ANALYSE_DETAILS
    )
    parser.add_argument("moves", nargs="?", default="", help="for example '55 51 12'")
    add_variant(parser)
    parser.add_argument("--opening", metavar="CODE", help="the opening code, if one is needed")
    parser.add_argument(
        "--record", metavar="FILE", help="a record file instead; - for standard input"
    )
    add_number(parser, "--game", 1, MOST_GAMES, default=1, help="which game of the file (1)")
    add_limit(parser, movetime=100)
    add_seed(parser)
    add_json(parser)


def _run_analyse(options: argparse.Namespace) -> int:
    game = _chosen_game(options)
    positions = len(game.moves) - len(game.opening_moves) + 1
    with progress_bar(positions, "position") as bar:
        analysis = analyse_game(
            game,
            chosen_limit(options),
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
        if options.game > len(records):
            raise EngineError(f"{options.record} has no game number {options.game}")
        game = records[options.game - 1].game
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
    both = {"turning points": analysis.turning_points, "blunders": analysis.blunders}
    for name, found in both.items():
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
    return {
        "variant": rules.key,
        "complete": analysis.complete,
        "first_ply": analysis.first_ply,
        "chances": [round(chance, 4) for chance in analysis.chances],
        "accuracy": asdict(analysis.accuracy),
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
