"""What supervisors and Prometheus hear from a bot in use."""

from __future__ import annotations

import json
import math
import re
import socket
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request
from asyncio import to_thread
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from bot import metrics
from bot.clock import system_clock
from bot.host_errors import StartError
from bot.log import set_up_logging
from bot.metrics import watched
from bot.process import tell_supervisor
from bot.storage.backups import make_backup
from cogs import fields
from deploy.sandbox import Sandbox
from tests.bare_environment import ROOT
from tests.cogs.table import Table, running_bot, settings_for
from tests.waiting import until


@pytest.fixture
def deaf_supervisor(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """The socket that systemd listens on; it wants a sign of life every 0.3 seconds."""
    with (
        tempfile.TemporaryDirectory() as folder,  # short, as a socket's name has to be
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening,
    ):
        listening.bind(f"{folder}/notify")
        monkeypatch.setenv("NOTIFY_SOCKET", f"{folder}/notify")
        monkeypatch.setenv("WATCHDOG_USEC", "300000")
        yield listening


@pytest.fixture
def supervisor(deaf_supervisor: socket.socket) -> Iterator[list[str]]:
    """What systemd has read so far."""
    told: list[str] = []

    def read() -> None:
        while "the end" not in told:
            told.append(deaf_supervisor.recv(100).decode())

    reading = threading.Thread(target=read)
    reading.start()
    yield told
    tell_supervisor("the end")
    reading.join()


async def get(address: str) -> tuple[int, str]:
    def ask() -> tuple[int, str]:
        try:
            with urllib.request.urlopen(address, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    return await to_thread(ask)


async def samples(address: str) -> dict[str, float]:
    """Return the measured values by name and labels."""
    status, text = await get(f"{address}/metrics")
    assert status == 200
    return {
        " ".join([each.name, *each.labels.values()]): each.value
        for family in text_string_to_metric_families(text)
        for each in family.samples
    }


def drawn() -> set[str]:
    """Return the names of the metrics that the dashboard draws."""
    board = json.loads((ROOT / "deploy" / "grafana-dashboard.json").read_text())
    exprs = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    assert len(exprs) > 10
    return {name for each in exprs for name in re.findall(r"\b[a-z]+_[a-z_]+\b(?!\()", each)}


async def is_well(address: str) -> bool:
    """Return whether a bot passes the container's health check."""
    text = (ROOT / "deploy" / "Containerfile").read_text()
    (code,) = re.findall(r'^    CMD python -c "(.*)"$', text, re.MULTILINE)
    assert "METRICS_PORT=9464" in text
    code = code.replace("http://127.0.0.1:9464", address)
    done = await to_thread(subprocess.run, [sys.executable, "-c", code], capture_output=True)
    return done.returncode == 0


async def test_clicks_games_and_health_are_told(
    sandbox: Sandbox,
    tmp_path: Path,
    supervisor: list[str],
    monkeypatch: pytest.MonkeyPatch,
    logging_as_it_was: None,
):
    monkeypatch.setattr(metrics, "REFUSALS", 2)
    settings = settings_for(sandbox, tmp_path, metrics_port=0, backup_folder=tmp_path)
    set_up_logging(settings)
    async with running_bot(settings) as bot, watched(bot, settings) as address:
        assert address is not None
        await until(lambda: "WATCHDOG=1" in supervisor)
        assert supervisor[0] == "READY=1"
        table = Table(sandbox, bot)
        board = await table.start(variant="depth=1")
        await table.press(board, board.starting("cell")[0])
        assert await get(f"{address}/healthz") == (200, "ok\n")
        assert await is_well(address)
        told = await samples(address)
        assert told["gateway_up"] == told["matches_ongoing"] == 1
        assert told["interactions_total /play answered"] == 1
        assert told["interactions_total cell answered"] == 1
        assert told["interaction_seconds_count cell"] == 1
        assert told["searches_waiting"] == told["searches_running"] == 0
        assert told["drawings_waiting"] == told["analyses_refused_total"] == 0
        assert told["publications_pending"] == told["writer_waiting"] == 0
        assert told["writer_changes_total"] >= told["writer_groups_total"] > 0
        assert told["process_resident_memory_bytes"] > 0
        assert told["search_seconds_count 1"] == 1
        assert math.isnan(told["backup_sound"])
        assert math.isnan(told["backup_age_seconds"])
        assert told["event_loop_lag_seconds_count"] > 0
        assert drawn() <= {name.split()[0] for name in told} | {"log_lines_total"}

        with monkeypatch.context() as broken:
            broken.setattr(fields, "draw_sheets", None)
            for _ in range(2):
                await table.command("field", name="basic")
        told = await samples(address)
        assert told["interactions_total /field incident"] == 2
        assert told["log_lines_total error"] == 2
        status, words = await get(f"{address}/healthz")
        assert (status, words) == (
            503, "none of the last 2 interactions was answered as it should be\n",
        )  # fmt: skip
        assert not await is_well(address)
        await table.command("games")
        assert (await get(f"{address}/healthz"))[0] == 200

        port = int(address.rpartition(":")[2])
        with pytest.raises(StartError, match="METRICS_PORT"):
            async with watched(bot, settings.model_copy(update={"metrics_port": port})):
                pass
        monkeypatch.setattr(metrics, "OFFLINE_S", 0.0)
        await bot.close()
        assert (await samples(address))["gateway_up"] == 0
        assert "no connection to Discord" in (await get(f"{address}/healthz"))[1]
    await until(lambda: "STOPPING=1" in supervisor)


def test_a_supervisor_who_reads_nothing_holds_nobody_up(deaf_supervisor: socket.socket):
    for _ in range(20):
        tell_supervisor("WATCHDOG=1")
    assert deaf_supervisor.recv(100) == b"WATCHDOG=1"
    tell_supervisor("STOPPING=1")


async def test_the_last_backup_is_told(sandbox: Sandbox, tmp_path: Path):
    settings = settings_for(sandbox, tmp_path, metrics_port=0, backup_folder=tmp_path / "copies")
    async with running_bot(settings) as bot, watched(bot, settings) as address:
        assert address is not None
        assert make_backup(settings.database_url, settings.backup_folder, system_clock()).games == 0
        told = await samples(address)
        assert told["backup_sound"] == 1
        assert 0 <= told["backup_age_seconds"] < 60
        assert await get(f"{address}/healthz") == (200, "ok\n")

        missing = settings.database_url.replace("matches", "missing")
        make_backup(missing, settings.backup_folder, system_clock())
        assert (await samples(address))["backup_sound"] == 0
        status, words = await get(f"{address}/healthz")
        assert status == 200, "to start the bot again would not mend it"
        assert "nothing here to copy" in words


def test_a_bot_without_metrics_does_not_load_what_they_need():
    """It takes a good part of the start, which tests and hosts wait for."""
    code = "import sys, bot.app; sys.exit('prometheus_client' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
