"""`/explore`: which moves were played from any position, and how those games went.

What is shown is in the custom ids of the buttons. Messages sent years ago carry them: add forms,
never change one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import discord
from discord import app_commands
from discord.ext import commands
from discord.utils import escape_markdown

from bot.client import GameBot, Interaction
from bot.language import _, label, mark_of, ngettext, number, percent, pgettext, told
from bot.model.errors import PlayerError
from bot.model.explorer import Asked, Branches, MoveCount, Opponents, Whose, is_explored
from bot.model.match import Match
from bot.operations import HEAVY
from bot.render import Advice, BoardPicture, CellNote
from cogs.analysis.hints import hint_notes, located, promise
from cogs.answering import Button, GameItem, answering, chosen_one, defer, fulfil, sealed
from cogs.audience import Presentation, own_presentation, told_names
from cogs.history import open_menu
from cogs.options import complete_variant, variant_meant
from cogs.pages import Contents, board_image, post
from cogs.play.layout import chosen_path
from cogs.play.texts import text_board
from engine import Cell, Hint, O, X, format_move, load_variant

LISTED: Final = 10
"""Moves that are listed and have a button; the totals count all moves."""

BAR: Final = 10
"""The width of a bar, in characters."""

_STATE: Final = r"[a-z0-9-]{1,20}:[esm][apc]:(\d{3}){0,12}"
SHOW: Final = rf"explore:{_STATE}"
GAMES: Final = rf"explore-games:{_STATE}"
ENGINE: Final = rf"explore-engine:{_STATE}"
FILTER: Final = rf"explore-(whose|opponents):{_STATE}"

WHOSE_CHOICES = [
    app_commands.Choice(name="Everybody's games", value=Whose.EVERYBODY),
    app_commands.Choice(name="This server's games", value=Whose.SERVER),
    app_commands.Choice(name="My games", value=Whose.OWN),
]
OPPONENT_CHOICES = [
    app_commands.Choice(name="Any opponent", value=Opponents.ALL),
    app_commands.Choice(name="Between people", value=Opponents.PEOPLE),
    app_commands.Choice(name="Against the computer", value=Opponents.COMPUTER),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What the explorer shows of a variant: the position after the moves of `line`."""

    key: str
    whose: Whose = Whose.EVERYBODY
    opponents: Opponents = Opponents.ALL
    line: tuple[Cell, ...] = ()

    def id(self, kind: str = "explore") -> str:
        """Write it as a custom id that `parse` reads; 100 characters at most."""
        line = "".join(f"{move:03}" for move in self.line)
        return f"{kind}:{self.key}:{self.whose}{self.opponents}:{line}"

    @classmethod
    def parse(cls, custom_id: str) -> View:
        """Read a custom id back; it is known to be of such a form."""
        _kind, key, letters, line = custom_id.split(":")
        moves = (line[place : place + 3] for place in range(0, len(line), 3))
        return cls(
            key=key,
            whose=Whose(letters[0]),
            opponents=Opponents(letters[1]),
            line=tuple(map(int, moves)),
        )

    def asked(self, interaction: Interaction) -> Asked:
        """Return the games that are meant, given who asks and where.

        Raises:
            PlayerError: If a server's games are meant outside a server.
        """
        if self.whose is Whose.SERVER and interaction.guild_id is None:
            raise PlayerError(_("There is no server here: choose everybody's games or your own."))
        against = {Opponents.PEOPLE: False, Opponents.COMPUTER: True}
        return Asked(
            guild_id=interaction.guild_id if self.whose is Whose.SERVER else None,
            player_id=interaction.user.id if self.whose is Whose.OWN else None,
            against_computer=against.get(self.opponents),
        )


