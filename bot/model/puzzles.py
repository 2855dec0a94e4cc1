"""Puzzles and their solvers: which puzzle comes next, and how a try changes both ratings."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Final

from bot.model.errors import PlayerError
from bot.model.ratings import glicko, pools
from bot.model.ratings.glicko import Rating
from bot.model.ratings.values import rating_in_words
from engine import VARIANTS, Cell, Puzzle
from engine.errors import Sentence, say

if TYPE_CHECKING:
    import random
    from collections.abc import Collection, Iterable, Mapping, Sequence

NEW_PUZZLE_DEVIATION: Final = 150.0
"""The computer's levels have tried a puzzle before people do: only their results are known."""

MOST_PUZZLE_CHANGE: Final = 20.0
"""The most that one try changes a puzzle's rating: newcomers may be anybody."""

NEAREST: Final = 5
"""The next puzzle is one of this many with about the rating that is looked for."""


DAILY_VARIANT: Final = "standard"

DAILY_HOUR: Final = 12
"""When the daily puzzle is posted, in UTC, unless the server says otherwise."""

POSTED_WITHIN: Final = timedelta(hours=12)
"""How late it is still posted if the bot was away."""

SOLVED_WITHIN: Final = 2
"""For how many days, its own included, a daily puzzle can be solved for the streak: if it is posted
late in the evening, its own is short."""

MOST_TRIES: Final = 20

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY: Final = timedelta(days=1)


def day_of(moment: datetime) -> int:
    """Return the day of a moment, in UTC, counted from 1970.

    Examples:
        >>> day_of(datetime(1970, 1, 2, 23, 59, tzinfo=UTC))
        1
    """
    return (moment - _EPOCH) // _DAY


def start_of(day: int) -> datetime:
    """Return the moment at which a day begins."""
    return _EPOCH + day * _DAY


def post_at(day: int, guild_id: int, hour: int | None) -> datetime:
    """Return when a day's puzzle is posted in a server: in its hour, at a minute of its own."""
    minute = guild_id // 2**22 % 60
    return start_of(day) + timedelta(hours=DAILY_HOUR if hour is None else hour, minutes=minute)


