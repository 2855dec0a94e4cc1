"""A small real bot that shows everything the page has to show."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from unittest.mock import patch

import discord
import yarl
from discord import app_commands, ui
from PIL import Image

from deploy.sandbox.server import Sandbox
from tests.waiting import until

EVIL = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
FRUIT = ("apple", "apricot", "banana", "cherry")


def picture(move_count: int) -> discord.File:
    """Return a board's stand-in that looks different after every move."""
    colour = (40 + 20 * move_count % 200, 90, 120)
    data = io.BytesIO()
    Image.new("RGB", (310, 340), colour).save(data, "PNG")
    data.seek(0)
    return discord.File(data, "board.png", description=describe(move_count))


def describe(move_count: int) -> str:
    """Return the alternative text of `picture`."""
    return f"Board after {move_count} moves"


class Cell(ui.Button[Any]):
    """Takes a cell; the others get the ids of the next move, as in a real game."""

    def __init__(self, cell: int, taken: frozenset[int]) -> None:
        super().__init__(
            label="X" if cell in taken else str(cell + 1),
            style=discord.ButtonStyle.secondary if cell in taken else discord.ButtonStyle.primary,
            disabled=cell in taken,
            custom_id=f"cell:{len(taken)}:{cell}",
        )
        self.taken = taken | {cell}

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Show the board with this cell taken."""
        view = BoardView(self.taken)
        await interaction.response.edit_message(view=view, attachments=[picture(len(self.taken))])


class Whisper(ui.Button[Any]):
    """Answers only the one who pressed it."""

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Whisper."""
        await interaction.response.send_message("It is not your turn.", ephemeral=True)


class Silent(ui.Button[Any]):
    """Never answers."""

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Do nothing."""


class BoardView(ui.LayoutView):
    """A board as the real bot lays it out: text, picture, nine buttons, controls."""

    def __init__(self, taken: frozenset[int] = frozenset()) -> None:
        super().__init__(timeout=None)
        gallery: ui.MediaGallery[Any] = ui.MediaGallery(
            discord.MediaGalleryItem("attachment://board.png", description=describe(len(taken)))
        )
        rows = [
            ui.ActionRow(*(Cell(3 * row + column, taken) for column in range(3)))
            for row in range(3)
        ]
        controls: ui.ActionRow[Any] = ui.ActionRow(
            Whisper(label="Whisper", custom_id="whisper"),
            Silent(label="Silent", custom_id="silent", style=discord.ButtonStyle.danger),
            ui.Button(label="Elsewhere", url="https://example.org/"),
        )
        self.add_item(
            ui.Container(
                ui.TextDisplay(f"### Board\n**{len(taken)}** moves were played."),
                gallery,
                *rows,
                ui.Separator(),
                controls,
                accent_colour=0x3366AA,
            )
        )


class Accept(ui.Button[Any]):
    """Turns an offer into a board, as accepting a challenge does."""

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Show the board."""
        await interaction.response.edit_message(view=BoardView(), attachments=[picture(0)])


class Offer(ui.LayoutView):
    """A small message that becomes a large one."""

    def __init__(self) -> None:
        super().__init__(timeout=None)
        row: ui.ActionRow[Any] = ui.ActionRow(Accept(label="Accept", custom_id="accept"))
        self.add_item(ui.Container(ui.TextDisplay("A game?"), row))


class Menus(ui.LayoutView):
    """Select menus, a section and a text with markdown."""

    def __init__(self) -> None:
        super().__init__(timeout=None)
        options = [discord.SelectOption(label=name.title(), value=name) for name in FRUIT]
        self.one: ui.Select[Any] = ui.Select(
            custom_id="one", placeholder="One fruit", options=options
        )
        self.many: ui.Select[Any] = ui.Select(
            custom_id="many", placeholder="Some fruit", options=options, min_values=1, max_values=3
        )
        self.person: ui.UserSelect[Any] = ui.UserSelect(custom_id="person", placeholder="A person")
        for select in (self.one, self.many, self.person):
            select.callback = self.tell(select)  # type: ignore[method-assign]
        text: ui.TextDisplay[Any] = ui.TextDisplay("# Menus\n- *first*\n- `second`\n-# small")
        more: ui.Button[Any] = ui.Button(label="More", custom_id="more")
        self.add_item(ui.Section(text, accessory=more))
        for select in (self.one, self.many, self.person):
            self.add_item(ui.ActionRow(select))

    def tell(self, select: Any) -> Any:
        """Return a callback that says what was chosen."""

        async def callback(interaction: discord.Interaction[Any]) -> None:
            chosen = ", ".join(getattr(value, "display_name", value) for value in select.values)
            await interaction.response.send_message(f"Chosen: {chosen}")

        return callback


class Form(ui.Modal, title="A form"):
    """A dialog with the fields that matter."""

    name: ui.Label[Any] = ui.Label(
        text="Name",
        description="As others see it",
        component=ui.TextInput(custom_id="name", min_length=2, max_length=20),
    )
    story: ui.TextInput[Any] = ui.TextInput(
        label="Story", custom_id="story", style=discord.TextStyle.paragraph, required=False
    )
    fruit: ui.Label[Any] = ui.Label(
        text="Fruit",
        component=ui.Select(
            custom_id="fruit",
            options=[discord.SelectOption(label=name) for name in FRUIT],
            required=False,
        ),
    )

    async def on_submit(self, interaction: discord.Interaction[Any]) -> None:
        """Repeat what was entered."""
        name: Any = self.name.component
        fruit: Any = self.fruit.component
        words = f"{name.value} / {self.story.value} / {', '.join(fruit.values)}"
        await interaction.response.send_message(words)


