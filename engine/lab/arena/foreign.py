"""Other programs as players: those that speak the Universal Game Interface, and OpenSpiel.

Whatever a program does, the match goes on: a crash, a timeout or an answer that is no legal
move forfeits the game (`ForfeitError`) with a reason, and the next game starts it again.

OpenSpiel's Monte Carlo tree search takes part if its package is installed, for measuring
only. It takes a number of simulations, not a time: each move gets as many as fit into its
time at the speed measured so far, plus what earlier moves have left unused. A free choice
is two actions there, the board and then a cell; each gets half.
"""

from __future__ import annotations

import queue
import shlex
import subprocess
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, Final

from engine.errors import EngineError, shorten
from engine.game import Game
from engine.notation import format_move, parse_move
from engine.rules import Rules
from engine.search.mcts import Clock, Limit
from engine.types import Cell

START_SECONDS: Final = 120.0  # to get ready: a first start may compile
GRACE_SECONDS: Final = 0.5  # how much later than the limit a move may come
STRETCH: Final = 5.0  # how much longer a limit in processor time may take by the wall clock
MOVE_SECONDS: Final = 60.0  # for a move without a limit in time
MOST_SEED: Final = 2**31 - 2
_LONGEST_QUOTE: Final = 80
_LONGEST_LINE: Final = 100_000  # characters
_MOST_UNHEARD: Final = 10_000  # lines

OPENSPIEL: Final = "openspiel"
OPENSPIEL_EXPLORATION: Final = 1.4  # values range from -1 to 1 there: like our own 0.7
_MEMORY_MB: Final = 1000
_FIRST_SIMULATIONS: Final = 500  # of the first move, while the speed is not known
_MOST_SIMULATIONS: Final = 10_000_000
_PYSPIEL: Final = "pyspiel"


# Another checkout's `ugi`, made to count processor time: older ones use the wall clock.
_BY_PROCESSOR: Final = (
    "import runpy, sys, time; time.perf_counter = time.process_time; sys.argv[0] = 'engine';"
    " runpy.run_module('engine', run_name='__main__', alter_sys=True)"
)
_SCHEDULED: Final = 2  # Linux: the clock that counts the processor time of a process


class ForfeitError(EngineError):
    """A player cannot go on: it crashed, hung, or its answer is no move; the message says which."""


