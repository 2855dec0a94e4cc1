"""Clocks of real matches: late moves, claims, forfeits, reminders, vacations, absences."""

from __future__ import annotations

import asyncio
import errno
import sqlite3
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Connection, text

from bot.errors import (
    ClockRunningError,
    MatchOverError,
    NotAPlayerError,
    StorageFailedError,
    TimeOverError,
    VacationError,
)
from bot.matches import ClockRules, EndReason, FirstMove, Match, record_of
from bot.matches.records import BrokenRecordError
from bot.matches.timekeeping import Timekeeping
from bot.matches.timing import LATENCY
from bot.players.preferences import Notices, PlayerPreferences, PreferenceStore
from tests.bot.matches.conftest import ANNA, BEN, CLEO

if TYPE_CHECKING:
    from tests.bot.matches.conftest import Server

HOUR, MINUTE, DAY = timedelta(hours=1), timedelta(minutes=1), timedelta(days=1)
SECOND = timedelta(seconds=1)
LINE = (40, 36, 0, 4)


async def begin(server: Server, clock: str, moves: int = 0, **options: object) -> Match:
    match = await server.begin_between(clock=ClockRules.parse(clock), **options)
    return await server.play(match, *LINE[:moves])


def deadline_of(match: Match) -> datetime:
    assert match.deadline is not None
    return match.deadline


# Moves and clocks.


async def test_clocks_survive_a_restart(server: Server) -> None:
    for clock in ("3d", "5+3"):
        match = await begin(server, clock, 3)
        await server.restart()
        assert await server.matches.load(match.id) == match
        assert match.deadline is not None


async def test_a_live_clock_runs_for_who_is_to_move(server: Server) -> None:
    match = await begin(server, "5+3")
    server.clock.instant = match.created_at + MINUTE - SECOND
    match = await server.play(match, LINE[0])
    now = match.updated_at

    assert match.time_left(0, now) == 4 * MINUTE + 3 * SECOND
    assert match.time_left(1, now + MINUTE) == 4 * MINUTE
    assert match.time_left(1, now + HOUR) == timedelta()
    assert match.deadline == now + 5 * MINUTE


async def test_without_a_clock_there_is_no_time_to_lose(server: Server) -> None:
    match = await begin(server, "none", 1)

    assert (match.deadline, match.time_left(0, match.updated_at)) == (None, None)
    with pytest.raises(ClockRunningError, match="without a clock"):
        await server.matches.claim_time(match.id, user_id=ANNA.id)
    assert await server.matches.times.next_deadline(match.created_at) is None


async def test_a_move_that_comes_too_late_loses(server: Server) -> None:
    match = await begin(server, "1h", 1)
    server.clock.instant = deadline_of(match) - SECOND  # the next look is the deadline

    with pytest.raises(TimeOverError, match="Anna won because Ben ran out of time") as told:
        await server.matches.play(match.id, user_id=BEN.id, ply=1, move=LINE[1])

    ended = told.value.match
    assert (ended.winner, ended.end_reason, ended.moves) == (0, EndReason.TIME, LINE[:1])
    assert (ended.deadline, ended.times.left[1]) == (None, timedelta())
    await server.restart()
    assert await server.matches.load(match.id) == ended
    assert record_of(ended).end == "time"
    with pytest.raises(MatchOverError):
        await server.matches.play(match.id, user_id=BEN.id, ply=1, move=LINE[1])


async def test_a_move_at_the_last_moment_counts(server: Server) -> None:
    match = await begin(server, "1h", 1)
    server.clock.instant = deadline_of(match) - 2 * SECOND

    assert (await server.play(match, LINE[1])).ply == 2


async def test_time_on_the_way_is_nobodys(server: Server) -> None:
    """The bot was busy, or the network slow: the press counts from when it was made."""
    match = await begin(server, "5+3", 1)
    before = deadline_of(match) - match.updated_at
    server.clock.instant += MINUTE - SECOND

    moved = await server.matches.play(
        match.id, user_id=BEN.id, ply=1, move=LINE[1], late_by=timedelta(seconds=2.5)
    )

    took = moved.updated_at - match.updated_at
    assert moved.times.left[1] == before - took + timedelta(seconds=2.5) + 3 * SECOND
    # The other's time begins when the move is stored, not while it was on its way.
    assert moved.deadline == moved.updated_at + (moved.times.left[0] or HOUR)
    await server.restart()
    assert await server.matches.load(match.id) == moved


