"""The certain result of a position, by a search made only to prove it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from engine import kernels
from engine.errors import EngineError, GameOverError
from engine.position import Position, loaded_rules
from engine.search.evaluation import Evaluation, load_evaluator
from engine.search.report import Limit, Proof
from engine.types import Cell, Side, other

if TYPE_CHECKING:
    from engine.kernels.codes import Ints
    from engine.kernels.solving import Solver

TABLE_SIZE: Final = 1 << 22  # 128 MB, used only as it fills; half a million positions a second come
CHUNK_NODES: Final = 500  # about a millisecond


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """What was found out about a position.

    Attributes:
        proven: Its result for the side to move, None if the limit came first.
        nodes: Positions looked at.
        seconds: By the limit's clock.
    """

    proven: Proof | None
    nodes: int
    seconds: float


def solve(
    position: Position,
    limit: Limit,
    *,
    stop: threading.Event | None = None,
    table: Ints | None = None,
) -> Solution:
    """Find out who wins with best play by both; blocks, without the interpreter's lock.

    Two questions are asked in turn: can the side to move force a win, and can the other? If
    neither can, it is a draw. An iteration or a node of the limit is a position looked at; with
    such a limit the same position gives the same solution. Calls that share a `table`
    (`kernels.solving.make_table`) use what earlier ones found; a table is for one set of rules.

    Raises:
        GameOverError: If the game has ended.
        EngineError: If the rules are not of depth 2.

    Examples:
        >>> from engine import parse_position
        >>> position = parse_position("standard X 41 - XX7 XXX6/XXX6/XX7/O2O5/O2O5/O2O5/O2O5/9/9")
        >>> solve(position, Limit(nodes=10_000)).proven
        <Proof.WIN: 'win'>
    """
    if position.outcome is not None:
        raise GameOverError(f"The game is over: {position.outcome}.")
    if position.rules.depth != 2:
        raise EngineError(f"Games of depth 2 only can be solved, not {position.rules.key!r}")
    started, side = limit.clock.now(), position.side
    if table is None:
        table = kernels.solving.make_table(TABLE_SIZE)
    asked = [Question(position, attacker, table) for attacker in (side, other(side))]

    def is_over() -> bool:
        nodes = sum(question.nodes for question in asked)
        if any(most is not None and nodes >= most for most in (limit.iterations, limit.nodes)):
            return True
        if limit.seconds is not None and limit.clock.now() - started >= limit.seconds:
            return True
        return stop is not None and stop.is_set()

    ask(asked, is_over)
    proven = None
    if asked[0].is_won:
        proven = Proof.WIN
    elif asked[1].is_won:
        proven = Proof.LOSS
    elif None not in (asked[0].is_won, asked[1].is_won):
        proven = Proof.DRAW
    nodes = sum(question.nodes for question in asked)
    return Solution(proven=proven, nodes=nodes, seconds=limit.clock.now() - started)


def ask(questions: Sequence[Question], is_over: Callable[[], bool]) -> None:
    """Work on questions in turn until one is answered yes, all are answered, or `is_over`."""
    while not is_over() and any(question.is_won is None for question in questions):
        for question in questions:
            if question.is_won is None:
                question.think(CHUNK_NODES)
            if question.is_won:
                return


class Question:
    """Whether a side can force a win from a position of a running game of depth 2.

    Attributes:
        attacker: The side.
        is_won: The answer, None until it is known.
        move: A move that gets the side to move what it wants, if there is one.
    """

    def __init__(self, position: Position, attacker: Side, table: Ints) -> None:
        self.attacker = attacker
        self.is_won: bool | None = None
        self.move: Cell | None = None
        self._side = position.side
        self._loaded = loaded_rules(position.rules)
        evaluator = load_evaluator(position.rules, Evaluation.HAND)
        assert evaluator is not None
        self._evaluator = evaluator
        self._solver: Solver = kernels.solving.make_solver(table)
        words = position.search_state().words
        kernels.solving.begin(self._solver, words, attacker, *self._loaded, evaluator)

    @property
    def nodes(self) -> int:
        """The number of positions looked at."""
        return int(self._solver.head[kernels.solving.NODES])

    def think(self, nodes: int) -> None:
        """Go on for about `nodes` positions."""
        codes, solver = kernels.solving, self._solver
        if codes.think(solver, *self._loaded, self._evaluator, nodes):
            known = solver.deltas[0, : solver.frames[0, codes.COUNT]].tolist()
            if 0 in known:
                self.move = int(solver.moves[0, known.index(0)])
            self.is_won = (self.move is not None) == (self.attacker == self._side)
