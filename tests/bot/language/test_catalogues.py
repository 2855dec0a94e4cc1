"""The catalogues are complete, and their checks find every kind of mistake."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from bot.language.catalogues import FOLDER, FOREIGN, load_catalogue, path_of, update, updated
from bot.language.checking import command_names, mistakes_in
from bot.language.extraction import extract


@pytest.fixture(scope="module")
def texts() -> Catalog:
    return extract()


@pytest.mark.parametrize("language", FOREIGN)
def test_a_language_is_whole(texts: Catalog, language: str):
    assert mistakes_in(load_catalogue(language), texts) == []


@pytest.mark.parametrize("language", FOREIGN)
def test_a_catalogue_is_up_to_date_to_the_letter(texts: Catalog, language: str):
    """`make language` would change nothing."""
    assert updated(language, texts) == path_of(language).read_text(encoding="utf-8")


def test_there_is_a_catalogue_for_each_language_and_no_other_file():
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(f"{key}.po" for key in FOREIGN)


def test_texts_of_every_kind_are_found(texts: Catalog):
    found = {(each.context, each.id) for each in texts}
    assert (None, "It is not your turn: this game waits for {name}.") in found  # bot
    assert (None, "### {x} ({x_mark}) against {o} ({o_mark})") in found  # cogs
    assert (None, "Cell {cell} is taken by {mark}.") in found  # engine
    assert (None, ("{count} move", "{count} moves")) in found
    assert (None, "Won-Board Play") in found  # data of the engine
    assert (None, "Your cell decides your opponent's board; three boards in a row win.") in found
    assert ("button", "Swap: take {mark}") in found
    assert ("command", "play") in found
    assert ("option", "level") in found
    assert ("description", "Start a game against the computer.") in found
    assert ("choice", "The computer (X)") in found


@pytest.mark.parametrize("language", FOREIGN)
def test_commands_have_a_name_each(language: str):
    names = command_names(load_catalogue(language))
    assert len(set(names.values())) == len(names)
    assert names["play"] != "play"


WHOLE = r"""
msgid ""
msgstr ""
"Language: de\n"
"Content-Type: text/plain; charset=utf-8\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"

msgctxt "command"
msgid "play"
msgstr "spielen"

msgctxt "description"
msgid "Start."
msgstr "Los."

msgctxt "button"
msgid "Resign"
msgstr "Aufgeben"

msgid "**{name}** wins, use /play."
msgstr "**{name}** gewinnt, nimm /spielen."

msgid "one move"
msgid_plural "{count} moves"
msgstr[0] "ein Zug"
msgstr[1] "{count} Züge"
"""


def read(text: str) -> Catalog:
    return read_po(io.BytesIO(text.encode()), locale="de")


def test_a_whole_catalogue_has_no_mistakes():
    assert mistakes_in(read(WHOLE), read(WHOLE)) == []


@pytest.mark.parametrize(
    ("before", "after", "mistake"),
    [
        ('msgstr "Aufgeben"', 'msgstr ""', "not translated"),
        ('msgstr[1] "{count} Züge"', 'msgstr[1] ""', "not translated"),
        ('msgctxt "button"', '#, fuzzy\nmsgctxt "button"', "fuzzy"),
        ("**{name}** gewinnt", "**{nmae}** gewinnt", "other braces"),
        ("**{name}** gewinnt", "**{name}** {name} gewinnt", "other braces"),
        ("**{name}** gewinnt", "**{name** gewinnt", "do not match"),
        ("**{name}** gewinnt", "**{name!r}** gewinnt", "other braces"),
        ("**{name}** gewinnt", "*{name}* gewinnt", "other signs"),
        ('"{count} Züge"', '"viele Züge"', "other braces"),
        ("nimm /spielen.", "nimm /play.", "another name"),
        ("nimm /spielen.", "nimm /spielen", "begins or ends otherwise"),
        ('msgstr "Los."', 'msgstr "\\nLos."', "begins or ends otherwise"),
        ('msgstr "spielen"', 'msgstr "Spielen"', "no name for Discord"),
        ('msgstr "spielen"', 'msgstr "zwei worte"', "no name for Discord"),
        ('msgstr "spielen"', f'msgstr "{"s" * 33}"', "at most 32"),
        ('msgstr "Los."', f'msgstr "{"s" * 100}."', "at most 100"),
        ('msgstr "Aufgeben"', f'msgstr "{"s" * 81}"', "at most 80"),
        ('msgid "Resign"', 'msgid "Resin"', "not in the catalogue: 'Resign'"),
        ('msgid "Resign"', 'msgid "Resin"', "not in the program: 'Resin'"),
        (
            'msgctxt "button"\nmsgid "Resign"\nmsgstr "Aufgeben"',
            '#~ msgid "Gone"\n#~ msgstr "Weg"\n\nmsgctxt "button"\nmsgid "Resign"\nmsgstr "A"',
            "obsolete: 'Gone'",
        ),
    ],
)
def test_each_kind_of_mistake_is_seen(before: str, after: str, mistake: str):
    assert before in WHOLE
    found = mistakes_in(read(WHOLE.replace(before, after)), read(WHOLE))
    assert any(mistake in each for each in found), found


def test_a_catalogue_needs_as_many_plural_forms_as_its_language_has():
    russian = read_po(io.BytesIO(WHOLE.replace("Language: de", "Language: ru").encode()), "ru")
    found = mistakes_in(russian, read(WHOLE))
    assert any("2 plural forms, not 3" in each for each in found), found


def test_an_update_keeps_what_is_translated_and_drops_what_is_gone(tmp_path: Path):
    texts = Catalog()
    texts.add("Stays", locations=[("a.py", 0)])
    texts.add("New", locations=[("a.py", 0)])
    for language in FOREIGN:
        (tmp_path / f"{language}.po").write_text(
            'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'
            'msgid "Stays"\nmsgstr "Bleibt"\n\nmsgid "Goes"\nmsgstr "Geht"\n',
            encoding="utf-8",
        )
    assert update(texts, tmp_path) == dict.fromkeys(FOREIGN, 1)
    written = (tmp_path / "de.po").read_text(encoding="utf-8")
    assert 'msgid "Stays"\nmsgstr "Bleibt"' in written
    assert 'msgid "New"\nmsgstr ""' in written
    assert "Goes" not in written
    assert updated("de", texts, tmp_path) == written
