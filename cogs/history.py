"""`/history` and `/game`: lists of finished games, and single games.

What a page shows is in the custom ids of its buttons. Messages posted years ago carry them: add
forms, never change one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import discord
from discord import app_commands
from discord.ext import commands
from discord.utils import escape_markdown

from bot.client import GameBot, Interaction
from bot.language import _, label, mark_of, ngettext, pgettext, told
from bot.model.errors import PlayerError
from bot.model.match import Match
from bot.services.ratings import HistoryPage
from bot.storage.history import HistoryRow, Wanted
from cogs.answering import Button, GameItem, answering, chosen_one, sealed
from cogs.audience import own_presentation
from cogs.options import (
    LONGEST_NAME,
    complete_any_game,
    complete_variant,
    game_seen,
    opponent_of,
    read_variant,
)
from cogs.pages import NUMBER, compact, name_of, post, spread
from cogs.play.showing import message_link, show_in_private
from engine import VARIANTS, format_move, load_variant, other

ROWS = 10

MOST_MOVES = 81
"""The most moves that are written out: a whole game of nine boards."""

NONE = "-"
SCORES = {"w": 1, "d": 0, "l": -1, NONE: None}
RATED = {"r": True, "c": False, NONE: None}
OPPONENTS = {"c": True, "p": False, NONE: None}

HISTORY = rf"hi:{NUMBER}:{NUMBER}:[a-z0-9-]{{1,20}}:[wdl-][rc-][cp-]:(f|[<>]{NUMBER})"
OPEN = "open-game"

RESULT_CHOICES = [
    app_commands.Choice(name="Won", value="w"),
    app_commands.Choice(name="Drawn", value="d"),
    app_commands.Choice(name="Lost", value="l"),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryState:
    """Whose games are shown, and which of them.

    Attributes:
        who: Whose games.
        wanted: Which of them, whoever looks.
        older_than: Those older than this game, if set.
        newer_than: Those newer than this game, if set.
    """

    who: int
    wanted: Wanted
    older_than: int | None = None
    newer_than: int | None = None

    @property
    def custom_id(self) -> str:
        """The state as a custom id that `parse` reads; 100 characters at most."""
        wanted, go = self.wanted, "f"
        flags = _letter(SCORES, wanted.score) + _letter(RATED, wanted.rated)
        flags += _letter(OPPONENTS, wanted.against_computer)
        if self.older_than is not None:
            go = f">{compact(self.older_than)}"
        elif self.newer_than is not None:
            go = f"<{compact(self.newer_than)}"
        people = f"{compact(self.who)}:{compact(wanted.opponent_id or 0)}"
        return f"hi:{people}:{wanted.variant_key or NONE}:{flags}:{go}"

    @classmethod
    def parse(cls, custom_id: str) -> HistoryState:
        """Read a custom id back; it is known to be of the form `HISTORY`."""
        _kind, who, opponent, variant, flags, go = custom_id.split(":")
        score, rated, computer = tuple(flags)
        return cls(
            who=spread(who),
            wanted=Wanted(
                variant_key=None if variant == NONE else variant,
                opponent_id=spread(opponent) or None,
                against_computer=OPPONENTS[computer],
                rated=RATED[rated],
                score=SCORES[score],
            ),
            older_than=spread(go[1:]) if go[0] == ">" else None,
            newer_than=spread(go[1:]) if go[0] == "<" else None,
        )


def _letter(letters: Mapping[str, int | None], value: int | None) -> str:
    return next(letter for letter, each in letters.items() if each == value)


class History(commands.Cog):
    """Games that were played."""

    @app_commands.command()
    @app_commands.describe(
        player="Whose games; default: yours",
        variant="Only games of this variant",
        opponent="Only games against this player",
        result="Only games that ended like this",
        rated="Only rated games, or only casual ones",
        computer="Only games against the computer, or only games against people",
    )
    @app_commands.choices(result=RESULT_CHOICES)
    @app_commands.autocomplete(variant=complete_variant)
    async def history(
        self,
        interaction: Interaction,
        player: discord.User | None = None,
        variant: str | None = None,
        opponent: discord.User | None = None,
        result: str | None = None,
        rated: bool | None = None,
        computer: bool | None = None,
    ) -> None:
        """List the finished games of a player, the newest first."""
        async with answering(interaction):
            who = player or interaction.user
            wanted = Wanted(
                variant_key=None if variant is None else _named(variant),
                opponent_id=None if opponent is None else opponent.id,
                against_computer=computer,
                rated=rated,
                score=SCORES[result or NONE],
            )
            names = {each.id: each.display_name for each in (who, opponent) if each is not None}
            await _post_history(interaction, HistoryState(who=who.id, wanted=wanted), names=names)

    @app_commands.command()
    @app_commands.describe(number="The number of any game, shown below its board")
    @app_commands.autocomplete(number=complete_any_game)
    async def game(self, interaction: Interaction, number: app_commands.Range[int, 1]) -> None:
        """See any game, finished or not: board, result, moves; share it if you like."""
        async with answering(interaction):
            await _post_game(interaction, await game_seen(interaction, number))


class HistoryButton(GameItem, template=HISTORY):
    """Turns to older or newer games."""

    async def pressed(self, interaction: Interaction) -> None:
        """Show them here: lists are private, so nobody else can press."""
        await _post_history(interaction, HistoryState.parse(self.custom_id), update=True)


class OpenMenu(GameItem, template=OPEN):
    """Shows one of the games listed."""

    async def pressed(self, interaction: Interaction) -> None:
        """Answer in private; the list stays as it is."""
        chosen = chosen_one(interaction)
        # A forged value becomes 0, a number that no game has.
        number = int(chosen) if re.fullmatch(r"[0-9]{1,18}", chosen) else 0
        await _post_game(interaction, await game_seen(interaction, number))


def _named(variant: str) -> str:
    """Return the key of a named variant that was typed.

    Raises:
        PlayerError: If its rules are none of the named ones.
    """
    key = read_variant(variant)
    if key not in VARIANTS:
        words = _("Only named variants can be searched for, and {variant} is not one.")
        raise PlayerError(words.format(variant=told(load_variant(key).name)))
    return key


async def _post_history(
    interaction: Interaction,
    state: HistoryState,
    *,
    update: bool = False,
    names: Mapping[int, str] | None = None,
) -> None:
    """Answer in private with a page of somebody's games, or turn the clicked one."""
    bot, viewer, wanted = interaction.client, interaction.user.id, state.wanted
    found = await bot.ratings.history_of(
        state.who,
        replace(wanted, seen_by=viewer),
        before=state.older_than,
        after=state.newer_than,
        limit=ROWS,
    )
    with (await own_presentation(interaction)).spoken():
        who = await name_of(bot, state.who, names)
        opponent = None
        if wanted.opponent_id is not None:
            opponent = await name_of(bot, wanted.opponent_id, names)
        text = _heading(who, wanted, opponent) + "\n" + _page(found, state, viewer)
        view = _view(text, state, found)
    await post(interaction, view, [], ephemeral=True, update=update)


