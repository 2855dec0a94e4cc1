from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Connection, text

from bot.errors import (
    MatchNotFoundError,
    MatchNotOverError,
    MatchOverError,
    NoMatchError,
    NotAPlayerError,
    NotYourTurnError,
    RestartingError,
    StaleBoardError,
    StorageFailedError,
    TooManyMatchesError,
    UnknownLevelError,
    UnknownVariantError,
)
from bot.matches import MOST_ONGOING, EndReason, FirstMove, Match, MatchStatus, Person, Seat
from bot.matches.keeper import Keeper
from bot.matches.records import BrokenRecordError
from bot.storage import match_rows
from bot.storage import matches as rows
from engine import VARIANTS, Ending, Game, IllegalMoveError, InvalidNotationError, Rules

if TYPE_CHECKING:
    from tests.bot.matches.conftest import Server

ANNA_ID = 100_000_000_000_000_001
BEN = Person(id=100_000_000_000_000_002, name="Ben")
CENTRE = 40


async def play_to_the_end(server: Server, match: Match, pick: int = 0) -> Match:
    """Let Anna take the `pick`th legal move until the match is over."""
    while not match.is_over:
        if match.level_to_move is not None:
            match = await server.matches.reply(match.id)
            continue
        legal = match.position.legal_moves
        match = await server.matches.play(
            match.id, user_id=ANNA_ID, ply=match.ply, move=legal[pick % len(legal)]
        )
    return match


# Starting.


async def test_a_new_match_is_as_it_was_asked_for(server: Server) -> None:
    match = await server.begin(level=3, channel_id=7, guild_id=8, variant_key="majority")

    assert match.names == ("Anna", "Computer, level 3")
    assert match.seats[0].player_id == ANNA_ID
    assert match.seats[1].level == 3
    assert (match.variant_key, match.rules) == ("majority", VARIANTS["majority"].rules)
    assert (match.channel_id, match.guild_id, match.message_id) == (7, 8, None)
    assert match.status is MatchStatus.ONGOING
    assert (match.ply, match.side_to_move, match.winner) == (0, 0, None)
    assert match.created_at == match.updated_at
    assert await server.matches.load(match.id) == match


@pytest.mark.parametrize(("first", "side"), [(FirstMove.YOU, 0), (FirstMove.COMPUTER, 1)])
async def test_who_begins_plays_x(server: Server, first: FirstMove, side: int) -> None:
    match = await server.begin(first=first)

    assert match.side_of(ANNA_ID) == side
    assert (match.level_to_move is None) == (first is FirstMove.YOU)


async def test_chance_lets_both_begin(server: Server) -> None:
    matches = [await server.begin(first=FirstMove.RANDOM) for _ in range(20)]

    sides = Counter(match.side_of(ANNA_ID) for match in matches)
    assert min(sides[0], sides[1]) >= 3


@pytest.mark.parametrize("level", [-1, 0, 11])
async def test_levels_that_do_not_exist_are_refused(server: Server, level: int) -> None:
    with pytest.raises(UnknownLevelError, match=rf"level {level}: choose a level from 1 to 10"):
        await server.begin(level=level)


async def test_variants_that_do_not_exist_are_refused(server: Server) -> None:
    with pytest.raises(UnknownVariantError, match="standard"):
        await server.begin(variant_key="chess")


@pytest.mark.parametrize("variant_key", sorted(VARIANTS))
async def test_every_variant_is_stored_with_its_opening(server: Server, variant_key: str) -> None:
    match = await server.begin(variant_key=variant_key)
    ply = match.ply
    played = await server.matches.play(
        match.id, user_id=ANNA_ID, ply=ply, move=match.position.legal_moves[-1]
    )
    await server.restart()

    assert await server.matches.load(match.id) == played
    assert played.game.position == played.position
    assert (match.opening_code is not None) == match.rules.needs_opening_code


