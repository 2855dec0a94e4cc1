"""The services as whole-match tests drive them: the only place that knows their names.

The tests refer to people by name, to matches by number, and to refusals by their kind. They see
views, never a service's own value: when the services change, this module changes and they do not.
"""

from __future__ import annotations

import asyncio
import random
import sqlite3
import tempfile
import threading
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar
from unittest.mock import patch

from sqlalchemy import event, select, update

from bot.model import actions, errors
from bot.model.actions import Action, Play, Swap, Undo
from bot.model.challenges import Challenge, Offer
from bot.model.clocks import ClockRules
from bot.model.match import FirstMove, Match, Person
from bot.model.notices import News, Step, done_with, news_of
from bot.model.preferences import Notices, PlayerPreferences
from bot.services.challenges import ChallengeService
from bot.services.clocks import ClockScheduler, next_deadline
from bot.services.computer import ComputerPlayers
from bot.services.matches import MatchService
from bot.services.preferences import PreferenceStore
from bot.services.starting import start_against_computer, start_from_record
from bot.services.vacations import set_vacation, vacation_of
from bot.storage import matches as match_rows
from bot.storage import open_storage
from bot.storage.matches import to_match
from bot.storage.schema import setting
from engine import (
    EngineError,
    IllegalMoveError,
    InvalidNotationError,
    Level,
    Position,
    SearchReport,
    parse_record,
)
from tests.bot.services.timed import silent_queue
from tests.bot.services.views import (
    ChallengeView,
    EventView,
    MatchView,
    RefusedError,
    Round,
    Told,
)
from tests.empty_database import put_empty_database

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

T = TypeVar("T")

START: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
NAMES: Final = ("Anna", "Ben", "Cleo")
IDS: Final = {name: 100_000_000_000_000_001 + number for number, name in enumerate(NAMES)}
BY_ID: Final = {number: name for name, number in IDS.items()}

KINDS: Final[dict[type[Exception], str]] = {
    errors.CannotChallengeError: "cannot challenge",
    errors.ChallengeClosedError: "challenge closed",
    errors.ChallengeNotFoundError: "no such challenge",
    errors.ClockRunningError: "clock running",
    errors.ComputerFailedError: "computer failed",
    errors.FinishedGameError: "finished game",
    errors.InvalidClockError: "invalid clock",
    errors.MatchNotFoundError: "no such match",
    errors.MatchNotOverError: "match not over",
    errors.MatchOverError: "match over",
    errors.NotAPlayerError: "not a player",
    errors.NotRatedError: "not rated",
    errors.NotYourChallengeError: "not your challenge",
    errors.NotYourTurnError: "not your turn",
    errors.NothingToTakeBackError: "nothing to take back",
    errors.OfferError: "no such offer",
    errors.RematchNeedsBothError: "rematch needs both",
    errors.RestartingError: "restarting",
    errors.StaleBoardError: "stale board",
    errors.StorageFailedError: "storage failed",
    errors.TimeOverError: "time over",
    errors.TooManyChallengesError: "too many challenges",
    errors.TooManyMatchesError: "too many matches",
    errors.UnknownLevelError: "unknown level",
    errors.UnknownVariantError: "unknown variant",
    errors.VacationError: "no such vacation",
    IllegalMoveError: "illegal move",
    InvalidNotationError: "invalid notation",
}


def person(name: str) -> Person:
    return Person(id=IDS[name], name=name)


@dataclass
class StandingClock:
    """Stands still until it is moved, however often it is read."""

    now: datetime = START

    def __call__(self) -> datetime:
        return self.now


@dataclass
class ScriptedComputer:
    """Moves as told: to a cell, or to a legal one by its index.

    Attributes:
        cell: The cell to play; None to use `pick`.
        pick: The index of the legal move, modulo their number.
        score: Its opinion of its side; below one half it prefers the other.
        go_on: Clear it to make the computer think until it is set or the search is stopped.
        begun: Set as soon as the computer thinks.
    """

    cell: int | None = None
    pick: int = 0
    score: float = 0.6
    go_on: threading.Event = field(default_factory=threading.Event)
    begun: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.go_on.set()

    def __call__(
        self, position: Position, level: Level, stop: threading.Event, max_seconds: float
    ) -> SearchReport:
        del level, max_seconds
        self.begun.set()
        while not self.go_on.wait(0.001) and not stop.is_set():
            pass
        legal = position.legal_moves
        move = legal[self.pick % len(legal)] if self.cell is None else self.cell
        return SearchReport(
            move=move,
            score_for_side=self.score,
            iterations=100,
            seconds=0.0,
            principal_line=(move,),
            visits={},
            proven=None,
        )


