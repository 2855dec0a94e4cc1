"""What happens to messages and threads, whoever wanted it."""

from __future__ import annotations

import re
from typing import Any

from . import permissions as bits
from .component_rules import Kind, walk
from .errors import ApiError, refusal
from .forms import MessageForm
from .model import (
    JSON,
    Channel,
    ChannelKind,
    Message,
    MessageFlag,
    MessageKind,
)
from .payloads import (
    channel_json,
    message_event_json,
    message_json,
    thread_member_json,
    user_json,
)
from .state import State
from .storing import finish_components, new_attachment, shown_attachment_ids

_MENTION = re.compile(r"<@!?(\d{1,20})>")


class Posting(State):
    """Messages: sent, edited, deleted, with news to bot and users."""

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
        message = Message(
            id=self.snowflakes.next(),
            channel_id=channel.id,
            author_id=author_id,
            kind=kind,
            flags=form.flags,
            created_at=self.clock(),
            visible_to=visible_to,
            nonce=form.body.get("nonce"),
            **origin,
        )
        if visible_to is not None:
            message.flags |= MessageFlag.EPHEMERAL
        self._fill(message, form)
        if channel.is_thread and channel.archived and visible_to is None:
            self.change_channel(channel, archived=False)
        self.messages[channel.id][message.id] = message
        if visible_to is None:
            channel.last_message_id = message.id
        self._announce("create", message)
        return message

    def rewrite(self, message: Message, form: MessageForm, *, quiet: bool = False) -> None:
        """Change a message; with `quiet` it is not marked as edited.

        Raises:
            ApiError: 50083 in a thread that is archived, whoever has pressed what.
        """
        channel = self.channels[message.channel_id]
        if channel.is_thread and channel.archived and message.visible_to is None:
            raise refusal(50083)
        message.flags = form.flags
        if not quiet:
            message.edited_at = self.clock()
        self._fill(message, form)
        self._announce("update", message)

    def _fill(self, message: Message, form: MessageForm) -> None:
        """Put what the form says into the message and drop files nobody keeps."""
        body = form.body
        if "content" in body:
            message.content = str(body["content"] or "")
        if "embeds" in body:
            message.embeds = [dict(embed, type="rich") for embed in body["embeds"] or []]
        before = {each.id for each in message.attachments}
        if form.kept_ids is not None:
            message.attachments = [each for each in message.attachments if each.id in form.kept_ids]
        for upload, description in form.new_files:
            attachment = new_attachment(self.snowflakes.next(), upload, description)
            message.attachments.append(attachment)
            self.files[attachment.id] = upload.data
        if "components" in body:
            message.components = finish_components(body["components"] or [], message.attachments)
        if form.v2:
            shown = shown_attachment_ids(message.components)
            message.attachments = [each for each in message.attachments if each.id in shown]
        self.let_go(before - {each.id for each in message.attachments})
        self._mention(message, body)

    def _mention(self, message: Message, body: JSON) -> None:
        """Note who is pinged, within what the sender allows."""
        texts = [message.content] + [
            str(part.get("content", "")) for part in _texts(message.components)
        ]
        named = [int(found) for text in texts for found in _MENTION.findall(text)]
        allowed = body.get("allowed_mentions")
        if allowed is not None and "users" not in (allowed.get("parse") or []):
            listed = {int(each) for each in allowed.get("users") or []}
            named = [each for each in named if each in listed]
        message.mention_ids = list(dict.fromkeys(each for each in named if each in self.users))

    def erase(self, message: Message) -> None:
        """Delete a message; the addresses of its files stop working."""
        self.messages[message.channel_id].pop(message.id, None)
        for attachment in message.attachments:
            self.files.pop(attachment.id, None)
        self._announce("delete", message)

    def sent_before(self, nonce: str | int) -> Message | None:
        """Return the message that the bot has sent with a nonce in the past few minutes."""
        since = self.clock() - self.limits.nonce_seconds
        for messages in self.messages.values():
            for message in reversed(messages.values()):
                if message.created_at < since:
                    break
                if message.author_id == self.bot_id and message.nonce == nonce:
                    return message
        return None

    def touch(self, message: Message) -> None:
        """Count an edit and refuse it where an old message was edited too often.

        Raises:
            ApiError: 429 with code 30046.
        """
        now = self.clock()
        if now - message.created_at <= self.limits.late_edit_after_seconds:
            return
        message.late_edits = [each for each in message.late_edits if now - each < 3600]
        if len(message.late_edits) >= self.limits.late_edits_per_hour:
            wait = round(3600 - (now - message.late_edits[0]), 3)
            raise ApiError(
                429,
                30046,
                "Maximum number of edits to messages older than 1 hour reached. Try again later.",
                extra={"retry_after": wait, "global": False},
                headers={"Retry-After": str(int(wait) + 1), "Via": "1.1 sandbox"},
            )
        message.late_edits.append(now)

    def _announce(self, what: str, message: Message) -> None:
        """Tell users and, unless the message is ephemeral, the bot."""
        channel = self.channels[message.channel_id]
        ids: JSON = {"id": str(message.id), "channel_id": str(channel.id)}
        data = ids if what == "delete" else message_json(self, message)
        if message.visible_to is not None:
            self.tell_users(f"message_{what}", data, only=message.visible_to)
            return
        self.tell_channel(f"message_{what}", data, channel)
        if self.can_see(self.bot_id, channel):
            if what != "delete":
                data = message_event_json(self, message)
            elif channel.guild_id is not None:
                data = ids | {"guild_id": str(channel.guild_id)}
            self.tell_bot(f"MESSAGE_{what.upper()}", data, channel.guild_id)

    def react(self, message: Message, emoji: str, user_id: int, *, adds: bool) -> None:
        """Add or remove a reaction."""
        users = message.reactions.setdefault(emoji, [])
        if adds != (user_id in users):
            change = users.append if adds else users.remove
            change(user_id)
            channel = self.channels[message.channel_id]
            data: JSON = {
                "user_id": str(user_id),
                "channel_id": str(channel.id),
                "message_id": str(message.id),
                "emoji": {"id": None, "name": emoji},
                "burst": False,
                "type": 0,
            }
            if channel.guild_id is not None:
                data["guild_id"] = str(channel.guild_id)
            name = "MESSAGE_REACTION_ADD" if adds else "MESSAGE_REACTION_REMOVE"
            self.tell_bot(name, data, channel.guild_id)
        if not users:
            del message.reactions[emoji]
        self.tell_channel(
            "message_update", message_json(self, message), self.channels[message.channel_id]
        )

    def visible_messages(self, user_id: int, channel_id: int) -> list[JSON]:
        """Return what `user_id` sees in a channel, oldest first, as Discord's JSON."""
        channel = self.channel(channel_id)
        if not self.can_see(user_id, channel):
            return []
        messages = sorted(self.messages[channel_id].values(), key=lambda each: each.id)
        return [
            message_json(self, message)
            for message in messages
            if self.sees_message(user_id, message)
        ]

    # Typing, threads, channels

    def type_in(self, channel: Channel, user_id: int) -> None:
        """Show that somebody is writing."""
        data = {
            "channel_id": str(channel.id),
            "user_id": str(user_id),
            "user": user_json(self.users[user_id]),
            "timestamp": int(self.clock()),
        }
        self.tell_channel("typing", data, channel)

    def open_thread(
        self, parent: Channel, body: JSON, *, owner_id: int, message: Message | None = None
    ) -> Channel:
        """Open a thread in `parent`, from `message` if there is one.

        Raises:
            ApiError: If the parent has no threads, or the message has one already.
        """
        if parent.kind is not ChannelKind.TEXT:
            raise refusal(50024)
        if message is not None and message.thread_id is not None:
            raise refusal(160004)
        private = message is None and int(body.get("type", 12)) == ChannelKind.PRIVATE_THREAD
        thread = Channel(
            # A thread made from a message has the message's id.
            id=self.snowflakes.next() if message is None else message.id,
            kind=ChannelKind.PRIVATE_THREAD if private else ChannelKind.PUBLIC_THREAD,
            name=str(body["name"]),
            guild_id=parent.guild_id,
            parent_id=parent.id,
            owner_id=owner_id,
            auto_archive_minutes=int(body.get("auto_archive_duration") or 1440),
            thread_member_ids=[owner_id],
        )
        self.add_channel(thread)
        if message is not None:
            message.thread_id = thread.id
            message.flags |= MessageFlag.HAS_THREAD
            self._announce("update", message)
        return thread

    def join_thread(self, thread: Channel, user_id: int, *, joins: bool) -> None:
        """Put somebody into a thread, or take them out."""
        if joins == (user_id in thread.thread_member_ids):
            return
        if joins:
            thread.thread_member_ids.append(user_id)
        else:
            thread.thread_member_ids.remove(user_id)
        data: JSON = {
            "id": str(thread.id),
            "guild_id": str(thread.guild_id),
            "member_count": len(thread.thread_member_ids),
        }
        if joins:
            data["added_members"] = [thread_member_json(thread, user_id)]
        else:
            data["removed_member_ids"] = [str(user_id)]
        self.tell_bot("THREAD_MEMBERS_UPDATE", data, thread.guild_id)
        self.tell_channel("channel_update", channel_json(self, thread), thread)

    def change_channel(self, channel: Channel, **changes: Any) -> None:
        """Change fields of a channel and tell everybody."""
        if "archived" in changes and changes["archived"] != channel.archived:
            channel.archived_changed_at = self.clock()
        for key, value in changes.items():
            setattr(channel, key, value)
        data = channel_json(self, channel)
        event = "THREAD_UPDATE" if channel.is_thread else "CHANNEL_UPDATE"
        self.tell_channel("channel_update", data, channel)
        self.tell_bot(event, data, channel.guild_id)

    def remove_channel(self, channel: Channel) -> None:
        """Delete a channel with its messages."""
        data = channel_json(self, channel)
        self.tell_channel("channel_delete", data, channel)
        for message in self.messages.pop(channel.id, {}).values():
            for attachment in message.attachments:
                self.files.pop(attachment.id, None)
        del self.channels[channel.id]
        self.tell_bot(
            "THREAD_DELETE" if channel.is_thread else "CHANNEL_DELETE", data, channel.guild_id
        )

    def require_bot_may_send(self, channel: Channel, form_files: bool = False) -> None:
        """Refuse where the bot may not write, or not with files."""
        needed = bits.SEND_MESSAGES_IN_THREADS if channel.is_thread else bits.SEND_MESSAGES
        self.require_bot(channel, needed | (bits.ATTACH_FILES if form_files else 0))
        if channel.locked and channel.archived:
            raise refusal(50083)


def _texts(components: list[JSON]) -> list[JSON]:
    return [part for part in walk(components) if part.get("type") == Kind.TEXT_DISPLAY]
