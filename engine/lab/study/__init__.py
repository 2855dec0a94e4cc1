"""The games of a study, played and counted; the results are in `engine.study`."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Final, Self, TypeAlias

from engine import kernels
from engine.errors import EngineError
from engine.lab import kernels as lab_kernels
from engine.openings import draw_opening_code, is_drawable, opening_moves
from engine.position import Position, loaded_rules
from engine.rules import Opening, Rules
from engine.search.levels import LEVELS, choose_move, levels_of
from engine.study import Estimate, Study, StudyResult
from engine.types import BoardStatus, Cell, LevelNumber, O, X
from engine.variants import Variant, load_variant

if TYPE_CHECKING:
    from engine.lab.kernels.study import Starts, Sums

_NOTES = (
    "+- is one standard error: of the mean for choices, plies, cells and boards; binomial for",
    "shares; for fairness twice the binomial error of X's share of the games won.",
    "choices: legal moves at a turn, mean of each game's mean. plies: moves, given ones too.",
    "cells marked, boards decided (won or drawn): board use at the end of a game.",
    "fairness: 1 - 2 |X / (X + O) - 0.5|, draws left out. decisive: not drawn.",
)

RANDOM: Final = "random"

# Games per variant by default, at depth 1 or 2. Random ones take a quarter of a
# second; a game of levels 1 to 6 some hundredths, each further level about five times longer.
_RANDOM_GAMES: Final = 100_000
_LEVEL_GAMES: Final = (100, 100, 100, 100, 100, 100, 50, 20, 8, 4)
_DEEP_GAMES_SHARE: Final = 10  # at depth 3, where a game has ten times as many moves


def share_of(count: int, games: int) -> Estimate:
    """Return `count` as a share of the games, with the binomial error.

    Examples:
        >>> share_of(20, 100)
        Estimate(value=0.2, error=0.04)
    """
    share = count / games
    error = None if games < 2 else math.sqrt(share * (1 - share) / games)
    return Estimate(value=share, error=error)


def fairness_of(x_wins: int, o_wins: int) -> Estimate | None:
    """Return 1 - 2 |X / (X + O) - 0.5|, draws left out; None without a decided game.

    The error is twice the binomial error of X / (X + O), which is what the delta
    method gives if X and O do not win equally often. A figure within one error of 1
    is folded back at 1 and comes out slightly too low.

    Examples:
        >>> fairness_of(60, 40)
        Estimate(value=0.8, error=0.09797958971132711)
    """
    if x_wins + o_wins == 0:
        return None
    rarer = share_of(min(x_wins, o_wins), x_wins + o_wins)  # twice this is the formula
    error = None if rarer.error is None else 2 * rarer.error
    return Estimate(value=2 * rarer.value, error=error)


@dataclass(slots=True)
class Moments:
    """The sum of some numbers and of their squares.

    Examples:
        >>> moments = Moments()
        >>> for number in (1, 1, 5, 5):
        ...     moments.add(number)
        >>> moments.estimate(4).value
        3.0
    """

    total: float = 0
    squares: float = 0

    def add(self, number: float) -> None:
        """Add a number."""
        self.total += number
        self.squares += number * number

    def estimate(self, count: int, *, unit: float = 1) -> Estimate:
        """Return the mean of the `count` numbers added, in multiples of `unit`."""
        mean = self.total / count
        error = None
        if count > 1:
            variance = max(0.0, (self.squares - self.total * mean) / (count - 1))
            error = math.sqrt(variance / count) / unit
        return Estimate(value=mean / unit, error=error)


@dataclass(slots=True, kw_only=True)
class Tally:
    """The sums over some games."""

    games: int = 0
    x_wins: int = 0
    o_wins: int = 0
    draws: int = 0
    shortest: int = 0
    longest: int = 0
    plies: Moments = field(default_factory=Moments)
    choices: Moments = field(default_factory=Moments)
    marks: Moments = field(default_factory=Moments)
    boards: Moments = field(default_factory=Moments)

    @classmethod
    def of(cls, sums: Sums) -> Self:
        """Return what a kernel has added up."""
        whole, parts = sums.whole.tolist(), sums.parts.tolist()
        return cls(
            games=whole[0],
            x_wins=whole[1],
            o_wins=whole[2],
            draws=whole[3],
            plies=Moments(*whole[4:6]),
            marks=Moments(*whole[6:8]),
            boards=Moments(*whole[8:10]),
            shortest=whole[10],
            longest=whole[11],
            choices=Moments(*parts),
        )

    def merge(self, other: Tally) -> None:
        """Add games that come after those here."""
        self.shortest = min(self.shortest, other.shortest) if self.games else other.shortest
        self.longest = max(self.longest, other.longest)
        for name in ("games", "x_wins", "o_wins", "draws"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("plies", "choices", "marks", "boards"):
            mine, others = getattr(self, name), getattr(other, name)
            mine.total += others.total
            mine.squares += others.squares

    def add(self, end: Position, choices: Sequence[int]) -> None:
        """Add a game: its last position, and how many moves were legal at each turn.

        Examples:
            >>> from engine import Game
            >>> tally = Tally()
            >>> tally.add(Game.replay(Rules(depth=1), (0, 3, 1, 4, 2)).position, (9, 8, 7, 6, 5))
            >>> tally.x_wins, tally.choices.total, tally.marks.total
            (1, 7.0, 5)
        """
        assert end.outcome is not None
        marks = (end.mark_at(cell) is not None for cell in range(end.rules.cell_count))
        boards = (end.board_status(board) for board in range(end.rules.board_count))
        self.shortest = min(self.shortest, end.ply) if self.games else end.ply
        self.longest = max(self.longest, end.ply)
        self.games += 1
        self.x_wins += end.outcome.winner == X
        self.o_wins += end.outcome.winner == O
        self.draws += end.outcome.winner is None
        self.plies.add(end.ply)
        self.choices.add(sum(choices) / len(choices))
        self.marks.add(sum(marks))
        self.boards.add(sum(status is not BoardStatus.ONGOING for status in boards))

    def result(self, variant: Variant) -> StudyResult:
        """Return the figures of the games; there must be at least one game."""
        return StudyResult(
            variant=variant.key,
            games=self.games,
            choices=self.choices.estimate(self.games),
            plies=self.plies.estimate(self.games),
            shortest=self.shortest,
            longest=self.longest,
            x_share=share_of(self.x_wins, self.games),
            o_share=share_of(self.o_wins, self.games),
            draw_share=share_of(self.draws, self.games),
            fairness=fairness_of(self.x_wins, self.o_wins),
            decisiveness=share_of(self.games - self.draws, self.games),
            cells_marked=self.marks.estimate(self.games, unit=variant.rules.cell_count),
            boards_decided=self.boards.estimate(self.games, unit=variant.rules.board_count),
        )


def format_study(study: Study) -> str:
    """Return two tables, how the games go and how they end, and notes on the terms.

    Examples:
        >>> from engine.study import load_study
        >>> format_study(load_study()).splitlines()[0].split()[:3]
        ['variant', 'games', 'choices']
    """
    going = [
        ["variant", "games", "choices", "plies", "from-to", "cells marked %", "boards decided %"]
    ]
    ending = [["variant", "X wins %", "O wins %", "draws %", "fairness %", "decisive %"]]
    for row in study.results:
        going.append(
            [
                row.variant,
                f"{row.games}",
                _written(row.choices, decimals=3),
                _written(row.plies, decimals=3),
                f"{row.shortest}-{row.longest}",
                _percent(row.cells_marked),
                _percent(row.boards_decided),
            ]
        )
        shares = (row.x_share, row.o_share, row.draw_share, row.fairness, row.decisiveness)
        ending.append([row.variant, *map(_percent, shares)])
    return "\n\n".join((_aligned(going), _aligned(ending), "\n".join(_NOTES)))


def _written(figure: Estimate, *, decimals: int) -> str:
    error = "?" if figure.error is None else f"{figure.error:.{decimals}f}"
    return f"{figure.value:.{decimals}f} +-{error}"


def _percent(figure: Estimate | None) -> str:
    if figure is None:
        return "-"
    error = None if figure.error is None else 100 * figure.error
    return _written(Estimate(value=100 * figure.value, error=error), decimals=2)


def _aligned(table: Sequence[Sequence[str]]) -> str:
    """Return the rows in aligned columns: the first to the left, others to the right."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = []
    for first, *others in table:
        cells = [first.ljust(widths[0])]
        cells += [text.rjust(width) for text, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join(cells))
    return "\n".join(lines)


