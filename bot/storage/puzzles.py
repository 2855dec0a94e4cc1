"""Attempts at puzzles, including daily ones, and the ratings of people and puzzles."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from sqlalchemy import func, insert, or_, select, update

from bot.model.puzzles import (
    DAILY_VARIANT,
    SOLVED_WITHIN,
    AllTriedError,
    Daily,
    DailyRow,
    DailyStreak,
    NoRoundError,
    PuzzleRow,
    Round,
    RoundRow,
    SolverRow,
    Try,
    Turnout,
    choose,
    day_of,
    decide,
    note_try,
    streak_of,
)
from bot.storage.preferences import save_player
from bot.storage.ratings import find_as, read_as, store_row
from bot.storage.schema import daily_puzzle, daily_round, puzzle, puzzle_player, puzzle_round
from bot.storage.writer import upsert

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from bot.model.match import Person
    from bot.model.puzzles import Wanted
    from engine import Attempt, Cell, Puzzle


def find_solver(connection: Connection, player_id: int) -> SolverRow | None:
    """Return somebody's puzzle rating; None before the first puzzle."""
    wanted = select(puzzle_player).where(puzzle_player.c.player_id == player_id)
    return find_as(connection, SolverRow, wanted)


def begin(
    connection: Connection,
    person: Person,
    wanted: Wanted,
    puzzles: Sequence[Puzzle],
    *,
    resume: bool,
    rng: random.Random,
    now: datetime,
) -> Round:
    """Give somebody one of some puzzles: with `resume` an open attempt will do, else a new one.

    Raises:
        AllTriedError: If every attempt at them is decided.
    """
    reserved = _daily_ids(connection, person.id, now) if wanted.variant_key == DAILY_VARIANT else ()
    known = {each.id: each for each in puzzles if each.id not in reserved}
    seen = select(puzzle_round).where(
        puzzle_round.c.player_id == person.id, puzzle_round.c.variant_key == wanted.variant_key
    )
    rows = read_as(connection, RoundRow, seen.order_by(puzzle_round.c.begun_at.desc()))
    tried = {row.puzzle_id for row in rows}
    fresh = [each for each in known.values() if each.id not in tried]
    left = [row for row in rows if row.won is None and row.puzzle_id in known]
    if left and (resume or not fresh):
        return _whole(connection, left[0], known[left[0].puzzle_id])
    if not fresh:
        raise AllTriedError
    solver = find_solver(connection, person.id) or SolverRow(player_id=person.id)
    ratings = select(puzzle.c.puzzle_id, puzzle.c.value)
    changed = connection.execute(ratings.where(puzzle.c.variant_key == wanted.variant_key))
    target = solver.value + wanted.difficulty.points
    chosen = choose(fresh, {row.puzzle_id: row.value for row in changed}, target, rng)
    row = _new_row(person.id, chosen, now)
    save_player(connection, player_id=person.id, name=person.name, seen_at=now)
    connection.execute(insert(puzzle_round), asdict(row))
    return _whole(connection, row, chosen)


def load_round(
    connection: Connection, player_id: int, given: Puzzle, day: int | None = None, *, now: datetime
) -> Round:
    """Return somebody's attempt at a puzzle; as the puzzle of a day if `day` is given.

    Raises:
        NoRoundError: If they were never given it.
    """
    wanted = select(puzzle_round).where(
        puzzle_round.c.player_id == player_id,
        puzzle_round.c.variant_key == given.rules.key,
        puzzle_round.c.puzzle_id == given.id,
    )
    row = find_as(connection, RoundRow, wanted)
    daily = None if day is None else _find_daily(connection, player_id, day, now)
    if (row if day is None else daily) is None:
        raise NoRoundError
    row = row or _new_row(player_id, given, now if daily is None else daily.row.begun_at)
    return replace(_whole(connection, row, given), daily=daily)


