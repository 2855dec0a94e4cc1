"""The catalogues that translators edit: read for their texts, and kept up to date."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from typing import Final

from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from bot.model.preferences import LANGUAGES

FOLDER: Final = Path(__file__).parent / "locales"
FOREIGN: Final = tuple(language for language in LANGUAGES if language != "en")


@cache
def catalogue(language: str) -> NullTranslations:
    """Return the texts of a language; English ones are those of the code."""
    if not path_of(language).exists():
        return NullTranslations()
    compiled = io.BytesIO()
    write_mo(compiled, load_catalogue(language))
    compiled.seek(0)
    return GNUTranslations(compiled)


def path_of(language: str) -> Path:
    """Return where the catalogue of a language lies; there is none for English."""
    return FOLDER / f"{language}.po"


def load_catalogue(language: str, folder: Path = FOLDER) -> Catalog:
    """Return the catalogue of a language as it is written.

    Raises:
        PoFileError: If it cannot be read.
    """
    with (folder / f"{language}.po").open("rb") as source:
        return read_po(source, locale=language, abort_invalid=True)


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
    """Return the catalogue of a language with all `texts`, keeping what is translated.

    New texts have no translation; texts that are gone are left out.

    Raises:
        PoFileError: If there is a catalogue that cannot be read.
    """
    catalog = Catalog(locale=language)
    if (folder / f"{language}.po").exists():
        catalog = load_catalogue(language, folder)
    catalog.update(texts, no_fuzzy_matching=True, update_header_comment=False)
    catalog.obsolete.clear()
    written = io.BytesIO()
    write_po(written, catalog, width=_WIDTH, omit_header=True, include_lineno=False)
    name = Locale.parse(language).english_name
    header = _HEADER.format(name=name, language=language, plurals=catalog.plural_forms)
    return header + written.getvalue().decode()


def update(texts: Catalog, folder: Path = FOLDER) -> dict[str, int]:
    """Write the catalogues of all languages; return how many texts of each are not translated."""
    missing = {}
    for language in FOREIGN:
        text = updated(language, texts, folder)
        (folder / f"{language}.po").write_text(text, encoding="utf-8")
        read = read_po(io.BytesIO(text.encode()), locale=language)
        missing[language] = sum(1 for each in read if each.id and not all(forms_of(each.string)))
    return missing


def forms_of(text: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the forms of a text of a catalogue, more than one if it depends on a number."""
    return (text or "",) if text is None or isinstance(text, str) else tuple(text)
