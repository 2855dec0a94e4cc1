"""Somebody gets what is stored about them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bot.model.actions import AcceptTakeback, AskTakeback, OfferDraw
from bot.model.clocks import ClockRules
from bot.services.privacy import FORMAT, FORMAT_VERSION
from engine import MARKS
from engine.records import parse_record
from tests.bot.services.conftest import ANNA, BEN
from tests.bot.services.privacy.conftest import DORA, GUILD, Life, columns_with

POLICY = (Path(__file__).resolve().parents[4] / "deploy" / "PRIVACY.md").read_text()
ELSEWHERE = {
    "player": "person",
    "player_setting": "preferences",
    "rating": "ratings",
    "guild_player": "servers",
    "vacation": "vacations",
    "block": "blocks",
    "challenge": "challenges",
    "seat": "matches",
    "rated_match": "matches",
    "rating_change": "matches",
}
"""The keys under which rows of these tables are found; others are under their own names."""


async def exported(life: Life, user_id: int = ANNA.id) -> dict[str, Any]:
    found = json.loads(await life.privacy.export(user_id))
    assert isinstance(found, dict)
    return found


async def test_everything_that_holds_their_number_is_in_it(life: Life):
    tables = {table for table, _ in columns_with(await life.contents(), ANNA.id)}

    found = await exported(life)

    empty = [table for table in tables if not found[ELSEWHERE.get(table, table)]]
    assert empty == []
    assert (found["format"], found["version"]) == (FORMAT, FORMAT_VERSION)
    assert found["person"]["id"] == str(ANNA.id)


async def test_its_keys_are_those_that_the_policy_explains(life: Life):
    found = await exported(life)
    top = re.findall(r"^\| `(\w+)` \|", POLICY.split("### The file")[1], re.MULTILINE)
    inner = re.findall(r"`(\w+)`", POLICY.split("Each match has")[1].split("\n\n")[0])

    assert set(top) == set(found)
    assert set(found["matches"][0]) == set(inner)


async def test_a_match_comes_with_its_moves_their_times_and_its_rating(life: Life):
    match = await life.matches.load(1)

    first = (await exported(life))["matches"][0]

    assert first["X"] == {"name": "Anna", "is_you": True}
    assert first["O"] == {"name": "Ben", "is_you": False}
    assert (first["winner"], first["ended_by"]) == ("X", "resigned")
    assert [each["move"] for each in first["moves"]] == ["55", "54", "44"]
    assert first["moves"][0]["played_at"] < first["moves"][2]["played_at"]
    assert first["rating_change"]["value_before"] == 1500
    assert first["rating_change"]["value_after"] > 1500
    assert first["guild_id"] == str(GUILD)
    assert parse_record(first["record"]).moves == match.moves


async def test_a_match_comes_with_its_clock_and_with_what_was_no_move(life: Life):
    match = await life.begin_between(clock=ClockRules.parse("1h"))
    match = await life.play(match, 40, 39)
    match = await life.matches.perform(match.id, OfferDraw(), user_id=ANNA.id)
    match = await life.matches.perform(match.id, AskTakeback(), user_id=BEN.id)
    match = await life.matches.perform(match.id, AcceptTakeback(), user_id=ANNA.id)

    found = next(each for each in (await exported(life))["matches"] if each["id"] == match.id)

    assert [
        (event["kind"], event["by"], event["ply"], event["moves_taken_back"])
        for event in found["events"]
    ] == [
        (event.kind.value, MARKS[event.side], event.ply, taken)
        for event, taken in zip(match.events, [[], [], ["54"]], strict=True)
    ]
    assert all(found["created_at"] <= event["happened_at"] for event in found["events"])
    assert [each["move"] for each in found["moves"]] == ["55"]
    assert found["clock"] == "1h"
    assert found["deadline_at"] is not None
    assert [found["left_x_s"], found["left_o_s"]] == [3600.0, 3600.0]


async def test_of_others_there_are_names_but_no_numbers_except_whom_they_have_blocked(life: Life):
    text = (await life.privacy.export(ANNA.id)).decode()
    found = json.loads(text)

    assert str(BEN.id) not in text
    assert '"Ben"' in text
    assert [each["other_id"] for each in found["blocks"]] == [str(DORA.id)]
    assert text.count(str(DORA.id)) == 1
    assert {each["challenger"] for each in found["challenges"]} >= {"you", "Ben", "Dora"}


async def test_who_has_blocked_them_is_not_told(life: Life):
    """Ben's block of Anna is his data; she could only find out about it by trying."""
    await life.challenges.block(BEN.id, ANNA.id)

    assert [each["name"] for each in (await exported(life))["blocks"]] == ["Dora"]


async def test_somebody_unknown_gets_an_empty_file(life: Life):
    found = await exported(life, 424242)

    assert found["person"] is None
    assert set(found) - {key for key, value in found.items() if value == []} == {
        "format", "version", "written_at", "person",
    }  # fmt: skip


async def test_many_matches_are_all_there(life: Life, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("bot.services.privacy.PORTION", 2)

    found = await exported(life)

    numbers = [each["id"] for each in found["matches"]]
    assert len(numbers) == 6
    assert numbers == sorted(set(numbers))


async def test_a_match_that_cannot_be_replayed_comes_without_a_record(life: Life):
    def damage(connection: Any) -> None:
        connection.exec_driver_sql("UPDATE match SET rules = 'of another time' WHERE id = 1")

    await life.database.write(damage)

    first = (await exported(life))["matches"][0]

    assert first["record"] is None
    assert [each["move"] for each in first["moves"]] == ["40", "39", "30"]


async def test_the_numbers_shown_before_deleting_are_right(life: Life):
    holdings = await life.privacy.holdings_of(ANNA.id)

    assert (holdings.matches, holdings.ongoing, holdings.ratings) == (6, 3, 1)
    assert (await life.privacy.holdings_of(424242)).matches == 0
