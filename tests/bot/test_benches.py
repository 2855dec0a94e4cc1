"""What `python -m bot bench` prints, in a size that takes no time."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from functools import partial

import pytest

import bot.bench
import bot.render.bench
import bot.storage.filling
from bot.__main__ import main
from bot.render.preview import animated_samples, designed_samples, sample_pictures

FIGURE = re.compile(r"\d[\d,]*\.?\d*")


@pytest.fixture(autouse=True)
def _garbage_as_it_was() -> Iterator[None]:
    thresholds = gc.get_threshold()
    yield
    gc.set_threshold(*thresholds)
    gc.unfreeze()


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    pictures = sample_pictures()
    by_depth = {picture.position.rules.depth: name for name, picture in pictures.items()}
    assert sorted(by_depth) == [1, 2, 3]
    value: object
    for attribute, value in (
        ("_REPEATS", 1),
        ("sample_pictures", lambda: {name: pictures[name] for name in by_depth.values()}),
        ("designed_samples", lambda: dict(list(designed_samples().items())[:1])),
        ("animated_samples", lambda: dict(list(animated_samples().items())[:1])),
    ):
        monkeypatch.setattr(bot.render.bench, attribute, value)
    for attribute, value in (("_PLAYERS", 10), ("_SECONDS", 0.3), ("_PER_SECOND", 200)):
        monkeypatch.setattr(bot.bench, attribute, value)
    for attribute, value in (("_ACTIVE", 20), ("_MEMBERS", 10)):
        monkeypatch.setattr(bot.storage.filling, attribute, value)
    monkeypatch.setattr(bot.bench, "_TIMES", 3)
    for attribute, value in (
        ("_LAG_SECONDS", 0.1),
        ("_STARTS", 1),
        ("move_lines", partial(bot.bench.move_lines, 20)),
        ("leaderboard_lines", partial(bot.bench.leaderboard_lines, (40, 60))),
        ("explorer_lines", partial(bot.bench.explorer_lines, 30)),
    ):
        monkeypatch.setattr(bot.bench, attribute, value)


def rows_of(lines: list[str], width: int) -> dict[str, list[float]]:
    """Return the figures of each row by its name, which takes up the first `width` letters."""
    return {
        line[:width].strip(): [
            float(each.replace(",", "")) for each in FIGURE.findall(line[width:])
        ]
        for line in lines
    }


def test_pictures_come_with_their_time_size_and_ratio():
    head, *rows = bot.render.bench.bench_lines()
    found = rows_of(rows, 28)

    assert head.split() == ["picture", "ms", "KB", "plain", "drawing", "/", "tiles"]
    assert sorted(len(figures) for figures in found.values()) == [2, 2, 3, 3, 3]
    assert all(figure > 0 for figures in found.values() for figure in figures)


def test_moves_come_with_their_number_and_times():
    head, *rows = bot.bench.move_lines()
    found = rows_of(rows, 40)

    assert head.startswith("20 games, 10 players at once")
    assert list(found) == ["at 200 moves a second", "as fast as they can"]
    for moves_s, median_ms, p99_ms, cpu_ms in found.values():
        assert 0 < median_ms <= p99_ms
        assert cpu_ms > 0
        assert moves_s > 10
    # At a pace far below what can be stored, the pace decides.
    assert found["at 200 moves a second"][0] == pytest.approx(200, rel=0.5)


def test_leaderboards_of_each_size_come_with_their_times():
    lines = list(bot.bench.leaderboard_lines())
    heads = [line for line in lines if not line.startswith(" ")]

    assert [head.split(" x ")[0] for head in heads] == ["40 people", "60 people"]
    assert len(lines) == 2 * (1 + 8)
    for figures in rows_of([line for line in lines if line not in heads], 44).values():
        median_ms, p99_ms = figures
        assert 0 < median_ms <= p99_ms


def test_pages_of_the_explorer_come_with_their_times():
    head, *rows = bot.bench.explorer_lines()

    assert head.startswith("30 games counted for /explore")
    assert len(rows) == 4 * 3 + 3
    assert all(0 < median <= p99 for median, p99 in rows_of(rows, 46).values())


@pytest.mark.long
def test_the_whole_report_is_a_table_and_nothing_else(
    capsys: pytest.CaptureFixture[str], logging_as_it_was: None
):
    assert main(["bench"]) == 0

    lines = capsys.readouterr().out.splitlines()
    late = rows_of([line for line in lines if re.match(r"  (at rest|while)", line)], 36)
    assert list(late) == ["at rest", "while one search runs", "while two run"]
    for median_ms, p99_ms, most_ms in late.values():
        assert 0 <= median_ms <= p99_ms <= most_ms
    (start,) = [line for line in lines if line.startswith("start of the bot")]
    seconds, ratio = rows_of([start], 36)["start of the bot up to its login"]
    assert seconds > 0
    assert ratio >= 1
    # Neither a log nor anything else that cannot be read as a row.
    strange = [line for line in lines if line and not FIGURE.search(line[28:]) and "ms" not in line]
    assert strange == []
    assert not any(line.startswith("20") and "[info" in line for line in lines)
