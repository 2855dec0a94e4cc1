"""The pages of leaderboards and profiles as messages.

What a page shows is in the custom ids of its buttons. Messages posted years ago carry them: add
forms, never change one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any

from bot.client import AT_ONCE_S, Interaction
from bot.language import _, label
from bot.model.errors import PlayerError
from bot.model.ratings.profile import Profile
from bot.model.ratings.values import (
    BoardKey,
    BoardKind,
    BoardView,
    Period,
    PlayerRating,
    RatingChange,
)
from bot.render import Theme
from cogs.answering import Button, picture, sealed, whisper
from cogs.pages import LARGEST_ID, NUMBER, compact, name_of, post, presentation_of_page, spread
from cogs.ratings import pictures, texts

ROWS = 10

_BOARDS = {
    "a": (BoardKind.RATING, Period.ALL),
    "m": (BoardKind.RATING, Period.MONTH),
    "w": (BoardKind.RATING, Period.WEEK),
    "A": (BoardKind.WINS, Period.ALL),
    "M": (BoardKind.WINS, Period.MONTH),
    "W": (BoardKind.WINS, Period.WEEK),
}
_BOARD_LETTERS = {board: letter for letter, board in _BOARDS.items()}

POOL = r"[a-z0-9-]{1,20}"
NO_POOL = "-"
BOARD = rf"lb:(?:[sg][amw]|s[AMW])[it]:{NUMBER}:{POOL}:([fm]|[<>][-+.e0-9/]{{1,56}})"
PROFILE = rf"pf:[cghs]:{NUMBER}:{NUMBER}:{POOL}:{NUMBER}"

MOST_PLAYERS = 10**9
"""More than Discord has; a larger rank would not fit into the next page's custom id."""