async def _post_game(interaction: Interaction, match: Match) -> None:
    """Answer in private with one game: the board, the result, the moves."""
    with (await own_presentation(interaction)).spoken():
        moves = _moves(match)
    await show_in_private(interaction, match, moves)


def _view(text: str, state: HistoryState, found: HistoryPage) -> discord.ui.LayoutView:
    if not found.entries:
        return sealed(text)
    turned = replace(state, older_than=None, newer_than=None)
    newer = None if found.after is None else replace(turned, newer_than=found.after)
    older = None if found.before is None else replace(turned, older_than=found.before)
    pages = ((label("Newer"), newer, "newer"), (label("Older"), older, "older"))
    buttons = [
        Button(
            label=word,
            custom_id=f"hi:none:{end}" if target is None else target.custom_id,
            disabled=target is None,
        )
        for word, target, end in pages
    ]
    rows = [buttons] if newer or older else []
    words = _("Game {number} against {name}")
    menu = open_menu(
        (entry.match_id, words.format(number=entry.match_id, name=opponent_of(entry)))
        for entry in found.entries
    )
    return sealed(text, _("-# `/game` shows a game by its number."), menu, *rows)


def open_menu(games: Iterable[tuple[int, str]]) -> discord.ui.ActionRow[Any]:
    """Return the menu to look at one of some games, which are given with their names."""
    options = [
        discord.SelectOption(label=name[:LONGEST_NAME], value=str(number)) for number, name in games
    ]
    menu = discord.ui.Select[Any](custom_id=OPEN, placeholder=_("Look at a game"), options=options)
    return discord.ui.ActionRow[Any](menu)


