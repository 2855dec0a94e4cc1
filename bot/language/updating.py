"""Catalogues written the same way every time, so that changes are seen and nothing else."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Final

from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

from bot.language.catalogues import FOLDER
from bot.language.speech import LANGUAGES

_WIDTH: Final = 100

_HEADER: Final = """\
# {name}. `bot/language/README.md` tells how to translate, and which words to use.
msgid ""
msgstr ""
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plurals}\\n"

"""


def updated(language: str, texts: Catalog, folder: Path = FOLDER) -> str:
    """Return the catalogue of a language with all `texts`, what is translated kept.

    What is new comes without a translation, what is no more is left out.

    Raises:
        PoFileError: If there is a catalogue that cannot be read.
    """
    path = folder / f"{language}.po"
    old = Catalog(locale=language)
    if path.exists():
        with path.open("rb") as source:
            old = read_po(source, locale=language, abort_invalid=True)
    old.update(texts, no_fuzzy_matching=True, update_header_comment=False)
    old.obsolete.clear()
    return _written(language, old)


def update(texts: Catalog, folder: Path = FOLDER) -> dict[str, int]:
    """Bring the catalogues of all languages up to date; return how many texts wait in each."""
    waiting = {}
    for language in LANGUAGES:
        if language == "en":
            continue
        text = updated(language, texts, folder)
        (folder / f"{language}.po").write_text(text, encoding="utf-8")
        read = read_po(io.BytesIO(text.encode()), locale=language)
        waiting[language] = sum(1 for each in read if each.id and not _is_translated(each))
    return waiting


def _is_translated(message: Message) -> bool:
    string = message.string
    return bool(string) if isinstance(string, str) else all(string or ())


def _written(language: str, catalog: Catalog) -> str:
    header = _HEADER.format(
        name=Locale.parse(language).english_name,
        language=language,
        plurals=catalog.plural_forms,
    )
    written = io.BytesIO()
    write_po(
        written,
        catalog,
        width=_WIDTH,
        omit_header=True,
        include_lineno=False,
        ignore_obsolete=True,
    )
    return header + written.getvalue().decode()
