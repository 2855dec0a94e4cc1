"""Permission bits and who has which of them where."""

from __future__ import annotations

from .model import Channel, Guild, Member

ADMINISTRATOR = 1 << 3
MANAGE_CHANNELS = 1 << 4
ADD_REACTIONS = 1 << 6
VIEW_CHANNEL = 1 << 10
SEND_MESSAGES = 1 << 11
MANAGE_MESSAGES = 1 << 13
EMBED_LINKS = 1 << 14
ATTACH_FILES = 1 << 15
READ_MESSAGE_HISTORY = 1 << 16
MENTION_EVERYONE = 1 << 17
USE_APPLICATION_COMMANDS = 1 << 31
MANAGE_THREADS = 1 << 34
CREATE_PUBLIC_THREADS = 1 << 35
CREATE_PRIVATE_THREADS = 1 << 36
SEND_MESSAGES_IN_THREADS = 1 << 38
USE_EXTERNAL_APPS = 1 << 50

ALL = (1 << 53) - 1

# What @everyone may do in a guild of the default world.
EVERYONE = (
    ADD_REACTIONS
    | VIEW_CHANNEL
    | SEND_MESSAGES
    | EMBED_LINKS
    | ATTACH_FILES
    | READ_MESSAGE_HISTORY
    | USE_APPLICATION_COMMANDS
    | CREATE_PUBLIC_THREADS
    | CREATE_PRIVATE_THREADS
    | SEND_MESSAGES_IN_THREADS
    | USE_EXTERNAL_APPS
)


def guild_permissions(guild: Guild, member: Member) -> int:
    """Return the permissions of `member` in a guild, before the overwrites of a channel."""
    bits = guild.roles[guild.id].permissions
    for role_id in member.role_ids:
        bits |= guild.roles[role_id].permissions
    return ALL if member.user_id == guild.owner_id or bits & ADMINISTRATOR else bits


def channel_permissions(guild: Guild, member: Member, channel: Channel) -> int:
    """Return the permissions of `member` in `channel`; for a thread, pass its parent."""
    bits = guild_permissions(guild, member)
    if bits == ALL:
        return ALL
    # In this order: everyone's, those of all the member's roles together, the member's own.
    for ids in ([guild.id], member.role_ids, [member.user_id]):
        allow = deny = 0
        for overwrite in channel.overwrites:
            if overwrite.id in ids:
                allow |= overwrite.allow
                deny |= overwrite.deny
        bits = bits & ~deny | allow
    # Somebody who cannot see a channel can do nothing there.
    return bits if bits & VIEW_CHANNEL else 0


def writing_in(channel: Channel) -> int:
    """Return the permission needed to send messages in `channel`."""
    return SEND_MESSAGES_IN_THREADS if channel.is_thread else SEND_MESSAGES
