"""Texts are in one language at a time, wherever they are used."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import Connection

from bot.language import _, current_language, label, ngettext, number, percent, speaking, told
from bot.model.clocks import ClockRules
from bot.model.errors import StorageFailedError
from bot.storage import open_storage
from engine import EngineError, Position, Rules


def test_english_is_what_the_code_says():
    assert current_language() == "en"
    assert _("A draw") == "A draw"
    assert ngettext("{count} move", "{count} moves", 2) == "{count} moves"


@pytest.mark.parametrize("language", ["en", "de", "ru"])
def test_nothing_is_nothing_in_every_language(language: str):
    """The empty text stands for a catalogue's own description, which nobody should read."""
    with speaking(language):
        assert _("") == ""


def test_a_language_is_spoken_inside_only():
    with speaking("de"):
        with speaking("ru"):
            assert _("A draw") == "Ничья"
        with speaking(None):
            assert _("A draw") == "Remis"
    assert _("A draw") == "A draw"


def test_a_text_nobody_has_translated_is_said_in_english():
    with speaking("ru"):
        assert _("Nobody has ever said this") == "Nobody has ever said this"
        assert label("Nobody presses this") == "Nobody presses this"


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (1, "1 ход"),
        (2, "2 хода"),
        (5, "5 ходов"),
        (11, "11 ходов"),
        (21, "21 ход"),
        (22, "22 хода"),
    ],
)
def test_russian_counts_in_three_ways(count: int, words: str):
    with speaking("ru"):
        assert ngettext("{count} move", "{count} moves", count).format(count=count) == words


def test_numbers_are_written_as_the_language_does():
    assert (percent(0.634), number(1234.5)) == ("63%", "1,234.5")
    with speaking("de"):
        assert (percent(0.634), number(1234.5)) == ("63\xa0%", "1.234,5")


def test_clocks_speak():
    clock = ClockRules.parse("5+3")
    with speaking("ru"):
        assert told(clock.words) == "5 минут + 3 секунды на ход"
    with speaking("de"):
        assert told(ClockRules.parse("36h").words) == "1 Tag 12 Stunden je Zug"


def test_what_the_engine_refuses_is_told_in_any_language():
    start = Position.initial(Rules()).after(40)
    with pytest.raises(EngineError) as refused:
        start.after(0)
    assert str(refused.value) == "You were sent to board 5: play there."
    with speaking("de"):
        assert refused.value.sentence.told(_) == "Du wurdest in Brett 5 geschickt: Spiel dort."


def test_sentences_inside_sentences_are_told_too():
    with pytest.raises(EngineError) as refused:
        Rules.parse("map=99,depth=3,sending=map")
    with speaking("ru"):
        told = refused.value.sentence.told(_)
    assert told == "map может быть две цифры от 1 до 8, а не '99'"  # noqa: RUF001


async def test_threads_speak_their_callers_language():
    """Pictures are drawn in threads. The database speaks none: an import contract forbids it."""
    with speaking("ru"):
        russian = await asyncio.to_thread(_, "A draw")
    with speaking("de"):
        german = await asyncio.to_thread(_, "A draw")
    assert (russian, german) == ("Ничья", "Remis")


async def test_what_could_not_be_stored_is_told_in_the_readers_language(tmp_path: Path):
    def fail(connection: Connection) -> None:
        connection.exec_driver_sql("INSERT INTO there_is_no_such_table VALUES (1)")

    async with open_storage(f"sqlite+aiosqlite:///{tmp_path / 'm.sqlite3'}") as storage:
        [error] = await asyncio.gather(storage.write(fail), return_exceptions=True)
    assert isinstance(error, StorageFailedError)
    assert str(error).startswith("That could not be saved")
    with speaking("ru"):
        assert told(error.sentence).startswith("Это не удалось сохранить")


async def test_two_who_are_answered_at_once_hear_their_own_language():
    async def answer(language: str) -> str:
        with speaking(language):
            await asyncio.sleep(0)
            return _("A draw")

    heard = await asyncio.gather(*map(answer, ("de", "ru", "en")))

    assert heard == ["Remis", "Ничья", "A draw"]
