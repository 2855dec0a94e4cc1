"""Which finished games are counted for the explorer, and as what."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from bot.model.errors import PlayerError
from bot.model.match import MatchStatus
from engine import VARIANTS, Cell, Position, Side, canonical_line
from engine.errors import Sentence, say

if TYPE_CHECKING:
    from bot.model.match import Match

PLIES: Final = 12
"""So many moves of a game are counted. Few games are alike for longer, and each further move would
cost a row for every game."""

TOTALLED: Final = 8
"""So many of these are added up as games end: there they are too many to be counted when asked."""

LEAST_PLIES: Final = 8
"""Who gave up before has hardly played; at least `TOTALLED`."""


class Whose(Enum):
    """Whose games are looked at, by the letter that buttons hold: never change."""

    EVERYBODY = "e"
    SERVER = "s"
    OWN = "m"


class Opponents(Enum):
    """Against whom they were played, by the letter that buttons hold: never change."""

    ALL = "a"
    PEOPLE = "p"
    COMPUTER = "c"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Which games are counted.

    Attributes:
        guild_id: Those of this server; None for all servers, and no direct messages.
        player_id: Those of this person, in direct messages too; not together with `guild_id`.
        against_computer: Against the computer, or between people; None for both.
    """

    guild_id: int | None = None
    player_id: int | None = None
    against_computer: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningMove:
    """A move of a game, as a row: played in which position, both as the symmetries fold them."""

    position: int
    match_id: int
    move: Cell
    against_computer: int
    winner: Side | None
    guild_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveCount:
    """How often a move was played in a position, and how that went.

    Attributes:
        move: Which.
        x_wins: How many games X has won.
        draws: How many nobody has.
        o_wins: How many O has.
    """

    move: Cell
    x_wins: int
    draws: int
    o_wins: int

    @property
    def games(self) -> int:
        """How many there are."""
        return self.x_wins + self.draws + self.o_wins


@dataclass(frozen=True, slots=True)
class Branches:
    """What was played in a position.

    Attributes:
        position: The position.
        moves: The moves that were played, the most frequent first. Of those that are alike by a
            symmetry of the position the first stands for all.
        is_end: Whether it is so far from the start that nothing is counted any more.
    """

    position: Position
    moves: tuple[MoveCount, ...]
    is_end: bool

    @property
    def games(self) -> int:
        """How many games have come here and gone on."""
        return sum(each.games for each in self.moves)


class NoTreeError(PlayerError):
    """Games of a variant have no common start.

    Attributes:
        name: The variant's.
    """

    def __init__(self, name: Sentence) -> None:
        self.name = name
        words = say(
            "Games of {variant} do not all begin alike, so there is nothing to explore: choose"
            " another variant."
        )
        super().__init__(words.format(variant=name))


def is_explored(key: str) -> bool:
    """Return whether the games of a variant are counted: it has a name, and one start.

    Examples:
        >>> is_explored("standard"), is_explored("random-four"), is_explored("goal=five")
        (True, False, False)
    """
    return key in VARIANTS and not VARIANTS[key].rules.needs_opening_code


def opening_moves_of(match: Match) -> tuple[OpeningMove, ...]:
    """Return what is counted of a match; nothing of one that does not count."""
    is_counted = match.status is MatchStatus.FINISHED and match.ply >= LEAST_PLIES
    if not (is_counted and is_explored(match.rules.key)):
        return ()
    moves = match.moves[:PLIES]
    return tuple(
        OpeningMove(
            position=before.key,
            match_id=match.id,
            move=before.fold(move),
            against_computer=int(not match.is_between_people),
            winner=match.winner,
            guild_id=match.guild_id,
        )
        for before, move in zip(canonical_line(match.rules, moves[:-1]), moves, strict=True)
    )
