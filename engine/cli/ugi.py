"""`ugi`: speak the Universal Game Interface on standard input and output.

The interface is a generalised UCI: `ugi`, `isready`, `setoption`, `uginewgame`,
`position`, `go`, `stop`, `query`, `quit`. The search runs in a thread, so
every command is answered during a search; commands that would change the game or
the search are refused meanwhile.

The tree is kept from one `go` to the next: a position that follows from the last one, or is
the same, is searched further. `uginewgame` forgets the tree.

`go movetime` counts the processor time of this program from `go` to `bestmove`, including starting
the thread and following and summing up the tree. A clock (`p1time`) counts wall-clock time.
"""

from __future__ import annotations

import argparse
import gc
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, TextIO

from engine import kernels
from engine.cli._options import Commands, add_command
from engine.errors import EngineError, shorten
from engine.game import Game
from engine.notation import format_move, parse_move
from engine.rules import Rules
from engine.search.balance import balanced_move, invites_swap
from engine.search.mcts import Clock, Limit, Proof, Searcher, SearchReport
from engine.types import O, Side, X
from engine.variants import load_variant

MAX_ITERATIONS: Final = 10**9
MAX_DEPTH_ITERATIONS: Final = 10**7
MAX_SEED: Final = 2**31 - 1
MAX_LIMIT: Final = 10**9  # milliseconds, nodes
MOVES_TO_PLAY: Final = 20  # how many moves the rest of a clock should last for
LONGEST_LINE: Final = 10_000  # characters; the longest game needs three thousand
LONGEST_ERROR: Final = 500
LAST_SECONDS: Final = 60.0  # how long a search may go on after the end of the input
SWAP: Final = "swap"  # for the pie rule, in place of a move

_EVEN: Final = 0.5
_ASIDE_SECONDS: Final = 1e-4  # assumed for sending an answer until it has been measured

_INTRODUCTION: Final = (
    "id name Ultimate Tic-Tac-Toe engine",
    "id author the authors of this project",
    "option name Variant type string default standard",
    "option name Opening type string default <empty>",
    f"option name Seed type spin default 0 min 0 max {MAX_SEED}",
    "option name Swap type check default false",
    "ugiok",
)
_NO_CODE: Final = "this variant begins with a code: setoption name Opening value CODE"


def add_ugi(commands: Commands) -> None:
    """Add the command."""
    add_command(
        commands,
        "ugi",
        _run,
        "Speak the Universal Game Interface with another program.",
        "Moves are digits from the outermost board inwards: 55. The search has no depth, so"
        " `go depth N` runs 9^N iterations, at most ten million. With the option Seed other than 0,"
        " the same commands after `uginewgame` give the same answer to `go nodes N`. The tree is"
        " kept during a game. `movetime` is CPU time of the program, `p1time` wall-clock time. If"
        f" the rules let the second player swap seats, `{SWAP}` is that move in a position; marks"
        " and turn stay. With the option Swap the answer may be `bestmove swap`, and a first move"
        " is chosen to be balanced. `score cp` runs from -100, a loss, to 100, a win;"
        " `score mate N` is a certain win in at most N of the winner's moves, below 0 a loss in at"
        " most N of the loser's. During a search an info line is printed after a quarter of a"
        " second, then each time the search has taken twice as long.",
    )


def _run(options: argparse.Namespace) -> int:
    del options
    session = Session(sys.stdout)
    gc.disable()  # a full collection takes milliseconds; see `_get_ready`
    try:
        for line in _lines(sys.stdin):
            if not session.obey(line):
                break
        session.finish()
    finally:  # else a search would go on after an interrupt, or when the reader is gone
        session.finish(0)
    return 0


def _lines(source: TextIO) -> Iterator[str]:
    """Yield lines; of one that is too long, just enough to show that it is."""
    while line := source.readline(LONGEST_LINE + 2):
        yield line
        while len(line) == LONGEST_LINE + 2 and not line.endswith("\n"):
            line = source.readline(LONGEST_LINE + 2)


