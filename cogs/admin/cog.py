"""`/admin`: for the bot's host, in the one server that `ADMIN_GUILD` names, and private.

Discord shows it to administrators of that server. Whether somebody may use it does not depend on
that, and is checked at each use, of its buttons as well: only the application's owner may or, if a
team owns it, the team's admins and developers.
"""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta
from typing import Final

import discord
import structlog
from discord import app_commands
from discord.utils import escape_markdown

from bot.client import GameBot, Interaction
from bot.model.actions import Annul
from bot.model.errors import NotTheHostError, PlayerError
from bot.model.hosting import LONGEST_WORDS, Maintenance
from bot.storage.backups import last_backup
from bot.storage.matches import count_ongoing, find_screen, list_behind
from bot.storage.outbox import list_outbox
from cogs.admin import texts
from cogs.admin.watch import HostWatch
from cogs.after import MATCH
from cogs.answering import (
    GameItem,
    answer,
    answering,
    asking,
    button,
    defer,
    fulfil,
    sealed,
    update_clicked,
)
from cogs.challenge.showing import refresh_challenge
from cogs.play.showing import message_link

LONGEST_MAINTENANCE: Final = timedelta(days=7)

DRAIN_WITHIN_S: Final = 60.0
"""How long `/admin drain` waits for work in progress."""

LOOKS_EVERY_S: Final = 0.1

NUMBER: Final = r"(?P<number>\d{1,19})"
_LARGEST: Final = 2**63

MatchNumber = app_commands.Range[int, 1, 2**53 - 1]
Digits = app_commands.Range[str, 1, 19]

log = structlog.get_logger(__name__)


async def check_host(interaction: Interaction) -> None:
    """Check that the user is the bot's host.

    Raises:
        NotTheHostError: If it is somebody else.
        DiscordError: If Discord does not say who that is.
    """
    with asking():
        is_host = await interaction.client.is_owner(interaction.user)
    if not is_host:
        log.warning("admin refused", user=interaction.user.id, guild=interaction.guild_id)
        raise NotTheHostError


def note(interaction: Interaction, act: str, **numbers: object) -> None:
    """Log what the host does."""
    log.info("admin", act=act, user=interaction.user.id, **numbers)


