"""Commands named in texts, as Discord's mentions: each reader sees them as their client has them.

A text is written in the language that somebody has set, and calls commands by their names in
it. The reader's Discord may speak another language and know them by other names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from bot.storage import SettingStore

_KEY: Final = "command_ids"
_SUBCOMMAND: Final = 1

_english: dict[str, str] = {}  # by every name that a text may use
_ids: dict[str, int] = {}  # by English name; a process serves one application
_pattern: re.Pattern[str] | None = None


def learn(payload: Sequence[Mapping[str, Any]], ids: Mapping[str, int]) -> None:
    """Learn what the commands are called in every language, and their ids.

    Args:
        payload: The commands as they are sent to Discord.
        ids: Discord's ids of the commands by name; those left out stay plain text.
    """
    global _pattern
    _english.clear()
    _ids.clear()
    for command in payload:
        for names in _names_of(command):
            for name in names:
                _english.setdefault(name, names[0])
            if command["name"] in ids and not _subcommands(command, names[0]):
                _ids[names[0]] = ids[command["name"]]
    if not _english:
        _pattern = None
        return
    known = "|".join(re.escape(name) for name in sorted(_english, key=len, reverse=True))
    _pattern = re.compile(
        rf"`/(?P<quoted>{known})(?: (?P<rest>[^`]+))?`|(?<![\w/<.:`])/(?P<bare>{known})(?![\w-])"
    )


def mentioned(text: str) -> str:
    """Return `text` with the commands it names as mentions, or in English without an id."""
    return text if _pattern is None else _pattern.sub(_mention, text)


async def load_ids(store: SettingStore, application_id: int | None) -> dict[str, int]:
    """Return the ids that were stored for an application, by name; none if there are none."""
    stored = await store.find(f"{_KEY}:{application_id}")
    return {} if stored is None else json.loads(stored)


async def store_ids(
    store: SettingStore, application_id: int | None, commands: Sequence[Mapping[str, Any]]
) -> dict[str, int]:
    """Store the ids of `commands`, as Discord describes them, and return them by name."""
    ids = {str(each["name"]): int(each["id"]) for each in commands}
    await store.put(f"{_KEY}:{application_id}", json.dumps(ids))
    return ids


def _mention(found: re.Match[str]) -> str:
    name = _english[found["quoted"] or found["bare"]]
    rest = found["rest"]
    if name in _ids:
        return f"</{name}:{_ids[name]}>" + (f" `{rest}`" if rest else "")
    return f"/{name}" if found["bare"] else f"`/{name}{f' {rest}' if rest else ''}`"


def _names_of(command: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield the names of a command, and of each of its subcommands, the English one first."""
    own = _translations(command)
    yield tuple(own.values())
    for option in command.get("options") or []:
        if option["type"] == _SUBCOMMAND:
            inner = _translations(option)
            yield tuple(
                f"{own.get(language, own[''])} {inner.get(language, inner[''])}"
                for language in own | inner
            )


def _translations(part: Mapping[str, Any]) -> dict[str, str]:
    """Return what something is called by language, the English name under ""."""
    return {"": part["name"], **(part.get("name_localizations") or {})}


def _subcommands(command: Mapping[str, Any], name: str) -> bool:
    """Tell whether `name` stands for subcommands only, and cannot be used by itself."""
    return name == command["name"] and any(
        option["type"] == _SUBCOMMAND for option in command.get("options") or []
    )
