"""One game per variant with everything that can be observed, stored verbatim.

`python -m tests.engine.playthrough --regenerate` rewrites the files; review the
difference. Every position is recorded as its diagram, every ply as what the
public names say.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from engine import (
    VARIANTS,
    Game,
    Rules,
    draw_opening_code,
    draw_text,
    format_board,
    format_move,
)

FOLDER = Path(__file__).parent / "playthroughs"
EVERY = {1: 1, 2: 6, 3: 60}  # plies between diagrams, so that the files stay readable


def tell(key: str) -> str:
    """Play a random game of a variant and return its text."""
    rules = VARIANTS[key].rules
    game = Game(rules, draw_opening_code(rules, seed=1))
    rng = random.Random(f"playthrough {key}")
    lines = [f"variant {key}", f"rules {rules.options_key}", f"opening {game.opening_code}"]
    lines.append(f"given {_moves(rules, game.opening_moves)}")
    while game.outcome is None:
        lines += _ply(game)
        refused = rng.randrange(rules.cell_count)
        reason = game.position.explain_refusal(refused)
        if reason is not None:
            lines.append(f"not {format_move(refused, rules)}: {reason}")
        move = rng.choice(game.position.legal_moves)
        lines.append(f"move {format_move(move, rules)}")
        game.push(move)
    lines += ["", draw_text(game.position), "", f"outcome {game.outcome}"]
    lines.append(f"line {game.outcome.line} ending {game.outcome.ending.value}")
    lines.append(f"moves {_moves(rules, game.moves)}")
    return "\n".join(lines) + "\n"


def _ply(game: Game) -> list[str]:
    position, rules = game.position, game.rules
    boards = ",".join(format_board(board, rules) for board in position.playable_boards)
    bound = "free" if position.target is None else format_board(position.target, rules)
    lines = []
    if position.ply % EVERY[rules.depth] == 0:
        lines += ["", draw_text(position), ""]
    lines.append(
        f"ply {position.ply} {'XO'[position.side]} target {bound}"
        f" boards {boards if len(boards) < 40 else len(position.playable_boards)}"
        f" choices {len(position.legal_moves)}{' may swap' if game.can_swap else ''}"
    )
    return lines


def _moves(rules: Rules, moves: tuple[int, ...]) -> str:
    return " ".join(format_move(move, rules) for move in moves)


if __name__ == "__main__":
    if sys.argv[1:] != ["--regenerate"]:
        sys.exit("usage: python -m tests.engine.playthrough --regenerate")
    FOLDER.mkdir(exist_ok=True)
    for one in VARIANTS:
        (FOLDER / f"{one}.txt").write_text(tell(one))
