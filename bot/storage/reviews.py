"""What reviews have found: how the chances went, kept with the match they are of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, insert, select, update

from bot.storage.rating_tables import review

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

_FIND = select(review.c.chances).where(review.c.match_id == bindparam("given_match_id"))
_REPLACE = (
    update(review)
    .where(review.c.match_id == bindparam("given_match_id"))
    .values(chances=bindparam("new_chances"), made_at=bindparam("new_made_at"))
)
_INSERT = insert(review)


def save_chances(
    connection: Connection, match_id: int, chances: tuple[float, ...], now: datetime
) -> None:
    """Store what X could expect in each position of a match, instead of an earlier review."""
    # Thousandths are more than a bar can show, and four characters each.
    text = " ".join(str(round(1000 * chance)) for chance in chances)
    given = {"given_match_id": match_id, "new_chances": text, "new_made_at": now}
    if connection.execute(_REPLACE, given).rowcount == 0:
        connection.execute(_INSERT, {"match_id": match_id, "chances": text, "made_at": now})


def find_chances(connection: Connection, match_id: int) -> tuple[float, ...] | None:
    """Return what X could expect in each position; None if the match was never reviewed."""
    text = connection.execute(_FIND, {"given_match_id": match_id}).scalar()
    return None if text is None else tuple(int(each) / 1000 for each in text.split())
