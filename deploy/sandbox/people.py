"""What people do: with the bot, and among themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import inputs
from . import permissions as bits
from .components import SELECTS, Kind, walk
from .errors import ApiError, HandError
from .interactions import Interaction, InteractionKind, Interactions
from .messages import Channels, Messages
from .model import JSON, LOCALES, Channel, ChannelKind, Guild, Message, MessageKind, Upload
from .payloads import channel_json, guild_create_json, message_json, user_json
from .world import World

Options = Mapping[str, Any] | None
_SLASH, _ON_USER, _ON_MESSAGE = 1, 2, 3


class People:
    """What users do and see. Anything Discord's client would not let them do raises a HandError."""

    def __init__(
        self, world: World, channels: Channels, messages: Messages, interactions: Interactions
    ) -> None:
        self._world = world
        self._channels = channels
        self._messages = messages
        self._interactions = interactions

    # What they see

    def channels_for(self, user_id: int) -> list[JSON]:
        """Return the channels that a user can open, as JSON, in the order of a sidebar."""
        world = self._world
        seen = [each for each in world.channels.values() if world.can_see(user_id, each)]
        seen.sort(key=lambda each: (each.guild_id or 0, each.position, each.id))
        return [self._as_listed(user_id, each) for each in seen]

    def _as_listed(self, user_id: int, channel: Channel) -> JSON:
        body = channel_json(self._world, channel)
        if channel.kind is ChannelKind.DM:
            others = [each for each in channel.recipient_ids if each != user_id]
            body["recipients"] = [user_json(self._world.users[each]) for each in others]
        return body

    def commands_for(self, user_id: int, channel_id: int) -> list[JSON]:
        """Return the commands that a user may use in a channel, as registered."""
        return inputs.usable_commands(self._world, user_id, self._open(user_id, channel_id))

    def visible_messages(self, user_id: int, channel_id: int) -> list[JSON]:
        """Return what a user sees in a channel, oldest first, as Discord's JSON."""
        world = self._world
        if not world.can_see(user_id, world.channel(channel_id)):
            return []
        messages = sorted(world.messages[channel_id].values(), key=lambda each: each.id)
        return [message_json(world, each) for each in messages if world.sees_message(user_id, each)]

    # What they do with the bot

    async def slash(
        self, user_id: int, channel_id: int, name: str, options: Options = None
    ) -> Interaction:
        """Use a slash command; a subcommand follows after a space ("game new")."""
        return self._slash(user_id, channel_id, name, options, None)

    async def autocomplete(
        self, user_id: int, channel_id: int, name: str, options: Options = None, focused: str = ""
    ) -> list[JSON]:
        """Return the bot's choices for the option `focused`; NoAnswerError if none come in time."""
        asked = self._slash(user_id, channel_id, name, options, focused)
        choices: list[JSON] = (await asked.wait())["data"]["choices"]
        return choices

    async def use_on_user(
        self, user_id: int, channel_id: int, name: str, target_id: int
    ) -> Interaction:
        """Use a command of a user's context menu."""
        channel = self._open(user_id, channel_id)
        command = inputs.find_command(self._world, user_id, channel, name, _ON_USER)
        resolved = inputs.Resolved(self._world, channel)
        resolved.add_user(target_id)
        return self._menu(user_id, channel, command, target_id, resolved.body)

    async def use_on_message(self, user_id: int, name: str, message_id: int) -> Interaction:
        """Use a command of a message's context menu."""
        message = self._seen(user_id, message_id)
        channel = self._open(user_id, message.channel_id)
        command = inputs.find_command(self._world, user_id, channel, name, _ON_MESSAGE)
        resolved = {"messages": {str(message_id): message_json(self._world, message)}}
        return self._menu(user_id, channel, command, message_id, resolved)

    async def press(self, user_id: int, message_id: int, custom_id: str) -> Interaction:
        """Press a button."""
        message = self._seen(user_id, message_id)
        button = _find(message, custom_id)
        if button["type"] != Kind.BUTTON:
            raise HandError(f"{custom_id!r} is not a button")
        return self._use(user_id, message, button, {})

    async def select(
        self, user_id: int, message_id: int, custom_id: str, values: Sequence[str | int]
    ) -> Interaction:
        """Choose from a select menu: values of a string select, identifiers for other kinds."""
        message = self._seen(user_id, message_id)
        menu = _find(message, custom_id)
        if menu["type"] not in SELECTS:
            raise HandError(f"{custom_id!r} is not a select menu")
        chosen = [str(value) for value in values]
        inputs.require_count(menu, chosen, menu.get("min_values", 1), menu.get("max_values", 1))
        more: JSON = {"values": chosen}
        if menu["type"] == Kind.STRING_SELECT:
            inputs.require_offered(menu, chosen)
        else:
            resolved = inputs.Resolved(self._world, self._world.channel(message.channel_id))
            resolved.add_chosen(menu, chosen)
            more["resolved"] = resolved.body
        return self._use(user_id, message, menu, more)

    async def submit_modal(
        self, user_id: int, interaction: Interaction, values: Mapping[str, Any]
    ) -> Interaction:
        """Fill in and send the modal that `interaction` opened.

        `values` are by custom id: texts, lists of values or identifiers, lists of Upload.
        """
        modal = interaction.modal
        if modal is None or interaction.user_id != user_id:
            raise HandError("no modal is open for this user")
        channel = self._world.channel(interaction.channel_id)
        resolved = inputs.Resolved(self._world, channel)
        entered = {
            key: [resolved.add_upload(each) if isinstance(each, Upload) else each for each in value]
            if isinstance(value, list)
            else value
            for key, value in values.items()
        }
        filled = inputs.modal_entries(modal["components"], entered)
        asked = {part.get("custom_id"): part for part in walk(modal["components"])}
        for part in walk(filled):
            if part["type"] in inputs.CHOSEN_AS:
                resolved.add_chosen(asked[part["custom_id"]], part["values"])
        data: JSON = {"custom_id": modal["custom_id"], "components": filled} | resolved.field
        source, owners, kind = interaction.source, interaction.owners, InteractionKind.MODAL
        return self._interactions.begin(
            kind, user_id, channel, data, source=source, owners=owners, origin=interaction
        )

    async def dismiss(self, user_id: int, message_id: int) -> None:
        """Dismiss an ephemeral message; the bot is not told."""
        message = self._seen(user_id, message_id)
        if message.visible_to is None:
            raise HandError("only ephemeral messages can be dismissed")
        self._messages.erase(message)

    def invite_bot(self, guild: Guild) -> None:
        """Add the bot to a server."""
        if self._world.bot_id not in guild.members:
            self._world.add_member(guild, self._world.bot)
            created = guild_create_json(self._world, guild)
            self._world.news.tell_bot("GUILD_CREATE", created, guild.id)

    def remove_bot(self, guild: Guild) -> None:
        """Remove the bot from a server; a bot that is not connected is never told."""
        if guild.members.pop(self._world.bot_id, None) is not None:
            self._world.news.tell_bot("GUILD_DELETE", {"id": str(guild.id)}, guild.id)

    # What they do among themselves

    async def say(self, user_id: int, channel_id: int, text: str) -> Message:
        """Send a plain message."""
        channel = self._open(user_id, channel_id)
        if not self._world.permissions(user_id, channel) & bits.writing_in(channel):
            raise HandError("this user may not write here")
        try:
            form = self._messages.form({"content": text})
        except ApiError as error:
            raise HandError(f"this text cannot be sent: {error.message}") from error
        if channel.is_thread:
            if channel.archived:
                self._channels.change(channel, archived=False)
            self._channels.join_thread(channel, user_id, joins=True)
        return self._messages.post(channel=channel, author_id=user_id, form=form)

    async def open_direct(self, user_id: int) -> Channel:
        """Open the conversation with the bot."""
        return self._channels.direct(user_id, self._world.bot_id)

    def open_direct_with(self, user_id: int, other_id: int) -> Channel:
        """Open the conversation of two people, without the bot."""
        users = self._world.users
        if other_id not in users or other_id == user_id or user_id not in users:
            raise HandError(f"nobody to talk to has the id {other_id}")
        return self._channels.direct(user_id, other_id)

    def set_person(
        self,
        user_id: int,
        *,
        locale: str | None = None,
        has_installed: bool | None = None,
        accepts_direct_messages: bool | None = None,
    ) -> None:
        """Change a person's own settings; None leaves a setting as it is."""
        user = self._world.users.get(user_id)
        if user is None or user.bot:
            raise HandError(f"nobody has the id {user_id}")
        if locale is not None and locale not in LOCALES:
            raise HandError(f"Discord has no language {locale!r}")
        user.locale = locale or user.locale
        if has_installed is not None:
            user.has_installed = has_installed
        if accepts_direct_messages is not None:
            user.accepts_direct_messages = accepts_direct_messages
        self._world.news.tell_users("person", {"id": str(user_id)})

    def toggle_reaction(self, user_id: int, message_id: int, emoji: str) -> bool:
        """Add a person's reaction, or remove it; return whether it is there now."""
        message = self._seen(user_id, message_id)
        if message.visible_to is not None:
            raise HandError("nobody can react to a message that only they see")
        if not 0 < len(emoji) <= 32 or emoji.isalnum():
            raise HandError(f"{emoji!r} is not an emoji")
        adds = user_id not in message.reactions.get(emoji, [])
        granted = self._world.permissions(user_id, self._world.channel(message.channel_id))
        # Everybody may join a reaction that is there already.
        if adds and emoji not in message.reactions and not granted & bits.ADD_REACTIONS:
            raise HandError("this user may not add reactions here")
        try:
            self._messages.react(message, emoji, user_id, adds=adds)
        except ApiError as error:
            raise HandError(f"nobody can react here: {error.message}") from error
        return adds

    def start_thread(
        self, user_id: int, channel_id: int, name: str, message_id: int | None = None
    ) -> Channel:
        """Open a public thread, below a message if one is named."""
        channel = self._open(user_id, channel_id)
        message = None if message_id is None else self._seen(user_id, message_id)
        if message is not None and message.visible_to is not None:
            raise HandError("a message that only one sees has no thread")
        if not self._world.permissions(user_id, channel) & bits.CREATE_PUBLIC_THREADS:
            raise HandError("this user may not open threads here")
        if not 1 <= len(name.strip()) <= 100:
            raise HandError("a thread's name has 1 to 100 characters")
        body = {"name": name.strip(), "type": int(ChannelKind.PUBLIC_THREAD)}
        try:
            thread = self._channels.open_thread(channel, body, owner_id=user_id, message=message)
        except ApiError as error:
            raise HandError(f"no thread can be opened here: {error.message}") from error
        if message is None:
            # A line in the channel links to the thread.
            link = {"type": 0, "channel_id": str(thread.id), "guild_id": str(channel.guild_id)}
            form, kind = self._messages.form({"content": thread.name}), MessageKind.THREAD_CREATED
            self._messages.post(
                channel=channel, author_id=user_id, form=form, kind=kind, reference=link
            )
        return thread

    def set_archived(self, user_id: int, thread_id: int, *, archived: bool) -> None:
        """Close or reopen a thread; only its owner and moderators may."""
        thread = self._open(user_id, thread_id)
        if not thread.is_thread:
            raise HandError("only threads can be closed")
        granted = self._world.permissions(user_id, thread)
        if thread.owner_id != user_id and not granted & bits.MANAGE_THREADS:
            raise HandError("only its owner and moderators may close a thread")
        self._channels.change(thread, archived=archived)

    # Shared by the above

    def _open(self, user_id: int, channel_id: int) -> Channel:
        if user_id not in self._world.users:
            raise HandError(f"no user has the id {user_id}")
        channel = self._world.channels.get(channel_id)
        if channel is None or not self._world.can_see(user_id, channel):
            raise HandError(f"this user sees no channel with the id {channel_id}")
        return channel

    def _seen(self, user_id: int, message_id: int) -> Message:
        message = self._world.find_message(message_id)
        if message is None or not self._world.sees_message(user_id, message):
            raise HandError(f"this user sees no message with the id {message_id}")
        return message

    def _slash(
        self, user_id: int, channel_id: int, name: str, options: Options, focused: str | None
    ) -> Interaction:
        channel = self._open(user_id, channel_id)
        first, *steps = name.removeprefix("/").split()
        command = inputs.find_command(self._world, user_id, channel, first, _SLASH)
        resolved = inputs.Resolved(self._world, channel)
        data = inputs.command_data(command, steps, options or {}, resolved, focused)
        kind = InteractionKind.COMMAND if focused is None else InteractionKind.AUTOCOMPLETE
        return self._begin(kind, user_id, channel, command, data)

    def _menu(
        self, user_id: int, channel: Channel, command: JSON, target_id: int, resolved: JSON
    ) -> Interaction:
        data = inputs.command_head(command)
        data |= {"target_id": str(target_id), "resolved": resolved}
        return self._begin(InteractionKind.COMMAND, user_id, channel, command, data)

    def _begin(
        self, kind: InteractionKind, user_id: int, channel: Channel, command: JSON, data: JSON
    ) -> Interaction:
        owners = inputs.owners_for(self._world, user_id, channel, inputs.installations_of(command))
        return self._interactions.begin(kind, user_id, channel, data, owners=owners)

    def _use(self, user_id: int, message: Message, part: JSON, more: JSON) -> Interaction:
        if part.get("disabled"):
            raise HandError(f"{part['custom_id']!r} is disabled")
        if message.author_id != self._world.bot_id:
            raise HandError("only messages of the bot have components")
        channel = self._world.channel(message.channel_id)
        known = (message.interaction_metadata or {}).get("authorizing_integration_owners")
        owners = known or inputs.owners_for(self._world, user_id, channel, [0, 1])
        data = {"component_type": part["type"], "custom_id": part["custom_id"], "id": part["id"]}
        return self._interactions.begin(
            InteractionKind.COMPONENT, user_id, channel, data | more, source=message, owners=owners
        )


def _find(message: Message, custom_id: str) -> JSON:
    for part in walk(message.components):
        if part.get("custom_id") == custom_id:
            return part
    raise HandError(f"message {message.id} has no component {custom_id!r}")
