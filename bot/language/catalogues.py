"""The texts of each language, read from the catalogues that translators edit."""

from __future__ import annotations

import io
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

FOLDER: Final = Path(__file__).parent / "locales"


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
    """Return where the catalogue of a language lies; there is none of English."""
    return FOLDER / f"{language}.po"


def load_catalogue(language: str, folder: Path = FOLDER) -> Catalog:
    """Return the catalogue of a language as it is written.

    Raises:
        PoFileError: If it is none.
    """
    with (folder / f"{language}.po").open("rb") as source:
        return read_po(source, locale=language, abort_invalid=True)
