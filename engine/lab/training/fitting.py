"""Fit a net to positions with PyTorch, and round it to whole numbers."""

from __future__ import annotations

import itertools
import math
import time
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels.valuing import CEILING, CONFIGURATIONS, HIDDEN, MACRO_GROUPS, STAGES
from engine.lab.training.games import Rows, Samples, make_samples, turn
from engine.nets.features import LOCAL_FEATURES, MACRO_FEATURES, ONE
from engine.nets.net import FINENESS, Net
from engine.rules import Rules, WonBoard

_UNIT: Final = CEILING * FINENESS  # a weight of 1 in a file
_LARGEST: Final = 32767 / _UNIT
_LEARNED: Final = 16  # features of a local board and of each group of boards, beside those given
_LEARNED_RANGE: Final = 127 / ONE
_OUTPUT_BUDGET: Final = 2**31 // CEILING**2 - HIDDEN

# How many features of each are given, the learned ones come after them.
_GIVEN: Final = {"local": LOCAL_FEATURES, "targeted": LOCAL_FEATURES, "macro": MACRO_FEATURES}

Weights = dict[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A fitted net and how well it fits positions that it was not shown."""

    net: Net
    train_loss: float
    test_loss: float
    seconds: float


def fresh_weights(seed: int) -> Weights:
    """Return small random weights to begin with."""
    rng = np.random.default_rng(seed)

    def draw(*shape: int, spread: float) -> NDArray[np.float32]:
        return (spread * rng.standard_normal(shape)).astype(np.float32)

    return {
        "learned": draw(CONFIGURATIONS, _LEARNED, spread=0.1),
        "local": draw(9, LOCAL_FEATURES + _LEARNED, HIDDEN, spread=0.05),
        "targeted": draw(9, LOCAL_FEATURES + _LEARNED, HIDDEN, spread=0.02),
        "learned_macro": draw(MACRO_GROUPS, 512, _LEARNED, spread=0.1),
        "macro": draw(MACRO_GROUPS, MACRO_FEATURES + _LEARNED, HIDDEN, spread=0.1),
        "free": draw(HIDDEN, spread=0.1),
        "bias": draw(HIDDEN, spread=0.1) + np.float32(0.3),
        "output": np.repeat(draw(1, HIDDEN, spread=0.5), STAGES, axis=0),
    }


def weights_of(net: Net) -> Weights:
    """Return the weights of a net as numbers to continue training from.

    A net without learned features is given fresh ones, which change little.
    """
    local = _real(net.local)
    output = np.broadcast_to(net.output, (STAGES, HIDDEN))
    weights: Weights = {
        "learned": (net.learned / ONE).astype(np.float32),
        "learned_macro": (net.learned_macro / ONE).astype(np.float32),
        "local": local[:, 0],
        "targeted": local[:, 1] - local[:, 0],
        "macro": _real(net.macro),
        "free": _real(net.free),
        "bias": _real(net.bias),
        "output": (output * (net.scale * CEILING**2)).astype(np.float32),
    }
    if not net.learned.size:
        fresh = fresh_weights(1)
        weights |= {name: fresh[name] for name in ("learned", "learned_macro")}
        for name, given in _GIVEN.items():
            new = 0.3 * fresh[name][:, given:]
            weights[name] = np.concatenate([weights[name], new], axis=1).astype(np.float32)
    return weights


def _real(whole: NDArray[np.int16]) -> NDArray[np.float32]:
    return (whole / _UNIT).astype(np.float32)


def round_off(weights: Weights, rules: Rules) -> Net:
    """Return the net with the whole numbers nearest to the weights."""
    # Learned features are scaled to use the full range, and the weights on them inversely.
    weights = dict(weights)
    for learned, names in (("learned", ("local", "targeted")), ("learned_macro", ("macro",))):
        most = np.abs(weights[learned]).max(axis=-2, keepdims=True)
        factor = np.maximum(most, 1e-9) / _LEARNED_RANGE
        weights[learned] = np.rint(weights[learned] / factor * ONE)
        for name in names:
            parts = np.split(weights[name], [_GIVEN[name]], axis=1)
            parts[1] = parts[1] * np.swapaxes(factor, -1, -2)
            weights[name] = np.concatenate(parts, axis=1)
    local = np.stack([weights["local"], weights["local"] + weights["targeted"]], axis=1)
    output = weights["output"].astype(np.float64)
    largest = max(np.abs(output).sum(axis=1).max(), 1e-9)
    fineness = 2.0 ** math.floor(math.log2(_OUTPUT_BUDGET / largest))
    fineness = min(fineness, 2.0 ** math.floor(math.log2(32767 / np.abs(output).max())))
    return Net(
        rules=rules,
        learned=weights["learned"].astype(np.int8),
        learned_macro=weights["learned_macro"].astype(np.int8),
        local=_whole(local, _UNIT),
        macro=_whole(weights["macro"], _UNIT),
        free=_whole(weights["free"], _UNIT),
        bias=_whole(weights["bias"], _UNIT),
        output=_whole(output, fineness),
        scale=1.0 / (CEILING**2 * fineness),
    )


def _whole(weights: NDArray[Any], unit: float) -> NDArray[np.int16]:
    return np.clip(np.rint(weights * unit), -32767, 32767).astype(np.int16)


def fit(
    rows: Rows,
    weights: Weights,
    rules: Rules,
    *,
    steps: int,
    batch: int,
    rate: float = 2e-3,
    seed: int = 1,
    threads: int = 2,
) -> Fit:
    """Fit weights to rows, one in fifty kept for the test; the rate falls to 0 along a cosine."""
    torch = import_module("torch")
    torch.set_num_threads(threads)
    started = time.monotonic()
    is_closed = rules.won_board is WonBoard.CLOSED
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(rows))
    test, train = rows[order[::50]], np.delete(rows, order[::50], axis=0)
    parameters = {
        name: torch.nn.Parameter(torch.from_numpy(value.copy())) for name, value in weights.items()
    }
    optimizer = torch.optim.Adam(parameters.values(), lr=rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    recent = 0.0
    for _ in range(steps):
        picked = train[rng.integers(0, len(train), batch)]
        samples = make_samples(turn(picked, int(rng.integers(8))), is_closed=is_closed)
        loss = _loss(torch, parameters, samples)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        with torch.no_grad():
            for name in ("local", "targeted", "macro", "free", "bias"):
                parameters[name].clamp_(-_LARGEST / 2, _LARGEST / 2)
        recent += (float(loss.detach()) - recent) * 0.02 if recent else float(loss.detach())
    with torch.no_grad():
        sample = make_samples(test[:20_000], is_closed=is_closed)
        test_loss = float(_loss(torch, parameters, sample))
    final = {name: value.detach().numpy() for name, value in parameters.items()}
    return Fit(
        net=round_off(final, rules),
        train_loss=recent,
        test_loss=test_loss,
        seconds=time.monotonic() - started,
    )


def _loss(torch: Any, parameters: dict[str, Any], samples: Samples) -> Any:
    """Return the cross entropy between the net's expectation and the labels.

    Nothing with a gradient is sliced where it is large: the gradient of a slice is as large as
    the whole.
    """
    embedding = torch.nn.functional.embedding
    configurations = torch.from_numpy(samples.configurations)
    local = torch.from_numpy(samples.local)
    learned = parameters["learned"]
    targeted = []
    for board, (start, end) in enumerate(itertools.pairwise(samples.ends)):
        looked_up = embedding(configurations[start:end, board], learned)
        features = torch.cat([local[start:end, board], looked_up], dim=1)
        targeted.append(features @ parameters["targeted"][board])
    free_count = len(local) - samples.ends[-1]
    masks = torch.from_numpy(samples.masks)
    rows = masks + 512 * torch.arange(MACRO_GROUPS)
    learned_macro = embedding(rows, parameters["learned_macro"].flatten(0, 1))
    bits = masks[:, :, None] >> torch.arange(MACRO_FEATURES) & 1
    macro = torch.cat([bits.to(torch.float32), learned_macro], dim=2)
    given, more = parameters["local"].split([LOCAL_FEATURES, _LEARNED], dim=1)
    hidden = (
        local.flatten(1) @ given.flatten(0, 1)
        + embedding(configurations, learned).flatten(1) @ more.flatten(0, 1)
        + torch.cat([*targeted, parameters["free"].expand(free_count, -1)])
        + macro.flatten(1) @ parameters["macro"].flatten(0, 1)
        + parameters["bias"]
    )
    output = embedding(torch.from_numpy(samples.stage), parameters["output"])
    log_odds = (hidden.clamp(0.0, 1.0).square() * output).sum(dim=1)
    labels = torch.from_numpy(samples.labels)
    return torch.nn.functional.binary_cross_entropy_with_logits(log_odds, labels)
