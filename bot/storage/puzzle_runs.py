"""Runs through puzzles, races, and the leaderboards of both."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import func, insert, select, update

from bot.model.puzzle_runs import (
    COUNTDOWN_SECONDS,
    LOBBY_SECONDS,
    MOST_RACERS,
    AloneError,
    Bests,
    NoRaceError,
    NoRunError,
    NotHostError,
    NotStartedError,
    RaceClosedError,
    RaceRow,
    RunKind,
    RunPlace,
    RunRow,
    RunStep,
    fitted,
    line_of,
    play,
    week_of,
)
from bot.storage.preferences import save_player
from bot.storage.ratings import find_as, read_as, store_row
from bot.storage.schema import player, puzzle_race, puzzle_run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection, Table

    from bot.model.match import Person
    from engine import Cell, Puzzle


def begin_run(connection: Connection, person: Person, run: RunRow) -> RunRow:
    """Store a new run, or return the one of its kind that its player has not finished."""
    wanted = select(puzzle_run).where(
        puzzle_run.c.player_id == run.player_id,
        puzzle_run.c.kind == run.kind,
        puzzle_run.c.race_id.is_(None),
    )
    last = find_as(connection, RunRow, wanted.order_by(puzzle_run.c.id.desc()).limit(1))
    if last is None or last.is_over(run.begun_at):
        return _begin(connection, person, run)
    if last.moves:
        return last
    # Nothing has been done in it: it counts where and when it is really begun.
    return _store(connection, replace(last, guild_id=run.guild_id, begun_at=run.begun_at))


def load_run(connection: Connection, player_id: int, run_id: int) -> RunRow:
    """Return somebody's run.

    Raises:
        NoRunError: If they have none of this number.
    """
    wanted = select(puzzle_run).where(
        puzzle_run.c.id == run_id, puzzle_run.c.player_id == player_id
    )
    run = find_as(connection, RunRow, wanted)
    if run is None:
        raise NoRunError
    return run


def press(
    connection: Connection,
    player_id: int,
    run_id: int,
    puzzles: Sequence[Puzzle],
    *,
    puzzle_id: str,
    turn: int,
    move: Cell | None,
    at: datetime,
) -> tuple[RunRow, RunStep | None]:
    """Store a move of a run, None to skip the right one; with what it did, None if nothing.

    Nothing changes if the puzzle and the turn that the button was made for are not the current
    ones. `at` is when Discord received the press.

    Raises:
        IllegalMoveError: If the rules refuse it.
        NoRunError: If they have no run of this number.
        NotStartedError: If the race has not started.
    """
    run = load_run(connection, player_id, run_id)
    if run.is_over(at):
        return run, None
    if not run.has_begun(at):
        raise NotStartedError
    line = line_of(puzzles, run)
    run = fitted(run, line)
    if (puzzle_id, turn) != (line[run.place].id, run.found) or (move is None and not run.can_skip):
        return run, None
    run, step = play(run, line, move, at)
    return _store(connection, run), step


def end_run(connection: Connection, player_id: int, run_id: int, at: datetime) -> RunRow:
    """End a run before its time; one that is over, or in a race, stays as it is.

    Raises:
        NoRunError: If they have none of this number.
    """
    run = load_run(connection, player_id, run_id)
    if run.is_over(at) or run.race_id is not None:
        return run
    return _store(connection, replace(run, ends_at=at))


def load_bests(connection: Connection, player_id: int, kind: str, at: datetime) -> Bests:
    """Return somebody's best scores of a kind: of this day and week in UTC, and ever."""
    best = func.coalesce(func.max(puzzle_run.c.score), 0)
    wanted = select(best).where(puzzle_run.c.player_id == player_id, puzzle_run.c.kind == kind)
    day = at.replace(hour=0, minute=0, second=0, microsecond=0)
    since = [wanted.where(puzzle_run.c.begun_at >= each) for each in (day, week_of(at))]
    found = [connection.execute(each).scalar_one() for each in (*since, wanted)]
    return Bests(day=found[0], week=found[1], ever=found[2])


@dataclass(frozen=True, slots=True, kw_only=True)
class RunBoard:
    """A leaderboard: everybody's best run of a kind that was begun in a server in some period.

    Attributes:
        since: When the period begins; None for all time.
        until: When it ends.
    """

    guild_id: int
    kind: str
    since: datetime | None
    until: datetime


def list_places(
    connection: Connection,
    board: RunBoard,
    *,
    first: int,
    limit: int,
    player_id: int | None = None,
) -> list[RunPlace]:
    """Return at most `limit` entries from number `first` on; of `player_id` alone if given."""
    best = func.max(puzzle_run.c.score)
    places = (
        select(
            func.rank().over(order_by=best.desc()).label("rank"),
            puzzle_run.c.player_id,
            player.c.name,
            best.label("score"),
        )
        .join(player)
        .where(
            puzzle_run.c.guild_id == board.guild_id,
            puzzle_run.c.kind == board.kind,
            puzzle_run.c.begun_at < board.until,
            puzzle_run.c.score > 0,
        )
        .group_by(puzzle_run.c.player_id, player.c.name)
    )
    if board.since is not None:
        places = places.where(puzzle_run.c.begun_at >= board.since)
    ranked = places.subquery()
    wanted = select(ranked).order_by(ranked.c.rank, ranked.c.player_id)
    if player_id is not None:
        wanted = wanted.where(ranked.c.player_id == player_id)
    return read_as(connection, RunPlace, wanted.offset(first).limit(limit))