@pytest.mark.parametrize(
    "variant_key", ["won_board=open,goal=five", "depth=1,opening=pie", "depth=3,no_return=yes"]
)
async def test_custom_rules_are_stored_and_replayed(server: Server, variant_key: str) -> None:
    match = await server.begin(variant_key=variant_key)
    played = await server.matches.play(match.id, user_id=ANNA_ID, ply=0, move=3)
    await server.restart()

    assert match.rules == Rules.parse(variant_key)
    assert match.variant_key == match.rules.key
    assert await server.matches.load(match.id) == played
    assert (await server.matches.ongoing_of(ANNA_ID))[0] == played


async def test_rules_that_contradict_each_other_are_refused(server: Server) -> None:
    with pytest.raises(UnknownVariantError, match="depth 1 has none"):
        await server.begin(variant_key="depth=1,goal=five")


@pytest.mark.parametrize(("variant_key", "code"), [("random-four", "12345"), ("symmetric", "7")])
async def test_an_opening_can_be_asked_for(server: Server, variant_key: str, code: str) -> None:
    match = await server.begin(variant_key=variant_key, opening_code=code)
    await server.restart()

    assert match.opening_code == code
    assert await server.matches.load(match.id) == match
    assert match.position == Game(match.rules, code).position


async def test_an_opening_that_is_not_asked_for_is_drawn(server: Server) -> None:
    codes = {(await server.begin(variant_key="random-four")).opening_code for _ in range(5)}

    assert len(codes) > 1


@pytest.mark.parametrize(
    ("variant_key", "code", "sentence"),
    [
        ("random-four", "1234", "five digits from 1 to 9; got '1234'"),
        ("random-four", "11111", "would play cell 11 twice"),
        ("symmetric", "5", "but 5; got '5'"),
        ("standard", "12345", "no opening code; got '12345'"),
    ],
)
async def test_an_invalid_opening_is_refused_in_words(
    server: Server, variant_key: str, code: str, sentence: str
) -> None:
    with pytest.raises(InvalidNotationError, match=sentence):
        await server.begin(variant_key=variant_key, opening_code=code)

    assert await server.matches.ongoing_of(ANNA_ID) == []


async def test_one_may_have_so_many_matches_and_no_more(server: Server) -> None:
    over = await server.begin()
    await server.matches.resign(over.id, user_id=ANNA_ID)
    starts = [server.begin() for _ in range(MOST_ONGOING + 5)]

    results = await asyncio.gather(*starts, return_exceptions=True)

    started = [result for result in results if isinstance(result, Match)]
    refused = [result for result in results if isinstance(result, TooManyMatchesError)]
    assert (len(started), len(refused)) == (MOST_ONGOING, 5)
    assert str(refused[0]).startswith("You have 50 games going on already")
    assert "give one up with /resign" in str(refused[0])
    with pytest.raises(TooManyMatchesError):
        await server.matches.start_again(over.id, user_id=ANNA_ID)
    with pytest.raises(TooManyMatchesError):
        await server.matches.start_from_record(
            Game(Rules()), person=Person(id=ANNA_ID, name="Anna"), side=0, level=1
        )
    assert len(await server.matches.ongoing_of(ANNA_ID)) == MOST_ONGOING

    await server.begin(person=BEN)
    await server.matches.resign(started[0].id, user_id=ANNA_ID)
    assert (await server.matches.start_again(over.id, user_id=ANNA_ID)).ply == 0


async def test_a_name_is_the_newest_one(server: Server) -> None:
    first = await server.begin()
    await server.begin(person=Person(id=ANNA_ID, name="Anna the Great"))
    await server.restart()

    assert (await server.matches.load(first.id)).names[0] == "Anna the Great"


async def test_numbers_are_never_given_out_again(server: Server) -> None:
    """Old buttons carry them for ever."""
    first = await server.begin()

    def remove(c: Connection) -> None:
        c.execute(text("DELETE FROM seat"))
        c.execute(text("DELETE FROM match"))

    await server.database.write(remove)
    await server.restart()

    assert (await server.begin()).id > first.id


# Playing.


