"""What players and servers ask for, kept over restarts and over versions."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from bot.model.clocks import DEFAULT_CORRESPONDENCE, ClockRules
from bot.model.errors import InvalidPreferenceError
from bot.model.preferences import LessonProgress, Notices, PlayerPreferences, ServerSettings
from bot.services.preferences import PreferenceStore, ServerStore
from bot.storage import open_storage

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.storage import Database

ANNA_ID, GUILD_ID = 100_000_000_000_000_001, 200_000_000_000_000_001


async def test_who_has_chosen_nothing_has_the_defaults(database: Database) -> None:
    wanted = await PreferenceStore(database).of(ANNA_ID)

    assert wanted == PlayerPreferences()
    assert wanted.notices is Notices.AUTO


async def test_what_a_player_asks_for_is_kept(database_url: str) -> None:
    wanted = PlayerPreferences(
        notices=Notices.DM,
        theme="high-contrast",
        language="ru",
        text_board=True,
        marks="bold",
        lesson=LessonProgress.SKIPPED,
    )
    async with open_storage(database_url) as database:
        await PreferenceStore(database).put(ANNA_ID, wanted)
    async with open_storage(database_url) as database:
        store = PreferenceStore(database)
        assert await store.of(ANNA_ID) == wanted
        assert await store.of(ANNA_ID + 1) == PlayerPreferences()

        changed = replace(wanted, notices=Notices.CHANNEL, theme=None, text_board=False)
        await store.put(ANNA_ID, changed)

        assert await store.of(ANNA_ID) == changed
        count = await database.read(
            lambda c: c.execute(text("SELECT count(*) FROM player_setting")).scalar()
        )
        assert count == 4  # default values take no row


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"theme": "pink"}, "There is no theme 'pink'. Choose one of dark, light"),
        ({"language": "tlh"}, "There is no language 'tlh'. Choose one of en, de, ru."),
        ({"marks": "hearts"}, "There are no marks 'hearts'. Choose one of classic"),
    ],
)
def test_what_does_not_exist_is_refused_in_words(wanted: dict[str, str], sentence: str) -> None:
    with pytest.raises(InvalidPreferenceError) as told:
        PlayerPreferences(**wanted)  # type: ignore[arg-type]

    assert str(told.value).startswith(sentence)


async def test_what_another_version_has_stored_does_no_harm(database: Database) -> None:
    await PreferenceStore(database).put(ANNA_ID, PlayerPreferences(theme="light"))
    await ServerStore(database).put(GUILD_ID, ServerSettings(theme="light"))
    for table, owner in (("player_setting", ANNA_ID), ("guild_setting", GUILD_ID)):
        for key, value in (
            ("notices", "pigeon"),
            ("text_board", "maybe"),
            ("threads", "maybe"),
            ("language", "tlh"),
            ("clock", "sundial"),
            ("channels", "everywhere"),
            ("variant_key", "chess"),
            ("hat", "red"),
        ):
            await database.write(
                lambda c, t=table, o=owner, k=key, v=value: c.execute(  # type: ignore[misc]
                    text(f"INSERT INTO {t} VALUES (:o, :k, :v, 0)"), {"o": o, "k": k, "v": v}
                )
            )

    with capture_logs() as lines:
        wanted = await PreferenceStore(database).of(ANNA_ID)
        set_for_server = await ServerStore(database).of(GUILD_ID)

    assert wanted == PlayerPreferences(theme="light")
    assert set_for_server == ServerSettings(theme="light")
    assert all(line["log_level"] == "warning" for line in lines)
    assert len(lines) == 16


# Servers.


async def test_what_is_set_for_a_server_is_kept(database: Database) -> None:
    store = ServerStore(database)
    settings = ServerSettings(
        channels=frozenset({7, 8}),
        variant_key="majority",
        clock=DEFAULT_CORRESPONDENCE,
        threads=True,
        language="de",
        theme="dark",
    )
    await store.put(GUILD_ID, settings)
    assert await store.of(GUILD_ID) == settings
    assert await store.of(None) == ServerSettings()
    assert await store.of(GUILD_ID + 1) == ServerSettings()

    none_allowed = ServerSettings(channels=frozenset(), clock=ClockRules())
    await store.put(GUILD_ID, none_allowed)

    assert await store.of(GUILD_ID) == none_allowed


def test_games_may_be_played_where_it_is_allowed() -> None:
    everywhere, somewhere = ServerSettings(), ServerSettings(channels=frozenset({7}))

    assert everywhere.allows(1)
    assert somewhere.allows(7)
    assert not somewhere.allows(1, None)
    assert somewhere.allows(1, 7)  # a thread of the channel


@pytest.mark.parametrize("wanted", [{"theme": "pink"}, {"language": "x"}, {"variant_key": "chess"}])
def test_settings_that_do_not_exist_are_refused(wanted: dict[str, str]) -> None:
    with pytest.raises(InvalidPreferenceError, match="There is no"):
        ServerSettings(**wanted)  # type: ignore[arg-type]


async def test_what_was_asked_about_lately_is_read_no_more(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    wishes, servers = PreferenceStore(database), ServerStore(database)
    await wishes.change(ANNA_ID, theme="light")
    await servers.change(GUILD_ID, threads=True)
    assert await wishes.of(ANNA_ID + 1) == PlayerPreferences()

    async def fail(*_arguments: object) -> None:
        raise AssertionError("read")

    monkeypatch.setattr(type(database), "read", fail)

    assert (await wishes.of(ANNA_ID)).theme == "light"
    assert (await wishes.of(ANNA_ID + 1)).theme is None
    assert (await servers.of(GUILD_ID)).threads


async def test_what_somebody_else_has_changed_is_read_anew_once_told(database: Database) -> None:
    store = PreferenceStore(database)
    await store.change(ANNA_ID, theme="light")
    await PreferenceStore(database).put(ANNA_ID, PlayerPreferences())

    assert (await store.of(ANNA_ID)).theme == "light"
    store.forget(ANNA_ID)
    assert (await store.of(ANNA_ID)).theme is None


async def test_two_changes_at_once_both_last(database: Database) -> None:
    wishes, servers = PreferenceStore(database), ServerStore(database)

    await asyncio.gather(
        wishes.change(ANNA_ID, theme="light"),
        wishes.change(ANNA_ID, marks="plus"),
        servers.change(GUILD_ID, theme="light"),
        servers.change(GUILD_ID, language="de"),
    )

    kept = await PreferenceStore(database).of(ANNA_ID)
    assert (kept.theme, kept.marks) == ("light", "plus")
    there = await ServerStore(database).of(GUILD_ID)
    assert (there.theme, there.language) == ("light", "de")


async def test_a_language_is_written_down_when_it_changes_only(database: Database) -> None:
    store = PreferenceStore(database)

    assert (await store.hear(ANNA_ID, "de")).heard == "de"
    first = await rows_of(database)
    assert (await store.hear(ANNA_ID, "de")).heard == "de"
    assert await rows_of(database) == first
    assert (await store.hear(ANNA_ID, None)).heard is None
    assert await rows_of(database) == []


async def test_many_newcomers_are_written_down_together(database: Database) -> None:
    """Each of them waits for it before the first answer."""
    store, groups = PreferenceStore(database), database.writer.groups
    await asyncio.gather(*(store.hear(ANNA_ID + each, "de") for each in range(40)))

    assert len(await rows_of(database)) == 40
    assert database.writer.groups - groups <= 10


async def rows_of(database: Database) -> list[object]:
    found = text("SELECT key, value, updated_at FROM player_setting")
    return await database.read(lambda c: [tuple(row) for row in c.execute(found)])


async def test_what_was_read_does_not_replace_what_was_written_meanwhile(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = PreferenceStore(database)
    written = PlayerPreferences(language="de")

    async def read_slowly(query: Callable[..., Any], *given: Any) -> Any:
        found = await database.read(query, *given)
        await store.put(ANNA_ID, written)
        return found

    slow = SimpleNamespace(read=read_slowly, write=database.write)
    monkeypatch.setattr(store, "_database", slow)

    assert await store.of(ANNA_ID) == written
    assert await store.of(ANNA_ID) == written


async def test_how_somebody_is_told_is_known_without_reading(database: Database) -> None:
    store = PreferenceStore(database)
    await store.put(ANNA_ID, PlayerPreferences(notices=Notices.NONE))
    store = PreferenceStore(database)
    await store.open()

    assert store.notices_of(ANNA_ID) is Notices.NONE
    assert (await store.of(ANNA_ID)).notices is Notices.NONE  # a choice is not the same as none
    await store.change(ANNA_ID, notices=Notices.DM)
    assert store.notices_of(ANNA_ID) is Notices.DM
    await store.change(ANNA_ID, notices=Notices.AUTO)
    assert store.notices_of(ANNA_ID) is Notices.AUTO
