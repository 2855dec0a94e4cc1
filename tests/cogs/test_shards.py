"""Two bots of one application, a shard each, on one database: people notice nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from sqlalchemy import Connection, select

from bot.model.hosting import Shards
from bot.storage.outbox import OutboxKind, OutboxRow
from bot.storage.schema import match as match_table
from cogs.play.showing import leave_pointer
from deploy.sandbox import Sandbox
from deploy.sandbox.model import Channel
from tests.cogs.table import Board, Table, running_bot, settings_for
from tests.postgresql import Server

ON_SHARD_1 = (2**40 + 1) << 22
"""A server's number; by Discord's formula its shard is 1 of 2."""


@pytest.fixture
async def tables(
    sandbox: Sandbox, tmp_path: Path, postgresql_server: Server, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Table, Table]]:
    """Both bots; the channel of the second is in a server of its shard."""
    monkeypatch.setattr("bot.client.IDENTIFY_EVERY_S", 0.1)
    world, url = sandbox.world, postgresql_server.new_database()
    guild = world.add_guild(ON_SHARD_1, "Second shard", [world.person("ann"), world.person("ben")])
    world.add_member(guild, world.bot)
    number = world.snowflakes.next()
    world.add_channel(Channel(id=number, guild_id=guild.id, name="far"))
    async with AsyncExitStack() as stack:
        bots = [
            await stack.enter_async_context(
                running_bot(
                    settings_for(sandbox, tmp_path, database_url=url, shards=Shards.parse(shards))
                )
            )
            for shards in ("0/2", "1/2")
        ]
        here, there = (Table(sandbox, bot) for bot in bots)
        there.channel = number
        yield here, there


async def test_a_game_is_played_through_two_bots(tables: tuple[Table, Table]):
    """It begins in a server of the second shard; direct messages go to the first one."""
    here, there = tables
    await there.command("challenge", player=str(there.ben), colour=0)
    offer = Board(there.seen(there.ben)[-1])
    await there.press(offer, offer.buttons["Accept"], user=there.ben)
    await there.play(there.newest())
    (number,) = await there.bot.matches.database.read(list_numbers)

    direct = await here.sandbox.people.open_direct(here.ben)
    await here.command("board", user=here.ben, channel=direct.id)
    own = here.newest(here.ben, direct.id)
    await here.press(own, (own.starting("cell") or own.starting("board"))[0], user=here.ben)
    own = here.newest(here.ben, direct.id)
    if (await here.bot.matches.load(number)).ply == 1:
        await here.press(own, own.starting("cell")[0], user=here.ben)

    match = await there.bot.matches.load(number)
    assert match.ply == 2
    assert (await here.bot.matches.load(number)) == match
    await there.command("board", user=there.ann)
    await there.play(there.newest())
    assert (await here.bot.matches.load(number)).ply == 3


async def test_a_pointer_is_left_by_a_bot_that_has_not_heard_of_the_move(
    tables: tuple[Table, Table],
):
    here, there = tables
    await here.start(level=1, first="you")
    (number,) = await here.bot.matches.database.read(list_numbers)
    first = await there.bot.matches.load(number)
    there.bot.matches.database.watchers["match"].clear()
    await here.command("board")
    await here.quiet()
    assert (await there.bot.matches.load(number)).message_id == first.message_id
    edits = f"PATCH /channels/{first.channel_id}/messages/{first.message_id}"
    before = len(here.sandbox.requests.matching(edits))

    assert (first.channel_id, first.message_id) != (None, None)
    row = OutboxRow(OutboxKind.POINTER, number, first.channel_id or 0, first.message_id or 0)
    await leave_pointer(there.bot, row)

    assert len(here.sandbox.requests.matching(edits)) == before + 1


def list_numbers(connection: Connection) -> list[int]:
    return list(connection.execute(select(match_table.c.id)).scalars())
