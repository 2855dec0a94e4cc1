"""A small bot that uses what a game bot uses; every test plays with it."""

from __future__ import annotations

import io
import re
from typing import Any

import discord
from discord import app_commands, ui
from discord.ext import commands
from PIL import Image

Interaction = discord.Interaction[Any]


def picture(width: int = 40, name: str = "board.png") -> discord.File:
    """Return a picture that is `width` pixels wide and 30 high."""
    data = io.BytesIO()
    Image.new("L", (width, 30)).save(data, "PNG")
    data.seek(0)
    return discord.File(data, name, description="a board")


class Counter(ui.DynamicItem[ui.Button[Any]], template=r"count:(?P<number>\d+)"):
    """A button whose custom id is its whole state, so that it survives restarts."""

    def __init__(self, number: int) -> None:
        self.number = number
        button: ui.Button[Any] = ui.Button(label=str(number), custom_id=f"count:{number}")
        super().__init__(button)

    @classmethod
    async def from_custom_id(
        cls, interaction: Interaction, item: ui.Item[Any], match: re.Match[str], /
    ) -> Counter:
        return cls(int(match["number"]))

    async def callback(self, interaction: Interaction) -> None:
        await interaction.response.edit_message(
            view=board(self.number + 1), attachments=[picture(40 + self.number)]
        )


class Note(ui.Modal, title="A note"):
    """A modal in both of its shapes: an old row and a label."""

    text = ui.TextInput[Any](label="Text", custom_id="text", max_length=50)
    kind = ui.Label[Any](
        text="Kind",
        component=ui.Select(
            custom_id="kind",
            options=[discord.SelectOption(label="Good"), discord.SelectOption(label="Bad")],
        ),
    )

    async def on_submit(self, interaction: Interaction) -> None:
        assert isinstance(self.kind.component, ui.Select)
        chosen = self.kind.component.values[0]
        await interaction.response.send_message(f"{chosen}: {self.text.value}")


class Controls(ui.View):
    """A classic view: a menu, and buttons that answer in different ways."""

    def __init__(self) -> None:
        super().__init__(timeout=None)

    @ui.select(
        custom_id="fruit",
        options=[discord.SelectOption(label="Apple"), discord.SelectOption(label="Pear")],
    )
    async def fruit(self, interaction: Interaction, menu: ui.Select[Any]) -> None:
        await interaction.response.send_message(menu.values[0], ephemeral=True)

    @ui.button(label="Note", custom_id="note")
    async def note(self, interaction: Interaction, _: ui.Button[Any]) -> None:
        await interaction.response.send_modal(Note())

    @ui.button(label="Slow", custom_id="slow")
    async def slow(self, interaction: Interaction, _: ui.Button[Any]) -> None:
        await interaction.response.defer()
        await interaction.edit_original_response(content="slow, but there")

    @ui.button(label="Silent", custom_id="silent")
    async def silent(self, interaction: Interaction, _: ui.Button[Any]) -> None:
        """Never answer."""

    @ui.select(cls=ui.UserSelect, custom_id="friend")
    async def friend(self, interaction: Interaction, menu: ui.UserSelect[Any]) -> None:
        await interaction.response.send_message(f"hello {menu.values[0].display_name}")


def board(number: int) -> ui.LayoutView:
    """Return a picture with a button and a text below it."""
    view = ui.LayoutView(timeout=None)
    gallery = ui.MediaGallery[Any]()
    gallery.add_item(media="attachment://board.png", description="a board in words")
    view.add_item(gallery)
    view.add_item(ui.TextDisplay(f"number {number}"))
    view.add_item(ui.ActionRow(Counter(number)))
    return view