def try_move(
    connection: Connection,
    player_id: int,
    given: Puzzle,
    *,
    turn: int,
    move: Cell,
    day: int | None = None,
    now: datetime,
) -> tuple[Round, Attempt]:
    """Store a move of an attempt and what it decides; return the round and the attempt after it.

    A move for any turn but the next one to be found changes nothing.

    Raises:
        IllegalMoveError: If the rules refuse it.
        NoRoundError: If they were never given the puzzle.
    """
    found = load_round(connection, player_id, given, day, now=now)
    if turn != found.turn or found.turn == given.turns:
        return found, given.attempt(found.tried)
    attempt = given.attempt((*found.tried, move))
    if attempt.is_right:
        done = given.turns if attempt.is_solved else turn + 1
        found = note_try(found, Try.RIGHT, done)
    else:
        found = note_try(found, Try.WRONG, turn)
    is_decided = attempt.is_solved or not attempt.is_right
    won = attempt.is_solved if is_decided else None
    return _store(connection, found, won=won, now=now), attempt


def give_up(
    connection: Connection,
    player_id: int,
    given: Puzzle,
    *,
    made: Try,
    day: int | None = None,
    now: datetime,
) -> Round:
    """Decide an open attempt as not solved, after a hint or a look at the solution.

    Raises:
        NoRoundError: If they were never given the puzzle.
    """
    found = load_round(connection, player_id, given, day, now=now)
    return _store(connection, note_try(found, made, found.turn), won=False, now=now)


def _store(connection: Connection, found: Round, *, won: bool | None, now: datetime) -> Round:
    """Store an attempt, decided as `won` says unless it was already; return its new state."""
    row = found.row
    if won is not None and found.won is None:
        found = decide(found, is_won=won, now=now)
        if row.won is None:
            store_row(connection, puzzle, found.rated)
            store_row(connection, puzzle_player, found.solver)
    day = None
    if found.daily is not None:
        day = found.daily.row.day
        store_row(connection, daily_round, found.daily.row)
    if found.daily is None or found.row.won is not None:
        store_row(connection, puzzle_round, found.row)
    return load_round(connection, row.player_id, found.puzzle, day, now=now)


# Daily puzzles.


def find_puzzle_of(connection: Connection, day: int) -> str | None:
    """Return the id of a day's puzzle; None if it was not needed yet."""
    wanted = select(daily_puzzle.c.puzzle_id).where(daily_puzzle.c.day == day)
    return connection.execute(wanted).scalar()


def choose_puzzle_of(connection: Connection, day: int, ids: Sequence[str]) -> str:
    """Return the id of a day's puzzle, chosen and remembered if it was not needed yet.

    `ids` are all puzzles, in an order that is the same everywhere. They take turns in this order;
    if some were added since, none that was used within as many days comes again.
    """
    known = find_puzzle_of(connection, day)
    if known is not None and known in ids:
        return known
    near = daily_puzzle.c.day.between(day - len(ids) + 1, day + len(ids) - 1)
    used = set(connection.execute(select(daily_puzzle.c.puzzle_id).where(near)).scalars())
    first = day % len(ids)
    turns = [*ids[first:], *ids[:first]]
    chosen = next((each for each in turns if each not in used), turns[0])
    upsert(connection, daily_puzzle, {"day": day}, {"puzzle_id": chosen})
    return chosen


def begin_daily(
    connection: Connection, person: Person, given: Puzzle, day: int, *, now: datetime
) -> Round:
    """Give somebody the puzzle of a day, or return their attempt at it."""
    _enter(connection, person, DailyRow(player_id=person.id, day=day, begun_at=now))
    return load_round(connection, person.id, given, day, now=now)


def answer_daily(
    connection: Connection, person: Person, given: Puzzle, day: int, *, now: datetime
) -> Round:
    """Let somebody see the solution of a day's puzzle, which they can no longer solve after that.

    It is rated only if they have begun it.
    """
    seen = DailyRow(
        player_id=person.id, day=day, begun_at=now, won=0, decided_at=now, tries=Try.SOLUTION
    )
    _enter(connection, person, seen)
    found = load_round(connection, person.id, given, day, now=now)
    if found.won is not None:
        return found
    return give_up(connection, person.id, given, made=Try.SOLUTION, day=day, now=now)


