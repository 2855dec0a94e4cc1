"""Discord fails or the network breaks: every board ends up right, and everybody is told so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot import clock
from bot.client import GameBot
from bot.model.actions import OfferDraw, Play, Resign
from bot.model.errors import RestartingError
from bot.services import publisher
from bot.storage.outbox import list_outbox
from cogs import answering
from cogs.play import showing as posted
from deploy.sandbox import Sandbox, permissions
from deploy.sandbox.model import Overwrite
from deploy.sandbox.traffic import Faults
from tests.cogs.table import Board, Table, running_bot, settings_for
from tests.cogs.test_challenge import begun, challenged, newest, rematch_offered
from tests.waiting import until

FIRST_ANSWER = "POST /interactions/*/callback"
BY_CLICK = "PATCH /webhooks/*/messages/*"
BY_BOT = "PATCH /channels/*/messages/*"
EDITS = "PATCH /*/messages/*"

Fault = Callable[[Faults, str], None]


def reset(faults: Faults, pattern: str) -> None:
    faults.reset(pattern)


def reset_after(faults: Faults, pattern: str) -> None:
    faults.reset(pattern, after=True)


def resets(faults: Faults, pattern: str) -> None:
    faults.reset(pattern, times=6)


def limit_of_others(faults: Faults, pattern: str) -> None:
    faults.fail(pattern, status=429)


def outage(faults: Faults, pattern: str) -> None:
    faults.fail(pattern, status=500, times=4)


def refused(status: int, code: int = 0) -> Fault:
    def fault(faults: Faults, pattern: str) -> None:
        faults.fail(pattern, status=status, code=code)

    fault.__name__ = f"{status}_{code}"
    return fault


FAULTS: list[Any] = [
    reset,
    reset_after,
    resets,
    limit_of_others,
    outage,
    refused(401, 50027),
    refused(403, 50013),
    refused(403),
    refused(400, 40060),
    refused(404, 10062),
    refused(404, 10008),
    refused(404, 10015),
    refused(400, 50035),
]


@pytest.fixture(autouse=True)
def soon(patience: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Retry soon, and give up early on the library's own retries."""
    monkeypatch.setattr(publisher, "FIRST_PAUSE_S", 0.05)
    monkeypatch.setattr(publisher, "LONGEST_PAUSE_S", 0.2)
    monkeypatch.setattr(posted, "EDIT_WITHIN_S", 0.5)
    monkeypatch.setattr(clock, "SEND_WITHIN_S", 2.0)
    monkeypatch.setattr(clock, "LEAST_S", 0.3)
    monkeypatch.setattr(answering, "WHISPERS_AFTER_S", (0.0, 0.1, 0.2, 0.3))
    monkeypatch.setattr(answering, "WHISPER_WITHIN_S", 0.5)


async def ready_to_move(table: Table) -> Board:
    """Return a board with nine cells to press, against the computer."""
    board = await table.start()
    await table.press(board, board.starting("board")[4])
    return table.again(board)


def is_live(board: Board) -> bool:
    return bool(board.starting("cell") or board.starting("board"))


def games(table: Table) -> list[Board]:
    return [board for board in map(Board, table.seen()) if board.alt]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
async def test_a_move_whose_answer_is_lost_is_shown(table: Table, fault: Fault):
    board = await ready_to_move(table)
    fault(table.sandbox.faults, FIRST_ANSWER)

    await table.sandbox.people.press(table.ann, board.id, board.starting("cell")[4])
    await moved(table)

    (shown,) = [each for each in games(table) if "2 moves" in each.text]
    assert is_live(shown)
    assert await table.play(shown)
    assert all("Something broke" not in each for each in table.whispers(table.ann))


async def moved(table: Table, ply: int = 2) -> None:
    """Wait until this number of moves is stored, and everything is shown."""
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    while (await table.bot.matches.load(match.id)).ply < ply:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    await table.quiet()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
async def test_a_late_reply_whose_edit_is_lost_is_shown(
    table: Table, monkeypatch: pytest.MonkeyPatch, fault: Fault
):
    board = await ready_to_move(table)
    monkeypatch.setattr(clock, "REPLY_WITHIN_S", -1.0)
    fault(table.sandbox.faults, EDITS)

    await table.sandbox.people.press(table.ann, board.id, board.starting("cell")[4])
    await moved(table)

    shown = games(table)[-1]
    assert "2 moves" in shown.text
    assert is_live(shown)
    assert table.whispers(table.ann) == []


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (reset, []),
        (reset_after, []),
        (limit_of_others, []),
        (refused(404, 10008), ["What you did is saved, and the board follows."]),
        (refused(401, 50027), ["What you did is saved, and the board follows."]),
        (refused(403, 50013), ["Your game is saved: "]),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
