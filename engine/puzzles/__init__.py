"""Puzzles: a position, and the one way to win from it. See README.md."""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from engine.errors import EngineError
from engine.game import Game
from engine.notation import format_move, parse_moves
from engine.position import Position
from engine.puzzles.themes import THEMES, Theme
from engine.rules import Rules, WonBoard
from engine.sending import symmetries, transform
from engine.types import BoardStatus, Cell, Side
from engine.variants import VARIANTS

FOLDER: Final = Path(__file__).parent
FORMAT: Final = 1
_NO_CODE: Final = "-"
_ID_LENGTH: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """How an attempt to solve a puzzle stands.

    Attributes:
        game: The game after the moves tried, with a reply to each right one but the last.
        is_right: Whether every move was that of the solution or won the game at once; a wrong one
            ends the attempt and is the last move of the game.
        is_solved: Whether all moves have been found.
        reply: The defender's answer to the last move, the last move of the game; None if the
            puzzle has ended.
    """

    game: Game
    is_right: bool
    is_solved: bool
    reply: Cell | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Puzzle:
    """A position with only one winning move at each turn of the side to move.

    Attributes:
        id: Eight letters and digits, derived from the position; the same for positions that differ
            only by a symmetry of the board or by swapped marks.
        rules: The rules it is played by.
        rating: A first estimate of how hard it is, on the scale of players.
        code: The opening code of its game, None if the rules need none.
        moves: The moves from the start to the position, those of a random opening first. The last
            one is the mistake that allows the win.
        solution: The winning moves with the longest defence between them; of odd length.
        themes: What it is about, in the order of `THEMES`.
    """

    id: str
    rules: Rules
    rating: int
    code: str | None
    moves: tuple[Cell, ...]
    solution: tuple[Cell, ...]
    themes: tuple[Theme, ...]

    @property
    def side(self) -> Side:
        """The side that is to move and to win."""
        return len(self.moves) & 1

    @property
    def turns(self) -> int:
        """How many moves are to be found."""
        return (len(self.solution) + 1) // 2

    def start(self) -> Game:
        """Return the game up to the position.

        Raises:
            EngineError: If its rules refuse a move.
        """
        return Game.replay(self.rules, self.moves, opening_code=self.code)

    def attempt(self, tried: Sequence[Cell]) -> Attempt:
        """Play the moves that somebody tried, with the defender's replies.

        Moves after a wrong one, or after the solution, are ignored.

        Raises:
            IllegalMoveError: If the rules refuse a move.

        Examples:
            >>> puzzle = load_puzzles("standard")[0]
            >>> puzzle.attempt(puzzle.solution[::2]).is_solved
            True
        """
        game, is_right, is_solved, reply = self.start(), True, False, None
        for move, place in zip(tried, range(0, len(self.solution), 2), strict=False):
            game.push(move)
            is_won = game.outcome is not None and game.outcome.winner == self.side
            reply, is_right = None, is_won or move == self.solution[place]
            if not is_right:
                break
            is_solved = is_won or place + 1 == len(self.solution)
            if is_solved:
                break
            reply = self.solution[place + 1]
            game.push(reply)
        return Attempt(game=game, is_right=is_right, is_solved=is_solved, reply=reply)


def identify(position: Position) -> str:
    """Return the id of the puzzle that begins with a position.

    Marks in closed boards do not count, as they cannot matter any more.
    """
    rules, side = position.rules, position.side
    legal = set(position.legal_moves)
    owners, cells = [], []
    for board in range(rules.board_count):
        status = position.board_status(board)
        owners.append("." if status is BoardStatus.ONGOING else _sign(status.winner, side, "="))
        is_closed = status is not BoardStatus.ONGOING and rules.won_board is WonBoard.CLOSED
        for cell in range(9 * board, 9 * board + 9):
            sign = "#" if is_closed else _sign(position.mark_at(cell), side, ".")
            cells.append("!" if cell in legal else sign)
    alike = []
    for symmetry in symmetries(rules):
        turned = [""] * (len(owners) + len(cells))
        for board, owner in enumerate(owners):
            turned[symmetry[board]] = owner
        for cell, sign in enumerate(cells):
            turned[len(owners) + transform(cell, symmetry, rules)] = sign
        alike.append("".join(turned))
    digest = hashlib.sha256(f"{rules.key} {min(alike)}".encode()).digest()
    return base64.b32encode(digest).decode().lower()[:_ID_LENGTH]


