"""What is set for servers, kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from bot.model.clock_rules import ClockRules
from bot.model.preferences import ServerSettings
from bot.services.settings_store import SettingsStore, format_switch, parse_switch
from bot.storage import preferences as rows


class ServerStore(SettingsStore[ServerSettings]):
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
