"""What a supervisor and Prometheus are told: is the bot up, does it answer, how busy is it.

Off unless `METRICS_PORT` is set or the process runs under a watchdog; while off, nothing listens
to clicks. Figures that the services keep are read on request.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

import structlog
from aiohttp import web
from cachetools import LRUCache

from bot.clock import system_clock
from bot.host_errors import StartError
from bot.process import tell_supervisor, watchdog_seconds
from bot.storage.backups import last_backup
from bot.storage.matches import count_ongoing

if TYPE_CHECKING:
    from bot.client import GameBot
    from bot.settings import Settings

log = structlog.get_logger(__name__)

BEAT_S: Final = 1.0
"""How often the event loop shows that it runs."""

OFFLINE_S: Final = 300.0
"""How long a bot may be without a connection before it counts as ill."""

REFUSALS: Final = 10
"""After this many interactions in a row without a proper answer, the bot counts as ill."""

DATABASE_S: Final = 5.0
"""How long the database may take to answer."""

OUTCOMES: Final = {
    "refused": "refused",
    "banned": "banned",
    "answer lost": "lost",
    "incident": "incident",
}
"""Log events about interactions that were not simply answered, and the outcome of each."""

_SECONDS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
_QUEUE: Final = {
    "running": "What is being done",
    "waiting": "What waits for a thread",
    "refused_total": "What was refused because too much waited",
}
_CLUSTER: Final = {
    "threads": "Those of the workers elsewhere",
    "running": "What was sent to them and is not answered yet",
    "waiting": "What waits for one of them",
    "answered_total": "Searches that workers answered",
    "failed_total": "Searches that they did not answer in time, and threads did",
}
_KIND: Final = re.compile(r"[a-z_]{1,20}")


@asynccontextmanager
async def watched(bot: GameBot, settings: Settings) -> AsyncIterator[str | None]:
    """Tell the supervisor when the bot is ready and that it runs; serve `/healthz`, `/metrics`.

    Yields:
        Where these are served; None if they are not.

    Raises:
        StartError: If nothing can listen there.
    """
    limit_s = watchdog_seconds()
    async with AsyncExitStack() as stack:
        stack.callback(tell_supervisor, "STOPPING=1")
        works = [_tell_when_ready(bot)]
        address = None
        if settings.metrics_port is not None or limit_s is not None:
            watch = Watch(bot)
            works.append(watch.beat(limit_s))
            logging.getLogger().addHandler(watch)
            stack.callback(logging.getLogger().removeHandler, watch)
            bot.add_listener(watch.on_answered)
            stack.callback(bot.remove_listener, watch.on_answered)
        for work in works:
            stack.callback(asyncio.create_task(work, name="watch").cancel)
        if settings.metrics_port is not None:
            app = web.Application()
            app.router.add_get("/healthz", watch.healthz)
            app.router.add_get("/metrics", watch.metrics)
            runner = web.AppRunner(app, access_log=None)
            stack.push_async_callback(runner.cleanup)
            address = await _listen(runner, settings.metrics_host, settings.metrics_port)
        yield address


async def _tell_when_ready(bot: GameBot) -> None:
    await bot.ready_once.wait()
    tell_supervisor("READY=1")


async def _listen(runner: web.AppRunner, host: str, port: int) -> str:
    """Serve on an address and return it."""
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
    except OSError as error:
        raise StartError(
            f"Nothing can listen on {host}, port {port} ({error.strerror}): change METRICS_HOST or "
            "METRICS_PORT."
        ) from error
    address = f"http://{host}:{runner.addresses[0][1]}"
    log.info("metrics", address=f"{address}/metrics")
    return address


class Watch(logging.Handler):
    """Counts the outcomes of interactions, and knows whether the bot is ill.

    It is a log handler, because the log learns of everything that goes wrong.
    """

    def __init__(self, bot: GameBot) -> None:
        # Not at the top of the file: it takes longer to load than the rest of the bot's start.
        import prometheus_client as prometheus

        super().__init__(logging.INFO)
        self._bot = bot
        self._online_at = time.monotonic()
        self._troubled: LRUCache[int, str] = LRUCache(1000)
        self._latest: deque[bool] = deque(maxlen=REFUSALS)
        self.registry = prometheus.CollectorRegistry()
        prometheus.ProcessCollector(registry=self.registry)
        prometheus.PlatformCollector(registry=self.registry)
        prometheus.GCCollector(registry=self.registry)
        self._interactions = prometheus.Counter(
            "interactions", "Interactions by kind and outcome", ["kind", "outcome"],
            registry=self.registry,
        )  # fmt: skip
        self._ages = prometheus.Histogram(
            "interaction_seconds", "From Discord's stamp to the end of the answer", ["kind"],
            registry=self.registry, buckets=_SECONDS,
        )  # fmt: skip
        self._lag = prometheus.Histogram(
            "event_loop_lag_seconds", "How late the event loop came to a task",
            registry=self.registry, buckets=_SECONDS,
        )  # fmt: skip
        self._lines = prometheus.Counter(
            "log_lines", "Warnings and errors logged", ["level"], registry=self.registry
        )
        self._ongoing = prometheus.Gauge(
            "matches_ongoing", "Matches going on", registry=self.registry
        )
        searches = prometheus.Histogram(
            "search_seconds", "From asking the computer to its move, by level", ["level"],
            registry=self.registry, buckets=_SECONDS,
        )  # fmt: skip
        computer, publisher = bot.matches.computer, bot.publisher
        writer = bot.matches.database.writer
        computer.timed = lambda level, seconds: searches.labels(level).observe(seconds)
        queues = {
            "searches": computer.workers,
            "analyses": bot.analyst.workers,
            "drawings": bot.drawing,
        }
        cluster = computer.cluster
        for name, words, read in (
            ("gateway_up", "Whether all shards are connected", lambda: bot.is_online),
            ("answers_in_progress", "Interactions being answered", lambda: bot.answering),
            ("publications_pending", "Boards and messages behind", lambda: publisher.pending),
            ("writer_waiting", "Changes not yet in a group", lambda: writer.waiting),
            ("writer_groups_total", "Groups stored since the start", lambda: writer.groups),
            ("writer_changes_total", "Changes in these groups", lambda: writer.changes),
            ("backup_age_seconds", "Since the last try to make a backup", self._backup_age_s),
            ("backup_sound", "Whether that one was restored and found sound", self._backup_sound),
            ("shed_total", "Interactions refused: too many at once", lambda: bot.shed),
            ("limited_total", "Interactions past a limit", lambda: bot.limits.refused),
            *(
                (f"{name}_{what}", words, partial(getattr, queue, what.split("_")[0]))
                for name, queue in queues.items()
                for what, words in _QUEUE.items()
            ),
            *(
                (f"cluster_{what}", words, partial(getattr, cluster, what.split("_")[0]))
                for what, words in (_CLUSTER.items() if cluster is not None else ())
            ),
        ):
            gauge = prometheus.Gauge(name, words, registry=self.registry)
            gauge.set_function(cast("Callable[[], float]", read))

    def _backup_age_s(self) -> float:
        last = last_backup(self._bot.settings.backup_folder)
        return float("nan") if last is None else (system_clock() - last.at).total_seconds()

    def _backup_sound(self) -> float:
        last = last_backup(self._bot.settings.backup_folder)
        return float("nan") if last is None else not last.broken

    def emit(self, record: logging.LogRecord) -> None:
        """Count a line of the log; it may come from any thread."""
        if record.levelno >= logging.WARNING:
            self._lines.labels(record.levelname.lower()).inc()
        told: Any = record.msg
        if isinstance(told, dict) and (outcome := OUTCOMES.get(told.get("event", ""))):
            if outcome not in ("banned", "refused"):
                self._troubled[told.get("interaction", 0)] = outcome
                return
            self._interactions.labels("", outcome).inc()
            if outcome == "refused":
                self._latest.append(self._bot.is_draining)  # these are refused for a reason

    async def on_answered(self, interaction: Any) -> None:
        """Count an interaction that has been dealt with, with any outcome."""
        kind = _kind_of(interaction)
        outcome = self._troubled.pop(interaction.id, "answered")
        self._interactions.labels(kind, outcome).inc()
        self._ages.labels(kind).observe(self._bot.arrivals.time_of(interaction).age_s)
        self._latest.append(outcome == "answered")

    async def beat(self, limit_s: float | None) -> None:
        """Measure the event loop, and show the watchdog that it runs until cancelled.

        An outage of Discord is not reported to the watchdog: a restart would not mend it.
        """
        pause_s = BEAT_S if limit_s is None else min(BEAT_S, limit_s / 3)
        while True:
            due = time.monotonic() + pause_s
            await asyncio.sleep(pause_s)
            self._lag.observe(max(0.0, time.monotonic() - due))
            if self._bot.is_online:
                self._online_at = time.monotonic()
            if limit_s is not None and not self._refuses_everybody():
                tell_supervisor("WATCHDOG=1")

    def _refuses_everybody(self) -> bool:
        return len(self._latest) == REFUSALS and not any(self._latest)

    async def healthz(self, _request: web.Request) -> web.Response:
        """Answer 200 if the bot can be played with, else 503 with what is wrong."""
        wrong = []
        if (offline_s := time.monotonic() - self._online_at) > OFFLINE_S:
            wrong.append(f"no connection to Discord for {offline_s:.0f} s")
        if self._refuses_everybody():
            wrong.append(f"none of the last {REFUSALS} interactions was answered as it should be")
        if not await self._count_matches():
            wrong.append("the database does not answer")
        if not self._bot.ready_once.is_set():
            wrong.append("not ready yet")
        # Reported, but no reason to restart the bot: people can play.
        last = last_backup(self._bot.settings.backup_folder)
        problem = None if last is None else last.problem(system_clock())
        lines = [*(wrong or ["ok"]), *([problem] if problem else [])]
        return web.Response(status=503 if wrong else 200, text="\n".join(lines) + "\n")

    async def metrics(self, _request: web.Request) -> web.Response:
        """Answer with everything that is measured, in Prometheus' own format."""
        await self._count_matches()
        from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

        body = generate_latest(self.registry)
        return web.Response(body=body, headers={"Content-Type": CONTENT_TYPE_LATEST})

    async def _count_matches(self) -> bool:
        """Count the ongoing matches; return whether the database has answered."""
        try:
            async with asyncio.timeout(DATABASE_S):
                self._ongoing.set(await self._bot.matches.database.read(count_ongoing))
        except Exception as error:
            log.warning("matches not counted", reason=str(error))
            self._ongoing.set(float("nan"))
            return False
        return True


def _kind_of(interaction: Any) -> str:
    """Return the command or the kind of button, of which there are a few dozen."""
    if interaction.command is not None:
        return f"/{interaction.command.qualified_name}"
    found = _KIND.match(str((interaction.data or {}).get("custom_id", "")))
    return found[0] if found else "other"
