"""Strong self-play, written game by game to a file. See README.md."""

from __future__ import annotations

import hashlib
import os
import platform
import random
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

from engine.analysis.hints import expected_moves
from engine.errors import EngineError
from engine.game import Game
from engine.lab.arena.matches import available_cores
from engine.lab.truth.records import GivenHints, Record, Sitting, SolvedGame, StrongGame
from engine.nets.net import find_net, rules_of_net
from engine.notation import format_move
from engine.openings import draw_opening_code
from engine.position import Position
from engine.rules import Rules
from engine.search.balance import balanced_move, different_first_moves, invites_swap
from engine.search.mcts import Limit, Searcher, SearchReport
from engine.search.solving import solve
from engine.types import Cell, X

VARIED_PLIES: Final = 12  # in which a move is drawn; afterwards the best is played
MOST_WORSE: Final = 0.03  # of a point: how much less than the best a drawn move may promise
LEAST_VISITS: Final = 0.02  # the share of the best move's visits that a move needs to be drawn

HINTED_PLIES: Final = 10  # of a game in which a hint is asked for

_SEED_BITS: Final = 62

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Games on the same terms; `first` is the first move of each, None to choose it."""

    rules: Rules
    limit: Limit
    seed: int = 1
    first: Cell | None = None

    def name_of(self, number: int) -> tuple[str, str, str, str | None, int, int]:
        """Return the terms of a game, as `StrongGame` has them."""
        rules = self.rules
        first = None if self.first is None else format_move(self.first, rules)
        limit = format_limit(self.limit)
        return rules.key, identify_player(rules), limit, first, self.seed, number


@cache
def identify_player(rules: Rules) -> str:
    """Return the name of the strongest player's evaluation; another net is another player.

    Examples:
        >>> identify_player(Rules(depth=3)), identify_player(Rules(depth=1))
        ('hand', 'playouts')
    """
    if rules.depth == 1:
        return "playouts"
    net = find_net(rules)
    if net is None:
        return "hand"
    digest = hashlib.sha256(repr((rules_of_net(rules).key, net.scale)).encode())
    for weights in (net.local, net.macro, net.free, net.bias, net.output):
        digest.update(weights.tobytes())
    return f"net-{digest.hexdigest()[:8]}"


def format_limit(limit: Limit) -> str:
    """Return a limit as the file stores it.

    Examples:
        >>> format_limit(Limit(seconds=0.05)), format_limit(Limit(iterations=800))
        ('50ms', '800it')
    """
    if limit.seconds is None:
        return f"{limit.iterations}it"
    return f"{round(1000 * limit.seconds)}ms"


def first_moves(rules: Rules) -> tuple[Cell, ...]:
    """Return the first moves, symmetric ones once, or raise `EngineError` if they are drawn."""
    if rules.needs_opening_code:
        raise EngineError(
            f"{rules.key} begins with an opening that is drawn: it has no first moves"
        )
    return different_first_moves(Position.initial(rules))


def missing_games(
    tasks: Sequence[Task], count: int, records: Collection[Record]
) -> list[tuple[Task, int]]:
    """Return the games missing from the first `count` of each task, one of every task in turn."""
    known = {one.terms for one in records if isinstance(one, StrongGame)}
    return [
        (task, number)
        for number in range(count)
        for task in tasks
        if task.name_of(number) not in known
    ]


_OWN: Final = threading.local()  # trees take memory: each thread keeps those of its last rules


def _searchers_for(rules: Rules) -> tuple[Searcher, Searcher]:
    """Return this thread's strongest player twice, one for each mark."""
    if getattr(_OWN, "rules", None) != rules:
        _OWN.rules, _OWN.searchers = rules, (Searcher(rules), Searcher(rules))
    searchers: tuple[Searcher, Searcher] = _OWN.searchers
    return searchers


def play_game(task: Task, number: int) -> StrongGame:
    """Play a game. With a limit in iterations the same task and number give the same one.

    Each side keeps its tree during the game. In the first `VARIED_PLIES` plies after an opening
    the move is drawn among those nearly as good as the best, in proportion to their visits. If
    seats may be swapped the most balanced first move is played, and the other side swaps if it
    then stands worse; after a given first move nobody swaps.
    """
    name = task.name_of(number)
    rules, rng = task.rules, random.Random(repr(name))
    game = Game(rules, draw_opening_code(rules, seed=rng.getrandbits(_SEED_BITS)))
    searchers = _searchers_for(rules)
    for searcher in searchers:
        searcher.forget()
    if task.first is not None:
        game.push(task.first)
    elif invites_swap(game.position):
        seed = rng.getrandbits(_SEED_BITS)
        game.push(balanced_move(game.position, task.limit, seed=seed).move)
    searches = iterations = 0
    while game.outcome is None:
        searcher = searchers[game.position.side]
        report = searcher.search(game.position, task.limit, seed=rng.getrandbits(_SEED_BITS))
        searches += 1
        iterations += report.iterations
        if game.can_swap and task.first is None and report.score_for_side < 0.5:
            game.swap()
        is_varied = len(game.moves) - len(game.opening_moves) < VARIED_PLIES
        game.push(_draw_move(report, rng) if is_varied else report.move)
    winner = game.outcome.winner
    variant, player, limit, first, seed, _ = name
    return StrongGame(
        variant=variant,
        player=player,
        limit=limit,
        first=first,
        seed=seed,
        number=number,
        code=game.opening_code,
        moves="".join(format_move(move, rules) for move in game.moves),
        swapped=game.swapped,
        result="draw" if winner is None else "XO"[winner != X],
        plies=len(game.moves),
        iterations=round(iterations / max(searches, 1)),
    )


