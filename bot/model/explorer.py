"""Which finished games are counted for the explorer, and as what."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from bot.model.errors import PlayerError
from bot.model.match import MatchStatus
from engine import VARIANTS, Cell, Position, Side, canonical_line
from engine.errors import Sentence, say

if TYPE_CHECKING:
    from bot.model.match import Match

PLIES: Final = 12
"""How many moves of a game are counted. Few games are alike for longer, and each further move would
cost a row for every game."""

TOTALLED: Final = 8
"""How many of these are added up as games end: early on there are too many to count on demand."""

LEAST_PLIES: Final = 8
"""The fewest moves of a counted game: a shorter one was hardly played. At least `TOTALLED`."""


class Whose(StrEnum):
    """Whose games are looked at. Buttons hold the letters: never change them."""

    EVERYBODY = "e"
    SERVER = "s"
    OWN = "m"


class Opponents(StrEnum):
    """Whom the games were played against. Buttons hold the letters: never change them."""

    ALL = "a"
    PEOPLE = "p"
    COMPUTER = "c"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Which games are counted.

    Attributes:
        guild_id: Those of this server; None for all servers, and no direct messages.
        player_id: Those of this person, in direct messages too; not together with `guild_id`.
        against_computer: Whether against the computer or between people; None for both.
    """

    guild_id: int | None = None
    player_id: int | None = None
    against_computer: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningMove:
    """A move of a game and the position before it, as a row, both as the symmetries fold them."""

    position: int
    match_id: int
    move: Cell
    against_computer: int
    winner: Side | None
    guild_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveCount:
    """How often a move was played in a position, and with which results."""

    move: Cell
    x_wins: int
    draws: int
    o_wins: int

    @property
    def games(self) -> int:
        """How many games there are."""
        return self.x_wins + self.draws + self.o_wins


@dataclass(frozen=True, slots=True)
class Branches:
    """What was played in a position.

    Attributes:
        moves: The moves that were played, the most frequent first. Of moves that are equal by a
            symmetry of the position, the first stands for all.
        is_end: Whether it is so far from the start that nothing is counted any more.
    """

    position: Position
    moves: tuple[MoveCount, ...]
    is_end: bool

    @property
    def games(self) -> int:
        """How many games have reached the position and gone on."""
        return sum(each.games for each in self.moves)


class NoTreeError(PlayerError):
    """Games of a variant have no common start."""

    def __init__(self, name: Sentence) -> None:
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
    """Return the moves of a match that are counted; none if it does not count."""
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
