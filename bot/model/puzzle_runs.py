"""Runs through many puzzles: storm, streak and race. They change no rating."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum, StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from bot.model.errors import PlayerError
from engine.errors import say

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine import Cell, Position, Puzzle

VARIANT_KEY: Final = "standard"
"""The variant of the puzzles in all runs, so that everybody's runs can be compared."""

MOVE_POINTS: Final = 200
"""How much harder a puzzle is in a run for each further move it takes."""

RACE_SECONDS: Final = 90
LOBBY_SECONDS: Final = 60
COUNTDOWN_SECONDS: Final = 5
MOST_RACERS: Final = 10


class RunKind(StrEnum):
    """The kinds of runs, as the database and buttons name them: never change."""

    STORM = "storm"
    STREAK = "streak"
    RACE = "race"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRules:
    """The rules of a kind of run.

    Attributes:
        puzzles: How many there are in it, the easiest first.
        most_turns: The most moves one of them takes.
        seconds: How long it lasts; None until the first mistake.
        mistake_s: How many seconds a mistake costs.
        bonuses: What right moves in a row earn, by how many they are: seconds in a storm,
            points in a race.
        skips: How many moves may be skipped.
    """

    puzzles: int
    most_turns: int
    seconds: int | None = None
    mistake_s: int = 0
    bonuses: tuple[tuple[int, int], ...] = ()
    skips: int = 0

    def bonus(self, combo: int) -> int:
        """Return what a right move earns as the last of `combo` in a row.

        Past the last step, each further one of the same length earns the same again.

        Examples:
            >>> [STORM.bonus(combo) for combo in (4, 5, 6, 12, 20, 30, 35, 40)]
            [0, 3, 0, 5, 7, 10, 0, 10]
        """
        if not self.bonuses:
            return 0
        (before, _), (last, most) = self.bonuses[-2:]
        if combo > last:
            return 0 if (combo - last) % (last - before) else most
        return dict(self.bonuses).get(combo, 0)


