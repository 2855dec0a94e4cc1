"""A run: games written one by one to a file from which it is resumed, and what is shipped."""

from __future__ import annotations

import hashlib
import itertools
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from engine.errors import EngineError
from engine.game import Game
from engine.lab.cluster import carry_out
from engine.lab.puzzles import PLAYERS, VERSION, Finding, find_puzzle, play_game
from engine.lab.truth import append_records
from engine.puzzles import Puzzle, parse_puzzle, write_puzzles
from engine.records.model import GameRecord
from engine.rules import Rules

KNOWN: Final = "it is known already"
LEVELS_PLAYED: Final = f"levels {PLAYERS[0]}-{PLAYERS[-1]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What the findings of a run depend on; the first line of its file.

    Attributes:
        seed: Of the games, and of the levels that try the puzzles.
        games: Where they come from: levels, or the digest of a file of records.
    """

    variant: str
    seed: int
    games: str = LEVELS_PLAYED
    version: int = VERSION


def digest_of(text: str) -> str:
    """Return a text that distinguishes a file of records from others."""
    return f"records {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def read_run(path: Path, terms: Terms) -> list[Finding]:
    """Return what a run has found so far; nothing if it has no file yet.

    An incomplete last line, left when the program was killed, is ignored.

    Raises:
        EngineError: If the file is of a run on other terms, or broken.
    """
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    try:
        values: list[dict[str, Any]] = [json.loads(line) for line in lines]
        found = [Finding(**each) for each in values[1:]]
        known = Terms(**values[0]) if values else terms
        is_whole = [each.number for each in found] == list(range(len(found)))
    except (ValueError, TypeError):
        is_whole = False
    if not is_whole:
        raise EngineError(f"{path} is no run of puzzles, or broken: restore it or take it away")
    if known != terms:
        raise EngineError(f"{path} is a run on other terms: {known}, not {terms}")
    return found


def look(variant: str, seed: int, number: int, game: Game | None) -> Finding:
    """Look for the puzzle of a game; if `game` is None, levels play the one with that number."""
    started = time.thread_time()
    finding = find_puzzle(game or play_game(Rules.parse(variant), seed, number), number, seed)
    return replace(finding, seconds=round(time.thread_time() - started, 3))


def go_on(
    path: Path,
    terms: Terms,
    found: Sequence[Finding],
    records: Sequence[GameRecord] | None,
    workers: str | None = None,
) -> Iterator[Finding]:
    """Yield the findings of the next games, each stored on disk first; see `read_run`.

    With `records` they end with the last one. `workers` is the address of a dask scheduler.

    Raises:
        EngineError: If the scheduler does not answer or has no workers.
    """
    numbers = itertools.count(len(found)) if records is None else range(len(found), len(records))
    jobs = (
        (terms.variant, terms.seed, number, None if records is None else records[number].game)
        for number in numbers
    )
    has_terms = path.exists() and b"\n" in path.read_bytes()

    def coming() -> Iterator[Terms | Finding]:
        if not has_terms:
            yield terms
        for _job, finding in carry_out(look, jobs, workers=workers):
            yield finding

    def line(record: Terms | Finding) -> str:
        return json.dumps(asdict(record), separators=(",", ":")) + "\n"

    for record in append_records(path, coming(), line):
        if isinstance(record, Finding):
            yield record


class Collection:
    """The different puzzles of a run, in the order of their games, and its log."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._rules = Rules.parse(terms.variant)
        self._refused: Counter[str] = Counter()
        self._games = self._candidates = 0
        self._seconds = 0.0
        self.puzzles: dict[str, Puzzle] = {}

    def add(self, finding: Finding) -> bool:
        """Count a game and return whether it had a new puzzle."""
        self._games += 1
        self._candidates += finding.candidates
        self._seconds += finding.seconds
        self._refused.update(finding.refused)
        if finding.puzzle is None:
            return False
        puzzle = parse_puzzle(finding.puzzle, self._rules)
        if puzzle.id in self.puzzles:
            self._refused[KNOWN] += 1
            return False
        self.puzzles[puzzle.id] = puzzle
        return True

    def write(self, folder: Path) -> Path:
        """Write the puzzles, and their log beside them."""
        themes = Counter(theme.key for one in self.puzzles.values() for theme in one.themes)
        log = asdict(self._terms) | {
            "puzzles": len(self.puzzles),
            "games": self._games,
            "candidates": self._candidates,
            "refused": dict(sorted(self._refused.items())),
            "seconds": round(self._seconds, 1),
            "seconds_a_puzzle": round(self._seconds / max(len(self.puzzles), 1), 2),
            "themes": dict(themes.most_common()),
        }
        path = write_puzzles(self._rules, tuple(self.puzzles.values()), folder)
        text = json.dumps(log, indent=1) + "\n"
        path.with_name(f"{self._rules.key}.json").write_text(text, encoding="utf-8")
        return path