async def test_no_press_gets_back_more_than_it_took(server: Server) -> None:
    match = await begin(server, "5+0", 1)
    server.clock.instant = match.updated_at + 10 * SECOND

    moved = await server.matches.play(match.id, user_id=BEN.id, ply=1, move=LINE[1], late_by=HOUR)
    assert moved.times.left[1] == 5 * MINUTE - 8 * SECOND  # 11 seconds, of which 3 are credited
    at_once = await server.matches.play(
        match.id, user_id=ANNA.id, ply=2, move=LINE[2], late_by=HOUR
    )
    # A press cannot have been made before there was something to answer.
    assert at_once.times.left[0] == moved.times.left[0]


async def test_a_press_made_in_time_counts_though_it_comes_after_the_deadline(
    server: Server,
) -> None:
    match = await begin(server, "1+0", 1)
    server.clock.instant = deadline_of(match)
    with pytest.raises(ClockRunningError):
        await server.matches.claim_time(match.id, user_id=ANNA.id)
    assert await server.matches.times.settle_overdue() == []
    server.clock.instant = deadline_of(match)

    moved = await server.matches.play(
        match.id, user_id=BEN.id, ply=1, move=LINE[1], late_by=timedelta(seconds=3)
    )
    assert moved.ply == 2

    server.clock.instant = deadline_of(moved)
    with pytest.raises(TimeOverError):
        await server.matches.play(
            match.id, user_id=ANNA.id, ply=2, move=LINE[2], late_by=timedelta(seconds=0.5)
        )


async def test_an_offer_of_the_other_does_not_end_a_turn_before_a_press_can_arrive(
    server: Server,
) -> None:
    match = await begin(server, "1+0", 1)
    server.clock.instant = deadline_of(match)

    offered = await server.matches.offer_draw(match.id, user_id=ANNA.id)
    assert offered.draw_offer == 0
    server.clock.instant += LATENCY
    with pytest.raises(TimeOverError):
        await server.matches.decline_draw(match.id, user_id=ANNA.id)


async def test_a_click_delivered_again_after_the_deadline_is_no_forfeit(server: Server) -> None:
    match = await begin(server, "1h", 1)
    server.clock.instant = deadline_of(match) + DAY

    again = await server.matches.play(match.id, user_id=ANNA.id, ply=0, move=LINE[0])

    assert again == match


@pytest.mark.parametrize("act", ["swap", "resign", "offer_draw", "ask_takeback"])
async def test_nothing_else_helps_after_the_deadline(server: Server, act: str) -> None:
    match = await begin(server, "5+0", 1, variant_key="pie")
    server.clock.instant = deadline_of(match)
    given = {"ply": 1} if act == "swap" else {}

    with pytest.raises(TimeOverError):
        await getattr(server.matches, act)(match.id, user_id=BEN.id, **given)

    assert (await server.matches.load(match.id)).winner == 0


async def test_the_computer_never_loses_on_time(server: Server) -> None:
    match = await server.begin(clock=ClockRules.parse("1+0"), first=FirstMove.COMPUTER)
    server.clock.instant += DAY
    assert await server.matches.times.settle_overdue() == []
    replied = await server.matches.reply(match.id)
    assert replied.deadline == replied.updated_at + MINUTE
    played = await server.play(replied, replied.position.legal_moves[0])
    assert played.deadline is None
    assert played.time_left(0, played.updated_at) is None
    server.clock.instant += DAY

    with pytest.raises(ClockRunningError, match="The computer needs no clock"):
        await server.matches.claim_time(match.id, user_id=ANNA.id)
    again = await server.matches.reply(match.id)
    server.clock.instant += DAY
    assert [ended.winner for ended in await server.matches.times.settle_overdue()] == [0]
    assert again.ply == 3