class Difficulty(Enum):
    """How hard a puzzle is to be for somebody. Buttons hold the letters: never change them."""

    EASIER = "e"
    NORMAL = "n"
    HARDER = "h"

    @property
    def points(self) -> float:
        """How far from the player's own rating."""
        return {Difficulty.EASIER: -300.0, Difficulty.HARDER: 300.0}.get(self, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The puzzles that somebody asks for.

    Attributes:
        theme: The key of their theme; None for any.
        day: The day of the daily puzzle, by `day_of`; None for any puzzle.
    """

    variant_key: str
    difficulty: Difficulty = Difficulty.NORMAL
    theme: str | None = None
    day: int | None = None

    def fits(self, puzzle: Puzzle) -> bool:
        """Return whether a puzzle of the variant has the theme."""
        return self.theme is None or any(each.key == self.theme for each in puzzle.themes)


@dataclass(frozen=True, slots=True, kw_only=True)
class SolverRow:
    """How well somebody solves puzzles, as of the last one."""

    player_id: int
    value: float = glicko.CENTRE
    deviation: float = glicko.NEW_DEVIATION
    volatility: float = glicko.NEW_VOLATILITY
    rounds: int = 0
    solved: int = 0
    last_at: datetime | None = None

    @property
    def words(self) -> Sentence | str:
        """The rating as it is shown: "puzzle rating 1500?" or "placement puzzle 3 of 5"."""
        stored = Rating.of(self)
        if not pools.is_placed(stored, self.rounds):
            needed = pools.placement_games(self.rounds)
            words = say("placement puzzle {count} of {needed}")
            return words.format(count=self.rounds, needed=needed)
        return say("puzzle rating {rating}", rating=rating_in_words(stored))

    def at(self, now: datetime) -> SolverRow:
        """Return it with the deviation grown to this moment."""
        if self.last_at is None:
            return self
        grown = glicko.after_time(Rating.of(self), now - self.last_at)
        return replace(self, deviation=grown.deviation)


@dataclass(frozen=True, slots=True, kw_only=True)
class PuzzleRow:
    """How hard a puzzle has been for those who have tried it."""

    variant_key: str
    puzzle_id: str
    value: float
    deviation: float = NEW_PUZZLE_DEVIATION
    volatility: float = glicko.NEW_VOLATILITY
    plays: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRow:
    """Somebody's attempt at a puzzle; the first wrong move, hint or solution shown decides it.

    Attributes:
        found: How many of its moves they have found.
        won: 1 if solved, 0 if not, None as long as it is open.
        value_before, value_after: Their rating when it was decided.
    """

    player_id: int
    variant_key: str
    puzzle_id: str
    begun_at: datetime
    found: int = 0
    won: int | None = None
    decided_at: datetime | None = None
    value_before: float | None = None
    value_after: float | None = None


class Try(StrEnum):
    """What somebody did at a daily puzzle. Stored as letters: add members, never change one."""

    RIGHT = "r"
    WRONG = "w"
    HINT = "h"
    SOLUTION = "s"


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyRow:
    """Somebody's attempt at the puzzle of a day, kept apart: they may know it from before.

    Attributes:
        day: Which, by `day_of`.
        found: How many of its moves they have found.
        won: 1 if solved, 0 if not, None as long as it is open.
        tries: What they did, a letter of `Try` each.
        shared_at: When they shared their result; None if they have not.
    """

    player_id: int
    day: int
    begun_at: datetime
    found: int = 0
    won: int | None = None
    decided_at: datetime | None = None
    tries: str = ""
    shared_at: datetime | None = None

    @property
    def is_shareable(self) -> bool:
        """Whether there is a result that was not shared yet."""
        return self.won is not None and self.shared_at is None and self.tries != Try.SOLUTION


@dataclass(frozen=True, slots=True)
class DailyStreak:
    """For how many days in a row somebody has solved the daily puzzle: now, and at best."""

    current: int = 0
    best: int = 0


@dataclass(frozen=True, slots=True)
class Turnout:
    """How many people have solved the puzzle of a day, out of how many decided attempts."""

    solved: int = 0
    tried: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Daily:
    """An attempt at the puzzle of a day, and what is shown about it.

    Attributes:
        turnout: How others did.
        is_late: Whether it came too late for the streak.
    """

    row: DailyRow
    streak: DailyStreak
    turnout: Turnout
    is_late: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """An attempt at a puzzle as it stands.

    Attributes:
        row: What is stored of it as a rated attempt.
        rated: How hard the puzzle is.
        daily: How it stands as a daily puzzle, if it is attempted as one.
    """

    puzzle: Puzzle
    row: RoundRow
    solver: SolverRow
    rated: PuzzleRow
    daily: Daily | None = None

    @property
    def turn(self) -> int:
        """How many of the moves have been found."""
        return (self.daily or self).row.found

    @property
    def tried(self) -> tuple[Cell, ...]:
        """The moves that have been found."""
        return self.puzzle.solution[: 2 * self.turn : 2]

    @property
    def won(self) -> int | None:
        """1 if solved, 0 if not, None as long as it is open."""
        return (self.daily or self).row.won

    @property
    def gain(self) -> int | None:
        """How many points it was worth; None while it is open or the rating is not certain."""
        row, rating = self.row, Rating.of(self.solver)
        is_sure = pools.is_placed(rating, self.solver.rounds) and not pools.is_provisional(rating)
        if row.value_after is None or row.value_before is None or not is_sure:
            return None
        if self.daily is not None and self.daily.row.decided_at != row.decided_at:
            return None  # it had been rated before
        return round(row.value_after) - round(row.value_before)


def streak_of(rows: Iterable[DailyRow], today: int) -> DailyStreak:
    """Return the streak that somebody's attempts make; days count by the puzzles' dates.

    It lasts until a puzzle is failed or can no longer be solved in time.

    Examples:
        >>> at = start_of(12)
        >>> solved = DailyRow(player_id=1, day=12, begun_at=at, won=1, decided_at=at)
        >>> rows = [replace(solved, day=11), solved]
        >>> streak_of(rows, 14), streak_of(rows, 15)
        (DailyStreak(current=2, best=2), DailyStreak(current=0, best=2))
    """
    length = best = 0
    last: int | None = None
    for row in sorted(rows, key=lambda row: row.day):
        if row.won is None or row.decided_at is None:
            continue
        is_solved = bool(row.won) and day_of(row.decided_at) < row.day + SOLVED_WITHIN
        length = length + 1 if is_solved and last == row.day - 1 else int(is_solved)
        best, last = max(best, length), row.day
    is_alive = last is not None and today <= last + SOLVED_WITHIN
    return DailyStreak(length if is_alive else 0, best)


class NoPuzzlesError(PlayerError):
    """There are no puzzles of a variant, or of a theme in it."""

    def __init__(self, name: Sentence | str, known: Collection[str]) -> None:
        first, *others = [VARIANTS[key].name for key in known]
        listed = first
        for each in others:
            listed = say("{listed}, {name}", listed=listed, name=each)
        words = say("There are no such puzzles of {variant} yet. There are puzzles of: {variants}.")
        super().__init__(words.format(variant=name, variants=listed))


class AllTriedError(PlayerError):
    """Somebody has tried every puzzle of a kind."""

    sentence = say(
        "You have tried every puzzle of this kind: pick another theme or variant with `/puzzle`."
    )


class NoRoundError(PlayerError):
    """A button belongs to a puzzle that its user was never given, or that is gone."""

    sentence = say("This is not a puzzle of yours: `/puzzle` gives you one.")


def choose(
    puzzles: Sequence[Puzzle],
    ratings: Mapping[str, float],
    target: float,
    rng: random.Random,
) -> Puzzle:
    """Return one of the puzzles that are about as hard as `target`, a rating.

    `ratings` has those that tries have changed, by the puzzle's id.
    """

    def distance(puzzle: Puzzle) -> float:
        return abs(ratings.get(puzzle.id, puzzle.rating) - target)

    return rng.choice(sorted(puzzles, key=distance)[:NEAREST])


def note_try(found: Round, made: Try, turn: int) -> Round:
    """Return an attempt after a try, with `turn` of the moves found."""
    row, daily = replace(found.row, found=max(turn, found.row.found)), found.daily
    if daily is not None:
        tries, is_help = daily.row.tries, made in (Try.HINT, Try.SOLUTION)
        is_solved = found.turn == found.puzzle.turns
        is_over = is_solved or Try.SOLUTION in tries or len(tries) == MOST_TRIES
        if not is_over and not (is_help and tries.endswith(made)):
            tries += made
        daily = replace(daily, row=replace(daily.row, found=turn, tries=tries))
    return replace(found, row=row, daily=daily)


def decide(found: Round, *, is_won: bool, now: datetime) -> Round:
    """Return an open attempt as decided, with both ratings after it.

    The ratings stay as they are if the puzzle of a day had been tried before.
    """
    if found.daily is not None:
        ended = replace(found.daily.row, won=int(is_won), decided_at=now)
        found = replace(found, daily=replace(found.daily, row=ended))
        if found.row.won is not None:
            return found
    solver, rated, score = found.solver, found.rated, float(is_won)
    before, hardness = Rating.of(solver.at(now)), Rating.of(rated)
    elapsed = now - (solver.last_at or now)
    after = glicko.after_game(Rating.of(solver), hardness, score, elapsed)
    harder = glicko.after_game(hardness, before, 1 - score, timedelta(0))
    change = max(-MOST_PUZZLE_CHANGE, min(harder.value - rated.value, MOST_PUZZLE_CHANGE))
    harder = replace(harder, value=rated.value + change)
    return replace(
        found,
        row=replace(
            found.row,
            won=int(is_won),
            decided_at=now,
            value_before=solver.value,
            value_after=after.value,
        ),
        solver=replace(
            solver,
            **asdict(after),
            rounds=solver.rounds + 1,
            solved=solver.solved + is_won,
            last_at=now,
        ),
        rated=replace(rated, **asdict(harder), plays=rated.plays + 1),
    )
