"""Changes to channels and messages, made by the bot or by people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from . import permissions as bits
from .components import Kind, finish_components, new_attachment, shown_attachment_ids, walk
from .errors import Path, refusal
from .forms import MessageForm, read_message_form
from .model import JSON, Channel, ChannelKind, Message, MessageFlag, MessageKind, Upload
from .payloads import channel_json, in_guild, message_json, thread_member_json, user_json
from .world import World

_MENTION = re.compile(r"<@!?(\d{1,20})>")
_ROLE_MENTION = re.compile(r"<@&(\d{1,20})>")


class Channels:
    """Opens, changes and removes channels, and notifies the bot and the users."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._direct_openings: list[float] = []

    def direct(self, *user_ids: int, by_bot: bool = False) -> Channel:
        """Return the conversation of users, begun if needed; 40003 if the bot begins too many."""
        world, wanted = self._world, sorted(user_ids)
        for channel in world.channels.values():
            if channel.kind is ChannelKind.DM and sorted(channel.recipient_ids) == wanted:
                return channel
        if by_bot:
            (most, seconds), now = world.limits.direct_openings, world.clock()
            self._direct_openings = [each for each in self._direct_openings if now - each < seconds]
            if len(self._direct_openings) >= most:
                raise refusal(40003)
            self._direct_openings.append(now)
        identifier, recipient_ids = world.snowflakes.next(), list(user_ids)
        return world.add_channel(
            Channel(id=identifier, kind=ChannelKind.DM, recipient_ids=recipient_ids)
        )

    def open_thread(
        self, parent: Channel, body: JSON, *, owner_id: int, message: Message | None = None
    ) -> Channel:
        """Open a thread in `parent`, below `message` if given; 50024 or 160004 if impossible."""
        if parent.kind is not ChannelKind.TEXT:
            raise refusal(50024)
        if message is not None and message.thread_id is not None:
            raise refusal(160004)
        private = message is None and int(body.get("type", 12)) == ChannelKind.PRIVATE_THREAD
        thread = Channel(
            # A thread made from a message has the message's id.
            id=self._world.snowflakes.next() if message is None else message.id,
            kind=ChannelKind.PRIVATE_THREAD if private else ChannelKind.PUBLIC_THREAD,
            name=str(body["name"]),
            guild_id=parent.guild_id,
            parent_id=parent.id,
            owner_id=owner_id,
            auto_archive_minutes=int(body.get("auto_archive_duration") or 1440),
            thread_member_ids=[owner_id],
        )
        self._world.add_channel(thread)
        if message is not None:
            message.thread_id = thread.id
            message.flags |= MessageFlag.HAS_THREAD
            self._world.news.tell_of_message("update", message)
        return thread

    def join_thread(self, thread: Channel, user_id: int, *, joins: bool) -> None:
        """Add somebody to a thread, or remove them; 50083 if it is archived."""
        if joins == (user_id in thread.thread_member_ids):
            return
        require_open(thread)
        data: JSON = {"id": str(thread.id), "guild_id": str(thread.guild_id)}
        if joins:
            thread.thread_member_ids.append(user_id)
            data["added_members"] = [thread_member_json(thread, user_id)]
        else:
            thread.thread_member_ids.remove(user_id)
            data["removed_member_ids"] = [str(user_id)]
        data["member_count"] = len(thread.thread_member_ids)
        self._world.news.tell_bot("THREAD_MEMBERS_UPDATE", data, thread.guild_id)
        self._world.news.tell_channel("channel_update", channel_json(self._world, thread), thread)

    def change(self, channel: Channel, **changes: Any) -> None:
        """Change fields of a channel and tell everybody."""
        if "archived" in changes and changes["archived"] != channel.archived:
            channel.archived_changed_at = self._world.clock()
        for key, value in changes.items():
            setattr(channel, key, value)
        self._tell("update", channel)

    def remove(self, channel: Channel) -> None:
        """Delete a channel with its messages."""
        world = self._world
        self._tell("delete", channel)
        for message in world.messages.pop(channel.id, {}).values():
            for attachment in message.attachments:
                world.files.pop(attachment.id, None)
        del world.channels[channel.id]

    def _tell(self, what: str, channel: Channel) -> None:
        data, news = channel_json(self._world, channel), self._world.news
        event = f"{'THREAD' if channel.is_thread else 'CHANNEL'}_{what.upper()}"
        news.tell_channel(f"channel_{what}", data, channel)
        news.tell_bot(event, data, channel.guild_id)

    def type_in(self, channel: Channel, user_id: int) -> None:
        """Show that somebody is typing."""
        data = {
            "channel_id": str(channel.id),
            "user_id": str(user_id),
            "user": user_json(self._world.users[user_id]),
            "timestamp": int(self._world.clock()),
        }
        self._world.news.tell_channel("typing", data, channel)

    def require_bot_may_send(self, channel: Channel, *, files: bool = False) -> None:
        """Refuse if the bot may not write here or, with `files`, may not attach them."""
        needed = bits.writing_in(channel) | (bits.ATTACH_FILES if files else 0)
        self._world.require_bot(channel, needed)
        if channel.locked:
            require_open(channel)


