"""Routes of the application, its commands, guilds and users."""

from __future__ import annotations

from functools import partial

from . import permissions as bits
from .command_rules import MAX_COMMANDS, check_commands, check_one, stored_command
from .errors import bad_form, known, refusal
from .model import JSON
from .payloads import (
    application_json,
    channel_json,
    guild_json,
    member_json,
    own_user_json,
    role_json,
    threads_json,
    user_json,
)
from .rest import Call, Result, Route


def _gateway(call: Call) -> Result:
    limit = {"total": 1000, "remaining": 1000, "reset_after": 86_400_000, "max_concurrency": 1}
    return {"url": call.sandbox.gateway_url, "shards": 1, "session_start_limit": limit}


# Commands, global and of one guild: the same handlers at two addresses.


def _scope(call: Call) -> int | None:
    if call.ids["application_id"] != call.world.application_id:
        raise refusal(10002)
    guild_id = call.ids.get("guild_id")
    if guild_id is not None:
        guild = call.world.guilds.get(guild_id)
        if guild is None or call.world.bot_id not in guild.members:
            raise refusal(50001)
    return guild_id


def _always(body: Result, call: Call) -> Result:
    """Return a list that is always empty in the sandbox: emoji, purchases."""
    _scope(call)
    return body


def _commands(call: Call) -> dict[int, JSON]:
    return call.world.commands.setdefault(_scope(call), {})


def _command(call: Call) -> JSON:
    return known(_commands(call).get(call.ids["command_id"]), 10063)


def _stored(call: Call, body: JSON, old: JSON | None) -> JSON:
    """Return `body` as a stored command, equal to `old` if nothing changed."""
    world = call.world
    command = stored_command(
        body,
        identifier=int(old["id"]) if old else world.snowflakes.next(),
        application_id=world.application_id,
        version=int(old["version"]) if old else 0,
        guild_id=call.ids.get("guild_id"),
    )
    if command != old:
        command["version"] = str(world.snowflakes.next())
    return command


def _same(commands: dict[int, JSON], body: JSON) -> JSON | None:
    key = (body.get("type") or 1, body.get("name"))
    return next((each for each in commands.values() if (each["type"], each["name"]) == key), None)


def _tell(call: Call) -> None:
    guild_id = call.ids.get("guild_id")
    call.world.news.tell_users("commands", {"guild_id": guild_id and str(guild_id)})


def _replace_commands(call: Call) -> Result:
    """Replace all commands; those that stay keep their identifiers."""
    commands, wanted = _commands(call), call.body
    if not isinstance(wanted, list) or not all(isinstance(each, dict) for each in wanted):
        raise bad_form((), "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
    check_commands(wanted)
    stored = [_stored(call, body, _same(commands, body)) for body in wanted]
    commands.clear()
    commands.update({int(each["id"]): each for each in stored})
    _tell(call)
    return stored


def _create_command(call: Call) -> Result:
    """Add a command, or replace the one with its name."""
    commands = _commands(call)
    check_one(call.form)
    old = _same(commands, call.form)
    if old is None and len(commands) >= MAX_COMMANDS[1]:
        raise refusal(30032)
    command = _stored(call, call.form, old)
    commands[int(command["id"])] = command
    _tell(call)
    return command


def _edit_command(call: Call) -> Result:
    old = _command(call)
    check_one(old | call.form)
    command = _stored(call, old | call.form, old)
    _commands(call)[int(command["id"])] = command
    _tell(call)
    return command


def _delete_command(call: Call) -> None:
    del _commands(call)[int(_command(call)["id"])]
    _tell(call)


# Guilds


def _own_guilds(call: Call) -> Result:
    head: JSON = {"icon": None, "banner": None, "owner": False, "features": []}
    return [
        head | {"id": str(guild.id), "name": guild.name, "permissions": str(granted)}
        for guild in call.world.guilds.values()
        if (member := guild.members.get(call.world.bot_id)) is not None
        for granted in [bits.guild_permissions(guild, member)]
    ]


def _get_guild(call: Call) -> Result:
    guild = call.guild()
    names = ("approximate_member_count", "approximate_presence_count")
    counts = dict.fromkeys(names, len(guild.members)) if call.flag("with_counts") else {}
    return guild_json(guild) | counts


def _get_channels(call: Call) -> Result:
    guild, channels = call.guild(), call.world.channels.values()
    there = [each for each in channels if each.guild_id == guild.id and not each.is_thread]
    return [channel_json(call.world, each) for each in there]


def _get_active_threads(call: Call) -> Result:
    guild, world = call.guild(), call.world
    there = [each for each in world.channels.values() if each.guild_id == guild.id]
    active = [each for each in there if each.is_thread and not each.archived]
    return threads_json(world, [each for each in active if world.can_see(world.bot_id, each)])


def _get_members(call: Call) -> Result:
    """List members; Discord requires the privileged intent for that."""
    guild = call.guild()
    if not call.world.limits.privileged_intents:
        raise refusal(50001)
    after, limit = int(call.query.get("after", 0)), int(call.query.get("limit", 1))
    found = sorted(each for each in guild.members if each > after)[:limit]
    return [member_json(call.world, guild.members[each]) for each in found]


def _member(call: Call) -> Result:
    member = call.guild().members.get(call.ids["user_id"])
    return member_json(call.world, known(member, 10007))


def _user(call: Call) -> Result:
    return user_json(known(call.world.users.get(call.ids["user_id"]), 10013))


def _command_routes(base: str) -> list[Route]:
    one = base + "/{command_id}"
    return [
        Route("GET", base, lambda call: list(_commands(call).values())),
        Route("PUT", base, _replace_commands),
        Route("POST", base, _create_command, status=201),
        Route("GET", one, _command),
        Route("PATCH", one, _edit_command),
        Route("DELETE", one, _delete_command),
    ]


_APPLICATION = "/applications/{application_id}"
_GUILD = "/guilds/{guild_id}"

ROUTES = [
    Route("GET", "/users/@me", lambda call: own_user_json(call.world.bot)),
    Route("GET", "/oauth2/applications/@me", lambda call: application_json(call.world)),
    Route("GET", "/applications/@me", lambda call: application_json(call.world)),
    Route("GET", "/gateway", lambda call: {"url": call.sandbox.gateway_url}, needs_token=False),
    Route("GET", "/gateway/bot", _gateway),
    Route("GET", "/sticker-packs", lambda _: {"sticker_packs": []}, needs_token=False),
    Route("GET", _APPLICATION + "/emojis", partial(_always, {"items": []})),
    Route("GET", _APPLICATION + "/entitlements", partial(_always, [])),
    *_command_routes(_APPLICATION + "/commands"),
    *_command_routes(_APPLICATION + _GUILD + "/commands"),
    Route("GET", "/users/@me/guilds", _own_guilds),
    Route("GET", "/users/{user_id}", _user),
    Route("GET", _GUILD, _get_guild),
    Route("GET", _GUILD + "/channels", _get_channels),
    Route("GET", _GUILD + "/threads/active", _get_active_threads),
    Route("GET", _GUILD + "/roles", lambda call: list(map(role_json, call.guild().roles.values()))),
    Route("GET", _GUILD + "/members", _get_members),
    Route("GET", _GUILD + "/members/{user_id}", _member),
]
