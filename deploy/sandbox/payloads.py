"""How users, guilds, channels and messages look in Discord's JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from .model import (
    JSON,
    Attachment,
    Channel,
    ChannelKind,
    Guild,
    Member,
    Message,
    MessageFlag,
    Overwrite,
    Role,
    User,
)

if TYPE_CHECKING:
    from .state import State

MAX_UPLOAD_BYTES = 10 * 1024 * 1024


def timestamp(seconds: float) -> str:
    """Return Unix time `seconds` in the form that Discord writes, with offset."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def user_json(user: User) -> JSON:
    """Return the public part of `user`."""
    body: JSON = {
        "id": str(user.id),
        "username": user.username,
        "discriminator": "0000" if user.bot else "0",
        "global_name": user.global_name,
        "avatar": None,
        "public_flags": 0,
        "flags": 0,
        "primary_guild": None,
    }
    if user.bot:
        body["bot"] = True
    return body


def own_user_json(user: User) -> JSON:
    """Return `user` as it sees itself."""
    return user_json(user) | {
        "verified": True,
        "mfa_enabled": True,
        "email": None,
        "locale": user.locale,
    }


def role_json(role: Role) -> JSON:
    """Return a role with its permissions as decimal text."""
    colors = {"primary_color": 0, "secondary_color": None, "tertiary_color": None}
    return {
        "id": str(role.id),
        "name": role.name,
        "description": None,
        "color": 0,
        "colors": colors,
        "hoist": False,
        "icon": None,
        "unicode_emoji": None,
        "position": role.position,
        "permissions": str(role.permissions),
        "managed": False,
        "mentionable": False,
        "flags": 0,
    }


def member_json(state: State, member: Member, *, with_user: bool = True) -> JSON:
    """Return a member, with the user inside where Discord puts it."""
    body: JSON = {
        "avatar": None,
        "banner": None,
        "communication_disabled_until": None,
        "flags": 0,
        "joined_at": timestamp(member.joined_at),
        "nick": member.nick,
        "pending": False,
        "premium_since": None,
        "roles": [str(role_id) for role_id in member.role_ids],
        "mute": False,
        "deaf": False,
    }
    if with_user:
        body["user"] = user_json(state.users[member.user_id])
    return body


def overwrite_json(overwrite: Overwrite) -> JSON:
    """Return one permission overwrite of a channel."""
    return {
        "id": str(overwrite.id),
        "type": overwrite.kind,
        "allow": str(overwrite.allow),
        "deny": str(overwrite.deny),
    }


def channel_json(state: State, channel: Channel) -> JSON:
    """Return a text channel, thread or direct conversation."""
    body: JSON = {
        "id": str(channel.id),
        "type": int(channel.kind),
        "flags": 0,
        "last_message_id": channel.last_message_id and str(channel.last_message_id),
    }
    if channel.kind is ChannelKind.DM:
        # The bot sees the others of a conversation, never itself.
        others = [user_id for user_id in channel.recipient_ids if user_id != state.bot_id]
        return body | {"recipients": [user_json(state.users[user_id]) for user_id in others]}
    body |= {
        "guild_id": str(channel.guild_id),
        "name": channel.name,
        "rate_limit_per_user": 0,
        "parent_id": channel.parent_id and str(channel.parent_id),
    }
    if channel.is_thread:
        return body | _thread_part(state, channel)
    return body | {
        "position": channel.position,
        "topic": channel.topic,
        "nsfw": False,
        "permission_overwrites": [overwrite_json(each) for each in channel.overwrites],
    }


def _thread_part(state: State, channel: Channel) -> JSON:
    count = len(state.messages.get(channel.id, {}))
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
    """Return the note that `user_id` is in the thread `channel`."""
    return {
        "id": str(channel.id),
        "user_id": str(user_id),
        "join_timestamp": timestamp(channel.created_at),
        "flags": 0,
    }


def guild_json(state: State, guild: Guild) -> JSON:
    """Return a guild as GET /guilds/{id} does, without its members and channels."""
    return {
        "id": str(guild.id),
        "name": guild.name,
        "icon": None,
        "description": None,
        "home_header": None,
        "splash": None,
        "discovery_splash": None,
        "features": [],
        "banner": None,
        "owner_id": str(guild.owner_id),
        "application_id": None,
        "region": "",
        "afk_channel_id": None,
        "afk_timeout": 300,
        "system_channel_id": None,
        "system_channel_flags": 0,
        "widget_enabled": False,
        "widget_channel_id": None,
        "verification_level": 0,
        "roles": [role_json(role) for role in guild.roles.values()],
        "default_message_notifications": 0,
        "mfa_level": 0,
        "explicit_content_filter": 0,
        "max_presences": None,
        "max_members": 250_000,
        "max_stage_video_channel_users": 50,
        "max_video_channel_users": 25,
        "vanity_url_code": None,
        "premium_tier": 0,
        "premium_subscription_count": 0,
        "preferred_locale": guild.locale,
        "rules_channel_id": None,
        "safety_alerts_channel_id": None,
        "public_updates_channel_id": None,
        "premium_progress_bar_enabled": False,
        "incidents_data": None,
        "nsfw": False,
        "nsfw_level": 0,
        "emojis": [],
        "stickers": [],
    }


