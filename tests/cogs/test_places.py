"""Games in a server, in a conversation with the bot, and where the bot is no member."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest

from bot.model.actions import Resign
from bot.model.match import Match
from bot.model.preferences import Notices
from bot.services import notifications
from tests.cogs.table import Board, Table
from tests.waiting import until

PLACES = ("server", "conversation", "elsewhere", "between")


@pytest.fixture(autouse=True)
def nobody_sits_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Assume that nobody is at the board: tests do not wait until they have gone."""
    monkeypatch.setattr(notifications, "PRESENT_FOR", timedelta())


async def channel_of(table: Table, place: str, user: int | None = None) -> int:
    """Return the channel of a place."""
    world = table.sandbox.world
    if place == "server":
        return table.channel
    if place == "elsewhere":
        return world.channel_called("general", "Elsewhere").id
    if place == "between":  # Ann and Ben, without the bot: she has it installed for herself
        return table.sandbox.people.open_direct_with(table.ann, table.ben).id
    return (await table.sandbox.people.open_direct(user or table.ann)).id


class Seen:
    """A channel as somebody sees it, and what they do there."""

    def __init__(self, table: Table, channel: int) -> None:
        self.table, self.channel = table, channel

    def message(self, user: int, message_id: int) -> Board:
        shown = self.table.seen(user, self.channel)
        return next(Board(each) for each in shown if int(each["id"]) == message_id)

    def newest(self, user: int) -> Board:
        return Board(self.table.seen(user, self.channel)[-1])

    async def press(self, user: int, board: Board, label: str) -> Board:
        await self.table.press(board, board.buttons[label], user=user)
        return self.message(user, board.id)

    async def play(self, user: int, board: Board, rng: random.Random) -> Board:
        """Make one whole move with the buttons of a board."""
        for kind in ("board", "cell"):
            offered = board.starting(kind)
            if offered:
                await self.table.press(board, rng.choice(offered), user=user)
                board = self.message(user, board.id)
        return board


@pytest.mark.parametrize("place", PLACES)
async def test_a_game_against_the_computer_is_played_to_its_end(table: Table, place: str):
    seen = Seen(table, await channel_of(table, place))
    await table.command("play", channel=seen.channel, level=1)
    board, rng = seen.newest(table.ann), random.Random(3)
    for _ in range(60):
        if not (board.starting("board") or board.starting("cell")):
            break
        board = await seen.play(table.ann, board, rng)

    assert "Play again" in board.buttons
    assert table.sandbox.requests.matching("POST /channels/*/messages") == []  # answers only


@pytest.mark.parametrize("place", ["server", "elsewhere", "between"])
@pytest.mark.parametrize("named", [True, False])
async def test_two_people_play_where_both_are(table: Table, place: str, named: bool):
    seen = Seen(table, await channel_of(table, place))
    options: dict[str, Any] = {"player": str(table.ben)} if named else {}
    await table.command(
        "challenge", channel=seen.channel, colour=0, variant="depth=1", rated=False, **options
    )
    offer = seen.newest(table.ben)
    board = await seen.press(table.ben, offer, "Accept")
    match, rng = (await table.bot.matches.ongoing_of(table.ann))[0], random.Random(2)
    while not match.is_over:
        user = (table.ann, table.ben)[match.position.side]
        board = await seen.play(user, board, rng)
        match = await table.bot.matches.load(match.id)

    result = "Draw" if match.winner is None else "wins"
    assert result in board.text
    assert "Rematch" in board.buttons
    await table.press(board, board.buttons["Rematch"], user=table.ben)
    assert "Ben challenges Ann" in seen.newest(table.ann).text


@pytest.mark.parametrize("place", ["elsewhere", "between"])
async def test_a_result_is_told_where_the_bot_cannot_show_it(table: Table, place: str):
    """Ten minutes after the last click nothing can be edited where the bot is no member."""
    await table.bot.preferences.change(table.ben, notices=Notices.CHANNEL)
    seen = Seen(table, await channel_of(table, place))
    await table.command("challenge", channel=seen.channel, player=str(table.ben), colour=0)
    await seen.press(table.ben, seen.newest(table.ben), "Accept")
    match = (await table.bot.matches.ongoing_of(table.ann))[0]

    await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)

    direct = await channel_of(table, "conversation", table.ben)
    await until(lambda: table.seen(table.ben, direct))
    told = table.seen(table.ben, direct)[-1]["content"]
    assert f"**Game {match.id} is over:** Ben won because Ann resigned." in told
    assert str(seen.channel) in told


async def begun_in_conversations(table: Table) -> tuple[Seen, Seen, Match]:
    """Let Ann challenge Ben from her conversation with the bot, and Ben accept in his."""
    await table.bot.preferences.change(table.ann, notices=Notices.NONE)
    await table.bot.preferences.change(table.ben, notices=Notices.DM)
    anns = Seen(table, await channel_of(table, "conversation", table.ann))
    bens = Seen(table, await channel_of(table, "conversation", table.ben))
    await table.command("challenge", channel=anns.channel, player=str(table.ben), colour=0)
    offer = bens.newest(table.ben)
    assert "Ann challenges Ben" in offer.text
    await bens.press(table.ben, offer, "Accept")
    return anns, bens, (await table.bot.matches.ongoing_of(table.ann))[0]


async def test_two_people_play_each_in_their_own_conversation(table: Table):
    anns, bens, match = await begun_in_conversations(table)
    offered = anns.newest(table.ann)
    assert "Ben has accepted it" in offered.text
    await anns.press(table.ann, offered, "Show the board")
    board = anns.newest(table.ann)
    rng = random.Random(4)

    for _ in range(3):
        board = await anns.play(table.ann, board, rng)
        await until(lambda: "Play here" in bens.newest(table.ben).buttons)
        notice = bens.newest(table.ben)
        assert "**Your turn**" in notice.message["content"]
        await bens.press(table.ben, notice, "Play here")
        await bens.play(table.ben, bens.newest(table.ben), rng)
        # Ann has asked for nothing: her board is as she left it until she presses something.
        await table.command("board", channel=anns.channel)
        board = anns.newest(table.ann)

    assert (await table.bot.matches.load(match.id)).ply == 6


async def test_a_challenge_sent_as_a_message_can_be_declined_there(table: Table):
    await table.bot.preferences.change(table.ben, notices=Notices.DM)
    anns = Seen(table, await channel_of(table, "conversation", table.ann))
    bens = Seen(table, await channel_of(table, "conversation", table.ben))
    await table.command("challenge", channel=anns.channel, player=str(table.ben))

    closed = await bens.press(table.ben, bens.newest(table.ben), "Decline")

    assert "Ben has declined it" in closed.text
    assert "Ben has declined it" in anns.newest(table.ann).text


async def test_where_nobody_else_reads_along_a_challenge_is_refused(table: Table):
    anns = await channel_of(table, "conversation", table.ann)

    def told() -> str:
        return str(table.seen(table.ann, anns)[-1]["content"])

    await table.command("challenge", channel=anns)
    assert "Nobody else can see this conversation" in told()
    await table.command("challenge", channel=anns, player=str(table.ben))
    assert "Ben cannot see this conversation" in told()
    await table.bot.preferences.change(table.ben, notices=Notices.DM)
    table.sandbox.world.users[table.ben].accepts_direct_messages = False
    await table.command("challenge", channel=anns, player=str(table.ben))
    assert "I may not write to Ben" in told()
    assert await table.bot.challenges.challenges_of(table.ann) == []
    assert table.bot.user is not None
    await table.command("challenge", channel=anns, player=str(table.bot.user.id))
    assert "is a bot" in told()
