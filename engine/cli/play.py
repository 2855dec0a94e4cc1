"""`play`: a game against the computer in the terminal."""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections.abc import Callable
from typing import Final

from engine.cli._options import MOST_SEED, Commands, add_command, variant_help, whole_number
from engine.cli.table import rules_text
from engine.diagram import Paint, draw_hypermap, draw_text, plain, tell_sending
from engine.errors import EngineError, InvalidNotationError
from engine.game import Game
from engine.notation import format_board, format_move, parse_move
from engine.openings import draw_opening_code
from engine.outcome import O, X
from engine.rules import Sending
from engine.search.levels import LEVELS, Level, choose_move
from engine.search.report import Proof, SearchReport
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


def add_commands(commands: Commands) -> None:
    """Add this module's command."""
    parser = add_command(commands, "play", _run, "Play against the computer in the terminal.")
    parser.add_argument(
        "--variant", default="standard", metavar="KEY", help=f"{variant_help()} (default: standard)"
    )
    parser.add_argument(
        "--level",
        type=whole_number(1),
        default=3,
        metavar="N",
        help=f"how well the computer plays, 1 to {len(LEVELS)} (default: 3)",
    )
    parser.add_argument(
        "--first", choices=("you", "computer", "random"), default="you", help="who moves first"
    )
    parser.add_argument("--opening", metavar="CODE", help="an opening code instead of a drawn one")
    parser.add_argument(
        "--seed", type=whole_number(0, MOST_SEED), metavar="N", help="make the game repeatable"
    )


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
        paint=_colours() if _has_colours() else plain,
    )
    table.play()
    return 0


def _has_colours() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _colours() -> Paint:
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


class Table:
    """A person and the computer at a board."""

    def __init__(
        self,
        *,
        variant: Variant,
        game: Game,
        person: int,
        level: Level,
        rng: random.Random,
        paint: Paint,
    ) -> None:
        self._variant = variant
        self._game = game
        self._person = person
        self._level = level
        self._rng = rng
        self._paint = paint

    def play(self) -> None:
        """Play until the game is over or the person leaves."""
        print(f"{self._variant.name}: {self._variant.summary}")
        level = f"level {self._level.number}, {self._level.name}"
        print(f"You are {'XO'[self._person]}; the computer plays at {level}. Type help for help.")
        if self._game.opening_code is not None:
            print(f"The opening code is {self._game.opening_code}.")
        while self._game.outcome is None:
            if self._game.position.side != self._person:
                self._answer()
            elif not self._ask():
                return
        self._show()
        outcome = self._game.outcome
        if outcome.winner is None:
            print("A draw.")
        else:
            print("You win!" if outcome.winner == self._person else "The computer wins.")
        self._tell_moves()

    def _tell_moves(self) -> None:
        """Say how the game can be looked over."""
        game = self._game
        own = game.moves[len(game.opening_moves) :]
        moves = " ".join(format_move(move, game.rules) for move in own)
        options = "" if self._variant.key == "standard" else f" --variant {self._variant.key}"
        if game.opening_code is not None:
            options += f" --opening {game.opening_code}"
        if own:
            print(f'To look it over: python -m engine analyse "{moves}"{options}')

    def _show(self) -> None:
        print()
        position = self._game.position
        print(draw_text(position, self._paint))
        print()
        path = position.target_path
        if path and position.rules.sending is Sending.HYPERMAP:
            print(f"The hypermap of board {path[0] + 1}:\n{draw_hypermap(position, path[0])}\n")
        if len(path) == 2:
            self._tell_sending()

    def _answer(self) -> None:
        """Let the computer move."""
        print("The computer thinks ...", end="", flush=True)
        seed = self._rng.getrandbits(32)
        report = choose_move(self._game.position, self._level, seed=seed)
        if self._game.can_swap and report.score_for_side < 0.5:
            self._game.swap()
            self._person = 1 - self._person
            print(f"\rThe computer swaps seats: you are {'XO'[self._person]} now.")
            return
        self._game.push(report.move)
        played = format_move(report.move, self._game.rules)
        print(f"\rThe computer plays {played}{_certainty(report)}.   ")

    def _ask(self) -> bool:
        """Let the person move; return False when he leaves."""
        self._show()
        while True:
            try:
                text = input(f"{'XO'[self._person]}, {self._where()}: ").strip().lower()
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
        position = self._game.position
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
        words: dict[str, Callable[[], bool]] = {
            "": self._help,
            "help": self._help,
            "?": self._help,
            "undo": self._undo,
            "board": self._redraw,
            "hint": self._hint,
            "rules": self._tell_rules,
            "swap": self._swap,
        }
        if text in words:
            return words[text]()
        if text.split()[0] == "moves" and self._game.rules.depth > 1:
            return self._tell_sending(text.removeprefix("moves").strip())
        try:
            self._game.push(self._read_move(text))
        except InvalidNotationError as error:
            print(f"{error}. Type help for help.")
            return False
        except EngineError as error:
            print(error)
            return False
        return True

    def _read_move(self, text: str) -> int:
        """Read a move; the digits of the board one was sent to may be left out."""
        position = self._game.position
        known = "".join(str(place + 1) for place in position.target_path)
        missing = position.rules.depth - len(text)
        if text.isdigit() and 0 < missing <= len(known):
            text = known[:missing] + text
        return parse_move(text, position.rules)

    def _help(self) -> bool:
        moves = _MOVES_HELP if self._game.rules.depth > 1 else ""
        print(_HELP + moves + (_SWAP_HELP if self._game.rules.has_swap else ""))
        return False

    def _tell_sending(self, within: str = "") -> bool:
        """Say where the legal moves send, those in the board with the digits `within`."""
        position = self._game.position
        boards = [
            board
            for board in position.playable_boards
            if format_board(board, position.rules).startswith(within)
        ]
        for board in boards:
            print(tell_sending(position, board))
        if not boards:
            print(f"There is no legal move in board {within}.")
        return False

    def _redraw(self) -> bool:
        self._show()
        return False

    def _tell_rules(self) -> bool:
        print(rules_text(self._variant))
        return False

    def _hint(self) -> bool:
        report = choose_move(self._game.position, LEVELS[-1], seed=self._rng.getrandbits(32))
        chance = round(100 * report.score_for_side)
        told = _certainty(report) or f", {chance} of 100 points expected"
        print(f"{format_move(report.move, self._game.rules)}{told}")
        return False

    def _undo(self) -> bool:
        """Take back to the person's last move."""
        given = len(self._game.opening_moves)
        own_moves = (len(self._game.moves) - given) - (0 if self._person == X else 1)
        if own_moves <= 0:
            print("There is no move of yours to take back.")
            return False
        if self._game.swapped:
            print("Seats were swapped: the game goes on from there.")
            return False
        self._game.pop()
        self._game.pop()
        return True

    def _swap(self) -> bool:
        try:
            self._game.swap()
        except EngineError as error:
            print(error)
            return False
        self._person = 1 - self._person
        print(f"You are {'XO'[self._person]} now.")
        return True
