"""The world on disk: one JSON file, and one file for each attachment."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from .errors import SandboxError
from .model import JSON, Channel, Guild, Message, MessageFlag, User

if TYPE_CHECKING:
    from .world import World

VERSION = 1


class SnapshotError(SandboxError):
    """A saved world cannot be read; the message names the file and what to do."""


@dataclass(slots=True, kw_only=True)
class _Snapshot:
    version: int
    bot_id: int
    users: list[User]
    guilds: list[Guild]
    channels: list[Channel]
    messages: list[Message]
    commands: list[tuple[int | None, list[JSON]]]


_SNAPSHOT = TypeAdapter(_Snapshot)


def write_snapshot(world: World, path: Path) -> None:
    """Write `world` below the directory `path`.

    The file that names the rest is replaced in one step: a crash in the middle leaves the
    previous state.
    """
    # What people say to each other is for the sandbox's owner only.
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    files = path / "attachments"
    files.mkdir(exist_ok=True)
    files.chmod(0o700)
    messages = [each for there in world.messages.values() for each in there.values()]
    wanted = {attachment.id for message in messages for attachment in message.attachments}
    for identifier in wanted & world.files.keys():
        target = files / str(identifier)
        if not target.exists():
            # Half a file under its own name would pass for a whole one next time.
            part = files / f"{identifier}.part"
            part.write_bytes(world.files[identifier])
            part.replace(target)
    snapshot = _Snapshot(
        version=VERSION,
        bot_id=world.bot_id,
        users=list(world.users.values()),
        guilds=list(world.guilds.values()),
        channels=list(world.channels.values()),
        # The token needed to finish a deferred answer is not kept.
        messages=[message for message in messages if not message.has(MessageFlag.LOADING)],
        commands=[(scope, list(commands.values())) for scope, commands in world.commands.items()],
    )
    new = path / "world.json.new"
    new.unlink(missing_ok=True)
    new.touch(mode=0o600)
    text = json.dumps(_SNAPSHOT.dump_python(snapshot), ensure_ascii=False)
    with new.open("wb") as file:
        # Half a character, left where a text was cut, would be unreadable.
        file.write(text.encode(errors="replace"))
        file.flush()
        os.fsync(file.fileno())
    new.replace(path / "world.json")
    # Only now does nothing point at the files of deleted messages any more.
    for old in files.iterdir():
        if old.name.isdigit() and int(old.name) not in wanted:
            old.unlink()


def read_snapshot(world: World, path: Path) -> None:
    """Fill the empty `world` from the directory `path`; SnapshotError if that cannot be read."""
    file = path / "world.json"
    try:
        body = json.loads(file.read_text(encoding="utf-8"))
        if body["version"] != VERSION:
            raise SnapshotError(f"{file} has version {body['version']}, not {VERSION}; remove it")
        snapshot = _SNAPSHOT.validate_python(body)
    except (ValueError, KeyError, TypeError) as error:
        raise SnapshotError(f"{file} cannot be read ({error!r}); remove it") from error
    world.bot_id = snapshot.bot_id
    world.users = {each.id: each for each in snapshot.users}
    world.guilds = {each.id: each for each in snapshot.guilds}
    world.channels = {each.id: each for each in snapshot.channels}
    world.messages = {channel_id: {} for channel_id in world.channels}
    for message in snapshot.messages:
        world.messages[message.channel_id][message.id] = message
        world.snowflakes.advance_past(message.id)
        for attachment in message.attachments:
            stored = path / "attachments" / str(attachment.id)
            if stored.exists():
                world.files[attachment.id] = stored.read_bytes()
            world.snowflakes.advance_past(attachment.id)
    for scope, commands in snapshot.commands:
        world.commands[scope] = {int(command["id"]): command for command in commands}
