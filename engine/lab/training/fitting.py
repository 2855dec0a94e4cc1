"""Fit a net to positions with PyTorch, and round it to whole numbers."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.kernels.valuing import CEILING, HIDDEN, STAGES
from engine.lab.training.games import Rows, Samples, make_samples, turn
from engine.nets import FINENESS, LOCAL_FEATURES, MACRO_FEATURES, Net
from engine.rules import Rules, WonBoard

_UNIT: Final = CEILING * FINENESS  # a weight of 1 in a file
_LARGEST: Final = 32767 / _UNIT
_OUTPUT_BUDGET: Final = 2**31 // CEILING**2 - HIDDEN

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
        "local": draw(9 * LOCAL_FEATURES, HIDDEN, spread=0.05),
        "targeted": draw(9 * LOCAL_FEATURES, HIDDEN, spread=0.02),
        "macro": draw(MACRO_FEATURES, HIDDEN, spread=0.1),
        "free": draw(HIDDEN, spread=0.1),
        "bias": draw(HIDDEN, spread=0.1) + np.float32(0.3),
        "output": np.repeat(draw(1, HIDDEN, spread=0.5), STAGES, axis=0),
    }


def weights_of(net: Net) -> Weights:
    """Return the weights of a net as numbers to go on from."""
    local = _real(net.local)
    shape = (9 * LOCAL_FEATURES, HIDDEN)
    output = np.broadcast_to(net.output, (STAGES, HIDDEN))
    return {
        "local": local[:, 0].reshape(shape),
        "targeted": (local[:, 1] - local[:, 0]).reshape(shape),
        "macro": _real(net.macro),
        "free": _real(net.free),
        "bias": _real(net.bias),
        "output": (output * (net.scale * CEILING**2)).astype(np.float32),
    }


def _real(whole: NDArray[np.int16]) -> NDArray[np.float32]:
    return (whole / _UNIT).astype(np.float32)


def round_off(weights: Weights, rules: Rules) -> Net:
    """Return the net of whole numbers nearest to some weights."""
    shape = (9, LOCAL_FEATURES, HIDDEN)
    plain = weights["local"].reshape(shape)
    local = np.stack([plain, plain + weights["targeted"].reshape(shape)], axis=1)
    output = weights["output"].astype(np.float64)
    largest = max(np.abs(output).sum(axis=1).max(), 1e-9)
    fineness = 2.0 ** math.floor(math.log2(_OUTPUT_BUDGET / largest))
    fineness = min(fineness, 2.0 ** math.floor(math.log2(32767 / np.abs(output).max())))
    return Net(
        rules=rules,
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
    batch: int = 4096,
    rate: float = 2e-3,
    seed: int = 1,
    threads: int = 2,
) -> Fit:
    """Fit weights to rows but one in fifty, the test; the rate falls to nothing along a cosine."""
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
    """Return the cross entropy between the net's expectation and the labels."""
    free_count = len(samples.labels) - sum(map(len, samples.targeted))
    by_board = parameters["targeted"].view(9, LOCAL_FEATURES, HIDDEN)
    targeted = [torch.from_numpy(part) @ by_board[k] for k, part in enumerate(samples.targeted)]
    hidden = (
        torch.from_numpy(samples.local) @ parameters["local"]
        + torch.cat([*targeted, torch.zeros(free_count, HIDDEN)])
        + torch.from_numpy(samples.macro) @ parameters["macro"]
        + torch.from_numpy(samples.free)[:, None] * parameters["free"]
        + parameters["bias"]
    )
    output = parameters["output"][torch.from_numpy(samples.stage)]
    log_odds = (hidden.clamp(0.0, 1.0).square() * output).sum(dim=1)
    labels = torch.from_numpy(samples.labels)
    return torch.nn.functional.binary_cross_entropy_with_logits(log_odds, labels)
