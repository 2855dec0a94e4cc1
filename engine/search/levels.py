"""Playing strengths as data, and how a weak player errs.

A strong level is a number of random games. A weak one thinks only now and
then; otherwise it plays at a glance, as people do who are new to the game: it
sees a line to make or to stop, and forgets where its move sends the opponent.
No level waits: time is only ever a limit.
"""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass, replace
from typing import Final

from engine import kernels
from engine.forced_win import forced_win
from engine.position import Position
from engine.rules import Rules
from engine.search.balance import balanced_move, invites_swap
from engine.search.evaluation import Evaluation, load_evaluator
from engine.search.glancing import gives_win, glance, winning_move
from engine.search.mcts import Limit, Proof, SearchReport, search
from engine.search.ratings import level_rating
from engine.types import LevelNumber


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """How well the computer plays.

    Attributes:
        number: 1, the weakest, to 10.
        name: What is shown.
        summary: One line on what to expect.
        iterations: How much it thinks about a move; more where there should be a net and
            is none.
        deep_iterations: The same at depth 3, where a game at random is what tells most
            and a second is enough for some fifty thousand.
        searched_share: Of how many of its moves it thinks; the rest is played at a glance.
        eyes: How often a glance sees a line to make, and one to stop.
        care: How often it notices that a move would let the other side win the game at
            once. A win of its own in one move it always takes.
        seconds: The longest it may think.
        evaluation: How it values positions at depth 2: by the hand-made formula or by
            the best there is.
    """

    number: LevelNumber
    name: str
    summary: str
    iterations: int
    deep_iterations: int
    searched_share: float = 1.0
    eyes: float = 1.0
    care: float = 1.0
    seconds: float = 1.0
    evaluation: Evaluation = Evaluation.HAND

    @property
    def rating(self) -> int:
        """Its fixed rating in the standard game; `level_rating` tells that of variants."""
        return level_rating(self.number)


_UNBOUND: Final = 10_000_000  # as long as there is time

# Measured by `python -m engine ladder`: each step is some 200 Elo (ratings.json). From 6
# on twice the iterations are worth 75 Elo at first, 60 near level 8 and 35 near the top.
# The first five do without a net: they stay what they are when a better one is trained.
LEVELS: Final = (
    Level(
        number=1,
        name="Newcomer",
        summary="Has just heard the rules; overlooks half of everything.",
        iterations=10,
        deep_iterations=100,
        searched_share=0.0,
        eyes=0.6,
        care=0.25,
    ),
    Level(
        number=2,
        name="Beginner",
        summary="Sees lines in a board, but seldom where a move sends you.",
        iterations=20,
        deep_iterations=300,
        searched_share=0.2,
        eyes=0.75,
        care=0.6,
    ),
    Level(
        number=3,
        name="Casual",
        summary="Thinks about every other move.",
        iterations=25,
        deep_iterations=500,
        searched_share=0.48,
        eyes=0.9,
        care=0.9,
    ),
    Level(
        number=4,
        name="Regular",
        summary="Makes few plain mistakes, plans little.",
        iterations=30,
        deep_iterations=800,
        searched_share=0.75,
        eyes=0.97,
    ),
    Level(
        number=5,
        name="Skilled",
        summary="Seldom careless, otherwise sound.",
        iterations=60,
        deep_iterations=1_500,
        searched_share=0.97,
    ),
    Level(
        number=6,
        name="Strong",
        summary="Never careless.",
        iterations=12,
        deep_iterations=2_500,
        evaluation=Evaluation.AUTO,
    ),
    Level(
        number=7,
        name="Expert",
        summary="Looks several moves ahead.",
        iterations=140,
        deep_iterations=4_500,
        evaluation=Evaluation.AUTO,
    ),
    Level(
        number=8,
        name="Master",
        summary="Punishes most mistakes.",
        iterations=1_000,
        deep_iterations=8_000,
        evaluation=Evaluation.AUTO,
    ),
    Level(
        number=9,
        name="Champion",
        summary="Hard to beat.",
        iterations=8_000,
        deep_iterations=15_000,
        evaluation=Evaluation.AUTO,
    ),
    Level(
        number=10,
        name="Unbound",
        summary="Thinks for a second about every move.",
        iterations=_UNBOUND,
        deep_iterations=_UNBOUND,
        evaluation=Evaluation.AUTO,
    ),
)

