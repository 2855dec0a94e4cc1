"""Stand-ins for what tests cannot leave to chance: the time, and how long the computer thinks."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from engine import SearchReport, choose_move

if TYPE_CHECKING:
    from engine import Level, Position


@dataclass
class FakeClock:
    """A clock that moves on by a second whenever it is read."""

    instant: datetime = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        """Return the next second."""
        self.instant += timedelta(seconds=1)
        return self.instant


@dataclass
class SlowSearch:
    """Searches as the engine does, but only once `go_on` is set or it is told to stop."""

    go_on: threading.Event = field(default_factory=threading.Event)
    begun: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    ended: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    levels: list[int] = field(default_factory=list)
    stopped: int = 0

    @property
    def calls(self) -> int:
        """How many searches have begun."""
        return len(self.levels)

    def __call__(
        self, position: Position, level: Level, stop: threading.Event, max_seconds: float
    ) -> SearchReport:
        """Wait, then search."""
        self.levels.append(level.number)
        self.begun.release()
        while not self.go_on.wait(0.002):
            if stop.is_set():
                self.stopped += 1
                self.ended.release()
                break
        return choose_move(position, level, seed=1, stop=stop, max_seconds=min(max_seconds, 0.05))


@dataclass
class Opinion:
    """Plays the first legal move, and always gives its side the same score.

    With 0 iterations it played at a glance.
    """

    score: float
    iterations: int = 100

    def __call__(
        self, position: Position, level: Level, stop: threading.Event, max_seconds: float
    ) -> SearchReport:
        """Move without thinking."""
        del level, stop, max_seconds
        move = position.legal_moves[0]
        return SearchReport(
            move=move,
            score_for_side=self.score,
            iterations=self.iterations,
            seconds=0.0,
            principal_line=(move,),
            visits={},
            proven=None,
        )
