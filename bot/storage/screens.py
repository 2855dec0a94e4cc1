"""What is shown of matches, as rows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, or_, select

from bot.storage.match_rows import ONGOING
from bot.storage.schema import match, screen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection


class Shown(StrEnum):
    """As what a match is shown. Stored as text: add members, never rename."""

    BOARD = "board"
    THINKING = "thinking"  # the computer's reply is still to come
    OVER = "over"
    STALE = "stale"  # whatever is seen there has to be drawn anew
    GONE = "gone"  # nothing can be shown there any more


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenRow:
    """What is shown of a match, and in which message.

    Attributes:
        match_id: Of which match.
        message_id: Where; None if it has to be posted still.
        shown_revision: The match as it was at which revision; None if that is not known.
        shown_as: As what.
        player_id: Who alone sees it; None if others do too.
    """

    match_id: int
    message_id: int | None
    shown_revision: int | None
    shown_as: Shown
    player_id: int | None = None


def save_screens(connection: Connection, rows: Sequence[ScreenRow]) -> None:
    """Store what is shown of matches, each named once."""
    ids = [row.match_id for row in rows]
    connection.execute(delete(screen).where(screen.c.match_id.in_(ids)))
    connection.execute(insert(screen), [asdict(row) for row in rows])


def find_screen(connection: Connection, match_id: int) -> ScreenRow | None:
    """Return what is shown of a match; None if nothing ever was."""
    found = connection.execute(select(screen).where(screen.c.match_id == match_id)).mappings()
    row = found.one_or_none()
    return None if row is None else ScreenRow(**{**row, "shown_as": Shown(row["shown_as"])})


def list_behind(connection: Connection) -> list[int]:
    """Return the matches that are shown otherwise than they are, without those given up.

    A finished match was shown as such, or is among those whose row says otherwise.
    """
    wanted = (
        select(screen.c.match_id)
        .join(match, match.c.id == screen.c.match_id)
        .where(
            screen.c.shown_as.not_in([Shown.OVER, Shown.GONE]),
            or_(
                screen.c.shown_revision.is_distinct_from(match.c.revision),
                screen.c.message_id.is_distinct_from(match.c.message_id),
                match.c.status != ONGOING,
            ),
        )
        .order_by(match.c.updated_at)
    )
    return list(connection.execute(wanted).scalars())
