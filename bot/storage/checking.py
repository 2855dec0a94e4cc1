"""Finds what is broken in a database: compares data stored twice, and replays every match.

Nothing is changed. What remains after data was deleted or the bot left a server is not broken.
"""

from __future__ import annotations

from collections import defaultdict
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Column, func, select, text
from sqlalchemy.exc import DatabaseError

from bot.model.explorer import TOTALLED, opening_moves_of
from bot.model.match import MatchStatus, is_stand_in
from bot.model.notices import NewsKind
from bot.model.ratings import pools
from bot.model.ratings.glicko import Rating
from bot.model.ratings.values import RatingRow
from bot.storage import files
from bot.storage.erasures import find_still_stored, load_noted
from bot.storage.explorer import list_entered
from bot.storage.matches import BrokenRecordError, MatchRow, Shown, list_matches, to_match
from bot.storage.outbox import OutboxKind
from bot.storage.ratings import read_as
from bot.storage.schema import (
    match,
    news,
    opening_move,
    opening_total,
    outbox,
    rating,
    rating_change,
    screen,
)
from engine.records import EndReason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from sqlalchemy import Connection

    from bot.model.match import Match

_PORTION: Final = 500
"""How many matches are in memory at a time."""

# Each sentence is reported for every row that its query returns.
_WRONG: Final = {
    "The ply of match {} differs from its number of moves.": """
        SELECT id FROM match WHERE ply <> (SELECT count(*) FROM move WHERE match_id = match.id)""",
    "The moves of match {} are not numbered consecutively.": """
        SELECT match_id FROM move GROUP BY match_id HAVING max(ply) <> count(*) - 1""",
    "Match {} does not have two seats.": """
        SELECT id FROM match WHERE 2 <> (SELECT count(*) FROM seat WHERE match_id = match.id)""",
    "In match {} a clock runs for the computer, without a time control or after the end, or is "
    "stopped on a person's turn.": """
        SELECT id FROM match JOIN seat ON match_id = id AND side = ply % 2
        WHERE (deadline_at IS NOT NULL)
            <> (status = 'ongoing' AND clock IS NOT NULL AND player_id IS NOT NULL)""",
    "Match {} has times without a clock, or a clock without times.": """
        SELECT id FROM match WHERE (clock IS NULL) <> (left_x IS NULL)
            OR (clock IS NULL) <> (left_o IS NULL)""",
    "A reminder is due in match {} for the computer, or after the end.": """
        SELECT id FROM match JOIN seat ON match_id = id AND side = ply % 2
        WHERE remind_at IS NOT NULL AND (status <> 'ongoing' OR player_id IS NULL)""",
    "The number {1} of a {0} would be assigned again.": """
        SELECT replace(name, '_', ' '), last FROM (
            SELECT 'match' AS name, max(id) AS last FROM match
            UNION ALL SELECT 'challenge', max(id) FROM challenge
            UNION ALL SELECT 'puzzle_run', max(id) FROM puzzle_run
            UNION ALL SELECT 'puzzle_race', max(id) FROM puzzle_race)
        LEFT JOIN sqlite_sequence USING (name) WHERE last > coalesce(seq, 0)""",
    "Challenge {} is accepted, but its match does not fit it.": """
        SELECT challenge.id FROM challenge LEFT JOIN match ON match.id = match_id
        WHERE challenge.status = 'accepted' AND NOT coalesce(
            challenge.variant_key = rules AND match.rated <= challenge.rated
            AND match.clock IS challenge.clock
            AND match.previous_id IS challenge.previous_id, 0)""",
    "The board of match {} is recorded as newer than the match.": """
        SELECT match_id FROM screen JOIN match ON id = match_id WHERE shown_revision > revision""",
    "The outbox names {0} {1}, which does not exist.": """
        SELECT 'match', number FROM outbox WHERE kind NOT IN ('challenge', 'call')
            AND number NOT IN (SELECT id FROM match)
        UNION SELECT 'challenge', number FROM outbox WHERE kind IN ('challenge', 'call')
            AND number NOT IN (SELECT id FROM challenge)""",
    "News of match {} is newer than the match, or for somebody without a seat.": """
        SELECT match_id FROM news JOIN match ON match.id = match_id
        WHERE news.revision > match.revision OR NOT EXISTS (SELECT * FROM seat
            WHERE seat.match_id = match.id AND seat.player_id = news.player_id)""",
    "Player {1} was notified of match {0} without having a seat there.": """
        SELECT match_id, player_id FROM notice EXCEPT SELECT match_id, player_id FROM seat""",
    "The bot's absence from {} ended before it began.": """
        SELECT began_at FROM downtime WHERE ended_at < began_at""",
    # Except games that ended in a restored copy because somebody had left.
    "Match {} is rated and finished but has no rating record, or it has one and is not.": (
        """SELECT id FROM match WHERE (rated AND status = 'finished')
            <> EXISTS (SELECT * FROM rated_match WHERE match_id = match.id)
            AND NOT (end_reason IS 'resigned' AND EXISTS (SELECT * FROM seat
                WHERE seat.match_id = match.id AND seat.player_id <= 0))"""
    ),
    "The rating record of match {} does not agree with its end.": """
        SELECT match_id FROM rated_match JOIN match ON id = match_id
        WHERE rated_match.winner IS NOT match.winner
            OR rated_match.ended_at IS NOT match.ended_at""",
    "Match {} did not change the rating of each of its players once.": """
        SELECT match_id FROM rated_match WHERE
            (SELECT count(*) FROM rating_change AS c WHERE c.match_id = rated_match.match_id)
            <> CASE WHEN reason IS NULL THEN (first_id > 0) + coalesce(second_id > 0, 0) ELSE 0 END
        UNION SELECT match_id FROM rating_change WHERE match_id NOT IN (
            SELECT match_id FROM rated_match)
        UNION SELECT match_id FROM rating_change AS c WHERE NOT EXISTS (SELECT * FROM seat
            WHERE seat.match_id = c.match_id AND seat.player_id = c.player_id)""",
    "The rating of player {1} in {0} does not follow from their games.": """
        SELECT pool, player_id FROM (
            SELECT pool, player_id, value, deviation, volatility FROM rating EXCEPT
            SELECT pool, player_id, value_after, deviation_after, volatility_after
            FROM rating_change)
        UNION SELECT pool, player_id FROM rating WHERE abs(value - 1500 - (
            SELECT sum(value_after - value_before) FROM rating_change AS c
            WHERE c.pool = rating.pool AND c.player_id = rating.player_id)) > 1e-6""",
    "The chain of ratings of player {1} in {0} is broken.": """
        SELECT pool, player_id FROM (
            SELECT pool, player_id, value_before FROM rating_change WHERE value_before <> 1500
            EXCEPT SELECT pool, player_id, value_after FROM rating_change)
        UNION SELECT pool, player_id FROM (
            SELECT pool, player_id, value_after FROM rating_change EXCEPT
            SELECT * FROM (SELECT pool, player_id, value_before FROM rating_change
                UNION ALL SELECT pool, player_id, value FROM rating))""",
    "The rating of player {1} in {0} counts other games than have changed it.": """
        WITH played AS (
            SELECT c.pool, c.player_id, count(*) AS games, sum(winner IS seat.side) AS won,
                sum(winner IS NULL) AS drawn,
                count(DISTINCT coalesce(c.opponent_id, -c.level)) AS opponents,
                sum(c.opponent_id IS 0) AS unknown
            FROM rating_change AS c JOIN match ON match.id = c.match_id
            JOIN seat ON seat.match_id = c.match_id AND seat.player_id = c.player_id
            GROUP BY 1, 2)
        SELECT pool, player_id FROM rating AS r LEFT JOIN played AS p USING (pool, player_id)
        WHERE NOT coalesce(p.games = r.games AND p.won = r.won AND p.drawn = r.drawn
            AND r.telling BETWEEN 0 AND r.games
            AND coalesce(r.placed_after, 1) BETWEEN 1 AND r.games
            AND CASE WHEN unknown THEN r.opponents BETWEEN p.opponents AND r.games
                ELSE r.opponents = p.opponents END, 0)
        UNION SELECT pool, player_id FROM played EXCEPT SELECT pool, player_id FROM (
            SELECT pool, player_id FROM rating AS r LEFT JOIN played AS p USING (pool, player_id)
            WHERE coalesce(p.games = r.games AND p.won = r.won AND p.drawn = r.drawn, 0))""",
    "The place of player {1} on the boards of server {0} does not follow from rating and wins.": (
        """SELECT guild_id, player_id FROM guild_player AS g
        LEFT JOIN rating AS r USING (pool, player_id)
        WHERE (careful IS NOT NULL
                AND coalesce(abs(careful - (r.value - 2 * r.deviation)) > 1e-6, 1))
            OR (wins IS NULL) <> (g.games = 0)
            OR abs(wins - (g.won - (g.games - g.won - g.drawn) / 1000000.0)) > 1e-9"""
    ),
    "The puzzle rating of player {} does not follow from their attempts.": """
        SELECT player_id FROM puzzle_round LEFT JOIN puzzle_player AS p USING (player_id)
        GROUP BY player_id HAVING count(won) <> coalesce(p.rounds, 0)
            OR coalesce(sum(won) <> p.solved, 0)
            OR abs(sum(value_after - value_before) - p.value + 1500) > 1e-6
        UNION SELECT player_id FROM puzzle_player WHERE player_id NOT IN (
            SELECT player_id FROM puzzle_round)""",
    "More people have tried puzzle {1} of {0} than are counted.": """
        SELECT variant_key, puzzle_id FROM puzzle_round
        LEFT JOIN puzzle AS p USING (variant_key, puzzle_id)
        GROUP BY 1, 2 HAVING count(won) > coalesce(p.plays, 0)""",
    "The daily puzzle of player {} on day {} counts but was never rated.": """
        SELECT d.player_id, day FROM daily_round AS d LEFT JOIN daily_puzzle USING (day)
        LEFT JOIN puzzle_round AS r ON r.player_id = d.player_id AND r.variant_key = 'standard'
            AND r.puzzle_id = daily_puzzle.puzzle_id
        WHERE d.won IS NOT NULL AND d.tries <> 's' AND r.won IS NULL""",
    "The explorer's counts of move {2} in position {1} for server {0} disagree with the games.": """
        SELECT guild_id, position, move FROM opening_total AS t
        WHERE (x_wins, draws, o_wins) IS NOT (
            SELECT sum(m.winner IS 0), sum(m.winner IS NULL), sum(m.winner IS 1)
            FROM opening_move AS m JOIN match ON match.id = m.match_id
            WHERE m.position = t.position AND m.move = t.move
                AND m.against_computer = t.against_computer
                AND CASE t.guild_id WHEN 0 THEN match.guild_id NOT NULL
                    ELSE match.guild_id = t.guild_id END)""",
    "The figures of puzzle run {} contradict each other.": """
        SELECT id FROM puzzle_run AS run WHERE best_combo < combo OR moves < best_combo
            OR min(place, found, score, errors, highest, skipped) < 0
            OR (kind = 'race') <> (race_id IS NOT NULL)
            OR (race_id IS NULL AND score > min(place, moves))""",
    "Puzzle run {} does not end with its race, or has other puzzles.": """
        SELECT run.id FROM puzzle_run AS run JOIN puzzle_race AS race ON race.id = race_id
        WHERE run.seed <> race.seed OR ends_at IS NULL
            OR (ends_at <> starts_at + 90000 AND place < 40)""",
    "The number {} belongs to nobody, yet it has ratings.": """
        SELECT player_id FROM rating WHERE player_id <= 0
        UNION SELECT player_id FROM puzzle_player WHERE player_id <= 0
        UNION SELECT player_id FROM puzzle_run WHERE player_id <= 0
        UNION SELECT player_id FROM rating_change WHERE player_id <= 0
        UNION SELECT player_id FROM guild_player WHERE player_id <= 0""",
}
# For each match that may count on a server's boards: its pool, who played, and whose rating it
# changed. Keys with "=" belong to rules without a name.
_PLAYED_IN_GUILDS: Final = """
    SELECT guild_id, rules AS pool, x.player_id AS x, o.player_id AS o, winner,
        end_reason = 'resigned' AND min(x.player_id, o.player_id) <= 0 AS has_left,
        EXISTS (SELECT * FROM rating_change AS c
            WHERE c.match_id = match.id AND c.player_id = x.player_id) AS x_rated,
        EXISTS (SELECT * FROM rating_change AS c
            WHERE c.match_id = match.id AND c.player_id = o.player_id) AS o_rated
    FROM match JOIN seat AS x ON x.match_id = match.id AND x.side = 0
    JOIN seat AS o ON o.match_id = match.id AND o.side = 1
    WHERE guild_id IS NOT NULL AND status = 'finished' AND rules NOT LIKE '%=%'
    ORDER BY guild_id, ended_at DESC, match.id DESC"""