class ExplorerCommands(commands.Cog):
    """The tree of what was played."""

    @app_commands.command()
    @app_commands.describe(
        variant="The rules; default: the server's",
        whose="Whose games to count; default: everybody's",
        opponents="Only games between people, or only those against the computer",
    )
    @app_commands.choices(whose=WHOSE_CHOICES, opponents=OPPONENT_CHOICES)
    async def explore(
        self,
        interaction: Interaction,
        variant: str | None = None,
        whose: str | None = None,
        opponents: str | None = None,
    ) -> None:
        """See which moves were played from any position, and how those games ended."""
        async with answering(interaction):
            here = await interaction.client.servers.of(interaction.guild_id)
            view = View(
                key=variant_meant(variant, here, is_explored),
                whose=Whose(whose or Whose.EVERYBODY),
                opponents=Opponents(opponents or Opponents.ALL),
            )
            await post(interaction, *await _look(interaction, view), ephemeral=True)

    @explore.autocomplete("variant")
    async def _complete_variant(
        self, interaction: Interaction, current: str
    ) -> list[app_commands.Choice[str]]:
        found = await complete_variant(interaction, current)
        return [each for each in found if is_explored(str(each.value))]


class _ExplorerItem(GameItem, template=r"(?!)"):
    """A button or menu of the explorer."""

    @property
    def view_meant(self) -> View:
        """The view it was pressed in."""
        return View.parse(self.custom_id)


class ShowButton(_ExplorerItem, template=SHOW):
    """Goes to a position."""

    async def pressed(self, interaction: Interaction) -> None:
        """Show it here: the message is private, so nobody else can press."""
        shown = await _look(interaction, self.view_meant)
        await post(interaction, *shown, update=True)


class FilterMenu(_ExplorerItem, template=FILTER):
    """Chooses whose games are counted, or against whom they were played."""

    async def pressed(self, interaction: Interaction) -> None:
        """Show the same position with those."""
        view, chosen = self.view_meant, chosen_one(interaction)
        if chosen in list(Whose):
            view = replace(view, whose=Whose(chosen))
        elif chosen in list(Opponents):
            view = replace(view, opponents=Opponents(chosen))
        await post(interaction, *await _look(interaction, view), update=True)


class GamesButton(_ExplorerItem, template=GAMES):
    """Lists the games behind a position."""

    async def pressed(self, interaction: Interaction) -> None:
        """Put the newest into the message, with the way back."""
        view = self.view_meant
        games = await interaction.client.explorer.games(
            view.key, view.line, view.asked(interaction)
        )
        with (await own_presentation(interaction)).spoken():
            shown = _list_games(view, games)
        await post(interaction, shown, [], update=True)


class EngineButton(_ExplorerItem, template=ENGINE):
    """Shows what the engine thinks of a position."""

    cost = HEAVY

    async def pressed(self, interaction: Interaction) -> None:
        """Show it beside what was played, once the engine has thought."""
        bot, view = interaction.client, self.view_meant
        found = await bot.explorer.look(view.key, view.line, view.asked(interaction))
        await defer(interaction)
        hints = await bot.analyst.hints(found.position, who=interaction.user.id)
        presentation = await own_presentation(interaction)
        with presentation.spoken():
            shown, files = await _draw(interaction, view, found, presentation, hints)
        await fulfil(interaction, view=shown, files=files)


async def _look(interaction: Interaction, view: View) -> Contents:
    """Return a position with what was played there, as a message."""
    asked = view.asked(interaction)
    found = await interaction.client.explorer.look(view.key, view.line, asked)
    presentation = await own_presentation(interaction)
    with presentation.spoken():
        return await _draw(interaction, view, found, presentation)


async def _draw(
    interaction: Interaction,
    view: View,
    found: Branches,
    presentation: Presentation,
    hints: Sequence[Hint] = (),
) -> Contents:
    position, names = found.position, _results(found)
    notes = hint_notes(hints) if hints else _shares(found)
    board = BoardPicture(position, names=names, notes=notes, theme=presentation.theme)
    gallery, file = await board_image("explorer.png", board)
    said = [_heading(view), _filters(view, found)]
    if presentation.text_board:
        said.append(text_board(position, chosen_path(position, ())))
    container = discord.ui.Container[Any](discord.ui.TextDisplay("\n".join(said)), gallery)
    if hints:
        container.add_item(discord.ui.TextDisplay(_told_hints(found, hints)))
    if found.moves:
        container.add_item(discord.ui.TextDisplay(_told_moves(found)))
    for row in (*_move_rows(view, found), _controls(view, found, is_engine=bool(hints))):
        container.add_item(discord.ui.ActionRow(*row))
    for menu in _menus(view, in_server=interaction.guild_id is not None):
        container.add_item(discord.ui.ActionRow[Any](menu))
    return sealed(container), [file]


