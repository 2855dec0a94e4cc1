"""The world outlives the process: snapshots on disk."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from deploy.sandbox import People, Sandbox, SnapshotError, World, running_sandbox
from tests.sandbox.conftest import Http, ManualClock


async def test_yesterdays_boards_are_there_today(
    world: World, people: People, http: Http, tmp_path: Path, clock: ManualClock
):
    """Messages, pictures, threads, commands: all of it, under the same numbers."""
    ann, games = world.person("Ann").id, world.channel_called("games").id
    path = f"/channels/{games}"
    await http("PUT", f"/applications/{world.application_id}/commands", [
        {"name": "play", "description": "Play"}
    ])  # fmt: skip
    body = {
        "flags": 1 << 15,
        "components": [{"type": 12, "items": [{"media": {"url": "attachment://a.png"}}]}],
    }
    sent = await http("POST", f"{path}/messages", body, files={"a.png": b"\x89PNG"})
    await http("POST", f"{path}/messages/{sent.body['id']}/threads", {"name": "talk"})
    await people.say(ann, games, "hello")

    world.save(tmp_path)
    again = World.load(tmp_path, clock=clock)

    again.address = world.address
    seen = Sandbox(again).people
    assert seen.visible_messages(ann, games) == people.visible_messages(ann, games)
    assert seen.channels_for(ann) == people.channels_for(ann)
    assert seen.commands_for(ann, games) == people.commands_for(ann, games)
    assert again.files == world.files
    assert again.snowflakes.next() > max(again.messages[games])


async def test_files_of_deleted_messages_are_removed(world: World, http: Http, tmp_path: Path):
    path = f"/channels/{world.channel_called('games').id}/messages"
    sent = await http("POST", path, {}, files={"a.txt": b"a"})
    world.save(tmp_path)
    assert len(list((tmp_path / "attachments").iterdir())) == 1

    await http("DELETE", f"{path}/{sent.body['id']}")
    world.save(tmp_path)

    assert list((tmp_path / "attachments").iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="no modes")
def test_only_its_owner_can_read_what_is_kept(tmp_path: Path):
    """Also where an earlier version has left it readable by all."""
    for folder in (tmp_path / "new", tmp_path / "old"):
        (tmp_path / "old" / "attachments").mkdir(mode=0o755, parents=True, exist_ok=True)
        (tmp_path / "old" / "world.json").touch(mode=0o644)
        World.default().save(folder)

        assert stat.S_IMODE((folder / "world.json").stat().st_mode) == 0o600
        assert stat.S_IMODE((folder / "attachments").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700


async def test_a_sandbox_with_a_place_keeps_its_world(tmp_path: Path):
    async with running_sandbox(state=tmp_path / "kept") as sandbox:
        ann = sandbox.world.person("Ann").id
        games = sandbox.world.channel_called("games").id
        await sandbox.people.say(ann, games, "remember this")

    async with running_sandbox(state=tmp_path / "kept") as sandbox:
        (message,) = sandbox.people.visible_messages(ann, games)
    assert message["content"] == "remember this"


def test_without_a_snapshot_the_world_is_the_default_one(tmp_path: Path):
    world = World.load(tmp_path)

    assert [user.username for user in world.people] == ["ann", "ben", "cleo"]


def test_default_worlds_share_their_numbers():
    """The bot's own database still knows its players in the next sandbox."""
    first, second = World.default(), World.default()

    assert first.bot_id == second.bot_id
    assert first.channels.keys() == second.channels.keys()


@pytest.mark.parametrize("content", ["{", "{}", json.dumps({"version": 99})])
def test_a_damaged_snapshot_is_named(tmp_path: Path, content: str):
    (tmp_path / "world.json").write_text(content)

    with pytest.raises(SnapshotError, match=r"world\.json .* remove it"):
        World.load(tmp_path)


async def test_a_saved_world_stays_readable(sandbox: Sandbox, people: People, tmp_path: Path):
    """Even with half a character in a message, and a field that an earlier sandbox wrote."""
    ann, games = sandbox.world.person("Ann").id, sandbox.world.channel_called("games").id
    await people.say(ann, games, "half \ud83d a thumb")
    sandbox.world.save(tmp_path)
    kept = json.loads((tmp_path / "world.json").read_text(encoding="utf-8"))
    kept["messages"][0]["late_edits"] = [1.0]
    (tmp_path / "world.json").write_text(json.dumps(kept), encoding="utf-8")

    again = Sandbox(World.load(tmp_path)).people.visible_messages(ann, games)

    assert again[0]["content"] == "half ? a thumb"