def _heading(name: str, wanted: Wanted, opponent: str | None) -> str:
    """Say whose games these are, and which of them."""
    heading = _("### Games of {name}").format(name=escape_markdown(name))
    filters = []
    if wanted.variant_key is not None:
        filters.append(told(load_variant(wanted.variant_key).name))
    if opponent is not None:
        filters.append(_("against {name}").format(name=escape_markdown(opponent)))
    if wanted.against_computer is not None:
        filters.append(
            _("against the computer") if wanted.against_computer else _("against people")
        )
    if wanted.score is not None:
        results = {
            1: pgettext("games", "won"),
            0: pgettext("games", "drawn"),
            -1: pgettext("games", "lost"),
        }
        filters.append(results[wanted.score])
    if wanted.rated is not None:
        filters.append(_("rated") if wanted.rated else _("casual"))
    return f"{heading}\n-# {' · '.join(filters)}" if filters else heading


def _page(found: HistoryPage, state: HistoryState, viewer: int) -> str:
    """List the games of a page, the newest first."""
    if not found.entries:
        if state.wanted == Wanted():
            return _("No finished games yet.")
        return _("No finished games like these.")
    return "\n".join(_line(entry, state.who, viewer) for entry in found.entries)


def _line(entry: HistoryRow, who: int, viewer: int) -> str:
    day = discord.utils.format_dt(entry.ended_at, "d")
    variant = told(load_variant(entry.variant_key).name)
    parts = [f"**{entry.match_id}** {day}", variant, _outcome(entry), _rating(entry)]
    if entry.guild_id is not None or viewer in (who, entry.opponent_id):
        parts.append(_link(entry))
    return " · ".join(part for part in parts if part)


def _outcome(entry: HistoryRow) -> str:
    """Say the result and the opponent, with the opponent's mark."""
    words = {
        "won": _("**won** against {name} ({side})"),
        "drawn": _("**drawn** against {name} ({side})"),
        "lost": _("**lost** against {name} ({side})"),
    }[entry.result]
    return words.format(name=escape_markdown(opponent_of(entry)), side=mark_of(other(entry.side)))


def _rating(entry: HistoryRow) -> str:
    """Say how a game changed the rating."""
    if entry.value_before is not None and entry.value_after is not None:
        before, after = round(entry.value_before), round(entry.value_after)
        change = f"{after - before:+d}".replace("-", "\N{MINUS SIGN}")
        return f"{before} → {after} ({change})"
    if entry.rated and entry.reason is not None:
        return _("did not count")
    return _("rated") if entry.rated else _("casual")


def _link(entry: HistoryRow) -> str:
    """Return a link to the board of a game, if it was posted."""
    if entry.channel_id is None or entry.message_id is None:
        return ""
    address = message_link(entry.guild_id, entry.channel_id, entry.message_id)
    return "[{board}]({address})".format(board=_("board"), address=address)


def _moves(match: Match) -> str:
    """Write the moves of a game, only the last ones if it is long."""
    written = [format_move(move, match.rules) for move in match.moves]
    shown = written[-MOST_MOVES:]
    if not shown:
        return _("-# No moves yet.")
    left_out = len(written) - len(shown)
    words = ngettext("{count} move", "{count} moves", len(written)).format(count=len(written))
    text = " ".join(f"{left_out + place}. {move}" for place, move in enumerate(shown, start=1))
    return f"-# {words}: {'… ' if left_out else ''}{text}"


BUTTONS = (HistoryButton, OpenMenu)


async def setup(bot: GameBot) -> None:
    """Add the commands and make every button ever sent work again."""
    bot.add_dynamic_items(*BUTTONS)
    await bot.add_cog(History())
