"""What should become of everything besides a match: challenges, vacations, ratings, the clock."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from engine import VARIANTS, Game, Rules
from tests.bot.services.predicted_match import ON_ITS_WAY, PredictedMatch
from tests.bot.services.views import (
    ChallengeView,
    MatchView,
    RefusedError,
    Round,
    Seats,
    is_computer,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

A_DAY: Final = timedelta(days=1)
NAMED_FOR: Final = A_DAY
OPEN_FOR: Final = timedelta(hours=1)
VACATION_A_YEAR: Final = 30 * A_DAY
SHORT_ABSENCE: Final = timedelta(minutes=2)
PAIR_GAMES_A_DAY: Final = 2
LIKE_THE_LAST: Final = 2


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a match that was to be rated: it counts unless there is a reason not to."""

    number: int
    people: frozenset[str]
    pool: str
    reason: str | None
    ended_at: datetime
    beginning: tuple[int, ...]
    winner: str | None
    seats: Seats


@dataclass
class World:
    """Everything the services remember, as far as it can be predicted simply.

    `stored` holds the matches as found on disk: anything left to chance is read there.
    """

    now: datetime
    noted_at: datetime
    most_matches: int
    most_challenges: int
    matches: dict[int, PredictedMatch] = field(default_factory=dict)
    challenges: dict[int, ChallengeView] = field(default_factory=dict)
    blocks: set[tuple[str, str]] = field(default_factory=set)
    vacations: dict[str, list[tuple[datetime, datetime]]] = field(default_factory=dict)
    notices: dict[str, str] = field(default_factory=dict)
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    stored: Mapping[int, MatchView] = field(default_factory=dict)

    def copied(self) -> World:
        """Return an independent copy."""
        other = replace(
            self,
            challenges=self.challenges.copy(),
            blocks=self.blocks.copy(),
            vacations={who: periods[:] for who, periods in self.vacations.items()},
            notices=self.notices.copy(),
            verdicts=self.verdicts.copy(),
        )
        other.matches = {
            number: match.copied(other.away_until) for number, match in self.matches.items()
        }
        return other

    # Matches.

    def match(self, number: int) -> PredictedMatch:
        if number not in self.matches:
            raise RefusedError("no such match")
        return self.matches[number]

    def begin(
        self,
        seats: Seats,
        rules: str,
        *,
        code: str | None = None,
        rated: bool = False,
        clock: str = "none",
        previous: int | None = None,
        guild: int | None = None,
        channel: int | None = None,
        asker: str | None = None,
        by_chance: bool = False,
    ) -> MatchView:
        """Begin a match, with the stored seats if they are left to chance."""
        for who in seats:
            if not is_computer(who):
                self._check_room(who)
        number = len(self.matches) + 1
        stored = self.stored.get(number)
        if stored is not None and code is None:
            code = stored.code
        if stored is not None and by_chance and sorted(stored.seats) == sorted(seats):
            seats = stored.seats
        if Rules.parse(rules).needs_opening_code:
            code = code or "12345"  # any will do if the match was not stored
        else:
            assert code is None
        self.matches[number] = PredictedMatch(
            number=number,
            rules=rules,
            code=code,
            first=seats,
            created_at=self.now,
            away_until=self.away_until,
            given=Game(Rules.parse(rules), code).moves,
            rated=rated,
            clock_key=clock,
            previous=previous,
            guild=guild,
            channel=channel,
        )
        return self.matches[number].view

    def start_again(self, who: str, number: int) -> MatchView:
        """Begin a match against the computer like one that is over, with the other side first."""
        match = self.match(number)
        following = self.following(number)
        if following is not None:
            return following.view
        x, o = match.seats if match.swapped else match.seats[::-1]
        return self.begin(
            (x, o),
            match.rules,
            rated=match.rated,
            clock=match.clock_key,
            previous=number,
            guild=match.guild,
        )

    def following(self, number: int) -> PredictedMatch | None:
        found = (match for match in self.matches.values() if match.previous == number)
        return next(found, None)

    def reply(self, number: int, pick: int, score: float) -> MatchView:
        """Let the computer play a legal move by its index, or swap if it prefers the other seat."""
        match = self.match(number)
        mover = match.mover
        if mover is not None and is_computer(mover):
            if match.can_swap and score < 0.5:
                match.exchange(mover, self.now)
            else:
                legal = match.position.legal_moves
                match.move(mover, legal[pick % len(legal)], self.now)
        self.rate()
        return match.view

    def ongoing_of(self, who: str) -> set[int]:
        return {
            match.number
            for match in self.matches.values()
            if not match.ended and who in match.first
        }

    def awaiting_computer(self) -> list[int]:
        waiting = ((match.number, match.mover) for match in self.matches.values())
        return [number for number, mover in waiting if mover and is_computer(mover)]

    # Challenges.

    def challenge(
        self,
        who: str,
        opponent: str | None,
        rules: str,
        *,
        side: int | None = None,
        rated: bool = False,
        clock: str = "none",
        guild: int | None = None,
        channel: int | None = None,
        previous: int | None = None,
    ) -> ChallengeView:
        if opponent == who:
            raise RefusedError("cannot challenge")
        if rated and rules not in VARIANTS:
            raise RefusedError("not rated")
        waiting = [each for each in self.waiting() if each.challenger == who]
        if len(waiting) >= self.most_challenges:
            raise RefusedError("too many challenges")
        for each in (who,) if opponent is None else (who, opponent):
            self._check_room(each)
        if opponent is not None:
            self._check_blocks(who, opponent)
        number = len(self.challenges) + 1
        self.challenges[number] = ChallengeView(
            number=number,
            challenger=who,
            opponent=opponent,
            taker=None,
            rules=rules,
            code=None,
            side=side,
            rated=rated,
            clock=clock,
            status="open",
            previous=previous,
            match=None,
            guild=guild,
            channel=channel,
            message=None,
            created_at=self.now,
            expires_at=self.now + (OPEN_FOR if opponent is None else NAMED_FOR),
            closed_at=None,
        )
        return self.challenges[number]

    def seen(self, number: int) -> ChallengeView:
        """Return a challenge as people see it: expired once its time is over, stored or not."""
        if number not in self.challenges:
            raise RefusedError("no such challenge")
        found = self.challenges[number]
        over = found.status == "open" and found.expires_at <= self.now
        return replace(found, status="expired") if over else found

    def waiting(self) -> list[ChallengeView]:
        seen = map(self.seen, self.challenges)
        return [each for each in seen if each.status == "open"]

    def accept(self, who: str, number: int) -> MatchView:
        found = self.seen(number)
        if found.match is not None and found.taker == who:
            return self.matches[found.match].view
        if found.challenger == who or found.opponent not in (None, who):
            raise RefusedError("not your challenge", found)
        if found.status != "open":
            raise RefusedError("challenge closed", found)
        self._check_blocks(who, found.challenger)
        if found.previous is not None and self.following(found.previous) is not None:
            raise RefusedError("cannot challenge")
        seats = (found.challenger, who)
        begun = self.begin(
            seats if found.side != 1 else seats[::-1],
            found.rules,
            code=found.code,
            rated=found.rated,
            clock=found.clock,
            previous=found.previous,
            guild=found.guild,
            channel=found.channel,
            by_chance=found.side is None,
        )
        self._close(number, "accepted", taker=who, match=begun.number)
        return begun

    def answer(self, what: str, who: str, number: int) -> ChallengeView:
        """Decline or withdraw."""
        found = self.seen(number)
        status = {"decline": "declined", "withdraw": "withdrawn"}[what]
        if who != (found.opponent if what == "decline" else found.challenger):
            raise RefusedError("not your challenge", found)
        if found.status == status:
            return found
        if found.status != "open":
            raise RefusedError("challenge closed", found)
        return self._close(number, status, taker=who if what == "decline" else None)

    def rematch(self, who: str, number: int) -> ChallengeView | MatchView:
        match = self.match(number)
        if who not in match.first:
            raise RefusedError("not a player", match.view)
        if not match.ended:
            raise RefusedError("match not over", match.view)
        if not match.is_between_people:
            return self.start_again(who, number)
        for found in self.waiting():
            if found.previous == number:
                return found if found.challenger == who else self.accept(who, found.number)
        following = self.following(number)
        if following is not None:
            return following.view
        side = match.seats.index(who)
        return self.challenge(
            who,
            match.other(who),
            match.rules,
            side=side if match.swapped else 1 - side,
            rated=match.rated,
            clock=match.clock_key,
            guild=match.guild,
            previous=number,
        )

    def block(self, who: str, other: str) -> list[int]:
        self.blocks.add((who, other))
        closed = [
            each
            for each in reversed(self.waiting())
            if {each.challenger, each.opponent} == {who, other}
        ]
        for each in closed:
            if each.challenger == who:
                self._close(each.number, "withdrawn")
            else:
                self._close(each.number, "declined", taker=who)
        return [each.number for each in closed]

    # Time.

    def work(self) -> Round:
        """Give back the time the bot was away, then settle, close and remind."""
        self.come_back()
        overdue = sorted(
            (match for match in self.matches.values() if match.is_overdue(self.now - ON_ITS_WAY)),
            key=lambda match: (match.deadline, match.number),
        )
        for match in overdue:
            match.forfeit(self.now)
            self.rate()
        closed = [
            self._close(number, "expired")
            for number, each in self.challenges.items()
            if each.status == "open" and each.expires_at <= self.now
        ]
        return Round(
            settled=tuple(match.view for match in overdue),
            expired=tuple(closed),
            reminded=tuple(self._remind()),
        )

    def come_back(self) -> None:
        """Give everybody back the time since the bot last noted that it runs, if it is long."""
        gone, since = self.now - self.noted_at, self.noted_at
        self.noted_at = self.now
        if gone <= SHORT_ABSENCE:
            return
        for match in self.matches.values():
            if match.deadline is not None and match.deadline > since:
                match.shift(gone)
        for number, each in self.challenges.items():
            if each.status == "open" and each.expires_at > since:
                self.challenges[number] = replace(each, expires_at=each.expires_at + gone)

    def away_until(self, who: str) -> datetime | None:
        ends = [until for _began, until in self.vacations.get(who, []) if until > self.now]
        return max(ends, default=None)

    def set_vacation(self, who: str, until: datetime | None) -> datetime | None:
        before = self.away_until(who)
        if until is not None and until <= self.now:
            raise RefusedError("no such vacation")
        if until is None and before is None:
            return None
        if before is None and any(
            self.matches[number].clock.base is not None for number in self.ongoing_of(who)
        ):
            raise RefusedError("no such vacation")
        end = self.now if until is None else until
        periods = self.vacations.get(who, [])
        if before is None:
            changed = [*periods, (self.now, end)]
        else:
            changed = [(began, end if until > self.now else until) for began, until in periods]
        if any(_used(changed, year) > VACATION_A_YEAR for year in (self.now.year, end.year)):
            raise RefusedError("no such vacation")
        self.vacations[who] = changed
        for match in self.matches.values():
            is_theirs = match.mover == who and match.clock.per_move is not None
            if is_theirs and match.deadline is not None and match.deadline > self.now:
                match.shift(end - (before or self.now))
        return self.away_until(who)

    def vacation_left(self, who: str) -> timedelta:
        return VACATION_A_YEAR - _used(self.vacations.get(who, []), self.now.year)

    def next_deadline(self) -> datetime | None:
        """Return when the next match can be settled, besides those that already can be."""
        deadlines = (match.deadline for match in self.matches.values())
        later = [at for at in deadlines if at is not None and at > self.now - ON_ITS_WAY]
        return min(later) + ON_ITS_WAY if later else None

    # Ratings.

    def rate(self) -> None:
        """Judge the matches that have ended and are not judged yet."""
        for number, match in self.matches.items():
            if match.ended is None:
                continue
            people = frozenset(who for who in match.first if not is_computer(who))
            if match.rated and number not in self.verdicts:
                self.verdicts[number] = self._judge(match, people)

    def games_of(self) -> Counter[tuple[str, str]]:
        """Return how many rated games count, by pool and person."""
        return Counter(
            (verdict.pool, who)
            for verdict in self.verdicts.values()
            if verdict.reason is None
            for who in verdict.people
        )

    def _judge(self, match: PredictedMatch, people: frozenset[str]) -> Verdict:
        assert match.ended is not None
        assert match.ended_at is not None
        side = match.ended[1]
        verdict = Verdict(
            number=match.number,
            people=people,
            pool=match.rules,
            reason=None,
            ended_at=match.ended_at,
            beginning=match.moves[:20],
            winner=None if side is None else match.seats[side],
            seats=match.seats,
        )
        before = [each for each in self.verdicts.values() if each.people == people]
        reason = None
        if len(match.moves) - len(match.given) <= 2:
            reason = "too_short"
        elif len(people) == 2:
            since = self.now - A_DAY
            lately = [each for each in before if each.reason is None and each.ended_at > since]
            reason = "same_pair" if len(lately) >= PAIR_GAMES_A_DAY else None
        else:
            last = sorted(before, key=lambda each: (each.ended_at, each.number))[-LIKE_THE_LAST:]
            like = [_as_it_went(each) for each in last]
            reason = "repeated" if _as_it_went(verdict) in like else None
        return replace(verdict, reason=reason)

    # How.

    def _close(
        self, number: int, status: str, taker: str | None = None, match: int | None = None
    ) -> ChallengeView:
        closed = replace(
            self.challenges[number], status=status, taker=taker, match=match, closed_at=self.now
        )
        self.challenges[number] = closed
        return closed

    def _remind(self) -> list[tuple[int, str, str]]:
        due = [
            (match.remind_at, match.number, match.mover)
            for match in self.matches.values()
            if match.remind_at is not None
            and match.remind_at <= self.now
            and (match.deadline is None or match.deadline > self.now)
        ]
        told = []
        for _due, number, mover in sorted(due):
            assert mover is not None
            match, way = self.matches[number], self.notices.get(mover, "auto")
            is_away = match.deadline is None and self.away_until(mover) is not None
            if way == "none" or is_away:
                continue
            last, match.remind_at = match.last_reminder, None
            if last is not None and last > self.now:
                match.remind_at = last
            if last is not None and last <= self.now:
                told.append((number, mover, "reminder"))
            elif way == "auto":
                told.append((number, mover, "waiting"))
        return told

    def _check_room(self, who: str) -> None:
        if len(self.ongoing_of(who)) >= self.most_matches:
            raise RefusedError("too many matches")

    def _check_blocks(self, who: str, other: str) -> None:
        if {(who, other), (other, who)} & self.blocks:
            raise RefusedError("cannot challenge")


def _as_it_went(verdict: Verdict) -> tuple[tuple[int, ...], int | None]:
    winner = None if verdict.winner is None else verdict.seats.index(verdict.winner)
    return verdict.beginning, winner


def _used(periods: list[tuple[datetime, datetime]], year: int) -> timedelta:
    first, last = datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)
    spans = (min(until, last) - max(began, first) for began, until in periods)
    return sum((max(timedelta(), span) for span in spans), timedelta())