class Admin(app_commands.Group):
    """The commands. Not a cog: they are in one server, and in English only."""

    def __init__(self, bot: GameBot) -> None:
        super().__init__(
            name="admin",
            description="Run the bot: for its host only",
            default_permissions=discord.Permissions.none(),
            guild_only=True,
        )
        self.bot = bot
        self._began_at = time.monotonic()

    @app_commands.command()
    async def status(self, interaction: Interaction) -> None:
        """See how the bot is."""
        async with answering(interaction):
            await check_host(interaction)
            uptime = timedelta(seconds=time.monotonic() - self._began_at)
            backup = await asyncio.to_thread(last_backup, self.bot.settings.backup_folder)
            said = texts.status(self.bot, await _counts(self.bot), backup, uptime)
            await answer(interaction, said, ephemeral=True)

    @app_commands.command()
    @app_commands.describe(game="Its number")
    async def match(self, interaction: Interaction, game: MatchNumber) -> None:
        """Look at a game, and end it without a result."""
        async with answering(interaction):
            await check_host(interaction)
            match = await self.bot.matches.load(game)
            shown = await self.bot.matches.database.read(find_screen, game)
            link = None
            if match.channel_id is not None:
                link = message_link(match.guild_id, match.channel_id, match.message_id)
            is_behind = self.bot.publisher.is_behind(match)
            buttons = [button("Redraw its board", "admin:redraw", game)]
            if not match.is_over:
                danger = discord.ButtonStyle.danger
                buttons.append(button("End it without a result", "admin:annul", game, style=danger))
            said = texts.match(match, shown, is_behind=is_behind, link=link)
            await answer(interaction, view=sealed(said, buttons), ephemeral=True)

    @app_commands.command()
    @app_commands.describe(
        user="Who may not use the bot any more", server="Or the number of a server (Copy Server ID)"
    )
    async def block(
        self,
        interaction: Interaction,
        user: discord.User | None = None,
        server: Digits | None = None,
    ) -> None:
        """Let a user, or everybody in a server, use the bot no more."""
        async with answering(interaction):
            await check_host(interaction)
            kind, number, name = _meant(self.bot, user, server)
            if kind == "user" and await self.bot.is_owner(discord.Object(number)):  # type: ignore[arg-type]
                raise PlayerError("That is a host of this bot.")
            if number == interaction.guild_id:
                raise PlayerError("This is the server from which you run the bot.")
            games = await self.bot.matches.ongoing_of(number) if kind == "user" else []
            said = f"Block {name} ({kind} {number})? They are told so when they use the bot."
            if games:
                said += f" Their games that are going on end without a result: {len(games)}."
            view = _question(said, "Block", f"ban:{kind}:{number}")
            await answer(interaction, view=view, ephemeral=True)

    @app_commands.command()
    @app_commands.describe(user="Who may use the bot again", server="Or the number of a server")
    async def unblock(
        self,
        interaction: Interaction,
        user: discord.User | None = None,
        server: Digits | None = None,
    ) -> None:
        """Let a user or a server use the bot again."""
        async with answering(interaction):
            await check_host(interaction)
            kind, number, name = _meant(self.bot, user, server)
            was_banned = await self.bot.hosting.unban(number)
            note(interaction, "unblock", number=number, kind=kind, was_banned=was_banned)
            said = "can use the bot again." if was_banned else "was not blocked."
            await answer(interaction, f"{name} ({kind} {number}) {said}", ephemeral=True)

    @app_commands.command()
    @app_commands.describe(
        minutes="For how long no games begin; 0 ends it",
        words="What to tell everybody, in the bot's presence and where a game is refused",
    )
    async def maintenance(
        self,
        interaction: Interaction,
        minutes: app_commands.Range[int, 0, LONGEST_MAINTENANCE // timedelta(minutes=1)],
        words: app_commands.Range[str, 0, LONGEST_WORDS] = "",
    ) -> None:
        """Announce maintenance: no games begin for some time, those going on can be played."""
        async with answering(interaction):
            await check_host(interaction)
            hosting, announced = self.bot.hosting, None
            if minutes > 0:
                span = min(timedelta(minutes=min(minutes, 10**6)), LONGEST_MAINTENANCE)
                said = " ".join(words.split())[:LONGEST_WORDS]
                announced = Maintenance(until=self.bot.matches.clock() + span, words=said)
            await hosting.announce(announced)
            note(interaction, "maintenance", minutes=minutes)
            await answer(interaction, texts.maintenance(announced), ephemeral=True)
            self.bot.dispatch("maintenance")

    @app_commands.command()
    @app_commands.describe(stop="Whether to stop the process then")
    async def drain(self, interaction: Interaction, stop: bool = False) -> None:
        """Take nothing new, finish what is being worked on, and say when it is safe to stop."""
        async with answering(interaction):
            await check_host(interaction)
            said = "Take nothing new, but from you? Whoever clicks is asked to try again shortly."
            if stop:
                said += " Then **the process ends**; whether it starts again is its supervisor's."
            view = _question(said, "Drain and stop" if stop else "Drain", f"drain:{int(stop)}")
            await answer(interaction, view=view, ephemeral=True)

    @app_commands.command()
    @app_commands.describe(
        game="The number of a game", server="Or the number of a server; this one if left out"
    )
    async def redraw(
        self,
        interaction: Interaction,
        game: MatchNumber | None = None,
        server: Digits | None = None,
    ) -> None:
        """Draw the board of a game again, or all boards of a server."""
        async with answering(interaction):
            await check_host(interaction)
            if game is not None:
                found = [(await self.bot.matches.load(game)).id]
            else:
                guild_id = _number(server) if server is not None else interaction.guild_id or 0
                found = await self.bot.hosting.ongoing_in(guild_id)
            note(interaction, "redraw", game=game, server=server, count=len(found))
            await answer(interaction, f"Boards that are drawn again: {len(found)}.", ephemeral=True)
            for number in found:
                self.bot.publisher.redraw(number)


async def _counts(bot: GameBot) -> dict[str, int]:
    """Return the counts of work in progress and of work waiting."""
    database, computer = bot.matches.database, bot.matches.computer
    return {
        "Games going on": await database.read(count_ongoing),
        "Answers in progress": bot.answering,
        "Searches running": computer.workers.running,
        "Searches waiting": computer.workers.waiting,
        **({"Searches elsewhere": computer.cluster.running} if computer.cluster else {}),
        "Boards behind": len(await database.read(list_behind)),
        "In the outbox": len(await database.read(list_outbox)),
        "Being sent or tried again": bot.publisher.pending,
        "Changes to be stored": database.writer.waiting,
    }


def _meant(bot: GameBot, user: discord.User | None, server: str | None) -> tuple[str, int, str]:
    """Return whether a user or a server is meant, and its number and name."""
    if (user is None) == (server is None):
        raise PlayerError("Name a user, or the number of a server.")
    if user is not None:
        return "user", user.id, escape_markdown(user.display_name)
    number = _number(server or "")
    guild = bot.get_guild(number)
    return "server", number, "A server" if guild is None else escape_markdown(guild.name)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal()) or not 0 < int(text) < _LARGEST:
        raise PlayerError("A server's number has digits only: Copy Server ID gives it.")
    return int(text)


def _question(said: str, word: str, custom_id: str) -> discord.ui.LayoutView:
    """Ask before something that cannot be undone."""
    yes = button(word, "admin", custom_id, style=discord.ButtonStyle.danger)
    return sealed(said, [yes, button("Cancel", "admin:cancel")])


class HostItem(GameItem, template=r"(?!)"):
    """A button below an answer to `/admin`."""

    async def pressed(self, interaction: Interaction) -> None:
        """Do what the button is for, if it is the host who presses."""
        await check_host(interaction)
        await self.act(interaction)

    async def act(self, interaction: Interaction) -> None:
        """Do what the button is for."""
        raise NotImplementedError


