"""`/admin`: what the host does in Discord, and that nobody else can."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import discord
import pytest
from structlog.testing import capture_logs

from bot.app import run
from bot.model.match import MatchStatus
from bot.storage.backups import REPORT
from bot.storage.checking import check
from bot.tree import HOST_COMMANDS, GameTree
from cogs.admin import cog
from cogs.admin.watch import NO_WORDS, HostWatch
from deploy.sandbox import Sandbox
from deploy.sandbox.errors import HandError
from engine.records import EndReason
from tests.cogs.table import Board, Table, mistakes_in, raw_commands, running_bot, settings_for
from tests.cogs.test_challenge import begun
from tests.waiting import until


def guild_of(sandbox: Sandbox) -> int:
    guild_id = sandbox.world.channel_called("general").guild_id
    assert guild_id is not None
    return guild_id


@pytest.fixture
async def table(sandbox: Sandbox, tmp_path: Path) -> AsyncIterator[Table]:
    """A bot whose host is Ann, with its commands in the server where everybody is."""
    changes = {"admin_guild": guild_of(sandbox), "backup_folder": tmp_path / "backups"}
    settings = settings_for(sandbox, tmp_path, host_contact="host@example.org", **changes)
    async with running_bot(settings) as bot:
        yield Table(sandbox, bot)
        assert await bot.matches.database.read(lambda connection: list(check(connection))) == []
    assert mistakes_in(sandbox) == []
    assert raw_commands(sandbox) == []


async def say(table: Table, name: str, /, **options: Any) -> str:
    """Use one of the host's commands and return the answer."""
    interaction = await table.sandbox.people.slash(
        table.ann, table.channel, f"admin {name}", options
    )
    await interaction.settled()
    await table.quiet()
    newest = [each for each in table.seen() if each["flags"] & 64][-1]
    return newest["content"] or Board(newest).text


async def press(table: Table, label: str) -> str:
    """Press a button in the host's newest message that has it; return the text there afterwards."""
    boards = [Board(each) for each in table.seen() if each["flags"] & 64]
    board = [each for each in boards if label in each.buttons][-1]
    interaction = await table.press(board, board.buttons[label])
    await interaction.settled()
    await table.quiet()
    return table.again(board).text


async def until_shown(table: Table, words: str | None) -> None:
    """Wait until the bot's presence says something, or nothing."""
    (session,) = table.sandbox.gateway.sessions.values()

    def shown() -> list[str]:
        return [each["state"] for each in (session.presence or {}).get("activities", [])]

    await until(lambda: shown() == ([] if words is None else [words]))


async def until_told(table: Table, words: str) -> None:
    """Wait until Ben has been notified with these words, where the board is."""
    await until(lambda: any(words in each["content"] for each in table.everything(table.ben)))


async def test_only_the_host_may_and_only_their_server_has_it(table: Table):
    world = table.sandbox.world
    guild_id = guild_of(table.sandbox)
    assert "admin" not in {each["name"] for each in world.commands[None].values()}
    (command,) = world.commands[guild_id].values()
    assert (command["name"], command["default_member_permissions"]) == ("admin", "0")

    with pytest.raises(HandError, match="no command 'admin'"):
        await table.command("admin status", user=table.ben)
    # An administrator of that server sees it, and is refused all the same.
    world.guilds[guild_id].owner_id = table.ben
    with capture_logs() as lines:
        await table.command("admin status", user=table.ben)
    assert table.whispers(table.ben) == ["Only the host of this bot can do that."]
    assert [each["user"] for each in lines if each["event"] == "admin refused"] == [table.ben]
    for custom_id in ("admin:really-annul:1", "admin:ban:user:1", "admin:drain:1", "admin:resume"):
        wall = table.post({"type": 2, "style": 2, "label": "?", "custom_id": custom_id})
        await table.press(wall, custom_id, user=table.ben)
        assert table.whispers(table.ben)[-1] == "Only the host of this bot can do that."
    assert not table.bot.hosting.bans
    assert not table.bot.is_paused


async def test_the_status_says_how_the_bot_is(table: Table, tmp_path: Path):
    await table.start()
    await table.bot.matches.database.find_setting("nothing")
    said = await say(table, "status")
    assert "Up for " in said
    assert "Games going on: 1" in said
    assert "Boards behind: 0" in said
    assert "Backup: none is known of" in said
    assert "Maintenance: none" in said

    report = {"at": datetime.now(UTC).isoformat(), "file": "x", "games": 3, "broken": []}
    (tmp_path / "backups").mkdir(exist_ok=True)
    (tmp_path / "backups" / REPORT).write_text(json.dumps(report))
    assert "restored on trial and sound (3 games)" in await say(table, "status")
    (tmp_path / "backups" / REPORT).write_text(json.dumps({**report, "broken": ["Oh."]}))
    assert "failed: Oh." in await say(table, "status")