# Settling.


async def test_time_can_be_claimed_once_it_has_run_out(server: Server) -> None:
    match = await begin(server, "1d", 1)
    with pytest.raises(ClockRunningError, match=r"Ben has 23 hours 59 minutes left\."):
        await server.matches.claim_time(match.id, user_id=ANNA.id)
    with pytest.raises(NotAPlayerError):
        await server.matches.claim_time(match.id, user_id=CLEO.id)
    server.clock.instant = deadline_of(match)
    with pytest.raises(ClockRunningError, match=r"Ben has 0 seconds left\."):
        await server.matches.claim_time(match.id, user_id=ANNA.id)  # a press may be on its way
    server.clock.instant = deadline_of(match) + LATENCY

    claims = await asyncio.gather(
        *(server.matches.claim_time(match.id, user_id=ANNA.id) for _ in range(10)),
        server.matches.times.settle_overdue(),
    )

    assert len({claim.updated_at for claim in claims[:10]}) == 1
    assert claims[10] in ([], [claims[0]])
    assert claims[0].result_in_words == "Anna won because Ben ran out of time"


async def test_a_match_that_ended_otherwise_cannot_be_claimed(server: Server) -> None:
    match = await begin(server, "1h", 1)
    await server.matches.resign(match.id, user_id=ANNA.id)
    server.clock.instant += DAY

    with pytest.raises(MatchOverError, match="Anna resigned"):
        await server.matches.claim_time(match.id, user_id=ANNA.id)
    assert await server.matches.times.settle_overdue() == []


async def test_the_bot_settles_what_is_overdue_even_after_a_restart(server: Server) -> None:
    short, longer, none = [await begin(server, clock) for clock in ("1h", "2h", "none")]
    # The stop and the start look too.
    server.clock.instant = deadline_of(short) + LATENCY - 4 * SECOND
    await server.restart()
    assert await server.matches.times.settle_overdue() == []

    settled = await server.matches.times.settle_overdue()

    assert [match.id for match in settled] == [short.id]
    assert settled[0].winner == 1
    next_at = await server.matches.times.next_deadline(server.clock.instant)
    assert next_at == deadline_of(longer) + LATENCY
    assert await server.matches.times.settle_overdue() == []
    assert not (await server.matches.load(none.id)).is_over


async def test_a_match_that_cannot_be_read_does_not_keep_others_from_their_end(
    server: Server,
) -> None:
    broken, sound = await begin(server, "1h", 1), await begin(server, "1h")
    await server.database.write(
        lambda c: c.execute(text(f"UPDATE move SET cell = 99 WHERE match_id = {broken.id}"))
    )
    await server.restart()
    with pytest.raises(BrokenRecordError):
        await server.matches.load(broken.id)
    server.clock.instant = deadline_of(sound) + HOUR
    await server.matches.times.note_running()

    assert [match.id for match in await server.matches.times.settle_overdue()] == [sound.id]
    # Nor does it keep the task awake.
    assert await server.matches.times.next_deadline(server.clock.instant) is None


async def test_a_broken_match_keeps_nobody_from_being_reminded(server: Server) -> None:
    await wants(server, BEN.id, Notices.DM)
    broken, sound = await begin(server, "4h", 1), await begin(server, "4h", 1)
    await server.database.write(
        lambda c: c.execute(text(f"UPDATE move SET cell = 99 WHERE match_id = {broken.id}"))
    )
    await server.restart()

    reminders = await server.matches.times.due_reminders(sound.updated_at + 3 * HOUR)

    assert [reminder.match.id for reminder in reminders] == [sound.id]


async def test_of_a_move_and_the_deadline_one_decides(server: Server) -> None:
    for late in (-2, 3):
        match = await begin(server, "1h", 1)
        server.clock.instant = deadline_of(match) + late * SECOND
        results = await asyncio.gather(
            server.matches.play(match.id, user_id=BEN.id, ply=1, move=LINE[1]),
            server.matches.claim_time(match.id, user_id=ANNA.id),
            return_exceptions=True,
        )
        stored = await server.matches.load(match.id)
        assert sum(isinstance(result, Match) for result in results) == 1
        assert stored in results


