"""The texts of each language, read from the catalogues that translators edit."""

from __future__ import annotations

import io
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from typing import Final

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

FOLDER: Final = Path(__file__).parent / "locales"


@cache
def catalogue(language: str) -> NullTranslations:
    """Return the texts of a language; English ones are those of the code."""
    path = FOLDER / f"{language}.po"
    if not path.exists():
        return NullTranslations()
    with path.open("rb") as source:
        messages = read_po(source, locale=language, abort_invalid=True)
    compiled = io.BytesIO()
    write_mo(compiled, messages)
    compiled.seek(0)
    return GNUTranslations(compiled)