class CancelButton(HostItem, template="admin:cancel"):
    """Leaves everything as it is."""

    async def act(self, interaction: Interaction) -> None:
        """Close the question."""
        await update_clicked(interaction, view=sealed("Nothing was done."))


class AnnulButton(HostItem, template=rf"admin:annul:{MATCH}"):
    """Asks whether to end a game."""

    match_id: int

    async def act(self, interaction: Interaction) -> None:
        """Say what that means, and ask."""
        match = await interaction.client.matches.load(self.match_id)
        said = (
            f"End game {match.id} without a result? It counts for no rating and no statistics. Its "
            "players are told that the host ended it."
        )
        view = _question(said, "End it", f"really-annul:{match.id}")
        await update_clicked(interaction, view=view)


class ReallyAnnulButton(HostItem, template=rf"admin:really-annul:{MATCH}"):
    """Ends a game without a result."""

    match_id: int

    async def act(self, interaction: Interaction) -> None:
        """End it and say so; its board is updated and its players are told as at any end."""
        matches, user_id = interaction.client.matches, interaction.user.id
        match = await matches.perform(self.match_id, Annul(), user_id=user_id)
        note(interaction, "annul", match=match.id)
        view = sealed(f"Game {match.id} is over: {match.result_in_words}.")
        await update_clicked(interaction, view=view)


class RedrawButton(HostItem, template=rf"admin:redraw:{MATCH}"):
    """Draws a board again."""

    match_id: int

    async def act(self, interaction: Interaction) -> None:
        """Have it drawn."""
        match = await interaction.client.matches.load(self.match_id)
        note(interaction, "redraw", match=match.id)
        await answer(interaction, f"The board of game {match.id} is drawn again.", ephemeral=True)
        interaction.client.publisher.redraw(match.id)


class BanButton(HostItem, template=rf"admin:ban:(?P<kind>user|server):{NUMBER}"):
    """Blocks a user or a server."""

    kind: str
    number: int

    async def act(self, interaction: Interaction) -> None:
        """Block them, end the games of a user, and say so."""
        bot = interaction.client
        if not 0 < self.number < _LARGEST or bot.owns(self.number):
            raise PlayerError("They cannot be blocked.")
        await defer(interaction)
        ended = await bot.hosting.ban(self.number, is_server=self.kind == "server")
        if self.kind == "user":
            await _close_challenges(bot, self.number)
        numbers = [match.id for match in ended]
        note(interaction, "block", number=self.number, kind=self.kind, ended=numbers)
        said = f"Blocked: {self.kind} {self.number}. Games that were ended: {len(ended)}."
        await fulfil(interaction, view=sealed(said))


async def _close_challenges(bot: GameBot, user_id: int) -> None:
    """Withdraw or decline the open challenges of somebody who was blocked."""
    for each in await bot.challenges.challenges_of(user_id):
        is_own = each.challenger.id == user_id
        close = bot.challenges.withdraw if is_own else bot.challenges.decline
        try:
            refresh_challenge(bot, await close(each.id, user_id=user_id))
        except PlayerError as error:  # somebody was faster
            log.info("challenge not closed", challenge=each.id, reason=str(error))


class DrainButton(HostItem, template=r"admin:drain:(?P<stops>[01])"):
    """Drains the bot."""

    stops: int

    async def act(self, interaction: Interaction) -> None:
        """Take nothing new, wait for work in progress, and say what is left of it."""
        bot = interaction.client
        note(interaction, "drain", stops=bool(self.stops))
        await defer(interaction)
        bot.is_paused = True
        said = texts.left(await _finished(bot))
        log.info("drained", left=said)
        if self.stops:
            await fulfil(interaction, view=sealed(f"{said}\nThe process ends now."))
            bot.stop_asked.set()
            return
        resume = button("Take new work again", "admin:resume")
        await fulfil(interaction, view=sealed(said, [resume]))


async def _finished(bot: GameBot) -> dict[str, int]:
    """Wait until a drained bot has nothing to do but this answer; return what is left."""
    until = time.monotonic() + DRAIN_WITHIN_S
    while True:
        left = bot.hosting.unfinished()
        if bot.answering > 1:
            left["answers"] = bot.answering - 1
        if not left or time.monotonic() >= until:
            return left
        await asyncio.sleep(LOOKS_EVERY_S)


class ResumeButton(HostItem, template="admin:resume"):
    """Takes new work again."""

    async def act(self, interaction: Interaction) -> None:
        """Let everybody in again."""
        interaction.client.is_paused = False
        note(interaction, "resume")
        await update_clicked(interaction, view=sealed("The bot takes new work again."))


BUTTONS = (
    CancelButton,
    AnnulButton,
    ReallyAnnulButton,
    RedrawButton,
    BanButton,
    DrainButton,
    ResumeButton,
)


async def setup(bot: GameBot) -> None:
    """Add the commands, if there is a server for them, and the `HostWatch`."""
    if bot.settings.admin_guild is not None:
        bot.add_dynamic_items(*BUTTONS)
        bot.tree.add_command(Admin(bot), guild=discord.Object(bot.settings.admin_guild))
    await bot.add_cog(HostWatch(bot))
