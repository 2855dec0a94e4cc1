"""A first lesson: five positions of one game, each with a question that the rules answer.

Nothing here lists right cells. A goal is a test of legal moves, and what a wrong move lets the
opponent do is looked up in the position that it leads to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final

from engine.errors import Sentence, say
from engine.notation import parse_move
from engine.position import Position
from engine.rules import Rules
from engine.types import Cell, Ply

LESSON_GAME: Final = "51 15 57 75 54 41 13 31 19 95 16 61 83 39 93 35 26 65 23 69 99 92 24 45"
"""X, the learner, gets boards 5 and 1; O gets 6 and 3; then everything is about board 9."""

Goal = Callable[[Position, Cell], bool]
"""Whether a legal move does what is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What became of a move.

    Attributes:
        is_right: Whether it does what was asked for.
        position: After the move, or after the opponent's reply if a wrong move lets them win a
            board or the game.
        words: Why it is right, or what it lets the opponent do and what to look for.
    """

    is_right: bool
    position: Position
    words: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """A position and a question.

    Attributes:
        title: What is learned, in a few words.
        ply: How much of `LESSON_GAME` has been played.
        goal: Whether a move does what the question asks for; `praise` and `hint` are said of those
            that do and do not.
    """

    title: Sentence
    ply: Ply
    question: Sentence
    goal: Goal
    praise: Sentence
    hint: Sentence

    @property
    def position(self) -> Position:
        """The position shown to the learner, who has X and is to move."""
        return _position_at(self.ply)

    def judge(self, move: Cell) -> Answer:
        """Say whether a move is right.

        Raises:
            IllegalMoveError: If the rules forbid it.
        """
        position = self.position
        after = position.after(move)
        if self.goal(position, move):
            return Answer(is_right=True, position=after, words=(self.praise,))
        shown, consequence = _consequence(after)
        words: tuple[Sentence, ...] = (consequence, self.hint)
        if wins_board(position, move):
            words = (say("You win board {board}.", board=move // 9 + 1), *words)
        return Answer(is_right=False, position=shown, words=words)


@cache
def _position_at(ply: Ply) -> Position:
    position = Position.initial(Rules())
    for text in LESSON_GAME.split()[:ply]:
        position = position.after(parse_move(text, position.rules))
    return position


def sends_to(board: int) -> Goal:
    """Return the goal to bind the opponent to `board`, counted from 0."""
    return lambda position, move: position.after(move).target == board


def wins_board(position: Position, move: Cell) -> bool:
    """Return whether a move wins a local board."""
    return position.after(move).board_status(move // 9).winner == position.side


def wins_game(position: Position, move: Cell) -> bool:
    """Return whether a move wins the game."""
    outcome = position.after(move).outcome
    return outcome is not None and outcome.winner == position.side


def prevents(goal: Goal) -> Goal:
    """Return the goal to leave the opponent no reply that reaches `goal`."""

    def is_prevented(position: Position, move: Cell) -> bool:
        after = position.after(move)
        return not any(goal(after, reply) for reply in after.legal_moves)

    return is_prevented


def _consequence(position: Position) -> tuple[Position, Sentence]:
    """Return the position after the worst that O, who is to move, can do, and words for it."""
    for goal, bound, free in (
        (
            wins_game,
            say("That sends O to board {board}, where O wins the game."),
            say("That lets O play anywhere: O wins the game in board {board}."),
        ),
        (
            wins_board,
            say("That sends O to board {board}, and O wins it."),
            say("That lets O play anywhere: O wins board {board}."),
        ),
    ):
        reply = next((move for move in position.legal_moves if goal(position, move)), None)
        if reply is not None:
            words = free if position.target is None else bound
            return position.after(reply), words.format(board=reply // 9 + 1)
    if position.target is None:
        return position, say("That lets O play anywhere.")
    return position, say("That sends O to board {board}.", board=position.target + 1)


EXERCISES: Final = (
    Exercise(
        title=say("Where you send your opponent"),
        ply=2,
        question=say(
            "You're X. The cell you play decides which board O must play in next: cell 1 sends O to"
            " board 1. **Send O to board 7.**"
        ),
        goal=sends_to(6),
        praise=say(
            "O must play in board 7 now. It works both ways: O had played cell 5, so you were in"
            " board 5."
        ),
        hint=say(
            "The nine cells lie like the nine boards: board 7 is at the bottom left, and so is the"
            " cell you need."
        ),
    ),
    Exercise(
        title=say("Win a board"),
        ply=4,
        question=say(
            "O played cell 5, so you're in board 5 again. Three in a row win a board."
            " **Win board 5.**"
        ),
        goal=wins_board,
        praise=say("Board 5 is yours, and nobody can play there any more."),
        hint=say("Look for the cell that completes your three in a row."),
    ),
    Exercise(
        title=say("Play anywhere"),
        ply=10,
        question=say(
            "O sent you to board 5, but it's already won, so you may play anywhere: pick a board,"
            " then a cell. **Win a second board.**"
        ),
        goal=wins_board,
        praise=say(
            "Boards 1 and 5 are yours. Playing anywhere is a big advantage: try not to give it"
            " to O."
        ),
        hint=say("Look for a board where you have two in a row and the third cell is free."),
    ),
    Exercise(
        title=say("Look before you send"),
        ply=22,
        question=say(
            "A few moves later, O has boards 3 and 6 and threatens to win the game in board 9."
            " **Find a move that doesn't let O win.**"
        ),
        goal=prevents(wins_game),
        praise=say("O can't win now. Before every move, check which board you send O to."),
        hint=say(
            "Don't send O to board 9, or to a board that is already won: then O may choose board 9."
        ),
    ),
    Exercise(
        title=say("Win the game"),
        ply=24,
        question=say(
            "O sent you to board 5 again, so you may play anywhere. Three boards in a row win the"
            " game, and you have boards 1 and 5. **Win the game.**"
        ),
        goal=wins_game,
        praise=say("Boards 1, 5 and 9 in a row: you win!"),
        hint=say("Which board makes three in a row with boards 1 and 5?"),
    ),
)
"""What a newcomer has to know, in the order it comes up in a game."""
