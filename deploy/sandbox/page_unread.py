"""What each person has not looked at yet: counted here, so that a reload misses none of it."""

from __future__ import annotations

from .events import Event, Subscription
from .model import JSON, Channel, ChannelKind
from .world import World

_EPHEMERAL = 1 << 6


class Unread:
    """Counts messages and pings, by person and channel, and tells open windows.

    Everything said before the sandbox started counts as read.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._counts: dict[int, dict[int, list[int]]] = {}
        self.windows: list[Subscription] = []
        world.hub.watchers.append(self._heard)

    @property
    def json(self) -> JSON:
        """Counts as {person: {channel: {"count", "pings"}}}, without those that are zero."""
        return {
            str(user_id): {
                str(channel_id): {"count": count, "pings": pings}
                for channel_id, (count, pings) in channels.items()
            }
            for user_id, channels in self._counts.items()
            if channels
        }

    def read(self, user_id: int, channel_id: int) -> None:
        """Note that a person has seen a channel's end."""
        if self._counts.get(user_id, {}).pop(channel_id, None) is not None:
            self._tell()

    def _heard(self, event: Event) -> None:
        if event.kind == "channel_delete":
            for channels in self._counts.values():
                channels.pop(int(event.data["id"]), None)
        if event.kind != "message_create" or event.data["flags"] & _EPHEMERAL:
            return
        world = self._world
        channel = world.channels[int(event.data["channel_id"])]
        for user in world.people:
            if str(user.id) != event.data["author"]["id"] and world.can_see(user.id, channel):
                counts = self._counts.setdefault(user.id, {}).setdefault(channel.id, [0, 0])
                counts[0] += 1
                counts[1] += _pings(event.data, user.id, channel)
        self._tell()

    def _tell(self) -> None:
        event = Event(kind="unread", data=self.json)
        for window in self.windows:
            window.queue.put_nowait(event)


def _pings(message: JSON, user_id: int, channel: Channel) -> int:
    """Return 1 if a message calls for a person: a conversation always does."""
    named = str(user_id) in [each["id"] for each in message["mentions"]]
    return int(named or channel.kind is ChannelKind.DM)
