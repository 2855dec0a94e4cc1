"""Puzzles from games: found by proofs, checked, given themes. See README.md."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from engine import kernels
from engine.game import Game
from engine.lab.arena.players import AlphaBeta
from engine.lab.puzzles.judging import cells_left, estimate_rating, themes_of
from engine.openings import draw_opening_code
from engine.position import Position
from engine.puzzles import Puzzle, format_puzzle, identify
from engine.rules import Rules
from engine.search.levels import choose_move, levels_of
from engine.search.mcts import Limit, Proof, Searcher
from engine.search.solving import Question, ask
from engine.types import Cell, Side, other

VERSION: Final = 1  # raise it when the same game no longer gives the same puzzle

PLAYERS: Final = range(2, 7)  # levels whose games are looked at: they blunder, and punish blunders
RANDOM_PLIES: Final = 4  # at first: from level 6 on a position gets the same move, and games repeat
MOST_LEFT: Final = 40  # empty cells in undecided boards; where there are more, little is proven
FIRST_NODES: Final = 5_000  # to find a candidate
SURE_NODES: Final = 10 * FIRST_NODES  # to prove that nothing else wins
SHORTEST_NODES: Final = 400_000  # to find the shortest win
MOST_PLIES: Final = 13  # of the shortest win
MOST_UNKNOWN: Final = 3  # turns of a game left unproven: earlier ones are harder
CHECK_ITERATIONS: Final = 10_000  # of the tree: ten times those of level 8

_TABLE_SIZE: Final = 1 << 18  # 8 MB
_SEED_BITS: Final = 62


class Refused(Exception):  # noqa: N818  # not an error: most candidates are
    """A candidate is no puzzle; the text says why, for the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The result of looking for a puzzle in a game.

    Attributes:
        number: Which game, from 0.
        candidates: How many of its positions were won, but not before the move that led there.
        refused: Why candidates are no puzzles, and how many of them.
        seconds: Processor time for the game and the search; 0 until counted.
        puzzle: The puzzle's line, None if there is none in the game.
    """

    number: int
    plies: int
    candidates: int
    refused: dict[str, int]
    seconds: float
    puzzle: str | None


def play_game(rules: Rules, seed: int, number: int) -> Game:
    """Return a game between two levels; the same arguments always give the same one."""
    rng = random.Random(f"{rules.key} {seed} {number}")
    game = Game(rules, draw_opening_code(rules, seed=rng.getrandbits(_SEED_BITS)))
    while len(game.moves) < RANDOM_PLIES:
        game.push(rng.choice(game.position.legal_moves))
    # Time is no limit: it would leave the game to chance.
    levels = levels_of(rules)
    players = [replace(levels[rng.choice(PLAYERS) - 1], seconds=3600.0) for _ in range(2)]
    while game.outcome is None:
        level, seed = players[game.position.side], rng.getrandbits(_SEED_BITS)
        game.push(choose_move(game.position, level, seed=seed).move)
    return game


def find_puzzle(game: Game, number: int, seed: int) -> Finding:
    """Look through a game from its end for a puzzle; of several the longest is kept.

    Raises:
        EngineError: If the rules are not of depth 2.
    """
    refused = Counter[str]()
    prover = Prover(game.rules)  # the result of a game depends on no other
    puzzles, candidates = [], list(_candidates(prover, game))
    for ply in candidates:
        try:
            puzzles.append(_make(prover, game, ply, seed))
        except Refused as reason:
            refused[str(reason)] += 1
    chosen = max(puzzles, key=lambda one: (len(one.solution), one.rating), default=None)
    if len(puzzles) > 1:
        refused["another one of its game is longer"] += len(puzzles) - 1
    return Finding(
        number=number,
        plies=len(game.moves),
        candidates=len(candidates),
        refused=dict(sorted(refused.items())),
        seconds=0.0,
        puzzle=None if chosen is None else format_puzzle(chosen),
    )


def _candidates(prover: Prover, game: Game) -> Iterator[int]:
    """Yield the plies where the side to move wins only because of the opponent's last move."""
    positions = [game.start]
    for move in game.moves[len(game.opening_moves) :]:
        positions.append(positions[-1].after(move))
    unknown = 0
    for before, position in reversed(list(pairwise(positions))):
        if position.outcome is not None:
            continue
        if cells_left(position) > MOST_LEFT or unknown == MOST_UNKNOWN:
            return
        wins = prover.wins(position, position.side, FIRST_NODES)
        unknown += wins is None
        if wins and prover.wins(before, position.side, FIRST_NODES) is False:
            yield position.ply