async def test_a_game_is_looked_at_and_ended_without_a_result(table: Table):
    board, match = await begun(table, colour=0, rated=True)
    board = await table.play(board)

    said = await say(table, "match", game=match.id)
    assert f"**Game {match.id}** · Standard · rated" in said
    assert f"Ann ({table.ann})" in said
    assert f"Ben ({table.ben})" in said
    assert "1 moves" in said
    assert "Ben is to move" in said
    await press(table, "Redraw its board")
    question = await press(table, "End it without a result")
    assert f"End game {match.id} without a result?" in question
    with capture_logs() as lines:
        done = await press(table, "End it")

    assert "the bot's host ended it, and it does not count" in done
    assert {"event": "admin", "act": "annul", "user": table.ann, "match": match.id}.items() <= next(
        each for each in lines if each["event"] == "admin"
    ).items()
    ended = await table.bot.matches.load(match.id)
    assert (ended.status, ended.winner) == (MatchStatus.ANNULLED, None)
    assert ended.end_reason is EndReason.ANNULLED
    assert "**Ended by the bot's host.** This game does not count." in table.again(board).text
    assert await table.bot.ratings.changes_of(match.id) is None
    assert (await table.bot.ratings.history_of(table.ben, limit=5)).entries == ()
    await table.command("export", user=table.ben, game=match.id)
    await table.command("replay", user=table.ben, game=match.id)
    assert "the bot's host ended it" in await say(table, "match", game=match.id)
    assert "End it without a result" not in Board(table.seen()[-1]).buttons
    await until_told(table, f"**Game {match.id} is over:** the bot's host ended it")


async def test_who_is_blocked_is_told_so_and_nothing_is_done_for_them(table: Table):
    board, match = await begun(table, colour=0)
    question = await say(table, "block", user=table.ben)
    assert "Their games that are going on end without a result: 1." in question
    assert "Nothing was done." in await press(table, "Cancel")
    assert not table.bot.hosting.bans

    for user, other in ((table.ben, None), (table.ann, table.ben)):
        options: dict[str, Any] = {} if other is None else {"player": str(other)}
        await table.command("challenge", user=user, **options)
    await say(table, "block", user=table.ben)
    assert "Games that were ended: 1." in await press(table, "Block")
    assert await table.bot.challenges.challenges_of(table.ben) == []
    assert (await table.bot.matches.load(match.id)).is_annulled
    with capture_logs() as lines:
        await table.command("play", user=table.ben, level=1)
    said = table.whispers(table.ben)[-1]
    assert "You can't use this bot any more" in said
    assert "host@example.org" in said
    assert [each["user"] for each in lines if each["event"] == "banned"] == [table.ben]
    assert await table.bot.matches.ongoing_of(table.ben) == []
    await table.press(table.again(board), f"rematch:{match.id}", user=table.ben)
    assert "You can't use this bot any more" in table.whispers(table.ben)[-1]
    assert f"<@{table.ben}>" in await say(table, "status")

    await table.bot.hosting.open()
    assert list(table.bot.hosting.bans) == [table.ben]
    (banned,) = json.loads(await table.bot.privacy.export(table.ben))["banned"]
    assert datetime.fromisoformat(banned["since"]) <= datetime.now(UTC)
    await table.bot.privacy.erase(table.ben)
    assert list(table.bot.hosting.bans) == [table.ben]
    assert "can use the bot again" in await say(table, "unblock", user=table.ben)
    assert "was not blocked" in await say(table, "unblock", user=table.ben)
    await table.start(user=table.ben)
    assert len(await table.bot.matches.ongoing_of(table.ben)) == 1


async def test_a_server_is_blocked_but_not_the_hosts_own(table: Table):
    world = table.sandbox.world
    here = guild_of(table.sandbox)
    assert "from which you run the bot" in await say(table, "block", server=str(here))
    assert "That is a host" in await say(table, "block", user=table.ann)
    assert "Name a user, or" in await say(table, "block")
    assert "digits only" in await say(table, "unblock", server="12a")
    other = world.add_guild(world.snowflakes.next(), "Rivals", [world.person("ben")])
    await say(table, "block", server=str(other.id))
    await press(table, "Block")
    assert table.bot.hosting.bans[other.id].is_server
    await table.command("play", user=table.ben, level=1)
    assert len(await table.bot.matches.ongoing_of(table.ben)) == 1


