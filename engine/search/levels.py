"""Playing strengths as data, and how weak levels make mistakes.

A strong level is a number of iterations. A weak one searches only for some of its
moves and plays the others at a glance, as newcomers do: it sees a line to make or to
stop, and forgets where its move sends the opponent. No level waits: time is only ever
a limit. Levels are tuned to the rules, so that a step between them is worth about as
much under all rules.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, NamedTuple

from engine.forced_win import forced_win
from engine.position import Position
from engine.rules import Rules
from engine.search.balance import balanced_move, invites_swap
from engine.search.evaluation import Evaluation, load_evaluator
from engine.search.mcts import Clock, Limit, Proof, Searcher, SearchReport, search
from engine.search.ratings import level_rating
from engine.types import LINES, BoardStatus, Cell, LevelNumber, Side, other

_FULL: Final = 9
_HAS_LINE: Final = tuple(
    any(all(marks >> place & 1 for place in line) for line in LINES) for marks in range(1 << _FULL)
)


class Sight:
    """A position seen board by board.

    Examples:
        >>> from engine import Rules, parse_position
        >>> sight = Sight(parse_position("standard X 91 1 9 XX7/9/9/9/9/9/9/9/OO7"))
        >>> sight.makes_line(2, 0), sight.makes_line(3, 0)
        (True, False)
    """

    def __init__(self, position: Position) -> None:
        self._position = position
        self._marks: dict[int, tuple[int, int]] = {}

    def makes_line(self, move: Cell, side: Side) -> bool:
        """Whether a mark of `side` would complete a line of the move's local board."""
        board, cell = divmod(move, _FULL)
        return _HAS_LINE[self._of(board)[side] | 1 << cell]

    def takes_board(self, move: Cell, side: Side) -> bool:
        """Whether that line would win the board; in a decided board it is useless."""
        is_ongoing = self._position.board_status(move // _FULL) is BoardStatus.ONGOING
        return is_ongoing and self.makes_line(move, side)

    def decides_board(self, move: Cell, side: Side) -> bool:
        """Whether a mark of `side` would complete a line or fill the local board."""
        x_marks, o_marks = self._of(move // _FULL)
        is_last = (x_marks | o_marks).bit_count() == _FULL - 1
        return is_last or self.makes_line(move, side)

    def _of(self, board: int) -> tuple[int, int]:
        """Return the marks of X and of O in a local board."""
        if board not in self._marks:
            masks = [0, 0]
            for cell in range(_FULL):
                mark = self._position.mark_at(_FULL * board + cell)
                if mark is not None:
                    masks[mark] |= 1 << cell
            self._marks[board] = masks[0], masks[1]
        return self._marks[board]


def winning_move(position: Position) -> Cell | None:
    """Return a move that wins the game at once."""
    sight, side = Sight(position), position.side
    for move in position.legal_moves:
        if sight.decides_board(move, side):
            outcome = position.after(move).outcome
            if outcome is not None and outcome.winner == side:
                return move
    return None


def gives_win(position: Position, move: Cell) -> bool:
    """Whether the other side can win the game at once after a move, or has won by it."""
    after = position.after(move)
    if after.outcome is not None:
        return after.outcome.winner == after.side
    return winning_move(after) is not None


def glance(position: Position, eyes: float, care: float, rng: random.Random) -> Cell:
    """Choose without thinking: a line to make, a line to stop, or any cell.

    `eyes` and `care` are those of a `Level`; `rng` decides what is noticed and between equal moves.
    """
    candidates = list(position.legal_moves)
    if rng.random() < care:
        safe = [move for move in candidates if not gives_win(position, move)]
        candidates = safe or candidates
    sight = Sight(position)
    for side in (position.side, other(position.side)):
        lines = [move for move in candidates if sight.takes_board(move, side)]
        if lines and rng.random() < eyes:
            return rng.choice(lines)
    return rng.choice(candidates)


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """How well the computer plays.

    Attributes:
        number: 1, the weakest, to 10.
        iterations: How much it thinks about a move; more where there should be a net and
            is none.
        searched_share: The share of moves it searches for; it plays the rest at a glance.
        eyes: How often a glance sees a line to make, and one to stop.
        care: How often it notices that a move would let the other side win the game at
            once. It always takes a win in one move.
        seconds: The longest it may think.
        evaluation: How it values positions: by the hand-made formula or the best available.
    """

    number: LevelNumber
    name: str
    summary: str
    iterations: int
    searched_share: float = 1.0
    eyes: float = 1.0
    care: float = 1.0
    seconds: float = 1.0
    evaluation: Evaluation = Evaluation.HAND

    @property
    def goes_on(self) -> bool:
        """Whether it may reuse the tree of its last move: not if it is limited in iterations."""
        return self.iterations >= _UNBOUND

    @property
    def rating(self) -> int:
        """Its fixed rating in the standard game; `level_rating` has those of variants."""
        return level_rating(self.number)


_UNBOUND: Final = 10_000_000  # in effect limited by time alone


class _Mark(NamedTuple):
    """How the computer plays at a point on the scale from the weakest play to the strongest."""

    place: float
    iterations: int
    deep_iterations: int  # at depth 3
    searched_share: float
    eyes: float
    care: float
    evaluation: Evaluation


# Between two marks all values are interpolated but the evaluation, which is that of the lower one.
# Measured by `python -m engine ladder` (ratings.json): from 6 on, doubling the iterations is worth
# 75 Elo at first, 60 near 8 and 35 near the top.
_WAY: Final = (
    _Mark(1.0, 10, 5, 0.0, 0.6, 0.25, Evaluation.HAND),
    _Mark(2.0, 20, 8, 0.2, 0.75, 0.6, Evaluation.HAND),
    _Mark(3.0, 25, 10, 0.48, 0.9, 0.9, Evaluation.HAND),
    _Mark(4.0, 30, 15, 0.75, 0.97, 1.0, Evaluation.HAND),
    _Mark(5.0, 60, 30, 0.97, 1.0, 1.0, Evaluation.HAND),
    _Mark(5.5, 240, 50, 1.0, 1.0, 1.0, Evaluation.HAND),
    _Mark(5.9, 1_500, 75, 1.0, 1.0, 1.0, Evaluation.HAND),
    _Mark(6.0, 12, 80, 1.0, 1.0, 1.0, Evaluation.AUTO),
    _Mark(7.0, 140, 250, 1.0, 1.0, 1.0, Evaluation.AUTO),
    _Mark(8.0, 1_000, 1_000, 1.0, 1.0, 1.0, Evaluation.AUTO),
    _Mark(9.0, 8_000, 6_000, 1.0, 1.0, 1.0, Evaluation.AUTO),
    _Mark(10.0, _UNBOUND, _UNBOUND, 1.0, 1.0, 1.0, Evaluation.AUTO),
)
# Where the levels stand on the scale, by the rules of the net that plays, so that no step is far
# from 200 Elo. With other nets, or with none, they stand at the whole numbers.
_AT_MARKS: Final = tuple(float(number) for number in range(1, 11))
_PLACES: Final[Mapping[str, tuple[float, ...]]] = {
    "standard": (1.1, 2.1, 3.3, 4.6, 5.45, 6.0, 6.85, 7.75, 8.75, 10.0),
    "majority": (1.67, 2.63, 3.73, 4.8, 5.36, 5.74, 6.1, 6.75, 7.57, 10.0),
    "mulloy": (1.1, 2.18, 3.06, 3.98, 4.8, 5.29, 5.66, 6.5, 8.2, 10.0),
    "open-board": (1.1, 2.1, 3.15, 4.4, 5.35, 6.0, 7.0, 8.0, 9.0, 10.0),
    "tactical": (1.2, 2.12, 3.0, 3.81, 4.61, 5.26, 5.75, 6.5, 8.3, 10.0),
    "goal=five,no_return=yes,tiebreak=most,won_board=forced": (
        (1.4, 2.15, 2.95, 3.8, 4.6, 5.1, 5.42, 7.0, 7.7, 10.0)
    ),
    "no_return=yes,tiebreak=most,won_board=forced": (
        (1.0, 2.03, 2.85, 3.84, 4.74, 5.27, 5.56, 7.15, 7.95, 10.0)
    ),
    "tic-tac-ku": (1.0, 2.0, 2.55, 3.1, 3.7, 4.3, 4.9, 5.4, 6.0, 10.0),
    "won-board": (1.2, 2.15, 3.17, 4.2, 5.05, 5.55, 6.23, 7.65, 9.0, 10.0),
}
_NAMES: Final = (
    ("Newcomer", "Has just heard the rules; overlooks half of everything."),
    ("Beginner", "Sees lines in a board, but seldom where a move sends you."),
    ("Casual", "Thinks now and then."),
    ("Regular", "Makes few plain mistakes, plans little."),
    ("Skilled", "Seldom careless, otherwise sound."),
    ("Strong", "Hardly ever careless."),
    ("Expert", "Looks several moves ahead."),
    ("Master", "Punishes most mistakes."),
    ("Champion", "Hard to beat."),
    ("Unbound", "Thinks for a second about every move."),
)


@lru_cache(maxsize=256)
def levels_of(rules: Rules) -> tuple[Level, ...]:
    """Return the levels for these rules, from 1 to 10.

    Examples:
        >>> [level.iterations for level in levels_of(Rules())][5:8]
        [12, 97, 612]
    """
    # Imported only when a game begins: it loads the compiler.
    from engine.nets.net import find_net, rules_of_net

    net = find_net(rules)
    by_rules = {rules_of_net(Rules.parse(key)): places for key, places in _PLACES.items()}
    places = _AT_MARKS if net is None else by_rules.get(net.rules, _AT_MARKS)
    return _levels_at(places, is_deep=rules.depth == 3)


def _levels_at(places: Sequence[float], *, is_deep: bool = False) -> tuple[Level, ...]:
    """Return the levels at these places on the scale, numbered from 1."""
    return tuple(_level_at(place, n, is_deep=is_deep) for n, place in enumerate(places, 1))


def _level_at(place: float, number: LevelNumber, *, is_deep: bool) -> Level:
    above = next(index for index, mark in enumerate(_WAY) if mark.place >= place)
    upper = _WAY[above]
    lower = upper if upper.place == place else _WAY[above - 1]
    if lower.evaluation is not upper.evaluation:
        upper = lower
    part = 0.0 if upper is lower else (place - lower.place) / (upper.place - lower.place)
    least, most = lower.iterations, upper.iterations
    if is_deep:
        least, most = lower.deep_iterations, upper.deep_iterations
    name, summary = _NAMES[number - 1]
    return Level(
        number=number,
        name=name,
        summary=summary,
        iterations=round(least * (most / least) ** part),
        searched_share=lower.searched_share + part * (upper.searched_share - lower.searched_share),
        eyes=lower.eyes + part * (upper.eyes - lower.eyes),
        care=lower.care + part * (upper.care - lower.care),
        evaluation=lower.evaluation,
    )


LEVELS: Final = _levels_at(_PLACES["standard"])

# A search of this many iterations finds every win in one move by itself.
_SURE_ITERATIONS: Final = 5_000
# With one legal move there is nothing to choose; this many are enough to value it.
_FORCED_ITERATIONS: Final = 200


def choose_move(
    position: Position,
    level: Level,
    *,
    seed: int | None = None,
    stop: threading.Event | None = None,
    max_seconds: float | None = None,
    clock: Clock = Clock.WALL,
    searcher: Searcher | None = None,
) -> SearchReport:
    """Choose a move as a player of `level` would; blocks, run it in a thread.

    `seed` makes the choice repeatable unless time ends it; setting `stop` ends the search within
    a few milliseconds. `max_seconds`, counted by `clock` from the call on, is a tighter limit than
    the level's own. A level that `goes_on` reuses the tree of `searcher`, one for the same rules.

    Raises:
        GameOverError: If the game has ended.

    Examples:
        >>> choose_move(Position.initial(Rules()), LEVELS[0], seed=5).move in range(81)
        True
    """
    rng, started = random.Random(seed), clock.now()
    if (known := _known_win(position, level)) is not None:
        return known
    if position.legal_moves and rng.random() >= level.searched_share:
        begun = time.perf_counter()
        return _unsearched(glance(position, level.eyes, level.care, rng), begun)
    seconds = level.seconds if max_seconds is None else min(level.seconds, max_seconds)
    iterations = level.iterations
    if len(position.legal_moves) == 1:
        iterations = min(iterations, _FORCED_ITERATIONS)
    most = iterations if iterations < _UNBOUND else None
    evaluation = Evaluation.AUTO if position.rules.depth == 1 else level.evaluation
    load_evaluator(position.rules, evaluation)  # slow the first time
    passed = clock.now() - started
    limit = Limit(seconds=seconds, iterations=most, clock=clock).less(passed)
    if invites_swap(position):
        return balanced_move(position, limit, seed=seed, stop=stop, evaluation=evaluation)
    if searcher is not None and level.goes_on:
        return searcher.search(position, limit, seed=seed, stop=stop)
    report = search(position, limit, seed=seed, stop=stop, evaluation=evaluation)
    is_sure = iterations >= _SURE_ITERATIONS or rng.random() >= level.care
    return report if is_sure else _heed(position, report)


def _known_win(position: Position, level: Level) -> SearchReport | None:
    """Return a win that needs no search: in one move, or at the highest level the known one."""
    started = time.perf_counter()
    move, distance = None, 1
    if level.iterations < _SURE_ITERATIONS:
        move = winning_move(position)
    elif level.number == LEVELS[-1].number:
        win = forced_win(position)
        if win is not None:
            move, distance = win.move, win.at_most_plies
    return None if move is None else _unsearched(move, started, Proof.WIN, distance)


def _unsearched(
    move: Cell, started: float, proven: Proof | None = None, distance: int | None = None
) -> SearchReport:
    """Report a move that was not searched for; unless proven, only the move means anything."""
    return SearchReport(
        move=move,
        score_for_side=0.5 if proven is None else proven.chance,
        iterations=0,
        seconds=time.perf_counter() - started,
        principal_line=(move,),
        proven=proven,
        distance=distance,
    )


def _heed(position: Position, report: SearchReport) -> SearchReport:
    """Replace the move of a short search if it lets the other side win the game at once."""
    if report.proven is not None or not gives_win(position, report.move):
        return report
    visits, scores = report.visits, report.scores
    for move in sorted(visits, key=lambda move: (visits[move], scores[move]))[::-1]:
        if not gives_win(position, move):
            return replace(report, move=move, score_for_side=scores[move], principal_line=(move,))
    return report
