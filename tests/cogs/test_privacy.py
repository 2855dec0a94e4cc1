"""Somebody looks at their stored data, exports it, and has it deleted."""

from __future__ import annotations

import dataclasses
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from bot.model.actions import Resign
from bot.model.preferences import PlayerPreferences, ServerSettings
from cogs.privacy.cog import DELETE, GET, KEEP, REALLY_DELETE
from deploy.sandbox import Sandbox
from engine.records import EndReason
from tests.cogs.table import Board, Table, running_bot, settings_for
from tests.cogs.test_challenge import begun, challenged, newest


async def asked(table: Table, user: int | None = None) -> Board:
    """Use `/privacy` and return the answer."""
    await table.command("privacy", user=user)
    return newest(table, user)


async def left(table: Table, user: int | None = None) -> Board:
    """Have a player's data deleted and return the last answer."""
    policy = await asked(table, user)
    await table.press(policy, policy.buttons["Delete my data"], user=user)
    question = newest(table, user)
    await table.press(question, question.buttons["Yes, delete it all"], user=user)
    return newest(table, user)


async def file_of(table: Table, user: int | None = None) -> tuple[str, bytes]:
    policy = await asked(table, user)
    press = await table.sandbox.people.press(
        user or table.ann, policy.id, policy.buttons["Get my data"]
    )
    await press.settled()
    await table.quiet()
    ((name, content),) = (await table.files(newest(table, user))).items()
    return name, content


async def test_the_policy_is_private_and_says_what_can_be_done(table: Table):
    policy = await asked(table)

    assert policy.message["flags"] & 64
    assert "Stored until you have it deleted" in policy.text
    assert list(policy.buttons) == ["Get my data", "Delete my data"]
    assert policy.id not in [int(each["id"]) for each in table.seen(table.ben)]


async def test_the_data_comes_as_a_file_that_nobody_else_sees(table: Table):
    board = await table.start()
    await table.play(board)

    name, content = await file_of(table)

    found = json.loads(content)
    assert name == "my-data.json"
    assert found["person"]["name"] == "Ann"
    assert len(found["matches"][0]["moves"]) == 2
    assert newest(table).message["flags"] & 64


