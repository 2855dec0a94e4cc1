"""What two players may agree on during a match, and undo against the computer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from bot.errors import MatchOverError, NothingToTakeBackError, OfferError
from bot.language import _, ngettext
from bot.matches import changes
from bot.matches.events import TAKEBACKS, EventKind
from bot.matches.model import EndReason
from bot.matches.offers import plies_to_next_draw_offer, was_declined_here
from bot.matches.turns import BackTo, last_turn_of

if TYPE_CHECKING:
    from datetime import datetime

    from bot.matches.changes import Change
    from bot.matches.desk import Desk
    from bot.matches.model import Match

Decide: TypeAlias = "Callable[[Match, int, datetime], Change | None]"
"""What a player of a side makes of an ongoing match; None if it is as they want already."""


@dataclass(frozen=True, slots=True)
class Agreements:
    """What `MatchService` says about offers, done. Runs as tasks of its own."""

    desk: Desk

    async def offer_draw(self, match_id: int, user_id: int) -> Match:
        """Offer a draw, or take the one that is offered."""
        return await self._act(match_id, user_id, _offer_draw)

    async def accept_draw(self, match_id: int, user_id: int) -> Match:
        """End a match as drawn."""
        return await self._act(match_id, user_id, _accept_draw, done=EndReason.AGREED)

    async def decline_draw(self, match_id: int, user_id: int) -> Match:
        """Decline a draw, or take back one's own offer."""
        return await self._act(match_id, user_id, _decline_draw)

    async def ask_takeback(self, match_id: int, user_id: int) -> Match:
        """Ask to take one's last turn back."""
        return await self._act(match_id, user_id, _ask_takeback)

    async def decline_takeback(self, match_id: int, user_id: int) -> Match:
        """Let the moves stand."""
        return await self._act(match_id, user_id, _decline_takeback)

    async def accept_takeback(self, match_id: int, user_id: int) -> Match:
        """Go back to the last turn of the other player, who has asked for it."""
        async with self.desk.keeper.lock(match_id):
            match, side, now = await self._ongoing(match_id, user_id)
            if match.takeback_offer != 1 - side:
                if _was_just_taken_back(match):
                    return match
                raise OfferError(match, _no_takeback(own=match.takeback_offer == side))
            return await self._take_back(match, 1 - side, now, by=user_id)

    async def undo(self, match_id: int, user_id: int, revision: int | None) -> Match:
        """Go back to one's own last turn in a casual match against the computer."""
        async with self.desk.keeper.lock(match_id):
            match, side, now = await self._ongoing(match_id, user_id)
            if match.is_between_people:
                raise OfferError(
                    match, _("Your opponent is a person: ask whether you may take that back.")
                )
            _check_casual(match)
            if revision is not None and any(
                event.number >= revision and event.kind in TAKEBACKS for event in match.events
            ):
                return match  # the same click once more: what it meant is gone already
            return await self._take_back(match, side, now, by=user_id)

    async def _act(
        self, match_id: int, user_id: int, decide: Decide, done: EndReason | None = None
    ) -> Match:
        async with self.desk.keeper.lock(match_id):
            match = await self.desk.keeper.current(match_id, user_id)
            if done is not None and match.end_reason is done:
                return match
            match, side, now = await self._ongoing(match_id, user_id)
            change = decide(match, side, now)
            return match if change is None else await self.desk.store(match, change, by=user_id)

    async def _ongoing(self, match_id: int, user_id: int) -> tuple[Match, int, datetime]:
        """Return a match that goes on, the side of a player, and the time."""
        match = await self.desk.keeper.current(match_id, user_id)
        if match.is_over:
            raise MatchOverError(match)
        now = self.desk.clock()
        await self.desk.check_time(match, now, by=user_id)
        side = match.side_of(user_id)
        assert side is not None, "just looked at"
        return match, side, now

    async def _take_back(self, match: Match, side: int, now: datetime, *, by: int) -> Match:
        away = self.desk.away_until(match, side, now)
        change = changes.take_back(match, side, _last_turn(match, side), now, away)
        return await self.desk.store(match, change, by=by)


def _offer_draw(match: Match, side: int, now: datetime) -> Change | None:
    if not match.is_between_people:
        raise OfferError(match, _("The computer agrees to no draws: play on, or resign."))
    if match.draw_offer == side:
        return None
    if match.draw_offer is not None:
        return changes.agreement(match, now)
    wait = plies_to_next_draw_offer(match, side)
    if wait:
        raise OfferError(
            match,
            ngettext(
                "You have offered a draw a short while ago: you can offer the next one after "
                "one more move.",
                "You have offered a draw a short while ago: you can offer the next one after "
                "{count} more moves.",
                wait,
            ).format(count=wait),
        )
    return changes.note(match, EventKind.DRAW_OFFERED, side, now)


def _accept_draw(match: Match, side: int, now: datetime) -> Change | None:
    if match.draw_offer != 1 - side:
        raise OfferError(match, _no_draw(own=match.draw_offer == side))
    return changes.agreement(match, now)


def _decline_draw(match: Match, side: int, now: datetime) -> Change | None:
    if match.draw_offer is not None:
        return changes.note(match, EventKind.DRAW_DECLINED, side, now)
    if was_declined_here(match, EventKind.DRAW_DECLINED):
        return None
    raise OfferError(match, _no_draw(own=False))


def _ask_takeback(match: Match, side: int, now: datetime) -> Change | None:
    if not match.is_between_people:
        raise OfferError(match, _("The computer need not be asked: use undo."))
    _check_casual(match)
    _last_turn(match, side)
    if match.takeback_offer == side:
        return None
    other = match.names[1 - side]
    if match.takeback_offer is not None:
        raise OfferError(
            match,
            _("{name} has asked to take a move back: answer that first.").format(name=other),
        )
    if was_declined_here(match, EventKind.TAKEBACK_DECLINED):
        raise OfferError(
            match, _("That was declined: the moves stand. Ask again after another one.")
        )
    return changes.note(match, EventKind.TAKEBACK_ASKED, side, now)


def _decline_takeback(match: Match, side: int, now: datetime) -> Change | None:
    if match.takeback_offer is not None:
        return changes.note(match, EventKind.TAKEBACK_DECLINED, side, now)
    if was_declined_here(match, EventKind.TAKEBACK_DECLINED):
        return None
    raise OfferError(match, _no_takeback(own=False))


def _check_casual(match: Match) -> None:
    if match.rated:
        raise OfferError(match, _("This game is rated: moves that are made stand."))


def _last_turn(match: Match, side: int) -> BackTo:
    back = last_turn_of(match, side)
    if back is None:
        raise NothingToTakeBackError(match)
    return back


def _was_just_taken_back(match: Match) -> bool:
    return bool(
        match.events
        and match.events[-1].kind in TAKEBACKS
        and match.events[-1].number + 1 == match.revision
    )


def _no_draw(*, own: bool) -> str:
    if own:
        return _("That offer of a draw is your own: the other player has to answer it.")
    return _("There is no offer of a draw any more: it has been answered, or a move has ended it.")


def _no_takeback(*, own: bool) -> str:
    if own:
        return _("That offer to take back is your own: the other player has to answer it.")
    return _(
        "There is no offer to take back any more: it has been answered, or a move has ended it."
    )