def _make(prover: Prover, game: Game, ply: int, seed: int) -> Puzzle:
    rules, moves = game.rules, game.moves[:ply]
    position = Game.replay(rules, moves, opening_code=game.opening_code).position
    if len(position.legal_moves) == 1:
        raise Refused("there is no choice")
    move = prover.only_win(position)
    plies = prover.shortest_win(position)
    if plies == 1:
        raise Refused("it is a win in one move")
    solution = prover.line(position, move, plies)
    _check(position, move, seed)
    # As far as a first look tells.
    all_else_loses = all(
        prover.wins(position.after(each), other(position.side), FIRST_NODES)
        for each in position.legal_moves
        if each != move
    )
    return Puzzle(
        id=identify(position),
        rules=rules,
        rating=estimate_rating(position, solution, seed),
        code=game.opening_code if rules.needs_opening_code else None,
        moves=moves,
        solution=solution,
        themes=themes_of(position, solution, all_else_loses=all_else_loses),
    )


def _check(position: Position, move: Cell, seed: int) -> None:
    """Check that another search, the tree of the strong levels, proves nothing else."""
    searcher = Searcher(position.rules, max_nodes=20 * CHECK_ITERATIONS)
    report = searcher.search(position, Limit(iterations=CHECK_ITERATIONS), seed=seed)
    if report.proven not in (None, Proof.WIN) or (report.proven and report.move != move):
        raise Refused("the tree proves something else")


class Prover:
    """Proofs about the positions of a game."""

    def __init__(self, rules: Rules) -> None:
        self._alphabeta = AlphaBeta(rules)
        self._answers: dict[tuple[Position, Side], tuple[bool | None, int]] = {}

    def wins(self, position: Position, side: Side, nodes: int) -> bool | None:
        """Whether a side can force a win, None if that takes more nodes."""
        if position.outcome is not None:
            return position.outcome.winner == side
        answer, spent = self._answers.get((position, side), (None, 0))
        if answer is None and spent < nodes:
            # Each with a table of its own: with one for all, 3 of 556 puzzles had a second win.
            question = Question(position, side, kernels.solving.make_table(_TABLE_SIZE))
            ask((question,), lambda: question.nodes >= nodes)
            answer = question.is_won
            self._answers[position, side] = answer, nodes
        return answer

    def only_win(self, position: Position) -> Cell:
        """Return the one move that wins, or raise `Refused`."""
        side, open_moves = position.side, list(position.legal_moves)
        winning: list[Cell] = []
        for nodes in (FIRST_NODES, SURE_NODES):
            unknown = []
            for move in open_moves:
                answer = self.wins(position.after(move), side, nodes)
                winning += [move] if answer else []
                unknown += [move] if answer is None else []
                if len(winning) > 1:
                    raise Refused("several moves win")
            open_moves = unknown
        if open_moves or not winning:
            raise Refused("it is not proven that nothing else wins")
        return winning[0]

    def shortest_win(self, position: Position) -> int:
        """Return in how many plies a position is won, or raise `Refused`."""
        for plies in range(1, MOST_PLIES + 1):
            if self._is_won_within(position, plies):
                return plies
        raise Refused(f"it takes more than {MOST_PLIES} plies")

    def _is_won_within(self, position: Position, plies: int) -> bool:
        answer = self._alphabeta.wins_within(position, plies, Limit(iterations=SHORTEST_NODES))
        if answer is None:
            raise Refused("the shortest win is not known")
        return answer

    def line(self, position: Position, move: Cell, plies: int) -> tuple[Cell, ...]:
        """Return the line of the longest defence, as long as only one move wins.

        It begins with `move`, the one that wins in `position`, within `plies`.
        Of replies that last equally long, the one with the longest line is taken, then the first.
        A line does not end with a forced turn unless that ends the game.
        """
        after = position.after(move)
        best: tuple[Cell, ...] = ()
        for reply in after.legal_moves if after.outcome is None else ():
            turn = after.after(reply)
            if turn.outcome is not None or (plies > 3 and self._is_won_within(turn, plies - 3)):
                continue
            try:
                following = self.only_win(turn)
            except Refused:
                continue
            rest = self.line(turn, following, plies - 2)
            is_forced = len(turn.legal_moves) == 1 and len(rest) == 1
            if not (is_forced and turn.after(following).outcome is None):
                best = max(best, (reply, *rest), key=len)
        return (move, *best)
