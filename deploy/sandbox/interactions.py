"""Interactions: begun by users, answered, followed up, expired; and their JSON."""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from enum import Enum, IntEnum

from . import permissions as bits
from .component_rules import check_choices, check_modal
from .components import finish_components
from .errors import NoAnswerError, Problems, bad_form, known, refusal
from .forms import MessageForm
from .messages import Messages
from .model import JSON, Channel, ChannelKind, Message, MessageFlag, MessageKind, Upload
from .payloads import channel_json, in_guild, member_json, message_json, message_link, user_json
from .world import World

# Interactions are kept for their tokens: more than any play begins in fifteen minutes.
_KEPT = 20_000


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


@dataclass(slots=True, kw_only=True, eq=False)
class Interaction:
    """One action of a user, until the bot has answered or its time has run out."""

    id: int
    kind: InteractionKind
    user_id: int
    channel_id: int
    guild_id: int | None
    data: JSON
    created_at: float
    source: Message | None = None
    """The message whose component was used, if any."""
    owners: JSON
    """What the application is installed to here: {"0": guild} or {"1": user}."""
    origin: Interaction | None = None
    """For a modal that was sent: the interaction that opened it."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    state: InteractionState = InteractionState.PENDING
    callback: JSON | None = None
    """The bot's first answer as it was sent: {"type": ..., "data": ...}."""
    message: Message | None = None
    """The message that is the answer: a new one, or the one that was updated."""
    followup_ids: set[int] = field(default_factory=set)
    timer: asyncio.TimerHandle | None = None
    _first: asyncio.Event = field(default_factory=asyncio.Event)
    _settled: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def modal(self) -> JSON | None:
        """The modal that the bot opened, if that was its answer."""
        if self.callback is None or self.callback["type"] != Answer.MODAL:
            return None
        modal: JSON = self.callback["data"]
        return modal

    async def wait(self) -> JSON:
        """Wait for the first answer and return it; NoAnswerError if the bot's time ran out."""
        await self._first.wait()
        if self.callback is None:
            raise NoAnswerError(f"the bot did not answer interaction {self.id} in time")
        return self.callback

    async def settled(self) -> JSON:
        """Wait until the answer is no longer deferred and return the first answer.

        A deferred update that is never followed by an edit never settles.
        """
        callback = await self.wait()
        await self._settled.wait()
        return callback

    def advance(self, state: InteractionState) -> None:
        """Move on to `state` and wake those who wait for it."""
        self.state = state
        if self.timer is not None:
            self.timer.cancel()
        self._first.set()
        if state is not InteractionState.DEFERRED:
            self._settled.set()


def context_of(world: World, channel: Channel) -> int:
    """Return where a channel is: 0 in a guild, 1 with the bot, 2 between people."""
    if channel.guild_id is not None:
        return 0
    return 1 if world.bot_id in channel.recipient_ids else 2


def interaction_json(world: World, interaction: Interaction) -> JSON:
    """Return an interaction as the gateway delivers it to the bot."""
    channel = world.channels[interaction.channel_id]
    user = world.users[interaction.user_id]
    permissions = world.permissions(user.id, channel)
    # Installed by its user only, the application may do what that user may.
    granted = world.permissions(world.bot_id, channel) or permissions
    body: JSON = {
        "id": str(interaction.id),
        "application_id": str(world.application_id),
        "type": int(interaction.kind),
        "token": interaction.token,
        "version": 1,
        "data": interaction.data,
        "channel_id": str(channel.id),
        "channel": channel_json(world, channel) | {"permissions": str(permissions)},
        "app_permissions": str(granted),
        "locale": user.locale,
        "context": context_of(world, channel),
        "authorizing_integration_owners": interaction.owners,
        "entitlements": [],
        "entitlement_sku_ids": [],
        "attachment_size_limit": world.limits.upload_bytes,
    }
    if channel.kind is ChannelKind.DM:
        body["user"] = user_json(user)
    else:
        guild = world.guilds[channel.guild_id or 0]
        member = member_json(world, guild.members[user.id])
        body |= {
            "guild_id": str(guild.id),
            "guild_locale": guild.locale,
            "guild": {"id": str(guild.id), "locale": guild.locale, "features": []},
            "member": member | {"permissions": str(permissions)},
        }
    if interaction.source is not None:
        body["message"] = message_json(world, interaction.source)
    return body


def metadata_json(world: World, interaction: Interaction) -> JSON:
    """Return what a message says about the interaction it answers."""
    body: JSON = {
        "id": str(interaction.id),
        "type": int(interaction.kind),
        "user": user_json(world.users[interaction.user_id]),
        "authorizing_integration_owners": interaction.owners,
    }
    if interaction.kind is InteractionKind.COMMAND:
        body |= {"name": interaction.data["name"], "command_type": interaction.data["type"]}
    if interaction.kind is InteractionKind.COMPONENT and interaction.source is not None:
        body["interacted_message_id"] = str(interaction.source.id)
    if interaction.origin is not None:
        body["triggering_interaction_metadata"] = metadata_json(world, interaction.origin)
    return body


