"""News for whoever watches the world: the web page, or a test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any, Self

JSON = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened, as one user may know it.

    `kind` is one of message_create, message_update, message_delete, typing,
    interaction, commands, bot, person, channel_create, channel_update, channel_delete.
    """

    kind: str
    data: JSON

    @property
    def json(self) -> JSON:
        """The event as one JSON object."""
        return {"kind": self.kind, "data": self.data}


class Subscription:
    """A queue of events for one user; close it, or use it in a `with` block."""

    def __init__(self, user_id: int, forget: Callable[[Subscription], None]) -> None:
        self.user_id = user_id
        self.queue: asyncio.Queue[Event] = asyncio.Queue()
        self._forget = forget

    async def next(self) -> Event:
        """Wait for the next event and return it."""
        return await self.queue.get()

    async def wait_for(self, kind: str) -> Event:
        """Skip events until one of `kind` comes and return it."""
        while True:
            event = await self.queue.get()
            if event.kind == kind:
                return event

    def close(self) -> None:
        """Stop receiving events."""
        self._forget(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aiter__(self) -> AsyncIterator[Event]:
        while True:
            yield await self.queue.get()


class Hub:
    """Delivers events to subscriptions."""

    def __init__(self) -> None:
        self._subscriptions: list[Subscription] = []
        self.watchers: list[Callable[[Event], None]] = []
        """Called with every event, whoever may see it."""

    def subscribe(self, user_id: int) -> Subscription:
        """Return a new subscription for `user_id`."""
        subscription = Subscription(user_id, self._forget)
        self._subscriptions.append(subscription)
        return subscription

    def publish(self, event: Event, may_see: Callable[[int], bool]) -> None:
        """Give `event` to every subscriber whose user `may_see` it."""
        for subscription in self._subscriptions:
            if may_see(subscription.user_id):
                subscription.queue.put_nowait(event)
        for watcher in self.watchers:
            watcher(event)

    def _forget(self, subscription: Subscription) -> None:
        if subscription in self._subscriptions:
            self._subscriptions.remove(subscription)