def guild_create_json(state: State, guild: Guild) -> JSON:
    """Return a guild as the gateway announces it."""
    channels = [each for each in state.channels.values() if each.guild_id == guild.id]
    # Without the privileged intent the gateway names only the bot itself.
    bot = guild.members.get(state.bot_id)
    return guild_json(state, guild) | {
        "joined_at": timestamp(bot.joined_at if bot else 0),
        "large": False,
        "unavailable": False,
        "member_count": len(guild.members),
        "voice_states": [],
        "members": [member_json(state, bot)] if bot else [],
        "channels": [channel_json(state, each) for each in channels if not each.is_thread],
        "threads": [
            channel_json(state, each) for each in channels if each.is_thread and not each.archived
        ],
        "presences": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
    }


def attachment_json(
    state: State, channel_id: int, attachment: Attachment, *, ephemeral: bool = False
) -> JSON:
    """Return an attachment with its addresses and, for pictures, its size in pixels.

    `ephemeral` are files of whispers, and those that came with a command or dialog.
    """
    url = f"{state.address}/attachments/{channel_id}/{attachment.id}/{attachment.filename}"
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


def _file_json(state: State, message: Message, attachment: Attachment) -> JSON:
    ephemeral = message.visible_to is not None
    return attachment_json(state, message.channel_id, attachment, ephemeral=ephemeral)


def shown_components(state: State, message: Message) -> list[JSON]:
    """Return the components with the addresses of the files they show filled in."""
    files = {str(each.id): each for each in message.attachments}

    def media(item: JSON) -> JSON:
        attachment = files.get(item.get("attachment_id", ""))
        if attachment is None:
            return item
        shown = _file_json(state, message, attachment)
        keys = ("url", "proxy_url", "width", "height", "content_type")
        return item | {key: shown.get(key) for key in keys}

    def show(part: JSON) -> JSON:
        part = dict(part)
        for key in ("media", "file"):
            if isinstance(part.get(key), dict):
                part[key] = media(part[key])
        for key in ("components", "items"):
            if key in part:
                part[key] = [show(child) for child in part[key]]
        if "accessory" in part:
            part["accessory"] = show(part["accessory"])
        return part

    return [show(part) for part in message.components]


def message_json(state: State, message: Message) -> JSON:
    """Return a message as REST answers and interactions carry it."""
    # Files that components show are not listed a second time: Discord leaves them out.
    listed = [] if message.has(MessageFlag.COMPONENTS_V2) else message.attachments
    body: JSON = {
        "id": str(message.id),
        "channel_id": str(message.channel_id),
        "author": user_json(state.users[message.author_id]),
        "type": int(message.kind),
        "content": message.content,
        "timestamp": timestamp(message.created_at),
        "edited_timestamp": None if message.edited_at is None else timestamp(message.edited_at),
        "tts": False,
        "mention_everyone": False,
        "mentions": [user_json(state.users[each]) for each in message.mention_ids],
        "mention_roles": [],
        "attachments": [_file_json(state, message, each) for each in listed],
        "embeds": message.embeds,
        "components": shown_components(state, message),
        "flags": int(message.flags),
        "pinned": message.pinned,
    }
    body |= _origin(state, message)
    if message.reactions:
        body["reactions"] = [
            {
                "emoji": {"id": None, "name": name},
                "count": len(users),
                "count_details": {"burst": 0, "normal": len(users)},
                "burst_colors": [],
                "me": state.bot_id in users,
                "me_burst": False,
            }
            for name, users in message.reactions.items()
        ]
    return body


def _origin(state: State, message: Message) -> JSON:
    """Return the optional fields that tell where a message came from."""
    body: JSON = {}
    if message.nonce is not None:
        body["nonce"] = message.nonce
    if message.webhook_id is not None:
        body["webhook_id"] = str(message.webhook_id)
    if message.application_id is not None:
        body["application_id"] = str(message.application_id)
    if message.reference is not None:
        body["message_reference"] = message.reference
        body["referenced_message"] = _referenced(state, message)
    if message.interaction_metadata is not None:
        body["interaction_metadata"] = message.interaction_metadata
    if message.thread_id is not None and message.thread_id in state.channels:
        body["thread"] = channel_json(state, state.channels[message.thread_id])
    return body


def _referenced(state: State, message: Message) -> JSON | None:
    reference = message.reference or {}
    channel = state.messages.get(int(reference["channel_id"]), {})
    original = channel.get(int(reference.get("message_id", 0)))
    if original is None or original.visible_to not in (None, message.visible_to):
        # What was whispered to one is not quoted to all.
        return None
    # One level only: Discord does not nest answers to answers.
    return {
        key: value
        for key, value in message_json(state, original).items()
        if key != "referenced_message"
    }


def overheard(state: State, body: JSON) -> JSON:
    """Return a message of a guild as a bot without the content intent may know it.

    It knows its own words, and those that mention it.
    """
    bot = str(state.bot_id)
    if body["author"]["id"] == bot or bot in [each["id"] for each in body["mentions"]]:
        return body
    return body | {"content": "", "embeds": [], "attachments": [], "components": []}


def message_event_json(state: State, message: Message) -> JSON:
    """Return a message as the gateway sends it, with its guild and member."""
    body = message_json(state, message)
    guild_id = state.channels[message.channel_id].guild_id
    if guild_id is not None:
        body["guild_id"] = str(guild_id)
        member = state.guilds[guild_id].members.get(message.author_id)
        if member is not None:
            body["member"] = member_json(state, member, with_user=False)
    return body
