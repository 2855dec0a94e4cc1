"""Somebody's finished matches, page by page, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, bindparam, or_, select

from bot.model.ratings.tally import DRAWN, FINISHED, LOST, WON
from bot.storage.rating_tables import rated_match, rating_change
from bot.storage.schema import match, player, seat

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRow:
    """A finished match as one of its players sees it."""

    match_id: int
    variant_key: str
    side: int
    opponent_id: int | None
    opponent_name: str | None
    level: int | None
    winner: int | None
    end_reason: str
    ply: int
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
    """Which matches; what is None does not matter.

    Attributes:
        variant_key: Of this variant.
        opponent_id: Against this person.
        against_computer: Against the computer, or against people.
        rated: Those meant to be rated, or the casual ones.
        score: 1 for those won, 0 for those drawn, -1 for those lost.
        side: Those with this side.
        seen_by: Those that this person may look at: played in a server, or by themselves.
    """

    variant_key: str | None = None
    opponent_id: int | None = None
    against_computer: bool | None = None
    rated: bool | None = None
    score: int | None = None
    side: int | None = None
    seen_by: int | None = None


_other = seat.alias("other")
_SOURCE: Final = (
    seat.join(match, match.c.id == seat.c.match_id)
    .join(_other, and_(_other.c.match_id == match.c.id, _other.c.side == 1 - seat.c.side))
    .outerjoin(player, player.c.id == _other.c.player_id)
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
        _other.c.player_id.label("opponent_id"),
        player.c.name.label("opponent_name"),
        _other.c.level,
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
    .where(
        seat.c.player_id == bindparam("given_player_id"),
        match.c.status == FINISHED,
    )
)
_WINNERS: Final = {
    1: match.c.winner == seat.c.side,
    0: match.c.winner.is_(None),
    -1: match.c.winner == _other.c.side,
}


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

    Args:
        connection: Where to look.
        player_id: Whose.
        wanted: Which of them.
        before: Those with a lower number than this; None for the newest.
        after: The next ones with a higher number than this.
        limit: How many at most.
    """
    conditions = _conditions(wanted)
    given: dict[str, Any] = {"given_player_id": player_id}
    if before is not None:
        conditions.append(seat.c.match_id < bindparam("given_before"))
        given["given_before"] = before
    if after is not None:
        conditions.append(seat.c.match_id > bindparam("given_after"))
        given["given_after"] = after
    # By number, as the index of seats has them: no page has to sort a whole history.
    number = seat.c.match_id
    order = (number.desc(), seat.c.side) if after is None else (number, seat.c.side.desc())
    wanted_rows = _HISTORY.where(*conditions).order_by(*order).limit(limit)
    rows = connection.execute(wanted_rows, given).mappings()
    found = [HistoryRow(**(dict(row) | {"rated": bool(row["rated"])})) for row in rows]
    return found if after is None else found[::-1]


def _conditions(wanted: Wanted) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.variant_key is not None:
        conditions.append(match.c.variant_key == wanted.variant_key)
    if wanted.opponent_id is not None:
        conditions.append(_other.c.player_id == wanted.opponent_id)
    if wanted.against_computer is not None:
        level = _other.c.level
        conditions.append(level.is_not(None) if wanted.against_computer else level.is_(None))
    if wanted.rated is not None:
        conditions.append(match.c.rated == int(wanted.rated))
    if wanted.score is not None:
        conditions.append(_WINNERS[wanted.score])
    if wanted.seen_by is not None:
        conditions.append(
            or_(
                match.c.guild_id.is_not(None),
                seat.c.player_id == wanted.seen_by,
                _other.c.player_id == wanted.seen_by,
            )
        )
    if wanted.side is not None:
        conditions.append(seat.c.side == wanted.side)
    return conditions
