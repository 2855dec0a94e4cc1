"""What can become of a match: the match afterwards, and what to write for it.

Nothing is asked here about whose turn it is; the rules are the engine's, which
refuses what they forbid.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.matches import records
from bot.matches.model import EndReason, EventKind, Match, MatchEvent
from bot.storage import matches as rows

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class Change:
    """A step in the life of a match.

    Attributes:
        match: The match afterwards.
        write: Stores the step in the transaction it is given.
    """

    match: Match
    write: Callable[[Connection], None]


def move(match: Match, cell: int, now: datetime) -> Change:
    """Return what a move of the side to move makes of a match.

    Raises:
        IllegalMoveError: If the rules forbid it.
    """
    position = match.position.after(cell)
    standing = records.standing_at(position)
    after = records.with_standing(match, standing, now)
    return Change(
        replace(after, moves=(*match.moves, cell), position=position),
        lambda c: rows.append_move(c, _seen(match), cell=cell, standing=standing, now=now),
    )


def swap(match: Match, now: datetime) -> Change:
    """Return what a swap by the side to move makes of a match: marks and turn stay.

    Raises:
        IllegalMoveError: If the rules have no swap, or its moment has passed.
    """
    match.game.swap()  # a game of our own: it is asked for the refusal only
    side, standing = match.position.side, records.standing_at(match.position)
    event = MatchEvent(
        number=match.revision, ply=match.ply, kind=EventKind.SWAP, side=side, happened_at=now
    )
    seats = match.seats[1], match.seats[0]
    after = records.with_standing(match, standing, now)

    def write(connection: Connection) -> None:
        rows.advance_match(connection, _seen(match), ply=match.ply, standing=standing, now=now)
        rows.insert_event(connection, match.id, records.to_event_row(event))
        rows.save_seats(connection, match.id, records.to_seat_rows(seats))

    return Change(replace(after, seats=seats, events=(*match.events, event)), write)


def resignation(match: Match, side: int, now: datetime) -> Change:
    """Return what is left of a match that a side gives up."""
    standing = records.ended(winner=1 - side, reason=EndReason.RESIGNED)
    return Change(
        records.with_standing(match, standing, now),
        lambda c: rows.advance_match(c, _seen(match), ply=match.ply, standing=standing, now=now),
    )


def new_place(match: Match, channel_id: int, message_id: int, now: datetime) -> Change:
    """Return a match whose board is shown somewhere else."""
    return Change(
        replace(match, channel_id=channel_id, message_id=message_id, updated_at=now),
        lambda c: rows.place_match(
            c, match.id, channel_id=channel_id, message_id=message_id, now=now
        ),
    )


def _seen(match: Match) -> rows.Seen:
    return rows.Seen(match_id=match.id, ply=match.ply, revision=match.revision)