async def test_much_data_is_packed_and_too_much_is_told(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    async def much(_user_id: int) -> bytes:
        return b"0123456789" * 100_000

    monkeypatch.setattr(type(table.bot.privacy), "export", lambda _self, user: much(user))
    table.sandbox.world.limits.upload_bytes = 100_000
    name, content = await file_of(table)
    table.sandbox.world.limits.upload_bytes = 100
    policy = await asked(table)
    press = await table.sandbox.people.press(table.ann, policy.id, policy.buttons["Get my data"])
    await press.settled()
    await table.quiet()

    assert name == "my-data.zip"
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.read("my-data.json") == await much(0)
    assert "more stored about you than fits" in table.whispers(table.ann)[-1]


async def test_deleting_is_asked_about_with_what_it_costs(table: Table):
    await begun(table)
    policy = await asked(table)

    await table.press(policy, policy.buttons["Delete my data"])

    question = newest(table)
    assert "Your 1 ongoing game: you lose it" in question.text
    assert "Blocks that others have set against you" in question.text
    await table.press(question, question.buttons["Keep my data"])
    assert "Nothing was deleted" in table.again(question).text
    assert len(await table.bot.matches.ongoing_of(table.ann)) == 1


async def test_who_never_played_is_not_asked_about_games(table: Table):
    policy = await asked(table)

    await table.press(policy, policy.buttons["Delete my data"])

    assert "Your name and number" in newest(table).text
    assert "0" not in newest(table).text


async def test_the_other_player_sees_at_once_that_they_have_won(table: Table):
    board, match = await begun(table)

    done = await left(table)

    assert "Your data is deleted" in done.text
    assert "1 game was resigned" in done.text
    match = await table.bot.matches.load(match.id)
    assert (match.end_reason, match.winner) == (EndReason.RESIGNED, match.side_of(table.ben))
    shown = table.again(board)
    assert "Deleted player" in shown.text
    assert "Ann" not in shown.text
    assert "Ann" not in shown.alt


async def test_an_open_challenge_is_closed_where_it_stands(table: Table):
    offer = await challenged(table)

    await left(table)

    assert "Deleted player has withdrawn it" in table.again(offer).text
    assert table.again(offer).buttons == {}


async def test_old_buttons_answer_clearly(table: Table):
    """In a game against the computer and in one against somebody, also for the other player."""
    alone = await table.start()
    together, _ = await begun(table)
    resign, cell = together.buttons["Resign"], alone.starting("board")[0]
    await left(table)

    for board, button in ((alone, cell), (together, resign)):
        await table.sandbox.people.press(table.ann, board.id, _still(table, board, button))
        await table.quiet()
    over = table.again(together)
    await table.press(over, over.buttons["Rematch"], user=table.ben)

    assert await table.bot.matches.latest_of(table.ann) is None
    told = table.whispers(table.ann)
    assert any("between Deleted player and " in each for each in told), told
    assert "has deleted their data" in table.whispers(table.ben)[-1]


def _still(table: Table, board: Board, button: str) -> str:
    """Return a button if it is still shown, else any of those that are."""
    shown = table.again(board).buttons.values()
    return button if button in shown else next(iter(shown))


async def test_who_comes_back_is_somebody_new(table: Table):
    await begun(table, rated=True)
    await left(table)

    await table.start()
    await table.command("profile")

    assert "No finished games yet" in newest(table).text
    _, content = await file_of(table)
    assert len(json.loads(content)["matches"]) == 1


async def test_somebody_who_never_played_can_ask_for_everything(table: Table):
    _, content = await file_of(table)
    done = await left(table)

    assert json.loads(content)["person"] is None
    assert "Your data is deleted" in done.text


async def test_a_failing_disk_deletes_nothing_and_says_so(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    await table.start()

    def fail(*_given: Any, **_named: Any) -> None:
        from sqlalchemy.exc import OperationalError

        raise OperationalError("DELETE", {}, Exception("disk is full"))

    monkeypatch.setattr("bot.storage.erasing.note_erasure", fail)
    await left(table)

    assert "could not be saved" in table.whispers(table.ann)[-1]
    assert len(await table.bot.matches.ongoing_of(table.ann)) == 1


async def test_a_server_that_throws_the_bot_out_is_forgotten(table: Table):
    world = table.sandbox.world
    guild = world.channel(table.channel).guild_id
    assert guild is not None
    await table.bot.servers.put(guild, ServerSettings(variant_key="pie"))
    found = table.bot.get_guild(guild)
    assert found is not None

    table.bot.dispatch("guild_remove", found)
    await table.quiet()

    assert await table.bot.servers.of(guild) == ServerSettings()


async def test_a_server_that_was_left_while_the_bot_was_away_is_forgotten(
    sandbox: Sandbox, tmp_path: Path
):
    """Discord sends no event for that. Servers that the bot was never in are kept."""
    settings = settings_for(sandbox, tmp_path)
    world = sandbox.world
    left, never = [
        world.channel_called("general", name).guild_id or 0 for name in ("Sandbox", "Elsewhere")
    ]
    async with running_bot(settings) as bot:
        for guild_id in (left, never):
            await bot.servers.put(guild_id, ServerSettings(variant_key="pie"))
        await Table(sandbox, bot).quiet()
    del world.guilds[left].members[world.bot_id]

    async with running_bot(settings) as bot:
        await Table(sandbox, bot).quiet()
        found = [(await bot.servers.of(guild_id)).variant_key for guild_id in (left, never)]

    assert found == [None, "pie"]


async def test_the_ids_are_short_and_different():
    every = [GET, DELETE, REALLY_DELETE, KEEP]

    assert len(set(every)) == 4
    assert max(map(len, every)) <= 100


async def test_a_profile_is_shown_after_the_only_opponent_has_left(table: Table):
    await begun(table)
    await left(table, table.ben)

    await table.command("profile")

    card = newest(table)
    assert "1 game: 1 won, 0 drawn, 0 lost" in card.text
    assert "Profile" not in card.buttons  # the page that is shown
    assert list(card.buttons) == [
        "Statistics",
        "Rating graph",
    ]  # nobody is left to be compared with
    await table.press(card, card.buttons["Rating graph"])
    assert table.again(card).alt.startswith("Rating of Ann")


async def test_a_deleted_player_is_named_in_the_language_of_the_reader(table: Table):
    await begun(table)
    await left(table, table.ben)
    preferences = dataclasses.replace(PlayerPreferences(), language="de")
    await table.bot.preferences.put(table.ann, preferences)

    await table.command("history")
    offered = await table.sandbox.people.autocomplete(
        table.ann, table.channel, "game", {"number": ""}, "number"
    )

    assert "gegen Gelöschter Spieler" in newest(table).text
    assert "gegen Gelöschter Spieler" in offered[0]["name"]


async def test_a_profile_compares_with_the_opponent_who_is_still_there(table: Table):
    cleo = table.sandbox.world.person("Cleo").id
    for _ in range(2):
        await begun(table)
        await table.bot.matches.perform(
            (await table.bot.matches.ongoing_of(table.ann))[0].id, Resign(), user_id=table.ann
        )
    offer = await challenged(table, player=str(cleo))
    await table.press(offer, offer.buttons["Accept"], user=cleo)
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)
    await left(table, table.ben)

    await table.command("profile")
    card = newest(table)
    await table.press(card, card.buttons["Head to head"])

    assert table.again(card).text.startswith("### Ann against Cleo")
