"""The hands of users: everything that a person can do in a channel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import command_use
from .command_use import (
    command_data,
    find_command,
    owners_for,
    resolve,
    resolve_upload,
    resolve_user,
    usable_commands,
)
from .component_rules import SELECTS, Kind, walk
from .errors import ApiError, HandError
from .forms import MessageForm, read_message_form
from .interaction import Interaction, InteractionKind
from .interactions import Conversing
from .modal_answers import fill_modal
from .model import JSON, Channel, ChannelKind, Message, Upload
from .payloads import channel_json, message_json, user_json
from .permissions import SEND_MESSAGES, SEND_MESSAGES_IN_THREADS

_USER_COMMAND, _MESSAGE_COMMAND = 2, 3
# Selects that list no options of their own, and the kind of option that takes the same things.
_CHOSEN_AS = {
    Kind.USER_SELECT: command_use.USER,
    Kind.ROLE_SELECT: command_use.ROLE,
    Kind.MENTIONABLE_SELECT: command_use.MENTIONABLE,
    Kind.CHANNEL_SELECT: command_use.CHANNEL,
}


class Hands(Conversing):
    """What users do. Whatever Discord's window would not let them do is a HandError."""

    def channels_for(self, user_id: int) -> list[JSON]:
        """Return the channels that a user can open, as JSON, in the order of a sidebar."""
        seen = [each for each in self.channels.values() if self.can_see(user_id, each)]
        seen.sort(key=lambda each: (each.guild_id or 0, each.position, each.id))
        return [self._as_listed(user_id, each) for each in seen]

    def _as_listed(self, user_id: int, channel: Channel) -> JSON:
        body = channel_json(self, channel)
        if channel.kind is ChannelKind.DM:
            others = [each for each in channel.recipient_ids if each != user_id]
            body["recipients"] = [user_json(self.users[each]) for each in others]
        return body

    def commands_for(self, user_id: int, channel_id: int) -> list[JSON]:
        """Return the commands that a user may use in a channel, as registered."""
        return usable_commands(self, user_id, self._open(user_id, channel_id))

    async def slash(
        self,
        user_id: int,
        channel_id: int,
        name: str,
        options: Mapping[str, Any] | None = None,
    ) -> Interaction:
        """Use a slash command; a subcommand is named after a space ("game new")."""
        channel = self._open(user_id, channel_id)
        first, *steps = name.removeprefix("/").split()
        command = find_command(self, user_id, channel, first, 1)
        data = command_data(self, command, steps, options or {}, channel=channel)
        return self._command(InteractionKind.COMMAND, user_id, channel, command, data)

    async def autocomplete(
        self,
        user_id: int,
        channel_id: int,
        name: str,
        options: Mapping[str, Any] | None = None,
        focused: str = "",
    ) -> list[JSON]:
        """Return what the bot offers for the option `focused`, as {"name", "value"}.

        Raises:
            NoAnswerError: If the bot does not answer in time.
        """
        channel = self._open(user_id, channel_id)
        first, *steps = name.removeprefix("/").split()
        command = find_command(self, user_id, channel, first, 1)
        data = command_data(self, command, steps, options or {}, channel=channel, focused=focused)
        kind = InteractionKind.AUTOCOMPLETE
        callback = await self._command(kind, user_id, channel, command, data).wait()
        choices: list[JSON] = callback["data"]["choices"]
        return choices

    async def use_on_user(
        self, user_id: int, channel_id: int, name: str, target_id: int
    ) -> Interaction:
        """Use a command of a user's context menu."""
        channel = self._open(user_id, channel_id)
        command = find_command(self, user_id, channel, name, _USER_COMMAND)
        resolved: JSON = {}
        resolve_user(self, target_id, resolved, channel)
        return self._menu(user_id, channel, command, target_id, resolved)

    async def use_on_message(self, user_id: int, name: str, message_id: int) -> Interaction:
        """Use a command of a message's context menu."""
        message = self._seen(user_id, message_id)
        channel = self._open(user_id, message.channel_id)
        command = find_command(self, user_id, channel, name, _MESSAGE_COMMAND)
        resolved = {"messages": {str(message_id): message_json(self, message)}}
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
        """Choose from a select menu: values of a text select, identifiers of the others."""
        message = self._seen(user_id, message_id)
        menu = _find(message, custom_id)
        if menu["type"] not in SELECTS:
            raise HandError(f"{custom_id!r} is not a select menu")
        chosen = [str(value) for value in values]
        low, high = menu.get("min_values", 1), menu.get("max_values", 1)
        if not low <= len(chosen) <= high:
            raise HandError(f"{custom_id!r} takes {low} to {high} values, not {len(chosen)}")
        more: JSON = {"values": chosen}
        if menu["type"] == Kind.STRING_SELECT:
            there = {str(option["value"]) for option in menu["options"]}
            for value in chosen:
                if value not in there:
                    raise HandError(f"{custom_id!r} does not offer {value!r}")
        else:
            more["resolved"] = {}
            channel = self.channel(message.channel_id)
            self._resolve_chosen(menu, chosen, more["resolved"], channel)
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
        channel = self.channel(interaction.channel_id)
        resolved: JSON = {}
        filled = fill_modal(modal["components"], self._hand_over_files(values, resolved, channel))
        asked = {part.get("custom_id"): part for part in walk(modal["components"])}
        for part in walk(filled):
            if part["type"] in _CHOSEN_AS:
                menu = asked[part["custom_id"]]
                self._resolve_chosen(menu, part["values"], resolved, channel)
        data: JSON = {"custom_id": modal["custom_id"], "components": filled}
        if resolved:
            data["resolved"] = resolved
        return self.begin(
            InteractionKind.MODAL,
            user_id,
            channel,
            data,
            source=interaction.source,
            owners=interaction.owners,
            origin=interaction,
        )

    async def say(self, user_id: int, channel_id: int, text: str) -> Message:
        """Send a plain message."""
        channel = self._open(user_id, channel_id)
        needed = SEND_MESSAGES_IN_THREADS if channel.is_thread else SEND_MESSAGES
        if not self.permissions(user_id, channel) & needed:
            raise HandError("this user may not write here")
        try:
            form: MessageForm = read_message_form(
                {"content": text}, [], upload_bytes=self.limits.upload_bytes
            )
        except ApiError as error:
            raise HandError(f"this text cannot be sent: {error.message}") from error
        if channel.is_thread:
            self.join_thread(channel, user_id, joins=True)
        return self.post(channel=channel, author_id=user_id, form=form)

    async def dismiss(self, user_id: int, message_id: int) -> None:
        """Close an ephemeral message; the bot does not hear of it."""
        message = self._seen(user_id, message_id)
        if message.visible_to is None:
            raise HandError("only ephemeral messages can be dismissed")
        self.erase(message)

    async def open_direct(self, user_id: int) -> Channel:
        """Open the conversation with the bot."""
        return self.direct_channel(user_id, self.bot_id)

    # What the above share

    def _open(self, user_id: int, channel_id: int) -> Channel:
        if user_id not in self.users:
            raise HandError(f"no user has the id {user_id}")
        channel = self.channels.get(channel_id)
        if channel is None or not self.can_see(user_id, channel):
            raise HandError(f"this user sees no channel with the id {channel_id}")
        return channel

    def _seen(self, user_id: int, message_id: int) -> Message:
        message = self.find_message(message_id)
        if message is None or not self.sees_message(user_id, message):
            raise HandError(f"this user sees no message with the id {message_id}")
        return message

    def _command(
        self,
        kind: InteractionKind,
        user_id: int,
        channel: Channel,
        command: JSON,
        data: JSON,
    ) -> Interaction:
        types = [0] if command.get("guild_id") else command.get("integration_types") or [0]
        owners = owners_for(self, user_id, channel, types)
        return self.begin(kind, user_id, channel, data, owners=owners)

    def _menu(
        self, user_id: int, channel: Channel, command: JSON, target_id: int, resolved: JSON
    ) -> Interaction:
        keys = ("id", "name", "type", "guild_id")
        data: JSON = {key: command[key] for key in keys if key in command}
        data |= {"target_id": str(target_id), "resolved": resolved}
        return self._command(InteractionKind.COMMAND, user_id, channel, command, data)

    def _use(self, user_id: int, message: Message, part: JSON, more: JSON) -> Interaction:
        if part.get("disabled"):
            raise HandError(f"{part['custom_id']!r} is disabled")
        if message.author_id != self.bot_id:
            raise HandError("only messages of the bot have components")
        channel = self.channel(message.channel_id)
        known = (message.interaction_metadata or {}).get("authorizing_integration_owners")
        owners = known or owners_for(self, user_id, channel, [0, 1])
        data = {"component_type": part["type"], "custom_id": part["custom_id"], "id": part["id"]}
        return self.begin(
            InteractionKind.COMPONENT,
            user_id,
            channel,
            data | more,
            source=message,
            owners=owners,
        )

    def _hand_over_files(
        self, values: Mapping[str, Any], resolved: JSON, channel: Channel
    ) -> dict[str, Any]:
        """Return `values` with identifiers in the place of files."""
        return {
            key: [
                resolve_upload(self, each, resolved, channel) if isinstance(each, Upload) else each
                for each in value
            ]
            if isinstance(value, list)
            else value
            for key, value in values.items()
        }

    def _resolve_chosen(
        self, menu: JSON, chosen: list[str], resolved: JSON, channel: Channel
    ) -> None:
        for value in chosen:
            resolve(self, _CHOSEN_AS[menu["type"]], value, resolved, channel)
            types = menu.get("channel_types")
            if types and resolved["channels"][value]["type"] not in types:
                raise HandError(f"{menu['custom_id']!r} does not take this kind of channel")


def _find(message: Message, custom_id: str) -> JSON:
    for part in walk(message.components):
        if part.get("custom_id") == custom_id:
            return part
    raise HandError(f"message {message.id} has no component {custom_id!r}")
