"""Which players a step of a match is news for. Decided here, told elsewhere. Pure."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from bot.model.match import TAKEBACKS, last_turn_of
from engine import other

if TYPE_CHECKING:
    from bot.model.match import Match


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step of a match.

    Attributes:
        before: The match before it; None if it has just begun.
        after: The match after it.
        by: The person who took it; None for the clock, and if unknown.
    """

    before: Match | None
    after: Match
    by: int | None


class NewsKind(StrEnum):
    """What a player of a match may want to hear. Stored as text: never rename."""

    ACCEPTED = "accepted"  # somebody has accepted their challenge: the match begins
    TURN = "turn"  # the match waits for their move
    WAITING = "waiting"  # it has for a while
    DRAW_OFFERED = "draw-offered"
    TAKEBACK_ASKED = "takeback-asked"
    REMINDER = "reminder"  # their time runs out
    OVER = "over"


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """Something to tell a player of a match.

    Attributes:
        kind: What.
        match_id: Of which match.
        user_id: Whom.
        revision: The match's revision that made it news.
    """

    kind: NewsKind
    match_id: int
    user_id: int
    revision: int = field(default=0, compare=False)

    def is_true_of(self, match: Match) -> bool:
        """Return whether it is still true: the match may have gone on before anybody was told."""
        side = match.side_of(self.user_id)
        match self.kind:
            case NewsKind.OVER:
                return match.is_over
            case NewsKind.DRAW_OFFERED:
                return side is not None and match.draw_offer == other(side)
            case NewsKind.TAKEBACK_ASKED:
                return side is not None and match.takeback_offer == other(side)
            case NewsKind.ACCEPTED:
                return not match.is_over and side is not None and last_turn_of(match, side) is None
            case NewsKind.TURN | NewsKind.WAITING | NewsKind.REMINDER:
                return match.side_to_move is not None and match.side_to_move == side


def news_of(step: Step) -> list[News]:
    """Return what a step makes news for the players of a match between people.

    Nobody is told what they have done themselves. An end by the clock is news for both.
    """
    match = step.after
    if not match.is_between_people:
        return []
    others = [
        seat.player_id
        for seat in match.seats
        if seat.player_id is not None and seat.player_id != step.by
    ]
    if step.before is None:
        kinds = [NewsKind.ACCEPTED]
    elif match.is_over:
        kinds = [NewsKind.OVER]
    else:
        kinds = [NewsKind.DRAW_OFFERED, NewsKind.TAKEBACK_ASKED]
        if _turn_begins(step.before, step):
            kinds.append(NewsKind.TURN)
    told: list[News] = []
    for user_id in others:
        found = (
            News(kind=kind, match_id=match.id, user_id=user_id, revision=match.revision)
            for kind in kinds
        )
        new = (each for each in found if each.is_true_of(match) and not _known(each, step))
        told += itertools.islice(new, 1)
    return told


def done_with(step: Step) -> list[int]:
    """Return the players that the match does not wait for any more."""
    asked = (NewsKind.TURN, NewsKind.DRAW_OFFERED, NewsKind.TAKEBACK_ASKED)
    return [
        seat.player_id
        for seat in step.after.seats
        if seat.player_id is not None
        and not any(
            News(kind=kind, match_id=step.after.id, user_id=seat.player_id).is_true_of(step.after)
            for kind in asked
        )
    ]


def _known(news: News, step: Step) -> bool:
    """Return whether it was true before; a turn that comes back is still news."""
    before = step.before
    return news.kind is not NewsKind.TURN and before is not None and news.is_true_of(before)


def _turn_begins(before: Match, step: Step) -> bool:
    was, now = before.seat_to_move, step.after.seat_to_move
    if was is None or now is None or was.player_id != now.player_id:
        return True
    new = step.after.events[len(before.events) :]
    return any(event.kind in TAKEBACKS for event in new)
