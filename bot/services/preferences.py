"""Stores the settings of players and servers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeAlias, TypeVar
from weakref import WeakValueDictionary

import structlog
from cachetools import LRUCache

from bot.clock import Clock, system_clock
from bot.model.clocks import ClockRules
from bot.model.errors import InvalidClockError, InvalidPreferenceError
from bot.model.preferences import (
    DAILY_HOUR_KEY,
    DAILY_KEY,
    FEED_KEY,
    NAMED_KEY,
    NOTICES_KEY,
    LessonProgress,
    Notices,
    PlayerPreferences,
    ServerSettings,
)
from bot.storage import preferences as rows

if TYPE_CHECKING:
    from bot.storage import Database


Wishes = TypeVar("Wishes", bound=Any)  # a frozen dataclass that checks its values

MOST_KEPT: Final = 4096
"""A few hundred bytes each; more people than click within an hour."""

log = structlog.get_logger(__name__)


def format_switch(is_on: bool) -> str:
    """Write a switch as "on" or "off"."""
    return "on" if is_on else "off"


Form: TypeAlias = tuple[Callable[[str], object], Callable[[Any], str]]
"""How a value is read and written; an error in reading leaves it out."""

_TEXT: Final[Form] = (str, str)
_NUMBER: Final[Form] = (int, str)
_SWITCH: Final[Form] = ({"on": True, "off": False}.__getitem__, format_switch)


class SettingsStore(Generic[Wishes]):
    """Stores the settings of owners, and keeps recently used ones in memory.

    What could not be stored raises a StorageFailedError.
    """

    kind: ClassVar[type[Any]]
    """The dataclass of all settings; its defaults hold for what an owner has not chosen."""

    forms: ClassVar[dict[str, Form]]
    """How each field is stored."""

    table: ClassVar[str]
    """The table where they are stored."""

    load: ClassVar[Callable[..., dict[str, str]]]
    save: ClassVar[Callable[..., None]]
    """The functions of `bot.storage.preferences` for such owners."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock
        # The database reports changes on disk by other processes.
        self._recent: LRUCache[int, Wishes] = LRUCache(MOST_KEPT)
        database.watchers[self.table].append(self._hear_of_change)
        self._on_their_way: set[int] = set()  # owners whose settings are being read or written
        # One for each owner: the writes of many newcomers are stored in groups.
        self._changing: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def of(self, owner_id: int) -> Wishes:
        """Return an owner's settings.

        Settings that an earlier version stored and this one does not know are left out.
        """
        known = self._recent.get(owner_id)
        if known is None:
            self._on_their_way.add(owner_id)
            found = await self._database.read(type(self).load, owner_id)
            # What was written meanwhile is newer.
            known = self._recent.get(owner_id) or self._from_texts(found, owner_id)
            self._remember(owner_id, known)
        return known

    async def put(self, owner_id: int, wanted: Wishes) -> None:
        """Store all of an owner's settings."""
        now, texts = self._clock(), self._to_texts(wanted)
        self._on_their_way.add(owner_id)
        await self._database.write(type(self).save, owner_id, texts, now)
        self._remember(owner_id, wanted)

    async def change(self, owner_id: int, **changes: object) -> Wishes:
        """Change some of an owner's settings and return all of them.

        Two changes at once, from two clicks, both take effect.

        Raises:
            InvalidPreferenceError: If there is no such choice.
        """
        async with self._changing.setdefault(owner_id, asyncio.Lock()):
            wanted = replace(await self.of(owner_id), **changes)
            await self.put(owner_id, wanted)
        return wanted

    def forget(self, owner_id: int) -> None:
        """Read an owner's settings again: they were changed on disk by other code."""
        self._recent.pop(owner_id, None)

    def _remember(self, owner_id: int, wanted: Wishes) -> None:
        """Keep in memory what is on disk, unless another process has changed it meanwhile."""
        if owner_id in self._on_their_way:
            self._on_their_way.discard(owner_id)
            self._recent[owner_id] = wanted

    def _hear_of_change(self, key: str | None) -> None:
        if key is None:
            self._recent.clear()
            self._on_their_way.clear()
        else:
            self.forget(int(key))
            self._on_their_way.discard(int(key))

    def _to_texts(self, wanted: Wishes) -> dict[str, str | None]:
        """Return what is to be stored; None for what an owner has not chosen."""
        defaults, texts = self.kind(), dict[str, str | None]()
        for key, (_parse, write) in self.forms.items():
            value = getattr(wanted, key)
            texts[key] = None if value == getattr(defaults, key) else write(value)
        return texts

    def _from_texts(self, found: dict[str, str], owner_id: int) -> Wishes:
        values: dict[str, object] = {}
        for key, text in found.items():
            try:
                value = self.forms[key][0](text)
                self.kind(**{key: value})  # only to check the value
            except (KeyError, ValueError, InvalidClockError, InvalidPreferenceError):
                log.warning(
                    "wish left out", of=self.kind.__name__, owner=owner_id, key=key, value=text
                )
            else:
                values[key] = value
        wanted: Wishes = self.kind(**values)
        return wanted


