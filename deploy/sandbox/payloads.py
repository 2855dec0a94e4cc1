"""How users, guilds, channels and messages look in Discord's JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from .components import rebuilt
from .model import (
    JSON,
    Attachment,
    Channel,
    ChannelKind,
    Guild,
    Member,
    Message,
    MessageFlag,
    Role,
    User,
)

if TYPE_CHECKING:
    from .world import World


def each_is(value: Any, *names: str) -> JSON:
    """Return an object in which all of `names` have the same value."""
    return dict.fromkeys(names, value)


def timestamp(seconds: float) -> str:
    """Return Unix time `seconds` in Discord's format, with offset."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def user_json(user: User) -> JSON:
    """Return the public part of `user`."""
    body: JSON = {
        "id": str(user.id),
        "username": user.username,
        "discriminator": "0000" if user.bot else "0",
        "global_name": user.global_name,
    }
    body |= each_is(None, "avatar", "primary_guild") | each_is(0, "public_flags", "flags")
    return body | {"bot": True} if user.bot else body


def own_user_json(user: User) -> JSON:
    """Return `user` as it sees itself."""
    own = {"email": None, "locale": user.locale} | each_is(True, "verified", "mfa_enabled")
    return user_json(user) | own


def application_json(world: World) -> JSON:
    """Return the application, which has its bot's name."""
    return {
        "id": str(world.application_id),
        "name": world.bot.username,
        "description": "An application of the sandbox",
        "summary": "",
        "bot_public": True,
        "bot_require_code_grant": False,
        "verify_key": "0" * 64,
        "flags": 0,
        "flags_new": "0",
        "hook": True,
        "owner": user_json(world.people[0]),
        **each_is(None, "icon", "type", "team"),
        **each_is(None, "interactions_endpoint_url", "role_connections_verification_url"),
        **each_is([], "tags", "redirect_uris", "eligible_oauth2_scopes"),
        "approximate_guild_count": len(world.guilds),
        "approximate_user_authorization_count": 0,
        "explicit_content_filter": 0,
        "approximate_user_install_count": sum(each.has_installed for each in world.people),
        "integration_types_config": {"0": {}, "1": {}},
    }


def role_json(role: Role) -> JSON:
    """Return a role with its permissions as decimal text."""
    body: JSON = {
        "id": str(role.id),
        "name": role.name,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "position": role.position,
        "permissions": str(role.permissions),
        "mentionable": role.mentionable,
    }
    body |= each_is(None, "description", "icon", "unicode_emoji") | each_is(0, "color", "flags")
    return body | each_is(False, "hoist", "managed")


def member_json(world: World, member: Member, *, with_user: bool = True) -> JSON:
    """Return a member, with the user inside where Discord puts it."""
    body: JSON = {
        "flags": 0,
        "joined_at": timestamp(member.joined_at),
        "nick": member.nick,
        "roles": [str(role_id) for role_id in member.role_ids],
        **each_is(None, "avatar", "banner", "communication_disabled_until", "premium_since"),
        **each_is(False, "pending", "mute", "deaf"),
    }
    if with_user:
        body["user"] = user_json(world.users[member.user_id])
    return body


def channel_json(world: World, channel: Channel) -> JSON:
    """Return a text channel, thread or direct conversation."""
    body: JSON = {
        "id": str(channel.id),
        "type": int(channel.kind),
        "flags": 0,
        "last_message_id": channel.last_message_id and str(channel.last_message_id),
    }
    if channel.kind is ChannelKind.DM:
        # The bot sees the others of a conversation, never itself.
        others = [user_id for user_id in channel.recipient_ids if user_id != world.bot_id]
        return body | {"recipients": [user_json(world.users[user_id]) for user_id in others]}
    body |= {
        "guild_id": str(channel.guild_id),
        "name": channel.name,
        "rate_limit_per_user": 0,
        "parent_id": channel.parent_id and str(channel.parent_id),
    }
    if channel.is_thread:
        return body | _thread_part(world, channel)
    return body | {
        "position": channel.position,
        "topic": channel.topic,
        "nsfw": False,
        "permission_overwrites": [
            {"id": str(o.id), "type": o.kind, "allow": str(o.allow), "deny": str(o.deny)}
            for o in channel.overwrites
        ],
    }


