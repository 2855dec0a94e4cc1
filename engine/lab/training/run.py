"""Generations: play, fit, compare, and keep what is stronger. A run can be resumed.

Intermediate files are kept in `build/training/VARIANT`; a net that is certainly
stronger than the hand-made formula is saved to `engine/nets`, and how it was made
is written to `engine/nets/LOG.md`.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from engine.lab.arena.elo import elo_interval, score_interval
from engine.lab.arena.matches import MatchPlan, play_pair
from engine.lab.arena.players import SearchPlayer
from engine.lab.cluster import carry_out
from engine.lab.training.fitting import fit, fresh_weights, weights_of
from engine.lab.training.games import GamePlan, Rows, Source, evaluator_of, play_training_games
from engine.nets.net import FOLDER, SUFFIX, Net, load_net, pack_net, rules_of_net, save_net
from engine.rules import Rules
from engine.search.evaluation import Evaluation
from engine.search.mcts import Limit
from engine.variants import load_variant

LOG: Final = FOLDER / "LOG.md"
_WINDOW: Final = 3  # generations whose positions a net is fitted to
_HURRY: Final = 0.7  # the share of the time after which no generation is begun


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The result of a match: the first player's share of the points of every pair."""

    scores: tuple[float, ...]
    limit: Limit

    @property
    def share(self) -> float:
        """The first player's share of all points."""
        return sum(self.scores) / len(self.scores)

    @property
    def is_certain(self) -> bool:
        """Whether the first player is stronger, with at most 2.5 % doubt."""
        return score_interval(self.scores).low > 0.5

    def __str__(self) -> str:
        elo = elo_interval(self.scores)
        thinking = (
            f"{self.limit.iterations} iterations"
            if self.limit.seconds is None
            else f"{1000 * self.limit.seconds:g} ms"
        )
        games = 2 * len(self.scores)
        return f"{elo.value:+.0f} [{elo.low:+.0f}, {elo.high:+.0f}] Elo, {games} games, {thinking}"


def compare(
    rules: Rules,
    sources: tuple[Source, Source],
    *,
    limit: Limit,
    pairs: int,
    even: int = 0,
    seed: int = 1,
    threads: int = 2,
    workers: str | None = None,
) -> Verdict:
    """Play the first of two evaluators against the second; `even` is that of `MatchPlan`."""
    names = ("new", "old")
    plan = MatchPlan(
        players=names, rules=rules, limit=limit, pair_count=pairs, even=even, seed=seed
    )
    jobs = ((sources, plan, number) for number in range(pairs))
    played = carry_out(compare_once, jobs, concurrency=threads, workers=workers)
    return Verdict(scores=tuple(score for _, score in played), limit=limit)


def compare_once(sources: tuple[Source, Source], plan: MatchPlan, number: int) -> float:
    """Play a pair of games and return the first one's share of the points."""
    first, second = (SearchPlayer(evaluator_of(plan.rules, source)) for source in sources)
    pair = play_pair((first, second), plan, number)
    assert pair is not None, "nobody stops it"
    return pair.score


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """The options of `python -m engine.lab.training`."""

    variant: str
    generations: int
    minutes: float
    positions: int
    iterations: int
    steps: int
    batch: int
    pairs: int
    even: int
    start: str | None
    work: Path
    threads: int
    workers: str | None = None


