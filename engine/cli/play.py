"""`play`: a game against the computer in the terminal."""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from engine.cli._options import MOST_SEED, Commands, add_command, add_number, variant_help
from engine.cli.variants import rules_text
from engine.diagram import Paint, draw_hypermap, draw_text, plain, tell_sending
from engine.errors import EngineError, InvalidNotationError
from engine.game import Game
from engine.notation import format_board, format_move, parse_move
from engine.openings import draw_opening_code
from engine.rules import Sending
from engine.search.levels import LEVELS, Level, choose_move
from engine.search.report import Proof, SearchReport
from engine.types import O, Side, X, other
from engine.variants import Variant, load_variant

_COLOURS: Final = {"X": "1;31", "O": "1;36", "open": "32", "board": "1;32", "line": "2"}

_HELP: Final = """\
  55       play cell 5 of board 5 (boards and cells count 1-9, row by row)
  5        the same when you were sent to board 5
  undo     take your last move and the answer to it back
  board    show the board again
  hint     ask the strongest level
  rules    how this variant is played
  resign   give up; quit leaves as well"""

_MOVES_HELP: Final = """
  moves    the legal moves and where they send; moves 5 only those in board 5"""

_SWAP_HELP: Final = "\n  swap     take the other seat instead of answering the first move"


