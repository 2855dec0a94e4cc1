"""One interaction: what a user did, and how far its answer has come."""

from __future__ import annotations

import asyncio
import secrets
from enum import Enum, IntEnum

from .errors import NoAnswerError
from .model import JSON, Channel, Message


class InteractionKind(IntEnum):
    """Discord's numbers for what a user can do."""

    COMMAND = 2
    COMPONENT = 3
    AUTOCOMPLETE = 4
    MODAL = 5


class Answer(IntEnum):
    """Discord's numbers for the first answer."""

    MESSAGE = 4
    DEFERRED_MESSAGE = 5
    DEFERRED_UPDATE = 6
    UPDATE = 7
    CHOICES = 8
    MODAL = 9


ALLOWED_ANSWERS: dict[InteractionKind, frozenset[int]] = {
    InteractionKind.COMMAND: frozenset({4, 5, 9}),
    InteractionKind.COMPONENT: frozenset({4, 5, 6, 7, 9}),
    InteractionKind.AUTOCOMPLETE: frozenset({8}),
    InteractionKind.MODAL: frozenset({4, 5, 6, 7}),
}


class InteractionState(Enum):
    """How far an interaction has come."""

    PENDING = "pending"
    DEFERRED = "deferred"
    ANSWERED = "answered"
    FAILED = "failed"


class Interaction:
    """One thing that a user did, until the bot has answered or its time is over."""

    def __init__(
        self,
        *,
        identifier: int,
        kind: InteractionKind,
        user_id: int,
        channel: Channel,
        data: JSON,
        created_at: float,
        source: Message | None = None,
        owners: JSON | None = None,
        origin: Interaction | None = None,
    ) -> None:
        self.id = identifier
        self.token = secrets.token_urlsafe(32)
        self.kind = kind
        self.user_id = user_id
        self.channel_id = channel.id
        self.guild_id = channel.guild_id
        self.data = data
        self.created_at = created_at
        self.source = source
        """The message whose component was used, if it was one."""
        self.owners = owners or {}
        """What the application is installed to here: {"0": guild} or {"1": user}."""
        self.origin = origin
        """For a modal that was sent: the interaction that opened it."""
        self.state = InteractionState.PENDING
        self.callback: JSON | None = None
        """The bot's first answer as it was sent: {"type": ..., "data": ...}."""
        self.message: Message | None = None
        """The message that is the answer: a new one, or the one that was updated."""
        self.followup_ids: set[int] = set()
        self.timer: asyncio.TimerHandle | None = None
        self._first = asyncio.Event()
        self._settled = asyncio.Event()

    @property
    def custom_id(self) -> str | None:
        """The custom id of the component or modal."""
        custom_id = self.data.get("custom_id")
        return None if custom_id is None else str(custom_id)

    @property
    def modal(self) -> JSON | None:
        """The modal that the bot opened, if that was its answer."""
        if self.callback is None or self.callback["type"] != Answer.MODAL:
            return None
        modal: JSON = self.callback["data"]
        return modal

    async def wait(self) -> JSON:
        """Wait for the first answer and return it.

        Raises:
            NoAnswerError: If the bot's time ran out.
        """
        await self._first.wait()
        if self.callback is None:
            raise NoAnswerError(f"the bot did not answer interaction {self.id} in time")
        return self.callback

    async def settled(self) -> JSON:
        """Wait until the answer is no longer deferred and return the first answer.

        A deferred update that is never followed by an edit never settles.

        Raises:
            NoAnswerError: If the bot's time ran out.
        """
        callback = await self.wait()
        await self._settled.wait()
        return callback

    def advance(self, state: InteractionState) -> None:
        """Move on to `state` and wake whoever waits for it."""
        self.state = state
        if self.timer is not None:
            self.timer.cancel()
        self._first.set()
        if state is not InteractionState.DEFERRED:
            self._settled.set()

    @property
    def summary(self) -> JSON:
        """What the user's window has to know about it."""
        return {
            "id": str(self.id),
            "kind": self.kind.name.lower(),
            "state": self.state.value,
            "channel_id": str(self.channel_id),
            "custom_id": self.custom_id,
            "command": self.data.get("name"),
            "source_id": None if self.source is None else str(self.source.id),
            "message_id": None if self.message is None else str(self.message.id),
            "modal": self.modal,
        }
