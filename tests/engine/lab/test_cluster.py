"""Games played by dask workers are the same as those played by threads."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from distributed import LocalCluster

from engine import Limit, Rules
from engine.__main__ import main
from engine.lab import cluster
from engine.lab.arena.matches import MatchPlan, play_pairs
from engine.lab.training.games import GamePlan, play_training_games
from engine.lab.training.run import compare
from engine.lab.truth.records import StrongGame, read_records
from engine.nets.net import FOLDER
from engine.search.evaluation import Evaluation

PLAN = MatchPlan(
    players=("level:5", "uct"), rules=Rules(), limit=Limit(iterations=20), pair_count=5
)


@pytest.fixture(scope="module")
def workers() -> Iterator[LocalCluster]:
    """Two workers in this process, still reached over the loopback interface."""
    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        protocol="tcp",
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        memory_limit=0,
    ) as found:
        yield found


@pytest.mark.long
def test_games_are_the_same_elsewhere(
    workers: LocalCluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    option = ("--workers", workers.scheduler_address)
    assert list(play_pairs(PLAN, workers=option[1])) == list(play_pairs(PLAN))

    for words in (
        ("study", "standard", "depth=1", "--player", "2", "--games", "3"),
        ("study", "standard", "majority", "--games", "500"),
    ):
        assert main([*words, "--json"]) == 0
        here = capsys.readouterr().out
        assert main([*words, "--json", *option]) == 0
        assert capsys.readouterr().out == here

    made = ("puzzles", "--count", "1", "--folder", str(tmp_path))
    for run, elsewhere in (("here", ()), ("there", option)):
        assert main([*made, "--run", str(tmp_path / run), *elsewhere]) == 0
    findings = [
        [json.loads(line) | {"seconds": 0} for line in (tmp_path / run).read_text().splitlines()]
        for run in ("here", "there")
    ]
    assert findings[0] == findings[1]

    own, theirs = tmp_path / "own.jsonl", tmp_path / "theirs.jsonl"
    play = ("truth", "depth=1", "--iterations", "20", "--results")
    assert main([*play, str(own), "--games", "3"]) == 0
    for count in ("1", "3"):  # it goes on where the file ends
        assert main([*play, str(theirs), "--games", count, *option]) == 0
    assert games_in(theirs) == games_in(own)

    games = GamePlan(positions=900, iterations=20)
    rows, theirs_too = (
        play_training_games(Rules(), Evaluation.HAND, games, workers=where).rows
        for where in (None, option[1])
    )
    assert np.array_equal(rows, theirs_too)
    nets = (FOLDER / "standard.net").read_bytes(), Evaluation.PLAYOUTS
    gate = partial(compare, Rules(), nets, limit=Limit(iterations=30), pairs=3)
    assert gate(workers=option[1]) == gate()

    ladder = ("ladder", "--levels", "1..2", "--games", "4", "--movetime", "20", "--json")
    assert main([*ladder, *option]) in (0, 1)
    assert '"pairs": 2' in capsys.readouterr().out


def games_in(path: Path) -> list[StrongGame]:
    return [one for one in read_records(path) if isinstance(one, StrongGame)]


def test_what_is_missing_is_said_in_words(
    workers: LocalCluster, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    match = ("match", "random", "random", "--games", "2", "--workers")
    with pytest.raises(SystemExit):
        main([*match, "http://here"])
    assert "'http://here' is not an address as tcp://HOST:PORT" in capsys.readouterr().err

    monkeypatch.setattr(cluster, "PATIENCE_S", 0.2)
    assert main([*match, "tcp://127.0.0.1:9"]) == 2
    assert "No scheduler answers at tcp://127.0.0.1:9" in capsys.readouterr().err

    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main([*match, workers.scheduler_address]) == 2
    assert "pip install -r deploy/requirements-cluster.txt" in capsys.readouterr().err
