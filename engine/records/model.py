"""A game as stored in a file: the game, who played and how it ended; and what must agree."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Self

from engine.errors import InvalidNotationError, Sentence, say
from engine.game import Game
from engine.notation import format_move
from engine.openings import opening_moves
from engine.rules import Rules
from engine.types import Cell, Outcome, Ply, X

KNOWN_HEADERS: Final = ("Variant", "X", "O", "Date", "Opening", "SetUp", "Result", "End")
HEADER_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
LONGEST_VALUE: Final = 1000
MOST_HEADERS: Final = 100  # besides the known ones
LONGEST_FILE: Final = 1024 * 1024  # characters
MOST_GAMES: Final = 1000
UNKNOWN_PLAYER: Final = "?"


class InvalidRecordError(InvalidNotationError):
    """A record that cannot be read or contradicts itself; the message begins with the place.

    Attributes:
        text: The piece of the record at fault, shortened.
        line: Its line, counted from 1; None for a record that was never text.
        column: Where in the line it begins, counted from 1; None likewise.
        move: The move at fault as it was written; None if it is not about a move.
    """

    def __init__(
        self,
        message: Sentence | str,
        *,
        text: str = "",
        line: int | None = None,
        column: int | None = None,
        move: str | None = None,
    ) -> None:
        super().__init__(message, text=text)
        self.line = line
        self.column = column
        self.move = move


class Result(StrEnum):
    """How a game ended: the points of X, then those of O."""

    X_WINS = "1-0"
    O_WINS = "0-1"
    DRAW = "1/2-1/2"
    UNFINISHED = "*"

    @property
    def sentence(self) -> Sentence:
        """The result in words, for any language."""
        return {
            Result.X_WINS: say("X wins"),
            Result.O_WINS: say("O wins"),
            Result.DRAW: say("a draw"),
            Result.UNFINISHED: say("not finished"),
        }[self]

    @property
    def words(self) -> str:
        """The result in English words."""
        return str(self.sentence)


class EndReason(StrEnum):
    """Why a game ended. Stored as text: add members, never rename.

    A record may name other reasons in its own words.
    """

    BOARD = "board"  # the rules ended it; may be left out
    RESIGNED = "resigned"
    TIME = "time"
    AGREED = "agreed"
    ANNULLED = "annulled"  # it counts for nobody


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A remark on the position after `ply` moves; 0 stands before the first move."""

    ply: Ply
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRecord:
    """One game of a record file; a value.

    Attributes:
        moves: All moves, those of a random opening first.
        opening_code: As for `Game`; that of a random opening may be left out.
        swapped: Whether the second player swapped seats after the first move.
        result: The result for the marks X and O.
        end: Why the game ended: an `EndReason` or other words; None if nothing
            is said.
        players: Who has X and who has O, after any swap of seats.
        headers: Further headers, names and values, in order.
        comments: In the order of their plies.

    Raises:
        InvalidRecordError: If the parts contradict each other.
        EngineError: If the rules refuse the code or a move.

    Examples:
        >>> record = GameRecord(moves=(40, 36), players=("Anna", "Bea"))
        >>> record.game.position.side
        0
    """

    rules: Rules = field(default_factory=Rules)
    moves: tuple[Cell, ...] = ()
    opening_code: str | None = None
    swapped: bool = False
    result: Result = Result.UNFINISHED
    end: str | None = None
    players: tuple[str, str] = (UNKNOWN_PLAYER, UNKNOWN_PLAYER)
    date: datetime.date | None = None
    headers: tuple[tuple[str, str], ...] = ()
    comments: tuple[Comment, ...] = ()

    def __post_init__(self) -> None:
        game = self.game
        object.__setattr__(self, "opening_code", game.opening_code)
        ordered = sorted(self.comments, key=lambda comment: comment.ply)
        object.__setattr__(self, "comments", tuple(ordered))
        if game.swapped != self.swapped:
            raise InvalidRecordError(say("Seats are swapped after the first move: there is none."))
        reason = contradiction(game, self.result, self.end)
        if reason is not None:
            raise InvalidRecordError(reason, text=self.result)
        self._check_headers()
        self._check_comments()

    def _check_headers(self) -> None:
        if len(self.headers) > MOST_HEADERS:
            raise InvalidRecordError(say("A game has at most {limit} headers.", limit=MOST_HEADERS))
        seen = {name.lower() for name in KNOWN_HEADERS}
        for name, _ in self.headers:
            if not HEADER_NAME.fullmatch(name):
                raise InvalidRecordError(say("{name!r} is not a header name", name=name), text=name)
            if name.lower() in seen:
                raise InvalidRecordError(
                    say("The header {name} may appear only once", name=name), text=name
                )
            seen.add(name.lower())
        values = [value for _, value in self.headers]
        for value in (*values, *self.players, self.end or "-"):
            check_value(value)

    def _check_comments(self) -> None:
        for comment in self.comments:
            if not 0 <= comment.ply <= len(self.moves):
                raise InvalidRecordError(
                    say(
                        "A comment follows move {move}, but there are only {count}",
                        move=comment.ply,
                        count=len(self.moves),
                    ),
                    text=comment.text,
                )
            check_unicode(comment.text)

    @property
    def game(self) -> Game:
        """The game, played to its last move; every call returns a new one."""
        given = opening_moves(self.rules, self.opening_code) if self.opening_code else ()
        if self.moves[: len(given)] != given:
            shown = " ".join(format_move(move, self.rules) for move in given)
            raise InvalidRecordError(
                say(
                    "The moves do not begin with {moves}, the opening {code}",
                    moves=shown,
                    code=self.opening_code,
                ),
                text=self.opening_code or "",
            )
        return Game.replay(
            self.rules, self.moves, opening_code=self.opening_code, swapped=self.swapped
        )

    @classmethod
    def of_game(
        cls,
        game: Game,
        *,
        result: Result | None = None,
        end: str | None = None,
        players: tuple[str, str] = (UNKNOWN_PLAYER, UNKNOWN_PLAYER),
        date: datetime.date | None = None,
        headers: tuple[tuple[str, str], ...] = (),
        comments: tuple[Comment, ...] = (),
    ) -> Self:
        """Return the record of a game as it stands.

        `result` is needed only for a game that ended before the rules ended it; the
        parameters after it are as in the class.

        Raises:
            InvalidRecordError: If the parts contradict each other.
        """
        return cls(
            rules=game.rules,
            moves=game.moves,
            opening_code=game.opening_code,
            swapped=game.swapped,
            result=result_of(game.outcome) if result is None else result,
            end=end,
            players=players,
            date=date,
            headers=headers,
            comments=comments,
        )


