from __future__ import annotations

from bot.load import LoadPlan, load_lines


async def test_a_crowd_plays_and_its_waits_are_counted() -> None:
    plan = LoadPlan(
        stages=(2, 3), seconds=0.8, think_s=0.03, levels=(1, 2), between_people=0.4, pictures=1
    )
    head, *lines = [line async for line in load_lines(plan)]

    assert head.split()[:2] == ["kind", "clicks"]
    assert [line for line in lines if line.endswith("games")] == ["2 games", "3 games"]
    assert "of a core" in lines[-1]
    rows = [line for line in lines if "games" not in line and "of a core" not in line]
    kinds = [line[2:18].strip() for line in rows]
    figures = [list(map(float, line[18:].split())) for line in rows]
    assert kinds.count("all") == 2, "a sum after each stage"
    clicks = {True: 0.0, False: 0.0}
    for kind, (count, _a_second, p50, p95, p99, most, *_rest) in zip(kinds, figures, strict=True):
        clicks[kind == "all"] += count
        assert p50 <= p95 <= p99 <= most
    assert clicks[True] == clicks[False] > 0
