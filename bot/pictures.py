"""The pictures that show newcomers what they get: in the README, and on the sandbox's page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from bot.render import (
    BoardPicture,
    EvaluationPicture,
    LeaderboardPicture,
    draw_board,
    draw_evaluation_graph,
    draw_leaderboard,
    noted,
)
from bot.render.preview import leaderboard_sample, played_out, position_after
from engine import Game, Limit, O, analyse_game, load_variant, parse_move

_NAMES: Final = ("Anna", "Ben")
_RANKED: Final = ("Anna", "Ben", "Zoë", "Lucía", "Kwame", "Mira", "Ole", "Priya", "Jonas", "Yuki")
# Level 5 against level 4: X is ahead for most of the game, and gives it away.
_GAME: Final = (
    "15 57 71 12 28 88 86 66 64 41 13 37 72 22 29 98 84 45 53 39 94 44 49 91 17 73 38 85 56 65 59"
    " 95 32 26 68 82 27 76 69 96 63 36 61 79 93 33 46 62 42 92"
)
_SHOWN_AT: Final = 39
_STRATEGIC_SHOWN_AT: Final = 352


def game_sample() -> BoardPicture:
    """Return a game in which somebody was just sent to a board."""
    return BoardPicture(position_after("standard", _GAME, _SHOWN_AT), names=_NAMES)


def write_pictures(directory: Path) -> list[Path]:
    """Write the README's pictures into `directory`, made if it is missing; return the files."""
    strategic = played_out(load_variant("sttt-map").rules, 4)[_STRATEGIC_SHOWN_AT]
    pictures = {
        "game": draw_board(game_sample()),
        "review": draw_evaluation_graph(_review()),
        "strategic": draw_board(BoardPicture(strategic, names=_NAMES)),
        "leaderboard": draw_leaderboard(_leaderboard()),
    }
    directory.mkdir(parents=True, exist_ok=True)
    for name, png in pictures.items():
        (directory / f"{name}.png").write_bytes(png)
    return [directory / f"{name}.png" for name in pictures]


def _review() -> EvaluationPicture:
    """Return a whole game as `/review` shows it, computed the same on every machine."""
    variant = load_variant("standard")
    moves = [parse_move(move, variant.rules) for move in _GAME.split()]
    found = analyse_game(Game.replay(variant.rules, moves), Limit(nodes=2000))
    accuracy = found.accuracy
    assert accuracy.x is not None
    assert accuracy.o is not None
    return EvaluationPicture(
        found.chances,
        names=_NAMES,
        title="Game 12: Ben wins",
        subtitle="Standard",
        notes=noted(found.reviews, variant.rules),
        accuracies=(accuracy.x / 100, accuracy.o / 100),
        winner=O,
    )


def _leaderboard() -> LeaderboardPicture:
    sample = leaderboard_sample()
    rows = (
        replace(
            row,
            name=name,
            wins=41 - 3 * place,
            draws=2 + place % 3,
            losses=6 + 2 * place,
            trend=(9, -4, 0, 12, -7)[place % 5],
        )
        for place, (row, name) in enumerate(zip(sample.rows, _RANKED, strict=True))
    )
    viewer = replace(sample.viewer, name="Clara", rank=14) if sample.viewer else None
    return replace(sample, rows=tuple(rows), subtitle="This server · last 30 days", viewer=viewer)
