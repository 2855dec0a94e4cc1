"""Routes of guilds: themselves, their channels, members and roles."""

from __future__ import annotations

from .errors import refusal
from .model import ChannelKind, Guild
from .payloads import (
    channel_json,
    guild_json,
    member_json,
    role_json,
    thread_member_json,
    user_json,
)
from .rest import Call, Result, Routes

routes = Routes()


def _guild(call: Call) -> Guild:
    guild = call.world.guilds.get(call.ids["guild_id"])
    if guild is None:
        raise refusal(10004)
    if call.world.bot_id not in guild.members:
        raise refusal(50001)
    return guild


@routes.on("GET", "/users/@me/guilds")
async def own_guilds(call: Call) -> Result:
    """List the guilds that the bot is in."""
    world = call.world
    return [
        {
            "id": str(guild.id),
            "name": guild.name,
            "icon": None,
            "banner": None,
            "owner": False,
            "permissions": "0",
            "features": [],
        }
        for guild in world.guilds.values()
        if world.bot_id in guild.members
    ]


@routes.on("GET", "/guilds/{guild_id}")
async def get_guild(call: Call) -> Result:
    """Return a guild, with counts if asked."""
    guild = _guild(call)
    body = guild_json(call.world, guild)
    if call.flag("with_counts"):
        body |= {
            "approximate_member_count": len(guild.members),
            "approximate_presence_count": len(guild.members),
        }
    return body


@routes.on("GET", "/guilds/{guild_id}/channels")
async def get_channels(call: Call) -> Result:
    """List a guild's channels, without threads."""
    guild = _guild(call)
    return [
        channel_json(call.world, channel)
        for channel in call.world.channels.values()
        if channel.guild_id == guild.id and not channel.is_thread
    ]


@routes.on("GET", "/guilds/{guild_id}/threads/active")
async def get_active_threads(call: Call) -> Result:
    """List a guild's threads that are not archived and that the bot sees."""
    guild, world = _guild(call), call.world
    threads = [
        each
        for each in world.channels.values()
        if each.guild_id == guild.id
        and each.kind in (ChannelKind.PUBLIC_THREAD, ChannelKind.PRIVATE_THREAD)
        and not each.archived
        and world.can_see(world.bot_id, each)
    ]
    joined = [each for each in threads if world.bot_id in each.thread_member_ids]
    return {
        "threads": [channel_json(world, each) for each in threads],
        "members": [thread_member_json(each, world.bot_id) for each in joined],
        "has_more": False,
    }


@routes.on("GET", "/guilds/{guild_id}/roles")
async def get_roles(call: Call) -> Result:
    """List a guild's roles."""
    return [role_json(role) for role in _guild(call).roles.values()]


@routes.on("GET", "/guilds/{guild_id}/members")
async def get_members(call: Call) -> Result:
    """List members; Discord wants the privileged intent for that."""
    guild = _guild(call)
    if not call.world.limits.privileged_intents:
        raise refusal(50001)
    after, limit = int(call.query.get("after", 0)), int(call.query.get("limit", 1))
    found = sorted(each for each in guild.members if each > after)[:limit]
    return [member_json(call.world, guild.members[each]) for each in found]


@routes.on("GET", "/guilds/{guild_id}/members/{user_id}")
async def get_member(call: Call) -> Result:
    """Return one member."""
    member = _guild(call).members.get(call.ids["user_id"])
    if member is None:
        raise refusal(10007)
    return member_json(call.world, member)


@routes.on("GET", "/users/{user_id}")
async def get_user(call: Call) -> Result:
    """Return any user."""
    user = call.world.users.get(call.ids["user_id"])
    if user is None:
        raise refusal(10013)
    return user_json(user)