class ShowBot(discord.Client):
    """The bot with its commands."""

    def __init__(self) -> None:
        super().__init__(intents=discord.Intents(guilds=True), guild_ready_timeout=0.1)
        self.tree = app_commands.CommandTree(self)
        self.may_finish = asyncio.Event()
        self.plays: list[tuple[int, str]] = []
        add_play(self)
        add_buy(self.tree)
        add_answers(self)
        add_company(self.tree)

    async def setup_hook(self) -> None:
        """Register the commands."""
        await self.tree.sync()


def add_play(bot: ShowBot) -> None:
    """Add the command that shows a board."""

    @bot.tree.command(description="Start a game")
    @app_commands.describe(level="How strong", first="Who begins")
    @app_commands.choices(
        first=[
            app_commands.Choice(name="You", value="you"),
            app_commands.Choice(name="The computer", value="computer"),
        ]
    )
    async def play(
        interaction: discord.Interaction[Any],
        level: app_commands.Range[int, 1, 10] = 3,
        first: str = "you",
    ) -> None:
        bot.plays.append((level, first))
        await interaction.response.send_message(view=BoardView(), file=picture(0))

    @bot.tree.command(description="Offer a game")
    async def offer(interaction: discord.Interaction[Any]) -> None:
        await interaction.response.send_message(view=Offer())


def add_buy(tree: app_commands.CommandTree[ShowBot]) -> None:
    """Add a command with options of every kind, one of them completed by the bot."""

    @tree.command(description="Buy a fruit")
    @app_commands.describe(fruit="Which one", who="For whom", ripe="Ripe or not")
    async def buy(
        interaction: discord.Interaction[Any],
        fruit: app_commands.Range[str, 3],
        who: discord.User | None = None,
        ripe: bool = False,
    ) -> None:
        name = who.display_name if who else "nobody"
        await interaction.response.send_message(f"Bought {fruit} for {name}, ripe: {ripe}")

    @buy.autocomplete("fruit")
    async def suggest(
        interaction: discord.Interaction[Any], current: str
    ) -> list[app_commands.Choice[str]]:
        return [
            app_commands.Choice(name=name.title(), value=f"value-{name}")
            for name in FRUIT
            if name.startswith(current.lower())
        ]


def add_answers(bot: ShowBot) -> None:
    """Add a command for every way to answer."""
    tree = bot.tree

    @tree.command(description="Whisper to me")
    async def whisper(interaction: discord.Interaction[Any]) -> None:
        await interaction.response.send_message("A secret.", ephemeral=True)

    @tree.command(description="Think first")
    async def think(interaction: discord.Interaction[Any]) -> None:
        await interaction.response.defer(thinking=True)
        await bot.may_finish.wait()
        await interaction.followup.send("Thought.")

    @tree.command(description="Never answer")
    async def silence(interaction: discord.Interaction[Any]) -> None:
        """Leave the interaction without an answer."""

    @tree.command(description="Open a form")
    async def form(interaction: discord.Interaction[Any]) -> None:
        await interaction.response.send_modal(Form())

    @tree.command(description="Show menus")
    async def menus(interaction: discord.Interaction[Any]) -> None:
        await interaction.response.send_message(view=Menus())

    @tree.command(description="Show something evil")
    async def evil(interaction: discord.Interaction[Any]) -> None:
        embed = discord.Embed(title=EVIL, description=f"[{EVIL}](javascript:alert(1))")
        embed.add_field(name=EVIL, value=EVIL)
        text = f'{EVIL} [click](javascript:window.hacked=1) <https://x.y/"onload=alert(1)>'
        await interaction.response.send_message(text, embed=embed)

    game = app_commands.Group(name="game", description="Games")

    @game.command(name="stop", description="Stop a game")
    async def stop(interaction: discord.Interaction[Any]) -> None:
        await interaction.response.send_message("Stopped.")

    tree.add_command(game)


def add_company(tree: app_commands.CommandTree[ShowBot]) -> None:
    """Add what concerns other people: files, pings, context menus."""

    @tree.command(description="Read a file")
    async def weigh(interaction: discord.Interaction[Any], file: discord.Attachment) -> None:
        text = (await file.read()).decode()
        await interaction.response.send_message(f"{file.filename} says: {text}")

    @tree.command(description="Call somebody")
    async def call(interaction: discord.Interaction[Any], who: discord.User) -> None:
        await interaction.response.send_message(f"Your turn, {who.mention}!")

    @tree.context_menu(name="Quote")
    async def quote(interaction: discord.Interaction[Any], message: discord.Message) -> None:
        await interaction.response.send_message(f"> {message.content}")

    @tree.context_menu(name="Greet")
    async def greet(interaction: discord.Interaction[Any], person: discord.User) -> None:
        await interaction.response.send_message(f"Hello {person.display_name}")


@asynccontextmanager
async def online(sandbox: Sandbox) -> AsyncIterator[ShowBot]:
    """Connect the bot to `sandbox` while the block runs."""
    address = yarl.URL(sandbox.gateway_url)
    with (
        patch.object(discord.http.Route, "BASE", sandbox.api_base),
        patch.object(discord.gateway.DiscordWebSocket, "DEFAULT_GATEWAY", address),
    ):
        bot = ShowBot()
        running = asyncio.create_task(bot.start(sandbox.token))
        try:
            await until(lambda: bot.is_ready() or running.done())
            if running.done():
                running.result()  # it failed to start: say why
            yield bot
        finally:
            await bot.close()
            await asyncio.gather(running, return_exceptions=True)