def _thread_part(world: World, channel: Channel) -> JSON:
    count = len(world.messages.get(channel.id, {}))
    return {
        "owner_id": str(channel.owner_id),
        "message_count": min(count, 50),
        "total_message_sent": count,
        "member_count": min(len(channel.thread_member_ids), 50),
        "thread_metadata": {
            "archived": channel.archived,
            "archive_timestamp": timestamp(channel.archived_changed_at),
            "auto_archive_duration": channel.auto_archive_minutes,
            "locked": channel.locked,
            "create_timestamp": timestamp(channel.created_at),
        },
    }


def thread_member_json(channel: Channel, user_id: int) -> JSON:
    """Return the membership of `user_id` in the thread `channel`."""
    return {
        "id": str(channel.id),
        "user_id": str(user_id),
        "join_timestamp": timestamp(channel.created_at),
        "flags": 0,
    }


def threads_json(world: World, threads: list[Channel]) -> JSON:
    """Return a list of threads, with the bot's membership in each that it has joined."""
    joined = [each for each in threads if world.bot_id in each.thread_member_ids]
    return {
        "threads": [channel_json(world, each) for each in threads],
        "members": [thread_member_json(each, world.bot_id) for each in joined],
        "has_more": False,
    }


_EMPTY_GUILD: JSON = (
    each_is(None, "icon", "description", "home_header", "splash", "discovery_splash", "banner")
    | each_is(None, "application_id", "afk_channel_id", "system_channel_id", "widget_channel_id")
    | each_is(None, "max_presences", "vanity_url_code", "rules_channel_id", "incidents_data")
    | each_is(None, "safety_alerts_channel_id", "public_updates_channel_id")
    | each_is(0, "system_channel_flags", "verification_level", "mfa_level", "nsfw_level")
    | each_is(0, "default_message_notifications", "explicit_content_filter")
    | each_is(0, "premium_tier", "premium_subscription_count")
    | each_is(False, "widget_enabled", "premium_progress_bar_enabled", "nsfw")
    | each_is([], "features", "emojis", "stickers")
    | {"region": "", "afk_timeout": 300, "max_members": 250_000}
    | {"max_stage_video_channel_users": 50, "max_video_channel_users": 25}
)


def guild_json(guild: Guild) -> JSON:
    """Return a guild with its roles, without channels and members."""
    return _EMPTY_GUILD | {
        "id": str(guild.id),
        "name": guild.name,
        "owner_id": str(guild.owner_id),
        "roles": [role_json(role) for role in guild.roles.values()],
        "preferred_locale": guild.locale,
    }


def guild_create_json(world: World, guild: Guild) -> JSON:
    """Return a guild as the gateway announces it."""
    channels = [each for each in world.channels.values() if each.guild_id == guild.id]
    # Without the privileged intent the gateway names only the bot itself.
    bot = guild.members.get(world.bot_id)
    return guild_json(guild) | {
        "joined_at": timestamp(bot.joined_at if bot else 0),
        **each_is(False, "large", "unavailable"),
        "member_count": len(guild.members),
        "members": [member_json(world, bot)] if bot else [],
        "channels": [channel_json(world, each) for each in channels if not each.is_thread],
        "threads": [
            channel_json(world, each) for each in channels if each.is_thread and not each.archived
        ],
        **each_is([], "voice_states", "presences", "stage_instances"),
        **each_is([], "guild_scheduled_events", "soundboard_sounds"),
    }


def attachment_json(
    world: World, channel_id: int, attachment: Attachment, *, ephemeral: bool = False
) -> JSON:
    """Return an attachment with its addresses and, for pictures, its size in pixels.

    `ephemeral` marks files of ephemeral messages and those sent with a command or dialog.
    """
    url = f"{world.address}/attachments/{channel_id}/{attachment.id}/{attachment.filename}"
    body: JSON = {
        "id": str(attachment.id),
        "filename": attachment.filename,
        "size": attachment.size,
        "url": url,
        "proxy_url": url,
        "content_type": attachment.content_type,
    }
    if attachment.width is not None:
        body |= {"width": attachment.width, "height": attachment.height}
    if attachment.description is not None:
        body["description"] = attachment.description
    if ephemeral:
        body["ephemeral"] = True
    return body


def _file_json(world: World, message: Message, attachment: Attachment) -> JSON:
    ephemeral = message.visible_to is not None
    return attachment_json(world, message.channel_id, attachment, ephemeral=ephemeral)


