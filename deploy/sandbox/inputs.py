"""Turns what a user entered into the data that Discord sends: commands, options, modals.

Input that does not fit raises a HandError that says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .components import SELECTS, Kind
from .errors import HandError
from .interactions import context_of
from .model import JSON, Channel, Upload
from .payloads import attachment_json, channel_json, member_json, role_json, user_json
from .permissions import ADMINISTRATOR, USE_APPLICATION_COMMANDS
from .world import World

SUB_COMMAND, SUB_GROUP, STRING, INTEGER, BOOLEAN = range(1, 6)
USER, CHANNEL, ROLE, MENTIONABLE, NUMBER, ATTACHMENT = range(6, 12)
_STEPS = (SUB_COMMAND, SUB_GROUP)
# Selects without options of their own, and the kind of command option with the same values.
CHOSEN_AS = {
    Kind.USER_SELECT: USER,
    Kind.ROLE_SELECT: ROLE,
    Kind.MENTIONABLE_SELECT: MENTIONABLE,
    Kind.CHANNEL_SELECT: CHANNEL,
}


def owners_for(world: World, user_id: int, channel: Channel, types: list[int]) -> JSON:
    """Return the installations through which a user reaches the application here, if any."""
    owners: JSON = {}
    guild = world.guild_of(channel)
    if 0 in types:
        if guild is not None and world.bot_id in guild.members:
            owners["0"] = str(guild.id)
        elif guild is None and world.bot_id in channel.recipient_ids:
            owners["0"] = "0"
    if 1 in types and world.users[user_id].has_installed:
        owners["1"] = str(user_id)
    return owners


def installations_of(command: JSON) -> list[int]:
    """Return the kinds of installation with which a command can be used: 0 guild, 1 user."""
    return [0] if command.get("guild_id") else command.get("integration_types") or [0]


def command_head(command: JSON) -> JSON:
    """Return the part of an interaction's data that describes its command."""
    return {key: command[key] for key in ("id", "name", "type", "guild_id") if key in command}


def usable_commands(world: World, user_id: int, channel: Channel) -> list[JSON]:
    """Return the commands that a user may use in a channel, by type and name."""
    if channel.is_thread and channel.archived:
        return []
    found: dict[tuple[int, str], JSON] = {}
    for scope in (None, channel.guild_id):
        for command in world.commands.get(scope, {}).values():
            if _is_usable(world, user_id, channel, command):
                # A guild's own command hides the global one with its name.
                found[command["type"], command["name"]] = command
    return [found[key] for key in sorted(found)]


def _is_usable(world: World, user_id: int, channel: Channel, command: JSON) -> bool:
    granted = world.permissions(user_id, channel)
    contexts, needed = command.get("contexts"), command.get("default_member_permissions")
    if not granted & USE_APPLICATION_COMMANDS:
        return False
    if contexts is not None and context_of(world, channel) not in contexts:
        return False
    if needed is not None and channel.guild_id is not None:
        # Zero means: nobody but administrators, who hold every bit.
        wanted = int(needed) or ADMINISTRATOR
        if granted & wanted != wanted:
            return False
    return bool(owners_for(world, user_id, channel, installations_of(command)))


def find_command(world: World, user_id: int, channel: Channel, name: str, kind: int) -> JSON:
    """Return the usable command called `name`, of type `kind`."""
    usable = usable_commands(world, user_id, channel)
    there = {each["name"]: each for each in usable if each["type"] == kind}
    if name not in there:
        names = ", ".join(there) or "none"
        raise HandError(f"no command {name!r} can be used here; usable: {names}")
    return there[name]