def _results(found: Branches) -> tuple[str, str]:
    """Say what share of the games each side has won, in place of the names."""
    if not found.moves:
        return mark_of(X), mark_of(O)
    x = sum(each.x_wins for each in found.moves) / found.games
    o = sum(each.o_wins for each in found.moves) / found.games
    words = _("won {share}")
    return words.format(share=percent(x)), words.format(share=percent(o))


def _shares(found: Branches) -> tuple[CellNote, ...]:
    """Return how often each move was played, as notes on the board; the most frequent first."""
    return tuple(
        CellNote(
            each.move,
            Advice.GOOD if place else Advice.BEST,
            label=(_share(each.games / found.games),),
        )
        for place, each in enumerate(found.moves[:LISTED])
    )


def _share(share: float) -> str:
    """Write a share short enough to fit into a cell."""
    return f"{100 * share:.0f}%" if share >= 0.01 else "<1%"


def _heading(view: View) -> str:
    """Say which variant it is, and which moves lead here."""
    variant = load_variant(view.key)
    words = _("### Explorer: {variant}").format(variant=told(variant.name))
    if not view.line:
        return words
    moves = (format_move(move, variant.rules) for move in view.line)
    line = " ".join(f"**{place}.** {move}" for place, move in enumerate(moves, start=1))
    return f"{words}\n{line}"


def _filters(view: View, found: Branches) -> str:
    """Say how many games of which kind there are."""
    count = ngettext("{count} game", "{count} games", found.games)
    parts = [_whose()[view.whose], _opponents()[view.opponents]]
    if found.moves:
        parts.append(count.format(count=number(found.games)))
    elif found.is_end:
        parts.append(_("this is as far as games are counted"))
    else:
        parts.append(_("no games from here"))
    return f"-# {' · '.join(parts)}"


def _whose() -> dict[str, str]:
    return {
        Whose.EVERYBODY: _("Everybody's games"),
        Whose.SERVER: _("This server's games"),
        Whose.OWN: _("My games"),
    }


def _opponents() -> dict[str, str]:
    return {
        Opponents.ALL: _("Any opponent"),
        Opponents.PEOPLE: _("Between people"),
        Opponents.COMPUTER: _("Against the computer"),
    }


def _told_moves(found: Branches) -> str:
    """List the moves with their results, as monospaced text."""
    rules, listed = found.position.rules, found.moves[:LISTED]
    words = [
        (format_move(each.move, rules), number(each.games), _share(each.games / found.games))
        for each in listed
    ]
    widths = [max(map(len, column)) for column in zip(*words, strict=True)]
    marks = f"{mark_of(X):>3} {'=':>3} {mark_of(O):>3}"
    lines = [f"{'%':>{sum(widths) + BAR + 3}} {marks}"]
    for each, (move, games, share) in zip(listed, words, strict=True):
        ends = " ".join(f"{round(100 * part):>3}" for part in _parts(each))
        left = f"{move:<{widths[0]}} {games:>{widths[1]}} {share:>{widths[2]}}"
        lines.append(f"{left} {_bar(each)} {ends}")
    block = "```\n{lines}\n```".format(lines="\n".join(lines))
    if (rest := len(found.moves) - len(listed)) > 0:
        more = ngettext("-# … and {count} more move", "-# … and {count} more moves", rest)
        block += more.format(count=rest)
    return block