FIRST, MINE = "f", "m"


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardState:
    """Which page of which leaderboard is shown, and to whom.

    Attributes:
        owner: Who asked for it.
        pool: The key of the variant.
        go: `FIRST` page, the page `MINE` is on, or "<" or ">" and the key of an entry: the
            page above or below it.
    """

    owner: int
    pool: str
    everywhere: bool = False
    period: Period = Period.ALL
    kind: BoardKind = BoardKind.RATING
    as_text: bool = False
    go: str = FIRST

    @property
    def custom_id(self) -> str:
        """The state as a custom id that `parse` reads; 100 characters at most."""
        flags = "sg"[self.everywhere] + _BOARD_LETTERS[self.kind, self.period] + "it"[self.as_text]
        return f"lb:{flags}:{compact(self.owner)}:{self.pool}:{self.go}"

    @classmethod
    def parse(cls, custom_id: str) -> BoardState:
        """Read a custom id back; it is known to be of the form `BOARD`."""
        _kind, flags, owner, pool, go = custom_id.split(":")
        where, board, form = tuple(flags)
        kind, period = _BOARDS[board]
        return cls(
            owner=spread(owner),
            pool=pool,
            everywhere=where == "g",
            period=period,
            kind=kind,
            as_text=form == "t",
            go=go,
        )

    @property
    def key(self) -> BoardKey | None:
        """The entry that the page lies next to; None if `go` names none or an invalid one."""
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
    STATISTICS = "s"
    GRAPH = "g"
    VERSUS = "h"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileState:
    """Which page of whose profile is shown, and to whom.

    Attributes:
        owner: Who asked for it.
        who: Whose profile.
        pool: The key of the variant, None for the most played.
        against: The player to compare them with, 0 for nobody in particular.
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
        _kind, page, owner, who, pool, against = custom_id.split(":")
        return cls(
            page=Page(page),
            owner=spread(owner),
            who=spread(who),
            pool=None if pool == NO_POOL else pool,
            against=spread(against),
        )


async def post_board(interaction: Interaction, state: BoardState, *, update: bool = False) -> None:
    """Answer with a leaderboard, or bring the clicked one up to date.

    Somebody who is not on it is told in private what they need.
    """
    presentation = await presentation_of_page(interaction, update=update)
    found = await _look_up(interaction, state)
    own, message = found.own, interaction.message
    if update and state.go == MINE and own.entry is None:
        await whisper(interaction, texts.missing(state, own))
        return
    with presentation.spoken():
        parts: list[Any] = [texts.board_heading(state, found)]
        files = []
        if not state.as_text:
            name, theme = interaction.user.display_name, presentation.theme
            drawn = await _painted(interaction, pictures.board, state, found, name, theme)
            gallery, file = picture("leaderboard.png", *drawn)
            parts, files = [*parts, gallery], [file]
        if own.entry is not None or (message and (message.flags.ephemeral or not update)):
            parts.append(texts.own_place(state, own))
        rows = _board_rows(state, found, in_server=interaction.guild_id is not None)
    await post(interaction, sealed(*parts, *rows), files, update=update)
    if message is None and own.entry is None and found.page.entries:
        await whisper(interaction, texts.missing(state, own))


async def _look_up(interaction: Interaction, state: BoardState) -> BoardView:
    """Return what a page shows.

    Raises:
        PlayerError: If it counts games won outside a server.
    """
    if state.kind is BoardKind.WINS and (state.everywhere or interaction.guild_id is None):
        words = _("Wins are counted for each server: use this in a server, for that server only.")
        raise PlayerError(words)
    key = state.key
    return await interaction.client.ratings.view_of(
        interaction.user.id,
        state.pool,
        guild_id=None if state.everywhere else interaction.guild_id,
        period=state.period,
        kind=state.kind,
        after=key if state.go[0] == ">" else None,
        before=key if state.go[0] == "<" else None,
        around=state.go == MINE,
        limit=ROWS,
    )


def _board_rows(state: BoardState, found: BoardView, *, in_server: bool) -> list[list[Button]]:
    """Return the buttons: pages above, other leaderboards below."""
    page, own = found.page, found.own
    shown = {entry.rank for entry in page.entries}
    before = None if page.before is None else replace(state, go=f"<{page.before.text}")
    after = None if page.after is None else replace(state, go=f">{page.after.text}")
    # Somebody without a rank learns what they need.
    is_here = own.entry is not None and own.entry.rank in shown
    form = label("As a picture") if state.as_text else label("As text")
    pages = [
        _button(label("Previous"), before, "<0"),
        _button(label("Next"), after, ">0"),
        _button(label("My rank"), None if is_here else replace(state, go=MINE), "<1"),
        _button(form, replace(state, as_text=not state.as_text), ""),
    ]
    first = replace(state, go=FIRST)
    if not state.everywhere:
        of_wins = state.kind is BoardKind.WINS
        name = label("Ratings") if of_wins else label("Most wins")
        other = BoardKind.RATING if of_wins else BoardKind.WINS
        pages.append(_button(name, replace(first, kind=other), ""))
    boards = [
        _button(name, None if period is state.period else replace(first, period=period), f">{n}")
        for n, (period, name) in enumerate(texts.period_names().items(), start=1)
    ]
    if in_server:
        name = label("This server") if state.everywhere else label("All servers")
        target = replace(first, everywhere=not state.everywhere, kind=BoardKind.RATING)
        boards.append(_button(name, target, ""))
    return [pages, boards]


def _button(label: str, state: BoardState | None, unused: str) -> Button:
    """Return a button that leads to `state`; a disabled one with its own id if that is None."""
    custom_id = f"lb:none:{unused}" if state is None else state.custom_id
    return Button(label=label, custom_id=custom_id, disabled=state is None)


async def post_profile(
    interaction: Interaction,
    state: ProfileState,
    *,
    update: bool = False,
    names: Mapping[int, str] | None = None,
) -> None:
    """Answer with a page of a profile, or bring the clicked one up to date.

    `names` maps people's numbers to their names; by default, the names they had last.
    """
    presentation = await presentation_of_page(interaction, update=update)
    bot, theme = interaction.client, presentation.theme
    with presentation.spoken():
        found = await bot.ratings.profile_of(state.who)
        who = await name_of(bot, state.who, names)
        if state.page is Page.VERSUS:
            both = (who, await name_of(bot, state.against, names))
            between = await bot.ratings.between(state.who, state.against)
            other = await bot.ratings.profile_of(state.against)
            ratings = (_rating(found, state.pool), _rating(other, state.pool))
            text = texts.versus(*both, between.records.total)
            drawn = await _painted(interaction, pictures.versus, both, ratings, between, theme)
        else:
            text = texts.profile(who, found)
            drawn = await _draw(interaction, state, found, who, theme)
        gallery, file = picture("profile.png", *drawn)
        view = sealed(text, gallery, *_profile_rows(state, found))
    await post(interaction, view, [file], update=update)


async def _painted(
    interaction: Interaction, draw: Callable[..., pictures.Drawn], *what: Any
) -> pictures.Drawn:
    """Draw something when it is its turn, which has to be soon: the answer is not deferred."""
    who = interaction.user.id
    return await interaction.client.drawing.run(draw, *what, who=who, longest_wait_s=AT_ONCE_S)


async def _draw(
    interaction: Interaction,
    state: ProfileState,
    found: Profile,
    name: str,
    theme: Theme,
) -> pictures.Drawn:
    rating = _rating(found, state.pool)
    points: tuple[RatingChange, ...] = ()
    if rating is not None:
        points = await interaction.client.ratings.points_of(state.who, rating.pool)
    if state.page is Page.GRAPH:
        return await _painted(interaction, pictures.graph, name, rating, points, theme)
    profile = partial(pictures.profile, statistics=state.page is Page.STATISTICS)
    return await _painted(interaction, profile, name, found, rating, points, theme)


def _rating(found: Profile, pool: str | None) -> PlayerRating | None:
    """Return a player's rating in a pool, or in the one they have played most."""
    return next((each for each in found.ratings if pool in (None, each.pool)), None)


def _profile_rows(state: ProfileState, found: Profile) -> list[list[Button]]:
    """Return the buttons to the other pages; none for somebody who has not played."""
    if not found.records.total.played:
        return []
    against = state.against
    if not against and state.owner != state.who:
        against = state.owner
    if not against:
        # Players who have left cannot be compared with.
        against = next((each.player_id for each in found.opponents if not each.has_left), 0)
    labels = {
        Page.CARD: label("Profile"),
        Page.STATISTICS: label("Statistics"),
        Page.GRAPH: label("Rating graph"),
        Page.VERSUS: label("Head to head"),
    }
    row = []
    for page, text in labels.items():
        target = replace(state, page=page, against=against)
        shown = page is state.page or (page is Page.VERSUS and not against)
        row.append(Button(label=text, custom_id=target.custom_id, disabled=shown))
    return [row]
