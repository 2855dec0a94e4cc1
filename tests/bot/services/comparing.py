"""Does the same things in the services and in a predicted world, and compares the two."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import ExitStack
from dataclasses import fields, is_dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

import pytest
import structlog
from hypothesis.stateful import RuleBasedStateMachine

from tests.bot.services import acts, stored
from tests.bot.services.adapter import FAULTS, IDS, NAMES, Services, fast_folder, few_allowed
from tests.bot.services.predicted_match import NOTHING, position_after
from tests.bot.services.predicted_world import World
from tests.bot.services.views import MatchView, RefusedError

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from tests.bot.services.acts import Act

T = TypeVar("T")

SECOND: Final = timedelta(seconds=1)
MOST_MATCHES, MOST_CHALLENGES = 4, 3

Outcome: TypeAlias = Any
"""The outcome of an act: what it returns, or the kind of the refusal and what it shows."""


class ComparedMachine(RuleBasedStateMachine):
    """Services on their own file, and a world that should match them.

    Attributes:
        services: The services under test.
        world: What they should remember.
        trouble: What happens to the next act: a disk fault and the number of the write that
            fails, or "cancel" and the number of turns of the loop before it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.stack.enter_context(structlog.testing.capture_logs())  # faults log a lot
        self.stack.enter_context(few_allowed(matches=MOST_MATCHES, challenges=MOST_CHALLENGES))
        self.loop = self.stack.enter_context(asyncio.Runner()).get_loop()
        self.services = Services(self.new_database())
        self.run(self.services.start())
        now = self.services.clock.now
        self.world = World(
            now=now,
            noted_at=now,
            most_matches=MOST_MATCHES,
            most_challenges=MOST_CHALLENGES,
        )
        self.latest = now
        self.steps = 0
        self.trouble: tuple[str, int] | None = None
        self.on_disk: dict[int, MatchView] = {}
        self.rows: stored.Rows = {}
        self.checked = self.rows
        self.seen: dict[int, MatchView] = {}
        self.is_sound = True
        self.do(acts.want_notices("Anna", "dm"))

    def new_database(self) -> str:
        """Return the address of an empty database."""
        folder = self.stack.enter_context(fast_folder())
        return f"sqlite+aiosqlite:///{folder}/matches.sqlite3"

    def teardown(self) -> None:
        try:
            if self.is_sound:
                self.start_again()
            self.run(self.services.stop())
        finally:
            self.stack.close()

    def run(self, doing: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(doing)

    def go_on(self, by: timedelta) -> None:
        """Let time pass."""
        self.services.clock.now += by
        self.world.now = self.services.clock.now
        self.latest = max(self.latest, self.world.now)

    def do(self, *together: Act) -> None:
        """Do something, or several things at once, and compare the outcome."""
        self.is_sound = False
        self.go_on(SECOND)
        self.steps += 1
        self.services.throw(f"step {self.steps}")
        self.services.told.clear()
        trouble, self.trouble = self.trouble, None
        before = _views(self.world)
        outcomes, failed = self.run(self._carry_out(together, trouble))
        self.read_anew()
        self.world.stored = self.on_disk
        if trouble is None and len(together) == 1:
            possible = [(self.world, [outcome_of(together[0], self.world)])]
        else:
            possible = self._possible(together, outcomes, failed)
        fitting = (
            world
            for world, expected in possible
            if (outcomes is None or _is_alike(outcomes, expected)) and self.is_like(world)
        )
        found = next(fitting, None)
        if found is None:
            world, expected = possible[0]
            answers, disk = differences(expected, outcomes), differences(world, self.on_disk)
            pytest.fail(f"answered otherwise: {answers}; stored otherwise: {disk}")
        self.world = found
        if len(together) == 1:
            self._check_told(together[0], before)
        self.is_sound = True

    def start_again(self, away: timedelta = SECOND, *, crash: bool = False) -> None:
        """Restart on the same file, and check everything."""
        self.is_sound = False
        if not crash:
            self.world.noted_at = self.world.now
        self.run(self.services.restart(away=away, crash=crash))
        self.go_on(NOTHING)
        self.world.come_back()
        self.check_lists()
        self.read_anew()
        check_alike(_views(self.world), self.on_disk)
        self.is_sound = True

    def read_anew(self) -> None:
        """Read everything from the disk: matches through the services, the rest with plain SQL."""
        self.on_disk = self.run(self.services.read_anew())
        self.rows = stored.read(self.services.url)

    def is_like(self, world: World) -> bool:
        """Return whether what was last read from the disk matches a world."""
        rows = self.rows
        return (
            self.on_disk == _views(world)
            and {key[0]: row["status"] for key, row in rows["challenge"].items()}
            == {each.number: each.status for each in world.challenges.values()}
            and set(rows["block"]) == {(IDS[who], IDS[other]) for who, other in world.blocks}
            and {(key[0], row["until"]) for key, row in rows["vacation"].items()}
            == {
                (IDS[who], stored.milliseconds(until))
                for who, periods in world.vacations.items()
                for _began, until in periods
            }
        )

    # What always holds.

    def check_all(self) -> None:
        self.is_sound = False
        self.run(self._check_memory())
        for view in self.on_disk.values():
            self._check_history(view)
        for who in NAMES:
            assert len(self.world.ongoing_of(who)) <= MOST_MATCHES
        if self.rows != self.checked:
            self._check_file()
            self.checked = self.rows
        self.seen = self.on_disk
        self.is_sound = True

    def check_lists(self) -> None:
        """Check all lists, but not each time: it takes longer than a move."""
        for number in self.world.challenges:
            assert self.run(self.services.load_challenge(number)) == self.world.seen(number)
        for who in NAMES:
            assert set(self.run(self.services.ongoing_of(who))) == self.world.ongoing_of(who)
            waiting = [
                each.number
                for each in reversed(self.world.waiting())
                if who in (each.challenger, each.opponent)
            ]
            assert self.run(self.services.waiting_of(who)) == waiting
        awaiting = self.run(self.services.awaiting_computer())
        assert awaiting == self.world.awaiting_computer()

    async def _check_memory(self) -> None:
        for number, view in self.on_disk.items():
            check_alike(view, await self.services.load(number))

    def _check_history(self, view: MatchView) -> None:
        """Check that a match continues from where it was, and ends only once."""
        assert view.position == position_after(view.rules, view.moves, view.code)
        outcome = view.position.outcome
        assert (outcome is not None) == (view.ended is not None and view.ended[0] == "board")
        if outcome is not None:
            assert view.ended == ("board", outcome.winner)
        taken_back = sum(len(event.cells) for event in view.events)
        assert view.revision == len(view.moves) + len(view.events) + taken_back
        was = self.seen.get(view.number)
        if was is None:
            return
        assert was.revision <= view.revision
        assert was.events == view.events[: len(was.events)]
        if was.revision == view.revision:
            assert was.moves == view.moves
        if was.ended:
            assert (view.ended, view.ended_at) == (was.ended, was.ended_at)
            assert (view.revision, view.left) == (was.revision, was.left)

    def _check_file(self) -> None:
        assert stored.check(self.services.url) == []
        world, rows = self.world, self.rows
        assert {key[0]: row["reason"] for key, row in rows["rated_match"].items()} == {
            number: verdict.reason for number, verdict in world.verdicts.items()
        }
        assert {key: row["games"] for key, row in rows["rating"].items()} == {
            (pool, IDS[who]): games for (pool, who), games in world.games_of().items()
        }

    # How acts are done.

    async def _carry_out(
        self, together: tuple[Act, ...], trouble: tuple[str, int] | None
    ) -> tuple[list[Outcome] | None, bool]:
        """Return the outcomes of the acts, None if nobody waited, and whether storing failed."""
        kind, much = trouble or ("", 0)
        if kind in FAULTS:
            with self.services.fault(kind, much) as fault:
                outcomes = [await self.attempt(act) for act in together]
            return outcomes, fault.struck
        doing = [asyncio.create_task(self.attempt(act)) for act in together]
        if kind != "cancel":
            return list(await asyncio.gather(*doing)), False
        for _ in range(much):
            await asyncio.sleep(0)
        for task in doing:
            task.cancel()
        await asyncio.wait(doing)
        await self.services.quiet()
        return None, False

    async def attempt(self, act: Act) -> Outcome:
        try:
            return await act.call(self.services)
        except RefusedError as refused:
            return refused.kind, refused.shown

    def _possible(
        self, together: tuple[Act, ...], outcomes: list[Outcome] | None, failed: bool
    ) -> list[tuple[World, list[Outcome]]]:
        """Return the possible outcomes: no act was done, or one after the other in some order."""
        unchanged = self.world.copied()
        if failed:
            return [(unchanged, [("storage failed", None) for _ in together])]
        possible: list[tuple[World, list[Outcome]]] = []
        for order in itertools.permutations(range(len(together))):
            world = self.world.copied()
            came = {index: outcome_of(together[index], world) for index in order}
            possible.append((world, [came[index] for index in range(len(together))]))
        if outcomes is None:
            possible.append((unchanged, []))
        return possible

    def _check_told(self, act: Act, before: dict[int, MatchView]) -> None:
        """Make sure that others were told of each step once, and of nothing else."""
        expected = []
        for number, now in _views(self.world).items() if act.is_told else ():
            was = before.get(number)
            if was is None or (was.revision, was.ended) != (now.revision, now.ended):
                expected.append((number, None if was is None else was.revision, now, act.by))
        told = [
            (
                each.after.number,
                None if each.before is None else each.before.revision,
                each.after,
                each.by,
            )
            for each in self.services.told
        ]
        check_alike(expected, sorted(told, key=lambda each: each[0]))


def outcome_of(act: Act, world: World) -> Outcome:
    """Do something in a world, and return its outcome."""
    try:
        return act.predict(world)
    except RefusedError as refused:
        return refused.kind, refused.shown


def _is_alike(outcomes: list[Outcome], expected: list[Outcome]) -> bool:
    """Compare outcomes; if two things are done at once, the reasons for a refusal may differ."""
    if len(outcomes) == 1:
        return outcomes == expected
    first, second = (
        ["refused" if isinstance(each, tuple) else each for each in these]
        for these in (outcomes, expected)
    )
    return first == second


def check_alike(expected: object, found: object) -> None:
    """Check that two values are equal, or say where they differ."""
    if expected != found:
        pytest.fail("; ".join(differences(expected, found)))


def differences(expected: Any, found: Any, at: str = "") -> list[str]:
    """Return where two values differ, and how."""
    if isinstance(expected, World):
        expected = _views(expected)
    if expected == found:
        return []
    if is_dataclass(expected) and type(expected) is type(found):
        expected, found = (
            {each.name: getattr(value, each.name) for each in fields(value)}
            for value in (expected, found)
        )
    if isinstance(expected, list | tuple) and isinstance(found, list | tuple):
        expected, found = dict(enumerate(expected)), dict(enumerate(found))
    if isinstance(expected, dict) and isinstance(found, dict):
        keys = sorted({*expected, *found}, key=str)
        return [
            line
            for key in keys
            for line in differences(
                expected.get(key, "nothing"), found.get(key, "nothing"), f"{at}.{key}"
            )
        ]
    return [f"{at} is {found!r}, not {expected!r}"]


def _views(world: World) -> dict[int, MatchView]:
    return {number: match.view for number, match in world.matches.items()}
