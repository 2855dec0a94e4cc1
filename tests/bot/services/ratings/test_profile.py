"""What a profile says about a player: counted by the database, checked by hand."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bot.model import ratings
from bot.model.ratings.achievements import ACHIEVEMENTS, Deeds, earned
from bot.model.ratings.profile import Record, Records, count_records
from bot.storage.history import Wanted
from engine import VARIANTS, load_variant
from tests.bot.services.ratings.league import League, level, person

if TYPE_CHECKING:
    from tests.bot.services.ratings.league import Evening

ANNA, BERT, CARL = person(1), person(2), person(3)
MAJORITY = load_variant("majority").rules


async def test_who_has_never_played_has_an_empty_profile(evening: Evening) -> None:
    profile = await evening.book.profile_of(ANNA)

    assert profile.ratings == ()
    assert profile.records.total == Record()
    assert (await evening.book.between(ANNA, BERT)).records.total == Record()
    assert (profile.streak, profile.longest_won) == (None, 0)
    assert (profile.form, profile.opponents, profile.achievements) == ((), (), ())
    assert (await evening.book.history_of(ANNA)).entries == ()


def some_evenings(league: League) -> None:
    """Anna: won, won, won, drawn, lost, won, won; one of them casual."""
    league.end(ANNA, BERT, 0)
    league.wait(hours=1)
    league.end(BERT, ANNA, 1)
    league.wait(hours=1)
    league.end(ANNA, level(3), 0)
    league.wait(hours=1)
    league.end(ANNA, CARL, None, rules=MAJORITY)
    league.wait(hours=1)
    league.end(level(5), ANNA, 0)
    league.wait(hours=1)
    league.end(ANNA, BERT, 0, rated=False)
    league.end(ANNA, CARL, 0)  # at the same instant
    league.end(BERT, CARL, 0)


async def test_records_in_every_way(evening: Evening) -> None:
    await evening.play(some_evenings)

    records = (await evening.book.profile_of(ANNA)).records

    assert records.total == Record(won=5, drawn=1, lost=1)
    assert list(records.by_variant.items()) == [
        ("standard", Record(won=5, lost=1)),
        ("majority", Record(drawn=1)),
    ]
    assert records.by_side == (Record(won=4, drawn=1), Record(won=1, lost=1))
    assert records.by_level == {3: Record(won=1), 5: Record(lost=1)}


async def test_streaks_form_and_opponents(evening: Evening) -> None:
    await evening.play(some_evenings)

    profile = await evening.book.profile_of(ANNA)

    assert profile.streak is not None
    assert (profile.streak.result, profile.streak.length) == ("won", 2)
    assert profile.longest_won == 3
    assert profile.form == ("won", "won", "won", "drawn", "lost", "won", "won")
    assert [(head.name, head.record) for head in profile.opponents] == [
        ("Player 2", Record(won=3)),
        ("Player 3", Record(won=1, drawn=1)),
    ]
    assert (await evening.book.between(ANNA, CARL)).records.total == Record(won=1, drawn=1)
    ratings = {entry.pool: entry.games for entry in profile.ratings}
    assert ratings == {"standard": 5, "majority": 1}
    assert all(entry.is_provisional for entry in profile.ratings)
    placed, new = (str(entry.words) for entry in profile.ratings)
    assert placed.endswith("?")
    assert new == "placement game 1 of 5"
    assert (await evening.book.between(CARL, ANNA)).records.total == Record(lost=1, drawn=1)


async def test_streaks_of_long_histories_are_those_of_a_count_by_hand(evening: Evening) -> None:
    rng = random.Random(3)
    results = [rng.choice((0, 0, 1, None)) for _ in range(120)]

    def happen(league: League) -> None:
        for winner in results:
            league.wait(minutes=rng.randrange(3))
            league.end(ANNA, level(2), winner)

    await evening.play(happen)
    profile = await evening.book.profile_of(ANNA)

    longest = current = 0
    for winner in results:
        current = current + 1 if winner == 0 else 0
        longest = max(longest, current)
    tail = 1
    while tail < len(results) and results[-tail - 1] == results[-1]:
        tail += 1
    assert profile.longest_won == longest
    assert profile.streak is not None
    assert profile.streak.length == tail
    words = {0: "won", 1: "lost", None: "drawn"}
    assert profile.form == tuple(words[winner] for winner in results[-10:])
    assert profile.records.total == Record(
        won=results.count(0), drawn=results.count(None), lost=results.count(1)
    )


async def test_both_seats_of_one_person_are_no_record(evening: Evening) -> None:
    await evening.play(lambda league: league.end(ANNA, ANNA, 0))

    assert (await evening.book.profile_of(ANNA)).records.total.played == 0


async def test_history_page_by_page(evening: Evening) -> None:
    await evening.play(some_evenings)

    first = await evening.book.history_of(ANNA, limit=3)
    second = await evening.book.history_of(ANNA, before=first.before, limit=3)
    third = await evening.book.history_of(ANNA, before=second.before, limit=3)

    entries = [*first.entries, *second.entries, *third.entries]
    assert [len(page.entries) for page in (first, second, third)] == [3, 3, 1]
    assert third.before is None
    assert [entry.match_id for entry in entries] == sorted(
        (entry.match_id for entry in entries), reverse=True
    )
    newest, casual, lost = first.entries
    assert (newest.opponent_name, newest.opponent_id, newest.result) == ("Player 3", CARL, "won")
    assert newest.value_before is not None
    assert newest.value_after is not None
    assert newest.value_after > newest.value_before
    assert (casual.rated, casual.value_after, casual.reason) == (False, None, None)
    assert (lost.level, lost.opponent_id, lost.side, lost.result) == (5, None, 1, "lost")


async def test_a_history_that_fills_its_last_page_ends_there(evening: Evening) -> None:
    await evening.play(some_evenings)

    whole = await evening.book.history_of(ANNA, limit=7)
    nearly = await evening.book.history_of(ANNA, limit=6)
    last = await evening.book.history_of(ANNA, before=nearly.before, limit=6)
    back = await evening.book.history_of(ANNA, after=last.after, limit=6)
    above = await evening.book.history_of(ANNA, after=whole.entries[3].match_id, limit=2)

    assert (len(whole.entries), whole.before, whole.after) == (7, None, None)
    assert nearly.before == nearly.entries[-1].match_id
    assert (len(last.entries), last.before) == (1, None)
    assert back == nearly
    assert above.entries == whole.entries[1:3]
    assert (above.after, above.before) == (
        whole.entries[1].match_id,
        whole.entries[2].match_id,
    )


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        (Wanted(), 7),
        (Wanted(variant_key="majority"), 1),
        (Wanted(opponent_id=BERT), 3),
        (Wanted(against_computer=True), 2),
        (Wanted(against_computer=False), 5),
        (Wanted(rated=False), 1),
        (Wanted(rated=True), 6),
        (Wanted(score=1), 5),
        (Wanted(score=0), 1),
        (Wanted(score=-1), 1),
        (Wanted(score=1, opponent_id=BERT, rated=True), 2),
        (Wanted(opponent_id=person(9)), 0),
    ],
    ids=repr,
)
async def test_history_with_filters(evening: Evening, wanted: Wanted, count: int) -> None:
    await evening.play(some_evenings)

    assert len((await evening.book.history_of(ANNA, wanted)).entries) == count


async def test_the_history_says_why_a_game_did_not_count(evening: Evening) -> None:
    await evening.play(lambda league: league.end(ANNA, BERT, 0, moves=(40, 36)))

    (entry,) = (await evening.book.history_of(ANNA)).entries

    assert (entry.rated, entry.reason, entry.value_after) == (True, "too_short", None)


async def test_points_of_a_graph(evening: Evening) -> None:
    await evening.play(some_evenings)

    points = await evening.book.points_of(ANNA, "standard")
    last_two = await evening.book.points_of(ANNA, "standard", limit=2)

    assert len(points) == 5
    assert [point.changed_at for point in points] == sorted(p.changed_at for p in points)
    for earlier, later in itertools.pairwise(points):
        assert later.before.value == earlier.after.value
    assert last_two == points[-2:]


def records_of(
    *,
    won: int = 0,
    drawn: int = 0,
    level_beaten: int | None = None,
    variants: tuple[str, ...] = ("standard",),
    sides: tuple[int, int] = (0, 0),
) -> Records:
    return Records(
        total=Record(won=won, drawn=drawn),
        by_variant={key: Record(won=won) for key in variants},
        by_side=(Record(won=sides[0]), Record(won=sides[1])),
        by_level={} if level_beaten is None else {level_beaten: Record(won=1)},
    )


NOTHING = Deeds(records=records_of())


@pytest.mark.parametrize(
    ("key", "enough", "too_little"),
    [
        ("first-game", Deeds(records=records_of(drawn=1)), NOTHING),
        ("first-win", Deeds(records=records_of(won=1)), Deeds(records=records_of(drawn=1))),
        ("wins-10", Deeds(records=records_of(won=10)), Deeds(records=records_of(won=9))),
        ("wins-100", Deeds(records=records_of(won=100)), Deeds(records=records_of(won=99))),
        ("wins-1000", Deeds(records=records_of(won=1000)), Deeds(records=records_of(won=999))),
        ("streak-3", Deeds(records=records_of(), longest_won=3), NOTHING),
        (
            "streak-9",
            Deeds(records=records_of(), longest_won=9),
            Deeds(records=records_of(), longest_won=8),
        ),
        *(
            (
                f"level-{number}",
                Deeds(records=records_of(level_beaten=10)),
                Deeds(records=records_of(level_beaten=number - 1)),
            )
            for number in (3, 5, 7, 9, 10)
        ),
        (
            "both-sides",
            Deeds(records=records_of(sides=(10, 10))),
            Deeds(records=records_of(sides=(30, 9))),
        ),
        (
            "short-game",
            Deeds(records=records_of(), fewest_plies_won=30),
            Deeds(records=records_of(), fewest_plies_won=31),
        ),
        ("draws-5", Deeds(records=records_of(drawn=5)), Deeds(records=records_of(drawn=4))),
        ("people-5", Deeds(records=records_of(), people_met=5), NOTHING),
        (
            "people-25",
            Deeds(records=records_of(), people_met=25),
            Deeds(records=records_of(), people_met=24),
        ),
        (
            "variants-5",
            Deeds(records=records_of(won=1, variants=tuple(VARIANTS)[:5])),
            Deeds(records=records_of(won=1, variants=(*tuple(VARIANTS)[:4], "goal=five"))),
        ),
        (
            "variants-all",
            Deeds(records=records_of(won=1, variants=tuple(VARIANTS))),
            Deeds(records=records_of(won=1, variants=(*tuple(VARIANTS)[1:], "goal=five"))),
        ),
        ("rated", Deeds(records=records_of(), rated_games=1), NOTHING),
        *(
            (
                f"rating-{value}",
                Deeds(records=records_of(), best_rating=value - 0.4),
                Deeds(records=records_of(), best_rating=value - 0.6),
            )
            for value in (1700, 1900, 2100)
        ),
    ],
)
def test_achievements_at_their_edges(key: str, enough: Deeds, too_little: Deeds) -> None:
    assert key in [entry.key for entry in earned(enough)]
    assert key not in [entry.key for entry in earned(too_little)]


def test_achievements_have_names_and_keys_of_their_own() -> None:
    assert len({entry.key for entry in ACHIEVEMENTS}) == len(ACHIEVEMENTS)
    assert len({str(entry.name) for entry in ACHIEVEMENTS}) == len(ACHIEVEMENTS)
    assert all(str(entry.summary).endswith(".") for entry in ACHIEVEMENTS)
    assert earned(NOTHING) == ()
    assert earned(Deeds(records=count_records([]))) == ()


def test_the_readme_lists_the_achievements() -> None:
    readme = Path(ratings.__file__).with_name("README.md").read_text()
    section = readme.split("## Achievements")[1].split("\n## ")[0]

    listed = [line for line in section.splitlines() if line.startswith("| ")][1:]
    assert listed == [f"| {entry.name} | {entry.summary} |" for entry in ACHIEVEMENTS]


async def test_achievements_follow_from_what_was_played(evening: Evening) -> None:
    await evening.play(some_evenings)

    keys = [entry.key for entry in (await evening.book.profile_of(ANNA)).achievements]

    assert keys == ["first-game", "first-win", "streak-3", "level-3", "short-game", "rated"]
