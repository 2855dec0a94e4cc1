"""What is wrong with a catalogue: texts missing, malformed, or longer than Discord takes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from string import Formatter
from typing import Final

from babel.messages.catalog import Catalog, Message
from babel.messages.plurals import get_plural

from bot.language import BUTTON
from bot.language.catalogues import forms_of

COMMAND: Final = "command"
MENU: Final = "menu"
OPTION: Final = "option"
DESCRIPTION: Final = "description"
CHOICE: Final = "choice"

LONGEST: Final = {COMMAND: 32, MENU: 32, OPTION: 32, DESCRIPTION: 100, CHOICE: 100, BUTTON: 80}
"""The most characters that Discord allows for each."""

_NAME: Final = re.compile(r"[-'\w]{1,32}")
_SLASH: Final = re.compile(r"(?<![\w/<.])/([a-z][a-z-]+)")
_ENDS: Final = ".:?!"


def mistakes_in(catalog: Catalog, texts: Catalog) -> list[str]:
    """Return what is wrong with the catalogue of a language, a line each.

    `texts` are all English texts, as `extract` finds them.
    """
    found = [f"obsolete: {_shown(message)}" for message in catalog.obsolete.values()]
    known = {(message.context, message.id) for message in texts if message.id}
    present = {(message.context, message.id) for message in catalog if message.id}
    found += [f"not in the catalogue: {text!r}" for _, text in sorted(known - present, key=str)]
    found += [f"not in the program: {text!r}" for _, text in sorted(present - known, key=str)]
    names = command_names(catalog)
    # As Babel knows them: what a catalogue says about itself may be wrong.
    plurals = get_plural(catalog.locale).num_plurals
    for message in catalog:
        if message.id:
            found += [
                f"{what}: {_shown(message)}" for what in _mistakes_of(message, plurals, names)
            ]
    return found


def command_names(catalog: Catalog) -> dict[str, str]:
    """Return the names of the commands in the language of a catalogue."""
    return {
        str(message.id): str(message.string)
        for message in catalog
        if message.id and message.context == COMMAND
    }


def fields_of(text: str) -> Counter[str]:
    """Return the placeholders of a text, as they are written.

    Raises:
        ValueError: If its braces do not match.

    Examples:
        >>> sorted(fields_of("{name} wins with {count:,}"))
        ['{count!:,}', '{name!:}']
    """
    return Counter(
        f"{{{name}!{conversion or ''}:{spec or ''}}}"
        for _, name, spec, conversion in Formatter().parse(text)
        if name is not None
    )


def _mistakes_of(message: Message, plurals: int, names: dict[str, str]) -> Iterator[str]:
    english = forms_of(message.id)
    forms = forms_of(message.string)
    if message.fuzzy:
        yield "fuzzy"
    if not all(forms):
        yield "not translated"
        return
    if len(english) > 1 and len(forms) != plurals:
        yield f"{len(forms)} plural forms, not {plurals}"
        return
    for number, form in enumerate(forms):
        # Languages with many forms use the first for 21 as well, so it says the number too.
        singular = len(english) > 1 and number == 0 and plurals == 2
        yield from _mistakes_in_form(form, english[0 if singular else -1], names)
    yield from _limits(message.context, forms[0])


def _mistakes_in_form(form: str, english: str, names: dict[str, str]) -> Iterator[str]:
    try:
        if fields_of(form) != fields_of(english):
            yield f"{form!r} has other braces"
    except ValueError:
        if _is_sentence_with_fields(english):
            yield f"{form!r} has braces that do not match"
    for sign in ("`", "**", "\n"):
        if form.count(sign) != english.count(sign):
            yield f"{form!r} has other signs {sign!r}"
    if _margins(form) != _margins(english):
        yield f"{form!r} begins or ends otherwise"
    wanted = Counter(names[word] for word in _SLASH.findall(english) if word in names)
    said = Counter(word for word in re.findall(r"(?<![\w/<.])/([\w-]+)", form))
    if any(said[word] < count for word, count in wanted.items()):
        yield f"{form!r} calls a command by another name than {', '.join(wanted)}"


def _is_sentence_with_fields(english: str) -> bool:
    try:
        return bool(fields_of(english))
    except ValueError:
        return False


def _margins(text: str) -> tuple[str, ...]:
    """Return what has to stand at the edges of a text in every language."""
    head = re.match(r"[\s#-]*", text)
    assert head is not None, "it may be empty"
    bare = text.rstrip("*`_) ")
    return head[0], text[len(text.rstrip()) :], bare[-1:] if bare[-1:] in _ENDS else ""


def _limits(context: str | None, form: str) -> Iterator[str]:
    longest = LONGEST.get(context or "")
    if longest is not None and len(form) > longest:
        yield f"{form!r} has {len(form)} characters, at most {longest} fit"
    if context in (COMMAND, OPTION) and not is_name(form):
        yield f"{form!r} is no name for Discord"
    if context == DESCRIPTION and not form.strip():
        yield "no description"


def _shown(message: Message) -> str:
    text = forms_of(message.id)[0]
    return repr(text if message.context is None else f"{text} ({message.context})")


def is_name(text: str) -> bool:
    """Return whether Discord takes `text` as the name of a command or of an option.

    Examples:
        >>> is_name("spielen"), is_name("Spielen"), is_name("zwei worte"), is_name("доска")
        (True, False, False, True)
    """
    return _NAME.fullmatch(text) is not None and text == text.lower()
