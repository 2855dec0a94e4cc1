"""Everything that can be done to a match. The only writer of matches."""

from __future__ import annotations

import contextlib
import random
from datetime import timedelta
from typing import TYPE_CHECKING, Final, Self

from bot.clock import Clock, system_clock
from bot.model import starting
from bot.model.actions import Action, Request
from bot.model.clock_rules import NO_CLOCK, ClockRules
from bot.model.errors import NoMatchError, RestartingError, StorageFailedError
from bot.model.match import FirstMove, Match, Person
from bot.model.starting import Start
from bot.model.turns import check_turn
from bot.operations import Operations
from bot.services.clocks import Clocks
from bot.services.match_cache import MatchCache
from bot.services.match_context import MatchContext
from bot.services.playing import Playing
from bot.services.replies import Thinking
from bot.storage import matches as rows

if TYPE_CHECKING:
    from types import TracebackType

    from bot.services.computer import ComputerPlayers
    from bot.storage import Database
    from engine import Game
    from engine.records import GameRecord

_AT_ONCE: Final = timedelta()


class MatchService:
    """Starts matches, plays in them and ends them. Use it as a context manager.

    What a method returns is on disk. Each works on one match at a time under that
    match's lock and is carried out to its end even if its caller is cancelled.

    Args:
        database: Where matches are kept; must outlive the service.
        computer: Who thinks for the seats of the computer; must outlive it too.
        clock: Tells the time.
        rng: Decides who starts, draws openings, and swaps for those who do not think.

    Attributes:
        times: What follows from clocks: settling, reminders, vacations.
        context: What the other services that work on matches share with this one.
    """

    def __init__(
        self,
        database: Database,
        computer: ComputerPlayers,
        *,
        clock: Clock = system_clock,
        rng: random.Random | None = None,
    ) -> None:
        self._rng = random.SystemRandom() if rng is None else rng
        self._cache = MatchCache(database)
        self._operations = Operations()
        self._thinking = Thinking(computer)
        self.context = MatchContext(
            database=database,
            clock=clock,
            rng=self._rng,
            cache=self._cache,
            operations=self._operations,
            thinking=self._thinking,
        )
        self._playing = Playing(self.context)
        self.times = Clocks(self.context)

    async def __aenter__(self) -> Self:
        # Before anybody can come too late by the bot's fault.
        await self.times.come_back()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop thinking, finish what has been begun, and take nothing more."""
        await self._thinking.close()
        await self._operations.close()
        with contextlib.suppress(StorageFailedError, RestartingError):
            await self.times.note_running()

    # Starting.

    async def start_against_computer(
        self,
        *,
        person: Person,
        level: int,
        first: FirstMove = FirstMove.YOU,
        variant_key: str = "standard",
        opening_code: str | None = None,
        rated: bool = False,
        clock: ClockRules = NO_CLOCK,
        channel_id: int | None = None,
        guild_id: int | None = None,
    ) -> Match:
        """Start a match of a person against the computer.

        If the computer is to move, it does so when `reply` is called. The key names a
        variant or gives options, such as "won_board=open,goal=five". A drawn opening
        is drawn if no code is given.

        Raises:
            UnknownLevelError: If there is no such level.
            UnknownVariantError: If there are no such rules.
            InvalidNotationError: If the code is invalid, or these rules have none.
            NotRatedError: If it is to be rated, and such a game never is.
            TooManyMatchesError: If the person has as many as one may have.
            StorageFailedError: If it could not be stored.
        """
        rules = starting.find_rules(variant_key)
        if rated:
            starting.check_rated(rules, opening_code)
        side = starting.side_of_person(first, self._rng)
        start = Start(
            game=starting.begin_game(rules, opening_code, self._rng),
            seats=starting.seats_against_computer(person, level, side),
            guild_id=guild_id,
            channel_id=channel_id,
            rated=rated,
            clock=clock,
        )
        return await self._operations.run(self._playing.start(start))

    async def start_from_record(
        self,
        given: GameRecord | Game,
        *,
        person: Person,
        side: int,
        level: int,
        channel_id: int | None = None,
        guild_id: int | None = None,
    ) -> Match:
        """Start a match of a person against the computer from the end of another game.

        Its moves are stored as if they had been played at once, a swap of seats too;
        who played them does not matter. The person goes on with the marks of `side`,
        X or O, as they are on the board.

        Raises:
            FinishedGameError: If that game is over.
            PlayerError: As for `start_against_computer`.
        """
        start = Start(
            game=starting.game_to_play_on(given),
            seats=starting.seats_against_computer(person, level, side),
            guild_id=guild_id,
            channel_id=channel_id,
        )
        return await self._operations.run(self._playing.start(start))

    async def start_again(
        self, match_id: int, *, user_id: int, channel_id: int | None = None
    ) -> Match:
        """Start a match like one that is over, begun by whoever moved second in it.

        Asked for twice, it returns the one that was started the first time.

        Raises:
            MatchNotFoundError: If there is no such match.
            NotAPlayerError: If the person has no seat in it.
            MatchNotOverError: If it is still going on.
            RematchNeedsBothError: If it was between two people, who have to agree.
            PlayerError: As for `start_against_computer`.
        """
        return await self._operations.run(self._playing.start_again(match_id, user_id, channel_id))

    async def begun(self, match_id: int, by: int | None = None) -> Match:
        """Return a match that another service has just stored, by a person's doing."""
        return await self._playing.begun(match_id, by)

    # Looking.

    async def load(self, match_id: int) -> Match:
        """Return a match as it is now.

        Raises:
            MatchNotFoundError: If there is no such match.
        """
        return await self._look_at(match_id)

    async def load_for(self, match_id: int, *, user_id: int) -> Match:
        """Return a match for somebody who has a seat in it.

        Raises:
            MatchNotFoundError: If there is no such match.
            NotAPlayerError: If the person has no seat in it.
        """
        return await self._look_at(match_id, user_id)

    async def _look_at(self, match_id: int, user_id: int | None = None) -> Match:
        self._operations.check_open()
        known = self._cache.at_rest(match_id, user_id)
        if known is not None:
            return known
        return await self._operations.run(self._playing.load(match_id, user_id))

    async def check_turn(
        self, match_id: int, *, user_id: int, ply: int, revision: int | None = None
    ) -> Match:
        """Return a match if a person may move in it at `ply`, as `play` would find it.

        Raises:
            MatchNotFoundError: If there is no such match.
            NotAPlayerError: If the person has no seat in it.
            MatchOverError: If it has ended.
            StaleBoardError: If it is no longer at `ply`.
            NotYourTurnError: If the other seat is to move.
        """
        match = await self.load_for(match_id, user_id=user_id)
        check_turn(match, Request(user_id=user_id, ply=ply, revision=revision))
        return match

    async def latest_of(self, user_id: int, channel_id: int | None = None) -> Match | None:
        """Return a person's newest match, an ongoing one before any that has ended.

        Args:
            user_id: Who has a seat in it.
            channel_id: Where it is shown; None for anywhere.
        """
        return await self._cache.find(rows.find_latest, user_id, channel_id)

    async def latest_for(self, user_id: int, channel_id: int | None = None) -> Match:
        """Return the match that a person means who names none.

        That is their newest in the channel, failing that their newest anywhere; an
        ongoing one goes before any that has ended.

        Raises:
            NoMatchError: If they have none.
        """
        match = await self.latest_of(user_id, channel_id)
        if match is None and channel_id is not None:
            match = await self.latest_of(user_id)
        if match is None:
            raise NoMatchError
        return match

    async def ongoing_of(self, user_id: int) -> list[Match]:
        """Return a person's ongoing matches, the newest first."""
        return await self._cache.list(rows.list_ongoing, user_id)

    async def awaiting_computer(self) -> list[Match]:
        """Return the matches that wait for the computer, to be replied to after a restart."""
        return await self._cache.list(rows.list_awaiting_computer)

    # Playing.

    async def perform(
        self,
        match_id: int,
        action: Action,
        *,
        user_id: int,
        ply: int | None = None,
        revision: int | None = None,
        late_by: timedelta = _AT_ONCE,
    ) -> Match:
        """Do something to a match for a person, and return it as it is then.

        What is returned is stored. The same click delivered twice is no mistake.

        Args:
            match_id: Which match.
            action: What to do.
            user_id: Who wants it.
            ply: The number of the position that they saw; None where that does not matter.
            revision: The revision that they saw; None for whatever is current at that ply.
            late_by: How long the click has been on its way, which costs them no time.

        Raises:
            MatchNotFoundError: If there is no such match.
            MatchError: If it may not be done, with the match as it is: NotAPlayerError,
                MatchOverError, TimeOverError if the clock has ended it now, StaleBoardError,
                NotYourTurnError, OfferError, NothingToTakeBackError or ClockRunningError.
            IllegalMoveError: If the rules of the game forbid it.
            StorageFailedError: If it could not be stored; nothing has changed then.
        """
        request = Request(user_id=user_id, ply=ply, revision=revision, late_by=late_by)
        return await self._operations.run(self.context.perform(match_id, action, request))

    async def reply(self, match_id: int) -> Match:
        """Let the computer move, or swap seats, if it is its turn; return the match.

        Safe to call at any time and any number of times: one position is thought
        about once, and a result that comes too late is dropped.

        Raises:
            MatchNotFoundError: If there is no such match.
            ComputerFailedError: If the search broke; the match waits for it still.
            RestartingError: If the service is closing.
            StorageFailedError: If the move could not be stored.
        """
        match = await self.load(match_id)
        if match.level_to_move is None:
            return match
        report = await self._thinking.think(match)
        if report is None:
            return await self.load(match_id)
        return await self._operations.run(self._playing.answer(match, report))

    async def place(self, match_id: int, *, channel_id: int, message_id: int) -> Match:
        """Remember where the newest board of a match is shown.

        Raises:
            MatchNotFoundError: If there is no such match.
            StorageFailedError: If it could not be stored.
        """
        return await self._operations.run(self._playing.place(match_id, channel_id, message_id))
