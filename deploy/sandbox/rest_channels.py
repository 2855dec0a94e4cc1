"""Routes of channels: themselves, typing, threads, direct conversations."""

from __future__ import annotations

from . import permissions as bits
from .errors import Problems, refusal
from .model import Channel, ChannelKind
from .payloads import channel_json, thread_member_json
from .rest import Call, Result, Routes

routes = Routes()

_CHANNEL = "/channels/{channel_id}"


def _channel(call: Call, needed: int = 0) -> Channel:
    channel = call.world.channel(call.ids["channel_id"])
    call.world.require_bot(channel, needed)
    return channel


def _thread(call: Call) -> Channel:
    thread = _channel(call)
    if not thread.is_thread:
        raise refusal(50024)
    return thread


@routes.on("GET", _CHANNEL)
async def get_channel(call: Call) -> Result:
    """Return a channel."""
    return channel_json(call.world, _channel(call))


@routes.on("PATCH", _CHANNEL)
async def edit_channel(call: Call) -> Result:
    """Rename, archive or lock a thread; rename a channel."""
    channel, world = _channel(call), call.world
    if channel.kind is ChannelKind.DM:
        raise refusal(50024)
    own = channel.is_thread and channel.owner_id == world.bot_id
    reopening = channel.is_thread and set(call.form) <= {"archived"} and not channel.locked
    if not own and not reopening:
        world.require_bot(channel, bits.MANAGE_THREADS if channel.is_thread else 1 << 4)
    names = {"name": "name", "topic": "topic"}
    if channel.is_thread:
        names |= {
            "archived": "archived",
            "locked": "locked",
            "auto_archive_duration": "auto_archive_minutes",
        }
    if "name" in call.form:
        _check_name(call)
    changes = {field: call.form[key] for key, field in names.items() if key in call.form}
    world.change_channel(channel, **changes)
    return channel_json(world, channel)


@routes.on("DELETE", _CHANNEL)
async def delete_channel(call: Call) -> Result:
    """Delete a channel or thread."""
    channel = _channel(call)
    call.world.require_bot(channel, bits.MANAGE_THREADS if channel.is_thread else 1 << 4)
    body = channel_json(call.world, channel)
    call.world.remove_channel(channel)
    return body


@routes.on("POST", _CHANNEL + "/typing")
async def start_typing(call: Call) -> Result:
    """Show that the bot is writing."""
    channel = _channel(call)
    call.world.require_bot_may_send(channel)
    call.world.type_in(channel, call.world.bot_id)
    return None


@routes.on("POST", _CHANNEL + "/messages/{message_id}/threads", status=201)
async def open_thread_from_message(call: Call) -> Result:
    """Open a thread below a message."""
    channel = _channel(call, bits.CREATE_PUBLIC_THREADS)
    message = call.world.message(channel.id, call.ids["message_id"])
    _check_name(call)
    thread = call.world.open_thread(channel, call.form, owner_id=call.world.bot_id, message=message)
    return channel_json(call.world, thread)


@routes.on("POST", _CHANNEL + "/threads", status=201)
async def open_thread(call: Call) -> Result:
    """Open a thread that belongs to no message; private unless asked otherwise."""
    private = int(call.form.get("type", 12)) == ChannelKind.PRIVATE_THREAD
    needed = bits.CREATE_PRIVATE_THREADS if private else bits.CREATE_PUBLIC_THREADS
    channel = _channel(call, needed)
    _check_name(call)
    thread = call.world.open_thread(channel, call.form, owner_id=call.world.bot_id)
    return channel_json(call.world, thread)


def _check_name(call: Call) -> None:
    problems = Problems()
    name = call.form.get("name")
    if name is None:
        problems.require(("name",))
    elif not 1 <= len(str(name)) <= 100:
        problems.length(("name",), 1, 100)
    problems.raise_if_any()


@routes.on("GET", _CHANNEL + "/threads/archived/public")
async def archived_public(call: Call) -> Result:
    """List the public threads of a channel that are archived."""
    return _archived(call, ChannelKind.PUBLIC_THREAD)


@routes.on("GET", _CHANNEL + "/threads/archived/private")
async def archived_private(call: Call) -> Result:
    """List the private threads of a channel that are archived."""
    _channel(call, bits.MANAGE_THREADS)
    return _archived(call, ChannelKind.PRIVATE_THREAD)


def _archived(call: Call, kind: ChannelKind) -> Result:
    channel, world = _channel(call, bits.READ_MESSAGE_HISTORY), call.world
    threads = [
        each
        for each in world.channels.values()
        if each.parent_id == channel.id and each.kind is kind and each.archived
    ]
    threads.sort(key=lambda each: each.archived_changed_at, reverse=True)
    joined = [each for each in threads if world.bot_id in each.thread_member_ids]
    return {
        "threads": [channel_json(world, each) for each in threads],
        "members": [thread_member_json(each, world.bot_id) for each in joined],
        "has_more": False,
    }


@routes.on("GET", _CHANNEL + "/thread-members")
async def thread_members(call: Call) -> Result:
    """List who is in a thread."""
    thread = _thread(call)
    return [thread_member_json(thread, each) for each in thread.thread_member_ids]


@routes.on("PUT", _CHANNEL + "/thread-members/@me")
async def join(call: Call) -> Result:
    """Join a thread."""
    call.world.join_thread(_thread(call), call.world.bot_id, joins=True)
    return None


@routes.on("DELETE", _CHANNEL + "/thread-members/@me")
async def leave(call: Call) -> Result:
    """Leave a thread."""
    call.world.join_thread(_thread(call), call.world.bot_id, joins=False)
    return None


@routes.on("PUT", _CHANNEL + "/thread-members/{user_id}")
async def add_thread_member(call: Call) -> Result:
    """Put somebody into a thread."""
    thread = _thread(call)
    guild = call.world.guild_of(thread)
    if guild is None or call.ids["user_id"] not in guild.members:
        raise refusal(10007)
    call.world.join_thread(thread, call.ids["user_id"], joins=True)
    return None


@routes.on("DELETE", _CHANNEL + "/thread-members/{user_id}")
async def remove_thread_member(call: Call) -> Result:
    """Take somebody out of a thread."""
    thread = _thread(call)
    if thread.owner_id != call.world.bot_id:
        call.world.require_bot(thread, bits.MANAGE_THREADS)
    call.world.join_thread(thread, call.ids["user_id"], joins=False)
    return None


@routes.on("POST", "/users/@me/channels")
async def open_direct(call: Call) -> Result:
    """Open the conversation with a user."""
    recipient = call.form.get("recipient_id") or (call.form.get("recipients") or [0])[0]
    user_id = int(recipient)
    if user_id not in call.world.users or user_id == call.world.bot_id:
        raise refusal(50007)
    channel = call.world.open_direct_for_bot(user_id)
    return channel_json(call.world, channel)
