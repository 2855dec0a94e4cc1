"""Finished matches of a player, page by page, and of a server; and the results of reviews."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, or_, select

from bot.model.match import MatchStatus
from bot.model.ratings.values import DRAWN, LOST, WON
from bot.storage.schema import match, player, rated_match, rating_change, review, seat
from bot.storage.writer import upsert

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection

    from engine import Cell, LevelNumber, Ply, Side


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRow:
    """A finished match as one of its players sees it."""

    match_id: int
    variant_key: str
    side: Side
    opponent_id: int | None
    opponent_name: str | None
    level: LevelNumber | None
    winner: Side | None
    end_reason: str
    ply: Ply
    rated: bool
    reason: str | None
    value_before: float | None
    value_after: float | None
    guild_id: int | None
    channel_id: int | None
    message_id: int | None
    created_at: datetime
    ended_at: datetime

    @property
    def result(self) -> str:
        """How it ended for this player: "won", "drawn" or "lost"."""
        if self.winner is None:
            return DRAWN
        return WON if self.winner == self.side else LOST


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which matches to list; None means any.

    Attributes:
        against_computer: Against the computer, or against people.
        rated: Those meant to be rated, or the casual ones.
        score: 1 for those won, 0 for those drawn, -1 for those lost.
        seen_by: Those that this person may look at: played in a server, or by themselves.
    """

    variant_key: str | None = None
    opponent_id: int | None = None
    against_computer: bool | None = None
    rated: bool | None = None
    score: int | None = None
    seen_by: int | None = None


OTHER: Final = seat.alias("other")
BOTH: Final = seat.join(match, match.c.id == seat.c.match_id).join(
    OTHER, and_(OTHER.c.match_id == match.c.id, OTHER.c.side == 1 - seat.c.side)
)
"""Matches with both seats: that of the player who is asked about, and the other one."""

_SOURCE: Final = (
    BOTH.outerjoin(player, player.c.id == OTHER.c.player_id)
    .outerjoin(rated_match, rated_match.c.match_id == match.c.id)
    .outerjoin(
        rating_change,
        and_(
            rating_change.c.match_id == match.c.id,
            rating_change.c.player_id == seat.c.player_id,
        ),
    )
)
_HISTORY: Final = (
    select(
        match.c.id.label("match_id"),
        match.c.variant_key,
        seat.c.side,
        OTHER.c.player_id.label("opponent_id"),
        player.c.name.label("opponent_name"),
        OTHER.c.level,
        match.c.winner,
        match.c.end_reason,
        match.c.ply,
        match.c.rated,
        rated_match.c.reason,
        rating_change.c.value_before,
        rating_change.c.value_after,
        match.c.guild_id,
        match.c.channel_id,
        match.c.message_id,
        match.c.created_at,
        match.c.ended_at,
    )
    .select_from(_SOURCE)
    .where(match.c.status == MatchStatus.FINISHED)
)


def list_history(
    connection: Connection,
    player_id: int,
    wanted: Wanted,
    *,
    before: int | None = None,
    after: int | None = None,
    limit: int,
) -> list[HistoryRow]:
    """Return a player's finished matches, the newest first.

    Only those with a lower number than `before`, or the next ones above `after`.
    """
    conditions = [seat.c.player_id == player_id, *_conditions(wanted)]
    # By number, as the index of seats has them: no page has to sort a whole history.
    number = seat.c.match_id
    if before is not None:
        conditions.append(number < before)
    if after is not None:
        conditions.append(number > after)
    order = (number.desc(), seat.c.side) if after is None else (number, seat.c.side.desc())
    wanted_rows = _HISTORY.where(*conditions).order_by(*order).limit(limit)
    rows = connection.execute(wanted_rows).mappings()
    found = [HistoryRow(**(dict(row) | {"rated": bool(row["rated"])})) for row in rows]
    return found if after is None else found[::-1]


def _conditions(wanted: Wanted) -> list[ColumnElement[bool]]:
    level, seen_by = OTHER.c.level, wanted.seen_by
    of_computer = level.is_not(None) if wanted.against_computer else level.is_(None)
    visible = or_(
        match.c.guild_id.is_not(None), seat.c.player_id == seen_by, OTHER.c.player_id == seen_by
    )
    winner = seat.c.side if wanted.score == 1 else OTHER.c.side
    scored = match.c.winner == winner if wanted.score else match.c.winner.is_(None)
    conditions = (
        (wanted.variant_key, match.c.variant_key == wanted.variant_key),
        (wanted.opponent_id, OTHER.c.player_id == wanted.opponent_id),
        (wanted.against_computer, of_computer),
        (wanted.rated, match.c.rated == int(bool(wanted.rated))),
        (wanted.score, scored),
        (seen_by, visible),
    )
    return [condition for asked, condition in conditions if asked is not None]


@dataclass(frozen=True, slots=True)
class StoredReview:
    """What a review has found.

    Attributes:
        chances: What X could expect in each position from the opening on, in thousandths.
        best_moves: The best move in each but the last; empty in reviews of older versions.
    """

    chances: tuple[float, ...]
    best_moves: tuple[Cell, ...]


def save_review(connection: Connection, match_id: int, found: StoredReview, now: datetime) -> None:
    """Store the review of a match in place of an earlier one."""
    # Thousandths are more than a bar can show, and four characters each.
    text = " ".join(
        str(round(1000 * chance)) + ("" if best is None else f"/{best}")
        for chance, best in zip_longest(found.chances, found.best_moves)
    )
    upsert(connection, review, {"match_id": match_id}, {"chances": text, "made_at": now})


def find_review(connection: Connection, match_id: int) -> StoredReview | None:
    """Return the review of a match; None if it was never reviewed."""
    wanted = select(review.c.chances).where(review.c.match_id == match_id)
    text = connection.execute(wanted).scalar()
    if text is None:
        return None
    found = [each.partition("/") for each in text.split()]
    return StoredReview(
        tuple(int(chance) / 1000 for chance, _, _ in found),
        tuple(int(best) for _, _, best in found if best),
    )


def list_public(connection: Connection) -> list[tuple[int, datetime]]:
    """Return the numbers of all matches finished in servers, and when, the oldest end first."""
    wanted = select(match.c.id, match.c.ended_at).where(
        match.c.guild_id.is_not(None), match.c.status == MatchStatus.FINISHED
    )
    found = connection.execute(wanted.order_by(match.c.ended_at, match.c.id))
    return [(row.id, row.ended_at) for row in found]


def list_finished_in(connection: Connection, guild_id: int) -> list[int]:
    """Return the numbers of all matches that have been finished in a server, the oldest first."""
    wanted = select(match.c.id).where(
        match.c.guild_id == guild_id, match.c.status == MatchStatus.FINISHED
    )
    return list(connection.execute(wanted.order_by(match.c.id)).scalars())
