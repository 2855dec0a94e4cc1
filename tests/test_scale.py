"""What `deploy/SCALE.md` says: its numbers still hold, and its arithmetic is Discord's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from deploy.scale import ALL, ASSUMED, CEILINGS, ROWS, SIZES, Plan, main, page
from tests.cogs.conftest import discord_addresses, patience  # noqa: F401  # fixtures
from tests.costs import play

ROOT = Path(__file__).resolve().parents[1]
GIVEN = {key: each.value for key, each in ALL.items()}


def plan(servers: int, **changes: float) -> Plan:
    return Plan(servers, GIVEN | changes)


def test_the_page_is_what_the_program_writes(tmp_path: Path):
    written = tmp_path / "SCALE.md"
    main([str(written)])

    assert written.read_text() == (ROOT / "deploy" / "SCALE.md").read_text(), (
        "write it again: make docs, or python -m deploy.scale deploy/SCALE.md"
    )


def test_every_number_on_the_page_is_told_with_its_source():
    """The page names every number it computes with, and uses every number it names."""
    text = page(GIVEN)
    assert [key for key, each in ALL.items() if each.what not in text] == []
    assert [key for key, each in ALL.items() if not each.source and key not in ASSUMED] == []

    def of(given: dict[str, float]) -> list[object]:
        return [vars(Plan(size, given)) for size in SIZES]

    held_against = {"most_connections", "most_mb", "requests", "start_s", "tasks"}
    unused = [key for key in GIVEN if of(GIVEN | {key: GIVEN[key] * 0.4 + 0.05}) == of(GIVEN)]
    assert set(unused) == held_against | {"game_kb"}  # which stands beside


def test_the_memory_of_a_process_is_what_the_readme_measured():
    (mib,) = re.findall(r"an hour of games.*, \d+ to (\d+) MiB", (ROOT / "README.md").read_text())

    assert GIVEN["process_mb"] == round(int(mib) * 1.048576)


@pytest.mark.parametrize("servers", [2_500, 25_000, 149_999, 150_000, 153_000, 2_000_000])
def test_shards_are_as_many_as_discord_takes(servers: int):
    for per_shard in (1_000, 2_500, 9_000):
        shards = plan(servers, servers_per_shard=per_shard).shards
        assert shards * 2_500 >= servers, "no shard may have more"
        assert shards % 16 == 0 or servers < 150_000
        assert (shards - 16) * min(per_shard, 2_500) < servers, "and no more than needed"


def test_shards_are_let_in_one_in_five_seconds_and_by_buckets_later():
    assert plan(149_000).start_s == 149 * 5
    assert plan(150_000).shards == 160
    assert plan(150_000).start_s == 160 / 16 * 5
    assert plan(150_000, max_concurrency=1).start_s == 800
    one = plan(25_000)
    assert one.restart_s == -(-25 // one.processes) * 5


def test_a_day_has_enough_shards_let_in():
    assert plan(25_000).restarts == 1000 // 25
    assert plan(150_000).restarts == 2000 // 160
    assert plan(1_000_000).restarts == 5000 // 1008  # 5 for each 1,000 servers


def test_only_calls_count_for_the_limit_of_fifty_requests():
    """Answers to interactions do not count; a call is two requests, a fifth of turns has one."""
    alone = plan(86_400, peak=1, computer_share=0, clicks_people=50, slow_turns=0.2, other_clicks=0)
    assert alone.answers_s == pytest.approx(50)
    assert alone.requests_s == pytest.approx(50 * 0.2 * 2)
    assert plan(86_400, computer_share=1).requests_s == 0
    (limit,) = [each for each in CEILINGS if each.used == "requests_s"]
    reached = limit.reached_at(GIVEN)
    assert plan(int(reached)).requests_s > 50 > plan(int(reached * 0.95)).requests_s


def test_what_people_do_is_multiplied_through():
    once, thrice = plan(25_000), plan(25_000, games_per_server=3)
    for name in ("clicks_s", "rows_s", "transactions_s", "search_cores", "requests_s", "grows_gb"):
        assert getattr(thrice, name) == pytest.approx(3 * getattr(once, name))
    assert thrice.shards == once.shards
    assert plan(25_000, peak=8).grows_gb == once.grows_gb, "a year has its quiet hours"
    for each in (once, thrice, plan(150_000), plan(150_000, games_per_server=0.01)):
        assert each.click_cores <= each.processes * GIVEN["core_share"]
        assert each.process_mb <= GIVEN["most_mb"]


def test_options_change_the_page(capsys: pytest.CaptureFixture[str]):
    main(["--servers", "8000", "--games-per-server", "3"])

    text = capsys.readouterr().out
    assert "| games a day | 24,000 | 3 in a server |" in text
    assert "**8,000 servers.** " in text
    assert len(re.findall(r"^\| [a-z]", text, re.MULTILINE)) >= sum(bool(row[1]) for row in ROWS)


@pytest.mark.usefixtures("discord_addresses", "patience")
async def test_a_click_costs_what_the_page_says(tmp_path: Path):
    """The beginning of a game, counted as `python -m tests.costs` does."""
    costs = await play(tmp_path, None, 1, most=6)

    assert costs.answers == GIVEN["answers"] * costs.clicks
    assert costs.others == GIVEN["others"] * costs.clicks
    assert costs.rows == pytest.approx(GIVEN["rows_people"] * costs.clicks, rel=0.6)
    assert costs.transactions <= 3 * costs.clicks
    assert 5 < costs.uploaded / costs.clicks / 1000 < 30
