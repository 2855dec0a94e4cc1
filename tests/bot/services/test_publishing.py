"""All finished games of servers as files, for anybody to study."""

from __future__ import annotations

import os
import zipfile
from datetime import UTC, datetime
from pathlib import Path

from bot.model.actions import Annul, Resign
from bot.services.preferences import PreferenceStore
from bot.services.privacy import PrivacyService
from bot.services.records import publish_games
from engine.records.reading import parse_records
from tests.bot.services.conftest import ANNA, BEN, Server

LINE = (40, 36, 0, 4)


async def finish(server: Server, *, guild_id: int | None = 300) -> None:
    match = await server.play(await server.begin_between(guild_id=guild_id), *LINE)
    await server.matches.perform(match.id, Resign(), user_id=ANNA.id)


async def published(server: Server, folder: Path) -> dict[str, list[str]]:
    """Write all games and return the texts of each archive."""
    found = {}
    async for path, count in publish_games(server.url, folder):
        with zipfile.ZipFile(path) as archive:
            found[path.name] = [archive.read(name).decode() for name in archive.namelist()]
        assert sum(len(parse_records(text)) for text in found[path.name]) == count
    assert sorted(found) == sorted(os.listdir(folder))
    return found


async def test_each_month_has_its_games_and_names_only_who_agreed(server: Server, tmp_path: Path):
    folder = tmp_path / "games"
    folder.mkdir()
    assert await published(server, folder) == {}
    server.clock.instant = datetime(2026, 11, 30, 23, tzinfo=UTC)
    await finish(server)
    server.clock.instant = datetime(2026, 12, 1, 1, tzinfo=UTC)
    await finish(server)
    await finish(server, guild_id=None)
    await server.play(await server.begin_between(guild_id=300), *LINE)
    annulled = await server.play(await server.begin_between(guild_id=300), *LINE)
    await server.matches.perform(annulled.id, Annul(), user_id=99)

    found = await published(server, folder)
    assert list(found) == ["games-2026-11.zip", "games-2026-12.zip"]
    for (text,) in found.values():
        (record,) = parse_records(text)
        assert record.players == ("?", "?")
        assert (record.moves, str(record.result), record.end) == (LINE, "0-1", "resigned")

    await PreferenceStore(server.database, server.clock).change(ANNA.id, named_games=True)
    before = (folder / "games-2026-11.zip").read_bytes()
    (november, _december) = (await published(server, folder)).values()
    assert parse_records(november[0])[0].players == (ANNA.name, "?")
    again = (folder / "games-2026-11.zip").read_bytes()
    assert again != before
    await published(server, folder)
    assert (folder / "games-2026-11.zip").read_bytes() == again

    await PrivacyService(server.matches).erase(ANNA.id)
    (november, _december) = (await published(server, folder)).values()
    assert ANNA.name not in november[0]
    assert BEN.name not in november[0]
