"""What is news for whom, and when they are told."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from bot.model.actions import (
    AcceptDraw,
    AcceptTakeback,
    AskTakeback,
    ClaimTime,
    DeclineDraw,
    OfferDraw,
    Play,
    Resign,
    Swap,
)
from bot.model.clocks import CALLED_AFTER, ClockRules
from bot.model.match import Match
from bot.model.notices import News, NewsKind, Step, done_with, news_of
from bot.model.preferences import Notices, PlayerPreferences
from bot.services.clocks import remind_due, settle_overdue
from bot.services.notifications import (
    PRESENT_FOR,
    SAID_ONCE_FOR,
    NotificationQueue,
    PendingNotification,
    SentNotifications,
)
from bot.services.preferences import PreferenceStore
from bot.services.privacy import PrivacyService
from bot.storage.notices import NoticeRow
from tests.bot.services.conftest import ANNA, BEN

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.bot.services.conftest import Server

SECOND = timedelta(seconds=1)
LATER = PRESENT_FOR + SECOND


class Steps:
    """Every step that is taken in a server."""

    def __init__(self, server: Server) -> None:
        self.taken: list[Step] = []
        server.matches.watchers.append(self.taken.append)

    def news(self) -> list[tuple[NewsKind, int]]:
        """Return the kinds of news in the last step, and for whom."""
        return [(each.kind, each.user_id) for each in news_of(self.taken[-1])]

    def done(self) -> list[int]:
        return done_with(self.taken[-1])


async def test_who_is_to_move_is_told_unless_it_was_their_doing(server: Server) -> None:
    steps = Steps(server)
    match = await server.begin_between()  # Ben accepts, Anna is to move
    assert steps.news() == [(NewsKind.ACCEPTED, ANNA.id)]
    assert steps.done() == [BEN.id]
    await server.play(match, 40)
    assert steps.news() == [(NewsKind.TURN, BEN.id)]
    assert steps.done() == [ANNA.id]

    match = await server.begin_between(side=1)  # Ben accepts and is to move: he sees the board

    assert steps.news() == [(NewsKind.ACCEPTED, ANNA.id)]
    accepted = News(kind=NewsKind.ACCEPTED, match_id=match.id, user_id=ANNA.id)
    match = await server.play(match, 40)
    assert accepted.is_true_of(match)  # until she has moved
    assert not accepted.is_true_of(await server.play(match, 36))


async def test_offers_are_told_to_the_other_once(server: Server) -> None:
    steps = Steps(server)
    match = await server.play(await server.begin_between(), 40)  # Ben is to move
    await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)
    assert steps.news() == [(NewsKind.DRAW_OFFERED, BEN.id)]
    await server.matches.perform(match.id, DeclineDraw(), user_id=BEN.id)
    assert (steps.news(), steps.done()) == ([], [ANNA.id])
    await server.matches.perform(match.id, AskTakeback(), user_id=ANNA.id)
    assert steps.news() == [(NewsKind.TAKEBACK_ASKED, BEN.id)]

    await server.matches.perform(match.id, AcceptTakeback(), user_id=BEN.id)

    assert steps.news() == [(NewsKind.TURN, ANNA.id)]
    assert steps.done() == [BEN.id]


async def test_a_takeback_that_leaves_the_turn_where_it_was_is_news(server: Server) -> None:
    steps = Steps(server)
    match = await server.play(await server.begin_between(), 40, 36)  # Anna is to move
    await server.matches.perform(match.id, AskTakeback(), user_id=ANNA.id)

    await server.matches.perform(match.id, AcceptTakeback(), user_id=BEN.id)

    assert steps.news() == [(NewsKind.TURN, ANNA.id)]


async def test_an_offer_that_comes_with_a_move_is_told_with_it(server: Server) -> None:
    steps = Steps(server)
    match = await server.begin_between()
    await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)
    assert steps.news() == [(NewsKind.DRAW_OFFERED, BEN.id)]

    await server.play(await server.matches.load(match.id), 40)

    # The offer still stands, but was told already; only the turn is new.
    assert steps.news() == [(NewsKind.TURN, BEN.id)]


async def test_a_swap_passes_the_turn(server: Server) -> None:
    steps = Steps(server)
    match = await server.play(await server.begin_between(variant_key="pie"), 40)

    await server.matches.perform(match.id, Swap(), user_id=BEN.id, ply=1)

    assert steps.news() == [(NewsKind.TURN, ANNA.id)]


@pytest.mark.parametrize("how", ["resign", "agree", "time", "claim"])
async def test_an_end_is_told_to_those_who_have_not_brought_it_about(
    server: Server, how: str
) -> None:
    steps = Steps(server)
    match = await server.begin_between(clock=ClockRules.parse("1h"))
    over = (NewsKind.OVER, ANNA.id), (NewsKind.OVER, BEN.id)
    if how == "resign":
        await server.matches.perform(match.id, Resign(), user_id=BEN.id)
    elif how == "agree":
        await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)
        await server.matches.perform(match.id, AcceptDraw(), user_id=BEN.id)
    else:
        server.clock.instant += timedelta(hours=2)
        await server.matches.note_running()
        if how == "time":
            await settle_overdue(server.matches)
        else:
            await server.matches.perform(match.id, ClaimTime(), user_id=BEN.id)

    assert steps.news() == (list(over) if how == "time" else [over[0]])
    assert steps.done() == [ANNA.id, BEN.id]


async def test_a_game_against_the_computer_is_no_news(server: Server) -> None:
    steps = Steps(server)
    match = await server.begin()
    await server.matches.perform(match.id, Play(40), user_id=ANNA.id, ply=0)

    assert [news_of(step) for step in steps.taken] == [[]] * len(steps.taken)


async def test_a_watcher_that_fails_keeps_nothing_from_being_played(server: Server) -> None:
    def fail(_step: Step) -> None:
        raise RuntimeError

    server.matches.watchers.append(fail)

    assert (await server.play(await server.begin_between(), 40)).ply == 1


# When it is told.


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.instant = datetime(2026, 3, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.instant


def at_every_turn(*_key: int) -> Notices:
    return Notices.CHANNEL


def by_default(*_key: int) -> Notices:
    return Notices.AUTO


def never(*_key: int) -> Notices:
    return Notices.NONE


def bens(match: Match, kind: NewsKind) -> News:
    return News(kind=kind, match_id=match.id, user_id=BEN.id, revision=match.revision)


class Teller:
    """A `NotificationQueue` that follows a server, with its own time."""

    def __init__(
        self, server: Server, way_of: Callable[[int, int], Notices] = at_every_turn
    ) -> None:
        self.clock = Clock()
        self.called: dict[tuple[int, int], NoticeRow] = {}
        find = lambda *key: self.called.get(key)  # noqa: E731
        self.telling = NotificationQueue(self.clock, find, way_of)
        server.matches.watchers.append(self.telling.watch)

    async def errands(self) -> list[PendingNotification]:
        """Return what is due now."""
        found: list[PendingNotification] = []
        while True:
            try:
                found.append(await asyncio.wait_for(self.telling.next(), 0.02))
            except TimeoutError:
                return found

    async def due(self) -> list[tuple[int, NewsKind | None]]:
        """Return what is due now: for whom, and what."""
        due = await self.errands()
        return [(each.user_id, None if each.news is None else each.news.kind) for each in due]


async def test_players_at_the_board_are_not_disturbed(server: Server) -> None:
    teller = Teller(server)
    match = await server.begin_between()
    assert await teller.due() == [(ANNA.id, NewsKind.ACCEPTED)]
    match = await server.play(match, 40)  # Ben has accepted just now
    assert await teller.due() == []
    match = await server.play(match, 36)  # and moves soon
    teller.clock.instant += LATER

    # Anna has not moved since; Ben's own turn is over and was never told.
    assert await teller.due() == [(ANNA.id, NewsKind.TURN)]


async def test_who_has_gone_is_told_at_once(server: Server) -> None:
    teller = Teller(server)
    match = await server.begin_between()
    await teller.due()
    teller.clock.instant += LATER

    await server.play(match, 40)

    assert await teller.due() == [(BEN.id, NewsKind.TURN)]


async def test_a_live_game_is_not_told_of_once_the_turn_is_over(server: Server) -> None:
    teller = Teller(server)
    match = await server.begin_between(clock=ClockRules.parse("5+0"))
    assert await teller.due() == [(ANNA.id, NewsKind.ACCEPTED)]
    match = await server.play(match, 40)
    assert await teller.due() == []
    match = await server.play(match, 36)
    teller.clock.instant += LATER
    # Ben moved in time; Anna, who had just moved, has not moved for half a minute.
    assert await teller.due() == [(ANNA.id, NewsKind.TURN)]


async def test_by_default_a_turn_is_the_clocks_to_tell_and_offers_wait(server: Server) -> None:
    teller = Teller(server, by_default)
    match = await server.begin_between()
    assert await teller.due() == [(ANNA.id, NewsKind.ACCEPTED)]
    match = await server.play(match, 40)
    teller.clock.instant += LATER
    assert await teller.due() == []
    await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)
    assert await teller.due() == []
    teller.clock.instant += LATER
    assert await teller.due() == [(BEN.id, NewsKind.DRAW_OFFERED)]

    # Both have been there lately: they see the end when they look.
    teller.clock.instant += LATER
    await server.matches.perform(match.id, Resign(), user_id=BEN.id)
    assert await teller.due() == []
    other = await server.play(await server.begin_between(), 40)
    teller.clock.instant += timedelta(hours=2)
    await teller.due()
    await server.matches.perform(other.id, Resign(), user_id=BEN.id)
    assert await teller.due() == [(ANNA.id, NewsKind.OVER)]

    # After a restart the last move counts.
    for away, news in ((timedelta(minutes=1), []), (timedelta(hours=2), [NewsKind.OVER])):
        match = await server.play(await server.begin_between(), 40)
        await teller.due()
        teller = Teller(server, by_default)
        server.clock.instant += away
        await server.matches.note_running()
        await server.matches.perform(match.id, Resign(), user_id=BEN.id)
        assert await teller.due() == [(ANNA.id, each) for each in news]


@pytest.mark.parametrize("side", [0, 1])
async def test_a_challenger_who_is_there_is_not_told_at_once(server: Server, side: int) -> None:
    teller = Teller(server, by_default)
    challenge = await server.offer(side=side, channel_id=7)
    await server.challenges.place_challenge(challenge.id, channel_id=7, message_id=8)
    teller.telling.note_present(7, ANNA.id)

    await server.challenges.accept(challenge.id, person=BEN)

    assert await teller.due() == []
    teller.clock.instant += LATER
    # The second player need not look yet.
    assert await teller.due() == ([(ANNA.id, NewsKind.ACCEPTED)] if side == 0 else [])


async def test_an_end_that_one_sits_at_is_not_told(server: Server) -> None:
    teller = Teller(server)
    match = await server.play(await server.begin_between(), 40)
    await teller.due()
    await server.matches.perform(match.id, Resign(), user_id=BEN.id)
    teller.clock.instant += LATER

    assert await teller.due() == []


async def test_what_was_said_is_taken_back_when_it_is_so_no_more(server: Server) -> None:
    teller = Teller(server)
    match = await server.begin_between()
    assert await teller.due() == [(ANNA.id, NewsKind.ACCEPTED)]
    teller.called[match.id, ANNA.id] = row_of(match, 1)
    assert teller.telling.is_called(match.id, ANNA.id)
    teller.clock.instant += LATER

    match = await server.play(match, 40, 36)

    # The old message goes, although it is her turn again.
    assert not teller.telling.is_called(match.id, ANNA.id)
    assert await teller.due() == [(ANNA.id, None)]
    teller.clock.instant += LATER
    assert await teller.due() == [(ANNA.id, NewsKind.TURN)]


async def test_of_many_things_about_one_match_the_last_is_told(server: Server) -> None:
    teller = Teller(server)
    match = await server.play(await server.begin_between(), 40)
    teller.clock.instant += LATER
    await teller.due()
    match = await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)
    teller.telling.remind(bens(match, NewsKind.REMINDER))

    assert await teller.due() == [(BEN.id, NewsKind.REMINDER)]


async def test_it_wakes_for_what_is_new(server: Server) -> None:
    teller = Teller(server)
    waiting = asyncio.create_task(teller.telling.next())
    await asyncio.sleep(0)

    match = await server.begin_between()

    errand = await asyncio.wait_for(waiting, 10)
    news = News(kind=NewsKind.ACCEPTED, match_id=match.id, user_id=ANNA.id)
    assert errand == PendingNotification(match.id, ANNA.id, news)


async def test_what_was_stored_to_be_told_is_told_or_struck_out_whatever_comes_between(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a step is stored, its match may be muted, and a failed notification be retried."""
    ways = dict.fromkeys((ANNA.id, BEN.id), Notices.DM)
    teller = Teller(server, lambda _match_id, user_id: ways[user_id])
    server.matches.notifications = teller.telling
    book = await book_of(server)
    match, store = await server.begin_between(), server.matches.cache.store
    await server.begin_between()  # the last notification is about this one
    teller.clock.instant += LATER
    await teller.due()

    async def muted(*given: Any) -> Match:
        stored = await store(*given)
        ways.update(dict.fromkeys(ways, Notices.NONE))
        return stored

    monkeypatch.setattr(server.matches.cache, "store", muted)
    match = await server.play(match, 40)
    errand = await asyncio.wait_for(teller.telling.next(), 10)
    assert (errand.user_id, errand.news and errand.news.kind) == (BEN.id, NewsKind.TURN)
    ways[ANNA.id] = Notices.DM

    async def failed(*given: Any) -> Match:
        assert teller.telling.try_again(errand, may_be_done=False)
        return await store(*given)

    monkeypatch.setattr(server.matches.cache, "store", failed)
    await server.play(match, 36)  # he moves while he is being notified
    teller.clock.instant += LATER
    for turn in await teller.errands():
        assert turn.news is not None
        await book.finish(turn.news)
    untold = (await book.open()).untold
    assert [each for each in untold if each.news.match_id == match.id] == []