_GUILD_PLAYERS: Final = """
    SELECT guild_id, pool, player_id, games, won, drawn, careful IS NOT NULL FROM guild_player"""
_KINDS: Final[dict[Column[str], type[StrEnum]]] = {
    match.c.status: MatchStatus,
    screen.c.shown_as: Shown,
    outbox.c.kind: OutboxKind,
    news.c.kind: NewsKind,
}


def check_file(path: Path) -> list[str]:
    """Return what is broken in a database file with the current tables, as sentences.

    The bot may be running. 100,000 matches take 80 seconds.
    """
    with files.reading(path) as connection:
        return list(check(connection))


def check(connection: Connection) -> Iterator[str]:
    """Yield what is broken, as sentences: first the file, then rows, then matches."""
    try:
        for verdict in connection.execute(text("PRAGMA integrity_check")).scalars():
            if verdict != "ok":
                yield f"The file is damaged: {' '.join(verdict.split())}."
        for row in connection.execute(text("PRAGMA foreign_key_check")):
            yield f"A row of {row[0]} refers to a row of {row[2]} that does not exist."
        for sentence, query in _WRONG.items():
            for row in connection.execute(text(query)):
                yield sentence.format(*row)
        for column, kinds in _KINDS.items():
            for kind in connection.execute(select(column).where(column.not_in(kinds)).distinct()):
                yield f"A {column} is {kind[0]!r}, which is unknown."
        yield from _check_leaderboards(connection)
        yield from _check_guilds(connection)
        yield from _check_erasures(connection)
        yield from _check_matches(connection)
    except DatabaseError as error:
        yield f"The file cannot be read: {error.orig}."
    except (OverflowError, TypeError, ValueError) as error:
        yield f"A row cannot be read: {error}."


