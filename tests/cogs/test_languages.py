"""People are answered in the language of their Discord, and find commands under its names."""

from __future__ import annotations

import dataclasses
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.language import LANGUAGES, learn_commands
from bot.language.catalogues import catalogue
from bot.language.checking import is_name
from bot.model.actions import Resign
from bot.model.preferences import PlayerPreferences
from cogs.audience import presentation_of
from cogs.translation import LOCALES
from deploy.sandbox import Sandbox
from tests.cogs.table import JSON, Board, Table, commands_named, running_bot, settings_for
from tests.cogs.test_challenge import begun, challenged

FOREIGN = [language for language in LANGUAGES if language != "en"]

LONGEST_TEXT = 4000
"""Discord's limit for all texts of a message, in characters."""


def synced(table: Table) -> list[JSON]:
    """Return the commands as Discord has them."""
    return list(table.sandbox.world.commands[None].values())


def parts(command: JSON) -> Iterator[tuple[str, JSON]]:
    """Yield a command with all its groups, options and choices; each with its kind."""
    kind = "option" if command.get("type") not in (None, 1, 2) else "command"
    yield kind, command
    for option in command.get("options") or []:
        yield from parts(option) if option["type"] in (1, 2) else option_parts(option)


def option_parts(option: JSON) -> Iterator[tuple[str, JSON]]:
    yield "option", option
    for choice in option.get("choices") or []:
        yield "choice", choice


def test_each_language_has_its_locales():
    assert set(LOCALES.values()) == set(FOREIGN)


@pytest.mark.parametrize("language", FOREIGN)
async def test_discord_gets_the_commands_in_every_language(table: Table, language: str):
    commands = [each for each in synced(table) if each.get("type", 1) == 1]
    texts = catalogue(language)
    found = [part for command in commands for part in parts(command)]
    assert len(found) > 60
    for kind, part in found:
        # A name that is the same in both languages is not localised.
        name = (part.get("name_localizations") or {}).get(language, part["name"])
        assert name == texts.pgettext(kind, part["name"]), part
        if kind == "choice":
            assert len(name) <= 100
            continue
        assert is_name(name), part
        described = part["description_localizations"]
        assert 0 < len(described[language]) <= 100, part


@pytest.mark.parametrize("language", FOREIGN)
async def test_no_two_have_the_same_name(table: Table, language: str):
    def check(siblings: list[JSON]) -> None:
        names = [
            (each["name_localizations"] or {}).get(language, each["name"]) for each in siblings
        ]
        assert len(set(names)) == len(names)
        for each in siblings:
            check(each.get("options") or [])

    check([each for each in synced(table) if each.get("type", 1) == 1])


def speaks(table: Table, user: int, locale: str) -> None:
    table.sandbox.people.set_person(user, locale=locale)


def text_of(message: JSON) -> str:
    return "\n".join(_texts(message["components"]))


def _texts(components: list[JSON]) -> Iterator[str]:
    for part in components:
        if part["type"] == 10:
            yield part["content"]
        yield from _texts(part.get("components", []))


@pytest.mark.parametrize(
    ("locale", "command", "words", "buttons"),
    [
        ("de", "- `/play`: Beginnt eine Partie", "bestimmt, in welchem Brett", "**Anderes Brett**"),
        ("ru", "- `/play`: Начать партию", "определяет, на какой доске", "**Другая доска**"),
        ("en-GB", "- `/play`: Start a game", "decides which board", "**Other board**"),
        ("fr", "- `/play`: Start a game", "decides which board", "**Other board**"),
    ],
)
async def test_help_is_in_the_readers_language(
    table: Table, locale: str, command: str, words: str, buttons: str
):
    speaks(table, table.ann, locale)
    await table.command("help")
    said = text_of(table.seen()[-1])
    for wanted in (command, words, buttons):
        assert wanted in commands_named(said)
    assert len(said) <= LONGEST_TEXT


@pytest.mark.parametrize(
    ("locale", "menus"),
    [
        ("de", {"Challenge": "Herausfordern", "Profile": "Profil"}),
        ("ru", {"Challenge": "Вызвать на игру", "Profile": "Профиль"}),
    ],
)
async def test_the_menus_of_a_person_are_in_the_readers_language(
    table: Table, locale: str, menus: dict[str, str]
):
    """On Discord and in the help, which names them."""
    there = [each for each in synced(table) if each.get("type") == 2]
    assert {each["name"]: each["name_localizations"][locale] for each in there} == menus

    speaks(table, table.ann, locale)
    await table.command("help")
    names = " · ".join(f"**{name}**" for name in menus.values())
    assert names in text_of(table.seen()[-1])