def require_open(channel: Channel) -> None:
    """Refuse with 50083 if `channel` is an archived thread, locked or not.

    Messages in it cannot be edited or deleted, and nobody can react or join. Sending a
    message reopens it, unless it is locked.
    """
    if channel.is_thread and channel.archived:
        raise refusal(50083)


class Messages:
    """Sends, edits and deletes messages, and notifies the bot and the users."""

    def __init__(self, world: World, channels: Channels) -> None:
        self._world = world
        self._channels = channels
        self._late_edits: dict[int, list[float]] = {}
        """When messages older than an hour were edited, by channel."""

    def form(
        self,
        body: JSON,
        uploads: Sequence[Upload] = (),
        *,
        existing: Message | None = None,
        root: Path = (),
    ) -> MessageForm:
        """Check a request to send or edit a message, as `read_message_form` does."""
        most = self._world.limits.upload_bytes
        return read_message_form(body, uploads, existing=existing, upload_bytes=most, root=root)

    def post(
        self,
        *,
        channel: Channel,
        author_id: int,
        form: MessageForm,
        kind: MessageKind = MessageKind.DEFAULT,
        visible_to: int | None = None,
        **origin: Any,
    ) -> Message:
        """Send a message; `origin` are further fields of Message."""
        world = self._world
        message = Message(
            id=world.snowflakes.next(),
            channel_id=channel.id,
            author_id=author_id,
            kind=kind,
            flags=form.flags,
            created_at=world.clock(),
            visible_to=visible_to,
            nonce=form.body.get("nonce"),
            **origin,
        )
        if visible_to is not None:
            message.flags |= MessageFlag.EPHEMERAL
        self._fill(message, form)
        if channel.is_thread and channel.archived and visible_to is None:
            self._channels.change(channel, archived=False)
        world.messages[channel.id][message.id] = message
        if visible_to is None:
            channel.last_message_id = message.id
        world.news.tell_of_message("create", message)
        return message

    def rewrite(self, message: Message, form: MessageForm, *, quiet: bool = False) -> None:
        """Edit a message; `quiet` does not mark it as edited. 50083 in an archived thread."""
        self._require_open(message)
        message.flags = form.flags
        if not quiet:
            message.edited_at = self._world.clock()
        self._fill(message, form)
        self._world.news.tell_of_message("update", message)

    def _require_open(self, message: Message) -> None:
        """Refuse with 50083 if a message is in an archived thread and not ephemeral."""
        if message.visible_to is None:
            require_open(self._world.channels[message.channel_id])

    def _fill(self, message: Message, form: MessageForm) -> None:
        """Apply the form to the message and drop files that it no longer keeps."""
        body = form.body
        if "content" in body:
            message.content = str(body["content"] or "")
        if "embeds" in body:
            message.embeds = [dict(embed, type="rich") for embed in body["embeds"] or []]
        before = {each.id for each in message.attachments}
        if form.kept_ids is not None:
            message.attachments = [each for each in message.attachments if each.id in form.kept_ids]
        for upload, description in form.new_files:
            attachment = new_attachment(self._world.snowflakes.next(), upload, description)
            message.attachments.append(attachment)
            self._world.files[attachment.id] = upload.data
        if "components" in body:
            message.components = finish_components(body["components"] or [], message.attachments)
        if form.v2:
            shown = shown_attachment_ids(message.components)
            message.attachments = [each for each in message.attachments if each.id in shown]
        self._world.let_go(before - {each.id for each in message.attachments})
        self._mention(message, body)

    def _mention(self, message: Message, body: JSON) -> None:
        """Note who is pinged, as far as the sender allows."""
        parts = [part for part in walk(message.components) if part["type"] == Kind.TEXT_DISPLAY]
        texts = [message.content, *(str(part.get("content", "")) for part in parts)]
        text, allowed = "\n".join(texts), body.get("allowed_mentions")
        world, channel = self._world, self._world.channels[message.channel_id]
        users = _named(_MENTION.findall(text), allowed, "users")
        message.mention_ids = [each for each in users if each in world.users]
        guild = world.guild_of(channel)
        there = {} if guild is None else guild.roles
        may_all = world.permissions(message.author_id, channel) & bits.MENTION_EVERYONE
        roles = _named(_ROLE_MENTION.findall(text), allowed, "roles")
        message.mention_role_ids = [
            each for each in roles if each in there and (may_all or there[each].mentionable)
        ]

    def erase(self, message: Message) -> None:
        """Delete a message with its files, or refuse with 50083 in an archived thread."""
        self._require_open(message)
        self._world.messages[message.channel_id].pop(message.id, None)
        for attachment in message.attachments:
            self._world.files.pop(attachment.id, None)
        self._world.news.tell_of_message("delete", message)

    def sent_before(self, nonce: str | int) -> Message | None:
        """Return the message that the bot sent with a nonce in the past few minutes, if any."""
        since = self._world.clock() - self._world.limits.nonce_seconds
        for messages in self._world.messages.values():
            for message in reversed(messages.values()):
                if message.created_at < since:
                    break
                if message.author_id == self._world.bot_id and message.nonce == nonce:
                    return message
        return None

    def count_edit(self, message: Message) -> None:
        """Count an edit, or refuse with 30046 if old messages were edited too often."""
        now, limits = self._world.clock(), self._world.limits
        if now - message.created_at <= limits.late_edit_after_seconds:
            return
        recent = [
            each for each in self._late_edits.get(message.channel_id, []) if now - each < 3600
        ]
        if len(recent) >= limits.late_edits_per_hour:
            wait = round(3600 - (now - recent[0]), 3)
            error = refusal(30046)
            error.extra = {"retry_after": wait, "global": False}
            error.headers = {"Retry-After": str(int(wait) + 1), "Via": "1.1 sandbox"}
            raise error
        self._late_edits[message.channel_id] = [*recent, now]

    def react(self, message: Message, emoji: str, user_id: int, *, adds: bool) -> None:
        """Add or remove a reaction, or refuse with 50083 in an archived thread."""
        self._require_open(message)
        channel, news = self._world.channels[message.channel_id], self._world.news
        users = message.reactions.setdefault(emoji, [])
        if adds != (user_id in users):
            change = users.append if adds else users.remove
            change(user_id)
            data: JSON = {
                "user_id": str(user_id),
                "channel_id": str(channel.id),
                "message_id": str(message.id),
                "emoji": {"id": None, "name": emoji},
                "burst": False,
                "type": 0,
                **in_guild(channel.guild_id),
            }
            name = "MESSAGE_REACTION_ADD" if adds else "MESSAGE_REACTION_REMOVE"
            news.tell_bot(name, data, channel.guild_id)
        if not users:
            del message.reactions[emoji]
        news.tell_channel("message_update", message_json(self._world, message), channel)


def _named(mentioned: list[str], allowed: JSON | None, kind: str) -> list[int]:
    """Return the ids mentioned in a text that the sender allows, each once."""
    named = [int(found) for found in mentioned]
    if allowed is not None and kind not in (allowed.get("parse") or []):
        listed = {int(each) for each in allowed.get(kind) or []}
        named = [each for each in named if each in listed]
    return list(dict.fromkeys(named))
