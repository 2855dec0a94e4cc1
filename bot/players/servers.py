"""What those who manage a server may set for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from bot.errors import InvalidPreferenceError
from bot.language import LANGUAGES
from bot.matches.clocks import ClockRules
from bot.players.preferences import check_choice
from bot.players.wishes import WishStore, format_switch, parse_switch
from bot.render import THEMES
from bot.storage import preferences as rows
from engine import InvalidRulesError, load_variant


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
                reason = error.sentence
                raise InvalidPreferenceError("variant", self.variant_key, reason) from error

    def allows(self, *channel_ids: int | None) -> bool:
        """Tell whether games may be played in a channel: its own number or its parent's."""
        return self.channels is None or not self.channels.isdisjoint(channel_ids)


class ServerStore(WishStore[ServerSettings]):
    """Keeps what is set for servers, by their number."""

    kind = ServerSettings
    load = staticmethod(rows.load_guild_settings)
    save = staticmethod(rows.save_guild_settings)
    parsers: ClassVar[dict[str, Callable[[str], object]]] = {
        "channels": lambda text: frozenset(int(number) for number in text.split()),
        "variant_key": str,
        "clock": ClockRules.parse,
        "threads": parse_switch,
        "language": str,
        "theme": str,
    }

    async def of(self, owner_id: int | None) -> ServerSettings:
        """Return what is set for a server; nothing is for private messages."""
        return ServerSettings() if owner_id is None else await super().of(owner_id)

    def _to_texts(self, wanted: ServerSettings) -> dict[str, str | None]:
        channels = None if wanted.channels is None else sorted(wanted.channels)
        return {
            "channels": None if channels is None else " ".join(str(id_) for id_ in channels),
            "variant_key": wanted.variant_key,
            "clock": None if wanted.clock is None else wanted.clock.key,
            "threads": format_switch(True) if wanted.threads else None,
            "language": wanted.language,
            "theme": wanted.theme,
        }
