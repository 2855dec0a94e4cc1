"""Rule sets as data: every option of the game, orthogonal and validated.

RULES.md explains the options. The integer values are compared in compiled code and stored
with saved games: append members, never renumber.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

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
        no_return: The next player may not be sent to the local board in which
            they made their own previous move.
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
        for contradiction in self._contradictions():
            raise InvalidRulesError(contradiction)

    def _contradictions(self) -> Iterator[Sentence]:
        if self.depth not in (1, 2, 3):
            yield say("depth must be 1, 2 or 3, not {depth}", depth=self.depth)
        if self.depth == 1:
            yield from self._at_depth_1()
        if self.depth != 3 and self.sending is not Sending.TACTICAL:
            yield say(
                "{option} is made for depth 3, not for depth {depth}",
                option=self._written("sending"),
                depth=self.depth,
            )
        if not all(1 <= digit <= 8 for digit in divmod(self.map_number, 10)):
            yield say(
                "map must be two digits from 1 to 8, such as 34, not {given}", given=self.map_number
            )
        if self.sending is not Sending.MAP and self.map_number != DEFAULT_MAP:
            yield say("{option} needs sending=map", option=self._written("map"))
        if self.depth != 2 and self.needs_opening_code:
            yield say(
                "{option} is made for depth 2, not for depth {depth}",
                option=self._written("opening"),
                depth=self.depth,
            )
        if self.depth == 2 and self.goal is Goal.FIVE and self.drawn_board is DrawnBoard.BOTH:
            yield say(
                "drawn_board=both means nothing with goal=five at depth 2:"
                " five counts won boards only"
            )

    def _at_depth_1(self) -> Iterator[Sentence]:
        option = self._written
        if self.goal is not Goal.LINE:
            yield say("{option} needs boards to win: depth 1 has none", option=option("goal"))
        if self.tiebreak is not Tiebreak.DRAW:
            yield say("{option} needs boards to count: depth 1 has none", option=option("tiebreak"))
        if self.won_board is not WonBoard.CLOSED or self.no_return:
            wrong = option("no_return" if self.no_return else "won_board")
            yield say("{option} needs boards to be sent to: depth 1 has none", option=wrong)
        if self.drawn_board is not DrawnBoard.NOBODY:
            yield say("{option} needs inner boards: depth 1 has none", option=option("drawn_board"))

    def _written(self, option: str) -> str:
        field, words = _OPTIONS[option]
        value = getattr(self, field)
        return f"{option}={next(word for word in words if words[word] == value)}"

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
        from engine.variants import KEY_BY_RULES  # variants are made of rules, so not at the top

        return KEY_BY_RULES.get(self) or self.options_key

    @property
    def options_key(self) -> str:
        """The options that differ from Standard as text, the depth always first."""
        default = Rules()
        return ",".join(
            self._written(option)
            for option, (field, _) in _OPTIONS.items()
            if option == "depth" or getattr(self, field) != getattr(default, field)
        )

    @staticmethod
    def parse(key: str) -> Rules:
        """Read a key: that of a named variant, or options joined by commas.

        Raises:
            InvalidRulesError: If it is neither, or the options contradict each other.

        Examples:
            >>> Rules.parse("goal=five,won_board=open").options_key
            'depth=2,goal=five,won_board=open'
        """
        from engine.variants import VARIANTS

        cleaned = key.strip().lower()
        if cleaned in VARIANTS:
            return VARIANTS[cleaned].rules
        if "=" not in cleaned:
            raise InvalidRulesError(
                say(
                    "There is no variant {given!r}. Choose one of: {known};"
                    " or options such as goal=five,won_board=open",
                    given=key,
                    known=", ".join(VARIANTS),
                )
            )
        return Rules(**_parse_options(cleaned))


def _words(kind: type[IntEnum]) -> dict[str, int]:
    # Both parts of `pie+no_centre` are openings.
    return {value.name.lower().replace("pie_", "pie+"): value for value in kind}


# By option, in the order of keys: its field, and what it may be by the words in keys.
_OPTIONS: Final[dict[str, tuple[str, dict[str, int]]]] = {
    "depth": ("depth", {"1": 1, "2": 2, "3": 3}),
    "drawn_board": ("drawn_board", _words(DrawnBoard)),
    "goal": ("goal", _words(Goal)),
    "map": ("map_number", {f"{a}{b}": 10 * a + b for a in range(1, 9) for b in range(1, 9)}),
    "no_return": ("no_return", {"no": False, "yes": True}),
    "opening": ("opening", _words(Opening)),
    "sending": ("sending", _words(Sending)),
    "tiebreak": ("tiebreak", _words(Tiebreak)),
    "won_board": ("won_board", _words(WonBoard)),
}


def option_values() -> dict[str, tuple[str, ...]]:
    """Return every option and the words it may take, as written in keys.

    Examples:
        >>> option_values()["won_board"]
        ('closed', 'open', 'forced')
    """
    return {option: tuple(words) for option, (_, words) in _OPTIONS.items()}


def _one_of(words: Iterable[str]) -> Sentence:
    *others, last = words
    return say("{first} or {last}", first=", ".join(others), last=last)


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
        field, words = _OPTIONS[option]
        if field in fields:
            raise InvalidRulesError(
                say("The option {option} is given twice in {text!r}", option=option, text=text)
            )
        if word not in words:
            shown = say("two digits from 1 to 8") if option == "map" else _one_of(words)
            raise InvalidRulesError(
                say(
                    "{option} must be {known}, not {given!r}",
                    option=option,
                    known=shown,
                    given=word,
                )
            )
        fields[field] = words[word]
    return fields
