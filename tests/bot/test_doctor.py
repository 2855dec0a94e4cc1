"""What `python -m bot doctor` finds, and what it ends with."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest

from bot import cluster, doctor
from bot.__main__ import main
from bot.clock import system_clock
from bot.doctor import Mark, examine
from bot.settings import Settings
from bot.storage import backup
from bot.storage.backups import REPORT, make_backup
from deploy.sandbox import Sandbox, running_sandbox
from deploy.sandbox.permissions import ATTACH_FILES
from tests.cogs.table import settings_for
from tests.dask import running_scheduler, running_worker
from tests.postgresql import Server


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    async with running_sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def settings(sandbox: Sandbox, tmp_path: Path) -> Settings:
    """The settings of a host who has done everything right."""
    settings = settings_for(sandbox, tmp_path, host_contact="host@example.org")
    backup(settings.database_url, tmp_path / "backups" / "matches-1.sqlite3")
    return settings


async def found(
    settings: Settings, folder: Path, *, clock: Callable[[], float] = time.time
) -> dict[str, tuple[Mark, str]]:
    """Return the findings that are not fine, by topic."""
    findings = [each async for each in examine(settings, folder / "backups", clock=clock)]
    return {
        each.about: (each.mark, each.sentence) for each in findings if each.mark is not Mark.FINE
    }


async def test_a_database_of_postgresql_is_looked_at(
    settings: Settings, tmp_path: Path, postgresql_server: Server
):
    url = postgresql_server.new_database()
    served = settings.model_copy(update={"database_url": url})
    assert await found(served, tmp_path) == {}
    told = {each.about: each.sentence async for each in examine(served, tmp_path / "backups")}
    assert "answers: PostgreSQL 1" in told["database"]
    assert "adds up" in told["content"]

    away = settings.model_copy(update={"database_url": "postgresql+psycopg://b@127.0.0.1:9/x"})
    mark, sentence = (await found(away, tmp_path))["database"]
    assert mark is Mark.FAULT
    assert "cannot be reached" in sentence


async def test_who_searches_is_looked_at(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(cluster, "_PATIENCE_S", 0.3)
    async with running_scheduler() as scheduler:
        sent = settings.model_copy(update={"search_url": scheduler.address})
        assert (await found(sent, tmp_path))["searches"] == (
            Mark.NOTE,
            f"The scheduler at {scheduler.address} has no workers.",
        )
        async with running_worker(scheduler.address, threads=3):
            told = {each.about: each.sentence async for each in examine(sent, tmp_path / "backups")}
            assert told["searches"] == f"The workers of {scheduler.address} have 3 threads."
    mark, sentence = (await found(sent, tmp_path))["searches"]
    assert mark is Mark.NOTE
    assert sentence.startswith("No scheduler answers at tcp://127.0.0.1:")
    monkeypatch.setitem(sys.modules, "distributed", None)
    mark, sentence = (await found(sent, tmp_path))["searches"]
    assert mark is Mark.FAULT
    assert "pip install -r deploy/requirements-cluster.txt" in sentence


async def test_all_is_told_and_the_status_says_whether_something_is_wrong(
    settings: Settings,
    sandbox: Sandbox,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    logging_as_it_was: None,
):
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    for name in ("discord_api_base", "discord_gateway_url", "database_url", "host_contact"):
        monkeypatch.setenv(name.upper(), getattr(settings, name))

    async def told() -> tuple[int, list[str]]:
        status = await asyncio.to_thread(main, ["doctor"])
        return status, capsys.readouterr().out.splitlines()

    monkeypatch.setenv("DISCORD_TOKEN", sandbox.token)
    status, lines = await told()
    assert status == 0
    abouts = ["settings", "clock", "token", "gateway", "application", "permissions"]
    assert [line.split()[:2] for line in lines] == [
        ["ok", about] for about in [*abouts, "disk", "database", "content", "backup"]
    ]

    sandbox.faults.fail("GET /users/@me", status=503)
    assert (await told())[0] == 75

    monkeypatch.setenv("DISCORD_TOKEN", "another")
    status, lines = await told()
    assert status == 69
    assert "Reset Token" in "".join(line for line in lines if line.startswith("WRONG"))
    assert "another" not in "".join(lines)


async def test_what_is_wrong_at_discord_is_told(
    settings: Settings, sandbox: Sandbox, tmp_path: Path
):
    world = sandbox.world
    guild = next(each for each in world.guilds.values() if world.bot_id in each.members)
    guild.roles[guild.id].permissions &= ~ATTACH_FILES
    mark, sentence = (await found(settings, tmp_path))["permissions"]
    assert mark is Mark.NOTE
    assert f"{guild.name} ({guild.id}): Attach Files" in sentence

    elsewhere = settings.model_copy(update={"admin_guild": 5})
    assert "ADMIN_GUILD names 5" in (await found(elsewhere, tmp_path))["permissions"][1]

    told = await found(settings, tmp_path, clock=lambda: time.time() + 90)
    assert told["clock"][0] is Mark.FAULT
    assert "90 s ahead of Discord's" in told["clock"][1]

    nobody = {"discord_api_base": "http://127.0.0.1:9/api/v10", "discord_gateway_url": "ws://x"}
    told = await found(settings.model_copy(update=nobody), tmp_path)
    assert told["connection"][0] is Mark.TEMPORARY
    assert "online" in told["connection"][1]

    told = await found(
        settings.model_copy(update={"discord_gateway_url": "ws://127.0.0.1:9"}), tmp_path
    )
    assert told["gateway"][0] is Mark.TEMPORARY

    told = await found(settings.model_copy(update={"discord_token": None}), tmp_path)
    assert told["settings"] == (Mark.FAULT, "DISCORD_TOKEN is not set.")


async def test_what_is_wrong_with_the_files_is_told(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    here = settings.model_copy(update={"discord_token": None})
    copy, database = tmp_path / "backups" / "matches-1.sqlite3", tmp_path / "matches.sqlite3"

    async def told(about: str) -> str:
        mark, sentence = (await found(here, tmp_path))[about]
        return f"{mark.name} {sentence}"

    def older(days: float) -> None:
        os.utime(copy, (time.time() - days * 86_400,) * 2)

    older(2.1)
    assert "2 days old: does the daily backup still run?" in await told("backup")
    older(0)
    make_backup("sqlite+aiosqlite:///missing.sqlite3", copy.parent, system_clock())
    assert "there is nothing here to copy" in await told("backup")
    (copy.parent / REPORT).unlink()
    damaged = bytearray(copy.read_bytes())
    damaged[4096:] = b"\x99" * (len(damaged) - 4096)
    copy.write_bytes(damaged)
    assert (await told("backup")).startswith("FAULT The newest one cannot be restored.")
    copy.unlink()
    assert (await told("backup")).startswith("NOTE There is none in")

    monkeypatch.setattr(doctor, "SPARE_BYTES", 2**60)
    assert (await told("disk")).startswith("FAULT Only")

    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("INSERT INTO outbox VALUES ('result', 1, 1, 99, NULL, 0)")
    assert "FAULT The outbox names match 99" in await told("content")

    database.write_bytes(damaged)
    assert (await told("database")).startswith("FAULT")
    assert "damaged" in await told("database")
    database.unlink()
    assert "database" not in await found(here, tmp_path)