def _check_matches(connection: Connection) -> Iterator[str]:
    """Replay every match by its rules, and compare it with its rows.

    Also with its moves that the explorer counts: none if it ended before there was an explorer.
    """
    moves = summed = 0
    numbers = connection.execute(select(match.c.id).order_by(match.c.id)).scalars().all()
    for start in range(0, len(numbers), _PORTION):
        for row in list_matches(connection, numbers[start : start + _PORTION]):
            try:
                found = to_match(row)
            except BrokenRecordError as error:
                yield f"{str(error)[0].upper()}{str(error)[1:]}."
                continue
            yield from _check_match(row, found)
            wanted = opening_moves_of(found)
            positions = [each.position for each in wanted]
            counted = list_entered(connection, row.id, positions) if wanted else set()
            if counted and counted != set(wanted):
                yield f"The explorer counts other moves of match {row.id} than were played."
            moves += len(counted)
            summed += 2 * TOTALLED if counted and row.guild_id is not None else 0
    if connection.execute(select(func.count()).select_from(opening_move)).scalar() != moves:
        yield "The explorer counts moves that belong to no finished match."
    totals = opening_total.c.x_wins + opening_total.c.draws + opening_total.c.o_wins
    if (connection.execute(select(func.sum(totals))).scalar() or 0) != summed:
        yield "The explorer's sums leave out games, or count them twice."