def _parts(count: MoveCount) -> tuple[float, float, float]:
    """Return the shares of games that X won, nobody won, O won."""
    games = count.games
    return count.x_wins / games, count.draws / games, count.o_wins / games


def _bar(count: MoveCount) -> str:
    """Draw how the games went: full for X, half for draws, light for O."""
    x, draws, _o = _parts(count)
    first, second = round(BAR * x), round(BAR * (x + draws))
    return "█" * first + "▒" * (second - first) + "░" * (BAR - second)


def _told_hints(found: Branches, hints: Sequence[Hint]) -> str:
    """Say what the engine would play, and what it promises."""
    lines = [_("**The engine's best moves**")]
    for rank, each in enumerate(hints, start=1):
        move = located(each.move, found.position)
        words = _("{rank}. {move}: {result}.")
        lines.append(words.format(rank=rank, move=move, result=promise(each)))
    return "\n".join(lines)


def _move_rows(view: View, found: Branches) -> list[list[Button]]:
    """Return a button for each listed move, five in a row."""
    if found.is_end:
        return []
    rules = found.position.rules
    buttons = [
        Button(
            label=format_move(each.move, rules),
            custom_id=replace(view, line=(*view.line, each.move)).id(),
        )
        for each in found.moves[:LISTED]
    ]
    return [buttons[first : first + 5] for first in range(0, len(buttons), 5)]


def _controls(view: View, found: Branches, *, is_engine: bool) -> list[Button]:
    """Return the buttons to go back, to list the games, and to show or hide the engine."""
    back = replace(view, line=view.line[:-1]).id() if view.line else "explore:none:back"
    games = view.id("explore-games")
    engine = Button(label=label("Engine"), custom_id=view.id("explore-engine"))
    if is_engine:
        engine = Button(label=label("Hide engine"), custom_id=view.id())
    return [
        Button(label=label("Back"), custom_id=back, disabled=not view.line),
        Button(label=label("Games"), custom_id=games, disabled=not found.moves),
        engine,
    ]


def _menus(view: View, *, in_server: bool) -> list[discord.ui.Select[Any]]:
    """Return the menus that say which games are counted."""
    whose = _whose()
    if not in_server:
        del whose[Whose.SERVER]
    menus = []
    for kind, choices in (("explore-whose", whose), ("explore-opponents", _opponents())):
        options = [
            discord.SelectOption(
                label=words, value=key, default=key in (view.whose, view.opponents)
            )
            for key, words in choices.items()
        ]
        menus.append(discord.ui.Select[Any](custom_id=view.id(kind), options=options))
    return menus


def _list_games(view: View, games: Sequence[Match]) -> discord.ui.LayoutView:
    """List games, the newest first, each to be looked at."""
    lines = [_heading(view), *map(_told_game, games)]
    back = [Button(label=label("Back to the moves"), custom_id=view.id())]
    if not games:
        return sealed("\n".join([*lines, _("No finished games like these.")]), back)
    return sealed("\n".join(lines), open_menu((each.id, _choice(each)) for each in games), back)


def _told_game(match: Match) -> str:
    assert match.ended_at is not None, "only finished games are counted"
    day = discord.utils.format_dt(match.ended_at, "d")
    x, o = map(escape_markdown, told_names(match))
    if match.winner is None:
        result = pgettext("games", "drawn")
    else:
        result = _("{mark} wins").format(mark=mark_of(match.winner))
    against = _("{x} against {o}").format(x=f"{x} ({mark_of(X)})", o=f"{o} ({mark_of(O)})")
    return f"**{match.id}** {day} · {against} · {result}"


def _choice(match: Match) -> str:
    x, o = told_names(match)
    return _("Game {number}: {x} against {o}").format(number=match.id, x=x, o=o)


BUTTONS = (ShowButton, FilterMenu, GamesButton, EngineButton)


async def setup(bot: GameBot) -> None:
    """Add the command and make every button ever sent work again."""
    bot.add_dynamic_items(*BUTTONS)
    await bot.add_cog(ExplorerCommands())
