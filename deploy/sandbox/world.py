"""The world: everything that exists, who may see it, and its initial contents."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import permissions as bits
from .components import new_attachment
from .errors import HandError, known, refusal
from .model import (
    JSON,
    Attachment,
    Channel,
    ChannelKind,
    Guild,
    Member,
    Message,
    Overwrite,
    Role,
    SnowflakeMaker,
    Upload,
    User,
    snowflake_at,
)
from .news import News
from .payloads import channel_json
from .snapshot import read_snapshot, write_snapshot

# How many files that no message shows (any more) are still served: the most recent ones.
_LOOSE_FILES_KEPT = 32

# The initial contents are dated to a fixed moment, so that they have the same identifiers in
# every sandbox: the bot's own database still knows its players tomorrow.
_BEGINNING = 1_735_732_800.0  # 2025-01-01 12:00 UTC

CHANNELS = (("general", "Anything"), ("games", "Play here"), ("read-only", "The bot cannot write"))


@dataclass(slots=True, kw_only=True)
class Limits:
    """Discord's limits that a test may want to lower."""

    answer_seconds: float = 3.0
    """How long the bot has for the first answer to an interaction."""
    token_seconds: float = 15 * 60.0
    """How long the token of an answered interaction lives."""
    upload_bytes: int = 10 * 1024 * 1024
    late_edit_after_seconds: float = 3600.0
    late_edits_per_hour: int = 5
    """Edits of older messages in one channel before 30046. Discord does not publish its number."""
    nonce_seconds: float = 180.0
    """How long a message can be found by its nonce: "the past few minutes"."""
    direct_openings: tuple[int, float] = (10, 60.0)
    """Conversations the bot may begin, in how many seconds, before 40003. Not published either."""
    privileged_intents: bool = False
    """Whether the application may ask for members, presences and message content."""