def open_race(
    connection: Connection,
    person: Person,
    *,
    guild_id: int,
    channel_id: int,
    seed: int,
    at: datetime,
) -> tuple[RaceRow, RunRow]:
    """Store a new race, with its host in it."""
    starts_at = at + timedelta(seconds=LOBBY_SECONDS)
    race = RaceRow(guild_id=guild_id, channel_id=channel_id, seed=seed, starts_at=starts_at)
    race = replace(race, id=_insert(connection, puzzle_race, race))
    return race, _enter(connection, race, person, at)


def join_race(
    connection: Connection, race_id: int, person: Person, at: datetime
) -> tuple[RaceRow, RunRow]:
    """Put somebody into a race that has not started, or find them in it.

    The race starts in a moment once it is full.

    Raises:
        NoRaceError: If there is no such race.
        RaceClosedError: If it has started without them, or is full.
    """
    race, racers = load_race(connection, race_id)
    for run, _name in racers:
        if run.player_id == person.id:
            return race, run
    if at >= race.starts_at or len(racers) >= MOST_RACERS:
        raise RaceClosedError
    run = _enter(connection, race, person, at)
    if len(racers) + 1 == MOST_RACERS:
        race = _start(connection, race, at)
    return race, load_run(connection, person.id, run.id)


def start_race(connection: Connection, race_id: int, player_id: int, at: datetime) -> RaceRow:
    """Let a race start in a moment, as its host asks; one that has started stays as it is.

    Raises:
        AloneError: If nobody else is in it.
        NoRaceError: If there is no such race.
        NotHostError: If somebody else is its host.
    """
    race, racers = load_race(connection, race_id)
    if not racers or racers[0][0].player_id != player_id:
        raise NotHostError
    if len(racers) == 1:
        raise AloneError
    return _start(connection, race, at)


def _start(connection: Connection, race: RaceRow, at: datetime) -> RaceRow:
    starts_at = at + timedelta(seconds=COUNTDOWN_SECONDS)
    if starts_at >= race.starts_at:
        return race
    race = replace(race, starts_at=starts_at)
    change_race(connection, race.id, starts_at=starts_at)
    connection.execute(
        update(puzzle_run).where(puzzle_run.c.race_id == race.id).values(ends_at=race.ends_at)
    )
    return race


def load_race(connection: Connection, race_id: int) -> tuple[RaceRow, list[tuple[RunRow, str]]]:
    """Return a race, and its runs with the names of their players, in the order they joined.

    Raises:
        NoRaceError: If there is no such race.
    """
    race = find_as(connection, RaceRow, select(puzzle_race).where(puzzle_race.c.id == race_id))
    if race is None:
        raise NoRaceError
    wanted = select(puzzle_run).where(puzzle_run.c.race_id == race_id).order_by(puzzle_run.c.id)
    runs = read_as(connection, RunRow, wanted)
    among = player.c.id.in_([run.player_id for run in runs])
    found = connection.execute(select(player.c.id, player.c.name).where(among))
    names = {row.id: row.name for row in found}
    return race, [(run, names[run.player_id]) for run in runs]


def list_untold_races(connection: Connection) -> list[RaceRow]:
    """Return the races whose result has not been shown."""
    untold = select(puzzle_race).where(puzzle_race.c.is_told == 0)
    return read_as(connection, RaceRow, untold.order_by(puzzle_race.c.id))


def change_race(connection: Connection, /, race_id: int, **values: object) -> None:
    """Change columns of a race."""
    connection.execute(update(puzzle_race).where(puzzle_race.c.id == race_id).values(values))


def _enter(connection: Connection, race: RaceRow, person: Person, at: datetime) -> RunRow:
    run = RunRow(
        player_id=person.id,
        kind=RunKind.RACE,
        seed=race.seed,
        guild_id=race.guild_id,
        race_id=race.id,
        begun_at=at,
        ends_at=race.ends_at,
    )
    return _begin(connection, person, run)


def _begin(connection: Connection, person: Person, run: RunRow) -> RunRow:
    save_player(connection, player_id=person.id, name=person.name, seen_at=run.begun_at)
    return replace(run, id=_insert(connection, puzzle_run, run))


def _insert(connection: Connection, table: Table, row: RunRow | RaceRow) -> int:
    """Insert a row, and return the number that the database has given it."""
    values = asdict(row)
    del values["id"]
    return int(connection.execute(insert(table).returning(table.c.id), values).scalar_one())


def _store(connection: Connection, run: RunRow) -> RunRow:
    store_row(connection, puzzle_run, run)
    return run
