"""The world on disk: one JSON file, and one file for each attachment."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import SandboxError
from .model import (
    JSON,
    Attachment,
    Channel,
    ChannelKind,
    Guild,
    Member,
    Message,
    MessageFlag,
    MessageKind,
    Overwrite,
    Role,
    User,
)

if TYPE_CHECKING:
    from .world import World

VERSION = 1


class SnapshotError(SandboxError):
    """A saved world cannot be read; the message names the file and what to do."""


def write_snapshot(world: World, path: Path) -> None:
    """Write `world` into the directory `path`; the JSON file is replaced in one step."""
    # What people say to each other is for whoever runs the sandbox only.
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    files = path / "attachments"
    files.mkdir(exist_ok=True)
    files.chmod(0o700)
    wanted = {
        attachment.id
        for messages in world.messages.values()
        for message in messages.values()
        for attachment in message.attachments
    }
    for identifier in wanted & world.files.keys():
        target = files / str(identifier)
        if not target.exists():
            # Half a file under its own name would pass for a whole one next time.
            part = files / f"{identifier}.part"
            part.write_bytes(world.files[identifier])
            part.replace(target)
    body = {
        "version": VERSION,
        "bot_id": world.bot_id,
        "users": [asdict(each) for each in world.users.values()],
        "guilds": [asdict(each) for each in world.guilds.values()],
        "channels": [asdict(each) for each in world.channels.values()],
        "messages": [
            asdict(message)
            for messages in world.messages.values()
            for message in messages.values()
            # The token that could still finish a deferred answer is not kept.
            if not message.has(MessageFlag.LOADING)
        ],
        "commands": [
            [scope, list(commands.values())] for scope, commands in world.commands.items()
        ],
    }
    new = path / "world.json.new"
    new.unlink(missing_ok=True)
    new.touch(mode=0o600)
    with new.open("w", encoding="utf-8") as file:
        json.dump(body, file)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path / "world.json")
    # Only now does nothing point at the files of deleted messages any more.
    for old in files.iterdir():
        if old.name.isdigit() and int(old.name) not in wanted:
            old.unlink()


def read_snapshot(world: World, path: Path) -> None:
    """Fill the empty `world` from the directory `path`.

    Raises:
        SnapshotError: If the file is damaged or of another version.
    """
    file = path / "world.json"
    try:
        body = json.loads(file.read_text(encoding="utf-8"))
        if body["version"] != VERSION:
            raise SnapshotError(f"{file} has version {body['version']}, not {VERSION}; remove it")
        _fill(world, body, path / "attachments")
    except (ValueError, KeyError, TypeError) as error:
        raise SnapshotError(f"{file} cannot be read ({error!r}); remove it") from error


def _fill(world: World, body: JSON, files: Path) -> None:
    world.bot_id = body["bot_id"]
    world.users = {each["id"]: User(**each) for each in body["users"]}
    world.guilds = {each["id"]: _guild(each) for each in body["guilds"]}
    world.channels = {each["id"]: _channel(each) for each in body["channels"]}
    world.messages = {channel_id: {} for channel_id in world.channels}
    for each in body["messages"]:
        message = _message(each)
        world.messages[message.channel_id][message.id] = message
        for attachment in message.attachments:
            stored = files / str(attachment.id)
            if stored.exists():
                world.files[attachment.id] = stored.read_bytes()
            world.snowflakes.advance_past(attachment.id)
        world.snowflakes.advance_past(message.id)
    world.commands = {
        scope: {int(command["id"]): command for command in commands}
        for scope, commands in body["commands"]
    }


def _guild(body: dict[str, Any]) -> Guild:
    roles = {int(key): Role(**value) for key, value in body["roles"].items()}
    members = {int(key): Member(**value) for key, value in body["members"].items()}
    return Guild(**body | {"roles": roles, "members": members})


def _channel(body: dict[str, Any]) -> Channel:
    overwrites = [Overwrite(**each) for each in body["overwrites"]]
    return Channel(**body | {"kind": ChannelKind(body["kind"]), "overwrites": overwrites})


def _message(body: dict[str, Any]) -> Message:
    attachments = [Attachment(**each) for each in body["attachments"]]
    return Message(**body | {"kind": MessageKind(body["kind"]), "attachments": attachments})