def add_play(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(commands, "play", _run, "Play against the computer in the terminal.")
    parser.add_argument(
        "--variant", default="standard", metavar="KEY", help=f"{variant_help()} (default: standard)"
    )
    help = f"how well the computer plays, 1 to {len(LEVELS)} (default: 3)"
    add_number(parser, "--level", 1, default=3, help=help)
    parser.add_argument(
        "--first", choices=("you", "computer", "random"), default="you", help="who moves first"
    )
    parser.add_argument("--opening", metavar="CODE", help="an opening code instead of a drawn one")
    add_number(parser, "--seed", 0, MOST_SEED, help="make the game repeatable")


def _run(options: argparse.Namespace) -> int:
    if options.level > len(LEVELS):
        raise EngineError(f"there is no level {options.level}: levels are 1 to {len(LEVELS)}")
    rng = random.Random(options.seed)
    first = options.first
    if first == "random":
        first = rng.choice(("you", "computer"))
    variant = load_variant(options.variant)
    code = options.opening
    if code is None:
        code = draw_opening_code(variant.rules, seed=rng.getrandbits(32))
    table = Table(
        variant=variant,
        game=Game(variant.rules, code),
        person=X if first == "you" else O,
        level=LEVELS[options.level - 1],
        rng=rng,
        paint=_colours(),
    )
    table.play()
    return 0


def _colours() -> Paint:
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return plain
    return lambda kind, text: f"\033[{_COLOURS[kind]}m{text}\033[0m"


def _certainty(report: SearchReport) -> str:
    """Return words on a result that is certain for who moves, none for one that comes at once."""
    if report.proven is Proof.DRAW:
        return ", a certain draw"
    if report.distance is None or report.distance == 1:
        return ""
    if report.proven is Proof.WIN:
        return f", a certain win in at most {_moves((report.distance + 1) // 2)}"
    if report.proven is Proof.LOSS:
        return f", lost against best play in at most {_moves(report.distance // 2)}"
    return ""


def _moves(count: int) -> str:
    return "1 move" if count == 1 else f"{count} moves"


@dataclass(slots=True, kw_only=True)
class Table:
    """A person and the computer at a board."""

    variant: Variant
    game: Game
    person: Side
    level: Level
    rng: random.Random
    paint: Paint

    def play(self) -> None:
        """Play until the game is over or the person leaves."""
        print(f"{self.variant.name}: {self.variant.summary}")
        level = f"level {self.level.number}, {self.level.name}"
        print(f"You are {'XO'[self.person]}; the computer plays at {level}. Type help for help.")
        if self.game.opening_code is not None:
            print(f"The opening code is {self.game.opening_code}.")
        while self.game.outcome is None:
            if self.game.position.side != self.person:
                self._answer()
            elif not self._ask():
                return
        self._show()
        outcome = self.game.outcome
        if outcome.winner is None:
            print("A draw.")
        else:
            print("You win!" if outcome.winner == self.person else "The computer wins.")
        self._tell_moves()

    def _tell_moves(self) -> None:
        """Say how the game can be analysed."""
        game = self.game
        own = game.moves[len(game.opening_moves) :]
        moves = " ".join(format_move(move, game.rules) for move in own)
        options = "" if self.variant.key == "standard" else f" --variant {self.variant.key}"
        if game.opening_code is not None:
            options += f" --opening {game.opening_code}"
        if own:
            print(f'To look it over: python -m engine analyse "{moves}"{options}')

    def _show(self) -> None:
        print()
        position = self.game.position
        print(draw_text(position, self.paint))
        print()
        path = position.target_path
        if path and position.rules.sending is Sending.HYPERMAP:
            print(f"The hypermap of board {path[0] + 1}:\n{draw_hypermap(position, path[0])}\n")
        if len(path) == 2:
            self._tell_sending()

    def _answer(self) -> None:
        """Let the computer move."""
        print("The computer thinks ...", end="", flush=True)
        seed = self.rng.getrandbits(32)
        report = choose_move(self.game.position, self.level, seed=seed)
        if self.game.can_swap and report.score_for_side < 0.5:
            self.game.swap()
            self.person = other(self.person)
            print(f"\rThe computer swaps seats: you are {'XO'[self.person]} now.")
            return
        self.game.push(report.move)
        played = format_move(report.move, self.game.rules)
        print(f"\rThe computer plays {played}{_certainty(report)}.   ")

    def _ask(self) -> bool:
        """Let the person move; return False when they leave."""
        self._show()
        while True:
            try:
                text = input(f"{'XO'[self.person]}, {self._where()}: ").strip().lower()
            except EOFError:
                print("\nGood-bye.")
                return False
            if text in ("quit", "exit", "q", "resign"):
                print("You resign. The computer wins." if text == "resign" else "Good-bye.")
                if text == "resign":
                    self._tell_moves()
                return False
            if self._obey(text):
                return True

    def _where(self) -> str:
        """Return words on where the person may play."""
        position = self.game.position
        path = position.target_path
        if position.rules.depth == 1:
            return "your cell"
        if position.target is not None:
            return f"your cell in board {format_board(position.target, position.rules)}"
        if path:
            return f"your cell anywhere in board {path[0] + 1}"
        return "your cell in any board in brackets"

    def _obey(self, text: str) -> bool:
        """Carry out what the person typed; return whether the board has changed."""
        showing: dict[str, Callable[[], None]] = {
            "": self._help,
            "help": self._help,
            "?": self._help,
            "board": self._show,
            "hint": self._hint,
            "rules": lambda: print(rules_text(self.variant)),
        }
        if text in showing:
            showing[text]()
            return False
        if text in ("undo", "swap"):
            return self._undo() if text == "undo" else self._swap()
        if text.split()[0] == "moves" and self.game.rules.depth > 1:
            self._tell_sending(text.removeprefix("moves").strip())
            return False
        try:
            self.game.push(self._read_move(text))
        except InvalidNotationError as error:
            print(f"{error}. Type help for help.")
            return False
        except EngineError as error:
            print(error)
            return False
        return True

    def _read_move(self, text: str) -> int:
        """Read a move; the digits of the board one was sent to may be left out."""
        position = self.game.position
        known = "".join(str(place + 1) for place in position.target_path)
        missing = position.rules.depth - len(text)
        if text.isdigit() and 0 < missing <= len(known):
            text = known[:missing] + text
        return parse_move(text, position.rules)

    def _help(self) -> None:
        moves = _MOVES_HELP if self.game.rules.depth > 1 else ""
        print(_HELP + moves + (_SWAP_HELP if self.game.rules.has_swap else ""))

    def _tell_sending(self, within: str = "") -> None:
        """Say where the legal moves send, those in the board with the digits `within`."""
        position = self.game.position
        boards = [
            board
            for board in position.playable_boards
            if format_board(board, position.rules).startswith(within)
        ]
        for board in boards:
            print(tell_sending(position, board))
        if not boards:
            print(f"There is no legal move in board {within}.")

    def _hint(self) -> None:
        report = choose_move(self.game.position, LEVELS[-1], seed=self.rng.getrandbits(32))
        chance = round(100 * report.score_for_side)
        told = _certainty(report) or f", {chance} of 100 points expected"
        print(f"{format_move(report.move, self.game.rules)}{told}")

    def _undo(self) -> bool:
        """Take back to the person's last move."""
        given = len(self.game.opening_moves)
        own_moves = (len(self.game.moves) - given) - (0 if self.person == X else 1)
        if own_moves <= 0:
            print("There is no move of yours to take back.")
            return False
        if self.game.swapped:
            print("Seats were swapped: the game goes on from there.")
            return False
        self.game.pop()
        self.game.pop()
        return True

    def _swap(self) -> bool:
        try:
            self.game.swap()
        except EngineError as error:
            print(error)
            return False
        self.person = other(self.person)
        print(f"You are {'XO'[self.person]} now.")
        return True
