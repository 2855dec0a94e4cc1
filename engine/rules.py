"""Rule sets as data: every option of the game, orthogonal and validated.

RULES.md explains the options. The integer values are compared in compiled code and stored
with saved games: append members, never renumber.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final, Self

from engine.errors import InvalidRulesError, Sentence, say
from engine.types import Cell

DEFAULT_MAP: Final = 34


class WonBoard(IntEnum):
    """What being sent to a won board means."""

    CLOSED = 0  # play in any ongoing board instead
    OPEN = 1  # play in any board with room
    FORCED = 2  # play there while it has room


class Goal(IntEnum):
    """What wins the outermost board."""

    LINE = 0  # three boards in a row
    FIVE = 1  # five won boards, wherever they are


class Tiebreak(IntEnum):
    """Who wins when every board of the outermost board is decided without a goal."""

    DRAW = 0
    MOST = 1  # the side that has won more boards


class DrawnBoard(IntEnum):
    """Who owns a board that filled up without a winner."""

    NOBODY = 0
    BOTH = 1  # it counts for X and for O in lines of the board around it


class Opening(IntEnum):
    """What happens before, or is special about, the first move."""

    FREE = 0
    NO_CENTRE = 1  # the centre of everything may not be the very first move
    RANDOM_FOUR = 2  # four moves and a target given by a five-digit code
    PIE = 3  # after the first move the second player may swap seats
    SYMMETRIC = 4  # two marks set up in the centres of opposite boards
    PIE_NO_CENTRE = 5  # both


class Sending(IntEnum):
    """How a move finds the strategic board it sends to (depth 3 only)."""

    TACTICAL = 0  # the tactical board just played in
    MAP = 1  # the number in the mapping column of the row
    HYPERMAP = 2  # the number printed in the cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """One variant, completely described.

    Two rule sets are equal exactly when they are the same game; combinations
    that would make that false are refused on construction.

    Attributes:
        depth: How many boards are nested: 1, 2 (81 cells) or 3 (729 cells).
        won_board: What being sent to a won board means.
        goal: What wins the outermost board.
        tiebreak: Who wins when all boards are decided without a goal.
        drawn_board: Who owns a drawn board.
        no_return: The next player may not be sent to the local board in which
            they made their own previous move.
        opening: What is special about the beginning.
        sending: How the strategic board is found at depth 3.
        map_number: Which of the 64 maps `Sending.MAP` uses: two digits 1-8.

    Raises:
        InvalidRulesError: If the options contradict each other.

    Examples:
        >>> Rules().key
        'standard'
        >>> Rules(goal=Goal.FIVE, won_board=WonBoard.OPEN).key
        'depth=2,goal=five,won_board=open'
        >>> Rules(depth=1, goal=Goal.FIVE)
        Traceback (most recent call last):
        ...
        engine.errors.InvalidRulesError: goal=five needs boards to win: depth 1 has none
    """

    depth: int = 2
    won_board: WonBoard = WonBoard.CLOSED
    goal: Goal = Goal.LINE
    tiebreak: Tiebreak = Tiebreak.DRAW
    drawn_board: DrawnBoard = DrawnBoard.NOBODY
    no_return: bool = False
    opening: Opening = Opening.FREE
    sending: Sending = Sending.TACTICAL
    map_number: int = DEFAULT_MAP

    def __post_init__(self) -> None:
        if self.depth not in (1, 2, 3):
            raise InvalidRulesError(say("depth must be 1, 2 or 3, not {depth}", depth=self.depth))
        for contradiction in self._contradictions():
            raise InvalidRulesError(contradiction)

    def _contradictions(self) -> Iterator[Sentence]:
        """Yield the contradictions between the options."""
        if self.depth == 1:
            yield from self._at_depth_1()
        if self.depth != 3 and self.sending is not Sending.TACTICAL:
            yield say(
                "{option} is made for depth 3, not for depth {depth}",
                option=f"sending={_word(self.sending)}",
                depth=self.depth,
            )
        if not all(1 <= digit <= 8 for digit in divmod(self.map_number, 10)):
            yield say(
                "map must be two digits from 1 to 8, such as 34, not {given}", given=self.map_number
            )
        if self.sending is not Sending.MAP and self.map_number != DEFAULT_MAP:
            yield say("{option} needs sending=map", option=f"map={self.map_number}")
        if self.depth != 2 and self.needs_opening_code:
            yield say(
                "{option} is made for depth 2, not for depth {depth}",
                option=f"opening={_word(self.opening)}",
                depth=self.depth,
            )
        if self.depth == 2 and self.goal is Goal.FIVE and self.drawn_board is DrawnBoard.BOTH:
            yield say(
                "drawn_board=both means nothing with goal=five at depth 2:"
                " five counts won boards only"
            )

    def _at_depth_1(self) -> Iterator[Sentence]:
        """Yield what is wrong with the options of a game of one board."""
        if self.goal is not Goal.LINE:
            option = f"goal={_word(self.goal)}"
            yield say("{option} needs boards to win: depth 1 has none", option=option)
        if self.tiebreak is not Tiebreak.DRAW:
            option = f"tiebreak={_word(self.tiebreak)}"
            yield say("{option} needs boards to count: depth 1 has none", option=option)
        if self.won_board is not WonBoard.CLOSED or self.no_return:
            option = "no_return=yes" if self.no_return else f"won_board={_word(self.won_board)}"
            yield say("{option} needs boards to be sent to: depth 1 has none", option=option)
        if self.drawn_board is not DrawnBoard.NOBODY:
            yield say("{option} needs inner boards: depth 1 has none", option="drawn_board=both")

    @property
    def cell_count(self) -> int:
        """The number of cells: 9, 81 or 729."""
        return int(9**self.depth)

    @property
    def board_count(self) -> int:
        """The number of local boards: 1, 9 or 81."""
        return int(9 ** (self.depth - 1))

    @property
    def centre(self) -> Cell:
        """The centre cell of the centre board."""
        return (self.cell_count - 1) // 2

    @property
    def bans_centre(self) -> bool:
        """Whether the very first move may not be the centre of everything."""
        return self.opening in (Opening.NO_CENTRE, Opening.PIE_NO_CENTRE)

    @property
    def has_swap(self) -> bool:
        """Whether the second player may swap seats after the first move."""
        return self.opening in (Opening.PIE, Opening.PIE_NO_CENTRE)

    @property
    def needs_opening_code(self) -> bool:
        """Whether a game cannot begin before an opening code is drawn."""
        return self.opening in (Opening.RANDOM_FOUR, Opening.SYMMETRIC)

    @property
    def key(self) -> str:
        """The text form, which `Rules.parse` reads: the key of a named variant, or the options."""
        from engine.variants import key_of  # variants are made of rules, so not at the top

        return key_of(self)

    @property
    def options_key(self) -> str:
        """The options that differ from Standard as text, the depth always first."""
        default = Rules()
        words = [f"depth={self.depth}"]
        for option, (field, _) in sorted(_OPTIONS.items()):
            value = getattr(self, field)
            if option != "depth" and value != getattr(default, field):
                words.append(f"{option}={_word(value)}")
        return ",".join(words)

    @classmethod
    def parse(cls, key: str) -> Self:
        """Read a key: that of a named variant, or options joined by commas.

        Raises:
            InvalidRulesError: If it is neither, or the options contradict each other.

        Examples:
            >>> Rules.parse("goal=five,won_board=open").options_key
            'depth=2,goal=five,won_board=open'
        """
        from engine.variants import VARIANTS

        cleaned = key.strip().lower()
        if cleaned in VARIANTS and cls is Rules:
            return VARIANTS[cleaned].rules  # type: ignore[return-value]  # cls is Rules here
        if "=" not in cleaned:
            raise InvalidRulesError(
                say(
                    "There is no variant {given!r}. Choose one of: {known};"
                    " or options such as goal=five,won_board=open",
                    given=key,
                    known=", ".join(VARIANTS),
                )
            )
        return cls(**_parse_options(cleaned))


# Option words as written in keys: the field, and the values it may take (None: a number).
_OPTIONS: Final[dict[str, tuple[str, type[IntEnum] | type[bool] | None]]] = {
    "depth": ("depth", None),
    "drawn_board": ("drawn_board", DrawnBoard),
    "goal": ("goal", Goal),
    "map": ("map_number", None),
    "no_return": ("no_return", bool),
    "opening": ("opening", Opening),
    "sending": ("sending", Sending),
    "tiebreak": ("tiebreak", Tiebreak),
    "won_board": ("won_board", WonBoard),
}


def option_values() -> dict[str, tuple[str, ...]]:
    """Return every option and the words it may take, as written in keys.

    Examples:
        >>> option_values()["won_board"]
        ('closed', 'open', 'forced')
    """
    digits = range(1, 9)
    numbers = {"depth": ("1", "2", "3"), "map": tuple(f"{a}{b}" for a in digits for b in digits)}
    return {
        option: numbers[option] if kind is None else tuple(_words(kind))
        for option, (_, kind) in _OPTIONS.items()
    }


def _word(value: int) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Opening) and value is Opening.PIE_NO_CENTRE:
        return "pie+no_centre"
    return value.name.lower() if isinstance(value, IntEnum) else str(value)


def _one_of(words: Sequence[str]) -> Sentence:
    """Name what may be chosen."""
    *others, last = words
    return say("{first} or {last}", first=", ".join(others), last=last)


def _words(kind: type[IntEnum] | type[bool]) -> dict[str, int]:
    values: list[int] = [False, True] if kind is bool else list(kind)
    return {_word(value): value for value in values}


def _parse_options(text: str) -> dict[str, Any]:
    """Read `option=value,...` into the fields of `Rules`."""
    fields: dict[str, Any] = {}
    for part in text.split(","):
        option, sign, word = (piece.strip() for piece in part.partition("="))
        if not sign or option not in _OPTIONS:
            raise InvalidRulesError(
                say(
                    "There is no option {given!r}. Options are: {known}",
                    given=option,
                    known=", ".join(_OPTIONS),
                )
            )
        field, kind = _OPTIONS[option]
        if field in fields:
            raise InvalidRulesError(
                say("The option {option} is given twice in {text!r}", option=option, text=text)
            )
        allowed = option_values()[option]
        if word not in allowed:
            shown = say("two digits from 1 to 8") if option == "map" else _one_of(allowed)
            raise InvalidRulesError(
                say(
                    "{option} must be {known}, not {given!r}",
                    option=option,
                    known=shown,
                    given=word,
                )
            )
        fields[field] = int(word) if kind is None else _words(kind)[word]
    return fields
