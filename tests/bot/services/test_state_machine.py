"""People do anything in any order, and a second, simpler model says what should come of it.

After each step, what the services answered, what they remember, what they told others and what is
on disk must match `World`. To change how the services are driven, change only `adapter.py`.
"""

from __future__ import annotations

import asyncio
import itertools
from datetime import timedelta
from typing import TYPE_CHECKING, Any, ClassVar, Final

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from tests.bot.services import acts
from tests.bot.services.adapter import FAULTS, NAMES
from tests.bot.services.comparing import SECOND, ComparedMachine, check_alike, outcome_of
from tests.bot.services.predicted_match import NOTHING, PredictedMatch
from tests.bot.services.views import is_computer

if TYPE_CHECKING:
    from tests.bot.services.acts import Act
    from tests.bot.services.comparing import Outcome
    from tests.postgresql import Server

GUILD: Final = 500

names = st.sampled_from(NAMES)
pairs = st.permutations(NAMES)
some = st.integers(0, 3)
kinds_of_game = st.sampled_from(
    ("standard", "pie", "depth=1,opening=pie", "random-four", "balanced", "sttt-map")
)
clocks = st.sampled_from(("none", "1h", "2d", "1+0", "3+20"))
guilds = st.sampled_from((None, GUILD))
spoiling = st.sampled_from(
    (
        *("nothing",) * 6,
        "the other",
        "somebody else",
        "an earlier ply",
        "a revision to come",
        "before the last change",
        "no revision",
        "any cell",
        *("late",) * 2,
        *("again",) * 2,
        "twice at once",
        "two at once",
    )
)