async def test_a_reminder_does_not_take_the_place_of_what_is_newer(server: Server) -> None:
    teller = Teller(server)
    before = await server.play(await server.begin_between(), 40)
    await server.matches.perform(before.id, OfferDraw(), user_id=ANNA.id)
    teller.clock.instant += LATER
    teller.telling.remind(bens(before, NewsKind.REMINDER))

    assert (BEN.id, NewsKind.DRAW_OFFERED) in await teller.due()


async def test_who_may_have_been_told_something_is_not_called_for_waiting(server: Server) -> None:
    clock = Clock()
    queue = NotificationQueue(clock, nothing_stands, by_default)
    server.matches.notifications = queue
    book = await book_of(server)
    match = await server.begin_between(clock=ClockRules.parse("3d"))
    match = await server.play(match, 40)
    await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)
    clock.instant += LATER
    while (errand := await queue.next()).user_id != BEN.id:
        assert errand.news is not None
        await book.finish(errand.news)
    assert errand.news is not None
    assert await book.note_tried(errand.news)
    assert queue.try_again(errand, may_be_done=True)  # the receipt was lost
    server.clock.instant += CALLED_AFTER + SECOND
    await server.matches.note_running()
    assert await remind_due(server.matches, server.clock()) == []

    clock.instant += LATER
    while queue.is_waiting:
        errand = await queue.next()
        assert errand.news is not None
        if await book.note_tried(errand.news):
            await book.finish(errand.news)

    assert (await book.open()).untold == []