# So many see every win in one move by themselves.
_SURE_ITERATIONS: Final = 5_000
# The hand-made formula needs so many times the iterations to play about as well as a net.
_WITHOUT_NET: Final = 8
# With one legal move there is nothing to choose; this many games tell its value.
_FORCED_ITERATIONS: Final = 200


def choose_move(
    position: Position,
    level: Level,
    *,
    seed: int | None = None,
    stop: threading.Event | None = None,
    max_seconds: float | None = None,
    threads: int = 1,
) -> SearchReport:
    """Choose a move as a player of `level` would; blocks, run it in a thread.

    Args:
        position: A position that is not over.
        level: How well to play.
        seed: Makes the choice repeatable unless time ends it.
        stop: Set it to end the search within a few milliseconds.
        max_seconds: A tighter limit than the level's own.
        threads: How many threads the highest level may think in where it plays out random
            games (depth 1 and 3); elsewhere more than one are of no use.

    Raises:
        GameOverError: If the game has ended.

    Examples:
        >>> from engine import Rules
        >>> choose_move(Position.initial(Rules()), LEVELS[0], seed=5).move in range(81)
        True
    """
    rng = random.Random(seed)
    known = _known_win(position, level)
    if known is not None:
        return known
    if position.legal_moves and rng.random() >= level.searched_share:
        return _glance(position, level, rng)
    seconds = level.seconds if max_seconds is None else min(level.seconds, max_seconds)
    iterations = _iterations(level, position.rules)
    if len(position.legal_moves) == 1:
        iterations = min(iterations, _FORCED_ITERATIONS)
    limit = Limit(seconds=seconds, iterations=iterations)
    evaluation = level.evaluation if position.rules.depth == 2 else Evaluation.AUTO
    if invites_swap(position):
        return balanced_move(position, limit, seed=seed, stop=stop, evaluation=evaluation)
    # Trees over the same net grow alike: only random games gain by a second one.
    gains = iterations >= _UNBOUND and load_evaluator(position.rules, evaluation) is None
    used = threads if gains else 1
    report = search(position, limit, seed=seed, stop=stop, evaluation=evaluation, threads=used)
    is_sure = iterations >= _SURE_ITERATIONS or rng.random() >= level.care
    return report if is_sure else _heed(position, report)


def _iterations(level: Level, rules: Rules) -> int:
    """Return how much a level thinks about a move under some rules."""
    if rules.depth == 3:
        return level.deep_iterations
    if rules.depth == 1 or level.evaluation is Evaluation.HAND:
        return level.iterations
    evaluator = load_evaluator(rules, level.evaluation)
    has_net = evaluator is not None and evaluator.kind == kernels.valuing.NET
    return level.iterations if has_net else _WITHOUT_NET * level.iterations


def _known_win(position: Position, level: Level) -> SearchReport | None:
    """Return a win that needs no thought: in one move, or by heart at the highest level."""
    started = time.perf_counter()
    move, distance = None, 1
    if level.iterations < _SURE_ITERATIONS:
        move = winning_move(position)
    elif level.number == LEVELS[-1].number:
        win = forced_win(position)
        if win is not None:
            move, distance = win.move, win.at_most_plies
    if move is None:
        return None
    return SearchReport(
        move=move,
        score_for_side=1.0,
        iterations=0,
        seconds=time.perf_counter() - started,
        principal_line=(move,),
        visits={},
        proven=Proof.WIN,
        distance=distance,
    )


def _glance(position: Position, level: Level, rng: random.Random) -> SearchReport:
    """Choose without thinking; the report says nothing but the move."""
    started = time.perf_counter()
    move = glance(position, level.eyes, level.care, rng)
    return SearchReport(
        move=move,
        score_for_side=0.5,
        iterations=0,
        seconds=time.perf_counter() - started,
        principal_line=(move,),
        visits={},
        proven=None,
    )


def _heed(position: Position, report: SearchReport) -> SearchReport:
    """Look again at what was found in little thought: never give the game away in one move.

    So few iterations may not have met the answer that wins.
    """
    if report.proven is not None or not gives_win(position, report.move):
        return report
    scores = report.scores or {}
    others = sorted(report.visits, key=lambda move: (report.visits[move], scores[move]))
    for move in reversed(others):
        if not gives_win(position, move):
            return replace(report, move=move, score_for_side=scores[move], principal_line=(move,))
    return report