async def test_the_end_is_told_in_its_own_transaction(server: Server) -> None:
    """Ratings hang on it: what they raise keeps the match from ending."""
    ends: list[tuple[int, str]] = []

    def on_end(connection: Connection, match: Match, now: datetime) -> None:
        stored = connection.execute(text(f"SELECT status FROM match WHERE id = {match.id}"))
        assert now == match.ended_at
        ends.append((match.id, stored.scalar_one()))
        if len(ends) == 1:
            raise OSError(errno.ENOSPC, "full")

    server.on_end = on_end
    await server.restart()
    match = await begin(server, "1h", 1)
    with pytest.raises(OSError, match="full"):
        await server.matches.resign(match.id, user_id=ANNA.id)
    assert not (await server.matches.load(match.id)).is_over
    ended = await server.matches.resign(match.id, user_id=ANNA.id)
    await server.matches.place(match.id, channel_id=1, message_id=2)

    assert ended.is_over
    assert ends == [(match.id, "finished")] * 2


# The bot's own absence.


async def test_the_bots_own_absence_costs_nobody_time(server: Server) -> None:
    match, live = await begin(server, "1h", 1), await begin(server, "5+0", 1)
    challenge = await server.offer(opponent=None)
    await server.matches.times.note_running()
    away_from = server.clock.instant
    await server.crash()
    server.clock.instant = away_from + 5 * HOUR - SECOND
    await server.start()

    for before in (match, live):
        after = await server.matches.load(before.id)
        assert deadline_of(after) == deadline_of(before) + 5 * HOUR
    assert await server.matches.times.settle_overdue() == []
    offered = await server.challenges.load(challenge.id)
    assert offered.expires_at == challenge.expires_at + 5 * HOUR
    assert (await server.play(await server.matches.load(match.id), LINE[1])).ply == 2


