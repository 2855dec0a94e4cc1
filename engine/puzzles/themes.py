"""What puzzles are about, as data; with the name from chess where there is one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from engine.errors import Sentence, say


@dataclass(frozen=True, slots=True)
class Theme:
    """Something that puzzles have in common."""

    key: str  # stored and typed
    name: Sentence
    summary: Sentence

    @property
    def is_idea(self) -> bool:
        """Whether it says why the solution wins, not just how long it is or when it comes."""
        return self.key in _IDEAS


_ALL: Final = (
    Theme("win-in-2", say("Win in 2"), say("Win the game with your second move.")),
    Theme("win-in-3", say("Win in 3"), say("Win the game with your third move.")),
    Theme("win-in-4", say("Win in 4"), say("Win the game with your fourth move.")),
    Theme("win-in-5", say("Win in 5 or more"), say("Win the game with your fifth move or later.")),
    Theme("one-move", say("One move"), say("There is one move to find.")),
    Theme("short", say("Short"), say("There are two moves to find.")),
    Theme("long", say("Long"), say("There are three moves to find.")),
    Theme("very-long", say("Very long"), say("There are four moves to find, or more.")),
    Theme("middlegame", say("Middlegame"), say("Many cells are still empty.")),
    Theme("endgame", say("Endgame"), say("Few cells are left.")),
    Theme("free-choice", say("Free choice"), say("You may play in any open board.")),
    Theme(
        "only-move", say("Only move"), say("Every other move does not just fail to win: it loses.")
    ),
    Theme(
        "defensive-move",
        say("Defensive move"),
        say("The winning move takes a cell that would give your opponent a board."),
    ),
    Theme(
        "quiet-move",
        say("Quiet move"),
        say("The winning move takes no board, though another move would."),
    ),
    Theme("sacrifice", say("Sacrifice"), say("Let your opponent take a board, and win.")),
    Theme(
        "free-choice-given",
        say("Free choice given"),
        say("Let your opponent play anywhere, and win."),
    ),
    Theme(
        "won-board",
        say("Into a decided board"),
        say("Send your opponent into a board that is decided already."),
    ),
    Theme(
        "double-threat",
        say("Double threat"),
        say("Have two boards at least of which each would win the game."),
    ),
    Theme(
        "zugzwang",
        say("Zugzwang"),
        say("Wherever your opponent plays, they send you to the board that wins."),
    ),
    Theme("by-count", say("By count"), say("The win comes by more boards, without a row.")),
)
_IDEAS: Final = frozenset(
    (
        *("only-move", "defensive-move", "quiet-move", "sacrifice", "free-choice-given"),
        *("won-board", "double-threat", "zugzwang", "by-count"),
    )
)
THEMES: Final[Mapping[str, Theme]] = MappingProxyType({one.key: one for one in _ALL})