@pytest.mark.parametrize("locale", FOREIGN)
@pytest.mark.parametrize("variant", ["standard", "random-four", "sttt-tactical", "goal=five"])
async def test_rules_of_any_variant_fit(table: Table, locale: str, variant: str):
    speaks(table, table.ann, locale)
    await table.command("rules", variant=variant)
    message = table.seen()[-1]
    assert len(text_of(message)) <= LONGEST_TEXT
    head = {"de": "**Das Feld, das du spielst, bestimmt", "ru": "**Клетка, в которую вы"}
    assert head[locale] in text_of(message)
    assert "cell" not in str(message["components"])


@pytest.mark.parametrize("locale", FOREIGN)
async def test_the_list_of_variants_fits(table: Table, locale: str):
    speaks(table, table.ann, locale)
    await table.command("variants")
    said = text_of(table.seen()[-1])
    assert len(said) <= LONGEST_TEXT
    assert {"de": "**Offenes Brett**", "ru": "**Открытая доска**"}[locale] in said


@pytest.mark.parametrize(
    ("locale", "headline", "alt", "resign", "footer"),
    [
        ("de", "(X) gegen Computer, Stufe 1 (O)", "X am Zug", "Aufgeben", "Standard · 4 Züge"),
        ("ru", "(X) – Компьютер, ур. 1 (O)", "Ходит X", "Сдаться", "Стандарт · 4 хода"),
    ],
)
async def test_a_board_is_in_its_players_language(
    table: Table, locale: str, headline: str, alt: str, resign: str, footer: str
):
    speaks(table, table.ann, locale)
    board = await table.start()
    assert headline in board.text
    assert alt in board.alt
    assert resign in board.buttons
    after = await table.play(await table.play(board))
    assert footer in after.text


async def test_a_stranger_is_refused_in_their_own_language(table: Table):
    speaks(table, table.ann, "de")
    speaks(table, table.ben, "ru")
    board = await table.start()
    custom_id = board.starting("board")[0]
    await table.press(board, custom_id, user=table.ben)
    told = table.whispers(table.ben)[-1]
    assert told.startswith("Эту партию играют ")
    assert " и Компьютер, ур. 1: " in told


async def test_a_language_is_noted_where_a_click_comes_in_and_not_by_what_is_drawn(table: Table):
    speaks(table, table.ann, "de")
    await table.command("help")
    assert (await table.bot.preferences.of(table.ann)).heard == "de"

    await table.start()
    (match,) = await table.bot.matches.ongoing_of(table.ann)
    click: Any = SimpleNamespace(user=SimpleNamespace(id=table.ann), locale="ru", guild_id=None)
    assert (await presentation_of(table.bot, match, click)).language == "de"
    assert (await table.bot.preferences.of(table.ann)).heard == "de"


@pytest.mark.parametrize(
    ("locale", "words"),
    [
        ("de", "Ein Zug sind zwei Ziffern von 1 bis 9, zum Beispiel 55, nicht 'xx'"),
        ("ru", "Ход — это две цифры от 1 до 9, например 55, а не 'xx'"),
    ],
)
async def test_the_engines_refusals_are_told_in_the_players_language(
    table: Table, locale: str, words: str
):
    speaks(table, table.ann, locale)
    await table.start()
    await table.command("move", cell="xx")
    assert table.whispers(table.ann)[-1] == words


@pytest.mark.parametrize(
    ("locale", "words"),
    [
        ("de", "Dich selbst kannst du nicht blockieren."),
        ("ru", "Заблокировать самого себя нельзя."),
    ],
)
async def test_what_a_service_refuses_is_told_in_the_players_language(
    table: Table, locale: str, words: str
):
    speaks(table, table.ann, locale)
    await table.command("block", player=table.ann)
    assert words in _said(table)


def _said(table: Table) -> str:
    return "\n".join(str(each["content"]) + text_of(each) for each in table.seen())


@pytest.mark.parametrize(
    ("locale", "typed", "name"),
    [("de", "offenes", "Offenes Brett: "), ("ru", "открытая", "Открытая доска: ")],
)
async def test_variants_are_completed_by_the_names_people_know(
    table: Table, locale: str, typed: str, name: str
):
    speaks(table, table.ann, locale)
    offered = await table.sandbox.people.autocomplete(
        table.ann, table.channel, "play", {"variant": typed}, focused="variant"
    )
    assert [each["value"] for each in offered] == ["open-board"]
    assert offered[0]["name"].startswith(name)


@pytest.mark.parametrize("language", ["de", "ru"])
async def test_commands_are_named_so_that_every_reader_can_use_them(table: Table, language: str):
    """The setting is German or Russian, but the client is English: it knows no /spielen."""
    commands = {each["name"]: each for each in table.sandbox.world.commands[None].values()}
    wanted = dataclasses.replace(PlayerPreferences(), language=language)
    await table.bot.preferences.put(table.ann, wanted)

    board = await table.start()
    await table.command("hint", game=99)
    await table.command("vacation show")

    assert f"</rules:{commands['rules']['id']}>" in board.text.splitlines()[-1]
    assert f"</vacation start:{commands['vacation']['id']}>" in table.whispers(table.ann)[-1]
    foreign = {
        name for each in commands.values() for name in each["name_localizations"].values()
    } - set(commands)
    for message in table.seen():
        said = text_of(message) + message["content"]
        assert not [name for name in foreign if f"/{name}" in said]


