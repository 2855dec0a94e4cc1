"""What leaderboards and profiles show, as the custom ids of their buttons.

Messages posted years ago carry them: add forms, never change one.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import StrEnum

from bot.model.ratings.values import BoardKey, Period
from cogs.state import NUMBER, compact, spread

_PERIODS = {"a": Period.ALL, "m": Period.MONTH, "w": Period.WEEK}
_PERIOD_LETTERS = {period: letter for letter, period in _PERIODS.items()}

POOL = r"[a-z0-9-]{1,20}"
BOARD = (
    rf"lb:(?P<where>[sg])(?P<period>[amw])(?P<form>[it]):(?P<owner>{NUMBER}):(?P<pool>{POOL}):"
    r"(?P<go>[fm]|[<>][-+.e0-9/]{1,56})"
)
PROFILE = (
    rf"pf:(?P<page>[cgh]):(?P<owner>{NUMBER}):(?P<who>{NUMBER}):(?P<pool>{POOL}):"
    rf"(?P<against>{NUMBER})"
)
NO_POOL = "-"
LARGEST_ID = 2**63 - 1
MOST_PLAYERS = 10**9
"""More than Discord has; a larger rank would not fit into the next page's custom id."""

FIRST, MINE = "f", "m"


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardState:
    """Which page of which leaderboard is shown, and to whom.

    Attributes:
        owner: Who asked for it.
        pool: The key of the variant.
        everywhere: Whether of all servers.
        period: What it is about.
        as_text: Whether without a picture.
        go: `FIRST` page, the page `MINE` is on, or "<" or ">" and the key of an entry: the
            page above or below it.
    """

    owner: int
    pool: str
    everywhere: bool = False
    period: Period = Period.ALL
    as_text: bool = False
    go: str = FIRST

    @property
    def custom_id(self) -> str:
        """The state as a custom id that `parse` reads; 100 characters at most."""
        flags = "sg"[self.everywhere] + _PERIOD_LETTERS[self.period] + "it"[self.as_text]
        return f"lb:{flags}:{compact(self.owner)}:{self.pool}:{self.go}"

    @classmethod
    def parse(cls, custom_id: str) -> BoardState:
        """Read a custom id back; it is known to be of the form `BOARD`."""
        found = re.fullmatch(BOARD, custom_id)
        assert found is not None, custom_id
        return cls(
            owner=spread(found["owner"]),
            pool=found["pool"],
            everywhere=found["where"] == "g",
            period=_PERIODS[found["period"]],
            as_text=found["form"] == "t",
            go=found["go"],
        )

    @property
    def key(self) -> BoardKey | None:
        """The entry that the page lies next to; None for the first, and for what is no key."""
        if self.go[0] not in "<>":
            return None
        try:
            key = BoardKey.parse(self.go[1:])
        except ValueError:
            return None
        in_range = 0 <= key.player_id <= LARGEST_ID and 0 < key.rank <= MOST_PLAYERS
        return key if in_range and math.isfinite(key.value) else None


class Page(StrEnum):
    """The pages of a profile."""

    CARD = "c"
    GRAPH = "g"
    VERSUS = "h"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileState:
    """Which page of whose profile is shown, and to whom.

    Attributes:
        page: Which page.
        owner: Who asked for it.
        who: Whose profile.
        pool: The key of the variant, None for the most played.
        against: Whom they are compared to, 0 for nobody in particular.
    """

    page: Page = Page.CARD
    owner: int
    who: int
    pool: str | None = None
    against: int = 0

    @property
    def custom_id(self) -> str:
        """The state as a custom id that `parse` reads; 70 characters at most."""
        people = f"{compact(self.owner)}:{compact(self.who)}"
        return f"pf:{self.page}:{people}:{self.pool or NO_POOL}:{compact(self.against)}"

    @classmethod
    def parse(cls, custom_id: str) -> ProfileState:
        """Read a custom id back; it is known to be of the form `PROFILE`."""
        found = re.fullmatch(PROFILE, custom_id)
        assert found is not None, custom_id
        return cls(
            page=Page(found["page"]),
            owner=spread(found["owner"]),
            who=spread(found["who"]),
            pool=None if found["pool"] == NO_POOL else found["pool"],
            against=spread(found["against"]),
        )