async def test_who_moved_is_told_what_is_so(table: Table, fault: Fault, words: list[str]):
    board = await ready_to_move(table)
    fault(table.sandbox.faults, FIRST_ANSWER)

    await table.sandbox.people.press(table.ann, board.id, board.starting("cell")[4])
    await moved(table)

    told = table.whispers(table.ann)
    assert len(told) == len(words)
    assert all(word in each for word, each in zip(words, told, strict=True))


async def test_who_only_chose_is_asked_to_press_again(table: Table):
    board = await table.start()
    table.sandbox.faults.fail(FIRST_ANSWER, status=404, code=10015)

    await table.press(board, board.starting("board")[4])

    assert "try once more" in table.whispers(table.ann)[-1]
    assert await table.play(table.again(board))


@pytest.mark.parametrize("fault", [reset, reset_after, resets, outage], ids=lambda f: f.__name__)
async def test_a_new_game_is_shown_once(table: Table, fault: Fault):
    fault(table.sandbox.faults, FIRST_ANSWER)

    await table.sandbox.people.slash(table.ann, table.channel, "play", {"level": 1})
    while not await table.bot.matches.ongoing_of(table.ann):  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    await table.quiet()

    (board,) = games(table)
    assert await table.play(board)


@pytest.mark.parametrize("fault", [reset, resets, refused(404, 10062)], ids=lambda f: f.__name__)
async def test_a_game_of_two_begins_whatever_is_lost(table: Table, fault: Fault):
    """The board takes the place of the challenge, without anybody doing anything."""
    offer = await challenged(table, player=str(table.ben), colour=0)
    fault(table.sandbox.faults, FIRST_ANSWER)

    await table.sandbox.people.press(table.ben, offer.id, offer.buttons["Accept"])
    while not await table.bot.matches.ongoing_of(table.ann):  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    await table.quiet()

    assert is_live(table.again(offer))
    assert await table.play(table.again(offer))


async def test_what_others_see_follows_when_it_was_done_elsewhere(table: Table):
    """Ann resigns in private while nothing reaches the board."""
    board, _ = await begun(table, colour=0)
    await table.press(board, board.buttons["Resign"])
    question = newest(table, table.ann)
    table.sandbox.faults.reset(EDITS, times=3)

    await table.press(question, question.buttons["Yes, resign"])

    assert "resigned" in table.again(board).text


async def test_a_board_that_was_deleted_is_posted_afresh(table: Table):
    board, match = await begun(table, colour=0)
    world = table.sandbox.world
    table.sandbox.messages.erase(world.message(table.channel, board.id))

    await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)
    await table.quiet()

    assert [each.id == board.id for each in games(table)] == [False]
    assert "resigned" in games(table)[0].text


async def test_a_board_is_posted_once_though_the_receipt_is_lost(table: Table):
    board, match = await begun(table, colour=0)
    world = table.sandbox.world
    table.sandbox.messages.erase(world.message(table.channel, board.id))
    table.sandbox.faults.reset("POST /channels/*/messages", after=True, times=2)

    await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)
    await table.quiet()

    assert len(games(table)) == 1


async def test_a_board_that_is_edited_too_often_is_posted_afresh(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    """Discord limits the edits of old messages; the library would sleep for an hour."""
    board, match = await begun(table, colour=0)
    monkeypatch.setattr(posted, "EDITS_UNTIL", timedelta(seconds=-1))
    limits = table.sandbox.world.limits
    limits.late_edit_after_seconds, limits.late_edits_per_hour = -1.0, 1
    table.sandbox.messages.count_edit(table.sandbox.world.message(table.channel, board.id))

    await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)
    await table.quiet()

    assert games(table)[-1].id > board.id
    assert "resigned" in games(table)[-1].text


async def test_where_nothing_may_be_written_the_board_is_given_up_until_somebody_clicks(
    sandbox: Sandbox, tmp_path: Path
):
    settings = settings_for(sandbox, tmp_path)
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        board, match = await begun(table, colour=0)
    sandbox.faults.fail(BY_BOT, status=403, code=50013, times=100)
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        bot.publisher.redraw(match.id)
        await table.quiet()
        await bot.matches.perform(match.id, OfferDraw(), user_id=table.ann)
        await table.quiet()
    asked = len(sandbox.requests.matching(BY_BOT))
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        await table.quiet()
        again = len(sandbox.requests.matching(BY_BOT)) - asked
        played = await table.play(table.again(board))

    assert (asked, again) == (1, 0)
    assert "1 move" in played.text


