"""Follows one click through the code: which of our modules run, and how deep the database is."""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bot.storage import database

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from sqlalchemy import Connection

T = TypeVar("T")

ROOT = Path(__file__).parents[2]
OURS = ("bot", "cogs", "engine")


@dataclass
class Walk:
    """What ran during a click.

    Attributes:
        modules: Our modules, as paths without their suffix.
        functions: Their functions.
        frames_to_sql: How many of our frames lie between the pressed button and the call of the
            writer.
    """

    modules: set[str] = field(default_factory=set)
    functions: set[tuple[str, int]] = field(default_factory=set)
    frames_to_sql: int = 0

    def __enter__(self) -> Walk:
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        # The driver's threads are running already, so they are followed from within.
        self._transact = database._in_transaction
        database._in_transaction = self._follow
        return self

    def __exit__(self, *given: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)
        database._in_transaction = self._transact

    def _follow(self, connection: Connection, job: Callable[[Connection], T]) -> T:
        sys.setprofile(self._note)
        try:
            return self._transact(connection, job)
        finally:
            sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _argument: object) -> None:
        if event != "call":
            return
        module = module_of(frame)
        if module is None:
            return
        self.modules.add(module)
        code = frame.f_code
        self.functions.add((code.co_filename, code.co_firstlineno))
        if (module, code.co_name) == ("bot/storage/writer", "write"):
            self.frames_to_sql = max(self.frames_to_sql, depth_of(frame))


def module_of(frame: FrameType) -> str | None:
    """Return which of our modules a frame is in; None if it is none of ours."""
    path = Path(frame.f_code.co_filename)
    if not path.is_relative_to(ROOT) or frame.f_code.co_name in ("<module>", "<lambda>"):
        return None
    name = path.relative_to(ROOT).with_suffix("").as_posix()
    return name if name.startswith(tuple(f"{each}/" for each in OURS)) else None


def depth_of(frame: FrameType | None) -> int:
    """Return how many of our frames there are from this one outwards."""
    count = 0
    while frame is not None:
        count += module_of(frame) is not None
        frame = frame.f_back
    return count