async def test_a_move_is_stored_and_the_computer_replies(server: Server) -> None:
    match = await server.begin()

    played = await server.matches.play(match.id, user_id=ANNA_ID, ply=0, move=CENTRE)
    replied = await server.matches.reply(match.id)

    assert (played.moves, played.level_to_move) == ((CENTRE,), 1)
    assert replied.moves[0] == CENTRE
    assert (replied.ply, replied.side_to_move) == (2, 0)
    assert replied.moves[1] // 9 == CENTRE % 9
    assert replied.updated_at > played.updated_at > match.updated_at
    assert await server.matches.load(match.id) == replied


async def test_the_computer_begins_where_it_plays_x(server: Server) -> None:
    match = await server.begin(first=FirstMove.COMPUTER)

    assert (await server.matches.reply(match.id)).ply == 1


async def test_replying_out_of_turn_changes_nothing(server: Server) -> None:
    match = await server.begin()

    assert await server.matches.reply(match.id) == match
    ended = await server.matches.resign(match.id, user_id=ANNA_ID)
    assert await server.matches.reply(match.id) == ended


async def test_a_whole_game_survives_a_restart_between_any_two_steps(server: Server) -> None:
    """What is read back is what was returned, at every ply to the end."""
    match = await server.begin(level=1, first=FirstMove.COMPUTER)
    while not match.is_over:
        await server.restart()
        assert await server.matches.load(match.id) == match
        if match.level_to_move is not None:
            (waiting,) = await server.matches.awaiting_computer()
            assert waiting == match
            match = await server.matches.reply(match.id)
        else:
            assert await server.matches.awaiting_computer() == []
            legal = match.position.legal_moves
            match = await server.matches.play(
                match.id, user_id=ANNA_ID, ply=match.ply, move=legal[match.ply % len(legal)]
            )
    await server.restart()

    assert await server.matches.load(match.id) == match
    assert match.end_reason is EndReason.BOARD
    assert match.outcome is not None
    assert match.winner == match.outcome.winner
    assert (match.side_to_move, match.seat_to_move) == (None, None)
    assert match.ended_at == match.updated_at


async def test_the_result_is_stored_with_the_last_move(server: Server) -> None:
    match = await play_to_the_end(server, await server.begin())

    row = await server.database.read(lambda c: rows.find_match(c, match.id))

    assert row is not None
    assert (row.status, row.to_move, row.end_reason) == ("finished", None, "board")
    assert row.winner == match.winner
    assert row.ended_at == match.ended_at
    assert len(row.moves) == row.ply == match.ply
    assert isinstance(match.outcome.ending, Ending) if match.outcome else False


async def test_of_two_clicks_at_once_exactly_one_is_stored(server: Server) -> None:
    match = await server.begin()
    clicks = [
        server.matches.play(match.id, user_id=ANNA_ID, ply=0, move=move) for move in range(50)
    ]

    results = await asyncio.gather(*clicks, return_exceptions=True)

    stored = [result for result in results if isinstance(result, Match)]
    refused = [result for result in results if isinstance(result, StaleBoardError)]
    assert (len(stored), len(refused)) == (1, 49)
    assert all(error.match == stored[0] for error in refused)
    assert await server.matches.load(match.id) == stored[0]


async def test_a_click_delivered_twice_is_no_mistake(server: Server) -> None:
    match = await server.begin()
    clicks = [server.matches.play(match.id, user_id=ANNA_ID, ply=0, move=CENTRE) for _ in range(10)]
    results = await asyncio.gather(*clicks)
    replied = await server.matches.reply(match.id)

    assert {result.moves for result in results} == {(CENTRE,)}
    late = await server.matches.play(match.id, user_id=ANNA_ID, ply=0, move=CENTRE)
    assert late == replied


async def test_the_computers_move_is_not_ones_own_click(server: Server) -> None:
    match = await server.begin()
    await server.matches.play(match.id, user_id=ANNA_ID, ply=0, move=CENTRE)
    replied = await server.matches.reply(match.id)

    with pytest.raises(StaleBoardError):
        await server.matches.play(match.id, user_id=ANNA_ID, ply=1, move=replied.moves[1])


