"""From what a user typed to the options that Discord sends: commands, values, targets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .errors import HandError
from .interaction_payloads import context_of
from .model import JSON, Channel, Upload
from .payloads import attachment_json, channel_json, member_json, role_json, user_json
from .permissions import USE_APPLICATION_COMMANDS

if TYPE_CHECKING:
    from .state import State

SUB_COMMAND, SUB_GROUP, STRING, INTEGER, BOOLEAN = range(1, 6)
USER, CHANNEL, ROLE, MENTIONABLE, NUMBER, ATTACHMENT = range(6, 12)


def owners_for(state: State, user_id: int, channel: Channel, types: list[int]) -> JSON:
    """Return through which installations a user reaches the application here, maybe none."""
    owners: JSON = {}
    guild = state.guild_of(channel)
    if 0 in types:
        if guild is not None and state.bot_id in guild.members:
            owners["0"] = str(guild.id)
        elif guild is None and state.bot_id in channel.recipient_ids:
            owners["0"] = "0"
    if 1 in types and state.users[user_id].has_installed:
        owners["1"] = str(user_id)
    return owners


def usable_commands(state: State, user_id: int, channel: Channel) -> list[JSON]:
    """Return the commands that a user may use in a channel, by type and name."""
    found: dict[tuple[int, str], JSON] = {}
    for scope in (None, channel.guild_id):
        for command in state.commands.get(scope, {}).values():
            if _is_usable(state, user_id, channel, command):
                # A guild's own command hides the global one with its name.
                found[command["type"], command["name"]] = command
    return [found[key] for key in sorted(found)]


def _is_usable(state: State, user_id: int, channel: Channel, command: JSON) -> bool:
    granted = state.permissions(user_id, channel)
    if not granted & USE_APPLICATION_COMMANDS:
        return False
    contexts = command.get("contexts")
    if contexts is not None and context_of(state, channel) not in contexts:
        return False
    types = [0] if command.get("guild_id") else command.get("integration_types") or [0]
    owners = owners_for(state, user_id, channel, types)
    needed = command.get("default_member_permissions")
    if needed is not None and channel.guild_id is not None:
        # Zero means: nobody but administrators, who hold every bit.
        wanted = int(needed) or 1 << 3
        if granted & wanted != wanted:
            return False
    return bool(owners)


def find_command(state: State, user_id: int, channel: Channel, name: str, kind: int) -> JSON:
    """Return the usable command called `name`, of type `kind`.

    Raises:
        HandError: If there is none; the message lists what there is.
    """
    there = [each for each in usable_commands(state, user_id, channel) if each["type"] == kind]
    for command in there:
        if command["name"] == name:
            return command
    names = ", ".join(each["name"] for each in there) or "none"
    raise HandError(f"no command {name!r} can be used here; usable: {names}")


def command_data(
    state: State,
    command: JSON,
    steps: list[str],
    values: Mapping[str, Any],
    *,
    channel: Channel,
    focused: str | None = None,
) -> JSON:
    """Return the data of a slash command's interaction.

    `steps` are the names of the subcommand group and subcommand, if it has them;
    `values` what the user entered, by option name; `focused` the option being
    completed, in which case nothing is required yet.

    Raises:
        HandError: If a value does not fit its option.
    """
    data: JSON = {"id": command["id"], "name": command["name"], "type": command["type"]}
    if command.get("guild_id"):
        data["guild_id"] = command["guild_id"]
    declared = command.get("options") or []
    wrappers: list[JSON] = []
    for step in steps:
        found = [o for o in declared if o["name"] == step and o["type"] in (SUB_COMMAND, SUB_GROUP)]
        if not found:
            raise HandError(f"/{command['name']} has no subcommand {step!r}")
        wrappers.append({"type": found[0]["type"], "name": step})
        declared = found[0].get("options") or []
    if any(option["type"] in (SUB_COMMAND, SUB_GROUP) for option in declared):
        raise HandError(f"/{command['name']} needs a subcommand")
    resolved: JSON = {}
    options = _options(state, declared, values, resolved, channel, focused)
    for wrapper in reversed(wrappers):
        options = [wrapper | {"options": options}]
    if options:
        data["options"] = options
    if resolved:
        data["resolved"] = resolved
    return data


def _options(
    state: State,
    declared: list[JSON],
    values: Mapping[str, Any],
    resolved: JSON,
    channel: Channel,
    focused: str | None,
) -> list[JSON]:
    names = [option["name"] for option in declared]
    for name in [*values, *([focused] if focused else [])]:
        if name not in names:
            raise HandError(f"no option {name!r}; there are: {', '.join(names) or 'none'}")
    options = []
    for option in declared:
        name = option["name"]
        if name == focused:
            # What is being typed goes out as it is, even where a number is wanted.
            shown = {"type": option["type"], "name": name, "focused": True}
            options.append(shown | {"value": str(values.get(name, ""))})
        elif name in values:
            value = _value(option, values[name])
            if option["type"] == ATTACHMENT:
                value = resolve_upload(state, value, resolved, channel)
            resolve(state, option["type"], value, resolved, channel)
            options.append({"type": option["type"], "name": name, "value": value})
        elif option.get("required") and focused is None:
            raise HandError(f"option {name!r} is required")
    return options


def _value(option: JSON, value: Any) -> Any:
    """Return `value` in the option's type, or say what does not fit."""
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
    """Return a value in the type of its kind of option, or raise TypeError or ValueError."""
    if kind == INTEGER:
        if isinstance(value, float) and not value.is_integer():
            raise ValueError(value)
        return int(value)
    if kind == BOOLEAN:
        if isinstance(value, bool):
            return value
        return {"true": True, "false": False}.get(str(value).lower()) or _no(value)
    if kind == ATTACHMENT:
        if not isinstance(value, Upload):
            raise ValueError(value)
        return value
    if kind in (USER, CHANNEL, ROLE, MENTIONABLE):
        return str(int(value))
    return float(value) if kind == NUMBER else str(value)