async def test_a_call_from_before_keeps_nothing_from_being_tried_again(server: Server) -> None:
    teller = Teller(server)
    before = await server.play(await server.begin_between(), 40)
    await server.matches.perform(before.id, OfferDraw(), user_id=ANNA.id)
    teller.clock.instant += LATER
    while (errand := await teller.telling.next()).user_id != BEN.id:
        pass
    assert errand.news is not None
    assert errand.news.kind is NewsKind.DRAW_OFFERED
    teller.telling.remind(bens(before, NewsKind.WAITING))  # it was due before the offer

    assert teller.telling.try_again(errand, may_be_done=False)


# What has been sent.


async def book_of(server: Server) -> SentNotifications:
    book = SentNotifications(server.database, server.clock)
    await book.open()
    return book


def turn_of(match: Match) -> News:
    return News(kind=NewsKind.TURN, match_id=match.id, user_id=ANNA.id)


def row_of(match: Match, message_id: int) -> NoticeRow:
    return NoticeRow(match_id=match.id, player_id=ANNA.id, channel_id=7, message_id=message_id)


async def test_what_was_said_is_known_after_a_restart(server: Server) -> None:
    match, over = await server.begin_between(), await server.begin_between()
    book = await book_of(server)
    for message_id in (1, 2):
        await book.finish(turn_of(match), row_of(match, message_id))
    await book.finish(turn_of(over), row_of(over, 3))
    await book.note_unreached(BEN.id)
    await server.matches.perform(over.id, Resign(), user_id=BEN.id)
    await server.restart()

    book = SentNotifications(server.database, server.clock)
    found = await book.open()

    assert book.find(match.id, ANNA.id) == row_of(match, 2)
    assert found.outdated == [row_of(over, 3)]
    assert book.unreached == {BEN.id}
    await book.drop(row_of(match, 1))
    assert book.find(match.id, ANNA.id) == row_of(match, 2)
    await book.drop(row_of(match, 2))
    await book.forget_unreached(BEN.id)
    await server.restart()
    book = await book_of(server)
    assert book.find(match.id, ANNA.id) is None
    assert not book.unreached