class Session:
    """A conversation: the game it is about and the search that runs."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._out_lock = threading.Lock()
        self._rules = Rules()
        self._opening_code: str | None = None
        self._seed = 0
        self._game: Game | None = Game(self._rules)
        self._searcher: Searcher | None = None
        self._words: list[str] = []  # the moves of the game as they were sent
        self._swaps = False
        self._used: tuple[float, float] | None = None  # when `go` came, and seconds accounted for
        self._aside = _ASIDE_SECONDS  # processor seconds of a `go` outside the search
        self._search: threading.Thread | None = None
        self._is_searching = False
        self._stop = threading.Event()
        self._is_endless = False

    def obey(self, line: str) -> bool:
        """Carry out one line; return False after `quit`. Mistakes are answered."""
        self._learn()
        if len(line.rstrip("\n")) > LONGEST_LINE:
            self._refuse(f"a line has at most {LONGEST_LINE} characters")
            return True
        words = line.split()
        if not words:
            return True
        if words[0] == "quit":
            self._stop.set()
            return False
        commands: dict[str, Callable[[list[str]], None]] = {
            "ugi": lambda _: self._say(*_INTRODUCTION),
            "isready": lambda _: self._get_ready(),
            "setoption": self._set_option,
            "uginewgame": lambda _: self._new_game(),
            "position": self._set_position,
            "go": self._go,
            "stop": lambda _: self._stop_search(),
            "query": self._query,
        }
        command = commands.get(words[0])
        try:
            if command is None:
                raise EngineError(f"unknown command {words[0]!r}")
            command(words[1:])
        except EngineError as error:
            self._refuse(str(error))
        return True

    def _learn(self) -> None:
        """Learn from the last `go` how much time it takes outside the search."""
        if self._used is not None:
            received, known = self._used
            self._used = None
            self._aside += (time.process_time() - received - known - self._aside) / 4

    def finish(self, seconds: float = LAST_SECONDS) -> None:
        """Wait for a running search, then stop it; an endless one is stopped at once."""
        if self._search is not None:
            self._search.join(0 if self._is_endless else seconds)
            self._stop.set()
            self._search.join()

    def _refuse(self, reason: str) -> None:
        self._say(f"info string error {reason[:LONGEST_ERROR]}")

    def _say(self, *lines: str) -> None:
        with self._out_lock:
            print(*lines, sep="\n", file=self._out, flush=True)

    def _get_ready(self) -> None:
        """Do the work now that would delay the first search."""
        kernels.compiling.run_all()
        if not self._is_searching:
            self._searcher_now().get_ready()
            gc.collect()
            gc.freeze()
        self._say("readyok")

    def _searcher_now(self) -> Searcher:
        """Return the searcher for these rules, with the tree of the moves before."""
        if self._searcher is None:
            self._searcher = Searcher(self._rules)
        return self._searcher

    def _set_option(self, words: list[str]) -> None:
        self._refuse_during_search()
        if len(words) < 2 or words[0] != "name":
            raise EngineError("setoption is: setoption name NAME value VALUE")
        name = words[1].lower()
        value = " ".join(words[3:])
        rules, code = self._rules, self._opening_code
        if name == "variant":
            rules, code = load_variant(value).rules, None
        elif name == "opening":
            code = value if value not in ("", "<empty>") else None
        elif name == "seed":
            self._seed = _read_number("Seed", value, 0, MAX_SEED)
            return
        elif name == "swap":
            if value not in ("true", "false"):
                raise EngineError(f"Swap is true or false, got {shorten(value)!r}")
            self._swaps = value == "true"
            return
        else:
            raise EngineError(
                f"there is no option {words[1]!r}: options are Variant, Opening, Seed, Swap"
            )
        self._game, self._words = _start(rules, code), []
        if rules != self._rules:
            self._searcher = None
        self._rules, self._opening_code = rules, code

    def _new_game(self) -> None:
        self._refuse_during_search()
        self._game, self._words = _start(self._rules, self._opening_code), []
        if self._searcher is not None:
            self._searcher.forget()

    def _set_position(self, words: list[str]) -> None:
        self._refuse_during_search()
        if not words or words[0] != "startpos" or (len(words) > 1 and words[1] != "moves"):
            raise EngineError("position is: position startpos [moves 55 51 ...]")
        game, texts = self._game, words[2:]
        if game is not None and texts[: len(self._words)] == self._words:
            try:
                _play(game, texts[len(self._words) :])
            except EngineError:
                self._game = self._replayed(self._words)
                raise
        else:
            game = self._replayed(texts)
        self._game, self._words = game, texts

    def _replayed(self, texts: list[str]) -> Game:
        game = _start(self._rules, self._opening_code)
        if game is None:
            raise EngineError(_NO_CODE)
        _play(game, texts)
        return game

    def _query(self, words: list[str]) -> None:
        game, winners = self._current(), {None: "draw", X: "p1win", O: "p2win"}
        answers = {
            "gameover": "true" if game.outcome else "false",
            "p1turn": "true" if game.position.side == X else "false",
            "result": winners[game.outcome.winner] if game.outcome else "none",
        }
        if len(words) != 1 or words[0] not in answers:
            raise EngineError("query is one of: gameover, p1turn, result")
        self._say(f"response {answers[words[0]]}")

    def _current(self) -> Game:
        if self._game is None:
            raise EngineError(_NO_CODE)
        return self._game

    def _refuse_during_search(self) -> None:
        """Raise `EngineError` if a search is running; waiting for it would miss a `stop`."""
        if self._is_searching:
            raise EngineError("a search is running: send stop first, or wait for bestmove")

    def _stop_search(self) -> None:
        self._stop.set()
        if self._search is not None:
            self._search.join()

    def _go(self, words: list[str]) -> None:
        self._refuse_during_search()
        game = self._current()
        if game.outcome is not None:
            raise EngineError(f"the game is over: {game.outcome}")
        received = time.process_time(), time.perf_counter()
        limit = parse_limit(words, game.position.side)
        self._is_endless = limit.iterations == MAX_ITERATIONS and limit.seconds is None
        self._stop.clear()
        self._is_searching = True
        self._search = threading.Thread(target=self._think, args=(game, limit, *received))
        self._search.start()

    def _think(self, game: Game, limit: Limit, by_processor: float, by_wall: float) -> None:
        """Answer within the limit; `by_processor` and `by_wall` say when `go` was received."""
        position, rules, can_swap = game.position, game.rules, self._swaps and game.can_swap
        if limit.clock is Clock.CPU:
            before = time.process_time() - by_processor
            limit = limit.less(before + self._aside)
        else:
            limit = limit.less(time.perf_counter() - by_wall)
        seed = self._seed or None
        try:
            if self._swaps and invites_swap(position):
                report = balanced_move(position, limit, seed=seed, stop=self._stop)
            else:
                report = self._searcher_now().search(
                    position,
                    limit,
                    seed=seed,
                    stop=self._stop,
                    watch=lambda found: self._tell(_info(found, rules)),
                )
        finally:
            self._is_searching = False  # before the answer, as another command may follow it
        is_swap = can_swap and report.score_for_side < _EVEN
        best = SWAP if is_swap else format_move(report.move, rules)
        self._tell(_info(report, rules), f"bestmove {best}")
        if limit.clock is Clock.CPU:
            self._used = by_processor, before + report.seconds

    def _tell(self, *lines: str) -> None:
        with suppress(BrokenPipeError):  # the reader of commands finds out by itself
            self._say(*lines)


def _start(rules: Rules, opening_code: str | None) -> Game | None:
    """Return a new game, None while its opening code is missing."""
    if rules.needs_opening_code and opening_code is None:
        return None
    return Game(rules, opening_code)


def _play(game: Game, texts: list[str]) -> None:
    """Play moves and the swap of seats, as written by the other program."""
    for text in texts:
        if text == SWAP:
            game.swap()
        else:
            game.push(parse_move(text, game.rules))


def _read_number(name: str, value: str, least: int, most: int) -> int:
    number = int(value) if value.isascii() and value.isdigit() and len(value) <= 20 else None
    if number is None or not least <= number <= most:
        shown = shorten(value)
        raise EngineError(f"{name} needs a whole number from {least} to {most}, got {shown!r}")
    return number


def _info(report: SearchReport, rules: Rules) -> str:
    """Return what the search found as an info line; the score in hundredths, 0 is even.

    For a certain result it is the most moves, of the winner or the loser, until it comes.
    """
    line = " ".join(format_move(move, rules) for move in report.principal_line)
    milliseconds = round(1000 * report.seconds)
    rate = round(report.iterations / max(report.seconds, 1e-6))
    score = f"cp {round(200 * report.score_for_side - 100)}"
    if report.distance is not None:
        sign = 1 if report.proven is Proof.WIN else -1
        score = f"mate {sign * ((report.distance + 1) // 2)}"
    return (
        f"info depth {len(report.principal_line)} score {score} time {milliseconds}"
        f" nodes {report.iterations} nps {rate} pv {line}"
    )


def parse_limit(words: list[str], side: Side) -> Limit:
    """Read the words after `go` as a limit for the side to move, or raise `EngineError`.

    Examples:
        >>> parse_limit(["movetime", "250"], 0).seconds
        0.25
        >>> parse_limit(["depth", "3"], 0).iterations
        729
    """
    if words in ([], ["infinite"]):
        return Limit(iterations=MAX_ITERATIONS)
    numbers = dict(_numbers(words))
    if "nodes" in numbers or "movetime" in numbers:
        seconds = numbers["movetime"] / 1000 if "movetime" in numbers else None
        return Limit(seconds=seconds, iterations=numbers.get("nodes"), clock=Clock.CPU)
    if "depth" in numbers:
        return Limit(iterations=min(9 ** min(numbers["depth"], 8), MAX_DEPTH_ITERATIONS))
    clock, increment = ("p1time", "p1inc") if side == X else ("p2time", "p2inc")
    if clock not in numbers:
        raise EngineError(f"go needs {clock}, movetime, nodes, depth or infinite")
    milliseconds = numbers[clock] / MOVES_TO_PLAY + numbers.get(increment, 0) * 0.8
    return Limit(seconds=max(min(milliseconds, numbers[clock] * 0.5), 1) / 1000)


def _numbers(words: list[str]) -> Iterator[tuple[str, int]]:
    known = ("movetime", "nodes", "depth", "p1time", "p2time", "p1inc", "p2inc")
    for place in range(0, len(words), 2):
        name, value = words[place], words[place + 1] if place + 1 < len(words) else ""
        if name not in known:
            raise EngineError(f"go does not know {name!r}")
        yield name, _read_number(name, value, 0, MAX_LIMIT)
