"""What is agreed on before a match begins, and how it begins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from bot.model.clocks import NO_CLOCK, ClockRules
from bot.model.errors import (
    FinishedGameError,
    NotRatedError,
    UnknownLevelError,
    UnknownVariantError,
)
from bot.model.match import FirstMove, Seat, computer_seat
from engine import (
    LEVELS,
    VARIANTS,
    Game,
    InvalidRulesError,
    LevelNumber,
    O,
    Side,
    X,
    draw_opening_code,
    load_variant,
)
from engine.errors import say
from engine.records import GameRecord, Result

if TYPE_CHECKING:
    import random

    from bot.model.match import Match, Person
    from engine import Level, Rules, SearchReport

MOST_ONGOING: Final = 50
"""How many ongoing matches a person may have: more than anybody plays, fewer than would
slow down the lists of them or fill the host's disk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A match that is about to begin; see `Match`.

    Attributes:
        game: Its beginning, with the moves of the opening or all that were given;
            must not be changed.
        message_id: The message that becomes its board; None for a new one.
        asker_id: Who starts it and is told of errors; None if there is only one person.
    """

    game: Game
    seats: tuple[Seat, Seat]
    previous_id: int | None = None
    guild_id: int | None = None
    channel_id: int | None = None
    message_id: int | None = None
    rated: bool = False
    clock: ClockRules = NO_CLOCK
    asker_id: int | None = None


def find_rules(variant_key: str) -> Rules:
    """Return the rules of a key: a named variant, or options.

    Raises:
        UnknownVariantError: If there is none, or the options contradict each other.
    """
    try:
        return load_variant(variant_key).rules
    except InvalidRulesError as error:
        raise UnknownVariantError(error.sentence) from error


def check_rated(rules: Rules, opening_code: str | None) -> None:
    """Make sure that games like that can be rated.

    Raises:
        NotRatedError: If the rules are custom, or somebody chose the opening.
    """
    if rules.key not in VARIANTS:
        raise NotRatedError(
            say(
                "Games by custom rules are never rated: choose a variant that has a name, "
                "or play without rating."
            )
        )
    if opening_code is not None:
        # Some openings are known to be won, and would be the ones chosen.
        raise NotRatedError(
            say(
                "In a rated game the opening is random: leave the code empty, or play a "
                "casual game."
            )
        )


def begin_game(rules: Rules, opening_code: str | None, rng: random.Random) -> Game:
    """Begin a game with the opening that was asked for, or with one that is drawn.

    Raises:
        InvalidNotationError: If the code is invalid, or these rules have none.
    """
    if opening_code is None:
        opening_code = draw_opening_code(rules, seed=rng.getrandbits(63))
    return Game(rules, opening_code)


def side_of_person(first: FirstMove, rng: random.Random) -> int:
    """Return the person's side, for "you" or the computer to move first, or a random one."""
    if first is FirstMove.RANDOM:
        first = FirstMove.YOU if rng.random() < 0.5 else FirstMove.COMPUTER
    return X if first is FirstMove.YOU else O


@cache
def find_level(number: int) -> Level:
    """Return the playing strength with that number.

    Raises:
        UnknownLevelError: If there is none.
    """
    for level in LEVELS:
        if level.number == number:
            return level
    raise UnknownLevelError(number, LEVELS[0].number, LEVELS[-1].number)


def prefers_swap(report: SearchReport, rng: random.Random) -> bool:
    """Return whether a computer that may swap seats, with this report, prefers the other side.

    `rng` decides for a level that has moved without searching.
    """
    if report.iterations == 0:
        return rng.random() < 0.5
    return report.score_for_side < 0.5


def seats_against_computer(person: Person, level: LevelNumber, side: Side) -> tuple[Seat, Seat]:
    """Return the seats of a person, on the given side, and the computer.

    Raises:
        UnknownLevelError: If there is no such level.
    """
    computer = computer_seat(find_level(level).number)
    seat = Seat(name=person.name, player_id=person.id)
    return (seat, computer) if side == X else (computer, seat)


def game_to_play_on(given: GameRecord | Game) -> Game:
    """Return the game that was given, if it is not over.

    Raises:
        FinishedGameError: If it is, on the board or for another reason.
    """
    record = given if isinstance(given, GameRecord) else GameRecord.of_game(given)
    if record.result is not Result.UNFINISHED:
        raise FinishedGameError(record.result.sentence)
    return record.game


def start_like(match: Match, rng: random.Random, channel_id: int | None) -> Start:
    """Return the start of a match like one that is over: the player who moved second begins.

    A random opening is drawn again.
    """
    # After a swap, that player still has X: the first move changes hands, not the marks.
    x, o = match.seats if match.swapped else (match.seats[1], match.seats[0])
    return Start(
        game=begin_game(match.rules, None, rng),
        seats=(x, o),
        previous_id=match.id,
        guild_id=match.guild_id,
        channel_id=channel_id,
        rated=match.rated,
        clock=match.clock,
    )
