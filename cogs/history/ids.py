"""What a page of somebody's games shows, as the custom ids of its buttons.

Messages posted years ago carry them: add forms, never change one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.storage.history import Wanted
from cogs.state import NUMBER, compact, spread

SCORES = {"w": 1, "d": 0, "l": -1}
_RATED = {"r": True, "c": False}
_OPPONENTS = {"c": True, "p": False}
NONE = "-"

HISTORY = (
    rf"hi:(?P<who>{NUMBER}):(?P<opponent>{NUMBER}):"
    r"(?P<variant>[a-z0-9-]{1,20}):(?P<result>[wdl-])(?P<rated>[rc-])(?P<kind>[cp-]):"
    rf"(?P<go>f|[<>]{NUMBER})"
)
OPEN = "open-game"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryState:
    """Which of whose games are shown.

    Attributes:
        who: Whose games.
        opponent: Those against this person, 0 for anybody.
        variant: Those of this variant, None for all.
        result: "w", "d", "l", or None for all.
        rated: The rated ones, the casual ones, or None for all.
        computer: Those against the computer, those against people, or None for all.
        older_than: The page below this game, if any.
        newer_than: The page above this game, if any.
    """

    who: int
    opponent: int = 0
    variant: str | None = None
    result: str | None = None
    rated: bool | None = None
    computer: bool | None = None
    older_than: int | None = None
    newer_than: int | None = None

    @property
    def custom_id(self) -> str:
        """The state as a custom id that `parse` reads; 100 characters at most."""
        people = ":".join(map(compact, (self.who, self.opponent)))
        flags = (self.result or NONE) + _letter(_RATED, self.rated)
        flags += _letter(_OPPONENTS, self.computer)
        go = "f"
        if self.older_than is not None:
            go = f">{compact(self.older_than)}"
        elif self.newer_than is not None:
            go = f"<{compact(self.newer_than)}"
        return f"hi:{people}:{self.variant or NONE}:{flags}:{go}"

    @classmethod
    def parse(cls, custom_id: str) -> HistoryState:
        """Read a custom id back; it is known to be of the form `HISTORY`."""
        found = re.fullmatch(HISTORY, custom_id)
        assert found is not None, custom_id
        go = found["go"]
        return cls(
            who=spread(found["who"]),
            opponent=spread(found["opponent"]),
            variant=None if found["variant"] == NONE else found["variant"],
            result=None if found["result"] == NONE else found["result"],
            rated=_RATED.get(found["rated"]),
            computer=_OPPONENTS.get(found["kind"]),
            older_than=spread(go[1:]) if go[0] == ">" else None,
            newer_than=spread(go[1:]) if go[0] == "<" else None,
        )

    @property
    def is_filtered(self) -> bool:
        """Whether only some of the games are asked for."""
        wanted = (self.variant, self.result, self.rated, self.computer)
        return bool(self.opponent) or any(each is not None for each in wanted)

    def filter_for(self, viewer: int) -> Wanted:
        """Return which games somebody gets to see of those asked for."""
        return Wanted(
            variant_key=self.variant,
            opponent_id=self.opponent or None,
            against_computer=self.computer,
            rated=self.rated,
            score=None if self.result is None else SCORES[self.result],
            seen_by=viewer,
        )


def read_choice(value: str) -> int:
    """Return the game chosen in the menu; 0, which no game has, for what nobody wrote there."""
    return int(value) if re.fullmatch(r"[0-9]{1,18}", value) else 0


def _letter(letters: dict[str, bool], value: bool | None) -> str:
    return next((letter for letter, each in letters.items() if each is value), NONE)
