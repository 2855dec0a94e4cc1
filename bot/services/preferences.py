"""What players have asked for, kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from bot.model.preferences import NOTICES_KEY, Notices, PlayerPreferences
from bot.services.settings_store import SettingsStore, format_switch, parse_switch
from bot.storage import preferences as rows


class PreferenceStore(SettingsStore[PlayerPreferences]):
    """Keeps what players ask for, by their number."""

    kind = PlayerPreferences
    load = staticmethod(rows.load_player_settings)
    save = staticmethod(rows.save_player_settings)
    parsers: ClassVar[dict[str, Callable[[str], object]]] = {
        NOTICES_KEY: Notices,
        "theme": str,
        "language": str,
        "text_board": parse_switch,
        "marks": str,
        "heard": str,
    }

    async def hear(self, user_id: int, language: str | None) -> PlayerPreferences:
        """Note the language a player's Discord is in, and return what they ask for.

        Nothing is written as long as it stays the same; None is any that the bot does not speak.
        """
        wanted = await self.of(user_id)
        if wanted.heard == language:
            return wanted
        return await self.change(user_id, heard=language)

    def _to_texts(self, wanted: PlayerPreferences) -> dict[str, str | None]:
        is_asked_for = wanted.notices is not Notices.NONE
        return {
            NOTICES_KEY: str(wanted.notices) if is_asked_for else None,
            "theme": wanted.theme,
            "language": wanted.language,
            "text_board": format_switch(True) if wanted.text_board else None,
            "marks": wanted.marks,
            "heard": wanted.heard,
        }
