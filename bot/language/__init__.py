"""Speaking the reader's language: mark a text with `_`, say who is spoken to with `speaking`."""

from bot.language.speech import (
    LANGUAGES,
    N_,
    _,
    current_language,
    label,
    ngettext,
    number,
    percent,
    pgettext,
    speaking,
    told,
)

__all__ = [
    "LANGUAGES",
    "N_",
    "_",
    "current_language",
    "label",
    "ngettext",
    "number",
    "percent",
    "pgettext",
    "speaking",
    "told",
]
