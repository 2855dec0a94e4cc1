"""Many games at once: in threads of this process, or by dask's workers on other machines.

`python -m dask worker tcp://HOST:8786 --preload engine.lab.cluster` starts a worker that has loaded
everything before its first task, for the bot's searches too.
"""

from __future__ import annotations

import importlib.util
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any, Final, Protocol, TypeVar

from engine import kernels
from engine.errors import EngineError
from engine.search.evaluation import Evaluation, load_evaluator
from engine.variants import VARIANTS

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Job = TypeVar("Job", bound=tuple[Any, ...])

PATIENCE_S: Final = 30.0
"""How long a scheduler may be away before its work is lost and the command ends."""

_BEHIND_PEOPLE: Final = -1000
"""The priority of batches; a search that somebody waits for has minus its expected seconds."""


class Pending(Protocol[T_co]):
    """A job that was submitted."""

    def result(self) -> T_co:
        """Wait for the result and return it."""

    def cancel(self) -> object:
        """Cancel the job, unless it has begun."""


Submit = Callable[[Callable[[], T]], Pending[T]]


def dask_setup(_worker: object) -> None:
    """Load every kernel and every net, before dask gives a worker anything to do."""
    kernels.compiling.run_all()
    for variant in VARIANTS.values():
        load_evaluator(variant.rules, Evaluation.AUTO)


def carry_out(
    work: Callable[..., T],
    jobs: Iterable[Job],
    *,
    concurrency: int = 1,
    workers: str | None = None,
    stop: Callable[[], object] = lambda: None,
) -> Generator[tuple[Job, T], None, None]:
    """Do `work` for each job, several at once, and yield the results in order.

    Args:
        work: The function to call; workers import it by its name.
        jobs: Its arguments. A job is taken only when its turn is near.
        concurrency: How many threads to use.
        workers: The address of a dask scheduler whose workers do it instead.
        stop: Called when no more results are wanted, before waiting for the jobs begun.

    Raises:
        EngineError: If the scheduler does not answer or has no workers.
    """
    with _threads(concurrency) if workers is None else _workers(workers) as (submit, at_once):
        running: deque[tuple[Job, Pending[T]]] = deque()
        todo = iter(jobs)
        try:
            while True:
                for job in islice(todo, 2 * at_once - len(running)):
                    running.append((job, submit(partial(work, *job))))
                if not running:
                    return
                job, pending = running.popleft()
                try:
                    result = pending.result()
                except CancelledError:  # the scheduler was away and has forgotten it
                    running.appendleft((job, submit(partial(work, *job))))
                else:
                    yield job, result
        finally:
            stop()
            for _, pending in running:
                pending.cancel()


@contextmanager
def _threads(count: int) -> Iterator[tuple[Submit[Any], int]]:
    with ThreadPoolExecutor(count) as pool:
        yield pool.submit, count


@contextmanager
def _workers(address: str) -> Iterator[tuple[Submit[Any], int]]:
    """Yield a function that submits work to a scheduler's workers, and their number of threads."""
    _check_installed()
    from distributed import Client

    try:
        client = Client(address, set_as_default=False, timeout=PATIENCE_S)
    except OSError:
        raise EngineError(f"No scheduler answers at {address}") from None
    with client:
        threads = sum(client.nthreads().values())
        if not threads:
            raise EngineError(
                f"The scheduler at {address} has no workers. Start some: python -m dask worker"
                f" {address} --preload engine.lab.cluster"
            )

        def submit(work: Callable[[], Any]) -> Pending[Any]:
            if client.status == "closed":
                raise EngineError(
                    f"The scheduler at {address} is away for {PATIENCE_S:.0f} s: what it was doing"
                    " is lost"
                )
            pending: Pending[Any] = client.submit(work, pure=False, priority=_BEHIND_PEOPLE)
            return pending

        yield submit, threads


@contextmanager
def local_workers(count: int) -> Iterator[str]:
    """Run `count` workers on this machine, a process each; yield their scheduler's address."""
    _check_installed()
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=count,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        memory_limit=0,
        preload=["engine.lab.cluster"],
    ) as cluster:
        yield cluster.scheduler_address


def _check_installed() -> None:
    if importlib.util.find_spec("distributed") is None:
        raise EngineError(
            "To use other machines distributed is needed, which is not installed: pip install -r"
            " deploy/requirements-cluster.txt"
        )