class World:
    """Users, guilds, channels, messages, files and commands, each by its id.

    Changed only from the event loop that serves it. The behaviour is in the classes that
    are given a world: `Channels`, `Messages`, `Interactions`, `People`.
    """

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.limits = Limits()
        self.snowflakes = SnowflakeMaker(clock)
        self.news = News(self)
        self.address = "http://127.0.0.1"
        self.bot_id = 0
        self.bot_online = False
        self.changed = False
        """Set by everything that happens, reset when the world is saved."""
        self.users: dict[int, User] = {}
        self.guilds: dict[int, Guild] = {}
        self.channels: dict[int, Channel] = {}
        self.messages: dict[int, dict[int, Message]] = {}
        self.files: dict[int, bytes] = {}
        self.commands: dict[int | None, dict[int, JSON]] = {None: {}}
        """Registered commands by guild id; global ones under None."""
        self._loose_files: deque[int] = deque()

    @classmethod
    def default(cls, *, clock: Callable[[], float] = time.time) -> World:
        """Return a world in which nothing has happened yet.

        It has a guild with the bot and three people, a guild without the bot whose users
        may have installed the application themselves, and no conversations.
        """
        world = cls(clock=clock)
        numbers = iter(range(1, 1000))

        def identifier() -> int:
            return snowflake_at(_BEGINNING, next(numbers))

        name = "Game Bot"
        bot = world.add_user(name, id=identifier(), bot=True, global_name=None, username=name)
        world.bot_id = bot.id
        people = [world.add_user(name, id=identifier()) for name in ("Ann", "Ben", "Cleo")]
        people[0].has_installed = True
        guild = world.add_guild(identifier(), "Sandbox", people)
        role = Role(id=identifier(), name="bots", permissions=0, position=1)
        guild.roles[role.id] = role
        world.add_member(guild, bot, (role.id,))
        for position, (name, topic) in enumerate(CHANNELS):
            details: JSON = {"name": name, "topic": topic, "position": position}
            world.add_channel(Channel(id=identifier(), guild_id=guild.id, **details))
        closed = world.channel_called("read-only")
        closed.overwrites.append(Overwrite(id=role.id, kind=0, deny=bits.SEND_MESSAGES))
        elsewhere = world.add_guild(identifier(), "Elsewhere", people[:2])
        details = {"name": "general", "topic": "The bot is not in here"}
        world.add_channel(Channel(id=identifier(), guild_id=elsewhere.id, **details))
        seekers = Role(id=identifier(), name="players", permissions=0, position=2, mentionable=True)
        guild.roles[seekers.id] = seekers
        for person in people[1:]:
            guild.members[person.id].role_ids.append(seekers.id)
        return world

    @classmethod
    def load(cls, path: Path, *, clock: Callable[[], float] = time.time) -> World:
        """Return the world saved in `path`, or the default one; SnapshotError if it is damaged."""
        if not (path / "world.json").exists():
            return cls.default(clock=clock)
        world = cls(clock=clock)
        read_snapshot(world, path)
        return world

    save = write_snapshot

    # Looking things up

    @property
    def application_id(self) -> int:
        """The application's id, the same as its bot user's, as Discord has it."""
        return self.bot_id

    @property
    def bot(self) -> User:
        """The bot's own user."""
        return self.users[self.bot_id]

    @property
    def people(self) -> list[User]:
        """Everybody who is not a bot, oldest first."""
        return [user for user in self.users.values() if not user.bot]

    def person(self, name: str) -> User:
        """Return the person called `name`, ignoring case; KeyError if there is none."""
        return {user.username: user for user in self.people}[name.lower()]

    def channel_called(self, name: str, guild_name: str = "Sandbox") -> Channel:
        """Return the channel of a guild by name; KeyError if there is none."""
        there = {guild.name: guild.id for guild in self.guilds.values()}[guild_name]
        return {each.name: each for each in self.channels.values() if each.guild_id == there}[name]

    def channel(self, channel_id: int) -> Channel:
        """Return a channel or refuse with 10003."""
        return known(self.channels.get(channel_id), 10003)

    def message(self, channel_id: int, message_id: int) -> Message:
        """Return a message of a channel or refuse with 10008."""
        return known(self.messages.get(channel_id, {}).get(message_id), 10008)

    def find_message(self, message_id: int) -> Message | None:
        """Return the message with this id from any channel, None if there is none."""
        for messages in self.messages.values():
            if message_id in messages:
                return messages[message_id]
        return None

    def guild_of(self, channel: Channel) -> Guild | None:
        """Return the guild that `channel` is in, None for a direct conversation."""
        return None if channel.guild_id is None else self.guilds[channel.guild_id]

    # Who may do what

    def permissions(self, user_id: int, channel: Channel) -> int:
        """Return the permission bits of a user in a channel, 0 for a stranger."""
        guild = self.guild_of(channel)
        if guild is None:
            return bits.ALL if user_id in channel.recipient_ids else 0
        member = guild.members.get(user_id)
        if member is None:
            return 0
        ruling = self.channels.get(channel.parent_id or 0) if channel.is_thread else channel
        granted = bits.channel_permissions(guild, member, ruling or channel)
        private = channel.kind is ChannelKind.PRIVATE_THREAD
        if private and user_id not in channel.thread_member_ids:
            return granted if granted & bits.MANAGE_THREADS else 0
        return granted

    def can_see(self, user_id: int, channel: Channel) -> bool:
        """Return whether a user can open a channel."""
        return bool(self.permissions(user_id, channel) & bits.VIEW_CHANNEL)

    def sees_message(self, user_id: int, message: Message) -> bool:
        """Return whether a user is shown a message."""
        if message.visible_to is not None:
            return message.visible_to == user_id
        channel = self.channels.get(message.channel_id)
        return channel is not None and self.can_see(user_id, channel)

    def require_bot(self, channel: Channel, needed: int = 0) -> None:
        """Refuse with 50001 if the bot cannot see the channel, 50013 if it lacks a permission."""
        granted = self.permissions(self.bot_id, channel)
        if not granted & bits.VIEW_CHANNEL:
            raise refusal(50001)
        if granted & needed != needed:
            raise refusal(50013)

    # Files

    def take_upload(self, upload: Upload) -> Attachment:
        """Keep a file of a command or dialog for a while; HandError if it is too large."""
        if len(upload.data) > self.limits.upload_bytes:
            most = self.limits.upload_bytes // 1024
            raise HandError(f"{upload.filename!r} is too large: a file has at most {most} KiB")
        attachment = new_attachment(self.snowflakes.next(), upload, None)
        self.files[attachment.id] = upload.data
        self.let_go({attachment.id})
        return attachment

    def let_go(self, identifiers: set[int]) -> None:
        """Stop serving files, though not at once: a page or the bot may be loading them."""
        self._loose_files.extend(sorted(identifiers))
        while len(self._loose_files) > _LOOSE_FILES_KEPT:
            self.files.pop(self._loose_files.popleft(), None)

    # Adding to it

    def add_user(self, name: str, **details: Any) -> User:
        """Add a person called `name`; `details` are fields of User."""
        details.setdefault("id", self.snowflakes.next())
        details.setdefault("username", name.lower())
        details.setdefault("global_name", name)
        user = User(**details)
        self.users[user.id] = user
        return user

    def add_guild(self, identifier: int, name: str, people: list[User]) -> Guild:
        """Add a guild with members; the first of them owns it."""
        guild = Guild(id=identifier, name=name, owner_id=people[0].id)
        guild.roles[guild.id] = Role(id=guild.id, name="@everyone", permissions=bits.EVERYONE)
        self.guilds[guild.id] = guild
        for user in people:
            self.add_member(guild, user)
        return guild

    def add_member(self, guild: Guild, user: User, role_ids: tuple[int, ...] = ()) -> Member:
        """Put `user` into `guild`."""
        member = Member(user_id=user.id, role_ids=list(role_ids), joined_at=self.clock())
        guild.members[user.id] = member
        return member

    def add_channel(self, channel: Channel) -> Channel:
        """Add `channel` and tell everybody who can see it."""
        channel.created_at = channel.created_at or self.clock()
        channel.archived_changed_at = channel.archived_changed_at or channel.created_at
        self.channels[channel.id] = channel
        self.messages.setdefault(channel.id, {})
        data = channel_json(self, channel)
        self.news.tell_channel("channel_create", data, channel)
        if self.can_see(self.bot_id, channel) and channel.kind is not ChannelKind.DM:
            event = "THREAD_CREATE" if channel.is_thread else "CHANNEL_CREATE"
            self.news.tell_bot(event, data | {"newly_created": True}, channel.guild_id)
        return channel

    def set_bot_online(self, online: bool) -> None:
        """Note that the bot came online or went offline."""
        if online != self.bot_online:
            self.bot_online = online
            self.news.tell_users("bot", {"online": online})
