"""The dialogue of users and bot: interactions, answers, follow-ups."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Any

from . import permissions as bits
from .errors import ApiError, Problems, refusal
from .forms import MessageForm, read_message_form
from .interaction import ALLOWED_ANSWERS, Answer, Interaction, InteractionKind, InteractionState
from .interaction_payloads import answer_kind, interaction_json, metadata_json, reference_to
from .modal_rules import check_choices, check_modal
from .model import JSON, Channel, Message, MessageFlag, MessageKind, Upload
from .posting import Posting
from .storing import finish_components

# Interactions are kept for their tokens; so many outlive fifteen minutes of any play.
_KEPT = 20_000


class Conversing(Posting):
    """Interactions as users begin them and as the bot answers them."""

    def __init__(self, **details: Any) -> None:
        super().__init__(**details)
        self.interactions: OrderedDict[int, Interaction] = OrderedDict()
        self._by_token: dict[str, Interaction] = {}

    def begin(
        self,
        kind: InteractionKind,
        user_id: int,
        channel: Channel,
        data: JSON,
        *,
        source: Message | None = None,
        owners: JSON | None = None,
        origin: Interaction | None = None,
    ) -> Interaction:
        """Send an interaction to the bot and start its three seconds."""
        interaction = Interaction(
            identifier=self.snowflakes.next(),
            kind=kind,
            user_id=user_id,
            channel=channel,
            data=data,
            created_at=self.clock(),
            source=source,
            owners=owners,
            origin=origin,
        )
        self.interactions[interaction.id] = interaction
        self._by_token[interaction.token] = interaction
        if len(self.interactions) > _KEPT:
            _, oldest = self.interactions.popitem(last=False)
            del self._by_token[oldest.token]
        loop = asyncio.get_running_loop()
        interaction.timer = loop.call_later(self.limits.answer_seconds, self._give_up, interaction)
        self._show(interaction)
        self.tell_bot("INTERACTION_CREATE", interaction_json(self, interaction), channel.guild_id)
        return interaction

    def stop_timers(self) -> None:
        """Forget the deadlines of unanswered interactions: the world is closing."""
        for interaction in self.interactions.values():
            if interaction.timer is not None:
                interaction.timer.cancel()

    def _give_up(self, interaction: Interaction) -> None:
        if interaction.state is InteractionState.PENDING:
            interaction.advance(InteractionState.FAILED)
            self._show(interaction)

    def _show(self, interaction: Interaction) -> None:
        self.tell_users("interaction", interaction.summary, only=interaction.user_id)

    def _advance(self, interaction: Interaction, state: InteractionState) -> None:
        interaction.advance(state)
        self._show(interaction)

    # The first answer

    def answer(
        self, interaction_id: int, token: str, body: JSON, uploads: list[Upload]
    ) -> Interaction:
        """Take the bot's first answer.

        Raises:
            ApiError: 10062 when unknown or too late, 40060 when answered before,
                50035 for a form that does not fit.
        """
        interaction = self.interactions.get(interaction_id)
        if interaction is None or interaction.token != token:
            raise refusal(10062)
        if interaction.callback is not None:
            raise refusal(40060)
        late = self.clock() - interaction.created_at > self.limits.answer_seconds
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
            form = self._form(data, uploads)
            interaction.message = self._send(interaction, form)
        elif kind is Answer.DEFERRED_MESSAGE:
            flags = int(data.get("flags") or 0) & MessageFlag.EPHEMERAL | MessageFlag.LOADING
            interaction.message = self._send(interaction, MessageForm(body={}, flags=int(flags)))
        elif kind is Answer.DEFERRED_UPDATE:
            interaction.message = interaction.source
        elif kind is Answer.UPDATE:
            source = interaction.source
            if source is None or source.id not in self.messages.get(source.channel_id, {}):
                raise refusal(10008)
            self.rewrite(source, self._form(data, uploads, existing=source))
            interaction.message = source
        elif kind is Answer.CHOICES:
            check_choices(data, interaction.data)
        else:
            check_modal(data)

    def _is_hushed(self, interaction: Interaction) -> bool:
        """Tell whether only who asked gets to see an answer, whatever the bot wants.

        So it is where the application was brought along by a user who may not use such
        applications there, or may not write.
        """
        if "0" in interaction.owners or interaction.guild_id is None:
            return False
        channel = self.channel(interaction.channel_id)
        granted = self.permissions(interaction.user_id, channel)
        writing = bits.SEND_MESSAGES_IN_THREADS if channel.is_thread else bits.SEND_MESSAGES
        return not granted & bits.USE_EXTERNAL_APPS or not granted & writing

    def _form(
        self,
        body: JSON,
        uploads: list[Upload],
        *,
        existing: Message | None = None,
        root: tuple[str | int, ...] = ("data",),
    ) -> MessageForm:
        return read_message_form(
            body,
            uploads,
            existing=existing,
            upload_bytes=self.limits.upload_bytes,
            root=root,
        )

    def _send(
        self, interaction: Interaction, form: MessageForm, *, is_followup: bool = False
    ) -> Message:
        """Post an answer or follow-up in the name of the bot."""
        if self._is_hushed(interaction):
            form.flags |= MessageFlag.EPHEMERAL
        source = interaction.message if is_followup else interaction.source
        kind = MessageKind.REPLY if is_followup and source else answer_kind(interaction)
        return self.post(
            channel=self.channel(interaction.channel_id),
            author_id=self.bot_id,
            form=form,
            kind=kind,
            visible_to=interaction.user_id if form.flags & MessageFlag.EPHEMERAL else None,
            webhook_id=self.application_id,
            application_id=self.application_id,
            reference=reference_to(source, interaction.guild_id),
            interaction_metadata=metadata_json(self, interaction),
        )

    # Later answers, through the interaction's webhook

    def by_webhook(self, webhook_id: int, token: str) -> Interaction:
        """Return the interaction that a webhook address belongs to.

        Raises:
            ApiError: 10015 when unknown or not answered yet, 50027 when expired.
        """
        interaction = self._by_token.get(token)
        if webhook_id != self.application_id or interaction is None:
            raise refusal(10015)
        if interaction.callback is None:
            raise refusal(10015)
        if self.clock() - interaction.created_at > self.limits.token_seconds:
            raise refusal(50027)
        return interaction

    def original(self, interaction: Interaction) -> Message:
        """Return the message that @original means, or refuse with 10008."""
        message = interaction.message
        if message is None or message.id not in self.messages.get(message.channel_id, {}):
            raise refusal(10008)
        return message

    def own_message(self, interaction: Interaction, message_id: int) -> Message:
        """Return a message that was sent through this interaction, or refuse with 10008."""
        original = interaction.message
        if original is not None and original.id == message_id:
            return self.original(interaction)
        if message_id not in interaction.followup_ids:
            raise refusal(10008)
        return self.message(interaction.channel_id, message_id)

    def follow_up(self, interaction: Interaction, body: JSON, uploads: list[Upload]) -> Message:
        """Send one more message; the first after a deferral takes its place."""
        form = self._form(body, uploads, root=())
        original = interaction.message
        if original is not None and original.has(MessageFlag.LOADING):
            if form.v2 and uploads:
                # Reported of Discord: the files of such a follow-up are not found.
                problems = Problems()
                code = "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND"
                problems.add(("components",), code, "Referenced attachment was not found")
                problems.raise_if_any()
            return self.revise(interaction, original, body, uploads)
        message = self._send(interaction, form, is_followup=True)
        interaction.followup_ids.add(message.id)
        return message

    def revise(
        self, interaction: Interaction, message: Message, body: JSON, uploads: list[Upload]
    ) -> Message:
        """Edit a message that was sent, deferred or pressed through this interaction."""
        form = self._form(body, uploads, existing=message, root=())
        loading = message.has(MessageFlag.LOADING)
        if loading:
            form.flags &= ~MessageFlag.LOADING
        else:
            self.touch(message)
        self.rewrite(message, form, quiet=loading)
        if interaction.state is InteractionState.DEFERRED and message is interaction.message:
            self._advance(interaction, InteractionState.ANSWERED)
        return message

    def retract(self, interaction: Interaction, message: Message) -> None:
        """Delete a message through this interaction."""
        self.erase(message)
        message.flags &= ~MessageFlag.LOADING  # what follows takes no place of it
        if interaction.state is InteractionState.DEFERRED and message is interaction.message:
            self._advance(interaction, InteractionState.ANSWERED)


def _answer_type(interaction: Interaction, body: JSON) -> Answer:
    """Return the kind of answer, or refuse one that does not fit the interaction.

    Raises:
        ApiError: 50035 at "type".
    """
    problems = Problems()
    kind = body.get("type")
    allowed = ALLOWED_ANSWERS[interaction.kind]
    if interaction.source is None:
        allowed = allowed - {Answer.UPDATE, Answer.DEFERRED_UPDATE}
    if kind not in allowed:
        numbers = ", ".join(str(each) for each in sorted(allowed))
        problems.add(("type",), "BASE_TYPE_CHOICES", f"Value must be one of {{{numbers}}}.")
    problems.raise_if_any()
    if not isinstance(kind, int):
        raise ApiError(400, 50035, "Invalid Form Body")
    return Answer(kind)
