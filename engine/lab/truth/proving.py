"""Who wins after a first move: a plan that is tried against every reply.

The search for proofs (`engine/search/solving.py`) considers all moves of both sides and never gets
near the start of a game. Here one side, the attacker, has a plan, and all replies of the other side
are tried. The plan is the first half of the strategy of arXiv 2006.02353, begun in any board
instead of the centre: in every board it is sent to, the attacker marks the cell that sends the
other side back to the same board, until that is full. So the other side gets one board, and the
attacker the same cell of every board. Where the plan has no move, or fails, a tree search chooses.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import Final

from engine.errors import EngineError
from engine.forced_win import forced_win
from engine.kernels.codes import ANYWHERE, WORD_TARGET
from engine.lab.truth import first_moves, identify_player
from engine.lab.truth.records import ProvedMove, Record
from engine.notation import format_move
from engine.position import Position
from engine.rules import Rules
from engine.search.mcts import Limit, Searcher
from engine.search.report import Proof, SearchReport
from engine.types import Cell, Side, other

MOST_POSITIONS: Final = 2_000_000  # with the attacker to move; about 0.4 kB each

_NODES: Final = 200_000
# The searches after the plan has failed: a multiple of the iterations, the attacker's least
# chance for moves to be tried at all, and how many of the most searched moves are tried.
_SEARCHES: Final = ((1, 0.5, 1), (8, 0.65, 2))
_LEAST_SHARE: Final = 0.05  # of the visits that a move must have to be tried


def unproved_moves(rules: Rules, iterations: int, records: list[Record]) -> list[Cell]:
    """Return the first moves, up to symmetry, that are neither proved nor were tried like this.

    Raises:
        EngineError: If the rules are not of depth 2, or a game does not begin with a free move.
    """
    if rules.depth != 2:
        raise EngineError(f"First moves are proved for games of 81 cells; got {rules.key}")
    known = [one for one in records if isinstance(one, ProvedMove) and one.variant == rules.key]
    tried = identify_player(rules), iterations
    done = {one.first for one in known if one.winner or (one.player, one.iterations) == tried}
    return [move for move in first_moves(rules) if format_move(move, rules) not in done]


def prove_first_move(
    rules: Rules, first: Cell, iterations: int, most_positions: int = MOST_POSITIONS
) -> ProvedMove:
    """Find out who wins after a first move, if that can be shown.

    The plan is tried for the side that looks better there and, if it fails, for the other.

    Raises:
        EngineError: If the rules are not of depth 2.
    """
    position = Position.initial(rules).after(first)
    report = Searcher(rules).search(position, Limit(iterations=20 * iterations), seed=1)
    better = position.side if report.score_for_side >= 0.5 else other(position.side)
    winner, positions = None, 0
    for attacker in (better, other(better)):
        plan = Plan(rules, attacker, iterations, most_positions)
        is_won = plan.wins(position)
        positions += plan.positions
        if is_won:
            winner, positions = "XO"[attacker], plan.positions
            break
    return ProvedMove(
        variant=rules.key,
        player=identify_player(rules),
        first=format_move(first, rules),
        iterations=iterations,
        winner=winner,
        positions=positions,
    )


class Plan:
    """A way to play for one side, and what following it against every reply has shown.

    Attributes:
        positions: How many were met with the attacker to move, each counted once.
    """

    def __init__(
        self, rules: Rules, attacker: Side, iterations: int, most_positions: int = MOST_POSITIONS
    ) -> None:
        self.positions = 0
        self._attacker = attacker
        self._iterations = iterations
        self._most_positions = most_positions
        self._searcher = Searcher(rules, max_nodes=_NODES)
        self._known: dict[bytes, bool] = {}

    def wins(self, position: Position) -> bool:
        """Whether the plan is known to win from here; False for new positions past the limit."""
        if position.outcome is not None:
            return position.outcome.winner == self._attacker
        if position.side != self._attacker:
            return all(self.wins(position.after(move)) for move in position.legal_moves)
        key = position.search_state().words.tobytes()
        known = self._known.get(key)
        if known is None:
            if self.positions == self._most_positions:
                return False
            self.positions += 1
            known = self._known[key] = self._wins_to_move(position)
        return known

    def _wins_to_move(self, position: Position) -> bool:
        if forced_win(position) is not None:
            return True
        planned = _sending_back(position)
        if planned is not None and self.wins(position.after(planned)):
            return True
        tried = {planned}
        for times, least_chance, most_tried in _SEARCHES:
            self._searcher.forget()
            limit = Limit(iterations=times * self._iterations)
            report = self._searcher.search(position, limit, seed=1)
            if report.proven is not None:
                return report.proven is Proof.WIN
            if report.score_for_side >= least_chance:
                moves = [one for one in _likeliest(report, most_tried) if one not in tried]
                if any(self.wins(position.after(move)) for move in moves):
                    return True
                tried.update(moves)
        return False


def _likeliest(report: SearchReport, count: int) -> Iterator[Cell]:
    least = _LEAST_SHARE * sum(report.visits.values())
    ordered = sorted(report.visits, key=lambda move: -report.visits[move])
    return (move for move in ordered[:count] if report.visits[move] >= least)


def _sending_back(position: Position) -> Cell | None:
    """Return the move that sends the other side to the same board as all earlier ones, if any."""
    words = position.search_state().words.tolist()
    target = words[WORD_TARGET]
    if target == ANYWHERE:
        return None
    own = words[9 * position.side : 9 * position.side + 9]
    cells = reduce(or_, own) or 1 << target
    if cells & (cells - 1):  # it has sent the other side elsewhere already
        return None
    move = 9 * target + cells.bit_length() - 1
    return move if move in position.legal_moves else None
