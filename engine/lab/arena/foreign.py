"""Another program as a player: a process that speaks the Universal Game Interface.

Whatever the program does, the match goes on: a crash, a silence and an answer that is
no legal move are a `ForfeitError` with a sentence, and the next game starts it anew.
"""

from __future__ import annotations

import queue
import shlex
import subprocess
import threading
import time
from contextlib import suppress
from typing import IO, Final

from engine.errors import EngineError
from engine.game import Game
from engine.lab.arena.errors import ForfeitError
from engine.notation import format_move, parse_move
from engine.search.mcts import Limit
from engine.types import Cell

START_SECONDS: Final = 120.0  # a first start may compile
GRACE_SECONDS: Final = 0.5  # of every move: pipes, and a machine that does other things
MOVE_SECONDS: Final = 60.0  # for a move without a limit in time
MOST_SEED: Final = 2**31 - 2
_LONGEST_QUOTE: Final = 80
_LONGEST_LINE: Final = 100_000  # characters
_MOST_UNHEARD: Final = 10_000  # lines


class ForeignPlayer:
    """A program that plays; it is started when its first game begins.

    Examples:
        >>> ForeignPlayer("")
        Traceback (most recent call last):
        ...
        engine.errors.EngineError: A program needs a command, as in 'cmd:python -m engine ugi'
    """

    def __init__(
        self,
        command: str,
        *,
        start_seconds: float = START_SECONDS,
        grace_seconds: float = GRACE_SECONDS,
        move_seconds: float = MOVE_SECONDS,
    ) -> None:
        """Take note of a command.

        Args:
            command: The program and its arguments; no shell sees it.
            start_seconds: How long it may take to get ready.
            grace_seconds: How much later than the limit a move may come.
            move_seconds: How long a move may take without a limit in time.

        Raises:
            EngineError: If the command is empty or its quotes are not closed.
        """
        try:
            self._command = shlex.split(command)
        except ValueError as error:
            raise EngineError(f"The command {command!r} cannot be read: {error}") from None
        if not self._command:
            raise EngineError("A program needs a command, as in 'cmd:python -m engine ugi'")
        self._start_seconds = start_seconds
        self._grace_seconds = grace_seconds
        self._move_seconds = move_seconds
        self._talk: _Talk | None = None
        self._takes_seed = False

    def begin(self, game: Game) -> None:
        """Start the program if need be, and tell it the rules."""
        if self._talk is None:
            self._talk = _Talk(self._command)
            self._say("ugi")
            self._takes_seed = False
            self._expect("ugiok", self._start_seconds)
        self._say(f"setoption name Variant value {game.rules.key}")
        if game.opening_code is not None:
            self._say(f"setoption name Opening value {game.opening_code}")
        self._say("uginewgame")
        self._say("isready")
        self._expect("readyok", self._start_seconds)

    def choose(self, game: Game, limit: Limit, seed: int) -> Cell:
        """Return the program's move; the referee finds out whether it is legal.

        A program with an option Seed is told it, so that its games can be repeated.
        """
        if self._takes_seed:
            self._say(f"setoption name Seed value {seed % MOST_SEED + 1}")
        rules = game.rules
        given = len(game.opening_moves)
        moves = " ".join(format_move(move, rules) for move in game.moves[given:])
        self._say(f"position startpos moves {moves}" if moves else "position startpos")
        patience = self._move_seconds
        if limit.seconds is not None:
            patience = limit.seconds + self._grace_seconds
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
        """Return the next line that begins with a word; of others options are noted."""
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

    def __init__(self, command: list[str]) -> None:
        try:
            self._process = subprocess.Popen(  # noqa: S603  # the command is the caller's own
                command,
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
                if self._lines.qsize() < _MOST_UNHEARD:  # more than that nobody will ever hear
                    self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def say(self, line: str) -> None:
        """Send a line.

        Raises:
            OSError: If the process no longer listens.
        """
        self._input.write(line + "\n")
        self._input.flush()

    def hear(self, seconds: float) -> str | None:
        """Return the next line, None when there will be no more.

        Raises:
            TimeoutError: If none comes in time.
        """
        try:
            if seconds <= 0:  # who never stops talking is late too
                raise queue.Empty
            return self._lines.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError from None

    def end(self) -> int:
        """End the process, kindly first; return its exit status."""
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
