"""The settings that managers make for a server, and that they are honoured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.model.actions import Resign
from bot.model.challenges import CALLED_EVERY
from bot.model.clocks import ClockRules
from cogs.challenge.showing import thread_name
from deploy.sandbox import HandError, Interaction, Sandbox
from deploy.sandbox.model import Channel
from engine import load_variant
from tests.cogs.panels import choose, chosen, corner, menus, panel_of
from tests.cogs.table import JSON, Board, Table, running_bot, settings_for

RULES = [
    *("channels", "lobby_role", "feed_channel", "daily_channel", "daily_role", "daily_hour"),
    *("variant_key", "clock", "threads", "language", "theme"),
]


@pytest.fixture
def guild_id(table: Table) -> int:
    guild_id = table.sandbox.world.channels[table.channel].guild_id
    assert guild_id is not None
    return guild_id


@pytest.fixture
def games(table: Table) -> int:
    return table.sandbox.world.channel_called("games").id


async def challenge(table: Table, channel: int | None = None, **options: Any) -> Board:
    await table.command("challenge", channel=channel, player=table.ben, **options)
    return Board(table.seen(table.ann, channel)[-1])


async def accept(table: Table, offered: Board, *, user: int | None = None) -> Interaction:
    return await table.press(offered, offered.starting("accept")[0], user=user or table.ben)


def threads_of(table: Table, user: int) -> list[JSON]:
    return [each for each in table.sandbox.people.channels_for(user) if each["type"] == 11]


async def test_a_servers_panel_shows_all_there_is_to_set(table: Table):
    panel = await panel_of(table, "server")

    assert panel.message["flags"] & 64
    assert list(menus(panel)) == [f"rule:{each}" for each in RULES]
    assert chosen(panel, "rule:channels") == []
    assert chosen(panel, "rule:variant_key") == ["standard"]
    assert chosen(panel, "rule:clock") == ["none"]
    assert chosen(panel, "rule:threads") == ["off"]


async def test_games_are_played_in_the_channels_chosen_only(
    table: Table, guild_id: int, games: int
):
    panel = await panel_of(table, "server")
    panel = await choose(table, panel, "rule:channels", str(games))
    assert chosen(panel, "rule:channels") == [str(games)]

    for command, options in (("play", {"level": 1}), ("challenge", {})):
        await table.command(command, user=table.ben, **options)

    assert (
        table.whispers(table.ben)
        == [f"Games are not played in this channel. Go to <#{games}>."] * 2
    )
    await table.command("play", user=table.ben, channel=games, level=1)
    assert table.newest(table.ben, games).buttons

    panel = await choose(table, panel, "rule:channels")
    assert (await table.bot.servers.of(guild_id)).channels is None
    await table.command("play", user=table.ben, level=1)
    assert table.newest(table.ben).buttons


async def test_channels_of_another_server_are_not_taken(table: Table, guild_id: int, games: int):
    elsewhere = str(table.sandbox.world.channel_called("general", "Elsewhere").id)
    options = [{"label": each, "value": each} for each in (elsewhere, str(games))]
    for custom_id, taken in (("rule:channels", frozenset({games})), ("rule:feed_channel", games)):
        menu = {"type": 3, "custom_id": custom_id, "options": options, "max_values": 2}
        await choose(table, table.post(menu), custom_id, elsewhere, str(games))
        settings = await table.bot.servers.of(guild_id)
        assert getattr(settings, custom_id.removeprefix("rule:")) == taken


async def test_a_thread_is_played_in_if_its_channel_is(table: Table, games: int):
    thread = table.sandbox.people.start_thread(table.ann, games, "corner")
    panel = await panel_of(table, "server")
    await choose(table, panel, "rule:channels", str(games))

    await table.command("play", channel=thread.id, level=1)

    assert table.newest(channel=thread.id).buttons


async def test_channels_that_are_gone_are_said_to_be(table: Table, games: int):
    panel = await panel_of(table, "server")
    await choose(table, panel, "rule:channels", str(games))
    world = table.sandbox.world
    table.sandbox.channels.remove(world.channels[games])
    await table.bot.wait_for("socket_event_type", check="CHANNEL_DELETE".__eq__, timeout=5)

    await table.command("play", level=1)
    again = await panel_of(table, "server")

    assert "are gone" in table.whispers(table.ann)[-2] + table.whispers(table.ann)[-1]
    assert chosen(again, "rule:channels") == []


async def test_of_a_server_its_name_is_kept_and_where_its_channels_are(table: Table, games: int):
    world, guild = table.sandbox.world, table.bot.guilds[0]
    assert guild.name == world.guilds[guild.id].name
    assert not [*guild.roles, *guild.channels]
    assert table.bot.guild_of(table.channel) == table.bot.guild_of(games) == guild.id
    assert table.bot.guild_of(1) is None
    new = world.add_channel(Channel(id=world.snowflakes.next(), guild_id=guild.id, name="new"))
    await table.bot.wait_for("socket_event_type", check="CHANNEL_CREATE".__eq__, timeout=5)
    assert table.bot.guild_of(new.id) == guild.id
    assert not [*guild.channels]

    whole = await table.bot.fetch_server(guild.id)
    assert new.id in {each.id for each in whole.channels}
    assert whole.me.guild_permissions.send_messages

    for given, known in (({"unavailable": True}, guild.id), ({}, None)):
        world.news.tell_bot("GUILD_DELETE", {"id": str(guild.id), **given}, guild.id)
        await table.bot.wait_for("socket_event_type", check="GUILD_DELETE".__eq__, timeout=5)
        assert table.bot.guild_of(games) == known


async def test_an_old_button_starts_no_game_where_none_may_be_played_any_more(
    table: Table, games: int
):
    offered = await challenge(table)
    await choose(table, await panel_of(table, "server"), "rule:channels", str(games))

    await accept(table, offered)

    assert "Games are not played in this channel" in table.whispers(table.ben)[-1]
    assert await table.bot.matches.ongoing_of(table.ben) == []


async def test_the_servers_rules_and_clock_apply_if_nobody_names_others(table: Table):
    panel = await panel_of(table, "server")
    panel = await choose(table, panel, "rule:variant_key", "open-board")
    panel = await choose(table, panel, "rule:clock", "3d")

    offered = await challenge(table)
    named = await challenge(table, variant="standard", clock="none")
    board = await table.start()

    assert chosen(panel, "rule:variant_key") == ["open-board"]
    assert chosen(panel, "rule:clock") == ["3d"]
    assert "Open" in offered.text
    assert "3 days a move" in offered.text
    assert "Standard" in named.text
    assert "no clock" in named.text
    assert "Open" in board.text


async def test_rules_and_clocks_that_no_menu_lists_are_typed(table: Table, guild_id: int):
    panel = await panel_of(table, "server", variant="goal=five, won_board=open", clock="36h")

    settings = await table.bot.servers.of(guild_id)
    key = load_variant("won_board=open,goal=five").key
    assert settings.variant_key == key
    assert settings.clock == ClockRules.parse("36h")
    assert chosen(panel, "rule:variant_key") == ["typed"]
    assert chosen(panel, "rule:clock") == ["36h"]

    panel = await choose(table, panel, "rule:variant_key", "typed")
    assert (await table.bot.servers.of(guild_id)).variant_key == key
    panel = await choose(table, panel, "rule:variant_key", "standard")
    assert (await table.bot.servers.of(guild_id)).variant_key is None


async def test_what_is_no_variant_or_clock_is_refused_in_words(table: Table, guild_id: int):
    await table.command("server", variant="chess")
    await table.command("server", clock="sundial")

    variant, clock = table.whispers(table.ann)
    assert "chess" in variant
    assert "sundial" in clock
    settings = await table.bot.servers.of(guild_id)
    assert (settings.variant_key, settings.clock) == (None, None)


async def test_only_those_who_manage_the_server_set_something_for_it(table: Table, guild_id: int):
    with pytest.raises(HandError):
        await table.command("server", user=table.ben)
    panel = await panel_of(table, "server")
    world = table.sandbox.world
    world.guilds[guild_id].owner_id = table.ben

    await choose(table, panel, "rule:theme", "light")

    assert "Only those who may manage this server" in table.whispers(table.ann)[-1]
    assert (await table.bot.servers.of(guild_id)).theme is None


async def test_two_people_see_the_servers_colours_and_its_language(table: Table):
    panel = await panel_of(table, "server")
    panel = await choose(table, panel, "rule:theme", "light")
    await choose(table, panel, "rule:language", "de")
    await table.bot.preferences.change(table.ann, theme="high-contrast", language="ru")

    await accept(table, await challenge(table))
    shared = table.newest()
    own = await table.start()

    assert "Brett" in shared.text
    assert corner((await table.files(shared))["board.png"]) == (255, 255, 255)
    assert corner((await table.files(own))["board.png"]) == (0, 0, 0)


async def test_a_game_between_people_gets_a_thread(table: Table):
    await choose(table, await panel_of(table, "server"), "rule:threads", "on")
    offered = await challenge(table)

    await accept(table, offered)

    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    thread = threads_of(table, table.ben)[-1]
    assert thread["name"] == thread_name(match)
    assert thread["name"].endswith(f", Standard, game {match.id}")
    assert int(thread["id"]) == offered.id == match.channel_id
    left = table.again(offered)
    assert f"<#{thread['id']}>" in left.text
    assert not left.buttons
    members = table.sandbox.world.channels[offered.id].thread_member_ids
    assert {table.ann, table.ben} <= set(members)

    board = table.newest(channel=offered.id)
    assert board.id == match.message_id
    player = match.seats[0].player_id
    await table.press(board, board.starting("board")[0], user=player)
    board = table.newest(channel=offered.id)
    await table.press(board, board.starting("cell")[0], user=player)
    assert "1 move" in table.newest(channel=offered.id).text


async def test_a_rematch_stays_in_the_thread(table: Table):
    await choose(table, await panel_of(table, "server"), "rule:threads", "on")
    offered = await challenge(table)
    await accept(table, offered)
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    board = table.newest(channel=offered.id)
    await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)
    await table.press(board, board.starting("board")[0])
    over = table.newest(channel=offered.id)

    await table.press(over, over.buttons["Rematch"])
    again = Board(table.seen(table.ben, offered.id)[-1])
    await accept(table, again)

    assert len(threads_of(table, table.ben)) == 1
    following = (await table.bot.matches.ongoing_of(table.ann))[0]
    assert following.channel_id == offered.id


MISSING = {
    "create public threads": 1 << 35,
    "send messages in threads": 1 << 38,
    "attach files": 1 << 15,
}


@pytest.mark.parametrize("missing", MISSING)
async def test_where_threads_are_of_no_use_none_is_started_and_the_game_stays(
    table: Table, guild_id: int, missing: str
):
    guild = table.sandbox.world.guilds[guild_id]
    guild.roles[guild_id].permissions &= ~MISSING[missing]
    panel = await choose(table, await panel_of(table, "server"), "rule:threads", "on")
    assert ("may not start threads" in panel.text) == ("threads" in missing)
    offered = await challenge(table)

    await accept(table, offered)

    assert table.sandbox.requests.matching("POST /channels/*/threads") == []
    assert table.again(offered).starting("board")
    assert threads_of(table, table.ann) == []
    assert table.whispers(table.ben) == []


async def test_a_thread_that_discord_refuses_leaves_the_game_where_it_is(table: Table):
    await choose(table, await panel_of(table, "server"), "rule:threads", "on")
    offered = await challenge(table)
    table.sandbox.faults.fail("POST /channels/*/messages/*/threads", status=403, code=50013)

    await accept(table, offered)

    assert table.again(offered).starting("board")
    assert threads_of(table, table.ann) == []
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    assert match.channel_id == table.channel


async def test_a_challenge_taken_from_the_lobby_gets_its_thread_where_it_was_taken(
    table: Table, games: int
):
    await choose(table, await panel_of(table, "server"), "rule:threads", "on")
    await table.command("challenge")
    await table.command("lobby", user=table.ben, channel=games)
    lobby = Board(table.seen(table.ben, games)[-1])

    await table.press(lobby, lobby.starting("accept")[0], user=table.ben)

    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    thread = threads_of(table, table.ann)[-1]
    assert int(thread["parent_id"]) == games
    assert match.channel_id == int(thread["id"])
    assert table.newest(channel=match.channel_id).starting("board")


async def looking(table: Table, user: int) -> Board:
    """Let somebody look for an opponent."""
    await table.command("challenge", user=user)
    return Board(table.seen(table.ben)[-1])


async def test_a_role_is_called_to_open_challenges_and_not_again_soon(
    sandbox: Sandbox, tmp_path: Path
):
    """Nor after a restart, nor if an answer is sent again as its confirmation was lost."""
    settings, guild = settings_for(sandbox, tmp_path), next(iter(sandbox.world.guilds.values()))
    role = next(each for each in guild.roles.values() if each.name == "players")
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        panel = await choose(
            table, await panel_of(table, "server"), "rule:lobby_role", str(role.id)
        )
        assert chosen(panel, "rule:lobby_role") == [str(role.id)]
        named = await challenge(table)
        sandbox.faults.reset("POST /interactions/*/callback", after=True)
        first = await looking(table, table.ann)

    assert named.message["mention_roles"] == []
    assert first.message["mention_roles"] == [str(role.id)]
    assert first.text.startswith(f"<@&{role.id}>\n")
    async with running_bot(settings) as bot:
        table, now = Table(sandbox, bot), bot.matches.clock()
        assert (await looking(table, table.ben)).message["mention_roles"] == []
        bot.matches.clock = lambda: now + CALLED_EVERY
        again = await looking(table, table.ben)
        assert again.message["mention_roles"] == [str(role.id)]
        await table.press(again, again.buttons["Withdraw"], user=table.ben)
        assert "<@&" not in table.again(again).text
    called = [each for each in table.seen(table.ben) if each["mention_roles"]]
    assert len(called) == 1


async def test_why_a_role_cannot_be_called_is_told_to_managers(table: Table, guild_id: int):
    roles = table.sandbox.world.guilds[guild_id].roles
    bots, players = (next(e for e in roles.values() if e.name == n) for n in ("bots", "players"))
    panel = await panel_of(table, "server")
    panel = await choose(table, panel, "rule:lobby_role", str(bots.id))

    assert f"I may not mention <@&{bots.id}>" in panel.text
    assert "<@&" not in (await looking(table, table.ann)).text
    panel = await choose(table, panel, "rule:lobby_role", str(players.id))
    assert "may not mention" not in panel.text
    await choose(table, panel, "rule:lobby_role", str(guild_id))
    assert "I don't mention *@everyone*" in table.whispers(table.ann)[-1]

    await table.bot.servers.change(guild_id, lobby_role=4711)
    panel = await panel_of(table, "server")
    assert "The role to mention has been deleted" in panel.text
    assert "<@&" not in (await looking(table, table.ann)).text
    await choose(table, panel, "rule:lobby_role")
    assert (await table.bot.servers.of(guild_id)).lobby_role is None


async def test_servers_the_bot_is_not_in_have_no_settings(table: Table):
    elsewhere = table.sandbox.world.channel_called("general", "Elsewhere").id
    direct = (await table.sandbox.people.open_direct(table.ann)).id

    for channel in (elsewhere, direct):
        with pytest.raises(HandError):
            await table.command("server", channel=channel)
        await table.command("settings", channel=channel)
        assert "wish:theme" in menus(table.newest(channel=channel))
        await table.command("play", channel=channel, level=1)
        assert table.newest(channel=channel).starting("board")
