"""Routes of channels, threads, messages, and answers to interactions."""

from __future__ import annotations

from functools import partial
from urllib.parse import unquote

from . import permissions as bits
from .errors import Problems, bad_form, refusal
from .interactions import Interaction, callback_json
from .model import JSON, Channel, ChannelKind, Message, MessageKind
from .payloads import (
    channel_json,
    message_json,
    message_link,
    overheard,
    thread_member_json,
    threads_json,
    user_json,
)
from .rest import Call, Result, Route


def _edit_channel(call: Call) -> Result:
    """Rename, archive or lock a thread; rename a channel."""
    channel, world = call.channel(), call.world
    if channel.kind is ChannelKind.DM:
        raise refusal(50024)
    own = channel.is_thread and channel.owner_id == world.bot_id
    reopening = channel.is_thread and set(call.form) <= {"archived"} and not channel.locked
    if not own and not reopening:
        world.require_bot(channel, _managing(channel))
    names = {"name": "name", "topic": "topic"}
    if channel.is_thread:
        names |= {"archived": "archived", "locked": "locked"}
        names["auto_archive_duration"] = "auto_archive_minutes"
    if "name" in call.form:
        _check_name(call)
    changes = {field: call.form[key] for key, field in names.items() if key in call.form}
    call.sandbox.channels.change(channel, **changes)
    return channel_json(world, channel)


def _managing(channel: Channel) -> int:
    return bits.MANAGE_THREADS if channel.is_thread else bits.MANAGE_CHANNELS


def _delete_channel(call: Call) -> Result:
    channel = call.channel()
    call.world.require_bot(channel, _managing(channel))
    body = channel_json(call.world, channel)
    call.sandbox.channels.remove(channel)
    return body


def _start_typing(call: Call) -> None:
    channel = call.channel()
    call.sandbox.channels.require_bot_may_send(channel)
    call.sandbox.channels.type_in(channel, call.world.bot_id)


def _open_thread(call: Call) -> Result:
    """Open a thread below a message, or without one: then private unless requested otherwise."""
    public, private = bits.CREATE_PUBLIC_THREADS, bits.CREATE_PRIVATE_THREADS
    message, message_id, world = None, call.ids.get("message_id"), call.world
    wants_private = int(call.form.get("type", 12)) == ChannelKind.PRIVATE_THREAD
    channel = call.channel(private if wants_private and message_id is None else public)
    if message_id is not None:
        message = world.message(channel.id, message_id)
    _check_name(call)
    thread = call.sandbox.channels.open_thread(
        channel, call.form, owner_id=world.bot_id, message=message
    )
    return channel_json(world, thread)


def _check_name(call: Call) -> None:
    problems, name = Problems(), call.form.get("name")
    if name is None:
        problems.require(("name",))
    else:
        problems.length(("name",), str(name), 1, 100)
    problems.raise_if_any()


def _archived(kind: ChannelKind, needed: int, call: Call) -> Result:
    """List the archived threads of one kind, newest first."""
    channel, world = call.channel(bits.READ_MESSAGE_HISTORY | needed), call.world
    inside = [each for each in world.channels.values() if each.parent_id == channel.id]
    threads = [each for each in inside if each.kind is kind and each.archived]
    threads.sort(key=lambda each: each.archived_changed_at, reverse=True)
    return threads_json(world, threads)


def _thread_members(call: Call) -> Result:
    thread = call.thread()
    return [thread_member_json(thread, each) for each in thread.thread_member_ids]


def _join(call: Call) -> None:
    """Add the bot, or somebody else, to a thread."""
    thread = call.thread()
    user_id = call.ids.get("user_id", call.world.bot_id)
    guild = call.world.guild_of(thread)
    if guild is None or user_id not in guild.members:
        raise refusal(10007)
    call.sandbox.channels.join_thread(thread, user_id, joins=True)


def _leave(call: Call) -> None:
    """Remove the bot, or somebody else, from a thread."""
    thread, bot_id = call.thread(), call.world.bot_id
    user_id = call.ids.get("user_id", bot_id)
    if bot_id not in (user_id, thread.owner_id):
        call.world.require_bot(thread, bits.MANAGE_THREADS)
    call.sandbox.channels.join_thread(thread, user_id, joins=False)


