"""The world: the default one, and its place on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import permissions as bits
from .company import Company
from .model import Channel, ChannelKind, Guild, Overwrite, Role, User
from .snapshot import read_snapshot, write_snapshot
from .snowflake import snowflake_at

# The first things were made at a fixed moment, so that they have the same identifiers in
# every sandbox: the bot's own database then still knows its players tomorrow.
_BEGINNING = 1_735_732_800.0  # 2025-01-01 12:00 UTC

BOT_NAME = "Game Bot"
PEOPLE = ("Ann", "Ben", "Cleo")
GUILD_NAME = "Sandbox"
CHANNELS = (("general", "Anything"), ("games", "Play here"), ("read-only", "The bot cannot write"))
ELSEWHERE_NAME = "Elsewhere"


class World(Company):
    """Users, guilds, channels, messages, commands; and the hands of users.

    Changed only from the event loop that serves it. Attributes worth knowing: `users`,
    `guilds`, `channels` (by id), `limits`, `bot_id`, `bot_online`, `interactions`.
    """

    @classmethod
    def default(cls, **details: Any) -> World:
        """Return the world in which nothing has happened yet.

        One guild with the bot and three people, one where only its users may have
        installed the application, and no conversations.
        """
        world = cls(**details)
        numbers = iter(range(1, 1000))

        def identifier() -> int:
            return snowflake_at(_BEGINNING, next(numbers))

        bot = world.add_user(
            BOT_NAME, id=identifier(), bot=True, global_name=None, username=BOT_NAME
        )
        world.bot_id = bot.id
        people = [world.add_user(name, id=identifier()) for name in PEOPLE]
        people[0].has_installed = True
        guild = _add_guild(world, identifier(), GUILD_NAME, people)
        role = Role(id=identifier(), name="bots", permissions=0, position=1)
        guild.roles[role.id] = role
        world.add_member(guild, bot, (role.id,))
        for position, (name, topic) in enumerate(CHANNELS):
            _add_text(world, guild, identifier(), name, topic, position)
        _forbid_writing(world, guild, role)
        elsewhere = _add_guild(world, identifier(), ELSEWHERE_NAME, people[:2])
        _add_text(world, elsewhere, identifier(), "general", "The bot is not in here", 0)
        return world

    @property
    def bot(self) -> User:
        """The bot's own user."""
        return self.users[self.bot_id]

    @property
    def people(self) -> list[User]:
        """Everybody who is not a bot, oldest first."""
        return [user for user in self.users.values() if not user.bot]

    def person(self, name: str) -> User:
        """Return the person called `name`, in any case.

        Raises:
            KeyError: If there is none.
        """
        for user in self.people:
            if user.username == name.lower():
                return user
        raise KeyError(name)

    def channel_called(self, name: str, guild_name: str = GUILD_NAME) -> Channel:
        """Return the channel of a guild by name.

        Raises:
            KeyError: If there is none.
        """
        for channel in self.channels.values():
            guild = self.guild_of(channel)
            if guild is not None and (guild.name, channel.name) == (guild_name, name):
                return channel
        raise KeyError(name)

    def save(self, path: Path) -> None:
        """Write everything below the directory `path`, so that `load` finds it.

        The file that names the rest is replaced in one step: a crash in the middle
        leaves the previous state.
        """
        write_snapshot(self, path)

    @classmethod
    def load(cls, path: Path, **details: Any) -> World:
        """Return the world that was saved in `path`, or the default one if none was.

        Raises:
            SnapshotError: If what is there cannot be read.
        """
        if not (path / "world.json").exists():
            return cls.default(**details)
        world = cls(**details)
        read_snapshot(world, path)
        return world


def _add_guild(world: World, identifier: int, name: str, people: list[User]) -> Guild:
    guild = Guild(id=identifier, name=name, owner_id=people[0].id)
    guild.roles[guild.id] = Role(id=guild.id, name="@everyone", permissions=bits.EVERYONE)
    world.guilds[guild.id] = guild
    for user in people:
        world.add_member(guild, user)
    return guild


def _add_text(
    world: World, guild: Guild, identifier: int, name: str, topic: str, position: int
) -> None:
    world.add_channel(
        Channel(
            id=identifier,
            kind=ChannelKind.TEXT,
            name=name,
            guild_id=guild.id,
            topic=topic,
            position=position,
        )
    )


def _forbid_writing(world: World, guild: Guild, role: Role) -> None:

    channel = world.channel_called("read-only", guild.name)
    channel.overwrites.append(Overwrite(id=role.id, kind=0, deny=bits.SEND_MESSAGES))