# What is told after a restart.


async def restarted(server: Server, away: timedelta) -> tuple[Teller, list[News]]:
    """Restart after a time; return the new teller, and the news that is dropped."""
    await server.restart()
    server.clock.instant += away
    teller = Teller(server)
    book = SentNotifications(server.database, server.clock)
    return teller, teller.telling.restore(await book.open(), server.clock())


def telling(server: Server) -> NotificationQueue:
    """Have the news of each step stored with it."""
    server.matches.notifications = NotificationQueue(Clock(), nothing_stands, at_every_turn)
    return server.matches.notifications


def nothing_stands(*_key: int) -> None:
    return None


async def test_what_was_not_told_is_told_after_a_restart_and_only_the_newest(
    server: Server,
) -> None:
    telling(server)
    match = await server.play(await server.begin_between(), 40)
    await server.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)
    match = await server.play(await server.matches.load(match.id), 36, 4)

    teller, dropped = await restarted(server, timedelta())

    assert dropped == []
    assert await teller.due() == []  # they may still be there
    teller.clock.instant += LATER
    assert await teller.due() == [(BEN.id, NewsKind.TURN)]


@pytest.mark.parametrize("away", [timedelta(hours=1), timedelta(days=30)])
async def test_after_a_long_time_what_is_so_still_is_told_and_no_old_end(
    server: Server, away: timedelta
) -> None:
    telling(server)
    waiting = await server.play(await server.begin_between(), 40)
    await PreferenceStore(server.database).put(ANNA.id, PlayerPreferences(notices=Notices.NONE))
    over = await server.begin_between()
    telling(server)  # both have gone
    await server.matches.perform(over.id, Resign(), user_id=ANNA.id)

    teller, dropped = await restarted(server, away)
    teller.clock.instant += LATER

    is_old = away > timedelta(days=1)
    ends = [(BEN.id, NewsKind.OVER)]
    assert [(each.user_id, each.kind) for each in dropped] == (ends if is_old else [])
    told = [(BEN.id, NewsKind.TURN)] + ([] if is_old else ends)
    assert await teller.due() == told
    assert (await server.matches.load(waiting.id)).ply == 1


