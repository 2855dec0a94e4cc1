"""Who plays the games of a study: chance in compiled code, or a level against itself."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Final, Protocol

from engine import kernels
from engine.errors import EngineError
from engine.lab import kernels as lab_kernels
from engine.lab.study.tally import GameFacts, Tally, facts_of
from engine.openings import draw_opening_code, is_drawable, opening_moves
from engine.position import Position, loaded_rules
from engine.rules import Opening, Rules
from engine.search.levels import LEVELS, Level, choose_move
from engine.variants import Variant

if TYPE_CHECKING:
    from engine.lab.kernels.study import Starts

RANDOM: Final = "random"

# Games per variant unless told otherwise, at depth 1 or 2. Random ones take a quarter of a
# second; a game of levels 1 to 6 some hundredths, each further level about five times longer.
_RANDOM_GAMES: Final = 100_000
_LEVEL_GAMES: Final = (100, 100, 100, 100, 100, 100, 50, 20, 8, 4)
_DEEP_GAMES_SHARE: Final = 10  # at depth 3, where a game has ten times as many moves


class SelfPlay(Protocol):
    """Plays games of one variant and adds them up. Not for several threads at once."""

    @property
    def chunk(self) -> int:
        """How many games to ask for at once: a fraction of a second, or one game."""

    @property
    def tally(self) -> Tally:
        """The sums over the games played so far."""

    def play(self, game_count: int) -> None:
        """Play so many games more; a KeyboardInterrupt leaves the sums whole."""


class RandomSelfPlay:
    """Every legal move is as likely, every opening code too."""

    def __init__(self, variant: Variant, *, seed: int) -> None:
        rules = variant.rules
        self._loaded = loaded_rules(rules)
        self._starts = _starts(rules)
        self._scratch = kernels.trees.make_scratch(rules.depth)
        self._rng = kernels.rng.make_rng(seeded(seed, variant.key, RANDOM).getrandbits(63))
        self._sums = lab_kernels.study.make_sums()
        self.chunk = 20_000 if rules.depth < 3 else 500

    @property
    def tally(self) -> Tally:
        """The sums over the games played so far."""
        return Tally.of(self._sums)

    def play(self, game_count: int) -> None:
        """Play so many games more."""
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
    """A level of the computer plays itself; nobody swaps seats."""

    chunk = 1

    def __init__(self, variant: Variant, level: Level, *, seed: int) -> None:
        self._variant = variant
        # A limit in time would make the games depend on the machine. The last level has no other.
        is_timed = level.number == LEVELS[-1].number
        self._level = level if is_timed else replace(level, seconds=math.inf)
        self._seed = seed
        self.tally = Tally()

    def play(self, game_count: int) -> None:
        """Play so many games more."""
        for _ in range(game_count):
            self.tally.add(self._game())

    def _game(self) -> GameFacts:
        name = f"{self._level.number}/{self.tally.games}"
        rng = seeded(self._seed, self._variant.key, name)
        rules = self._variant.rules
        code = draw_opening_code(rules, seed=rng.getrandbits(63))
        position = Position.initial(rules, code)
        choices = []
        while position.outcome is None:
            choices.append(len(position.legal_moves))
            report = choose_move(position, self._level, seed=rng.getrandbits(63))
            position = position.after(report.move)
        return facts_of(position, choices)


def make_self_play(variant: Variant, player: str, *, seed: int) -> SelfPlay:
    """Return who plays the games of a variant.

    Args:
        variant: What is played.
        player: `RANDOM` or the number of a level.
        seed: The same seed, variant and player give the same games, whatever
            else is studied; but for the last level, which thinks by the clock.

    Raises:
        EngineError: If there is no such player.

    Examples:
        >>> from engine import load_variant
        >>> player = make_self_play(load_variant("standard"), "random", seed=1)
        >>> player.play(50)
        >>> player.tally.games
        50
    """
    level = parse_player(player)
    if level is None:
        return RandomSelfPlay(variant, seed=seed)
    return LevelSelfPlay(variant, level, seed=seed)


def parse_player(text: str) -> Level | None:
    """Return the level of the computer that `text` names, None for random moves.

    Raises:
        EngineError: If it names neither.

    Examples:
        >>> parse_player("3").number
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
            return level
    raise EngineError(f"There is no player {text!r}: random, or a level from 1 to {len(LEVELS)}")


def default_game_count(rules: Rules, player: str) -> int:
    """Return how many games make a sensible first look.

    Examples:
        >>> default_game_count(Rules(), "random")
        100000
        >>> default_game_count(Rules(depth=3), "8")
        2
    """
    level = parse_player(player)
    count = _RANDOM_GAMES if level is None else _LEVEL_GAMES[LEVELS.index(level)]
    return count if rules.depth < 3 else max(2, count // _DEEP_GAMES_SHARE)


def seeded(seed: int, variant_key: str, name: str) -> random.Random:
    """Return random numbers of their own for a variant and a player."""
    return random.Random(f"{seed}/{variant_key}/{name}")


def _starts(rules: Rules) -> Starts:
    """Return every start of a game, each as likely."""
    positions = [Position.initial(replace(rules, opening=Opening.FREE))]
    lines: list[tuple[int, ...]] = [()]
    if rules.opening is Opening.SYMMETRIC:
        positions = [Position.initial(rules, code) for code in _codes(rules, 1)]
    elif rules.opening is Opening.RANDOM_FOUR:
        lines = [opening_moves(rules, code) for code in _codes(rules, 5)]
    return lab_kernels.study.make_starts([one.search_state() for one in positions], lines)


def _codes(rules: Rules, length: int) -> list[str]:
    """Return every opening code that may be drawn."""
    codes = ("".join(digits) for digits in product("123456789", repeat=length))
    return [code for code in codes if is_drawable(rules, code)]