@pytest.mark.parametrize("by", ["click", "itself"])
async def test_an_archived_thread_is_opened_again(table: Table, by: str):
    world = table.sandbox.world
    thread = table.sandbox.channels.open_thread(
        world.channel(table.channel), {"name": "ours", "type": 11}, owner_id=world.bot_id
    )
    for user in (table.ann, table.ben):
        table.sandbox.channels.join_thread(thread, user, joins=True)
    await table.command("play", channel=thread.id, level=1)
    board = table.newest(channel=thread.id)
    table.sandbox.channels.change(thread, archived=True)

    if by == "click":
        await table.press(board, board.starting("board")[4])
    else:
        match = (await table.bot.matches.ongoing_of(table.ann))[0]
        await table.bot.matches.perform(match.id, Play(40), user_id=table.ann, ply=0)
        await table.quiet()

    shown = table.newest(channel=thread.id)
    assert shown.id == board.id
    assert ("board 5" if by == "click" else "2 moves") in shown.text
    assert not thread.archived


async def test_a_locked_thread_stays_as_it_is(table: Table):
    world = table.sandbox.world
    thread = table.sandbox.channels.open_thread(
        world.channel(table.channel), {"name": "ours", "type": 11}, owner_id=table.ann
    )
    await table.command("play", channel=thread.id, level=1)
    board = table.newest(channel=thread.id)
    table.sandbox.channels.change(thread, archived=True, locked=True)

    await table.press(board, board.starting("board")[4])

    told = [each["content"] for each in table.seen(table.ann, thread.id) if each["flags"] & 64]
    assert "shows it somewhere else" in told[-1]
    assert thread.archived


async def hush(table: Table) -> int:
    """Make Discord show the answers to Ann in a server only to her; return its channel."""
    channel = table.sandbox.world.channel_called("general", "Elsewhere")
    guild = table.sandbox.world.guilds[channel.guild_id or 0]
    guild.owner_id = table.ben
    channel.overwrites = [Overwrite(id=guild.id, kind=0, deny=permissions.USE_EXTERNAL_APPS)]
    return channel.id


@pytest.mark.parametrize("within_s", [60.0, -1.0])
async def test_a_board_that_discord_shows_to_one_alone_is_played_on(
    table: Table, monkeypatch: pytest.MonkeyPatch, within_s: float
):
    channel = await hush(table)
    monkeypatch.setattr(clock, "REPLY_WITHIN_S", within_s)
    await table.command("play", channel=channel, level=1, first="computer")
    board = table.newest(channel=channel)
    for kind in ("board", "cell"):
        for custom_id in board.starting(kind)[:1]:
            await table.press(board, custom_id)
            board = table.newest(channel=channel)

    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    assert match.message_id is None  # nobody is sent to a board that only she sees
    assert "3 moves" in board.text
    assert is_live(board)


async def test_a_challenge_that_nobody_sees_is_withdrawn(table: Table):
    channel = await hush(table)

    await table.command("challenge", channel=channel)

    told = [each for each in table.seen(table.ann, channel) if each["flags"] & 64]
    assert "nobody could accept" in told[-1]["content"]
    assert "withdrawn" in Board(told[0]).text


async def test_an_error_after_a_public_promise_is_told_in_private(
    table: Table, monkeypatch: pytest.MonkeyPatch
):
    _, match = await begun(table, colour=0)
    await table.bot.matches.perform(match.id, Resign(), user_id=table.ann)

    async def broken(*_args: object, **_options: object) -> None:
        raise RestartingError

    monkeypatch.setattr(table.bot.reviews, "review", broken)
    await table.command("review", game=match.id)

    assert "restarting" in table.whispers(table.ann)[-1]
    assert not any("restarting" in each["content"] for each in table.seen(table.ben))


async def test_a_board_is_never_without_a_button(table: Table, monkeypatch: pytest.MonkeyPatch):
    """If nobody can edit it any more, as after a crash elsewhere, its player can go on."""
    board = await ready_to_move(table)
    monkeypatch.setattr(clock, "REPLY_WITHIN_S", -1.0)
    gate = table.sandbox.faults.hold(EDITS)
    pressed = await table.sandbox.people.press(table.ann, board.id, board.starting("cell")[4])
    await pressed.wait()

    assert "is thinking" in table.again(board).text
    assert list(table.again(board).buttons) == ["Bring to bottom"]
    gate.set()
    await table.quiet()