def answer_kind(interaction: Interaction) -> MessageKind:
    """Return the kind of message that answers an interaction."""
    if interaction.kind is InteractionKind.COMMAND:
        is_slash = interaction.data["type"] == 1
        return MessageKind.CHAT_INPUT_COMMAND if is_slash else MessageKind.CONTEXT_MENU_COMMAND
    return MessageKind.DEFAULT if interaction.source is None else MessageKind.REPLY


def callback_json(world: World, interaction: Interaction) -> JSON:
    """Return Discord's response to the bot's answer, which it sends only on request."""
    assert interaction.callback is not None
    kind = interaction.callback["type"]
    head: JSON = {
        "id": str(interaction.id),
        "type": int(interaction.kind),
        "channel_id": str(interaction.channel_id),
        **in_guild(interaction.guild_id),
    }
    message = interaction.message
    if message is not None:
        head |= {
            "response_message_id": str(message.id),
            "response_message_loading": message.has(MessageFlag.LOADING),
            "response_message_ephemeral": message.has(MessageFlag.EPHEMERAL),
        }
    body: JSON = {"interaction": head}
    if message is not None and kind in (Answer.MESSAGE, Answer.UPDATE):
        body["resource"] = {"type": kind, "message": message_json(world, message)}
    return body


class Interactions:
    """Interactions as users begin them and as the bot answers them."""

    def __init__(self, world: World, messages: Messages) -> None:
        self._world = world
        self._messages = messages
        self._by_id: OrderedDict[int, Interaction] = OrderedDict()
        self._by_token: dict[str, Interaction] = {}

    def begin(
        self,
        kind: InteractionKind,
        user_id: int,
        channel: Channel,
        data: JSON,
        *,
        owners: JSON | None = None,
        source: Message | None = None,
        origin: Interaction | None = None,
    ) -> Interaction:
        """Send an interaction to the bot and start its three seconds."""
        interaction = Interaction(
            id=self._world.snowflakes.next(),
            kind=kind,
            user_id=user_id,
            channel_id=channel.id,
            guild_id=channel.guild_id,
            data=data,
            created_at=self._world.clock(),
            source=source,
            owners=owners or {},
            origin=origin,
        )
        self._by_id[interaction.id] = interaction
        self._by_token[interaction.token] = interaction
        if len(self._by_id) > _KEPT:
            _, oldest = self._by_id.popitem(last=False)
            del self._by_token[oldest.token]
        loop, limits = asyncio.get_running_loop(), self._world.limits
        interaction.timer = loop.call_later(limits.answer_seconds, self._give_up, interaction)
        self._show(interaction)
        data = interaction_json(self._world, interaction)
        self._world.news.tell_bot("INTERACTION_CREATE", data, channel.guild_id)
        return interaction

    def find(self, interaction_id: int) -> Interaction | None:
        """Return the interaction with an id, if it is still kept."""
        return self._by_id.get(interaction_id)

    def stop_timers(self) -> None:
        """Forget the deadlines of unanswered interactions: the world is closing."""
        for interaction in self._by_id.values():
            if interaction.timer is not None:
                interaction.timer.cancel()

    def _give_up(self, interaction: Interaction) -> None:
        if interaction.state is InteractionState.PENDING:
            self._advance(interaction, InteractionState.FAILED)

    def _advance(self, interaction: Interaction, state: InteractionState) -> None:
        interaction.advance(state)
        self._show(interaction)

    def _show(self, interaction: Interaction) -> None:
        data = {"id": str(interaction.id), "state": interaction.state.value}
        self._world.news.tell_users("interaction", data, only=interaction.user_id)

    # The first answer

    def answer(
        self, interaction_id: int, token: str, body: JSON, uploads: list[Upload]
    ) -> Interaction:
        """Take the bot's first answer.

        Raises:
            ApiError: 10062 when unknown or too late, 40060 when answered before,
                50035 for a form that does not fit.
        """
        interaction = self._by_id.get(interaction_id)
        if interaction is None or interaction.token != token:
            raise refusal(10062)
        if interaction.callback is not None:
            raise refusal(40060)
        late = self._world.clock() - interaction.created_at > self._world.limits.answer_seconds
        if late or interaction.state is InteractionState.FAILED:
            self._give_up(interaction)
            raise refusal(10062)
        kind = _answer_type(interaction, body)
        data = body.get("data") or {}
        self._perform(interaction, kind, data, uploads)
        if kind is Answer.MODAL:
            data = data | {"components": finish_components(data["components"], [])}
        interaction.callback = {"type": int(kind), "data": data}
        deferred = kind in (Answer.DEFERRED_MESSAGE, Answer.DEFERRED_UPDATE)
        self._advance(
            interaction, InteractionState.DEFERRED if deferred else InteractionState.ANSWERED
        )
        return interaction

    def _perform(
        self, interaction: Interaction, kind: Answer, data: JSON, uploads: list[Upload]
    ) -> None:
        if kind is Answer.MESSAGE:
            form = self._messages.form(data, uploads, root=("data",))
            interaction.message = self._send(interaction, form)
        elif kind is Answer.DEFERRED_MESSAGE:
            flags = int(data.get("flags") or 0) & MessageFlag.EPHEMERAL | MessageFlag.LOADING
            interaction.message = self._send(interaction, MessageForm(body={}, flags=int(flags)))
        elif kind is Answer.DEFERRED_UPDATE:
            interaction.message = interaction.source
        elif kind is Answer.UPDATE:
            source = known(interaction.source, 10008)
            self._world.message(source.channel_id, source.id)
            form = self._messages.form(data, uploads, existing=source, root=("data",))
            self._messages.rewrite(source, form)
            interaction.message = source
        elif kind is Answer.CHOICES:
            check_choices(data, interaction.data)
        else:
            check_modal(data)

    def _is_made_ephemeral(self, interaction: Interaction) -> bool:
        """Return whether Discord makes every answer ephemeral.

        It does if only the user installed the application and they may not use external
        apps in the channel, or may not write there.
        """
        if "0" in interaction.owners or interaction.guild_id is None:
            return False
        channel, user_id = self._world.channel(interaction.channel_id), interaction.user_id
        granted = self._world.permissions(user_id, channel)
        return not (granted & bits.USE_EXTERNAL_APPS and granted & bits.writing_in(channel))

    def _send(
        self, interaction: Interaction, form: MessageForm, *, is_followup: bool = False
    ) -> Message:
        if self._is_made_ephemeral(interaction):
            form.flags |= MessageFlag.EPHEMERAL
        source = interaction.message if is_followup else interaction.source
        kind = MessageKind.REPLY if is_followup and source else answer_kind(interaction)
        return self._messages.post(
            channel=self._world.channel(interaction.channel_id),
            author_id=self._world.bot_id,
            form=form,
            kind=kind,
            visible_to=interaction.user_id if form.flags & MessageFlag.EPHEMERAL else None,
            webhook_id=self._world.application_id,
            application_id=self._world.application_id,
            reference=message_link(source, interaction.guild_id),
            interaction_metadata=metadata_json(self._world, interaction),
        )

    # Later answers, through the interaction's webhook

    def by_webhook(self, webhook_id: int, token: str) -> Interaction:
        """Return the interaction of a webhook; 10015 if unknown or unanswered, 50027 if expired."""
        interaction = self._by_token.get(token)
        if webhook_id != self._world.application_id or not interaction or not interaction.callback:
            raise refusal(10015)
        if self._world.clock() - interaction.created_at > self._world.limits.token_seconds:
            raise refusal(50027)
        return interaction

    def original(self, interaction: Interaction) -> Message:
        """Return the message that @original means, or refuse with 10008."""
        message = known(interaction.message, 10008)
        return self._world.message(message.channel_id, message.id)

    def own_message(self, interaction: Interaction, message_id: int) -> Message:
        """Return a message that was sent through this interaction, or refuse with 10008."""
        original = interaction.message
        is_original = original is not None and original.id == message_id
        if not is_original and message_id not in interaction.followup_ids:
            raise refusal(10008)
        return self._world.message(interaction.channel_id, message_id)

    def follow_up(self, interaction: Interaction, body: JSON, uploads: list[Upload]) -> Message:
        """Send a follow-up; the first after a deferral replaces the deferred message."""
        form = self._messages.form(body, uploads)
        original = interaction.message
        if original is not None and original.has(MessageFlag.LOADING):
            if form.v2 and uploads:
                # Reported about Discord: the files of such a follow-up are not found.
                code = "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND"
                raise bad_form(("components",), code, "Referenced attachment was not found")
            return self.revise(interaction, original, body, uploads)
        message = self._send(interaction, form, is_followup=True)
        interaction.followup_ids.add(message.id)
        return message

    def revise(
        self, interaction: Interaction, message: Message, body: JSON, uploads: list[Upload]
    ) -> Message:
        """Edit a message that was sent, deferred or pressed through this interaction."""
        form = self._messages.form(body, uploads, existing=message)
        loading = message.has(MessageFlag.LOADING)
        if loading:
            form.flags &= ~MessageFlag.LOADING
        else:
            self._messages.count_edit(message)
        self._messages.rewrite(message, form, quiet=loading)
        self._settle(interaction, message)
        return message

    def retract(self, interaction: Interaction, message: Message) -> None:
        """Delete a message through this interaction."""
        self._messages.erase(message)
        message.flags &= ~MessageFlag.LOADING  # a follow-up does not replace it
        self._settle(interaction, message)

    def _settle(self, interaction: Interaction, message: Message) -> None:
        """Note that a deferred answer has come, if `message` is it."""
        if interaction.state is InteractionState.DEFERRED and message is interaction.message:
            self._advance(interaction, InteractionState.ANSWERED)


def _answer_type(interaction: Interaction, body: JSON) -> Answer:
    """Return the kind of answer, or refuse with 50035 if it does not fit the interaction."""
    kind = body.get("type")
    allowed = ALLOWED_ANSWERS[interaction.kind]
    if interaction.source is None:
        allowed = allowed - {Answer.UPDATE, Answer.DEFERRED_UPDATE}
    problems = Problems()
    problems.one_of(("type",), kind, allowed)
    problems.raise_if_any()
    assert isinstance(kind, int)
    return Answer(kind)