async def test_in_maintenance_no_games_begin_and_those_going_on_are_played(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    board = await table.start()
    await table.command("challenge", user=table.ben)
    said = await say(table, "maintenance", minutes=30, words="Moving to a   new disk")
    assert "games may begin again" in said
    await until_shown(table, "Moving to a new disk")

    for name, options in (
        ("play", {"level": 1}),
        ("challenge", {}),
        ("challenge", {"player": table.ann}),
    ):
        await table.command(name, user=table.ben, **options)
        refused = table.whispers(table.ben)[-1]
        assert "No new games for now" in refused, name
        assert "minutes" in refused
        assert 'The host says: "Moving to a new disk"' in refused
    offers = [Board(each) for each in table.seen()]
    offer = [each for each in offers if each.starting("accept")][-1]
    await table.press(offer, offer.starting("accept")[0])
    assert "No new games for now" in table.whispers(table.ann)[-1]
    assert (await table.play(board)).id == board.id
    assert (await table.bot.matches.load(1)).ply >= 2

    await table.bot.hosting.open()
    assert table.bot.hosting.maintenance is not None
    clock = table.bot.matches.clock
    with monkeypatch.context() as later:
        later.setattr(table.bot.matches, "clock", lambda: clock() + timedelta(minutes=31))
        assert table.bot.hosting.maintenance is None
    await say(table, "maintenance", minutes=0)
    await until_shown(table, None)
    await say(table, "maintenance", minutes=1)
    await until_shown(table, NO_WORDS)
    await say(table, "maintenance", minutes=0)
    await table.start(user=table.ben)


async def test_drained_it_takes_nothing_new_until_told_otherwise(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(cog, "DRAIN_WITHIN_S", 5.0)
    board = await table.start(user=table.ben)
    await say(table, "drain")
    assert "**It is safe to stop the bot.**" in await press(table, "Drain")
    await table.command("play", user=table.ben, level=1)
    assert "I am restarting" in table.whispers(table.ben)[-1]
    await table.press(
        board,
        (board.starting("cell") or board.starting("board"))[0],
        user=table.ben,
    )
    assert "I am restarting" in table.whispers(table.ben)[-1]
    assert "**Drained:**" in await say(table, "status")

    assert "takes new work again" in await press(table, "Take new work again")
    await table.play(table.again(board), user=table.ben)
    assert (await table.bot.matches.load(1)).ply >= 2

    await say(table, "drain", stop=True)
    assert not table.bot.stop_asked.is_set()
    assert "The process ends now." in await press(table, "Drain and stop")
    assert table.bot.stop_asked.is_set()


async def test_boards_are_drawn_again(table: Table):
    board = await table.start()
    await table.start(user=table.ben)
    edits = count_edits(table)
    assert "drawn again: 1" in await say(table, "redraw", game=1)
    assert count_edits(table) == edits + 1
    assert "drawn again: 2" in await say(table, "redraw")
    assert count_edits(table) == edits + 3
    channel = table.sandbox.world.messages[table.channel]
    del channel[board.id]  # somebody has deleted it
    await say(table, "redraw", game=1)
    again = await table.bot.matches.load(1)
    assert again.message_id != board.id


def count_edits(table: Table) -> int:
    return sum(each.method == "PATCH" for each in table.sandbox.requests)


async def test_a_failed_backup_is_told_once(table: Table, tmp_path: Path):
    watch = table.bot.get_cog("HostWatch")
    assert isinstance(watch, HostWatch)
    folder = tmp_path / "backups"
    folder.mkdir(exist_ok=True)
    now = datetime.now(UTC)

    async def told(at: datetime, *broken: str) -> list[str]:
        report = {"at": at.isoformat(), "file": "x", "games": 3, "broken": broken}
        (folder / REPORT).write_text(json.dumps(report))
        await watch.tell_of_backup()
        world = table.sandbox.world
        own = [
            each
            for each in world.channels.values()
            if each.recipient_ids and table.ann in each.recipient_ids
        ]
        return [each.content for one in own for each in world.messages[one.id].values()]

    assert await told(now) == []
    assert (
        "failed: The disk is full. (and 1 more)" in (await told(now, "The disk is full.", "b"))[0]
    )
    assert len(await told(now, "The disk is full.", "b")) == 1
    assert len(await told(now)) == 1
    assert "There is no backup since" in (await told(now - timedelta(days=2)))[1]
    assert len(await told(now - timedelta(days=2))) == 2
    (folder / REPORT).write_text("{")
    await watch.tell_of_backup()


async def test_the_commands_go_when_their_server_is_another(sandbox: Sandbox, tmp_path: Path):
    guild_id = guild_of(sandbox)
    settings = settings_for(sandbox, tmp_path, admin_guild=guild_id)
    async with running_bot(settings) as bot:
        assert isinstance(bot.tree, GameTree)
        assert not await bot.tree.sync_for_host()
        assert len(sandbox.world.commands[guild_id]) == 1
    async with running_bot(settings.model_copy(update={"admin_guild": None})) as bot:
        assert sandbox.world.commands[guild_id] == {}
        assert await bot.matches.database.find_setting(HOST_COMMANDS) == ""
        assert bot.tree.get_command("admin", guild=discord.Object(guild_id)) is None


async def test_a_process_that_is_drained_to_be_stopped_ends(sandbox: Sandbox, tmp_path: Path):
    settings = settings_for(sandbox, tmp_path, admin_guild=guild_of(sandbox))
    running = asyncio.create_task(run(settings))
    world, people = sandbox.world, sandbox.people
    commands = world.commands
    # A busy bot may have sent its commands before it is there to hear of a click.
    await until(lambda: world.bot_online and guild_of(sandbox) in commands, seconds=30)
    ann, channel = world.people[0].id, world.channel_called("general").id
    asked = await people.slash(ann, channel, "admin drain", {"stop": True})
    await asked.settled()
    (question,) = people.visible_messages(ann, channel)
    pressed = await people.press(ann, int(question["id"]), "admin:drain:1")
    await pressed.settled()

    await asyncio.wait_for(running, 30)

    (said,) = people.visible_messages(ann, channel)
    assert "The process ends now." in Board(said).text
