"""Routes of messages: sending, reading, editing, deleting, reactions."""

from __future__ import annotations

from urllib.parse import unquote

from . import permissions as bits
from .errors import Problems, refusal
from .forms import MessageForm, read_message_form
from .model import JSON, Channel, Message, MessageKind
from .payloads import message_json, overheard, user_json
from .rest import Call, Result, Routes

routes = Routes()

_MESSAGES = "/channels/{channel_id}/messages"
_MESSAGE = _MESSAGES + "/{message_id}"
_REACTION = _MESSAGE + "/reactions/{emoji}"


def _channel(call: Call, needed: int = 0) -> Channel:
    channel = call.world.channel(call.ids["channel_id"])
    call.world.require_bot(channel, needed)
    return channel


def _message(call: Call, needed: int = 0) -> Message:
    channel = _channel(call, needed)
    message = call.world.message(channel.id, call.ids["message_id"])
    # Ephemeral messages exist only for interactions and their webhooks.
    if message.visible_to is not None:
        raise refusal(10008)
    return message


def _form(call: Call, existing: Message | None = None) -> MessageForm:
    return read_message_form(
        call.form,
        call.uploads,
        existing=existing,
        upload_bytes=call.world.limits.upload_bytes,
    )


@routes.on("GET", _MESSAGES)
async def get_messages(call: Call) -> Result:
    """Return up to 100 messages, newest first, around a place in the channel."""
    channel = _channel(call, bits.READ_MESSAGE_HISTORY)
    limit = int(call.query.get("limit", 50))
    if not 1 <= limit <= 100:
        problems = Problems()
        text = "int value should be between 1 and 100."
        problems.add(("limit",), "NUMBER_TYPE_RANGE", text)
        problems.raise_if_any()
    messages = call.world.messages[channel.id].values()
    shown = sorted((each for each in messages if each.visible_to is None), key=lambda m: m.id)
    if "after" in call.query:
        after = int(call.query["after"])
        shown = [each for each in shown if each.id > after][:limit]
    elif "around" in call.query:
        middle = int(call.query["around"])
        before = [each for each in shown if each.id < middle][-(limit // 2) :]
        shown = (before + [each for each in shown if each.id >= middle])[:limit]
    else:
        ceiling = int(call.query.get("before", 1 << 63))
        shown = [each for each in shown if each.id < ceiling][-limit:]
    return [_read(call, each) for each in reversed(shown)]


def _read(call: Call, message: Message) -> JSON:
    """Return a message as far as this application may read it."""
    body = message_json(call.world, message)
    in_guild = call.world.channels[message.channel_id].guild_id is not None
    if in_guild and not call.world.limits.privileged_intents:
        return overheard(call.world, body)
    return body


@routes.on("POST", _MESSAGES)
async def send_message(call: Call) -> Result:
    """Send a message, perhaps in answer to another."""
    channel, world = _channel(call), call.world
    world.require_bot_may_send(channel, form_files=bool(call.uploads))
    _check_recipient(call, channel)
    form = _form(call)
    nonce = form.body.get("nonce")
    if nonce is not None and form.body.get("enforce_nonce"):
        known = world.sent_before(nonce)
        if known is not None:
            return message_json(world, known)
    reference = _reference(call, channel)
    kind = MessageKind.DEFAULT if reference is None else MessageKind.REPLY
    message = world.post(
        channel=channel, author_id=world.bot_id, form=form, kind=kind, reference=reference
    )
    return message_json(world, message)


def _check_recipient(call: Call, channel: Channel) -> None:
    for user_id in channel.recipient_ids:
        if not call.world.users[user_id].accepts_direct_messages:
            raise refusal(50007)


def _reference(call: Call, channel: Channel) -> JSON | None:
    asked = call.form.get("message_reference")
    if not asked:
        return None
    message_id = int(asked["message_id"])
    if message_id not in call.world.messages[channel.id]:
        if not asked.get("fail_if_not_exists", True):
            return None
        problems = Problems()
        text = "Unknown message"
        problems.add(("message_reference",), "REPLIES_UNKNOWN_MESSAGE", text)
        problems.raise_if_any()
    reference: JSON = {"type": 0, "channel_id": str(channel.id), "message_id": str(message_id)}
    if channel.guild_id is not None:
        reference["guild_id"] = str(channel.guild_id)
    return reference


@routes.on("GET", _MESSAGE)
async def get_message(call: Call) -> Result:
    """Return one message."""
    return _read(call, _message(call, bits.READ_MESSAGE_HISTORY))


@routes.on("PATCH", _MESSAGE)
async def edit_message(call: Call) -> Result:
    """Edit a message of the bot's own; old ones only so often."""
    message = _message(call)
    if message.author_id != call.world.bot_id:
        raise refusal(50005)
    form = _form(call, message)
    call.world.touch(message)
    call.world.rewrite(message, form)
    return message_json(call.world, message)


@routes.on("DELETE", _MESSAGE)
async def delete_message(call: Call) -> Result:
    """Delete a message, somebody else's only with the permission for it."""
    message = _message(call)
    if message.author_id != call.world.bot_id:
        _channel(call, bits.MANAGE_MESSAGES)
    call.world.erase(message)
    return None


@routes.on("PUT", "/channels/{channel_id}/messages/pins/{message_id}")
async def pin(call: Call) -> Result:
    """Pin a message."""
    _message(call, bits.MANAGE_MESSAGES).pinned = True
    return None


@routes.on("DELETE", "/channels/{channel_id}/messages/pins/{message_id}")
async def unpin(call: Call) -> Result:
    """Unpin a message."""
    _message(call, bits.MANAGE_MESSAGES).pinned = False
    return None


@routes.on("PUT", _REACTION + "/@me")
async def react(call: Call) -> Result:
    """Add the bot's reaction."""
    message = _message(call, bits.READ_MESSAGE_HISTORY)
    emoji = unquote(call.texts["emoji"])
    if emoji not in message.reactions:
        _channel(call, bits.ADD_REACTIONS)
    call.world.react(message, emoji, call.world.bot_id, adds=True)
    return None


@routes.on("DELETE", _REACTION + "/@me")
async def take_back_reaction(call: Call) -> Result:
    """Remove the bot's reaction."""
    emoji = unquote(call.texts["emoji"])
    call.world.react(_message(call), emoji, call.world.bot_id, adds=False)
    return None


@routes.on("GET", _REACTION)
async def get_reactions(call: Call) -> Result:
    """List who reacted with an emoji."""
    users = _message(call).reactions.get(unquote(call.texts["emoji"]), [])
    return [user_json(call.world.users[each]) for each in users]