class Resolved:
    """The objects that identifiers in an interaction's data refer to, as Discord adds them."""

    def __init__(self, world: World, channel: Channel) -> None:
        self._world = world
        self._channel = channel
        self._guild = world.guild_of(channel)
        self.body: JSON = {}

    def _put(self, kind: str, identifier: object, shown: JSON) -> None:
        self.body.setdefault(kind, {})[str(identifier)] = shown

    def add(self, kind: int, value: Any) -> None:
        """Add the object that `value`, of an option of this kind, refers to, if any."""
        if kind not in (USER, CHANNEL, ROLE, MENTIONABLE):
            return
        world, guild, identifier = self._world, self._guild, int(value)
        if kind in (USER, MENTIONABLE) and identifier in world.users:
            self.add_user(identifier)
        elif kind == CHANNEL and identifier in world.channels:
            shown = channel_json(world, world.channels[identifier])
            self._put("channels", value, shown | {"permissions": "0"})
        elif kind in (ROLE, MENTIONABLE) and guild is not None and identifier in guild.roles:
            self._put("roles", value, role_json(guild.roles[identifier]))
        else:
            raise HandError(f"nothing here has the id {value}")

    def add_user(self, user_id: int) -> None:
        """Add a user, and the member of this guild if they are one."""
        self._put("users", user_id, user_json(self._world.users[user_id]))
        if self._guild is not None and user_id in self._guild.members:
            member = member_json(self._world, self._guild.members[user_id], with_user=False)
            del member["mute"], member["deaf"]
            permissions = str(self._world.permissions(user_id, self._channel))
            self._put("members", user_id, member | {"permissions": permissions})

    def add_upload(self, upload: Upload) -> str:
        """Add a file and return its identifier."""
        attachment = self._world.take_upload(upload)
        shown = attachment_json(self._world, self._channel.id, attachment, ephemeral=True)
        self._put("attachments", attachment.id, shown)
        return str(attachment.id)

    def add_chosen(self, menu: JSON, chosen: list[str]) -> None:
        """Add what was chosen from a select menu without options of its own."""
        types = menu.get("channel_types")
        for value in chosen:
            self.add(CHOSEN_AS[menu["type"]], value)
            if types and self.body["channels"][value]["type"] not in types:
                raise HandError(f"{menu['custom_id']!r} does not take this kind of channel")

    @property
    def field(self) -> JSON:
        """The field of the data, left out if nothing is resolved."""
        return {"resolved": self.body} if self.body else {}


def command_data(
    command: JSON,
    steps: list[str],
    values: Mapping[str, Any],
    resolved: Resolved,
    focused: str | None = None,
) -> JSON:
    """Return the data of a slash command's interaction.

    `steps` are the names of the subcommand group and subcommand, if it has them;
    `values` what the user entered, by option name; `focused` the option being
    completed, in which case nothing is required yet.
    """
    data = command_head(command)
    declared = command.get("options") or []
    wrappers: list[JSON] = []
    for step in steps:
        found = [o for o in declared if o["name"] == step and o["type"] in _STEPS]
        if not found:
            raise HandError(f"/{command['name']} has no subcommand {step!r}")
        wrappers.append({"type": found[0]["type"], "name": step})
        declared = found[0].get("options") or []
    if any(option["type"] in _STEPS for option in declared):
        raise HandError(f"/{command['name']} needs a subcommand")
    options = _options(declared, values, resolved, focused)
    for wrapper in reversed(wrappers):
        options = [wrapper | {"options": options}]
    if options:
        data["options"] = options
    return data | resolved.field


def _options(
    declared: list[JSON], values: Mapping[str, Any], resolved: Resolved, focused: str | None
) -> list[JSON]:
    names = [option["name"] for option in declared]
    for name in [*values, *([focused] if focused else [])]:
        if name not in names:
            raise HandError(f"no option {name!r}; there are: {', '.join(names) or 'none'}")
    options = []
    for option in declared:
        name = option["name"]
        if name == focused:
            # Unfinished input is sent as it is, even for a number option.
            shown = {"type": option["type"], "name": name, "focused": True}
            options.append(shown | {"value": str(values.get(name, ""))})
        elif name in values:
            value = _value(option, values[name])
            if isinstance(value, Upload):
                value = resolved.add_upload(value)
            resolved.add(option["type"], value)
            options.append({"type": option["type"], "name": name, "value": value})
        elif option.get("required") and focused is None:
            raise HandError(f"option {name!r} is required")
    return options