def _open_direct(call: Call) -> Result:
    recipient = call.form.get("recipient_id") or (call.form.get("recipients") or [0])[0]
    user_id, world = int(recipient), call.world
    if user_id not in world.users or user_id == world.bot_id:
        raise refusal(50007)
    return channel_json(world, call.sandbox.channels.direct(user_id, world.bot_id, by_bot=True))


# Messages


def _get_messages(call: Call) -> Result:
    """Return up to 100 messages, newest first, around a place in the channel."""
    channel = call.channel(bits.READ_MESSAGE_HISTORY)
    limit = int(call.query.get("limit", 50))
    if not 1 <= limit <= 100:
        text = "int value should be between 1 and 100."
        raise bad_form(("limit",), "NUMBER_TYPE_RANGE", text)
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
    return [_readable(call, each) for each in reversed(shown)]


def _readable(call: Call, message: Message) -> JSON:
    """Return a message as far as this application may read it."""
    body = message_json(call.world, message)
    in_guild = call.world.channels[message.channel_id].guild_id is not None
    if in_guild and not call.world.limits.privileged_intents:
        return overheard(call.world, body)
    return body


def _send_message(call: Call) -> Result:
    channel, world, messages = call.channel(), call.world, call.sandbox.messages
    call.sandbox.channels.require_bot_may_send(channel, files=bool(call.uploads))
    if not all(world.users[each].accepts_direct_messages for each in channel.recipient_ids):
        raise refusal(50007)
    form = messages.form(call.form, call.uploads)
    nonce = form.body.get("nonce")
    if nonce is not None and form.body.get("enforce_nonce"):
        known = messages.sent_before(nonce)
        if known is not None:
            return message_json(world, known)
    reference = _reference(call, channel)
    kind = MessageKind.DEFAULT if reference is None else MessageKind.REPLY
    message = messages.post(
        channel=channel, author_id=world.bot_id, form=form, kind=kind, reference=reference
    )
    return message_json(world, message)


