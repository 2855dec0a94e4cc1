"""Routes of the application itself: who it is, where the gateway is, its commands."""

from __future__ import annotations

from typing import Any

from .command_rules import check_commands, check_one, stored_command
from .errors import Problems, refusal
from .model import JSON
from .payloads import own_user_json, user_json
from .rest import Call, Result, Routes

routes = Routes()

_COMMANDS = "/applications/{application_id}/commands"
_GUILD_COMMANDS = "/applications/{application_id}/guilds/{guild_id}/commands"


@routes.on("GET", "/users/@me")
async def own_user(call: Call) -> Result:
    """Return the bot's own user."""
    return own_user_json(call.world.bot)


def application_json(call: Call) -> JSON:
    """Return the application, which is what its bot is called."""
    world = call.world
    owner = world.people[0]
    return {
        "id": str(world.application_id),
        "name": world.bot.username,
        "icon": None,
        "description": "An application of the sandbox",
        "summary": "",
        "type": None,
        "bot_public": True,
        "bot_require_code_grant": False,
        "verify_key": "0" * 64,
        "flags": 0,
        "flags_new": "0",
        "hook": True,
        "owner": user_json(owner),
        "team": None,
        "tags": [],
        "redirect_uris": [],
        "interactions_endpoint_url": None,
        "role_connections_verification_url": None,
        "approximate_guild_count": len(world.guilds),
        "approximate_user_authorization_count": 0,
        "explicit_content_filter": 0,
        "eligible_oauth2_scopes": [],
        "approximate_user_install_count": sum(each.has_installed for each in world.people),
        "integration_types_config": {"0": {}, "1": {}},
    }


@routes.on("GET", "/oauth2/applications/@me")
async def own_application(call: Call) -> Result:
    """Return the application that the token belongs to."""
    return application_json(call)


@routes.on("GET", "/applications/@me")
async def own_application_again(call: Call) -> Result:
    """Return the same at its newer address."""
    return application_json(call)


@routes.on("GET", "/gateway", needs_token=False)
async def gateway(call: Call) -> Result:
    """Tell where the gateway is."""
    return {"url": call.sandbox.gateway_url}


@routes.on("GET", "/gateway/bot")
async def gateway_for_bot(call: Call) -> Result:
    """Tell where the gateway is and with how many shards to connect."""
    limit = {"total": 1000, "remaining": 1000, "reset_after": 86_400_000, "max_concurrency": 1}
    return {
        "url": call.sandbox.gateway_url,
        "shards": call.sandbox.shards,
        "session_start_limit": limit,
    }


@routes.on("GET", "/applications/{application_id}/emojis")
async def emojis(call: Call) -> Result:
    """List the application's emoji: the sandbox has none."""
    _scope(call)
    return {"items": []}


@routes.on("GET", "/applications/{application_id}/entitlements")
async def entitlements(call: Call) -> Result:
    """List purchases: the sandbox sells nothing."""
    _scope(call)
    return []


@routes.on("GET", "/sticker-packs", needs_token=False)
async def sticker_packs(call: Call) -> Result:
    """List sticker packs: there are none."""
    return {"sticker_packs": []}


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


def _commands(call: Call) -> dict[int, JSON]:
    return call.world.commands.setdefault(_scope(call), {})


def _command(call: Call) -> JSON:
    try:
        return _commands(call)[call.ids["command_id"]]
    except KeyError:
        raise refusal(10063) from None


def _store(call: Call, body: JSON, old: JSON | None) -> JSON:
    """Return `body` as a stored command, the very `old` one if nothing changed."""
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


def _changed(call: Call) -> None:
    guild_id = call.ids.get("guild_id")
    call.world.tell_users("commands", {"guild_id": guild_id and str(guild_id)})


def _same(commands: dict[int, JSON], body: JSON) -> JSON | None:
    key = (body.get("type") or 1, body.get("name"))
    for command in commands.values():
        if (command["type"], command["name"]) == key:
            return command
    return None


@routes.on("GET", _COMMANDS)
@routes.on("GET", _GUILD_COMMANDS)
async def get_commands(call: Call) -> Result:
    """List the commands."""
    return list(_commands(call).values())


@routes.on("PUT", _COMMANDS)
@routes.on("PUT", _GUILD_COMMANDS)
async def replace_commands(call: Call) -> Result:
    """Replace all commands; those that stay keep their identifiers."""
    commands = _commands(call)
    wanted = _list(call.body)
    check_commands(wanted)
    stored = [_store(call, body, _same(commands, body)) for body in wanted]
    commands.clear()
    commands.update({int(each["id"]): each for each in stored})
    _changed(call)
    return stored


def _list(body: Any) -> list[Any]:
    if not isinstance(body, list) or not all(isinstance(each, dict) for each in body):
        problems = Problems()
        problems.add((), "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
        problems.raise_if_any()
    items: list[Any] = body
    return items


@routes.on("POST", _COMMANDS, status=201)
@routes.on("POST", _GUILD_COMMANDS, status=201)
async def create_command(call: Call) -> Result:
    """Add a command, or replace the one with its name."""
    commands = _commands(call)
    check_one(call.form)
    old = _same(commands, call.form)
    if old is None and len(commands) >= 100:
        raise refusal(30032)
    command = _store(call, call.form, old)
    commands[int(command["id"])] = command
    _changed(call)
    return command


@routes.on("GET", _COMMANDS + "/{command_id}")
@routes.on("GET", _GUILD_COMMANDS + "/{command_id}")
async def get_command(call: Call) -> Result:
    """Return one command."""
    return _command(call)


@routes.on("PATCH", _COMMANDS + "/{command_id}")
@routes.on("PATCH", _GUILD_COMMANDS + "/{command_id}")
async def edit_command(call: Call) -> Result:
    """Change some fields of a command."""
    old = _command(call)
    body = old | call.form
    check_one(body)
    command = _store(call, body, old)
    _commands(call)[int(command["id"])] = command
    _changed(call)
    return command


@routes.on("DELETE", _COMMANDS + "/{command_id}")
@routes.on("DELETE", _GUILD_COMMANDS + "/{command_id}")
async def delete_command(call: Call) -> Result:
    """Remove a command."""
    command = _command(call)
    del _commands(call)[int(command["id"])]
    _changed(call)
    return None