def _value(option: JSON, value: Any) -> Any:
    """Return `value` in the option's type; HandError if it does not fit."""
    kind, name = option["type"], option["name"]
    try:
        typed = _typed(kind, value)
    except (TypeError, ValueError):
        raise HandError(f"option {name!r} does not take {value!r}") from None
    choices = option.get("choices")
    if choices and typed not in [choice["value"] for choice in choices]:
        allowed = ", ".join(str(choice["value"]) for choice in choices)
        raise HandError(f"option {name!r} is one of {allowed}, not {value!r}")
    if kind in (INTEGER, NUMBER):
        low, high = option.get("min_value"), option.get("max_value")
        if (low is not None and typed < low) or (high is not None and typed > high):
            raise HandError(f"option {name!r} is from {low} to {high}, not {value!r}")
    if kind == STRING:
        low, high = option.get("min_length") or 0, option.get("max_length") or 6000
        if not low <= len(typed) <= high:
            raise HandError(f"option {name!r} has {low} to {high} characters, not {len(typed)}")
    return typed


def _typed(kind: int, value: Any) -> Any:
    """Return `value` in the type of its kind of option; TypeError or ValueError if impossible."""
    if kind == INTEGER:
        if isinstance(value, float) and not value.is_integer():
            raise ValueError(value)
        return int(value)
    if kind == BOOLEAN:
        return ("false", "true").index(str(value).lower()) == 1
    if kind == ATTACHMENT:
        if not isinstance(value, Upload):
            raise ValueError(value)
        return value
    if kind in (USER, CHANNEL, ROLE, MENTIONABLE):
        return str(int(value))
    return float(value) if kind == NUMBER else str(value)


def modal_entries(components: list[JSON], values: Mapping[str, Any]) -> list[JSON]:
    """Return the components of a modal filled in with `values`, which are by custom id."""
    left = set(values)
    filled = [_fill(part, values, left) for part in components]
    if left:
        raise HandError(f"the modal has no field {sorted(left)[0]!r}")
    return filled


def _fill(part: JSON, values: Mapping[str, Any], left: set[str]) -> JSON:
    head: JSON = {key: part[key] for key in ("type", "id") if key in part}
    kind = part["type"]
    if kind == Kind.ACTION_ROW:
        return head | {"components": [_fill(each, values, left) for each in part["components"]]}
    if kind == Kind.LABEL:
        return head | {"component": _fill(part["component"], values, left)}
    if kind == Kind.TEXT_DISPLAY:
        return head
    left.discard(part["custom_id"])
    return head | {"custom_id": part["custom_id"]} | _entry(part, values.get(part["custom_id"]))


def _entry(part: JSON, entered: Any) -> JSON:
    """Return what one field holds after a user entered something, or left it alone."""
    kind = part["type"]
    if kind == Kind.TEXT_INPUT:
        return {"value": _text(part, part.get("value", "") if entered is None else entered)}
    if kind == Kind.CHECKBOX:
        return {"value": bool(entered)}
    if kind == Kind.RADIO_GROUP:
        chosen = [] if entered is None else [str(entered)]
        require_offered(part, chosen)
        return {"value": chosen[0] if chosen else None}
    chosen = [str(each) for each in entered or []]
    if kind in (Kind.STRING_SELECT, Kind.CHECKBOX_GROUP):
        require_offered(part, chosen)
    low = part.get("min_values", 1) if part.get("required", True) else 0
    require_count(part, chosen, low, part.get("max_values", 1 if kind in SELECTS else 25))
    return {"values": chosen}


def _text(part: JSON, entered: Any) -> str:
    text = str(entered or "")
    low = part.get("min_length") or (1 if part.get("required", True) else 0)
    high = part.get("max_length") or 4000
    if (text or part.get("required", True)) and not low <= len(text) <= high:
        raise HandError(f"{part['custom_id']!r} has {low} to {high} characters, not {len(text)}")
    return text


def require_offered(part: JSON, chosen: list[str]) -> None:
    """Check that everything chosen is among the options of a menu or group."""
    there = {str(option["value"]) for option in part.get("options") or []}
    for value in chosen:
        if value not in there:
            raise HandError(f"{part['custom_id']!r} does not offer {value!r}")


def require_count(part: JSON, chosen: list[str], low: int, high: int) -> None:
    """Check how many values were chosen."""
    if not low <= len(chosen) <= high:
        raise HandError(f"{part['custom_id']!r} takes {low} to {high} values, not {len(chosen)}")
