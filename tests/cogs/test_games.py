"""`/games`: your running games and open offers, with a button for each."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any

import discord
import pytest

from bot.language import speaking
from bot.model.actions import Resign
from bot.model.challenges import Challenge, ChallengeStatus
from bot.model.clocks import ClockRules
from bot.model.match import Person
from bot.model.preferences import LANGUAGES
from cogs.analysis import BUTTONS as ANALYSIS_BUTTONS
from cogs.challenge.cog import BUTTONS as CHALLENGE_BUTTONS
from cogs.games import BUTTONS as GAMES_BUTTONS
from cogs.games import ROWS, games_view
from cogs.history import BUTTONS as HISTORY_BUTTONS
from cogs.play.buttons import BUTTONS as PLAY_BUTTONS
from cogs.ratings.cog import BUTTONS as RATING_BUTTONS
from cogs.records import BUTTONS as RECORD_BUTTONS
from engine import X
from tests.cogs.table import Board, Table, commands_named, readers_among
from tests.cogs.test_absurd_input import LONGEST_RULES
from tests.cogs.test_challenge import begun, challenged, newest
from tests.cogs.test_languages import speaks

LARGEST = 10**18 - 1


async def listed(table: Table, user: int | None = None) -> Board:
    await table.command("games", user=user)
    return newest(table, user)


def entries(board: Board) -> list[str]:
    """Return what is written beside each button, from top to bottom."""
    sections = [part for part in board.parts if part["type"] == 9]
    return [section["components"][0]["content"] for section in sections]


async def test_who_has_nothing_going_on_hears_how_to_begin(table: Table):
    board = await listed(table)

    assert board.message["flags"] & 64
    assert "`/play`" in commands_named(board.text)
    assert board.buttons == {}


async def test_games_where_it_is_ones_turn_come_first(table: Table):
    _, waiting = await begun(table, colour=1, clock="3d")  # Ben begins
    await table.start(variant="majority")
    computers = await table.bot.matches.latest_for(table.ann)
    _, urgent = await begun(table, colour=0, clock="1d", variant="open-board")

    board = await listed(table)

    assert board.message["flags"] & 64
    wanted = [f"Game {each.id}" for each in (urgent, computers, waiting)]
    assert list(board.buttons) == wanted
    first, second, third = entries(board)
    assert first.startswith("**Ben** (O) · Open Board\n**Your turn** · until <t:")
    assert urgent.deadline is not None
    assert discord.utils.format_dt(urgent.deadline, "R") in first
    assert second == "**Computer, level 1** (O) · Majority\n**Your turn** · no clock"
    assert third.startswith("**Ben** (X) · Standard\nBen is to move · until <t:")


async def test_a_button_brings_the_board_and_leaves_a_pointer(table: Table):
    old, match = await begun(table, colour=0)
    elsewhere = table.sandbox.world.channel_called("games").id
    await table.command("games", channel=elsewhere)
    board = Board(table.seen(channel=elsewhere)[-1])

    await table.press(board, board.buttons[f"Game {match.id}"])

    shown = table.newest(channel=elsewhere)
    assert not shown.message["flags"] & 64
    assert len(shown.starting("board")) == 9
    assert str(shown.id) in table.again(old).text
    assert (await table.bot.matches.load(match.id)).message_id == shown.id
    cells = shown.starting("board")
    await table.press(shown, cells[4])
    still = next(each for each in table.seen(channel=elsewhere) if int(each["id"]) == board.id)
    assert entries(Board(still)) == entries(board)


async def test_a_game_that_has_ended_since_is_shown_as_it_ended(table: Table):
    _, match = await begun(table, colour=0)
    board = await listed(table)
    await table.bot.matches.perform(match.id, Resign(), user_id=table.ben)
    await table.quiet()

    await table.press(board, board.buttons[f"Game {match.id}"])

    assert "Ann (X) wins" in table.newest().text
    assert "no running games" in (await listed(table)).text


async def test_an_offer_is_withdrawn_where_it_is_listed(table: Table):
    to_ben = await challenged(table, player=str(table.ben), clock="3d")
    to_anyone = await challenged(table)
    board = await listed(table)
    texts = entries(board)
    assert "open to anyone" in texts[0]
    assert "to Ben" in texts[1]
    assert "3 days a move" in texts[1]
    assert len(board.buttons) == 2

    await table.press(board, list(board.buttons.values())[1])

    left = newest(table)
    assert left.id == board.id
    assert entries(left) == texts[:1]
    assert "Ann has withdrawn it" in table.again(to_ben).text
    assert table.again(to_anyone).buttons
    await table.press(left, next(iter(left.buttons.values())))
    assert "no open offers" in newest(table).text
    assert "Ann has withdrawn it" in table.again(to_anyone).text


async def test_an_offer_that_was_accepted_meanwhile_is_listed_as_the_game_that_it_is(table: Table):
    offer = await challenged(table, player=str(table.ben))
    board = await listed(table)
    await table.press(offer, offer.buttons["Accept"], user=table.ben)

    await table.press(board, next(iter(board.buttons.values())))

    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    assert "Ben has accepted it" in table.whispers(table.ann)[-1]
    again = next(Board(each) for each in table.seen() if int(each["id"]) == board.id)
    assert list(again.buttons) == [f"Game {match.id}"]


async def test_what_others_offer_is_not_ones_own(table: Table):
    await challenged(table, player=str(table.ben))

    assert "no open offers" in (await listed(table, table.ben)).text


async def test_more_than_fit_are_on_further_pages(table: Table):
    for _ in range(ROWS + 1):
        await table.command("play", level=1)
    await challenged(table)
    first = await listed(table)

    assert "page 1 of 2" in first.text
    assert len(entries(first)) == ROWS
    assert len(first.parts) <= 40
    assert "Previous" not in first.buttons
    await table.press(first, first.buttons["Next"])
    second = newest(table)
    assert second.id == first.id
    assert len(entries(second)) == 2
    assert "Next" not in second.buttons
    await table.press(second, second.starting("my-offer")[0])
    assert len(entries(newest(table))) == 1
    await table.press(newest(table), newest(table).buttons["Previous"])
    assert entries(newest(table)) == entries(first)


async def test_in_the_place_of_a_page_that_is_gone_there_is_the_last_one(table: Table):
    for _ in range(ROWS + 1):
        await table.command("play", level=1)
    first = await listed(table)
    last = (await table.bot.matches.ongoing_of(table.ann))[-1]
    await table.bot.matches.perform(last.id, Resign(), user_id=table.ann)

    await table.press(first, first.buttons["Next"])

    left = next(Board(each) for each in table.seen() if int(each["id"]) == first.id)
    assert len(entries(left)) == ROWS
    assert "page" not in left.text


@pytest.mark.parametrize(
    ("locale", "heading", "turn", "button"),
    [
        ("de", "### Deine Partien", "**Du bist am Zug**", "Partie"),
        ("ru", "### Ваши партии", "**Ваш ход**", "Партия"),
    ],
)
async def test_it_is_said_in_the_readers_language(
    table: Table, locale: str, heading: str, turn: str, button: str
):
    speaks(table, table.ann, locale)
    await table.start()

    board = await listed(table)

    assert heading in board.text
    assert turn in board.text
    assert next(iter(board.buttons)).startswith(button)


async def test_suggestions_name_opponent_variant_and_whose_turn(table: Table):
    _, bens = await begun(table, colour=1)
    _, anns = await begun(table, colour=0, variant="open-board")

    async def offered(typed: Any) -> list[tuple[str, int]]:
        choices = await table.sandbox.people.autocomplete(
            table.ann, table.channel, "board", {"game": typed}, "game"
        )
        return [(each["name"], each["value"]) for each in choices]

    assert await offered("") == [
        (f"Your turn: game {anns.id} against Ben, Open Board", anns.id),
        (f"Their turn: game {bens.id} against Ben, Standard", bens.id),
    ]
    assert [number for _, number in await offered("standard")] == [bens.id]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_of_the_longest_offers_fits_into_a_message(language: str):
    now = datetime.now(UTC)
    who = Person(id=LARGEST, name="_" * 32)
    offer = Challenge(
        id=LARGEST,
        challenger=who,
        opponent=who,
        taker=None,
        variant_key=LONGEST_RULES,
        opening_code="51837",
        side=X,
        rated=True,
        clock=ClockRules(base=timedelta(minutes=55), increment=timedelta(seconds=55)),
        status=ChallengeStatus.OPEN,
        previous_id=None,
        match_id=None,
        guild_id=None,
        channel_id=None,
        message_id=None,
        created_at=now,
        expires_at=now,
        closed_at=None,
    )
    with speaking(language):
        view = games_view(who.id, [offer] * 50, 1)

    parts = list(view.walk_children())
    texts = [each.content for each in parts if isinstance(each, discord.ui.TextDisplay)]
    assert len("".join(texts).encode("utf-16-le")) // 2 <= 4000
    assert len(parts) <= 40


def test_every_button_is_read_back_by_one_feature():
    features = (
        *(HISTORY_BUTTONS, ANALYSIS_BUTTONS, RECORD_BUTTONS, RATING_BUTTONS, PLAY_BUTTONS),
        *(CHALLENGE_BUTTONS, GAMES_BUTTONS),
    )
    written = [f"games:{9999}", f"bring:{LARGEST}", f"my-offer:{LARGEST}:9999"]

    assert [readers_among(chain.from_iterable(features), each) for each in written] == [
        ["PageButton"],
        ["BringButton"],
        ["WithdrawListedButton"],
    ]