class RandomSelfPlay:
    """Plays games of uniformly random moves and opening codes, and adds them up."""

    def __init__(self, variant: Variant, *, seed: int) -> None:
        rules = variant.rules
        self._loaded = loaded_rules(rules)
        self._starts = _starts(rules)
        self._scratch = kernels.tree.make_scratch(rules.depth)
        self._rng = kernels.rng.make_rng(seeded(seed, variant.key, RANDOM).getrandbits(63))
        self._sums = lab_kernels.study.make_sums()
        # How many games to ask for at once: a fraction of a second.
        self.chunk = 20_000 if rules.depth < 3 else 500

    @property
    def tally(self) -> Tally:
        """The sums over the games played so far."""
        return Tally.of(self._sums)

    def play(self, game_count: int) -> None:
        """Play more games."""
        lab_kernels.study.random_games(
            self._starts,
            self._scratch.work,
            *self._loaded,
            self._rng,
            self._scratch.moves,
            game_count,
            self._sums,
        )


class LevelSelfPlay:
    """Plays a level against itself from game `first` on, and adds up; nobody swaps seats."""

    chunk = 1

    def __init__(self, variant: Variant, number: LevelNumber, *, seed: int, first: int) -> None:
        self._variant = variant
        level = levels_of(variant.rules)[number - 1]
        # A limit in time would make the games depend on the machine. The last level has no other.
        is_timed = level.number == LEVELS[-1].number
        self._level = level if is_timed else replace(level, seconds=math.inf)
        self._seed = seed
        self._first = first
        self.tally = Tally()

    def play(self, game_count: int) -> None:
        """Play more games."""
        rules = self._variant.rules
        for _ in range(game_count):
            name = f"{self._level.number}/{self._first + self.tally.games}"
            rng = seeded(self._seed, self._variant.key, name)
            position = Position.initial(rules, draw_opening_code(rules, seed=rng.getrandbits(63)))
            choices = []
            while position.outcome is None:
                choices.append(len(position.legal_moves))
                report = choose_move(position, self._level, seed=rng.getrandbits(63))
                position = position.after(report.move)
            self.tally.add(position, choices)


