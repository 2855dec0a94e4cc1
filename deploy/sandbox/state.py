"""The state of the world: everything that exists, and who may see it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import permissions as bits
from .errors import HandError, refusal
from .events import Event, Hub, Subscription
from .model import (
    JSON,
    Attachment,
    Channel,
    ChannelKind,
    Guild,
    Member,
    Message,
    MessageFlag,
    Upload,
    User,
)
from .payloads import MAX_UPLOAD_BYTES, channel_json
from .permissions import ALL, channel_permissions
from .snowflake import SnowflakeMaker
from .storing import new_attachment

# Files that no message shows (any more) are served so long: as many others may follow.
_LOOSE_FILES_KEPT = 32

BotSink = Callable[[str, JSON, int | None], None]


@dataclass(slots=True, kw_only=True)
class Limits:
    """Discord's numbers that a test may want to be smaller."""

    answer_seconds: float = 3.0
    """How long the bot has for the first answer to an interaction."""
    token_seconds: float = 15 * 60.0
    """How long the token of an answered interaction lives."""
    upload_bytes: int = MAX_UPLOAD_BYTES
    late_edit_after_seconds: float = 3600.0
    late_edits_per_hour: int = 5
    """Edits of an older message before 30046. Discord does not publish its number."""
    nonce_seconds: float = 180.0
    """How long a message is found again by its nonce: "the past few minutes"."""
    direct_openings: tuple[int, float] = (10, 60.0)
    """So many conversations may be begun in so many seconds before 40003; not published."""
    privileged_intents: bool = False
    """Whether the application may ask for members, presences and message content."""


class State:
    """Everything that exists; the classes built on it know what happens to it."""

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.limits = Limits()
        self.snowflakes = SnowflakeMaker(clock)
        self.hub = Hub()
        self.address = "http://127.0.0.1"
        self.bot_id = 0
        self.bot_online = False
        self.changed = False
        """Set by everything that happens; whoever saves the world resets it."""
        self.users: dict[int, User] = {}
        self.guilds: dict[int, Guild] = {}
        self.channels: dict[int, Channel] = {}
        self.messages: dict[int, dict[int, Message]] = {}
        self.files: dict[int, bytes] = {}
        self.commands: dict[int | None, dict[int, JSON]] = {None: {}}
        """Registered commands: of the guild with that id, or global ones under None."""
        self._loose_files: deque[int] = deque()
        self._bot_sinks: list[BotSink] = []
        self._direct_openings: list[float] = []

    # Looking things up

    @property
    def application_id(self) -> int:
        """The application's id, the same as its bot user's, as Discord has it."""
        return self.bot_id

    def channel(self, channel_id: int) -> Channel:
        """Return a channel or refuse with 10003."""
        try:
            return self.channels[channel_id]
        except KeyError:
            raise refusal(10003) from None

    def message(self, channel_id: int, message_id: int) -> Message:
        """Return a message of a channel or refuse with 10008."""
        try:
            return self.messages[channel_id][message_id]
        except KeyError:
            raise refusal(10008) from None

    def find_message(self, message_id: int) -> Message | None:
        """Return the message called `message_id` in whichever channel it is."""
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
            return ALL if user_id in channel.recipient_ids else 0
        member = guild.members.get(user_id)
        if member is None:
            return 0
        ruling = self.channels.get(channel.parent_id or 0) if channel.is_thread else channel
        granted = channel_permissions(guild, member, ruling or channel)
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
        """Refuse with 50001 where the bot sees nothing, 50013 where it may not do this."""
        granted = self.permissions(self.bot_id, channel)
        if not granted & bits.VIEW_CHANNEL:
            raise refusal(50001)
        if granted & needed != needed:
            raise refusal(50013)

    # Telling

    def attach_bot(self, sink: BotSink) -> None:
        """Send every event meant for the bot to `sink(name, data, guild_id)` too."""
        self._bot_sinks.append(sink)

    def detach_bot(self, sink: BotSink) -> None:
        """Stop sending events to `sink`."""
        self._bot_sinks.remove(sink)

    def tell_bot(self, name: str, data: JSON, guild_id: int | None) -> None:
        """Send a gateway event to the bot."""
        for sink in self._bot_sinks:
            sink(name, data, guild_id)

    def subscribe(self, user_id: int) -> Subscription:
        """Return a queue of everything that `user_id` may notice from now on.

        Raises:
            KeyError: If there is no such user.
        """
        return self.hub.subscribe(self.users[user_id].id)

    def tell_users(self, kind: str, data: JSON, *, only: int | None = None) -> None:
        """Publish an event to one user, or to everybody."""
        self.changed = True
        self.hub.publish(
            Event(kind=kind, data=data), lambda user_id: only is None or user_id == only
        )

    def tell_channel(self, kind: str, data: JSON, channel: Channel) -> None:
        """Publish an event to those who can see `channel`."""
        self.changed = True
        self.hub.publish(
            Event(kind=kind, data=data), lambda user_id: self.can_see(user_id, channel)
        )

    def set_bot_online(self, online: bool) -> None:
        """Note that the bot has come or gone."""
        if online != self.bot_online:
            self.bot_online = online
            self.tell_users("bot", {"online": online})

    # Files

    def take_upload(self, upload: Upload) -> Attachment:
        """Keep a file that came with a command or a dialog, for a while.

        Raises:
            HandError: If it is larger than a window would send.
        """
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

    # Making what the world is made of

    def add_user(self, name: str, **details: Any) -> User:
        """Add a person called `name`; `details` are fields of User."""
        details.setdefault("id", self.snowflakes.next())
        details.setdefault("username", name.lower())
        details.setdefault("global_name", name)
        user = User(**details)
        self.users[user.id] = user
        return user

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
        self.tell_channel("channel_create", data, channel)
        if self.can_see(self.bot_id, channel) and channel.kind is not ChannelKind.DM:
            event = "THREAD_CREATE" if channel.is_thread else "CHANNEL_CREATE"
            self.tell_bot(event, data | {"newly_created": True}, channel.guild_id)
        return channel

    def direct_channel(self, *user_ids: int) -> Channel:
        """Return the conversation between users, making it if there is none."""
        wanted = sorted(user_ids)
        for channel in self.channels.values():
            if channel.kind is ChannelKind.DM and sorted(channel.recipient_ids) == wanted:
                return channel
        identifier = self.snowflakes.next()
        return self.add_channel(
            Channel(id=identifier, kind=ChannelKind.DM, recipient_ids=list(user_ids))
        )

    def open_direct_for_bot(self, user_id: int) -> Channel:
        """Return the bot's conversation with a user, begun if there was none.

        Raises:
            ApiError: 40003 if it has begun too many lately.
        """
        wanted = sorted((user_id, self.bot_id))
        for channel in self.channels.values():
            if channel.kind is ChannelKind.DM and sorted(channel.recipient_ids) == wanted:
                return channel
        most, seconds = self.limits.direct_openings
        now = self.clock()
        self._direct_openings = [each for each in self._direct_openings if now - each < seconds]
        if len(self._direct_openings) >= most:
            raise refusal(40003)
        self._direct_openings.append(now)
        return self.direct_channel(user_id, self.bot_id)

    def is_loading(self, message: Message) -> bool:
        """Return whether a message is still the bot "thinking"."""
        return message.has(MessageFlag.LOADING)
