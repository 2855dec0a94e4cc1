"""A dask scheduler and workers, on this machine's loopback."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from distributed import Scheduler, Worker

ROOT = Path(__file__).resolve().parents[1]
HERE = "127.0.0.1"


@asynccontextmanager
async def running_scheduler(port: int = 0) -> AsyncIterator[Scheduler]:
    async with Scheduler(host=HERE, port=port, dashboard_address=f"{HERE}:0") as scheduler:
        yield scheduler


@asynccontextmanager
async def running_worker(address: str, threads: int = 1) -> AsyncIterator[Worker]:
    """Run a worker in this process."""
    async with Worker(
        address, host=HERE, nthreads=threads, memory_limit=0, dashboard_address=f"{HERE}:0"
    ) as worker:
        yield worker


@asynccontextmanager
async def worker_process(address: str, folder: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start a worker as hosts are told to."""
    words = (
        *("worker", address, "--preload", "engine.lab.cluster", "--nthreads", "1"),
        *("--no-nanny", "--no-dashboard", "--memory-limit", "0", "--local-directory", str(folder)),
    )
    async with _process(words, folder) as process:
        yield process


@asynccontextmanager
async def scheduler_process(port: int, folder: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start a scheduler as hosts are told to."""
    words = ("scheduler", "--host", HERE, "--port", str(port), "--no-dashboard")
    async with _process(words, folder) as process:
        yield process


@asynccontextmanager
async def _process(words: Sequence[str], folder: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a dask command until the block ends, and kill it."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "dask", *words),
        cwd=ROOT,
        env={**os.environ, "HOME": str(folder)},
        stderr=asyncio.subprocess.DEVNULL,  # it logs each connection
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