def _sign(mark: Side | None, side: Side, nobody: str) -> str:
    return nobody if mark is None else "ab"[mark != side]


def format_puzzle(puzzle: Puzzle) -> str:
    """Return a puzzle as a line without a line break: id, rating, code, moves, solution, themes."""
    moves, solution = (
        "".join(format_move(move, puzzle.rules) for move in line)
        for line in (puzzle.moves, puzzle.solution)
    )
    themes = ",".join(theme.key for theme in puzzle.themes)
    return f"{puzzle.id} {puzzle.rating} {puzzle.code or _NO_CODE} {moves} {solution} {themes}"


def parse_puzzle(line: str, rules: Rules) -> Puzzle:
    """Read a puzzle, without checking that it is a good one or its moves legal.

    Raises:
        EngineError: If the line is not a puzzle.
    """
    fields = line.split(" ")
    if len(fields) != 6 or not fields[1].isdecimal():
        raise EngineError(f"No puzzle: {line!r}")
    name, rating, code, moves, solution, themes = fields
    known = themes.split(",")
    if not set(known) <= THEMES.keys():
        raise EngineError(f"No puzzle, for its themes: {line!r}")
    return Puzzle(
        id=name,
        rules=rules,
        rating=int(rating),
        code=None if code == _NO_CODE else code,
        moves=parse_moves(moves, rules),
        solution=parse_moves(solution, rules),
        themes=tuple(THEMES[key] for key in known),
    )


def file_of(rules: Rules, folder: Path = FOLDER) -> Path:
    """Return where the puzzles of a variant are kept."""
    return folder / f"{rules.key}.txt.gz"


def write_puzzles(rules: Rules, puzzles: Sequence[Puzzle], folder: Path = FOLDER) -> Path:
    """Write the puzzles of a variant; the same ones always give the same file."""
    body = "".join(f"{format_puzzle(one)}\n" for one in puzzles)
    path = file_of(rules, folder)
    content = f"{_header(rules, len(puzzles), body)}\n{body}".encode()
    path.write_bytes(gzip.compress(content, 9, mtime=0))
    return path


def _header(rules: Rules, count: int, body: str) -> str:
    digest = hashlib.sha256(body.encode()).hexdigest()
    return f"puzzles {FORMAT} {rules.key} {count} sha256={digest}"


def read_puzzles(rules: Rules, folder: Path = FOLDER) -> tuple[Puzzle, ...]:
    """Read the puzzles of a variant, in the order they were found; none if there is no file.

    Raises:
        EngineError: If the file is of another format, or incomplete.
    """
    path = file_of(rules, folder)
    if not path.exists():
        return ()
    try:
        header, _, body = gzip.decompress(path.read_bytes()).decode().partition("\n")
    except (OSError, EOFError, ValueError):
        raise EngineError(f"{path.name} is no file of puzzles: restore it") from None
    lines = body.splitlines()
    if header != _header(rules, len(lines), body):
        raise EngineError(f"{path.name} is not what was written, or of another format: restore it")
    return tuple(parse_puzzle(line, rules) for line in lines)


@cache
def puzzle_variants() -> tuple[str, ...]:
    """Return the keys of the variants that the program ships puzzles for."""
    return tuple(key for key, one in VARIANTS.items() if file_of(one.rules).exists())


@cache
def load_puzzles(key: str) -> tuple[Puzzle, ...]:
    """Return the puzzles that the program ships for a variant; none where it has none.

    Raises:
        InvalidRulesError: If there are no such rules.

    Examples:
        >>> all(len(puzzle.solution) % 2 for puzzle in load_puzzles("standard"))
        True
    """
    return read_puzzles(Rules.parse(key))