def _enter(connection: Connection, person: Person, row: DailyRow) -> None:
    """Store an attempt at the puzzle of a day unless there is one."""
    save_player(connection, player_id=person.id, name=person.name, seen_at=row.begun_at)
    if not _list_days(connection, person.id, row.day):
        connection.execute(insert(daily_round), asdict(row))


def claim_share(connection: Connection, player_id: int, day: int, now: datetime | None) -> bool:
    """Note that an attempt is shown to others, and return True; False if there is nothing to show.

    It can be shown only once; `now` is None if it was not shown after all.
    """
    rows = _list_days(connection, player_id, day)
    if not rows or (now is not None and not rows[0].is_shareable):
        return False
    this = (daily_round.c.player_id == player_id) & (daily_round.c.day == day)
    connection.execute(update(daily_round).where(this).values(shared_at=now))
    return True


def load_turnout(connection: Connection, day: int) -> Turnout:
    """Return how many people solved the puzzle of a day; those who only looked do not count."""
    counted = select(func.coalesce(func.sum(daily_round.c.won), 0), func.count(daily_round.c.won))
    is_meant = (daily_round.c.day == day) & (daily_round.c.tries != Try.SOLUTION)
    solved, tried = connection.execute(counted.where(is_meant)).one()
    return Turnout(solved, tried)


def load_streak(connection: Connection, player_id: int, now: datetime) -> DailyStreak | None:
    """Return somebody's streak of daily puzzles; None if they never tried one."""
    rows = _list_days(connection, player_id)
    return streak_of(rows, day_of(now)) if rows else None


def _find_daily(connection: Connection, player_id: int, day: int, now: datetime) -> Daily | None:
    rows = _list_days(connection, player_id)
    row = next((each for each in rows if each.day == day), None)
    if row is None:
        return None
    return Daily(
        row=row,
        streak=streak_of(rows, day_of(now)),
        turnout=load_turnout(connection, day),
        is_late=day_of(row.decided_at or now) >= day + SOLVED_WITHIN,
    )


def _list_days(connection: Connection, player_id: int, day: int | None = None) -> list[DailyRow]:
    wanted = select(daily_round).where(daily_round.c.player_id == player_id)
    return read_as(
        connection, DailyRow, wanted if day is None else wanted.where(daily_round.c.day == day)
    )


def _daily_ids(connection: Connection, player_id: int, now: datetime) -> set[str]:
    """Return the puzzles not to give somebody: current daily ones, and daily ones they have had."""
    own = select(daily_round.c.day).where(daily_round.c.player_id == player_id)
    is_open = daily_puzzle.c.day > day_of(now) - SOLVED_WITHIN
    wanted = select(daily_puzzle.c.puzzle_id).where(or_(is_open, daily_puzzle.c.day.in_(own)))
    return set(connection.execute(wanted).scalars())


def _new_row(player_id: int, given: Puzzle, begun_at: datetime) -> RoundRow:
    key = given.rules.key
    return RoundRow(player_id=player_id, variant_key=key, puzzle_id=given.id, begun_at=begun_at)


def _whole(connection: Connection, row: RoundRow, given: Puzzle) -> Round:
    wanted = select(puzzle).where(
        puzzle.c.variant_key == row.variant_key, puzzle.c.puzzle_id == row.puzzle_id
    )
    new = PuzzleRow(variant_key=row.variant_key, puzzle_id=row.puzzle_id, value=float(given.rating))
    rated = find_as(connection, PuzzleRow, wanted) or new
    solver = find_solver(connection, row.player_id) or SolverRow(player_id=row.player_id)
    return Round(puzzle=given, row=row, solver=solver, rated=rated)