class Run:
    """The training of one variant's net."""

    def __init__(self, plan: RunPlan) -> None:
        self._plan = plan
        self._rules = rules_of_net(load_variant(plan.variant).rules)
        self._folder = plan.work / plan.variant
        self._folder.mkdir(parents=True, exist_ok=True)
        self._history_path = self._folder / "history.json"
        self._history: list[dict[str, Any]] = []
        if self._history_path.exists():
            self._history = json.loads(self._history_path.read_text())
        self._best: Net | None = None
        self._restore()

    def go(self) -> None:
        """Make generations until there are enough or time is up, then ship the best net."""
        started, seconds = time.monotonic(), 60 * self._plan.minutes
        for _ in range(self._plan.generations):
            if time.monotonic() >= started + _HURRY * seconds:
                break
            self._make_generation(len(self._history) + 1, started + seconds)
        self._ship()

    def _restore(self) -> None:
        kept = [entry["generation"] for entry in self._history if entry["kept"]]
        if kept:
            self._best = load_net(self._folder / f"{kept[-1]}{SUFFIX}")
        elif self._plan.start is not None:
            start = load_net(FOLDER / f"{self._plan.start}{SUFFIX}")
            self._best = replace(start, rules=self._rules)

    def _make_generation(self, number: int, deadline: float) -> None:
        plan = self._plan
        teacher = Evaluation.HAND if self._best is None else pack_net(self._best)
        games = GamePlan(
            positions=plan.positions,
            iterations=plan.iterations,
            threads=plan.threads,
            seed=number,
            deadline=deadline,
        )
        played = play_training_games(self._rules, teacher, games, workers=plan.workers)
        np.save(self._folder / f"{number}.npy", played.rows)
        weights = fresh_weights(number) if self._best is None else weights_of(self._best)
        fitted = fit(
            self._window(number),
            weights,
            self._rules,
            steps=plan.steps,
            batch=plan.batch,
            rate=2e-3 if self._best is None else 1e-3,
            seed=number,
            threads=plan.threads,
        )
        save_net(fitted.net, self._folder / f"{number}{SUFFIX}")
        verdict = compare(
            self._rules,
            (pack_net(fitted.net), teacher),
            limit=Limit(iterations=plan.iterations),
            pairs=plan.pairs,
            even=plan.even,
            seed=number,
            threads=plan.threads,
            workers=plan.workers,
        )
        is_kept = verdict.share >= 0.5
        before = "the hand-made formula" if self._best is None else "the net before"
        if is_kept:
            self._best = fitted.net
        entry = {
            "generation": number,
            "games": played.game_count,
            "positions": len(played.rows),
            "iterations": plan.iterations,
            "steps": plan.steps,
            "train_loss": round(fitted.train_loss, 5),
            "test_loss": round(fitted.test_loss, 5),
            "seconds": round(played.seconds + fitted.seconds),
            "gate": f"{verdict} over {before}",
            "kept": is_kept,
            "command": _command(plan),
        }
        self._history.append(entry)
        self._history_path.write_text(json.dumps(self._history, indent=1))
        print(json.dumps(entry), flush=True)  # noqa: T201  # progress of a command

    def _window(self, number: int) -> Rows:
        """Return the latest positions; those of a net trained elsewhere may be missing."""
        numbers = range(max(1, number - _WINDOW + 1), number + 1)
        files = [self._folder / f"{one}.npy" for one in numbers]
        return np.concatenate([np.load(file) for file in files if file.exists()])

    def _ship(self) -> None:
        """Compare the best net at equal time, and put it into the package if it is good."""
        if self._best is None:
            return
        net = pack_net(self._best)
        verdicts: dict[str, Verdict] = {}
        for name, rival in (
            ("the hand-made formula", Evaluation.HAND),
            ("random games (UCT)", Evaluation.PLAYOUTS),
        ):
            verdicts[name] = compare(
                self._rules,
                (net, rival),
                limit=Limit(seconds=0.01),
                pairs=self._plan.pairs // 2,
                even=self._plan.even,
                seed=77,
                threads=self._plan.threads,
                workers=self._plan.workers,
            )
            print(name, verdicts[name], flush=True)  # noqa: T201  # progress of a command
        if verdicts["the hand-made formula"].is_certain:
            save_net(self._best, FOLDER / f"{self._plan.variant}{SUFFIX}")
            _write_log(self._plan.variant, _log_entry(self._plan, self._history, verdicts))


def _write_log(variant: str, entry: str) -> None:
    """Replace the section about a variant's net in LOG.md."""
    head, *sections = LOG.read_text(encoding="utf-8").split("\n## ")
    kept = [section for section in sections if section.split(", ")[0] != variant]
    LOG.write_text("\n## ".join([head, *kept, entry]), encoding="utf-8")


def _log_entry(plan: RunPlan, history: list[dict[str, Any]], verdicts: dict[str, Verdict]) -> str:
    lines = [f"{plan.variant}, {time.strftime('%Y-%m-%d')}\n"]
    commands = [one["command"] for one in history] or [_command(plan)]
    lines += [f"    {command}" for command in dict.fromkeys(commands)]
    if not any(entry["kept"] for entry in history):
        lines.append(
            f"\nThese are the weights of the net for `{plan.start}`: no generation was better."
        )
    lines.append("\n| gen. | games | positions | iterations | steps | loss | test | gate | kept |")
    lines.append("|---|---|---|---|---|---|---|---|---|")
    for entry in history:
        said = dict(entry, kept="yes" if entry["kept"] else "no")
        lines.append(
            "| {generation} | {games} | {positions} | {iterations} | {steps} | {train_loss:.4f}"
            " | {test_loss:.4f} | {gate} | {kept} |".format(**said)
        )
    lines.append("")
    for name, verdict in verdicts.items():
        lines.append(f"- against {name}: {verdict} a move")
    return "\n".join(lines) + "\n"


def _command(plan: RunPlan) -> str:
    """Return the command that was given, with every option in full."""
    words = ["python -m engine.lab.training", plan.variant]
    for name, value in asdict(plan).items():
        if name not in ("variant", "work", "workers") and value is not None:
            words.append(f"--{name} {value}")
    return " ".join(words)
