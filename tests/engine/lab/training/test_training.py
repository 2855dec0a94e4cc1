"""The training: games, samples under symmetries, rounding, gating, the log."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine import VARIANTS, BoardStatus, Limit, Position, Rules, WonBoard, symmetries, transform
from engine.kernels import puct, valuing
from engine.kernels.codes import WORD_PLY
from engine.kernels.rng import make_rng
from engine.lab.kernels import selfplay
from engine.lab.training import run
from engine.lab.training.fitting import fit, fresh_weights, round_off, weights_of
from engine.lab.training.games import GamePlan, Rows, make_samples, play_training_games, turn
from engine.lab.training.run import Verdict, compare
from engine.nets.evaluators import hand_evaluator, net_evaluator
from engine.position import loaded_rules
from engine.search.evaluation import Evaluation
from tests.engine.search import slow_net

STANDARD = Rules()


def row_of(position: Position) -> Rows:
    """Return the row of one position, with its value left at zero."""
    rows = np.zeros((1, selfplay.COLUMNS), dtype=np.int16)
    masks = hand_evaluator(position.rules).masks
    selfplay.note(position.search_state().words, masks, rows[0])
    return rows


@pytest.mark.parametrize("key", ["standard", "won-board", "tactical"])
def test_samples_are_what_the_net_sees(key: str):
    """The floats shown in training are the features of the slow net."""
    rules = VARIANTS[key].rules
    is_closed = rules.won_board is WonBoard.CLOSED
    for position in slow_net.random_positions(rules, 30, seed=4):
        samples = make_samples(row_of(position), is_closed=is_closed)
        side = position.side
        local = [[position.mark_at(9 * board + cell) for cell in range(9)] for board in range(9)]
        expected = [slow_net.local_features(one, side, is_closed=is_closed) for one in local]
        assert np.allclose(samples.local[0] * 64, expected)
        numbers = [slow_net.configuration_of(one, side) for one in local]
        assert samples.configurations[0].tolist() == numbers
        bits = samples.masks[0][:, None] >> np.arange(9) & 1
        assert bits.ravel().tolist() == slow_net.macro_features(position, side)
        status = [position.board_status(board) for board in range(9)]
        assert samples.stage[0] == sum(one is not BoardStatus.ONGOING for one in status)
        targets = [board for board in range(9) if samples.ends[board] < samples.ends[board + 1]]
        assert targets == ([] if position.target is None else [position.target])


def test_a_turned_record_is_the_row_of_the_turned_position():
    for position in slow_net.random_positions(STANDARD, 10, seed=5):
        for number, symmetry in enumerate(symmetries(STANDARD)):
            words = position.search_state().words
            turned = words.copy()
            for cell in range(81):
                board, place = divmod(transform(cell, symmetry, STANDARD), 9)
                for side in (0, 1):
                    mark = words[9 * side + cell // 9] >> cell % 9 & 1
                    target = 9 * side + board
                    turned[target] = turned[target] & ~(1 << place) | mark << place
            for word in (18, 19, 20, 21):
                bits = [int(words[word]) >> place & 1 for place in range(9)]
                turned[word] = sum(bit << symmetry[place] for place, bit in enumerate(bits))
            if words[22] != 9:
                turned[22] = symmetry[words[22]]
            expected = np.zeros((1, selfplay.COLUMNS), dtype=np.int16)
            selfplay.note(turned, hand_evaluator(STANDARD).masks, expected[0])
            assert np.array_equal(turn(row_of(position), number), expected)


@pytest.mark.long
def test_training_games_are_played_to_certain_ends_and_repeat():
    plan = GamePlan(positions=150, iterations=60, threads=1, seed=3)
    played = play_training_games(STANDARD, Evaluation.HAND, plan)
    again = play_training_games(STANDARD, Evaluation.HAND, plan)

    assert np.array_equal(played.rows, again.rows)
    assert len(played.rows) >= 150
    results = played.rows[:, selfplay.RESULT]
    searched = played.rows[:, selfplay.SEARCHED]
    assert np.all(np.isin(results, (0, 5000, 10000)) | (results == searched))
    assert searched.min() >= 0
    assert searched.max() <= 10000
    assert np.corrcoef(results, searched)[0, 1] > 0.2
    assert played.rows[:, selfplay.TARGET].max() <= 9


@pytest.mark.long
def test_what_comes_before_a_stray_move_is_not_judged_by_the_result():
    plan = GamePlan(positions=1, iterations=30, threads=1, seed=3, stray_moves=0)
    judged = play_training_games(STANDARD, Evaluation.HAND, plan).rows
    plan = GamePlan(positions=1, iterations=30, threads=1, seed=3, stray_moves=300)
    strayed = play_training_games(STANDARD, Evaluation.HAND, plan).rows

    def differ(rows: Rows) -> float:
        return float(np.mean(rows[:, selfplay.RESULT] != rows[:, selfplay.SEARCHED]))

    assert 0.3 < differ(judged) < 0.6  # every other row is a position that was only asked about
    assert differ(strayed) < 0.5 * differ(judged)


def test_what_is_looked_up_is_what_the_search_has_valued():
    """Each iteration values all children of one node: such a node is drawn, then a child."""
    position = Position.initial(STANDARD)
    tree, scratch = puct.make_tree(20_000), puct.make_scratch(2)
    loaded, evaluator = loaded_rules(STANDARD), hand_evaluator(STANDARD)
    rng, found = make_rng(5), position.search_state()

    def look_up(iterations: int, draws: int) -> list[tuple[int, bytes]]:
        puct.clear(tree)
        start = position.search_state()
        puct.grow(tree, start, scratch, *loaded, evaluator, rng, 0.2, iterations, 1 << 62)
        drawn = []
        for _ in range(draws):
            found.words[:] = start.words
            assert selfplay.find_valued(tree, found.words, *loaded, rng)
            drawn.append((int(found.words[WORD_PLY]), found.words.tobytes()))
        return drawn

    first = look_up(1, 2000)  # the first iteration values the root's moves and those of a child
    plies = [ply for ply, _ in first]
    assert set(plies) == {1, 2}
    assert abs(plies.count(1) - 1000) < 120
    assert len({words for ply, words in first if ply == 1}) == 81
    plies = [ply for ply, _ in look_up(200, 2000)]
    assert 1 <= plies.count(1) < 40
    assert max(plies) > 2


@pytest.mark.long
def test_the_last_row_of_a_game_is_certain():
    plan = GamePlan(positions=1, iterations=80, threads=1, seed=4)
    rows = play_training_games(STANDARD, Evaluation.HAND, plan).rows
    certain = rows[:, selfplay.SEARCHED] == rows[:, selfplay.RESULT]

    assert certain[-1]


def test_rounding_keeps_what_the_net_says():
    weights = fresh_weights(1)
    weights["output"] *= np.linspace(0.5, 1.5, valuing.STAGES, dtype=np.float32)[:, None]
    net = round_off(weights, STANDARD)
    again = weights_of(net)
    for name in ("free", "bias", "output"):
        assert np.allclose(again[name], weights[name], atol=2e-3)
    # A learned feature is scaled, and its weights in turn.
    parts = (("local", "learned", 41), ("targeted", "learned", 41), ("macro", "learned_macro", 9))
    for name, learned, given in parts:
        assert np.allclose(again[name][:, :given], weights[name][:, :given], atol=2e-3)
        for place, rows in enumerate(weights[name]):
            known = again[learned], weights[learned]
            now, then = (one if one.ndim == 2 else one[place] for one in known)
            assert np.allclose(now @ again[name][place, given:], then @ rows[given:], atol=0.02)
    evaluator = net_evaluator(net)
    for position in slow_net.random_positions(STANDARD, 20, seed=6):
        samples = make_samples(row_of(position), is_closed=True)
        learned = weights["learned"][samples.configurations[0]]
        local = np.concatenate([samples.local[0], learned], axis=1)
        masks = samples.masks[0]
        bits = masks[:, None] >> np.arange(9) & 1
        macro = np.concatenate([bits, weights["learned_macro"][np.arange(5), masks]], axis=1)
        hidden = (
            local.ravel() @ weights["local"].reshape(-1, 64)
            + macro.ravel() @ weights["macro"].reshape(-1, 64)
            + weights["bias"]
        )
        if position.target is None:
            hidden = hidden + weights["free"]
        else:
            hidden = hidden + local[position.target] @ weights["targeted"][position.target]
        log_odds = float(np.clip(hidden, 0, 1) ** 2 @ weights["output"][samples.stage[0]])
        logit = slow_net.logit(position, net)
        assert abs((logit - 2048) / 256 - log_odds) < 0.15
        assert evaluator.rows.shape == (valuing.ROW_COUNT, valuing.HIDDEN)


def test_an_evaluator_is_its_own_equal():
    """Both games of a pair begin alike; between equals the points are near half."""
    hand = Evaluation.HAND
    verdict = compare(STANDARD, (hand, hand), limit=Limit(iterations=40), pairs=6, threads=1)

    assert 0.2 < verdict.share < 0.8
    assert not verdict.is_certain
    assert "12 games, 40 iterations" in str(verdict)


def test_the_formula_beats_random_games():
    verdict = compare(
        VARIANTS["won-board"].rules,
        (Evaluation.HAND, Evaluation.PLAYOUTS),
        limit=Limit(iterations=100),
        pairs=10,
        threads=1,
    )

    assert verdict.is_certain
    assert str(verdict).startswith("+")


def test_a_verdict_says_how_long_was_thought():
    verdict = Verdict(scores=(0.5, 0.75), limit=Limit(seconds=0.01))

    assert "4 games, 10 ms" in str(verdict)


def test_the_log_replaces_the_section_of_a_variant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    log = tmp_path / "LOG.md"
    log.write_text("# Nets\n\ntext\n\n## standard, then\n\nold\n\n## open-board, then\n\nkept\n")
    monkeypatch.setattr(run, "LOG", log)
    run._write_log("standard", "standard, now\n\nnew\n")

    text = log.read_text()
    assert "old" not in text
    assert text.startswith("# Nets")
    assert text.index("kept") < text.index("## standard, now")


def test_a_generation_is_made_gated_and_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The whole way with tiny numbers; needs PyTorch."""
    pytest.importorskip("torch")
    monkeypatch.setattr(run, "FOLDER", tmp_path)
    monkeypatch.setattr(run, "LOG", tmp_path / "LOG.md")
    run.LOG.write_text("# Nets\n")
    plan = run.RunPlan(
        variant="standard",
        generations=1,
        minutes=1,
        positions=500,
        iterations=30,
        steps=10,
        batch=128,
        pairs=2,
        even=50,
        start=None,
        work=tmp_path,
        threads=1,
    )
    training = run.Run(plan)
    training.go()

    assert (tmp_path / "standard" / "1.net").exists()
    (entry,) = run.Run(plan)._history
    assert "--batch 128 --pairs 2 --even 50" in entry["command"]


def test_fitting_learns():
    pytest.importorskip("torch")
    plan = GamePlan(positions=3000, iterations=50, threads=1, seed=1)
    rows = play_training_games(STANDARD, Evaluation.HAND, plan).rows
    short, longer = (
        fit(rows, fresh_weights(1), STANDARD, steps=steps, batch=256, threads=1)
        for steps in (5, 150)
    )

    assert longer.test_loss < short.test_loss
