"""Games of strong play, and measurements in them, as they are stored: one a line."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Final, get_args

from engine.errors import EngineError
from engine.notation import parse_moves
from engine.rules import Rules
from engine.study import Estimate, StrongScore
from engine.types import Cell

RESULTS_FILE: Final = Path(__file__).with_name("results.jsonl")
LEAST_GAMES: Final = 30  # with fewer, a score is uncertain by some eighteen points either way


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """A run, which added the records that follow it in the file.

    Attributes:
        machine: Its processor, and how many cores it may use.
        date: The date in UTC when it began: 2026-11-22.
    """

    kind: ClassVar[str] = "sitting"

    machine: str
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StrongGame:
    """A game of a strong player against itself.

    Attributes:
        variant: Its key.
        player: How both sides value positions: `net-` and a hash of its weights, `hand` or
            `playouts`.
        limit: For each move: `50ms` of processor time, or `800it`.
        first: The first move it was told to play, None for a game from the empty board.
        seed: That of the run; with `number` it repeats a game limited in iterations.
        number: Counts the games on otherwise the same terms, from 0.
        code: Its opening code, None if the rules need none.
        moves: All moves without spaces between them, those of the opening first.
        result: Which mark won, `X` or `O`, or `draw`.
        iterations: The average number for a move that was searched.
    """

    kind: ClassVar[str] = "game"

    variant: str
    player: str
    limit: str
    first: str | None = None
    seed: int
    number: int
    code: str | None = None
    moves: str
    swapped: bool = False
    result: str
    plies: int
    iterations: int

    @property
    def terms(self) -> tuple[object, ...]:
        """What identifies the game in the file."""
        return self.variant, self.player, self.limit, self.first, self.seed, self.number

    @property
    def score(self) -> float:
        """The points of the player who moved first: 1, 0.5 or 0."""
        if self.result == "draw":
            return 0.5
        return float((self.result == "X") != self.swapped)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The moves as cells."""
        return parse_moves(self.moves, Rules.parse(self.variant))


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """What was found in the positions of a stored game that began at the empty board.

    Attributes:
        within: The limit for each position: `1000ms` of processor time, or `800it`.
        limit: The limit of the game; `seed` and `number` are those of the game too.
    """

    variant: str
    player: str
    within: str
    limit: str
    seed: int
    number: int

    @property
    def terms(self) -> tuple[object, ...]:
        """What identifies the measurement among those of its kind in the file."""
        return self.variant, self.player, self.within, self.limit, self.seed, self.number

    @property
    def game(self) -> tuple[object, ...]:
        """The terms of the game."""
        return self.variant, self.player, self.limit, None, self.seed, self.number


@dataclass(frozen=True, slots=True, kw_only=True)
class SolvedGame(Measurement):
    """From which ply on a search proves the result of every position of a stored game.

    Attributes:
        ply: The first ply from which on every position is solved; `plies` if none is.
    """

    kind: ClassVar[str] = "solved"

    ply: int
    plies: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenHints(Measurement):
    """What the best move promised in some positions of a stored game, where it was not certain.

    Attributes:
        plies: The plies of the positions, chosen at random, ascending.
        chances: What the search expected there for the side to move, in thousandths.
    """

    kind: ClassVar[str] = "hints"

    plies: tuple[int, ...]
    chances: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvedMove:
    """What came of an attempt to prove who wins after a first move.

    Attributes:
        variant: Its key.
        player: How the search that chooses where the plan has no move values positions.
        first: The move.
        iterations: Those of the first search of a position.
        winner: The mark that wins against every reply, `X` or `O`; None if that was not shown.
        positions: How many were met with that side to move.
    """

    kind: ClassVar[str] = "proved"

    variant: str
    player: str
    first: str
    iterations: int
    winner: str | None
    positions: int


Record = Sitting | StrongGame | SolvedGame | GivenHints | ProvedMove

_KINDS: Final[dict[str, type[Record]]] = {one.kind: one for one in get_args(Record)}


def format_record(record: Record) -> str:
    """Return a record as a line, with its line break; default values are left out."""
    known = ((it, getattr(record, it.name)) for it in fields(record))
    said = {it.name: value for it, value in known if value != it.default}
    return json.dumps({"kind": record.kind} | said, separators=(",", ":")) + "\n"


def read_records(path: Path = RESULTS_FILE) -> list[Record]:
    """Return what is stored in the order it was added; nothing if there is no file.

    A last line without a line break was cut off when the program was killed: it is left out.

    Raises:
        EngineError: If another line is not a record.
    """
    if not path.exists():
        return []
    lines = path.read_bytes().split(b"\n")[:-1]
    return [_record(line, f"{path.name}, line {place}") for place, line in enumerate(lines, 1)]


def _record(line: bytes, place: str) -> Record:
    try:
        found: dict[str, Any] = json.loads(line)
        given: dict[str, Any] = {
            name: tuple(it) if isinstance(it, list) else it for name, it in found.items()
        }
        return _KINDS[given.pop("kind")](**given)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise EngineError(f"{place} is not a record: take it out or restore the file") from None


def strong_scores(records: Sequence[Record]) -> dict[str, StrongScore]:
    """Return the score of every variant with `LEAST_GAMES` games from the empty board, by its key.

    Only the latest player with that many games counts, at its limit with the most games.
    """
    by_terms: dict[str, dict[str, dict[str, list[float]]]] = {}
    for one in records:
        if isinstance(one, StrongGame) and one.first is None:
            by_limit = by_terms.setdefault(one.variant, {}).setdefault(one.player, {})
            by_limit.setdefault(one.limit, []).append(one.score)
    return {
        key: StrongScore(games=len(scores), score=_mean(scores))
        for key, by_player in by_terms.items()
        for by_limit in by_player.values()  # a later player replaces the one before
        if len(scores := max(by_limit.values(), key=len)) >= LEAST_GAMES
    }


def _mean(scores: Sequence[float]) -> Estimate:
    error = statistics.stdev(scores) / math.sqrt(len(scores))
    return Estimate(value=statistics.fmean(scores), error=error)
