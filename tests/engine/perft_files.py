"""Read the perft files: positions of a variant and how many move sequences follow.

A file is named after its variant. `id` begins a position, `opening` and `moves`
lead to it, `perft PLIES NODES` says what must be counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from engine import Game
from tests.engine.playing import play

FOLDER = Path(__file__).parent / "perft"


@dataclass(kw_only=True)
class Suite:
    """A position and the counts from it."""

    variant: str
    name: str
    opening: str | None = None
    moves: str = ""
    counts: dict[int, int] = field(default_factory=dict)

    def game(self) -> Game:
        """Return the game that leads to the position."""
        return play(self.variant, self.moves, self.opening)


def load_suites() -> list[Suite]:
    """Return everything in the perft files."""
    suites: list[Suite] = []
    for path in sorted(FOLDER.glob("*.perft")):
        for line in path.read_text().splitlines():
            word, _, rest = line.partition(" ")
            if word == "id":
                suites.append(Suite(variant=path.stem, name=rest))
            elif word == "opening":
                suites[-1].opening = rest
            elif word == "moves":
                suites[-1].moves = rest
            elif word == "perft":
                plies, nodes = rest.split()
                suites[-1].counts[int(plies)] = int(nodes)
    return suites