async def test_one_refused_edit_holds_up_no_other_board(sandbox: Sandbox, tmp_path: Path):
    settings = settings_for(sandbox, tmp_path)
    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        boards = [await table.start() for _ in range(6)]
        await leave_waiting(table)
    sandbox.faults.fail(BY_BOT, status=403, code=50013)
    sandbox.faults.fail(BY_BOT, status=500, code=0)
    sandbox.faults.reset(BY_BOT)

    async with running_bot(settings) as bot:
        table = Table(sandbox, bot)
        await table.quiet()
        right = ["2 moves" in table.again(board).text for board in boards]

    assert sorted(right) == [False, *[True] * 5]


async def leave_waiting(table: Table) -> None:
    """Store a move in each of Ann's games as if the bot were killed before it showed anything."""
    bot = table.bot
    with unseen(bot):
        for match in await bot.matches.ongoing_of(table.ann):
            await bot.matches.perform(match.id, Play(40), user_id=table.ann, ply=0)


@contextmanager
def unseen(bot: GameBot) -> Iterator[None]:
    """Store without showing anything, as if the bot were killed right after."""
    watchers = bot.matches.watchers
    kept = list(watchers)
    watchers.clear()
    yield
    watchers[:] = kept


CLOSING = [reset, reset_after, resets, refused(500), refused(403, 50013)]


@pytest.mark.parametrize("fault", CLOSING, ids=lambda fault: fault.__name__)
async def test_a_challenge_that_is_closed_elsewhere_is_shown_so(table: Table, fault: Fault):
    offer = await challenged(table, player=str(table.ben))
    fault(table.sandbox.faults, BY_BOT)

    await table.command("block", user=table.ben, player=str(table.ann))

    is_refused = fault.__name__.startswith("403")
    assert ("Ben has declined it" in table.again(offer).text) != is_refused
    assert await table.bot.matches.database.read(list_outbox) == []


@pytest.mark.parametrize("fault", [reset, resets, refused(404, 10062)], ids=lambda f: f.__name__)
async def test_a_challenge_whose_answer_is_lost_is_closed_all_the_same(table: Table, fault: Fault):
    offer = await challenged(table, player=str(table.ben))
    fault(table.sandbox.faults, FIRST_ANSWER)

    await table.sandbox.people.press(table.ben, offer.id, offer.buttons["Decline"])
    async with asyncio.timeout(10):
        await until(lambda: "Ben has declined it" in table.again(offer).text)
    await table.quiet()

    assert await table.bot.matches.database.read(list_outbox) == []


@pytest.mark.parametrize("fault", CLOSING, ids=lambda fault: fault.__name__)
async def test_a_board_that_moved_leaves_a_pointer(table: Table, fault: Fault):
    board = await table.start()
    fault(table.sandbox.faults, BY_BOT)

    await table.command("board")

    is_refused = fault.__name__.startswith("403")
    assert ("is now at the bottom" in table.again(board).text) != is_refused
    assert is_live(table.newest())
    assert await table.bot.matches.database.read(list_outbox) == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize("fault", [reset, reset_after, refused(500)], ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "pattern",
    [
        "POST /channels/*/messages/*/threads",
        "POST /channels/*/messages",
        BY_BOT,
        "PUT /channels/*/thread-members/*",
    ],
)
async def test_a_thread_is_there_in_the_end(table: Table, fault: Fault, pattern: str):
    guild_id = table.sandbox.world.channel(table.channel).guild_id or 0
    await table.bot.servers.change(guild_id, threads=True)
    offer = await challenged(table, player=str(table.ben), colour=0)
    fault(table.sandbox.faults, pattern)

    await table.press(offer, offer.buttons["Accept"], user=table.ben)

    thread = table.sandbox.world.channels[offer.id]
    assert {table.ann, table.ben} <= set(thread.thread_member_ids)
    shown = [Board(each) for each in table.seen(channel=offer.id)]
    assert [is_live(each) for each in shown if each.alt] == [True]
    assert f"<#{offer.id}>" in table.again(offer).text


