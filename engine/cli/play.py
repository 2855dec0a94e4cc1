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
from engine.position import Position
from engine.rules import Goal, Rules, Sending, Tiebreak
from engine.search.levels import LEVELS, Level, choose_move, levels_of
from engine.search.report import Proof, SearchReport
from engine.types import MARKS, Cell, Ending, O, Outcome, Side, X, other
from engine.variants import Variant, load_variant

_COLOURS: Final = {"X": "1;31", "O": "1;36", "open": "32", "board": "1;32", "line": "2"}

_HELP: Final = """\
  55       play cell 5 of board 5 (boards and cells count 1-9, row by row)
  5        the same when you were sent to board 5; else you are asked for the board
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
    help = f"strength of the computer, 1 to {len(LEVELS)} (default: 3)"
    add_number(parser, "--level", 1, default=3, help=help)
    parser.add_argument(
        "--first", choices=("you", "computer", "random"), default="you", help="who moves first"
    )
    parser.add_argument(
        "--opening", metavar="CODE", help="the opening code, instead of a random one"
    )
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
        level=levels_of(variant.rules)[options.level - 1],
        rng=rng,
        paint=_colours(),
    )
    table.play()
    return 0


def _colours() -> Paint:
    """Return how to paint: with colours on a terminal that shows them."""
    known = os.environ.get("TERM", "")
    if os.name == "nt":  # where the old console would show the codes themselves
        known = known or os.environ.get("WT_SESSION", "")
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or known in ("", "dumb"):
        return plain
    return lambda kind, text: f"\033[{_COLOURS[kind]}m{text}\033[0m" if text.strip() else text


def _certainty(report: SearchReport) -> str:
    """Return words on a certain result for the side to move, none for one that comes at once."""
    if report.proven is Proof.DRAW:
        return ", a certain draw"
    if report.distance is None or report.distance == 1:
        return ""
    if report.proven is Proof.WIN:
        return f", a certain win in at most {_moves((report.distance + 1) // 2)}"
    if report.proven is Proof.LOSS:
        return f", lost against best play in at most {_moves(report.distance // 2)}"
    return ""


def _no_winner(rules: Rules) -> str:
    if rules.depth == 1:
        return "the board is full and nobody has three in a row"
    if rules.tiebreak is Tiebreak.MOST:
        return "every board is decided and both have won the same number"
    goal = "won five" if rules.goal is Goal.FIVE else "three in a row"
    return f"every board is decided and nobody has {goal}"


def _won(before: Position, after: Position, move: Cell) -> str | None:
    """Return the board that a move has won, as it is written; None if it has won none."""
    board = move // 9
    if after.rules.depth == 1 or after.board_status(board) is before.board_status(board):
        return None
    return None if after.board_status(board).winner is None else format_board(board, after.rules)


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
        print(self._result(self.game.outcome))
        self._tell_moves()

    def _result(self, outcome: Outcome) -> str:
        """Return who has won and by what, or why nobody has."""
        rules = self.game.rules
        if outcome.winner is None:
            return f"A draw: {_no_winner(rules)}."
        *others, last = [str(place + 1) for place in outcome.line or ()]
        places = f"{', '.join(others)} and {last}"
        how = {
            Ending.LINE: f"{'boards' if rules.depth > 1 else 'cells'} {places} in a row",
            Ending.FIVE: f"five boards: {places}",
            Ending.MAJORITY: f"more boards: {places}",
        }[outcome.ending]
        who = "You win" if outcome.winner == self.person else "The computer wins"
        return self.paint(MARKS[outcome.winner], f"{who} with {how}.")

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
        print("The computer thinks ...", end="", flush=True)
        seed = self.rng.getrandbits(32)
        report = choose_move(self.game.position, self.level, seed=seed)
        if self.game.can_swap and report.score_for_side < 0.5:
            self.game.swap()
            self.person = other(self.person)
            print(f"\rThe computer swaps seats: you are {'XO'[self.person]} now.")
            return
        before = self.game.position
        self.game.push(report.move)
        played = self.paint(MARKS[before.side], format_move(report.move, self.game.rules))
        won = _won(before, self.game.position, report.move)
        gain = f" and wins board {won}" if won else ""
        print(f"\rThe computer plays {played}{gain}{_certainty(report)}.   ")

    def _ask(self) -> bool:
        """Let the person move; return False when they leave."""
        self._show()
        while True:
            try:
                mark = self.paint(MARKS[self.person], MARKS[self.person])
                text = self._completed(input(f"{mark}, {self._where()}: ").strip().lower())
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
        before = self.game.position
        try:
            move = parse_move(text, self.game.rules)
            self.game.push(move)
        except InvalidNotationError as error:
            print(f"{error}. Type help for help.")
            return False
        except EngineError as error:
            print(error)
            return False
        if won := _won(before, self.game.position, move):
            print(self.paint(MARKS[before.side], f"You win board {won}."))
        return True

    def _completed(self, text: str) -> str:
        """Return what was typed, with the digits of its board in front of a bare cell.

        If several boards have that cell free, the person is asked for one. Anything else
        they type then counts as if typed in the first place.
        """
        position = self.game.position
        missing = position.rules.depth - len(text)
        if not text.isdigit() or missing <= 0:
            return text
        moves = (format_move(move, position.rules) for move in position.legal_moves)
        boards = sorted({move[:missing] for move in moves if move.endswith(text)})
        known = "".join(str(place + 1) for place in position.target_path)
        if missing <= len(known):
            return known[:missing] + text
        if not boards and "0" not in text:
            print(f"Cell {text} is not free in any board you may play in.")
            return "board"
        if len(boards) < 2:
            return "".join(boards) + text
        listed = " ".join(boards) if len(boards) <= 9 else f"two digits, such as {boards[0]}"
        answer = input(f"Cell {text} of which board ({listed})? ").strip().lower()
        if answer.isdigit() and len(answer) in (missing, missing - len(known)):
            return (known + answer)[-missing:] + text
        return answer or "board"

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