SelfPlay: TypeAlias = RandomSelfPlay | LevelSelfPlay


def make_self_play(variant: Variant, player: str, *, seed: int, first: int = 0) -> SelfPlay:
    """Return the self-play of a variant, a level's from game `first` on.

    The player is `RANDOM` or the number of a level. The same seed, variant and player give
    the same games, whatever else is studied, except for the last level: its limit is time.

    Raises:
        EngineError: If there is no such player.

    Examples:
        >>> from engine import load_variant
        >>> player = make_self_play(load_variant("standard"), "random", seed=1)
        >>> player.play(50)
        >>> player.tally.games
        50
    """
    number = parse_player(player)
    if number is None:
        return RandomSelfPlay(variant, seed=seed)
    return LevelSelfPlay(variant, number, seed=seed, first=first)


Part: TypeAlias = tuple[str, str, int, int, int]
"""Games of a study: the variant's key, the player, the seed, the first game and how many."""


def parts_of(key: str, player: str, seed: int, game_count: int) -> list[Part]:
    """Return the parts that can be played separately: each game of a level, all random ones."""
    if parse_player(player) is None:
        return [(key, player, seed, 0, game_count)]
    return [(key, player, seed, number, 1) for number in range(game_count)]


def play_part(key: str, player: str, seed: int, first: int, game_count: int) -> Tally:
    """Play a part of a study; `Tally.merge` combines parts, in their order."""
    chosen = make_self_play(load_variant(key), player, seed=seed, first=first)
    chosen.play(game_count)
    return chosen.tally


def parse_player(text: str) -> LevelNumber | None:
    """Return the number of the level that `text` names, None for random moves.

    Raises:
        EngineError: If it names neither.

    Examples:
        >>> parse_player("3")
        3
        >>> parse_player("eleven")
        Traceback (most recent call last):
        ...
        engine.errors.EngineError: There is no player 'eleven': random, or a level from 1 to 10
    """
    if text == RANDOM:
        return None
    for level in LEVELS:
        if text == str(level.number):
            return level.number
    raise EngineError(f"There is no player {text!r}: random, or a level from 1 to {len(LEVELS)}")


def default_game_count(rules: Rules, player: str) -> int:
    """Return how many games make a sensible first look.

    Examples:
        >>> default_game_count(Rules(), "random")
        100000
        >>> default_game_count(Rules(depth=3), "8")
        2
    """
    number = parse_player(player)
    count = _RANDOM_GAMES if number is None else _LEVEL_GAMES[number - 1]
    return count if rules.depth < 3 else max(2, count // _DEEP_GAMES_SHARE)


def seeded(seed: int, variant_key: str, name: str) -> random.Random:
    """Return a random generator of its own for a variant and a player."""
    return random.Random(f"{seed}/{variant_key}/{name}")


def _starts(rules: Rules) -> Starts:
    """Return every start of a game; all are equally likely."""
    positions = [Position.initial(replace(rules, opening=Opening.FREE))]
    lines: list[tuple[Cell, ...]] = [()]
    if rules.opening is Opening.SYMMETRIC:
        positions = [Position.initial(rules, code) for code in _codes(rules, 1)]
    elif rules.opening is Opening.RANDOM_FOUR:
        lines = [opening_moves(rules, code) for code in _codes(rules, 5)]
    return lab_kernels.study.make_starts([one.search_state() for one in positions], lines)


def _codes(rules: Rules, length: int) -> list[str]:
    """Return every opening code that may be drawn."""
    codes = ("".join(digits) for digits in product("123456789", repeat=length))
    return [code for code in codes if is_drawable(rules, code)]