STORM: Final = RunRules(
    puzzles=60,
    most_turns=3,
    seconds=180,
    mistake_s=10,
    bonuses=((5, 3), (12, 5), (20, 7), (30, 10)),
)
RULES: Final[Mapping[str, RunRules]] = MappingProxyType(
    {
        RunKind.STORM: STORM,
        RunKind.STREAK: RunRules(puzzles=100, most_turns=99, skips=1),
        RunKind.RACE: RunRules(
            puzzles=40,
            most_turns=3,
            seconds=RACE_SECONDS,
            bonuses=((5, 1), (12, 2), (20, 3), (30, 4)),
            skips=1,
        ),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """Somebody's run as it stands.

    Attributes:
        kind: Its `RunKind`; text in what is read from the database.
        seed: Decides which puzzles it has.
        guild_id: The server on whose leaderboards it counts.
        race_id: The race it is part of, if it is.
        begun_at: When it was asked for.
        ends_at: When its time is up, or was; None before a storm's first move, and as long as
            a streak goes on.
        place: How many puzzles have been passed.
        found: How many moves of the next one have been found.
        score: Puzzles solved; points in a race.
        moves, errors: Right and wrong moves.
        combo, best_combo: Right moves in a row.
        highest: The rating of the hardest puzzle solved; 0 before the first.
        skipped: How many moves were skipped.
    """

    id: int = 0
    player_id: int
    kind: str
    seed: int
    guild_id: int | None
    race_id: int | None = None
    begun_at: datetime
    ends_at: datetime | None = None
    place: int = 0
    found: int = 0
    score: int = 0
    moves: int = 0
    errors: int = 0
    combo: int = 0
    best_combo: int = 0
    highest: int = 0
    skipped: int = 0

    @property
    def rules(self) -> RunRules:
        """The rules of its kind."""
        return RULES[self.kind]

    def is_over(self, at: datetime) -> bool:
        """Return whether it is over at a moment, so that nothing counts any more."""
        return self.ends_at is not None and at >= self.ends_at

    def has_begun(self, at: datetime) -> bool:
        """Return whether moves count yet: all of a race begin together."""
        if self.race_id is None:
            return True
        assert self.ends_at is not None, "a race has its time"
        return at >= self.ends_at - timedelta(seconds=RACE_SECONDS)

    @property
    def can_skip(self) -> bool:
        """Whether a move may be skipped."""
        return self.skipped < self.rules.skips


class Verdict(Enum):
    """The result of a press in a run."""

    RIGHT = "right"  # the puzzle goes on
    SOLVED = "solved"
    WRONG = "wrong"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStep:
    """What a press did: the move that was played, or skipped, the right one, and the bonus."""

    verdict: Verdict
    puzzle: Puzzle
    move: Cell
    best: Cell
    bonus: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bests:
    """Somebody's best scores; 0 if there is none."""

    day: int = 0
    week: int = 0
    ever: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlace:
    """An entry of a leaderboard of runs."""

    rank: int
    player_id: int
    name: str
    score: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceRow:
    """A race; its runs tell who is in it, and the first of them is the host's.

    Attributes:
        message_id: Where it is shown; None until that is known.
        is_told: 1 once its result is shown.
    """

    id: int = 0
    guild_id: int
    channel_id: int
    message_id: int | None = None
    seed: int
    starts_at: datetime
    is_told: int = 0

    @property
    def ends_at(self) -> datetime:
        """When everybody's time is up."""
        return self.starts_at + timedelta(seconds=RACE_SECONDS)


class NoRunError(PlayerError):
    """A button belongs to somebody else's run, or to one that is gone."""

    sentence = say("This is not a run of yours: `/puzzles storm` begins one.")


class NoRaceError(PlayerError):
    """There is no such race any more."""

    sentence = say("This race is over: `/puzzles race` opens another one.")


class RaceClosedError(PlayerError):
    """A race has begun, or is full."""

    sentence = say("This race is full or has started: wait for the next one.")


class NotStartedError(PlayerError):
    """Nobody may move yet."""

    sentence = say("The race hasn't started yet.")


class NotHostError(PlayerError):
    """Somebody else opened the race."""

    sentence = say("Only the person who opened the race can start it early.")


class AloneError(PlayerError):
    """Nobody else is in the race yet."""

    sentence = say("Wait until somebody else has joined.")


def line_of(puzzles: Sequence[Puzzle], run: RunRow) -> tuple[Puzzle, ...]:
    """Return the puzzles of a run, drawn from all by its seed, the easiest first."""
    fitting = [each for each in puzzles if each.turns <= run.rules.most_turns]
    drawn = random.Random(run.seed).sample(fitting, min(run.rules.puzzles, len(fitting)))

    def hardness(puzzle: Puzzle) -> int:
        return puzzle.rating + MOVE_POINTS * (puzzle.turns - 1)

    return tuple(sorted(drawn, key=lambda each: (hardness(each), each.id)))


def fitted(run: RunRow, line: Sequence[Puzzle]) -> RunRow:
    """Return a run with its puzzle restarted, if an upgrade has put a shorter one in its place."""
    is_shorter = run.place < len(line) and run.found >= line[run.place].turns
    return replace(run, found=0) if is_shorter else run


def position_in(run: RunRow, puzzle: Puzzle) -> Position:
    """Return the position in which the next move is to be found."""
    return puzzle.attempt(puzzle.solution[: 2 * run.found : 2]).game.position


def play(
    run: RunRow, line: Sequence[Puzzle], move: Cell | None, at: datetime
) -> tuple[RunRow, RunStep]:
    """Make a move in a run that is not over, None to skip the right one.

    `line` has its puzzles; `at` is when Discord received the press.

    Raises:
        IllegalMoveError: If the rules refuse it.
    """
    puzzle, rules, lasts = line[run.place], run.rules, run.rules.seconds
    best = puzzle.solution[2 * run.found]
    played = best if move is None else move
    attempt = puzzle.attempt((*puzzle.solution[: 2 * run.found : 2], played))
    step = RunStep(verdict=Verdict.WRONG, puzzle=puzzle, move=played, best=best)
    if run.ends_at is None and lasts is not None:
        run = replace(run, ends_at=at + timedelta(seconds=lasts))
    if not attempt.is_right:
        run = replace(run, errors=run.errors + 1, combo=0)
        if run.ends_at is None:
            return replace(run, ends_at=at), step
        run = replace(run, ends_at=run.ends_at - timedelta(seconds=rules.mistake_s))
        return _next(run, line, at), step
    bonus, combo = rules.bonus(run.combo + 1), run.combo + 1
    run = replace(
        run,
        found=run.found + 1,
        moves=run.moves + 1,
        combo=combo,
        best_combo=max(run.best_combo, combo),
        skipped=run.skipped + (move is None),
    )
    if run.race_id is not None:
        run = replace(run, score=run.score + 1 + bonus)
    elif run.ends_at is not None:
        run = replace(run, ends_at=run.ends_at + timedelta(seconds=bonus))
    verdict = Verdict.SOLVED if attempt.is_solved else Verdict.RIGHT
    if attempt.is_solved:
        score = run.score + (run.race_id is None)
        run = _next(replace(run, score=score, highest=max(run.highest, puzzle.rating)), line, at)
    return run, replace(step, verdict=Verdict.SKIPPED if move is None else verdict, bonus=bonus)


def _next(run: RunRow, line: Sequence[Puzzle], at: datetime) -> RunRow:
    """Go on to the next puzzle; the run ends with the last."""
    run = replace(run, place=run.place + 1, found=0)
    return replace(run, ends_at=at) if run.place == len(line) else run


def week_of(at: datetime) -> datetime:
    """Return when the ISO week of a moment begins, in UTC."""
    day = at.replace(hour=0, minute=0, second=0, microsecond=0)
    return day - timedelta(days=day.weekday())