async def test_many_crashes_give_the_time_once(server: Server) -> None:
    match = await begin(server, "1d", 1)
    await server.matches.times.note_running()
    noted_at = server.clock.instant
    await server.crash()
    server.clock.instant = noted_at + HOUR - SECOND
    for _ in range(5):
        await server.start()
        await server.crash()
    await server.start()

    after = await server.matches.load(match.id)
    assert deadline_of(after) == deadline_of(match) + HOUR
    rows = await server.database.read(
        lambda c: c.execute(text("SELECT ended_at - began_at FROM downtime")).scalars().all()
    )
    assert rows == [HOUR // timedelta(milliseconds=1)]


async def test_a_crash_while_the_time_is_given_gives_all_or_nothing(server: Server) -> None:
    match = await begin(server, "1d", 1)
    await server.crash()
    server.clock.instant += HOUR
    await server.start()
    given = deadline_of(await server.matches.load(match.id)) - deadline_of(match)
    await server.database.write(
        lambda c: c.execute(
            text(
                "CREATE TRIGGER full BEFORE INSERT ON downtime "
                "BEGIN SELECT RAISE(ABORT, 'full'); END"
            )
        )
    )
    await server.crash()
    server.clock.instant += HOUR

    with pytest.raises(Exception, match="full"):
        await server.start()
    await server.stop()

    with sqlite3.connect(server.url.removeprefix("sqlite+aiosqlite:///")) as connection:
        connection.execute("DROP TRIGGER full")
    connection.close()
    await server.start()
    later = deadline_of(await server.matches.load(match.id)) - deadline_of(match)
    assert given < later
    assert later >= 2 * HOUR


async def test_a_short_absence_is_none(server: Server) -> None:
    match = await begin(server, "1h", 1)
    await server.matches.times.note_running()
    noted_at = server.clock.instant
    await server.crash()
    server.clock.instant = noted_at + 2 * MINUTE - SECOND
    await server.start()

    assert (await server.matches.load(match.id)).deadline == match.deadline


async def test_a_deadline_that_had_passed_before_is_not_saved_by_it(server: Server) -> None:
    match = await begin(server, "1h", 1)
    server.clock.instant = deadline_of(match)
    await server.matches.times.note_running()
    await server.crash()
    server.clock.instant += DAY
    await server.start()

    assert [ended.id for ended in await server.matches.times.settle_overdue()] == [match.id]


async def test_a_full_disk_does_not_keep_the_bot_from_closing(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(_times: Timekeeping) -> None:
        raise StorageFailedError

    monkeypatch.setattr(Timekeeping, "note_running", refuse)

    await server.matches.close()


# Reminders.


async def wants(server: Server, user_id: int, notices: Notices) -> None:
    store = PreferenceStore(server.database, server.clock)
    await store.put(user_id, PlayerPreferences(notices=notices))


async def test_a_reminder_comes_once_a_turn_and_only_if_wanted(server: Server) -> None:
    await wants(server, BEN.id, Notices.DM)
    match = await begin(server, "4h", 1)
    live = await begin(server, "5+0", 1)
    due = match.updated_at + 3 * HOUR
    assert await server.matches.times.due_reminders(due - SECOND) == []
    server.clock.instant = due

    (reminder,) = await server.matches.times.due_reminders(due)
    server.clock.instant = due
    await server.restart()

    assert (reminder.user_id, reminder.notices) == (BEN.id, Notices.DM)
    assert reminder.match.id == match.id
    assert reminder.match.times.remind_at is None
    assert await server.matches.times.due_reminders(due) == []
    assert live.times.remind_at is None
    moved = await server.play(await server.matches.load(match.id), LINE[1], LINE[2])
    assert len(await server.matches.times.due_reminders(moved.updated_at + 3 * HOUR)) == 1
    assert await server.matches.times.due_reminders(moved.updated_at + 9 * HOUR) == []


async def test_who_has_not_asked_is_not_reminded(server: Server) -> None:
    await wants(server, BEN.id, Notices.NONE)
    match = await begin(server, "4h", 1)
    due = match.updated_at + 3 * HOUR

    assert await server.matches.times.due_reminders(due) == []
    await wants(server, BEN.id, Notices.CHANNEL)
    assert len(await server.matches.times.due_reminders(due)) == 1


async def test_of_two_who_look_one_reminds(server: Server) -> None:
    await wants(server, BEN.id, Notices.DM)
    match = await begin(server, "4h", 1)
    due = match.updated_at + 3 * HOUR

    found = await asyncio.gather(*(server.matches.times.due_reminders(due) for _ in range(5)))

    assert sum(len(reminders) for reminders in found) == 1


async def test_a_draw_offer_does_not_bring_the_reminder_again(server: Server) -> None:
    await wants(server, BEN.id, Notices.DM)
    match = await begin(server, "4h", 1)
    due = match.updated_at + 3 * HOUR
    await server.matches.times.due_reminders(due)

    await server.matches.offer_draw(match.id, user_id=ANNA.id)

    assert await server.matches.times.due_reminders(due) == []


# Vacations.


async def test_a_vacation_lets_clocks_stand_still(server: Server) -> None:
    waiting, others = await begin(server, "1d", 1), await begin(server, "1d")
    now = server.clock.instant + SECOND

    vacation = await server.matches.times.set_vacation(BEN.id, now + 10 * DAY)

    assert (vacation.until, vacation.left) == (now + 10 * DAY, 20 * DAY)
    assert (await server.matches.load(waiting.id)).deadline == deadline_of(waiting) + 10 * DAY
    passed_on = await server.play(await server.matches.load(others.id), LINE[0])
    assert passed_on.deadline == now + 11 * DAY
    new = await server.begin_between(clock=ClockRules.parse("1d"), side=1)
    assert new.deadline == now + 11 * DAY
    await server.restart()
    assert await server.matches.load(others.id) == passed_on
    assert (await server.matches.times.vacation_of(BEN.id)).until == now + 10 * DAY
    assert (await server.matches.times.vacation_of(ANNA.id)).until is None


async def test_a_vacation_is_known_after_a_restart_and_until_it_ends(server: Server) -> None:
    first, second = await begin(server, "1d"), await begin(server, "1d")
    until = server.clock.instant + 10 * DAY
    await server.matches.times.set_vacation(BEN.id, until)

    await server.restart()

    away = await server.play(await server.matches.load(first.id), LINE[0])
    assert away.deadline == until + DAY
    await server.matches.times.set_vacation(BEN.id, None)
    back = await server.play(await server.matches.load(second.id), LINE[0])
    assert back.deadline == server.clock.instant + DAY


async def test_live_clocks_know_no_vacation(server: Server) -> None:
    live = await begin(server, "5+0", 1)
    with pytest.raises(VacationError, match=rf"Game {live.id} is played with a live clock"):
        await server.matches.times.set_vacation(ANNA.id, server.clock.instant + 2 * DAY)
    assert (await server.matches.times.vacation_of(ANNA.id)).until is None
    await server.matches.resign(live.id, user_id=BEN.id)
    until = server.clock.instant + 2 * DAY
    await server.matches.times.set_vacation(ANNA.id, until)
    again = await begin(server, "5+0")

    assert again.deadline == again.updated_at + 5 * MINUTE
    longer = await server.matches.times.set_vacation(ANNA.id, until + DAY)
    assert longer.until == until + DAY


async def test_a_vacation_can_be_made_longer_shorter_and_ended(server: Server) -> None:
    match = await begin(server, "1d", 1)
    server.clock.instant -= SECOND
    base = server.clock.instant + SECOND
    await server.matches.times.set_vacation(BEN.id, base + 10 * DAY)
    await server.matches.times.set_vacation(BEN.id, base + 12 * DAY)
    first = await server.matches.load(match.id)
    assert deadline_of(first) == deadline_of(match) + 12 * DAY
    server.clock.instant = base + 2 * DAY - SECOND

    ended = await server.matches.times.set_vacation(BEN.id, None)

    assert (ended.until, ended.left) == (None, 28 * DAY)
    after = await server.matches.load(match.id)
    assert deadline_of(after) == deadline_of(match) + 2 * DAY
    assert await server.matches.times.set_vacation(BEN.id, None) == ended
    again = await server.matches.times.set_vacation(BEN.id, base + 30 * DAY)
    assert again.left < timedelta(seconds=30)


async def test_thirty_days_a_year_and_no_more(server: Server) -> None:
    now = server.clock.instant
    with pytest.raises(VacationError, match="passed already"):
        await server.matches.times.set_vacation(BEN.id, now - DAY)
    with pytest.raises(VacationError, match=r"of 2026 you have 30 days left\."):
        await server.matches.times.set_vacation(BEN.id, now + 31 * DAY)
    assert (await server.matches.times.vacation_of(BEN.id)).left == 30 * DAY
    await server.matches.times.set_vacation(BEN.id, now + 20 * DAY)
    with pytest.raises(VacationError, match="10 days left beyond the vacation you are on"):
        await server.matches.times.set_vacation(BEN.id, now + 31 * DAY)
    assert (await server.matches.times.vacation_of(BEN.id)).until == now + 20 * DAY


async def test_days_count_for_the_year_they_lie_in(server: Server) -> None:
    server.clock.instant = datetime(2026, 12, 17, tzinfo=UTC) - SECOND

    vacation = await server.matches.times.set_vacation(BEN.id, datetime(2027, 1, 31, tzinfo=UTC))

    assert vacation.left == 15 * DAY
    with pytest.raises(VacationError):
        await server.matches.times.set_vacation(BEN.id, datetime(2027, 2, 1, tzinfo=UTC))


async def test_a_vacation_does_not_bring_back_what_is_lost(server: Server) -> None:
    match = await begin(server, "1h", 1)
    server.clock.instant = deadline_of(match)

    await server.matches.times.set_vacation(BEN.id, server.clock.instant + 10 * DAY)

    server.clock.instant += LATENCY
    assert [ended.id for ended in await server.matches.times.settle_overdue()] == [match.id]