class SampleBot(commands.AutoShardedBot):
    """The bot: see the commands below."""

    def __init__(self, **details: Any) -> None:
        details.setdefault("intents", discord.Intents(guilds=True))
        super().__init__(
            commands.when_mentioned,
            guild_ready_timeout=0.05,
            allowed_mentions=discord.AllowedMentions.none(),
            **details,
        )
        self.heard: list[discord.Message] = []
        for command in COMMANDS:
            self.tree.add_command(command)

    async def setup_hook(self) -> None:
        self.add_dynamic_items(Counter)
        self.add_view(Controls())
        await self.tree.sync()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Do not wait five seconds between two logins."""

    async def on_message(self, message: discord.Message, /) -> None:
        self.heard.append(message)


@app_commands.command()
@app_commands.describe(level="how strong")
async def play(interaction: Interaction, level: app_commands.Range[int, 1, 10] = 3) -> None:
    """Show a board."""
    await interaction.response.send_message(view=board(level), files=[picture()])


@app_commands.command()
async def controls(interaction: Interaction) -> None:
    """Show a classic view."""
    await interaction.response.send_message("controls", view=Controls())


@app_commands.command()
async def whisper(interaction: Interaction, text: str) -> None:
    """Say something to the user only."""
    await interaction.response.send_message(text, ephemeral=True)


@app_commands.command()
async def think(interaction: Interaction, quietly: bool = False) -> None:
    """Take time, answer, and add something."""
    await interaction.response.defer(thinking=True, ephemeral=quietly)
    await interaction.edit_original_response(view=board(1), attachments=[picture()])
    sent = await interaction.followup.send("and more", wait=True)
    await sent.edit(content="and even more")


@app_commands.command()
async def variant(interaction: Interaction, name: str) -> None:
    """Repeat a name."""
    await interaction.response.send_message(name)


@variant.autocomplete("name")
async def complete(_: Interaction, current: str) -> list[app_commands.Choice[str]]:
    names = ["standard", "majority", "misere"]
    return [app_commands.Choice(name=each, value=each) for each in names if current in each]


@app_commands.command()
async def talk(interaction: Interaction) -> None:
    """Open a thread and write in it, and write to the user directly."""
    await interaction.response.send_message("talk")
    message = await interaction.original_response()
    full = await message.fetch()
    thread = await full.create_thread(name="The talk")
    await thread.send("in the thread")
    await thread.edit(archived=True)
    await interaction.user.send("hello", file=picture())


@app_commands.command()
@app_commands.allowed_installs(guilds=True, users=True)
@app_commands.allowed_contexts(guilds=True, dms=True, private_channels=True)
async def anywhere(interaction: Interaction) -> None:
    """Answer wherever this is used."""
    context, owners = interaction.context, interaction._integration_owners
    where = "guild" if context.guild else "direct" if context.dm_channel else "private"
    await interaction.response.send_message(f"{where} {sorted(owners)}")


@app_commands.command()
async def weigh(interaction: Interaction, file: discord.Attachment) -> None:
    """Read a file and say how heavy it is."""
    data = await file.read()
    await interaction.response.send_message(f"{file.filename} ({file.size}): {data.decode()}")


class Parcel(ui.Modal, title="A parcel"):
    """A modal with a file, a channel and roles or people."""

    files = ui.Label[Any](text="Files", component=ui.FileUpload(custom_id="files", max_values=2))
    where = ui.Label[Any](text="Where", component=ui.ChannelSelect(custom_id="where"))
    whom = ui.Label[Any](
        text="Whom", component=ui.MentionableSelect(custom_id="whom", max_values=2)
    )

    async def on_submit(self, interaction: Interaction) -> None:
        assert isinstance(self.files.component, ui.FileUpload)
        assert isinstance(self.where.component, ui.ChannelSelect)
        assert isinstance(self.whom.component, ui.MentionableSelect)
        names = [each.filename for each in self.files.component.values]
        whom = [each.name for each in self.whom.component.values]
        where = self.where.component.values[0].name
        await interaction.response.send_message(f"{names} in #{where} for {whom}")


@app_commands.command()
async def parcel(interaction: Interaction) -> None:
    """Open a modal that takes files."""
    await interaction.response.send_modal(Parcel())


@app_commands.context_menu(name="Greet")
async def greet(interaction: Interaction, person: discord.User) -> None:
    await interaction.response.send_message(f"hello {person.display_name}")


@app_commands.context_menu(name="Quote")
async def quote(interaction: Interaction, message: discord.Message) -> None:
    await interaction.response.send_message(f"> {message.content}")


game = app_commands.Group(name="game", description="Games")


@game.command()
async def new(interaction: Interaction, opponent: discord.User) -> None:
    """Name the opponent."""
    await interaction.response.send_message(f"against {opponent.display_name}")


COMMANDS: list[Any] = [
    *(play, controls, whisper, think, variant, talk, anywhere, weigh, parcel),
    *(greet, quote, game),
]