def shown_components(world: World, message: Message) -> list[JSON]:
    """Return the components with the addresses of the files they show filled in."""
    files = {str(each.id): each for each in message.attachments}

    def media(item: JSON) -> JSON:
        attachment = files.get(item.get("attachment_id", ""))
        if attachment is None:
            return item
        shown = _file_json(world, message, attachment)
        keys = ("url", "proxy_url", "width", "height", "content_type")
        return item | {key: shown.get(key) for key in keys}

    return [rebuilt(part, dict, media) for part in message.components]


def message_json(world: World, message: Message) -> JSON:
    """Return a message as REST answers and interactions carry it."""
    # Files that components show are not listed a second time: Discord leaves them out.
    listed = [] if message.has(MessageFlag.COMPONENTS_V2) else message.attachments
    body: JSON = {
        "id": str(message.id),
        "channel_id": str(message.channel_id),
        "author": user_json(world.users[message.author_id]),
        "type": int(message.kind),
        "content": message.content,
        "timestamp": timestamp(message.created_at),
        "edited_timestamp": None if message.edited_at is None else timestamp(message.edited_at),
        "tts": False,
        "mention_everyone": False,
        "mentions": [user_json(world.users[each]) for each in message.mention_ids],
        "mention_roles": [str(each) for each in message.mention_role_ids],
        "attachments": [_file_json(world, message, each) for each in listed],
        "embeds": message.embeds,
        "components": shown_components(world, message),
        "flags": int(message.flags),
        "pinned": message.pinned,
    }
    body |= _origin(world, message)
    if message.reactions:
        body["reactions"] = [
            {
                "emoji": {"id": None, "name": name},
                "count": len(users),
                "count_details": {"burst": 0, "normal": len(users)},
                "burst_colors": [],
                "me": world.bot_id in users,
                "me_burst": False,
            }
            for name, users in message.reactions.items()
        ]
    return body


def _origin(world: World, message: Message) -> JSON:
    """Return the optional fields that tell where a message came from."""
    thread = world.channels.get(message.thread_id or 0)
    body: JSON = {
        "nonce": message.nonce,
        "webhook_id": message.webhook_id and str(message.webhook_id),
        "application_id": message.application_id and str(message.application_id),
        "message_reference": message.reference,
        "interaction_metadata": message.interaction_metadata,
        "thread": thread and channel_json(world, thread),
    }
    body = {key: value for key, value in body.items() if value is not None}
    if message.reference is not None:
        body["referenced_message"] = _referenced(world, message.reference, message.visible_to)
    return body


def _referenced(world: World, reference: JSON, visible_to: int | None) -> JSON | None:
    channel = world.messages.get(int(reference["channel_id"]), {})
    original = channel.get(int(reference.get("message_id", 0)))
    if original is None or original.visible_to not in (None, visible_to):
        # An ephemeral message is not quoted to anybody else.
        return None
    # One level only: Discord does not nest replies to replies.
    body = message_json(world, original)
    body.pop("referenced_message", None)
    return body


def in_guild(guild_id: int | None) -> JSON:
    """Return the field that names a guild, nothing for a direct conversation."""
    return {} if guild_id is None else {"guild_id": str(guild_id)}


def message_link(message: Message | None, guild_id: int | None) -> JSON | None:
    """Return the link from an answer to the message it belongs to."""
    if message is None:
        return None
    ids = {"channel_id": str(message.channel_id), "message_id": str(message.id)}
    return {"type": 0, **ids, **in_guild(guild_id)}


def overheard(world: World, body: JSON) -> JSON:
    """Return a guild's message as a bot without the message content intent may see it.

    It sees the contents of its own messages and of those that mention it.
    """
    bot = str(world.bot_id)
    if body["author"]["id"] == bot or bot in [each["id"] for each in body["mentions"]]:
        return body
    return body | {"content": "", "embeds": [], "attachments": [], "components": []}


def message_event_json(world: World, message: Message) -> JSON:
    """Return a message as the gateway sends it, with its guild and member."""
    body = message_json(world, message)
    guild_id = world.channels[message.channel_id].guild_id
    if guild_id is not None:
        body["guild_id"] = str(guild_id)
        member = world.guilds[guild_id].members.get(message.author_id)
        if member is not None:
            body["member"] = member_json(world, member, with_user=False)
    return body
