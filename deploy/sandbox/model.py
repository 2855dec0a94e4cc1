"""The data model of a world: values that can be written to disk, and their identifiers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import Any, Final

JSON = dict[str, Any]


class ChannelKind(IntEnum):
    """Discord's numbers for the kinds of channel the sandbox knows."""

    TEXT = 0
    DM = 1
    PUBLIC_THREAD = 11
    PRIVATE_THREAD = 12


class MessageKind(IntEnum):
    """Discord's numbers for the kinds of message the sandbox makes."""

    DEFAULT = 0
    THREAD_CREATED = 18
    REPLY = 19
    CHAT_INPUT_COMMAND = 20
    CONTEXT_MENU_COMMAND = 23


class MessageFlag(IntFlag):
    """The bits of a message's flags that change what the sandbox does."""

    SUPPRESS_EMBEDS = 1 << 2
    HAS_THREAD = 1 << 5
    EPHEMERAL = 1 << 6
    LOADING = 1 << 7
    SUPPRESS_NOTIFICATIONS = 1 << 12
    COMPONENTS_V2 = 1 << 15


@dataclass(slots=True, kw_only=True)
class User:
    """A person, or the bot."""

    id: int
    username: str
    global_name: str | None = None
    bot: bool = False
    locale: str = "en-US"
    has_installed: bool = False
    """Whether this person added the application to their own account."""
    accepts_direct_messages: bool = True


@dataclass(slots=True, kw_only=True)
class Role:
    """A set of permissions with a name; the role with the guild's id is @everyone."""

    id: int
    name: str
    permissions: int
    position: int = 0
    mentionable: bool = False
    """Whether everybody may ping its members."""


@dataclass(slots=True, kw_only=True)
class Member:
    """A user's place in a guild."""

    user_id: int
    role_ids: list[int] = field(default_factory=list)
    nick: str | None = None
    joined_at: float = 0.0


@dataclass(slots=True, kw_only=True)
class Guild:
    """A server with its roles and members, by id."""

    id: int
    name: str
    owner_id: int
    locale: str = "en-US"
    roles: dict[int, Role] = field(default_factory=dict)
    members: dict[int, Member] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Overwrite:
    """Permissions that a channel gives to or takes from a role or a member."""

    id: int
    kind: int  # 0 role, 1 member
    allow: int = 0
    deny: int = 0


@dataclass(slots=True, kw_only=True)
class Channel:
    """A text channel, thread or direct conversation."""

    id: int
    kind: ChannelKind = ChannelKind.TEXT
    name: str = ""
    guild_id: int | None = None
    parent_id: int | None = None
    position: int = 0
    topic: str | None = None
    recipient_ids: list[int] = field(default_factory=list)
    owner_id: int | None = None
    overwrites: list[Overwrite] = field(default_factory=list)
    archived: bool = False
    locked: bool = False
    auto_archive_minutes: int = 1440
    thread_member_ids: list[int] = field(default_factory=list)
    last_message_id: int | None = None
    created_at: float = 0.0
    archived_changed_at: float = 0.0

    @property
    def is_thread(self) -> bool:
        """Whether this is a thread, public or private."""
        return self.kind in (ChannelKind.PUBLIC_THREAD, ChannelKind.PRIVATE_THREAD)


@dataclass(slots=True, kw_only=True)
class Attachment:
    """A file that belongs to a message; its bytes are in `World.files`."""

    id: int
    filename: str
    size: int
    content_type: str
    width: int | None = None
    height: int | None = None
    description: str | None = None


@dataclass(slots=True, kw_only=True)
class Message:
    """A message as stored; `payloads.message_json` turns it into Discord's JSON."""

    id: int
    channel_id: int
    author_id: int
    kind: MessageKind = MessageKind.DEFAULT
    content: str = ""
    embeds: list[JSON] = field(default_factory=list)
    components: list[JSON] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    flags: int = 0
    created_at: float = 0.0
    edited_at: float | None = None
    mention_ids: list[int] = field(default_factory=list)
    mention_role_ids: list[int] = field(default_factory=list)
    reference: JSON | None = None
    interaction_metadata: JSON | None = None
    webhook_id: int | None = None
    application_id: int | None = None
    visible_to: int | None = None
    """The only user who sees it, if it is ephemeral."""
    thread_id: int | None = None
    nonce: str | int | None = None
    pinned: bool = False
    reactions: dict[str, list[int]] = field(default_factory=dict)

    def has(self, flag: MessageFlag) -> bool:
        """Return whether `flag` is set."""
        return bool(self.flags & flag)


@dataclass(slots=True, kw_only=True, frozen=True)
class Upload:
    """A file as it arrived in a request, not yet part of a message."""

    field: str
    filename: str
    data: bytes


# Milliseconds between 1970 and the first second of 2015, where Discord's time begins.
EPOCH_MS = 1_420_070_400_000


def snowflake_at(seconds: float, number: int = 0) -> int:
    """Return identifier `number`, below 2**22, of the millisecond at Unix time `seconds`."""
    return (int(seconds * 1000) - EPOCH_MS << 22) + number


class SnowflakeMaker:
    """Hands out strictly increasing identifiers, even if the clock stops or goes back.

    A clock that stands still (in tests) or goes back (a laptop's) would otherwise
    repeat identifiers or reorder messages, which are sorted by them.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._last = 0

    def next(self) -> int:
        """Return an identifier larger than every one before."""
        self._last = max(snowflake_at(self._clock()), self._last + 1)
        return self._last

    @contextmanager
    def ahead(self, seconds: float) -> Iterator[None]:
        """Date identifiers `seconds` ahead while the block runs, as if the clock were wrong."""
        clock, last = self._clock, self._last
        self._clock = lambda: clock() + seconds
        try:
            yield
        finally:
            self._clock, self._last = clock, last

    def advance_past(self, snowflake: int) -> None:
        """Make every later identifier larger than `snowflake`."""
        self._last = max(self._last, snowflake)


LOCALES: Final = {
    "id": "Bahasa Indonesia",
    "da": "Dansk",
    "de": "Deutsch",
    "en-GB": "English, UK",
    "en-US": "English, US",
    "es-ES": "Español",
    "es-419": "Español, LATAM",
    "fr": "Français",
    "hr": "Hrvatski",
    "it": "Italiano",
    "lt": "Lietuviškai",
    "hu": "Magyar",
    "nl": "Nederlands",
    "no": "Norsk",
    "pl": "Polski",
    "pt-BR": "Português do Brasil",
    "ro": "Română",
    "fi": "Suomi",
    "sv-SE": "Svenska",
    "vi": "Tiếng Việt",
    "tr": "Türkçe",
    "cs": "Čeština",
    "el": "Ελληνικά",
    "bg": "български",
    "ru": "Русский",
    "uk": "Українська",
    "hi": "हिन्दी",
    "th": "ไทย",
    "zh-CN": "中文",
    "ja": "日本語",
    "zh-TW": "繁體中文",
    "ko": "한국어",
}
"""The languages in Discord's settings: native names by Discord's locale codes."""
