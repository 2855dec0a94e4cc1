"""Attempts at puzzles, and the ratings of those who make them and of the puzzles."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from sqlalchemy import insert, select

from bot.model.puzzles import (
    AllTriedError,
    NoRoundError,
    PuzzleRow,
    Round,
    RoundRow,
    SolverRow,
    choose,
    decide,
)
from bot.storage.preferences import save_player
from bot.storage.ratings import read_as
from bot.storage.schema import puzzle, puzzle_player, puzzle_round
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
    """Return how well somebody solves puzzles; None before the first one."""
    wanted = select(puzzle_player).where(puzzle_player.c.player_id == player_id)
    return next(iter(read_as(connection, SolverRow, wanted)), None)


def begin(
    connection: Connection,
    person: Person,
    wanted: Wanted,
    puzzles: Sequence[Puzzle],
    *,
    resume: bool,
    rng: random.Random,
    now: datetime,
) -> tuple[Puzzle, Round]:
    """Give somebody a puzzle: with `resume` one they have left, else one they have not seen.

    Args:
        connection: Of the transaction.
        person: Who.
        wanted: What was asked for.
        puzzles: All that fit it.
        resume: Whether one that is open still will do.
        rng: Decides between puzzles that will do.
        now: When.

    Raises:
        AllTriedError: If every attempt at them is decided.
    """
    known = {each.id: each for each in puzzles}
    seen = select(puzzle_round).where(
        puzzle_round.c.player_id == person.id, puzzle_round.c.variant_key == wanted.variant_key
    )
    rows = read_as(connection, RoundRow, seen.order_by(puzzle_round.c.begun_at.desc()))
    tried = {row.puzzle_id for row in rows}
    fresh = [each for each in puzzles if each.id not in tried]
    left = [row for row in rows if row.won is None and row.puzzle_id in known]
    if left and (resume or not fresh):
        return known[left[0].puzzle_id], _whole(connection, left[0], known[left[0].puzzle_id])
    if not fresh:
        raise AllTriedError
    solver = find_solver(connection, person.id) or SolverRow(player_id=person.id)
    ratings = select(puzzle.c.puzzle_id, puzzle.c.value)
    changed = connection.execute(ratings.where(puzzle.c.variant_key == wanted.variant_key))
    chosen = choose(
        fresh,
        {row.puzzle_id: row.value for row in changed},
        solver.value + wanted.difficulty.points,
        rng,
    )
    row = RoundRow(
        player_id=person.id,
        variant_key=wanted.variant_key,
        puzzle_id=chosen.id,
        begun_at=now,
    )
    save_player(connection, player_id=person.id, name=person.name, seen_at=now)
    connection.execute(insert(puzzle_round), asdict(row))
    return chosen, _whole(connection, row, chosen)


def load_round(connection: Connection, player_id: int, key: str, given: Puzzle) -> Round:
    """Return somebody's attempt at a puzzle.

    Raises:
        NoRoundError: If they were never given it.
    """
    wanted = select(puzzle_round).where(
        puzzle_round.c.player_id == player_id,
        puzzle_round.c.variant_key == key,
        puzzle_round.c.puzzle_id == given.id,
    )
    rows = read_as(connection, RoundRow, wanted)
    if not rows:
        raise NoRoundError
    return _whole(connection, rows[0], given)


def try_move(
    connection: Connection,
    player_id: int,
    key: str,
    given: Puzzle,
    *,
    turn: int,
    move: Cell,
    now: datetime,
) -> tuple[Round, Attempt]:
    """Store a move of an attempt and what it decides; return both as they are then.

    A move of another turn than the one that is to be found next changes nothing.

    Raises:
        IllegalMoveError: If the rules refuse it.
        NoRoundError: If they were never given the puzzle.
    """
    found = load_round(connection, player_id, key, given)
    tried = given.solution[: 2 * found.row.found : 2]
    if turn != found.row.found or found.row.found == given.turns:
        return found, given.attempt(tried)
    attempt = given.attempt((*tried, move))
    if attempt.is_right:
        done = given.turns if attempt.is_solved else turn + 1
        found = replace(found, row=replace(found.row, found=done))
    if found.row.won is None and (attempt.is_solved or not attempt.is_right):
        found = decide(found, is_won=attempt.is_solved, now=now)
        _store_ratings(connection, found)
    _store(connection, found.row)
    return found, attempt


def give_up(
    connection: Connection, player_id: int, key: str, given: Puzzle, *, now: datetime
) -> Round:
    """Decide an attempt that is open still, by a hint or a look at the solution.

    Raises:
        NoRoundError: If they were never given the puzzle.
    """
    found = load_round(connection, player_id, key, given)
    if found.row.won is None:
        found = decide(found, is_won=False, now=now)
        _store_ratings(connection, found)
        _store(connection, found.row)
    return found


def _whole(connection: Connection, row: RoundRow, given: Puzzle) -> Round:
    wanted = select(puzzle).where(
        puzzle.c.variant_key == row.variant_key, puzzle.c.puzzle_id == row.puzzle_id
    )
    new = PuzzleRow(variant_key=row.variant_key, puzzle_id=row.puzzle_id, value=float(given.rating))
    rated = next(iter(read_as(connection, PuzzleRow, wanted)), new)
    solver = find_solver(connection, row.player_id) or SolverRow(player_id=row.player_id)
    return Round(row=row, solver=solver, rated=rated)


def _store_ratings(connection: Connection, found: Round) -> None:
    rated, solver = asdict(found.rated), asdict(found.solver)
    key = {name: rated.pop(name) for name in ("variant_key", "puzzle_id")}
    upsert(connection, puzzle, key, rated)
    upsert(connection, puzzle_player, {"player_id": solver.pop("player_id")}, solver)


def _store(connection: Connection, row: RoundRow) -> None:
    values = asdict(row)
    key = {name: values.pop(name) for name in ("player_id", "variant_key", "puzzle_id")}
    upsert(connection, puzzle_round, key, values)