@pytest.mark.parametrize(
    ("since", "is_told"), [(SECOND, True), (SAID_ONCE_FOR / 2, True), (LATER * 9, False)]
)
async def test_what_may_have_arrived_is_sent_again_while_discord_knows_it(
    server: Server, since: timedelta, is_told: bool
) -> None:
    queue = telling(server)
    await server.play(await server.begin_between(), 40)
    queue._clock.instant += LATER  # type: ignore[attr-defined]
    errand = await queue.next()
    book = await book_of(server)
    assert errand.news is not None
    await book.note_tried(errand.news)

    teller, dropped = await restarted(server, since)

    assert (dropped == []) == is_told
    again = await teller.telling.next() if is_told else None
    assert again is None or again.nonce == errand.nonce


async def test_what_has_been_told_is_not_told_after_a_restart(server: Server) -> None:
    queue = telling(server)
    await server.play(await server.begin_between(), 40)
    queue._clock.instant += LATER  # type: ignore[attr-defined]
    errand = await queue.next()
    assert errand.news is not None
    await (await book_of(server)).finish(errand.news)

    teller, dropped = await restarted(server, timedelta())
    teller.clock.instant += LATER

    assert dropped == []
    assert await teller.due() == []


async def test_what_comes_back_untold_in_the_middle_of_a_step_is_struck_out_with_it(
    server: Server,
) -> None:
    clock = Clock()
    queue = NotificationQueue(clock, nothing_stands, at_every_turn)
    server.matches.notifications = queue
    match = await server.begin_between()
    clock.instant += LATER
    match = await server.play(match, 40)
    while (errand := await queue.next()).user_id != BEN.id:
        pass

    def refuse(_step: Step) -> None:
        queue.try_again(errand, may_be_done=False)

    server.matches.watchers.append(refuse)  # once Ben's move is stored

    await server.play(match, 36)

    found = await SentNotifications(server.database, server.clock).open()
    assert [each.news.user_id for each in found.untold] == [ANNA.id]