class Evening(ComparedMachine):
    """A few people and a bot, for as long as it takes."""

    has_match = precondition(lambda self: self.world.matches)
    has_challenge = precondition(lambda self: self.world.challenges)

    def __init__(self) -> None:
        super().__init__()
        self.presses: list[Act] = []

    @invariant()
    def all_is_well(self) -> None:
        self.check_all()

    # Beginning.

    @initialize(
        games=st.tuples(st.sampled_from(("pie", "balanced", "standard")), kinds_of_game),
        clock=clocks,
        rated=st.booleans(),
        course=st.sampled_from(("m", "mm", "ms", "mst", "msmt", "mmt", "mmmtm")),
    )
    def begin_the_evening(
        self, games: tuple[str, str], clock: str, rated: bool, course: str
    ) -> None:
        """Begin with matches: there is little to do without them.

        The first one continues with moves, a swap and a takeback, which rarely happen by chance.
        """
        self.begin(["Anna", "Ben"], 0, "you", games[0], rated, clock, GUILD)
        match = self.pick(0)
        for each in course:
            mover, other = self.one_of(match, "the mover"), self.one_of(match, "the other")
            if each == "m":
                self.do(self.next_move(match, match.ply))
            elif each == "s":
                self.do(acts.press(match.number, mover, None, match.ply, match.revision))
            else:
                self.do(acts.say("ask_takeback", other, match.number))
                self.do(acts.say("accept_takeback", mover, match.number))
        self.begin(["Anna"], 1, "you", games[1], False, clock, None)

    @rule(
        pair=pairs,
        level=st.integers(0, 2),
        first=st.sampled_from(("you", "computer", "random")),
        rules=kinds_of_game,
        rated=st.booleans(),
        clock=clocks,
        guild=guilds,
    )
    def begin(
        self,
        pair: list[str],
        level: int,
        first: str,
        rules: str,
        rated: bool,
        clock: str,
        guild: int | None,
    ) -> None:
        """Begin a match against the computer, or two people who agree at once."""
        options: dict[str, Any] = {"rated": rated, "clock": clock, "guild": guild}
        if level:
            self.do(acts.start(pair[0], level=level, rules=rules, first=first, **options))
            return
        side = {"you": 0, "computer": 1, "random": None}[first]
        self.do(acts.challenge(pair[0], pair[1], rules, side=side, **options))
        number = len(self.world.challenges)
        if number and self.world.seen(number).status == "open":
            self.do(acts.answer("accept", pair[1], number))

    @rule(
        pair=pairs,
        opponent=st.sampled_from((0, 1, 1, None)),
        side=st.sampled_from((0, 1, None)),
        answers=st.sampled_from(
            (*("accept", "decline", "withdraw") * 2, "both", "at once", "block", "unblock", "none")
        ),
        who=st.sampled_from((0, 1, 1, 2)),
    )
    def challenge(
        self, pair: list[str], opponent: int | None, side: int | None, answers: str, who: int
    ) -> None:
        """Challenge somebody, or anyone; they or others may answer."""
        one, other, another = pair
        self.do(
            acts.challenge(
                one, None if opponent is None else pair[opponent], "pie", side=side, clock="1h"
            )
        )
        number = len(self.world.challenges)
        if answers == "block" and not self.world.blocks:  # with more nobody would play any more
            self.do(acts.block(pair[who], one if who else other))
        elif answers == "unblock":
            for each in list(self.world.blocks):
                self.do(acts.unblock(*each))
        elif number and answers == "both":
            self.do(acts.answer("accept", other, number), acts.answer("accept", another, number))
        elif number and answers == "at once":
            what = ("withdraw", "decline", "accept")[who]
            self.do(acts.answer("accept", other, number), acts.answer(what, pair[who], number))
        elif number and answers in ("accept", "decline", "withdraw"):
            self.do(acts.answer(answers, pair[who], number))

    @has_challenge
    @rule(index=some, who=names, what=st.sampled_from(("accept", "accept", "decline", "withdraw")))
    def answer(self, index: int, who: str, what: str) -> None:
        self.do(acts.answer(what, who, max(1, len(self.world.challenges) - index)))

    @has_match
    @rule(
        index=some,
        who=st.sampled_from(("the mover", "the other", "somebody else")),
        both=st.booleans(),
    )
    def play_again(self, index: int, who: str, both: bool) -> None:
        match = self.pick(index, ended=True)
        name, other = self.one_of(match, who), self.one_of(match, "the other")
        for each in (name, other) if both else (name,):
            waits = any(found.previous == match.number for found in self.world.waiting())
            self.do(acts.rematch(each, match.number, accepts=match.is_between_people and waits))

    # On the board.

    @has_match
    @rule(index=some, cell=st.integers(0, 80), spoilt=spoiling, swap=st.integers(0, 3))
    def press(self, index: int, cell: int, spoilt: str, swap: int) -> None:
        """Press a button: as it should be done, or with one thing wrong about it."""
        if spoilt == "again" and self.presses:  # delivered twice, or on an old message
            self.do(self.presses[-1 - index % len(self.presses)])
            return
        match = self.pick(index)
        ply, revision, late = match.ply, match.revision, NOTHING
        who = self.one_of(match, spoilt)
        legal = match.position.legal_moves or (0,)
        chosen: int | None = cell if spoilt == "any cell" else legal[cell % len(legal)]
        if swap == 0 or (swap == 1 and match.can_swap):
            chosen = None
        if spoilt == "an earlier ply":
            ply, revision = ply - 1, revision - 1
        elif spoilt == "a revision to come":
            revision += 1
        elif spoilt == "before the last change":
            revision = match.events[-1].number if match.events else 0
        elif spoilt == "late":
            late = (cell % 5) * 0.7 * SECOND
        act = acts.press(
            match.number, who, chosen, ply, None if spoilt == "no revision" else revision, late
        )
        self.presses.append(act)
        if spoilt == "twice at once":
            self.do(act, act)
        elif spoilt == "two at once":
            another = legal[(cell + 1) % len(legal)]
            self.do(act, acts.press(match.number, who, another, ply, revision))
        else:
            self.do(act)

    @has_match
    @rule(index=some, count=st.integers(2, 60), seed=st.integers(1, 99))
    def play_on(self, index: int, count: int, seed: int) -> None:
        """Play many moves, so that games get to their end."""
        self.is_sound = False
        match = self.pick(index)
        for number in range(count):
            if match.mover is None:
                break
            self.go_on(SECOND)
            act = self.next_move(match, number * seed)
            check_alike(outcome_of(act, self.world), self.run(self.attempt(act)))
        self.read_anew()
        assert self.is_like(self.world)
        self.is_sound = True

    @has_match
    @rule(
        index=some,
        pick=some,
        score=st.sampled_from((0.3, 0.7)),
        meanwhile=st.sampled_from(
            (*("nothing",) * 4, "undo", "resign", "place", "press", "cancel", "restart")
        ),
    )
    def reply(self, index: int, pick: int, score: float, meanwhile: str) -> None:
        """Let the computer move, and something happen while it thinks."""
        waiting = self.world.awaiting_computer()
        match = self.world.matches[waiting[index % len(waiting)]] if waiting else self.pick(index)
        act = acts.reply(match.number, pick, score)
        if meanwhile == "nothing" or not waiting:
            self.do(act)
        else:
            self.reply_late(match, act, meanwhile)

    # Words.

    @has_match
    @rule(
        index=some,
        topic=st.sampled_from(("draw", "takeback", "takeback")),
        first=st.sampled_from(("the mover", "the other")),
        moves=st.sampled_from((0, 0, 1, 2)),
        answer=st.sampled_from(("accept", "accept", "decline", "ask", "nothing")),
        by=st.sampled_from(("asked", "asked", "asked", "asker", "somebody else")),
    )
    def talk(self, index: int, topic: str, first: str, moves: int, answer: str, by: str) -> None:
        """Offer or ask for something, perhaps move, and answer."""
        match = self.pick(index)
        ask = "offer_draw" if topic == "draw" else "ask_takeback"
        asker = self.one_of(match, first)
        asked = next((each for each in match.seats if each != asker), asker)
        if is_computer(asked):
            asked = asker
        self.do(acts.say(ask, asker, match.number))
        for number in range(moves):
            if match.mover is not None:
                self.do(self.next_move(self.world.matches[match.number], number))
        who = {"asked": asked, "asker": asker}.get(by) or self.one_of(match, by)
        if answer != "nothing":
            what = ask if answer == "ask" else f"{answer}_{topic}"
            self.do(acts.say(what, who, match.number))

    @has_match
    @rule(
        index=some,
        what=st.sampled_from(("resign", "resign", "place", "at once", "at once")),
        who=st.sampled_from(("the mover", "the other", "somebody else")),
        second=st.sampled_from(("accept_draw", "decline_takeback", "resign", "offer_draw")),
    )
    def leave(self, index: int, what: str, who: str, second: str) -> None:
        """Give up, perhaps while the other one says something; or show the board elsewhere."""
        match = self.pick(index)
        act = acts.say("resign", self.one_of(match, who), match.number)
        if what == "place":
            self.do(acts.place(match.number, 1 + index % 2))
        elif what == "resign":
            self.do(act)
        else:
            self.do(act, acts.say(second, self.one_of(match, "the other"), match.number))

    @has_match
    @rule(index=some, ago=st.integers(0, 2), again=st.booleans())
    def undo(self, index: int, ago: int, again: bool) -> None:
        match = self.pick(index, computer=True)
        who = self.one_of(match, "the mover")
        act = acts.undo(who, match.number, match.revision - ago + 1 if ago else None)
        for _ in range(1 + again):
            self.do(act)

    # Time.

    @rule(
        by=st.sampled_from((-3, -1, 10, 59, 115, 1000, 3600, 47 * 3600)),
        how=st.sampled_from(("runs", "runs", "runs", "stands still", "restarts", "crashes")),
    )
    def wait(self, by: int, how: str) -> None:
        """Let time pass, with the bot running or not, and perhaps restarted.

        A synchronised clock may go back a little, but not across the edge of a vacation.
        """
        to = self.world.now + by * SECOND
        edges = itertools.chain(*itertools.chain(*self.world.vacations.values()))
        if by < 0 and any(to <= edge <= self.latest for edge in edges):
            return
        if by > 0 and how in ("restarts", "crashes"):
            self.start_again(by * SECOND, crash=how == "crashes")
            return
        self.go_on(by * SECOND)
        if by > 0 and how == "runs":
            self.run(self.services.note_running())
            self.world.noted_at = self.world.now
        elif by > 0:
            self.keep_time()

    @has_match
    @rule(
        index=some,
        before=st.integers(-4, 4),
        then=st.sampled_from(("claim_time", "resign", "offer_draw", "press", "press", "keep time")),
        by=st.sampled_from(("the mover", "the other", "the other")),
    )
    def wait_for_a_deadline(self, index: int, before: int, then: str, by: str) -> None:
        """Let a time run out, or nearly."""
        match = self.pick(index, timed=True)
        if match.deadline is None:
            return
        self.wait(max(1, (match.deadline - self.world.now) // SECOND - before), "runs")
        if then == "keep time":
            self.keep_time()
        elif then == "press":
            legal = match.position.legal_moves
            mover, late = self.one_of(match, "the mover"), abs(before) * 0.8 * SECOND
            self.do(acts.press(match.number, mover, legal[0], match.ply, match.revision, late))
        else:
            self.do(acts.say(then, self.one_of(match, by), match.number))

    @has_match
    @rule(
        index=some,
        who=st.sampled_from(("the mover", "the mover", "the other")),
        days=st.lists(st.sampled_from((None, -1, 0.5, 3, 20, 31)), min_size=1, max_size=2),
        live=st.booleans(),
    )
    def go_away(self, index: int, who: str, days: list[float | None], live: bool) -> None:
        """Begin, change or end a vacation, and perhaps begin a live match in between."""
        name = self.one_of(self.pick(index), who)
        for number, each in enumerate(days):
            if number and live:
                self.begin([name], 1, "you", "standard", False, "3+20", None)
            until = None if each is None else self.world.now + timedelta(days=each)
            self.do(acts.go_away(name, until))
        found = self.run(self.services.vacation_of(name))
        assert found == (self.world.away_until(name), self.world.vacation_left(name))

    @rule()
    def keep_time(self) -> None:
        self.do(acts.keep_time())
        assert self.run(self.services.next_deadline()) == self.world.next_deadline()

    # Trouble.

    @has_match
    @rule(
        index=some,
        kind=st.sampled_from((*FAULTS, "cancel", "cancel")),
        after=st.integers(0, 4),
        what=st.sampled_from(
            ("press", "press", "resign", "undo", "talk", "start", "challenge", "go away", "reply")
        ),
    )
    def get_into_trouble(self, index: int, kind: str, after: int, what: str) -> None:
        """Let a write fail, or its caller give up waiting for it."""
        match = self.pick(index)
        who = self.one_of(match, "the mover")
        self.trouble = kind, after
        if what == "press":
            self.press(index, after, "nothing", 1)
        elif what == "undo":
            self.undo(index, 0, again=False)
        elif what == "talk":
            self.do(acts.say("offer_draw", who, match.number))
        elif what == "start":
            self.begin([who], 1, "random", "random-four", True, "1h", GUILD)
        elif what == "challenge":
            self.do(acts.challenge(who, None, "pie", clock="1h"))
        elif what == "go away":
            self.go_away(index, "the mover", [3], live=False)
        elif what == "reply" and kind != "cancel":
            self.reply(index, 0, 0.3, "nothing")
        else:
            self.do(acts.say("resign", who, match.number))

    # Which match, who, and how.

    def pick(
        self, index: int, *, ended: bool = False, computer: bool = False, timed: bool = False
    ) -> PredictedMatch:
        """Return a match, preferring the wanted kind, then newer ones."""
        matches = sorted(
            self.world.matches.values(),
            key=lambda match: (
                (match.ended is not None) != ended,
                computer and match.is_between_people,
                timed and match.deadline is None,
                -match.number,
            ),
        )
        return matches[index % len(matches)] if index < 3 else matches[0]

    def one_of(self, match: PredictedMatch, who: str) -> str:
        """Return the person to move, or the other one, or somebody without a seat."""
        people = [seat for seat in match.seats if not is_computer(seat)]
        mover = match.mover if match.mover in people else people[0]
        assert mover is not None
        if who == "the other":
            return people[people.index(mover) - 1]
        if who == "somebody else":
            return next(name for name in NAMES if name not in people)
        return mover

    def next_move(self, match: PredictedMatch, number: int) -> Act:
        """Return a move of the side to move, the computer included."""
        assert match.mover is not None
        if is_computer(match.mover):
            return acts.reply(match.number, number, 0.6)
        legal = match.position.legal_moves
        cell = legal[number % len(legal)]
        return acts.press(match.number, match.mover, cell, match.ply, match.revision)

    def reply_late(self, match: PredictedMatch, act: Act, meanwhile: str) -> None:
        computer, was = self.services.computer, match.revision
        who, number = self.one_of(match, "the mover"), match.number
        computer.go_on.clear()
        computer.begun.clear()

        async def begin() -> asyncio.Task[Outcome]:
            task = asyncio.create_task(self.attempt(act))
            await asyncio.to_thread(computer.begun.wait)
            return task

        async def end() -> Outcome:
            computer.go_on.set()
            if meanwhile == "cancel":
                replying.cancel()
                await asyncio.wait([replying])
                return None
            return await replying

        replying = self.run(begin())
        if meanwhile == "restart":
            self.start_again()
        elif meanwhile != "cancel":
            self.do(
                {
                    "undo": acts.undo(who, number, None),
                    "place": acts.place(number, 9),
                    "press": acts.press(number, who, 0, match.ply, match.revision),
                    "resign": acts.say("resign", who, number),
                }[meanwhile]
            )
        self.is_sound = False
        outcome = self.run(end())
        match = self.world.matches[number]
        if meanwhile == "restart":
            assert outcome == ("restarting", None)
        elif meanwhile != "cancel":
            if match.revision == was:  # else it has come too late
                act.predict(self.world)
            check_alike(match.view, outcome)
        self.read_anew()
        assert self.is_like(self.world)
        self.is_sound = True


class LongEvening(Evening):
    """The same people, but another evening each time."""


# The same evenings each time: a mistake is found when it is written, not on another day.
TestAnEvening = pytest.mark.timeout(600)(Evening.TestCase)
TestAnEvening.settings = settings(
    max_examples=4, stateful_step_count=30, derandomize=True, deadline=None
)


class ServedEvening(Evening):
    """The same on a PostgreSQL server."""

    server: ClassVar[Server]

    def new_database(self) -> str:
        return self.server.new_database()


@pytest.fixture(scope="class")
def serve(request: pytest.FixtureRequest) -> None:
    ServedEvening.server = request.getfixturevalue("postgresql_server")


TestAnEveningOnPostgresql = pytest.mark.usefixtures("serve")(ServedEvening.TestCase)
TestAnEveningOnPostgresql.settings = settings(
    max_examples=2, stateful_step_count=20, derandomize=True, deadline=None
)

# `test_more_evenings.py` has as many.
long_evenings = settings(max_examples=250, stateful_step_count=80, deadline=None)

TestManyEvenings = pytest.mark.long(pytest.mark.timeout(3600)(LongEvening.TestCase))
TestManyEvenings.settings = long_evenings
