"""One search for each position that waits for the computer, however many ask for it."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.errors import RestartingError
from bot.operations import look_at
from bot.players import SearchStoppedError

if TYPE_CHECKING:
    from bot.matches.model import Match
    from bot.players import ComputerPlayers
    from engine import SearchReport


@dataclass(slots=True, eq=False)
class _Thought:
    """A search under way and how many callers wait for it."""

    task: asyncio.Task[SearchReport]
    stop: threading.Event = field(default_factory=threading.Event)
    waiting: int = 0


class Thinking:
    """Asks the computer player, at most once for each revision of a match."""

    def __init__(self, computer: ComputerPlayers) -> None:
        self._computer = computer
        self._thoughts: dict[tuple[int, int], _Thought] = {}
        self._closing = False

    async def think(self, match: Match) -> SearchReport | None:
        """Return what the computer thinks of `match`; None if it is no longer wanted.

        The search ends when the last caller that waits for it is cancelled.

        Raises:
            ComputerFailedError: If the search broke.
            RestartingError: If `close` has been called.
        """
        if self._closing:
            raise RestartingError
        key = (match.id, match.revision)
        thought = self._thoughts.get(key) or self._begin(key, match)
        thought.waiting += 1
        try:
            return await asyncio.shield(thought.task)
        except SearchStoppedError:
            if self._closing:
                raise RestartingError from None
            return None
        finally:
            thought.waiting -= 1
            if thought.waiting == 0 and not thought.task.done():
                # A later caller must begin anew instead of sharing this one's end.
                self._forget(key, thought)
                thought.stop.set()

    def stop(self, match_id: int) -> None:
        """End every search for a match, because it is over or has been changed."""
        for (thought_match, _revision), thought in self._thoughts.items():
            if thought_match == match_id:
                thought.stop.set()

    async def close(self) -> None:
        """End every search and wait until all have ended."""
        self._closing = True
        thoughts = list(self._thoughts.values())
        for thought in thoughts:
            thought.stop.set()
        if thoughts:
            await asyncio.wait([thought.task for thought in thoughts])

    def _begin(self, key: tuple[int, int], match: Match) -> _Thought:
        level = match.level_to_move
        assert level is not None, "asked for when the computer is to move only"
        stop = threading.Event()
        task = asyncio.create_task(self._computer.think(match.position, level, stop=stop))
        thought = _Thought(task, stop)
        self._thoughts[key] = thought
        task.add_done_callback(look_at)
        task.add_done_callback(lambda _task: self._forget(key, thought))
        return thought

    def _forget(self, key: tuple[int, int], thought: _Thought) -> None:
        if self._thoughts.get(key) is thought:
            del self._thoughts[key]