def _check_match(row: MatchRow, found: Match) -> Iterator[str]:
    outcome, winner = found.outcome, row.winner
    is_over = row.status != MatchStatus.ONGOING
    if is_over != (row.end_reason is not None) or is_over != (row.ended_at is not None):
        yield f"Match {row.id} is {row.status}, with the end reason {row.end_reason!r}."
    if (outcome is not None) != (found.end_reason is EndReason.BOARD):
        ended = "not ended" if outcome is None else "ended"
        yield f"Match {row.id} has {ended} on the board, but {row.end_reason!r} is stored."
    if found.end_reason is EndReason.BOARD and outcome is not None:
        has_winner = winner == outcome.winner
    else:
        is_decided = found.end_reason in (EndReason.RESIGNED, EndReason.TIME)
        has_winner = is_decided == (winner is not None)
    if not has_winner:
        yield f"Match {row.id} has the winner {winner!r}, which does not fit its end."
    if row.to_move != found.side_to_move:
        yield f"Match {row.id} waits for side {row.to_move!r} instead of {found.side_to_move!r}."


def _check_leaderboards(connection: Connection) -> Iterator[str]:
    """Check for every rating whether it is listed for as long as it should be."""
    last = connection.execute(select(func.max(rating_change.c.changed_at))).scalar()
    for row in read_as(connection, RatingRow, select(rating)):
        current = Rating(value=row.value, deviation=row.deviation, volatility=row.volatility)
        until = pools.listed_until(
            current,
            games=row.games,
            opponents=row.opponents,
            telling=row.telling,
            last_game_at=row.last_game_at,
        )
        # Players whose time is over leave the leaderboard with the next rated match.
        may_be_gone = until is None or last is None or until <= last
        if row.listed_until != until and not (row.listed_until is None and may_be_gone):
            yield f"Player {row.player_id} is on the leaderboard of {row.pool} for the wrong time."