def result_of(outcome: Outcome | None) -> Result:
    """Return the result for an outcome."""
    if outcome is None:
        return Result.UNFINISHED
    if outcome.winner is None:
        return Result.DRAW
    return Result.X_WINS if outcome.winner == X else Result.O_WINS


def contradiction(game: Game, result: Result, end: str | None) -> Sentence | None:
    """Say in a sentence what is wrong with a result and a reason; None if nothing is."""
    if game.outcome is not None:
        right = result_of(game.outcome)
        if result is not right:
            return say(
                "The result is {result} ({words}), but these moves end the game:"
                " {outcome}. Write {right}.",
                result=result,
                words=result.sentence,
                outcome=game.outcome.sentence,
                right=right,
            )
        if end not in (None, EndReason.BOARD):
            return say(
                "End says {end!r}, but these moves end the game on the board: leave End out.",
                end=end,
            )
        return None
    return _early_contradiction(result, end)


def _early_contradiction(result: Result, end: str | None) -> Sentence | None:
    """The same for a game that the rules have not ended."""
    if end == EndReason.BOARD:
        return say("End says 'board', but after these moves the game goes on.")
    if end is None and result is not Result.UNFINISHED:
        return say(
            "The result is {result} ({words}), but after these moves the game goes on:"
            " write *, or say why it ended in a header such as {header}.",
            result=result,
            words=result.sentence,
            header=f'[End "{EndReason.AGREED if result is Result.DRAW else EndReason.RESIGNED}"]',
        )
    if end == EndReason.AGREED and result is not Result.DRAW:
        return say(
            "End says {end!r}, but the result is {result} ({words}): write 1/2-1/2.",
            end=str(end),
            result=result,
            words=result.sentence,
        )
    if end in (EndReason.RESIGNED, EndReason.TIME) and result in (Result.DRAW, Result.UNFINISHED):
        return say(
            "End says {end!r}, but the result is {result} ({words}): write 1-0 or 0-1.",
            end=str(end),
            result=result,
            words=result.sentence,
        )
    return None


def check_value(value: str) -> None:
    """Raise `InvalidRecordError` if a header cannot hold `value`."""
    check_unicode(value)
    if len(value) > LONGEST_VALUE:
        raise InvalidRecordError(
            say(
                "A header holds at most {limit} characters, not {count}.",
                limit=LONGEST_VALUE,
                count=len(value),
            ),
            text=value[:40],
        )


def check_length(text: str) -> None:
    """Raise `InvalidRecordError` if `text` is too long for a file."""
    if len(text) > LONGEST_FILE:
        raise InvalidRecordError(
            say(
                "A record file has at most {limit:,} characters; this one has {count:,}.",
                limit=LONGEST_FILE,
                count=len(text),
            )
        )


def check_unicode(text: str) -> None:
    """Raise `InvalidRecordError` if `text` has half a character (a lone surrogate)."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        place = text[error.start]
        raise InvalidRecordError(
            say("The text has half a character, {place!r}, which no file can hold", place=place),
            text=repr(place),
        ) from None