@pytest.mark.parametrize("ply", [-1, 0, 1, 3, 99])
async def test_a_stale_or_impossible_ply_is_refused_with_the_board(
    server: Server, ply: int
) -> None:
    match = await server.begin()
    await server.matches.play(match.id, user_id=ANNA_ID, ply=0, move=CENTRE)
    current = await server.matches.reply(match.id)

    with pytest.raises(StaleBoardError, match=r"2 moves have been played") as caught:
        await server.matches.play(match.id, user_id=ANNA_ID, ply=ply, move=0)

    assert (caught.value.match, caught.value.ply) == (current, ply)


async def test_somebody_elses_click_is_refused(server: Server) -> None:
    match = await server.begin()

    for attempt in (
        server.matches.play(match.id, user_id=BEN.id, ply=0, move=CENTRE),
        server.matches.resign(match.id, user_id=BEN.id),
        server.matches.load_for(match.id, user_id=BEN.id),
        server.matches.check_turn(match.id, user_id=BEN.id, ply=0),
        server.matches.start_again(match.id, user_id=BEN.id),
    ):
        with pytest.raises(NotAPlayerError, match="between Anna and Computer, level 1"):
            await attempt

    assert await server.matches.load(match.id) == match


async def test_it_is_not_your_turn(server: Server) -> None:
    match = await server.begin(first=FirstMove.COMPUTER)

    with pytest.raises(NotYourTurnError, match="waits for Computer, level 1"):
        await server.matches.play(match.id, user_id=ANNA_ID, ply=0, move=CENTRE)
    with pytest.raises(NotYourTurnError):
        await server.matches.check_turn(match.id, user_id=ANNA_ID, ply=0)
    own = await server.begin()
    assert await server.matches.check_turn(own.id, user_id=ANNA_ID, ply=0) == own


async def test_an_illegal_move_is_refused_and_nothing_stored(server: Server) -> None:
    match = await server.begin()
    await server.matches.play(match.id, user_id=ANNA_ID, ply=0, move=CENTRE)
    match = await server.matches.reply(match.id)
    forbidden = next(move for move in range(81) if move not in match.position.legal_moves)

    for move in (forbidden, -1, 81, 10**9):
        with pytest.raises(IllegalMoveError):
            await server.matches.play(match.id, user_id=ANNA_ID, ply=2, move=move)

    assert await server.matches.load(match.id) == match


async def test_a_match_that_does_not_exist(server: Server) -> None:
    for attempt in (
        server.matches.load(404),
        server.matches.play(404, user_id=ANNA_ID, ply=0, move=0),
        server.matches.reply(404),
        server.matches.resign(404, user_id=ANNA_ID),
        server.matches.place(404, channel_id=1, message_id=1),
        server.matches.start_again(404, user_id=ANNA_ID),
        server.matches.load(10**18),
    ):
        with pytest.raises(MatchNotFoundError, match="There is no game"):
            await attempt


# Ending.


async def test_a_finished_match_takes_nothing(server: Server) -> None:
    match = await play_to_the_end(server, await server.begin())

    for attempt in (
        server.matches.play(match.id, user_id=ANNA_ID, ply=match.ply, move=0),
        server.matches.check_turn(match.id, user_id=ANNA_ID, ply=match.ply),
        server.matches.resign(match.id, user_id=ANNA_ID),
    ):
        with pytest.raises(MatchOverError, match="This game is over: ") as caught:
            await attempt
        assert caught.value.match == match

    assert await server.matches.load(match.id) == match


async def test_resigning_ends_it_for_the_other(server: Server) -> None:
    match = await server.begin(first=FirstMove.COMPUTER)

    ended = await server.matches.resign(match.id, user_id=ANNA_ID)

    assert (ended.status, ended.end_reason) == (MatchStatus.FINISHED, EndReason.RESIGNED)
    assert ended.winner == 0
    assert ended.result_in_words == "Computer, level 1 won because Anna resigned"
    assert ended.outcome is None
    await server.restart()
    assert await server.matches.load(match.id) == ended
    assert await server.matches.awaiting_computer() == []


async def test_the_result_in_words(server: Server) -> None:
    match = await server.begin()
    won = replace(match, status=MatchStatus.FINISHED, end_reason=EndReason.BOARD, winner=0)

    assert match.result_in_words == "it is still going on"
    assert won.result_in_words == "Anna won"
    assert replace(won, winner=None).result_in_words == "it was a draw"
    resigned = replace(won, end_reason=EndReason.RESIGNED)
    assert resigned.result_in_words == "Anna won because Computer, level 1 resigned"