class ForeignPlayer:
    """A program that plays; it is started when its first game begins.

    Examples:
        >>> ForeignPlayer("")
        Traceback (most recent call last):
        ...
        engine.errors.EngineError: A program needs a command, as in 'cmd:python -m engine ugi'
    """

    def __init__(
        self, command: str, *, folder: Path | None = None, tries_out: bool = False
    ) -> None:
        """Take a command: the program and its arguments, run in `folder`; no shell sees it.

        With `tries_out` it finds a move before its first game of a set of rules, off the clock:
        for programs that are ready only then.

        Raises:
            EngineError: If the command is empty or its quotes are not closed.
        """
        try:
            self._command = shlex.split(command)
        except ValueError as error:
            raise EngineError(f"The command {command!r} cannot be read: {error}") from None
        if not self._command:
            raise EngineError("A program needs a command, as in 'cmd:python -m engine ugi'")
        self._folder = folder
        self._tries_out = tries_out
        self._tried: Rules | None = None
        self._talk: _Talk | None = None
        self._takes_seed = False

    def begin(self, game: Game) -> None:
        """Start the program if needed, and tell it the rules."""
        if self._talk is None:
            self._talk = _Talk(self._command, self._folder)
            self._tried = None
            self._say("ugi")
            self._takes_seed = False
            self._expect("ugiok", START_SECONDS)
        self._say(f"setoption name Variant value {game.rules.key}")
        if game.opening_code is not None:
            self._say(f"setoption name Opening value {game.opening_code}")
        self._say("uginewgame")
        self._say("isready")
        self._expect("readyok", START_SECONDS)
        if self._tries_out and self._tried != game.rules:
            self._say("position startpos")
            self._say("go nodes 1")
            self._expect("bestmove", START_SECONDS)
            self._say("uginewgame")
            self._tried = game.rules

    def choose(self, game: Game, limit: Limit, seed: int) -> Cell:
        """Return the program's move; the referee checks whether it is legal.

        A program with an option Seed is given the seed, so that its games can be repeated.
        """
        if self._takes_seed:
            self._say(f"setoption name Seed value {seed % MOST_SEED + 1}")
        rules = game.rules
        given = len(game.opening_moves)
        moves = " ".join(format_move(move, rules) for move in game.moves[given:])
        self._say(f"position startpos moves {moves}" if moves else "position startpos")
        patience = MOVE_SECONDS
        if limit.seconds is not None:
            patience = limit.seconds + GRACE_SECONDS
            if limit.clock is Clock.CPU:
                patience *= STRETCH
            self._say(f"go movetime {max(1, round(1000 * limit.seconds))}")
        else:
            self._say(f"go nodes {limit.iterations}")
        answer = self._expect("bestmove", patience)
        words = answer.split()
        try:
            return parse_move(words[1] if len(words) > 1 else "", rules)
        except EngineError:
            self.close()
            raise ForfeitError(
                f"It answered {answer[:_LONGEST_QUOTE]!r}, which is no move."
            ) from None

    def cpu_seconds(self) -> float | None:
        """Return the processor time used by the program, None if unknown."""
        if self._talk is None or not sys.platform.startswith("linux"):
            return None
        try:
            return time.clock_gettime(~self._talk.pid << 3 | _SCHEDULED)
        except OSError:  # it has ended
            return None

    def close(self) -> None:
        """End the program."""
        if self._talk is not None:
            self._talk.end()
            self._talk = None

    def _say(self, line: str) -> None:
        assert self._talk is not None
        try:
            self._talk.say(line)
        except OSError:
            raise self._crash() from None

    def _expect(self, word: str, seconds: float) -> str:
        """Return the next line that begins with `word`; note an option Seed in the lines before."""
        assert self._talk is not None
        deadline = time.perf_counter() + seconds
        while True:
            try:
                line = self._talk.hear(deadline - time.perf_counter())
            except TimeoutError:
                self.close()
                raise ForfeitError(
                    f"It did not answer {word!r} within {seconds:.3g} seconds."
                ) from None
            if line is None:
                raise self._crash()
            words = line.split()
            if words[:1] == [word]:
                return line
            if [one.lower() for one in words[:3]] == ["option", "name", "seed"]:
                self._takes_seed = True

    def _crash(self) -> ForfeitError:
        assert self._talk is not None
        status = self._talk.end()
        self._talk = None
        return ForfeitError(f"It ended with exit status {status} in the middle of a game.")


class _Talk:
    """A running process, and a thread that collects what it says."""

    def __init__(self, command: list[str], folder: Path | None) -> None:
        try:
            self._process = subprocess.Popen(  # noqa: S603  # the command is the caller's own
                command,
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                bufsize=1,
            )
        except OSError as error:
            raise EngineError(f"{command[0]!r} cannot be started: {error.strerror}") from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input: IO[str] = self._process.stdin
        self._output: IO[str] = self._process.stdout
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with self._output:
            while line := self._output.readline(_LONGEST_LINE):
                if self._lines.qsize() < _MOST_UNHEARD:  # more are never read
                    self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def say(self, line: str) -> None:
        """Send a line; raise `OSError` if the process no longer listens."""
        self._input.write(line + "\n")
        self._input.flush()

    def hear(self, seconds: float) -> str | None:
        """Return the next line, None after the last; raise `TimeoutError` if none comes."""
        try:
            if seconds <= 0:  # a program that never stops talking is late too
                raise queue.Empty
            return self._lines.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError from None

    def end(self) -> int:
        """End the process, asking it first; return its exit status."""
        with suppress(OSError):  # it is gone already
            self.say("quit")
        with suppress(OSError):
            self._input.close()
        try:
            status = self._process.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        self._reader.join(timeout=0.5)  # a child of the program may hold the pipe open
        return status


