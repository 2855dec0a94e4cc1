"""All English texts of the program, for translators: those in calls and in commands."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file

from bot.extensions import EXTENSIONS
from bot.language import BUTTON

ROOT: Final = Path(__file__).parents[2]

# What marks a text, and which of its arguments it is; "c" is a context.
_Keywords = Mapping[str, tuple[int | tuple[int, str], ...] | None]
_KEYWORDS: Final[_Keywords] = {
    "_": None,
    "N_": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
}

# Modules without languages mark their sentences with these.
_SENTENCES: Final[_Keywords] = {"say": None, "say_count": (1, 2)}

_FOR_THE_TERMINAL: Final = ("engine/cli/", "engine/lab/")
"""These print in English only."""


_Found = tuple[str, str | tuple[str, ...], str | None, list[str]]


def extract() -> Catalog:
    """Return every text there is to translate, in the order of the files."""
    found = Catalog(charset="utf-8", fuzzy=False)
    # By name, as the client loads its extensions: nothing of `bot` knows `cogs`.
    translation = importlib.import_module("cogs.translation")
    commands = translation.command_texts(EXTENSIONS)
    texts: list[_Found] = [
        *_calls_in("bot", _KEYWORDS),
        *_calls_in("bot", _SENTENCES),
        *_calls_in("cogs", _KEYWORDS),
        *_calls_in("cogs", {"label": None}, BUTTON),
        *_calls_in("engine", _SENTENCES),
        *((path, text, context, []) for path, text, context in commands),
    ]
    # A stable sort: within a file they keep their order.
    for path, text, context, comments in sorted(texts, key=lambda each: each[0]):
        found.add(
            text, context=context, locations=[(path, 0)], auto_comments=tuple(comments), flags=()
        )
    return found


def _calls_in(folder: str, keywords: _Keywords, use: str | None = None) -> Iterator[_Found]:
    """Yield the texts that calls in a folder's files mark; `use` is the context of them all."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        shown = path.relative_to(ROOT).as_posix()
        if shown.startswith(_FOR_THE_TERMINAL):
            continue
        for _line, text, comments, context in extract_from_file(
            "python", path, keywords=keywords, comment_tags=("For translators:",)
        ):
            yield shown, text, context or use, comments