async def test_an_end_by_a_deletion_is_told_after_a_restart(server: Server) -> None:
    match = await server.play(await server.begin_between(), 40)
    telling(server)

    await PrivacyService(server.matches).erase(ANNA.id)
    teller, _ = await restarted(server, timedelta())
    teller.clock.instant += LATER

    assert await teller.due() == [(BEN.id, NewsKind.OVER)]
    assert (await server.matches.load(match.id)).is_over


@pytest.mark.parametrize("way_of", [never, by_default])
async def test_a_move_costs_no_row_unless_a_call_at_every_turn_is_asked_for(
    server: Server, way_of: Callable[[int, int], Notices]
) -> None:
    await PreferenceStore(server.database).put(ANNA.id, PlayerPreferences(notices=Notices.NONE))
    server.matches.notifications = NotificationQueue(Clock(), nothing_stands, way_of)
    await server.play(await server.begin_between(), 40)

    assert (await SentNotifications(server.database, server.clock).open()).untold == []


@pytest.mark.parametrize("way", [Notices.AUTO, Notices.DM, Notices.NONE])
async def test_that_a_challenge_was_accepted_is_known_after_a_restart(
    server: Server, way: Notices
) -> None:
    await PreferenceStore(server.database).put(ANNA.id, PlayerPreferences(notices=way))
    await server.begin_between(side=1)

    teller, _ = await restarted(server, timedelta())
    teller.clock.instant += LATER

    assert await teller.due() == ([] if way is Notices.NONE else [(ANNA.id, NewsKind.ACCEPTED)])


async def test_what_is_muted_stays_muted(server: Server) -> None:
    match, other = await server.begin_between(), await server.begin_between()
    book = await book_of(server)
    await book.mute(match.id, ANNA.id)
    await book.mute(match.id, ANNA.id)  # a click is delivered twice
    await book.mute(other.id, ANNA.id)
    await book.unmute(other.id, ANNA.id)
    await server.restart()
    assert (await book_of(server)).muted == {(match.id, ANNA.id)}

    await PrivacyService(server.matches).tidy_up()
    assert (await book_of(server)).muted == {(match.id, ANNA.id)}
    await server.matches.perform(match.id, Resign(), user_id=ANNA.id)
    await PrivacyService(server.matches).tidy_up()
    assert (await book_of(server)).muted == set()