_Key = tuple[str, int]
_Counts = tuple[int, int, int, bool]
_NOTHING: Final[_Counts] = (0, 0, 0, False)


def _check_guilds(connection: Connection) -> Iterator[str]:
    """Recount what was played in each server.

    A server that the bot has left is forgotten; if the bot comes back, counting starts then. So
    the boards have to fit all of its games, or all that ended after some instant.
    """
    stored: defaultdict[int, dict[_Key, _Counts]] = defaultdict(dict)
    for guild_id, pool, player_id, *counts, is_rated in connection.execute(text(_GUILD_PLAYERS)):
        stored[guild_id][pool, player_id] = (*counts, bool(is_rated))
    played: defaultdict[int, list[Any]] = defaultdict(list)
    for row in connection.execute(text(_PLAYED_IN_GUILDS)):
        played[row.guild_id].append(row)
    for guild_id, rows in stored.items():
        differing = _differing(rows, played[guild_id])
        for pool, player_id in sorted(differing):
            yield (
                f"The boards of server {guild_id} count other games of {pool} than player "
                f"{player_id} has played there."
            )


def _differing(rows: dict[_Key, _Counts], played: Iterable[Any]) -> set[_Key]:
    """Return the players whose counts do not fit the newest games, however many of them count."""
    least: defaultdict[_Key, _Counts] = defaultdict(lambda: _NOTHING)
    most: defaultdict[_Key, _Counts] = defaultdict(lambda: _NOTHING)
    differing = {key for key, counts in rows.items() if counts != _NOTHING}
    for game in played:
        if not differing:
            break
        is_counted = None not in (game.x, game.o) and game.x != game.o
        for side, player_id, is_rated in ((0, game.x, game.x_rated), (1, game.o, game.o_rated)):
            if player_id is None or is_stand_in(player_id):
                continue
            key = (game.pool, player_id)
            one = (1, game.winner == side, game.winner is None) if is_counted else (0, 0, 0)
            most[key] = _plus(most[key], (*one, bool(is_rated)))
            least[key] = _plus(least[key], (*((0, 0, 0) if game.has_left else one), bool(is_rated)))
            row = rows.get(key, _NOTHING)
            fits = row[3] == most[key][3] and all(
                low <= count <= high
                for low, count, high in zip(least[key], row, most[key], strict=True)
            )
            (differing.discard if fits else differing.add)(key)
    return differing


def _plus(counts: _Counts, more: _Counts) -> _Counts:
    games, won, drawn, is_rated = counts
    return games + more[0], won + more[1], drawn + more[2], is_rated or more[3]


def _check_erasures(connection: Connection) -> Iterator[str]:
    """Look for people who are still stored although their data was deleted."""
    key, noted = load_noted(connection)
    if not noted:
        return
    if not key:
        yield "Deletions are remembered, but the key of their fingerprints is missing."
    for player_id in find_still_stored(connection, key, noted):
        yield f"Player {player_id} has deleted their data, but is still stored."