async def test_boards_that_are_moved_at_once_leave_one(table: Table):
    """Each leaves a pointer where the board is by then, not where it was when asked for."""
    await table.start()

    asked = [await table.sandbox.people.slash(table.ann, table.channel, "board") for _ in range(4)]
    await asyncio.gather(*(each.wait() for each in asked))
    await table.quiet()

    assert [is_live(each) for each in games(table)].count(True) == 1


async def test_a_board_that_was_pressed_where_it_led_elsewhere_is_the_only_one(table: Table):
    old = await table.start()
    await table.command("board")
    custom_id = old.starting("board")[4]
    part = {"type": 2, "style": 1, "label": "?", "custom_id": custom_id}
    table.sandbox.world.message(table.channel, old.id).components = [
        {"type": 1, "id": 1, "components": [part | {"id": 2}]}
    ]

    await table.press(old, custom_id)

    assert is_live(table.again(old))
    assert [is_live(each) for each in games(table)].count(True) == 1


async def test_a_moved_board_is_known_though_the_library_lost_its_receipt(table: Table):
    """The library retries by itself, and hears that the command is already answered."""
    await table.start()
    table.sandbox.faults.fail(FIRST_ANSWER, status=503, after=True)

    await table.command("board")

    assert [is_live(each) for each in games(table)].count(True) == 1
    assert table.whispers(table.ann) == []


async def test_a_board_that_is_pressed_before_its_pointer_has_come_stays_the_board(table: Table):
    old = await table.start()
    people = table.sandbox.people
    gate = table.sandbox.faults.hold(f"PATCH /*/messages/{old.id}")
    await people.press(table.ann, old.id, old.starting("bump")[0])
    while (await table.bot.matches.latest_for(table.ann)).message_id == old.id:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    pressed = await people.press(table.ann, old.id, old.starting("board")[4])
    await pressed.wait()
    gate.set()
    await table.quiet()

    assert is_live(table.again(old))
    assert [is_live(each) for each in games(table)].count(True) == 1


async def test_a_board_of_which_the_bot_learns_late_is_drawn_again(table: Table):
    """Its confirmation is lost; meanwhile it is pressed, and moved, which leaves a pointer."""
    await table.start()
    people, faults = table.sandbox.people, table.sandbox.faults
    faults.reset(FIRST_ANSWER, after=True)
    asked = await people.slash(table.ann, table.channel, "board")
    retry = f"POST /interactions/{asked.id}/*"
    gate = faults.hold(retry)
    await until(lambda: len(table.sandbox.requests.matching(retry)) >= 2)
    late = table.newest()
    pressed = await people.press(table.ann, late.id, late.starting("board")[4])
    await pressed.wait()
    while (await table.bot.matches.latest_for(table.ann)).message_id != late.id:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    await people.slash(table.ann, table.channel, "board")
    await until(lambda: not is_live(table.again(late)))
    gate.set()
    await table.quiet()

    assert is_live(table.again(late))
    assert [is_live(each) for each in games(table)].count(True) == 1


async def test_a_board_brought_to_the_bottom_is_one_though_its_receipt_is_lost(table: Table):
    """The library retries by itself; two follow-up messages cannot be told apart."""
    old = await table.start()
    table.sandbox.faults.fail("POST /webhooks/*", status=503, after=True)
    table.sandbox.faults.fail(FIRST_ANSWER, status=503, after=True)

    await table.press(old, old.starting("bump")[0])

    match = await table.bot.matches.latest_for(table.ann)
    assert [each.id for each in games(table) if is_live(each)] == [match.message_id]
    assert match.message_id != old.id


@pytest.mark.parametrize("status", [403, 503])
async def test_an_offer_accepted_by_another_rematch_is_closed_though_the_board_is_not_taken(
    table: Table, status: int
):
    over, offer = await rematch_offered(table)
    table.sandbox.faults.fail("POST /*", status=status, times=8)

    await table.sandbox.people.press(table.ben, over.id, over.buttons["Rematch"])
    await until(lambda: "Ben has accepted it" in table.again(offer).text)
    table.sandbox.faults.clear()
    await table.quiet()

    assert not await table.bot.matches.database.read(list_outbox)


async def test_blocking_somebody_closes_their_offer_though_the_answer_is_not_taken(table: Table):
    offer = await challenged(table, player=str(table.ben))
    table.sandbox.faults.fail("POST /*", status=403, times=8)

    await table.sandbox.people.slash(table.ben, table.channel, "block", {"player": str(table.ann)})

    await until(lambda: not table.again(offer).buttons)
    table.sandbox.faults.clear()
    await table.quiet()
    assert not await table.bot.matches.database.read(list_outbox)
