"""What people and the clock can do, each with its expected outcome."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from tests.bot.services.predicted_match import NOTHING
from tests.bot.services.views import RefusedError

if TYPE_CHECKING:
    from tests.bot.services.adapter import Services
    from tests.bot.services.predicted_match import PredictedMatch
    from tests.bot.services.predicted_world import World
    from tests.bot.services.views import MatchView


@dataclass(frozen=True, slots=True)
class Act:
    """Something to be done.

    Attributes:
        predict: Does it in a world.
        call: Does it in the services.
        by: Who is said to have made the step.
        is_told: Whether others are told of the step at all.
    """

    predict: Callable[[World], object]
    call: Callable[[Services], Coroutine[Any, Any, object]]
    by: str | None = None
    is_told: bool = True


def start(who: str, *, level: int, rules: str, first: str, rated: bool, **options: Any) -> Act:
    def predict(world: World) -> MatchView:
        if rated and "=" in rules:
            raise RefusedError("not rated")
        seats = (who, f"level {level}")
        return world.begin(
            seats[::-1] if first == "computer" else seats,
            rules,
            rated=rated,
            by_chance=first == "random",
            **options,
        )

    return Act(
        predict,
        lambda services: services.start_match(
            who, level=level, rules=rules, first=first, rated=rated, **options
        ),
    )


def press(
    number: int,
    who: str,
    cell: int | None,
    ply: int,
    revision: int | None,
    late: timedelta = NOTHING,
) -> Act:
    """Play a cell, or swap if there is none."""

    def predict(world: World) -> MatchView:
        match = world.match(number)
        seen: dict[str, Any] = {"ply": ply, "revision": revision, "now": world.now, "late": late}
        return _then_rated(
            world,
            match,
            lambda: match.swap(who, **seen) if cell is None else match.play(who, cell, **seen),
        )

    def call(services: Services) -> Coroutine[Any, Any, MatchView]:
        if cell is None:
            return services.swap(who, number, ply=ply, revision=revision, late=late)
        return services.play(who, number, cell, ply=ply, revision=revision, late=late)

    return Act(predict, call, who)


def reply(number: int, pick: int, score: float) -> Act:
    """Let the computer move if it is its turn; the callers that wait for it show the move."""

    def call(services: Services) -> Coroutine[Any, Any, MatchView]:
        services.computer.pick, services.computer.score = pick, score
        return services.reply(number)

    return Act(lambda world: world.reply(number, pick, score), call, is_told=False)


def say(what: str, who: str, number: int) -> Act:
    """Do something that needs only a person and a match."""

    def predict(world: World) -> MatchView:
        match = world.match(number)
        return _then_rated(world, match, lambda: getattr(match, what)(who, world.now))

    return Act(predict, lambda services: services.say(what, who, number), who)


def undo(who: str, number: int, revision: int | None) -> Act:
    def predict(world: World) -> MatchView:
        match = world.match(number)
        return _then_rated(world, match, lambda: match.undo(who, revision, world.now))

    return Act(predict, lambda services: services.undo(who, number, revision), who)


def place(number: int, message: int) -> Act:
    def predict(world: World) -> MatchView:
        match = world.match(number)
        match.place(7, message, world.now)
        return match.view

    return Act(predict, lambda services: services.place(number, channel=7, message=message))


def challenge(who: str, opponent: str | None, rules: str, **options: Any) -> Act:
    return Act(
        lambda world: world.challenge(who, opponent, rules, **options),
        lambda services: services.challenge(who, opponent, rules=rules, **options),
    )


def answer(what: str, who: str, number: int) -> Act:
    """Accept, decline or withdraw a challenge."""
    if what == "accept":
        return Act(
            lambda world: world.accept(who, number),
            lambda services: services.accept(who, number),
            who,
        )
    return Act(
        lambda world: world.answer(what, who, number),
        lambda services: services.answer(what, who, number),
    )


def rematch(who: str, number: int, *, accepts: bool) -> Act:
    return Act(
        lambda world: world.rematch(who, number),
        lambda services: services.rematch(who, number),
        who if accepts else None,
    )


def block(who: str, other: str) -> Act:
    return Act(lambda world: world.block(who, other), lambda services: services.block(who, other))


def unblock(who: str, other: str) -> Act:
    return Act(
        lambda world: world.blocks.discard((who, other)),
        lambda services: services.unblock(who, other),
    )


def want_notices(who: str, way: str) -> Act:
    return Act(
        lambda world: world.notices.update({who: way}),
        lambda services: services.want_notices(who, way),
    )


def go_away(who: str, until: datetime | None) -> Act:
    """Begin, change or end a vacation."""
    return Act(
        lambda world: world.set_vacation(who, until),
        lambda services: services.set_vacation(who, until),
    )


def keep_time() -> Act:
    """Let the bot do what is due."""
    return Act(lambda world: world.work(), lambda services: services.work())


def _then_rated(world: World, match: PredictedMatch, act: Callable[[], None]) -> MatchView:
    """Do something that may end a match, as may its refusal if time has run out."""
    try:
        act()
    finally:
        world.rate()
    return match.view