@pytest.mark.parametrize("taken", [{}, {"player_id": 1, "level": 1}])
def test_a_seat_is_a_persons_or_the_computers(taken: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="a person's or the computer's"):
        Seat(name="Nobody", **taken)


async def test_resigning_twice_is_resigning_once(server: Server) -> None:
    match = await server.begin()

    first, second = await asyncio.gather(
        server.matches.resign(match.id, user_id=ANNA_ID),
        server.matches.resign(match.id, user_id=ANNA_ID),
    )

    assert first == second


async def test_of_resigning_and_playing_at_once_both_make_sense(server: Server) -> None:
    match = await server.begin()

    played, resigned = await asyncio.gather(
        server.matches.play(match.id, user_id=ANNA_ID, ply=0, move=CENTRE),
        server.matches.resign(match.id, user_id=ANNA_ID),
        return_exceptions=True,
    )

    assert isinstance(resigned, Match)
    assert isinstance(played, Match | MatchOverError)
    assert await server.matches.load(match.id) == resigned


# Again, and finding matches.


async def test_again_exchanges_the_seats_and_happens_once(server: Server) -> None:
    match = await server.begin(level=2, variant_key="majority", guild_id=8)
    with pytest.raises(MatchNotOverError):
        await server.matches.start_again(match.id, user_id=ANNA_ID)
    await server.matches.resign(match.id, user_id=ANNA_ID)

    first, second = await asyncio.gather(
        server.matches.start_again(match.id, user_id=ANNA_ID, channel_id=9),
        server.matches.start_again(match.id, user_id=ANNA_ID, channel_id=9),
    )

    assert first == second
    assert first.id != match.id
    assert first.names == ("Computer, level 2", "Anna")
    assert (first.previous_id, first.variant_key) == (match.id, "majority")
    assert (first.guild_id, first.channel_id, first.message_id) == (8, 9, None)


async def test_where_the_board_is_shown_is_remembered(server: Server) -> None:
    match = await server.begin(channel_id=7)

    placed = await server.matches.place(match.id, channel_id=9, message_id=2**63 - 1)
    again = await server.matches.place(match.id, channel_id=9, message_id=2**63 - 1)
    await server.restart()

    assert placed == again == await server.matches.load(match.id)
    assert (placed.channel_id, placed.message_id) == (9, 2**63 - 1)


async def test_the_latest_match_is_an_ongoing_one(server: Server) -> None:
    old = await server.begin(channel_id=7)
    new = await server.begin(channel_id=7)
    elsewhere = await server.begin(channel_id=8)
    await server.begin(person=BEN, channel_id=7)
    latest = server.matches.latest_of

    assert await latest(ANNA_ID, 7) == new
    assert await latest(ANNA_ID) == elsewhere
    assert await latest(ANNA_ID, 99) is None
    assert await latest(4242) is None

    new = await server.matches.resign(new.id, user_id=ANNA_ID)
    assert await latest(ANNA_ID, 7) == old
    await server.matches.resign(old.id, user_id=ANNA_ID)
    assert (await latest(ANNA_ID, 7)).id == old.id  # type: ignore[union-attr]


async def test_the_match_meant_is_here_or_else_anywhere(server: Server) -> None:
    with pytest.raises(NoMatchError, match="/play"):
        await server.matches.latest_for(ANNA_ID, 7)
    here = await server.begin(channel_id=7)
    newer = await server.begin(channel_id=8)

    assert await server.matches.latest_for(ANNA_ID, 7) == here
    assert await server.matches.latest_for(ANNA_ID, 99) == newer


async def test_ongoing_matches_are_listed_newest_first(server: Server) -> None:
    first = await server.begin()
    second = await server.begin()
    over = await server.begin()
    await server.matches.resign(over.id, user_id=ANNA_ID)
    first = await server.matches.play(first.id, user_id=ANNA_ID, ply=0, move=CENTRE)

    assert await server.matches.ongoing_of(ANNA_ID) == [first, second]
    assert await server.matches.awaiting_computer() == [first]


