"""Waiting for what other tasks and processes do without telling."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


async def until(condition: Callable[[], T], seconds: float = 60.0) -> T:
    """Wait until `condition()` is true, and return what it returned.

    Raises:
        TimeoutError: If that takes longer. Do not time anything with it: a machine may be busy.
    """
    async with asyncio.timeout(seconds):
        while not (result := condition()):  # noqa: ASYNC110  # nothing else tells of it
            await asyncio.sleep(0.01)
    return result