def _no(value: Any) -> bool:
    if str(value).lower() != "false":
        raise ValueError(value)
    return False


def resolve(state: State, kind: int, value: Any, resolved: JSON, channel: Channel) -> None:
    """Put what `value`, of an option of this kind, points at into `resolved`.

    Raises:
        HandError: If nothing of the kind has this identifier.
    """
    if kind not in (USER, CHANNEL, ROLE, MENTIONABLE):
        return
    identifier = int(value)
    guild = state.guild_of(channel)
    if kind in (USER, MENTIONABLE) and identifier in state.users:
        resolve_user(state, identifier, resolved, channel)
    elif kind == CHANNEL and identifier in state.channels:
        target = state.channels[identifier]
        shown = channel_json(state, target) | {"permissions": "0"}
        resolved.setdefault("channels", {})[value] = shown
    elif kind in (ROLE, MENTIONABLE) and guild is not None and identifier in guild.roles:
        resolved.setdefault("roles", {})[value] = role_json(guild.roles[identifier])
    else:
        raise HandError(f"nothing here has the id {value}")


def resolve_upload(state: State, upload: Upload, resolved: JSON, channel: Channel) -> str:
    """Put a file into `resolved` and return its identifier."""
    attachment = state.take_upload(upload)
    shown = attachment_json(state, channel.id, attachment, ephemeral=True)
    resolved.setdefault("attachments", {})[str(attachment.id)] = shown
    return str(attachment.id)


def resolve_user(state: State, user_id: int, resolved: JSON, channel: Channel) -> None:
    """Put a user, and the member here that it is, into `resolved`."""
    key = str(user_id)
    resolved.setdefault("users", {})[key] = user_json(state.users[user_id])
    guild = state.guild_of(channel)
    if guild is not None and user_id in guild.members:
        member = member_json(state, guild.members[user_id], with_user=False)
        member = {name: value for name, value in member.items() if name not in ("mute", "deaf")}
        permissions = str(state.permissions(user_id, channel))
        resolved.setdefault("members", {})[key] = member | {"permissions": permissions}