@dataclass
class Fault:
    """A disk that is full at a certain write; `struck` is set once it was."""

    how: str
    after: int = 0
    struck: bool = False

    def write(self, connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if self.how == "commit" or not statement.startswith(("INSERT", "UPDATE", "DELETE")):
            return
        self.after -= 1
        if self.after < 0:
            self.struck = True
            if self.how == "rollback":  # as SQLite does by itself on some errors
                connection.connection.dbapi_connection.rollback()
            raise sqlite3.OperationalError("database or disk is full")

    def commit(self, _connection: Any) -> None:
        if self.how == "commit":
            self.struck = True
            raise sqlite3.OperationalError("disk I/O error")


FAULTS: Final = ("statement", "rollback", "commit")


class Services:
    """Everything in the bot that keeps state, on one database; it can be restarted.

    Attributes:
        url: The database's.
        told: The steps that others were told of since this was last cleared.
        clock: The time of all services.
        computer: The computer player that they use.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.clock = StandingClock()
        self.computer = ScriptedComputer()
        self.told: list[Told] = []
        self._rng = random.Random()
        self._parts = AsyncExitStack()
        self._own_tasks: set[asyncio.Task[Any]] = set()

    # Life.

    async def start(self) -> None:
        put_empty_database(self.url)
        enter = self._parts.enter_async_context
        self._database = await enter(open_storage(self.url))
        computer = await enter(ComputerPlayers(threads=2, seconds=60, search=self.computer))
        self._matches = await enter(
            MatchService(
                self._database, computer, clock=self.clock, rng=self._rng, watches_clock=False
            )
        )
        self._challenges = ChallengeService(self._matches)
        self._matches.watchers.append(self._watch)
        self._own_tasks = asyncio.all_tasks()

    async def stop(self) -> None:
        parts, self._parts = self._parts, AsyncExitStack()
        await parts.aclose()

    async def restart(self, *, away: timedelta = timedelta(), crash: bool = False) -> None:
        """Stop, let time pass, and start; a crash leaves the last heartbeat from before it."""
        note = select(setting).where(setting.c.key == "heartbeat")
        noted = await self._database.read(lambda connection: connection.execute(note).one())
        await self.stop()
        if crash:
            put_back = update(setting).where(setting.c.key == "heartbeat").values(noted._mapping)
            async with open_storage(self.url) as database:
                await database.write(lambda connection: connection.execute(put_back))
        self.clock.now += away
        await self.start()

    async def quiet(self) -> None:
        """Wait until everything begun for callers who have gone is done."""
        while rest := asyncio.all_tasks() - self._own_tasks - {asyncio.current_task()}:
            await asyncio.wait(rest)

    def throw(self, seed: str) -> None:
        """Seed the random choices that follow."""
        self._rng.seed(seed)

    @contextmanager
    def fault(self, how: str, after: int = 0) -> Iterator[Fault]:
        """Make one write inside the block fail: a statement, or the commit."""
        fault = Fault(how, after)
        engine = self._database.writing.engine.sync_engine
        event.listen(engine, "before_cursor_execute", fault.write)
        event.listen(engine, "commit", fault.commit)
        try:
            yield fault
        finally:
            event.remove(engine, "before_cursor_execute", fault.write)
            event.remove(engine, "commit", fault.commit)

    # Matches.

    async def start_match(
        self,
        who: str,
        *,
        level: int = 1,
        rules: str = "standard",
        first: str = "you",
        code: str | None = None,
        rated: bool = False,
        clock: str = "none",
        guild: int | None = None,
        channel: int | None = None,
    ) -> MatchView:
        return await self._seen(
            start_against_computer(
                self._matches,
                person=person(who),
                level=level,
                first=FirstMove(first),
                variant_key=rules,
                opening_code=code,
                rated=rated,
                clock=ClockRules.parse(clock),
                guild_id=guild,
                channel_id=channel,
            )
        )

    async def start_from_record(self, who: str, text: str, *, side: int, level: int) -> MatchView:
        return await self._seen(
            start_from_record(
                self._matches, parse_record(text), person=person(who), side=side, level=level
            )
        )

    async def play(
        self,
        who: str,
        number: int,
        cell: int,
        *,
        ply: int,
        revision: int | None = None,
        late: timedelta = timedelta(),
    ) -> MatchView:
        return await self._seen(
            self._matches.perform(
                number, Play(cell), user_id=IDS[who], ply=ply, revision=revision, late_by=late
            )
        )

    async def swap(
        self,
        who: str,
        number: int,
        *,
        ply: int,
        revision: int | None = None,
        late: timedelta = timedelta(),
    ) -> MatchView:
        return await self._seen(
            self._matches.perform(
                number, Swap(), user_id=IDS[who], ply=ply, revision=revision, late_by=late
            )
        )

    async def undo(self, who: str, number: int, revision: int | None = None) -> MatchView:
        return await self._seen(
            self._matches.perform(number, Undo(), user_id=IDS[who], revision=revision),
        )

    async def say(self, what: str, who: str, number: int) -> MatchView:
        """Do something that needs only a match and a person, such as "resign" or "offer_draw"."""
        said: dict[str, Action] = {
            "resign": actions.Resign(),
            "offer_draw": actions.OfferDraw(),
            "accept_draw": actions.AcceptDraw(),
            "decline_draw": actions.DeclineDraw(),
            "ask_takeback": actions.AskTakeback(),
            "accept_takeback": actions.AcceptTakeback(),
            "decline_takeback": actions.DeclineTakeback(),
            "claim_time": actions.ClaimTime(),
        }
        return await self._seen(self._matches.perform(number, said[what], user_id=IDS[who]))

    async def reply(self, number: int) -> MatchView:
        """Let the computer move if it is its turn."""
        return await self._seen(self._matches.reply(number))

    async def place(self, number: int, *, channel: int, message: int) -> MatchView:
        return await self._seen(self._matches.place(number, channel_id=channel, message_id=message))

    async def load(self, number: int) -> MatchView:
        return await self._seen(self._matches.load(number))

    async def read_anew(self) -> dict[int, MatchView]:
        """Return all matches as they are on disk, whatever is in memory."""
        found = await self._database.read(
            lambda c: match_rows.list_matches(
                c, c.exec_driver_sql("SELECT id FROM match").scalars().all()
            )
        )
        return {row.id: view_of(to_match(row)) for row in found}

    async def ongoing_of(self, who: str) -> list[int]:
        return [match.id for match in await self._matches.ongoing_of(IDS[who])]

    async def latest_of(self, who: str) -> int | None:
        match = await self._matches.latest_of(IDS[who])
        return None if match is None else match.id

    async def awaiting_computer(self) -> list[int]:
        return [match.id for match in await self._matches.awaiting_computer()]

    # Challenges.

    async def challenge(
        self,
        who: str,
        opponent: str | None,
        *,
        rules: str = "standard",
        code: str | None = None,
        side: int | None = None,
        rated: bool = False,
        clock: str = "none",
        guild: int | None = None,
        channel: int | None = None,
    ) -> ChallengeView:
        offered = Offer(
            challenger=person(who),
            opponent=None if opponent is None else person(opponent),
            variant_key=rules,
            opening_code=code,
            side=side,
            rated=rated,
            clock=ClockRules.parse(clock),
            guild_id=guild,
            channel_id=channel,
        )
        return challenge_view_of(await self._asked(self._challenges.offer(offered)))

    async def accept(self, who: str, number: int) -> MatchView:
        return await self._seen(self._challenges.accept(number, person=person(who)))

    async def answer(self, what: str, who: str, number: int) -> ChallengeView:
        """Do "decline" or "withdraw"."""
        close = {"decline": self._challenges.decline, "withdraw": self._challenges.withdraw}[what]
        return challenge_view_of(await self._asked(close(number, user_id=IDS[who])))

    async def rematch(self, who: str, number: int) -> ChallengeView | MatchView:
        found = await self._asked(self._challenges.rematch(number, person=person(who)))
        return view_of(found) if isinstance(found, Match) else challenge_view_of(found)

    async def load_challenge(self, number: int) -> ChallengeView:
        return challenge_view_of(await self._asked(self._challenges.load(number)))

    async def waiting_of(self, who: str) -> list[int]:
        """Return the challenges from and to somebody that wait for an answer."""
        return [each.id for each in await self._challenges.challenges_of(IDS[who])]

    async def block(self, who: str, other: str) -> list[int]:
        closed = await self._asked(self._challenges.block(IDS[who], IDS[other]))
        return [each.id for each in closed]

    async def unblock(self, who: str, other: str) -> None:
        await self._asked(self._challenges.unblock(IDS[who], IDS[other]))

    # Time.

    async def work(self) -> Round:
        """Do everything that is due now."""
        settled: list[MatchView] = []
        expired: list[ChallengeView] = []
        reminded: list[tuple[int, str, str]] = []

        def remind(news: News) -> None:
            reminded.append((news.match_id, BY_ID[news.user_id], str(news.kind)))

        self._matches.notifications = silent_queue(remind)
        deadlines = ClockScheduler(
            self._matches,
            self._challenges,
            on_settled=lambda match: settled.append(view_of(match)),
            on_expired=lambda challenge: expired.append(challenge_view_of(challenge)),
        )
        await self._asked(deadlines.work())
        return Round(settled=tuple(settled), expired=tuple(expired), reminded=tuple(reminded))

    async def note_running(self) -> None:
        """Note that the bot runs, so that nobody gets back the time that has passed."""
        await self._matches.note_running()

    async def next_deadline(self) -> datetime | None:
        return await next_deadline(self._matches, self.clock.now)

    async def set_vacation(self, who: str, until: datetime | None) -> datetime | None:
        """Begin, change or end a vacation, and return when it ends."""
        vacation = await self._asked(set_vacation(self._matches, IDS[who], until))
        return vacation.until

    async def vacation_of(self, who: str) -> tuple[datetime | None, timedelta]:
        vacation = await vacation_of(self._matches, IDS[who])
        return vacation.until, vacation.left

    async def want_notices(self, who: str, way: str) -> None:
        store = PreferenceStore(self._database, self.clock)
        await store.put(IDS[who], PlayerPreferences(notices=Notices(way)))

    # Between the services' values and ours.

    def _watch(self, step: Step) -> None:
        if step.by is None and step.before is not None and step.before.level_to_move is not None:
            return  # the computer's move is shown, and news for nobody
        self.told.append(
            Told(
                before=None if step.before is None else view_of(step.before),
                after=view_of(step.after),
                by=None if step.by is None else BY_ID[step.by],
                news=tuple((BY_ID[news.user_id], str(news.kind)) for news in news_of(step)),
                done=tuple(BY_ID[each] for each in done_with(step)),
            )
        )

    async def _seen(self, doing: Coroutine[Any, Any, Match]) -> MatchView:
        return view_of(await self._asked(doing))

    async def _asked(self, doing: Coroutine[Any, Any, T]) -> T:
        try:
            return await doing
        except (errors.PlayerError, EngineError) as error:
            shown: MatchView | ChallengeView | None = None
            if isinstance(error, errors.MatchError):
                shown = view_of(error.match)
            elif isinstance(error, errors.ChallengeError):
                shown = challenge_view_of(error.challenge)
            raise RefusedError(KINDS[type(error)], shown) from error


def view_of(match: Match) -> MatchView:
    """Return the view of a match."""
    seats = (_seat(match, 0), _seat(match, 1))
    ended = None
    if match.is_over:
        assert match.end_reason is not None
        ended = (str(match.end_reason), match.winner)
    return MatchView(
        number=match.id,
        rules=match.rules.key,
        code=match.opening_code,
        seats=seats,
        moves=match.moves,
        events=tuple(
            EventView(
                number=each.number,
                ply=each.ply,
                kind=str(each.kind),
                side=each.side,
                at=each.happened_at,
                cells=each.cells,
            )
            for each in match.events
        ),
        position=match.position,
        revision=match.revision,
        draw_offered_by=None if match.draw_offer is None else seats[match.draw_offer],
        takeback_asked_by=None if match.takeback_offer is None else seats[match.takeback_offer],
        ended=ended,
        previous=match.previous_id,
        guild=match.guild_id,
        channel=match.channel_id,
        message=match.message_id,
        created_at=match.created_at,
        updated_at=match.updated_at,
        ended_at=match.ended_at,
        rated=match.rated,
        clock=match.clock.key,
        left=match.times.left,
        deadline=match.deadline,
        remind_at=match.times.remind_at,
    )


def _seat(match: Match, side: int) -> str:
    seat = match.seats[side]
    return seat.name if seat.level is None else f"level {seat.level}"


def challenge_view_of(challenge: Challenge) -> ChallengeView:
    """Return the view of a challenge."""
    opponent, taker = challenge.opponent, challenge.taker
    return ChallengeView(
        number=challenge.id,
        challenger=challenge.challenger.name,
        opponent=None if opponent is None else opponent.name,
        taker=None if taker is None else taker.name,
        rules=challenge.variant_key,
        code=challenge.opening_code,
        side=challenge.side,
        rated=challenge.rated,
        clock=challenge.clock.key,
        status=str(challenge.status),
        previous=challenge.previous_id,
        match=challenge.match_id,
        guild=challenge.guild_id,
        channel=challenge.channel_id,
        message=challenge.message_id,
        created_at=challenge.created_at,
        expires_at=challenge.expires_at,
        closed_at=challenge.closed_at,
    )


def fast_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder for a file, in memory if possible: disks slow tests down."""
    memory = Path("/dev/shm")
    return tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None)


@contextmanager
def few_allowed(*, matches: int, challenges: int) -> Iterator[None]:
    """Allow a person so few matches and challenges that tests reach the limits."""
    with (
        patch("bot.storage.matches.MOST_ONGOING", matches),
        patch("bot.storage.challenges.MOST_OPEN", challenges),
    ):
        yield
