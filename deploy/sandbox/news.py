"""Publishes events to the bot's gateway, the web page and tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .model import JSON, Channel, Message
from .payloads import in_guild, message_event_json, message_json

if TYPE_CHECKING:
    from .world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event, as a user may see it.

    `kind` is one of message_create, message_update, message_delete, typing,
    interaction, commands, bot, person, channel_create, channel_update, channel_delete.
    """

    kind: str
    data: JSON


@dataclass(slots=True, eq=False)
class Subscription:
    """A queue of events for one user."""

    user_id: int
    queue: asyncio.Queue[Event] = field(default_factory=asyncio.Queue)

    async def wait_for(self, kind: str) -> Event:
        """Skip events until one of `kind` comes and return it."""
        while (event := await self.queue.get()).kind != kind:
            pass
        return event


class News:
    """Delivers the events of a world to those who may see them."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._subscriptions: list[Subscription] = []
        self.bot_sinks: list[Callable[[str, JSON, int | None], None]] = []
        """Called with every event meant for the bot: name, data, id of the guild."""
        self.watchers: list[Callable[[Event], None]] = []
        """Called with every event for users, regardless of who may see it."""

    @contextmanager
    def subscribe(self, user_id: int) -> Iterator[Subscription]:
        """Collect every event a user may see while the block runs; KeyError for an unknown user."""
        subscription = Subscription(self._world.users[user_id].id)
        self._subscriptions.append(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions.remove(subscription)

    def tell_bot(self, name: str, data: JSON, guild_id: int | None) -> None:
        """Send a gateway event to the bot."""
        for sink in self.bot_sinks:
            sink(name, data, guild_id)

    def tell_users(self, kind: str, data: JSON, *, only: int | None = None) -> None:
        """Publish an event to one user, or to everybody."""
        self._publish(Event(kind=kind, data=data), lambda user_id: only in (None, user_id))

    def tell_channel(self, kind: str, data: JSON, channel: Channel) -> None:
        """Publish an event to those who can see `channel`."""
        event = Event(kind=kind, data=data)
        self._publish(event, lambda user_id: self._world.can_see(user_id, channel))

    def _publish(self, event: Event, may_see: Callable[[int], bool]) -> None:
        self._world.changed = True
        for subscription in self._subscriptions:
            if may_see(subscription.user_id):
                subscription.queue.put_nowait(event)
        for watcher in self.watchers:
            watcher(event)

    def tell_of_message(self, what: str, message: Message) -> None:
        """Tell users about a message and, unless it is ephemeral, the bot.

        `what` is "create", "update" or "delete".
        """
        world, channel = self._world, self._world.channels[message.channel_id]
        ids: JSON = {"id": str(message.id), "channel_id": str(channel.id)}
        data = ids if what == "delete" else message_json(world, message)
        if message.visible_to is not None:
            self.tell_users(f"message_{what}", data, only=message.visible_to)
            return
        self.tell_channel(f"message_{what}", data, channel)
        if world.can_see(world.bot_id, channel):
            data = ids | in_guild(channel.guild_id)
            if what != "delete":
                data = message_event_json(world, message)
            self.tell_bot(f"MESSAGE_{what.upper()}", data, channel.guild_id)
