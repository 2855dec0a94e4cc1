"""People among themselves: reactions, threads, conversations, and who they are."""

from __future__ import annotations

from . import permissions as bits
from .errors import ApiError, HandError
from .forms import read_message_form
from .hands import Hands
from .locales import LOCALES
from .model import THREADS, Channel, ChannelKind, Message, MessageKind


class Company(Hands):
    """What people do that the bot has no part in, or only hears of."""

    def set_person(
        self,
        user_id: int,
        *,
        locale: str | None = None,
        has_installed: bool | None = None,
        accepts_direct_messages: bool | None = None,
    ) -> None:
        """Change what a person chose in their own settings; None leaves it.

        Raises:
            HandError: If nobody has the identifier, or Discord has no such language.
        """
        user = self.users.get(user_id)
        if user is None or user.bot:
            raise HandError(f"nobody has the id {user_id}")
        if locale is not None and locale not in LOCALES:
            raise HandError(f"Discord has no language {locale!r}")
        user.locale = locale or user.locale
        if has_installed is not None:
            user.has_installed = has_installed
        if accepts_direct_messages is not None:
            user.accepts_direct_messages = accepts_direct_messages
        self.tell_users("person", {"id": str(user_id)})

    def toggle_reaction(self, user_id: int, message_id: int, emoji: str) -> bool:
        """Add a person's reaction, or take it back; tell whether it is there now.

        Raises:
            HandError: If they may not react here, or this is no emoji.
        """
        message = self._seen(user_id, message_id)
        if message.visible_to is not None:
            raise HandError("nobody can react to a message that only they see")
        if not 0 < len(emoji) <= 32 or emoji.isalnum():
            raise HandError(f"{emoji!r} is not an emoji")
        adds = user_id not in message.reactions.get(emoji, [])
        granted = self.permissions(user_id, self.channel(message.channel_id))
        # Everybody may join a reaction that is there already.
        if adds and emoji not in message.reactions and not granted & bits.ADD_REACTIONS:
            raise HandError("this user may not add reactions here")
        self.react(message, emoji, user_id, adds=adds)
        return adds

    def start_thread(
        self, user_id: int, channel_id: int, name: str, message_id: int | None = None
    ) -> Channel:
        """Open a public thread, below a message if one is named.

        Raises:
            HandError: If this user may not, or the message has a thread already.
        """
        channel = self._open(user_id, channel_id)
        message = None if message_id is None else self._seen(user_id, message_id)
        if message is not None and message.visible_to is not None:
            raise HandError("a message that only one sees has no thread")
        if not self.permissions(user_id, channel) & bits.CREATE_PUBLIC_THREADS:
            raise HandError("this user may not open threads here")
        if not 1 <= len(name.strip()) <= 100:
            raise HandError("a thread's name has 1 to 100 characters")
        body = {"name": name.strip(), "type": int(ChannelKind.PUBLIC_THREAD)}
        try:
            thread = self.open_thread(channel, body, owner_id=user_id, message=message)
        except ApiError as error:
            raise HandError(f"no thread can be opened here: {error.message}") from error
        if message is None:
            self._tell_of_thread(channel, thread, user_id)
        return thread

    def _tell_of_thread(self, channel: Channel, thread: Channel, user_id: int) -> Message:
        """Post the line that leads to a thread which belongs to no message."""
        form = read_message_form({"content": thread.name}, [], upload_bytes=0)
        reference = {
            "type": 0,
            "channel_id": str(thread.id),
            "guild_id": str(channel.guild_id),
        }
        kind = MessageKind.THREAD_CREATED
        return self.post(
            channel=channel, author_id=user_id, form=form, kind=kind, reference=reference
        )

    def set_archived(self, user_id: int, thread_id: int, *, archived: bool) -> None:
        """Close a thread or open it again; its owner and who manages threads may.

        Raises:
            HandError: If this is no thread, or not theirs to close.
        """
        thread = self._open(user_id, thread_id)
        if thread.kind not in THREADS:
            raise HandError("only threads can be closed")
        granted = self.permissions(user_id, thread)
        if thread.owner_id != user_id and not granted & bits.MANAGE_THREADS:
            raise HandError("only its owner and moderators may close a thread")
        self.change_channel(thread, archived=archived)

    def open_direct_with(self, user_id: int, other_id: int) -> Channel:
        """Open the conversation of two people, of which the bot is no part.

        Raises:
            HandError: If there is nobody to talk to.
        """
        other = self.users.get(other_id)
        if other is None or other_id == user_id or user_id not in self.users:
            raise HandError(f"nobody to talk to has the id {other_id}")
        return self.direct_channel(user_id, other_id)