def _reference(call: Call, channel: Channel) -> JSON | None:
    asked = call.form.get("message_reference")
    if not asked:
        return None
    message = call.world.messages[channel.id].get(int(asked["message_id"]))
    if message is None and asked.get("fail_if_not_exists", True):
        raise bad_form(("message_reference",), "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
    return message_link(message, channel.guild_id)


def _edit_message(call: Call) -> Result:
    """Edit one of the bot's own messages; edits of old ones are limited."""
    message = call.message()
    if message.author_id != call.world.bot_id:
        raise refusal(50005)
    messages = call.sandbox.messages
    form = messages.form(call.form, call.uploads, existing=message)
    messages.count_edit(message)
    messages.rewrite(message, form)
    return message_json(call.world, message)


def _delete_message(call: Call) -> None:
    """Delete a message, somebody else's only with the permission for it."""
    message = call.message()
    if message.author_id != call.world.bot_id:
        call.channel(bits.MANAGE_MESSAGES)
    call.sandbox.messages.erase(message)


def _pin(pinned: bool, call: Call) -> None:
    call.message(bits.MANAGE_MESSAGES).pinned = pinned


def _react(call: Call) -> None:
    message = call.message(bits.READ_MESSAGE_HISTORY)
    emoji = unquote(call.texts["emoji"])
    if emoji not in message.reactions:
        call.channel(bits.ADD_REACTIONS)
    call.sandbox.messages.react(message, emoji, call.world.bot_id, adds=True)


def _take_back_reaction(call: Call) -> None:
    emoji = unquote(call.texts["emoji"])
    call.sandbox.messages.react(call.message(), emoji, call.world.bot_id, adds=False)


def _get_reactions(call: Call) -> Result:
    users = call.message().reactions.get(unquote(call.texts["emoji"]), [])
    return [user_json(call.world.users[each]) for each in users]


# Interactions: the first answer, and what follows through the webhook


def _answer(call: Call) -> Result:
    """Take the first answer; return its outcome only if the bot asked for it."""
    interactions, token = call.sandbox.interactions, call.texts["token"]
    interaction = interactions.answer(call.ids["interaction_id"], token, call.form, call.uploads)
    return callback_json(call.world, interaction) if call.flag("with_response") else None


def _interaction(call: Call) -> Interaction:
    return call.sandbox.interactions.by_webhook(call.ids["webhook_id"], call.texts["token"])


def _own(call: Call) -> Message:
    """Return the message in the address: the first answer, or another of the same webhook."""
    interaction, message_id = _interaction(call), call.ids.get("message_id")
    if message_id is None:
        return call.sandbox.interactions.original(interaction)
    return call.sandbox.interactions.own_message(interaction, message_id)


def _get_webhook(call: Call) -> Result:
    interaction = _interaction(call)
    return {
        "id": str(call.world.application_id),
        "type": 3,
        "application_id": str(call.world.application_id),
        "name": call.world.bot.username,
        "avatar": None,
        "channel_id": None,
        "guild_id": interaction.guild_id and str(interaction.guild_id),
        "token": interaction.token,
    }


def _follow_up(call: Call) -> Result:
    """Send a follow-up; for interactions Discord always returns it."""
    interaction, interactions = _interaction(call), call.sandbox.interactions
    return message_json(call.world, interactions.follow_up(interaction, call.form, call.uploads))


def _edit_answer(call: Call) -> Result:
    """Edit an answer, or replace a deferred one with the actual answer."""
    message, interactions = _own(call), call.sandbox.interactions
    if message.author_id != call.world.bot_id:
        raise refusal(50005)
    revised = interactions.revise(_interaction(call), message, call.form, call.uploads)
    return message_json(call.world, revised)


def _delete_answer(call: Call) -> None:
    call.sandbox.interactions.retract(_interaction(call), _own(call))


def _answer_routes(template: str) -> list[Route]:
    return [
        Route("GET", template, lambda c: message_json(c.world, _own(c)), needs_token=False),
        Route("PATCH", template, _edit_answer, needs_token=False),
        Route("DELETE", template, _delete_answer, needs_token=False),
    ]


_CHANNEL = "/channels/{channel_id}"
_THREADS = _CHANNEL + "/threads"
_MEMBERS = _CHANNEL + "/thread-members"
_MESSAGES = _CHANNEL + "/messages"
_MESSAGE = _MESSAGES + "/{message_id}"
_PIN = _MESSAGES + "/pins/{message_id}"
_REACTION = _MESSAGE + "/reactions/{emoji}"
_CALLBACK = "/interactions/{interaction_id}/{token}/callback"
_WEBHOOK = "/webhooks/{webhook_id}/{token}"
_PUBLIC = partial(_archived, ChannelKind.PUBLIC_THREAD, 0)
_PRIVATE = partial(_archived, ChannelKind.PRIVATE_THREAD, bits.MANAGE_THREADS)

ROUTES = [
    Route("GET", _CHANNEL, lambda call: channel_json(call.world, call.channel())),
    Route("PATCH", _CHANNEL, _edit_channel),
    Route("DELETE", _CHANNEL, _delete_channel),
    Route("POST", _CHANNEL + "/typing", _start_typing),
    Route("POST", _MESSAGE + "/threads", _open_thread, status=201),
    Route("POST", _THREADS, _open_thread, status=201),
    Route("GET", _THREADS + "/archived/public", _PUBLIC),
    Route("GET", _THREADS + "/archived/private", _PRIVATE),
    Route("GET", _MEMBERS, _thread_members),
    Route("PUT", _MEMBERS + "/@me", _join),
    Route("DELETE", _MEMBERS + "/@me", _leave),
    Route("PUT", _MEMBERS + "/{user_id}", _join),
    Route("DELETE", _MEMBERS + "/{user_id}", _leave),
    Route("POST", "/users/@me/channels", _open_direct),
    Route("GET", _MESSAGES, _get_messages),
    Route("POST", _MESSAGES, _send_message),
    Route("GET", _MESSAGE, lambda c: _readable(c, c.message(bits.READ_MESSAGE_HISTORY))),
    Route("PATCH", _MESSAGE, _edit_message),
    Route("DELETE", _MESSAGE, _delete_message),
    Route("PUT", _PIN, partial(_pin, True)),
    Route("DELETE", _PIN, partial(_pin, False)),
    Route("PUT", _REACTION + "/@me", _react),
    Route("DELETE", _REACTION + "/@me", _take_back_reaction),
    Route("GET", _REACTION, _get_reactions),
    Route("POST", _CALLBACK, _answer, needs_token=False),
    Route("GET", _WEBHOOK, _get_webhook, needs_token=False),
    Route("POST", _WEBHOOK, _follow_up, needs_token=False),
    *_answer_routes(_WEBHOOK + "/messages/@original"),
    *_answer_routes(_WEBHOOK + "/messages/{message_id}"),
]
