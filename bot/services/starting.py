"""Matches begin: against the computer, from a record, or again after one that is over."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from bot.model import starting
from bot.model.clocks import NO_CLOCK, ClockRules, format_span
from bot.model.errors import (
    MaintenanceError,
    MatchNotOverError,
    NotAPlayerError,
    RematchNeedsBothError,
)
from bot.model.match import FirstMove, Match, Person
from bot.model.starting import Start
from bot.storage import matches as rows

if TYPE_CHECKING:
    from bot.services.matches import MatchService
    from engine import Game, LevelNumber, Side
    from engine.records import GameRecord


async def start_against_computer(
    matches: MatchService,
    *,
    person: Person,
    level: LevelNumber,
    first: FirstMove = FirstMove.YOU,
    variant_key: str = "standard",
    opening_code: str | None = None,
    rated: bool = False,
    clock: ClockRules = NO_CLOCK,
    channel_id: int | None = None,
    guild_id: int | None = None,
) -> Match:
    """Start a match of a person against the computer.

    If the computer is to move, it does so when `MatchService.reply` is called. The key names a
    variant or gives options, such as "won_board=open,goal=five". A random opening is drawn if
    no code is given.

    Raises:
        UnknownLevelError: If there is no such level.
        UnknownVariantError: If there are no such rules.
        InvalidNotationError: If the code is invalid, or these rules have none.
        NotRatedError: If it is to be rated, but such games never are.
        TooManyMatchesError: If the person has reached the limit of ongoing matches.
        MaintenanceError: If none may begin now.
    """
    rules = starting.find_rules(variant_key)
    if rated:
        starting.check_rated(rules, opening_code)
    side = starting.side_of_person(first, matches.rng)
    start = Start(
        game=starting.begin_game(rules, opening_code, matches.rng),
        seats=starting.seats_against_computer(person, level, side),
        guild_id=guild_id,
        channel_id=channel_id,
        rated=rated,
        clock=clock,
    )
    return await matches.operations.run(_start(matches, start))


async def start_from_record(
    matches: MatchService,
    given: GameRecord | Game,
    *,
    person: Person,
    side: Side,
    level: LevelNumber,
    channel_id: int | None = None,
    guild_id: int | None = None,
) -> Match:
    """Start a match of a person against the computer from the end of another game.

    Its moves, and a swap of seats, are stored as if they had been played all at once,
    no matter who played them. The person continues with the marks of `side`, X or O,
    as they are on the board.

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
    return await matches.operations.run(_start(matches, start))


async def start_again(
    matches: MatchService, match_id: int, *, user_id: int, channel_id: int | None = None
) -> Match:
    """Start a match like one that is over; the player who moved second begins.

    A second call returns the match that the first one started.

    Raises:
        MatchNotFoundError: If there is no such match.
        NotAPlayerError: If the person has no seat in it.
        MatchNotOverError: If it is still going on.
        RematchNeedsBothError: If it was between two people, who have to agree.
        PlayerError: As for `start_against_computer`.
    """
    return await matches.operations.run(_start_again(matches, match_id, user_id, channel_id))


def check_may_begin(matches: MatchService) -> None:
    """Check that matches may begin now.

    Raises:
        MaintenanceError: If the host has announced that none do now.
    """
    announced = matches.maintenance
    if announced is not None and (left := announced.until - matches.clock()) > timedelta():
        raise MaintenanceError(format_span(left), announced.words)


async def _start(matches: MatchService, start: Start) -> Match:
    check_may_begin(matches)
    match_id = await matches.database.write(rows.begin, start, matches.clock())
    return await matches.begun(match_id)


async def _start_again(
    matches: MatchService, match_id: int, user_id: int, channel_id: int | None
) -> Match:
    async with matches.cache.lock(match_id):
        match = await matches.cache.current(match_id)
        if not match.has_player(user_id):
            raise NotAPlayerError(match)
        if not match.is_over:
            raise MatchNotOverError(match)
        following = await matches.cache.find(rows.find_next, match_id)
        if following is not None:
            return following
        if match.is_between_people:
            raise RematchNeedsBothError(match)
        return await _start(matches, starting.start_like(match, matches.rng, channel_id))