# When things break.


async def write_behind_the_back(server: Server, match: Match, cell: int) -> None:
    """Store a move as another process would."""
    standing = match_rows.Standing(status="ongoing", to_move=1, winner=None, end_reason=None)
    await server.database.write(
        lambda c: rows.append_move(
            c,
            match_rows.Seen(match_id=match.id, ply=match.ply, revision=match.revision),
            cell=cell,
            standing=standing,
            now=match.created_at,
        )
    )


async def test_somebody_else_writing_in_the_file_is_noticed(server: Server) -> None:
    """The database keeps the promise that the lock keeps within one process."""
    match = await server.begin()
    await write_behind_the_back(server, match, cell=3)

    with pytest.raises(StaleBoardError) as caught:
        await server.matches.play(match.id, user_id=ANNA_ID, ply=0, move=CENTRE)

    assert caught.value.match.moves == (3,)
    assert (await server.matches.load(match.id)).moves == (3,)


async def test_a_reply_to_a_changed_match_is_dropped(server: Server) -> None:
    match = await server.begin(first=FirstMove.COMPUTER)
    await write_behind_the_back(server, match, cell=3)

    assert (await server.matches.reply(match.id)).moves == (3,)


async def test_a_changed_match_is_not_resigned_unseen(server: Server) -> None:
    match = await server.begin()
    await write_behind_the_back(server, match, cell=3)

    with pytest.raises(StaleBoardError):
        await server.matches.resign(match.id, user_id=ANNA_ID)
    assert (await server.matches.resign(match.id, user_id=ANNA_ID)).is_over


async def test_matches_out_of_memory_are_read_again(server: Server) -> None:
    keeper = Keeper(server.database, limit=2)
    matches = [await server.begin() for _ in range(5)]

    for match in matches + matches[::-1]:
        async with keeper.lock(match.id):
            assert await keeper.current(match.id) == match


async def test_a_full_disk_refuses_visibly_and_recovers(server: Server) -> None:
    match = await server.begin()

    async def limit_pages(count: int) -> None:
        await server.database.write(
            lambda c: c.execute(text(f"PRAGMA max_page_count = {count}")).scalar()
        )

    async def fill_up() -> None:
        for number in range(100):
            await server.begin(person=Person(id=number, name="x" * 3000))

    await limit_pages(1)  # SQLite takes this for: no more than there are now
    with pytest.raises(StorageFailedError, match="did not happen"):
        await fill_up()
    assert await server.matches.load(match.id) == match
    assert await server.matches.ongoing_of(ANNA_ID) == [match]

    await limit_pages(1_000_000)
    await fill_up()
    played = await server.matches.play(match.id, user_id=ANNA_ID, ply=0, move=CENTRE)
    assert played.ply == 1


@pytest.mark.parametrize(
    "damage", ["UPDATE move SET cell = 999", "UPDATE match SET ply = 7", "DELETE FROM move"]
)
async def test_a_match_that_cannot_be_replayed_spoils_no_other(server: Server, damage: str) -> None:
    good, bad = await server.begin(), await server.begin()
    for match in (good, bad):
        await server.matches.play(match.id, user_id=ANNA_ID, ply=0, move=CENTRE)
    key = "match_id" if "move" in damage else "id"
    await server.database.write(lambda c: c.exec_driver_sql(f"{damage} WHERE {key} = {bad.id}"))
    await server.restart()

    waiting = await server.matches.awaiting_computer()

    assert [match.id for match in waiting] == [good.id]
    with pytest.raises(BrokenRecordError):
        await server.matches.load(bad.id)


async def test_a_closed_service_takes_nothing(server: Server) -> None:
    match = await server.begin()
    matches = server.matches
    await server.stop()

    with pytest.raises(RestartingError):
        await matches.play(match.id, user_id=ANNA_ID, ply=0, move=CENTRE)
    with pytest.raises(RestartingError):
        await matches.reply(match.id)
    with pytest.raises(RestartingError):
        await matches.ongoing_of(ANNA_ID)
