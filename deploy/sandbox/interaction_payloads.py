"""How interactions look in Discord's JSON: to the bot, and in answers to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .interaction import Answer, Interaction, InteractionKind
from .model import JSON, Channel, ChannelKind, Message, MessageFlag, MessageKind
from .payloads import channel_json, member_json, message_json, user_json
from .permissions import ALL

if TYPE_CHECKING:
    from .state import State


def context_of(state: State, channel: Channel) -> int:
    """Return where a channel is: 0 in a guild, 1 with the bot, 2 between people."""
    if channel.guild_id is not None:
        return 0
    return 1 if state.bot_id in channel.recipient_ids else 2


def interaction_json(state: State, interaction: Interaction) -> JSON:
    """Return an interaction as the gateway delivers it to the bot."""
    channel = state.channels[interaction.channel_id]
    user = state.users[interaction.user_id]
    permissions = state.permissions(user.id, channel)
    body: JSON = {
        "id": str(interaction.id),
        "application_id": str(state.application_id),
        "type": int(interaction.kind),
        "token": interaction.token,
        "version": 1,
        "data": interaction.data,
        "channel_id": str(channel.id),
        "channel": channel_json(state, channel) | {"permissions": str(permissions)},
        "app_permissions": str(_app_permissions(state, channel, interaction)),
        "locale": user.locale,
        "context": context_of(state, channel),
        "authorizing_integration_owners": interaction.owners,
        "entitlements": [],
        "entitlement_sku_ids": [],
        "attachment_size_limit": state.limits.upload_bytes,
    }
    if channel.kind is ChannelKind.DM:
        body["user"] = user_json(user)
    else:
        guild = state.guilds[channel.guild_id or 0]
        member = member_json(state, guild.members[user.id])
        body |= {
            "guild_id": str(guild.id),
            "guild_locale": guild.locale,
            "guild": {"id": str(guild.id), "locale": guild.locale, "features": []},
            "member": member | {"permissions": str(permissions)},
        }
    if interaction.source is not None:
        body["message"] = message_json(state, interaction.source)
    return body


def _app_permissions(state: State, channel: Channel, interaction: Interaction) -> int:
    granted = state.permissions(state.bot_id, channel)
    # Installed by its user only, the application may do what that user may.
    return granted or state.permissions(interaction.user_id, channel) & ALL


def metadata_json(state: State, interaction: Interaction) -> JSON:
    """Return what a message tells about the interaction it answers."""
    body: JSON = {
        "id": str(interaction.id),
        "type": int(interaction.kind),
        "user": user_json(state.users[interaction.user_id]),
        "authorizing_integration_owners": interaction.owners,
    }
    if interaction.kind is InteractionKind.COMMAND:
        body |= {"name": interaction.data["name"], "command_type": interaction.data["type"]}
    if interaction.kind is InteractionKind.COMPONENT and interaction.source is not None:
        body["interacted_message_id"] = str(interaction.source.id)
    if interaction.origin is not None:
        body["triggering_interaction_metadata"] = metadata_json(state, interaction.origin)
    return body


def answer_kind(interaction: Interaction) -> MessageKind:
    """Return the kind of message that answers an interaction."""
    if interaction.kind is InteractionKind.COMMAND:
        is_slash = interaction.data["type"] == 1
        return MessageKind.CHAT_INPUT_COMMAND if is_slash else MessageKind.CONTEXT_MENU_COMMAND
    return MessageKind.DEFAULT if interaction.source is None else MessageKind.REPLY


def reference_to(message: Message | None, guild_id: int | None) -> JSON | None:
    """Return the link from an answer to the message it belongs to."""
    if message is None:
        return None
    body: JSON = {"type": 0, "channel_id": str(message.channel_id), "message_id": str(message.id)}
    return body if guild_id is None else body | {"guild_id": str(guild_id)}


def callback_json(state: State, interaction: Interaction) -> JSON:
    """Return what Discord answers to the bot's answer, when asked to say it."""
    assert interaction.callback is not None
    kind = interaction.callback["type"]
    head: JSON = {
        "id": str(interaction.id),
        "type": int(interaction.kind),
        "channel_id": str(interaction.channel_id),
    }
    if interaction.guild_id is not None:
        head["guild_id"] = str(interaction.guild_id)
    message = interaction.message
    if message is not None:
        head |= {
            "response_message_id": str(message.id),
            "response_message_loading": message.has(MessageFlag.LOADING),
            "response_message_ephemeral": message.has(MessageFlag.EPHEMERAL),
        }
    body: JSON = {"interaction": head}
    if message is not None and kind in (Answer.MESSAGE, Answer.UPDATE):
        body["resource"] = {"type": kind, "message": message_json(state, message)}
    return body