def checkout_player(folder: str) -> ForeignPlayer:
    """Return the engine of another checkout of this repository, run by this Python.

    It stays the same while the engine here changes: a reference to beat. Its thinking time is
    processor time, whichever clock it uses by itself.

    Raises:
        EngineError: If there is no engine in the folder.
    """
    path = Path(folder).expanduser().resolve()
    if not (path / "engine" / "__main__.py").is_file():
        raise EngineError(f"{shorten(folder)!r} is no folder with an engine in it")
    command = shlex.join([sys.executable, "-c", _BY_PROCESSOR, "ugi"])
    return ForeignPlayer(command, folder=path, tries_out=True)


class OpenSpielPlayer:
    """Plays the moves of OpenSpiel's `MCTSBot` with random games; `standard` only."""

    def __init__(self) -> None:
        """Load OpenSpiel, or raise `EngineError` if it is not installed."""
        try:
            self._spiel: Any = import_module(_PYSPIEL)
        except ImportError:
            raise EngineError(
                "The player 'openspiel' needs the package open_spiel:"
                " pip install -r deploy/requirements-bench.txt"
            ) from None
        self._game = self._spiel.load_game("ultimate_tic_tac_toe")
        self._simulations = 0
        self._seconds = 0.0
        self._owed = 0.0

    def begin(self, game: Game) -> None:
        """Raise `EngineError` for rules that OpenSpiel does not know: all but the standard ones."""
        if game.rules != Rules():
            raise EngineError(f"OpenSpiel plays 'standard' only, not {game.rules.key!r}")

    def choose(self, game: Game, limit: Limit, seed: int) -> Cell:
        """Return the move found; time saved or overspent carries over to later moves."""
        state = replay(self._game, game)
        actions = 2 if is_choosing(state) else 1
        found: list[int] = []
        if limit.seconds is not None:
            self._owed += limit.seconds
        for left in range(actions, 0, -1):
            started = limit.clock.now()
            count = self._simulations_for(limit, left)
            action = int(self._bot(count, seed).step(state))
            spent = limit.clock.now() - started
            self._simulations += count
            self._seconds += spent
            if limit.seconds is not None:
                self._owed -= spent
            state.apply_action(action)
            found.append(action)
        board = found[0] if actions == 2 else int(game.position.legal_moves[0]) // 9
        return 9 * board + found[-1]

    def cpu_seconds(self) -> float:
        """Return the processor time used by this thread."""
        return time.thread_time()

    def close(self) -> None:
        """Nothing to do."""

    def _simulations_for(self, limit: Limit, actions: int) -> int:
        if limit.iterations is not None:
            return max(1, limit.iterations // actions)
        if self._seconds == 0.0:
            return _FIRST_SIMULATIONS
        speed = self._simulations / self._seconds
        return max(1, min(_MOST_SIMULATIONS, round(speed * self._owed / actions)))

    def _bot(self, simulations: int, seed: int) -> Any:
        number = seed % 2**31
        evaluator = self._spiel.RandomRolloutEvaluator(1, number)
        return self._spiel.MCTSBot(
            self._game,
            evaluator,
            OPENSPIEL_EXPLORATION,
            simulations,
            _MEMORY_MB,
            True,
            number,
            False,
        )


def is_installed() -> bool:
    """Whether OpenSpiel is installed."""
    return find_spec(_PYSPIEL) is not None


def replay(spiel_game: Any, game: Game) -> Any:
    """Return OpenSpiel's state after the moves of a game of the standard rules."""
    state = spiel_game.new_initial_state()
    for move in game.moves:
        if is_choosing(state):
            state.apply_action(move // 9)
        state.apply_action(move % 9)
    return state


def is_choosing(state: Any) -> bool:
    """Whether the next action names a board, not a cell; only the text of the state says so."""
    return "Forced board: any" in str(state)
