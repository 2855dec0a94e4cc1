"""What is agreed on before a match begins, and its first rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import UnknownVariantError
from bot.matches import records
from bot.matches.model import FirstMove, Seat
from bot.players import find_level
from bot.storage import matches, players
from engine import Game, InvalidRulesError, draw_opening_code, load_variant

if TYPE_CHECKING:
    import random
    from datetime import datetime

    from sqlalchemy import Connection

    from bot.matches.model import Match, Person
    from engine import Rules, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A match that is about to begin.

    Attributes:
        variant_key: The variant it is started as.
        game: Its beginning, the moves of the opening included; only to be read.
        seats: Who plays X and who plays O.
        previous_id: The match it follows, if any.
        guild_id: The server it is started in; None in private messages.
        channel_id: Where its board will be shown.
    """

    variant_key: str
    game: Game
    seats: tuple[Seat, Seat]
    previous_id: int | None = None
    guild_id: int | None = None
    channel_id: int | None = None


def find_variant(key: str) -> Variant:
    """Return the variant of a key: a named one, or a custom one from options.

    Raises:
        UnknownVariantError: If there is none, or the options contradict each other.
    """
    try:
        return load_variant(key)
    except InvalidRulesError as error:
        raise UnknownVariantError(str(error)) from error


def begin_game(rules: Rules, opening_code: str | None, dice: random.Random) -> Game:
    """Begin a game with the opening that was asked for, or with one that is drawn.

    Raises:
        InvalidNotationError: If the code is invalid, or these rules have none.
    """
    if opening_code is None:
        opening_code = draw_opening_code(rules, seed=dice.getrandbits(63))
    return Game(rules, opening_code)


def seats_against_computer(
    person: Person, level: int, first: FirstMove, dice: random.Random
) -> tuple[Seat, Seat]:
    """Return the seats of a person and the computer, X first.

    Raises:
        UnknownLevelError: If there is no such level.
    """
    computer = records.computer_seat(find_level(level).number)
    seat = Seat(name=person.name, player_id=person.id)
    starts = first is FirstMove.YOU or (first is FirstMove.RANDOM and dice.random() < 0.5)
    return (seat, computer) if starts else (computer, seat)


def start_like(match: Match, dice: random.Random, channel_id: int | None) -> Start:
    """Return the start of a match like one that is over: whoever moved second begins.

    An opening that is drawn is drawn anew.
    """
    # After a swap that is who has X still: the first move changes hands, not the marks.
    x, o = match.seats if match.swapped else (match.seats[1], match.seats[0])
    return Start(
        variant_key=match.variant_key,
        game=begin_game(match.rules, None, dice),
        seats=(x, o),
        previous_id=match.id,
        guild_id=match.guild_id,
        channel_id=channel_id,
    )


def insert(connection: Connection, start: Start, now: datetime) -> int:
    """Store a new match with its people and return its number."""
    for seat in start.seats:
        if seat.player_id is not None:
            players.save_player(connection, player_id=seat.player_id, name=seat.name, seen_at=now)
    return matches.insert_match(
        connection,
        variant_key=start.variant_key,
        rules=start.game.rules.key,
        opening_code=start.game.opening_code,
        given_moves=start.game.moves,
        seats=records.to_seat_rows(start.seats),
        standing=records.standing_at(start.game.position),
        previous_id=start.previous_id,
        guild_id=start.guild_id,
        channel_id=start.channel_id,
        now=now,
    )