GERMAN = re.compile(r"\b(der|die|das|und|ist|von|mit|für|gegen|sucht|Partien?|Brett|Zug|Züge)\b")


def words_of(message: JSON) -> str:
    """Return all that a message says: texts, labels, what screen readers hear."""
    return re.sub(r"'(url|custom_id|id)': '[^']*'", "", str(message["components"]))


async def test_what_a_server_sees_is_not_in_the_language_of_the_one_who_asks(table: Table):
    """Ann is German, the server is English; what she is told in private is German."""
    speaks(table, table.ann, "de")
    offer = await challenged(table)
    await table.press(offer, offer.buttons["Withdraw"])
    declined = await challenged(table, player=str(table.ben))
    await table.press(declined, declined.buttons["Withdraw"])
    board, match = await begun(table, colour=0)
    board = await table.play(board)
    await table.bot.matches.perform(match.id, Resign(), user_id=table.ben)
    await table.quiet()
    over = table.again(board)
    assert "against" in over.text
    await table.press(over, over.buttons["Rematch"])
    for command in ("leaderboard", "profile", "review", "replay"):
        await table.command(command)
        assert not table.seen()[-1]["flags"] & 64
    await table.command("profile", against=table.ben)
    await table.menu("Profile", of=table.ben)
    await table.command("game", number=match.id)
    shared = Board(table.seen()[-1])
    await table.press(shared, shared.starting("share")[0])
    shown = table.seen()
    public = [each for each in shown if not each["flags"] & 64]
    assert len(public) >= 11
    assert [found for each in public if (found := GERMAN.search(words_of(each)))] == []

    for command in ("rules", "help", "lobby", "history", "server"):
        await table.command(command)
        message = table.seen()[-1]
        assert message["flags"] & 64, command
        assert GERMAN.search(words_of(message)), command


async def test_a_challenge_speaks_to_whom_it_is_for(table: Table):
    speaks(table, table.ann, "de")
    speaks(table, table.ben, "ru")
    await table.command("help", user=table.ben)

    assert "вызывает" in (await challenged(table, player=str(table.ben))).text
    guild_id = table.sandbox.world.channel(table.channel).guild_id or 0
    await table.bot.servers.change(guild_id, language="de")
    assert "fordert" in (await challenged(table, player=str(table.ben))).text


async def test_mentions_survive_a_restart_and_are_asked_for_once(sandbox: Sandbox, tmp_path: Path):
    settings = settings_for(sandbox, tmp_path)
    asked = "GET /applications/*/commands"

    async def footer() -> str:
        async with running_bot(settings) as bot:
            return (await Table(sandbox, bot).start()).text.splitlines()[-1]

    first = await footer()
    assert "</rules:" in first
    learn_commands([], {})
    assert await footer() == first.replace("Game 1", "Game 2")
    assert len(sandbox.requests.matching("PUT /applications/*/commands")) == 1
    assert sandbox.requests.matching(asked) == []

    with closing(sqlite3.connect(tmp_path / "matches.sqlite3")) as file, file:
        file.execute("DELETE FROM setting WHERE key LIKE 'command_ids:%'")
    for number in (3, 4):
        learn_commands([], {})
        assert await footer() == first.replace("Game 1", f"Game {number}")
    assert len(sandbox.requests.matching(asked)) == 1


async def test_without_ids_commands_have_their_english_names(sandbox: Sandbox, tmp_path: Path):
    settings = settings_for(sandbox, tmp_path)
    async with running_bot(settings):
        pass
    with closing(sqlite3.connect(tmp_path / "matches.sqlite3")) as file, file:
        file.execute("DELETE FROM setting WHERE key LIKE 'command_ids:%'")
    sandbox.faults.fail("GET /applications/*/commands", status=403)
    learn_commands([], {})

    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        wanted = dataclasses.replace(PlayerPreferences(), language="de")
        await bot.preferences.put(table.ann, wanted)
        board = await table.start()

    assert "`/rules`" in board.text.splitlines()[-1]


async def test_no_name_of_a_command_is_that_of_another_in_some_language(table: Table):
    """Otherwise a text would lead to the wrong one."""
    meant: dict[str, set[str]] = {}
    for command in synced(table):
        for name in (command["name"], *(command["name_localizations"] or {}).values()):
            meant.setdefault(name, set()).add(command["name"])

    assert [found for found in meant.values() if len(found) > 1] == []