def solve_game(played: StrongGame, limit: Limit) -> SolvedGame:
    """Find out from which ply on each position of a game is solved within a limit.

    Each gets a fresh search, the last one first, until one is not solved: by the search for
    proofs or, for rules that it does not support, by the proofs of the tree.
    """
    game = replayed(played)
    first = played.plies
    while len(game.moves) > len(game.opening_moves):
        game.pop()
        if game.rules.depth == 2:
            proven = solve(game.position, limit).proven
        else:
            searcher, _ = _searchers_for(game.rules)
            searcher.forget()
            proven = searcher.search(game.position, limit, seed=played.number).proven
        if proven is None:
            break
        first = len(game.moves)
    return SolvedGame(**_about(played, limit), ply=first, plies=played.plies)


def _about(played: StrongGame, limit: Limit) -> dict[str, Any]:
    """Return the fields by which every measurement identifies its game."""
    return {
        "variant": played.variant,
        "player": played.player,
        "within": format_limit(limit),
        "limit": played.limit,
        "seed": played.seed,
        "number": played.number,
    }


def replayed(played: StrongGame) -> Game:
    """Return a stored game."""
    return Game.replay(
        Rules.parse(played.variant), played.cells, opening_code=played.code, swapped=played.swapped
    )


def give_hints(played: StrongGame, limit: Limit) -> GivenHints:
    """Ask for a hint in some positions of a game, and keep the chances that are not proven."""
    game = replayed(played)
    first = len(game.opening_moves) + (1 if game.rules.has_swap else 0)
    rng, count = random.Random(repr(played.terms)), min(HINTED_PLIES, played.plies - first)
    drawn = set(rng.sample(range(first, played.plies), count))
    plies, chances = [], []
    while len(game.moves) > first:
        game.pop()
        if len(game.moves) in drawn:
            hint = expected_moves(game.position, limit, 1, seed=played.number)[0]
            if hint.proven is None:
                plies.append(len(game.moves))
                chances.append(round(1000 * hint.chance))
    return GivenHints(
        **_about(played, limit), plies=tuple(reversed(plies)), chances=tuple(reversed(chances))
    )


def _draw_move(report: SearchReport, rng: random.Random) -> Cell:
    """Return a random one of the moves nearly as good as the best."""
    if report.proven is not None:
        return report.move
    least_score = report.scores[report.move] - MOST_WORSE
    least_visits = LEAST_VISITS * report.visits[report.move]
    moves = [
        move
        for move, visits in report.visits.items()
        if move == report.move or (visits >= least_visits and report.scores[move] >= least_score)
    ]
    return rng.choices(moves, [report.visits[move] or 1 for move in moves])[0]


def unmeasured_games(
    kind: type[SolvedGame | GivenHints],
    records: Sequence[Record],
    rules: Rules,
    count: int,
    within: str,
) -> list[StrongGame]:
    """Return today's player's games not measured yet, of the first `count` from the empty board."""
    measured = {one.terms for one in records if isinstance(one, kind)}
    terms = rules.key, identify_player(rules), None
    games = [
        one
        for one in records
        if isinstance(one, StrongGame) and (one.variant, one.player, one.first) == terms
    ]
    return [
        one
        for one in games[:count]
        if (one.variant, one.player, within, one.limit, one.seed, one.number) not in measured
    ]


def this_sitting() -> Sitting:
    """Return the record of the machine and the day."""
    return Sitting(
        machine=f"{_processor()}, {available_cores()} cores", date=f"{datetime.now(UTC):%Y-%m-%d}"
    )


def _processor() -> str:
    """Return the name of the processor, as far as the system reports it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()


def append_records(path: Path, records: Iterator[T], format: Callable[[T], str]) -> Iterator[T]:
    """Add records to a file as they come, each on the disk before it is yielded.

    A torn last line, left by a run that was killed, is cut off first.
    """
    with path.open("ab+") as file:
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)
        for record in records:
            file.write(format(record).encode())
            file.flush()
            os.fsync(file.fileno())
            yield record
