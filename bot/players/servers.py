"""What those who manage a server may set for it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import structlog

from bot.clock import Clock, system_clock
from bot.errors import InvalidClockError, InvalidPreferenceError
from bot.language import LANGUAGES, _
from bot.matches.clocks import ClockRules
from bot.players.memory import Recent
from bot.players.preferences import check_choice, format_switch, parse_switch
from bot.render import THEMES
from bot.storage import preferences as rows
from engine import InvalidRulesError, load_variant

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.storage import Database

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """What is set for a server; None leaves it to whoever plays.

    Attributes:
        channels: Where games may be played; None for everywhere.
        variant_key: The rules to play by if nobody says otherwise.
        clock: The clock of challenges if nobody says otherwise.
        threads: Whether each game between people gets a thread of its own.
        language: One of `LANGUAGES`.
        theme: The key of one of the themes of images.

    Raises:
        InvalidPreferenceError: If there is no such variant, language or theme.
    """

    channels: frozenset[int] | None = None
    variant_key: str | None = None
    clock: ClockRules | None = None
    threads: bool = False
    language: str | None = None
    theme: str | None = None

    def __post_init__(self) -> None:
        check_choice("theme", self.theme, THEMES)
        check_choice("language", self.language, LANGUAGES)
        if self.variant_key is not None:
            try:
                load_variant(self.variant_key)
            except InvalidRulesError as error:
                reason = error.sentence.told(_)
                raise InvalidPreferenceError("variant", self.variant_key, reason) from error

    def allows(self, *channel_ids: int | None) -> bool:
        """Tell whether games may be played in a channel: its own number or its parent's."""
        return self.channels is None or not self.channels.isdisjoint(channel_ids)


class ServerStore:
    """Keeps what is set for servers, and in memory what was asked about lately.

    Args:
        database: Where it is kept.
        clock: Tells when it was set.
    """

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock
        self._recent = Recent[ServerSettings]()
        self._changing = asyncio.Lock()

    async def of(self, guild_id: int | None) -> ServerSettings:
        """Return what is set for a server; nothing is for private messages."""
        if guild_id is None:
            return ServerSettings()
        known = self._recent.find(guild_id)
        if known is not None:
            return known
        found = await self._database.read(lambda c: rows.load_guild_settings(c, guild_id))
        return self._recent.keep_read(guild_id, _from_texts(found, guild_id))

    async def put(self, guild_id: int, wanted: ServerSettings) -> None:
        """Remember all that is set for a server.

        Raises:
            StorageFailedError: If it could not be stored.
        """
        now, texts = self._clock(), _to_texts(wanted)
        await self._database.write(lambda c: rows.save_guild_settings(c, guild_id, texts, now))
        self._recent.keep(guild_id, wanted)

    async def change(self, guild_id: int, **changes: object) -> ServerSettings:
        """Change some of what is set for a server and return all of it.

        Two changes at once, from two clicks, both last.

        Raises:
            InvalidPreferenceError: If there is no such choice.
            StorageFailedError: If it could not be stored.
        """
        async with self._changing:
            wanted = replace(await self.of(guild_id), **changes)  # type: ignore[arg-type]
            await self.put(guild_id, wanted)
        return wanted

    def forget(self, guild_id: int) -> None:
        """Read a server's settings anew: somebody else has changed them on the disk."""
        self._recent.drop(guild_id)


_PARSERS: dict[str, Callable[[str], object]] = {
    "channels": lambda text: frozenset(int(number) for number in text.split()),
    "variant_key": str,
    "clock": ClockRules.parse,
    "threads": parse_switch,
    "language": str,
    "theme": str,
}


def _from_texts(found: dict[str, str], guild_id: int) -> ServerSettings:
    values: dict[str, object] = {}
    for key, text in found.items():
        try:
            value = _PARSERS[key](text)
            ServerSettings(**{key: value})  # type: ignore[arg-type]  # asked for the refusal
        except (KeyError, ValueError, InvalidClockError, InvalidPreferenceError):
            log.warning("server setting left out", guild=guild_id, key=key, value=text)
        else:
            values[key] = value
    return ServerSettings(**values)  # type: ignore[arg-type]


def _to_texts(wanted: ServerSettings) -> dict[str, str | None]:
    channels = wanted.channels
    return {
        "channels": None if channels is None else " ".join(str(id_) for id_ in sorted(channels)),
        "variant_key": wanted.variant_key,
        "clock": None if wanted.clock is None else wanted.clock.key,
        "threads": format_switch(True) if wanted.threads else None,
        "language": wanted.language,
        "theme": wanted.theme,
    }