class PreferenceStore(SettingsStore[PlayerPreferences]):
    """Stores the settings of players, by their number."""

    kind = PlayerPreferences
    table = "player_setting"
    load = staticmethod(rows.load_player_settings)
    save = staticmethod(rows.save_player_settings)
    forms: ClassVar[dict[str, Form]] = {
        NOTICES_KEY: (Notices, str),
        "theme": _TEXT,
        "language": _TEXT,
        "text_board": _SWITCH,
        "marks": _TEXT,
        NAMED_KEY: _SWITCH,
        "heard": _TEXT,
        "lesson": (LessonProgress, str),
    }

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        super().__init__(database, clock)
        self._ways: dict[int, Notices] = {}
        database.keep_current(self.table, self._hear_way)

    async def _hear_way(self, key: str | None) -> None:
        if key is None:
            await self.open()
        else:
            self._note_way(int(key), await self.of(int(key)))

    async def open(self) -> None:
        """Read how players have chosen to be notified of turns, for `notices_of`."""
        found = await self._database.read(rows.list_player_settings, NOTICES_KEY)
        self._ways = {who: Notices(way) for who, way in found.items() if way in set(Notices)}

    def notices_of(self, user_id: int) -> Notices:
        """Return how a player wants to be notified of turns, without reading anything."""
        return self._ways.get(user_id, Notices.AUTO)

    async def put(self, owner_id: int, wanted: PlayerPreferences) -> None:
        """Store all of a player's settings."""
        await super().put(owner_id, wanted)
        self._note_way(owner_id, wanted)

    def _note_way(self, owner_id: int, wanted: PlayerPreferences) -> None:
        self._ways[owner_id] = wanted.notices
        if wanted.notices is Notices.AUTO:
            del self._ways[owner_id]

    def forget(self, owner_id: int) -> None:
        """Read a player's settings again: they were deleted on disk by other code."""
        super().forget(owner_id)
        self._ways.pop(owner_id, None)

    async def hear(self, user_id: int, language: str | None) -> PlayerPreferences:
        """Note the language of a player's Discord, and return their settings.

        Nothing is written while it stays the same; None is any that the bot does not speak.
        """
        wanted = await self.of(user_id)
        if wanted.heard == language:
            return wanted
        return await self.change(user_id, heard=language)

    async def note_lesson(self, user_id: int, progress: LessonProgress) -> None:
        """Store how far a player has come with the lesson; once finished, it stays finished."""
        if (await self.of(user_id)).lesson not in (LessonProgress.FINISHED, progress):
            await self.change(user_id, lesson=progress)


class ServerStore(SettingsStore[ServerSettings]):
    """Stores the settings of servers, by their number."""

    kind = ServerSettings
    table = "guild_setting"
    load = staticmethod(rows.load_guild_settings)
    save = staticmethod(rows.save_guild_settings)
    forms: ClassVar[dict[str, Form]] = {
        "channels": (
            lambda text: frozenset(map(int, text.split())),
            lambda channels: " ".join(map(str, sorted(channels))),
        ),
        "variant_key": _TEXT,
        "clock": (ClockRules.parse, lambda clock: clock.key),
        "threads": _SWITCH,
        "language": _TEXT,
        "theme": _TEXT,
        "lobby_role": _NUMBER,
        FEED_KEY: _NUMBER,
        DAILY_KEY: _NUMBER,
        DAILY_HOUR_KEY: _NUMBER,
        "daily_role": _NUMBER,
    }

    async def of(self, owner_id: int | None) -> ServerSettings:
        """Return the settings of a server; the defaults for private messages."""
        return ServerSettings() if owner_id is None else await super().of(owner_id)
