"""Nets as files: 100 KB of whole numbers each, named after their variant.

A net belongs to rules, not to a name: every rule set that differs in its opening
alone uses the same.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError
from engine.nets.features import LOCAL_FEATURES, MACRO_FEATURES
from engine.rules import Opening, Rules

FOLDER: Final = Path(__file__).parent
SUFFIX: Final = ".net"
MAGIC: Final = b"UTTTNET1"
HIDDEN: Final = 64
FINENESS: Final = 16  # weights are kept this much finer than the hidden layer adds them up

_SHAPES: Final = {
    "local": (9, 2, LOCAL_FEATURES, HIDDEN),
    "macro": (MACRO_FEATURES, HIDDEN),
    "free": (HIDDEN,),
    "bias": (HIDDEN,),
    "output": (HIDDEN,),
}


class BrokenNetError(EngineError):
    """A file that is not a net of this engine."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Net:
    """The weights of a net, int16 throughout.

    Attributes:
        rules: What it was trained on, the opening left aside.
        local: [board, whether it is the target, feature, unit].
        macro: [feature, unit].
        free: [unit], added when any board may be played in.
        bias: [unit].
        output: [unit].
        scale: Log-odds per unit of the output's sum.
    """

    rules: Rules
    local: NDArray[np.int16]
    macro: NDArray[np.int16]
    free: NDArray[np.int16]
    bias: NDArray[np.int16]
    output: NDArray[np.int16]
    scale: float


def rules_of_net(rules: Rules) -> Rules:
    """Return the rules as far as a net knows them: how a game begins is no matter."""
    return replace(rules, opening=Opening.FREE)


def save_net(net: Net, path: Path) -> None:
    """Write a net."""
    header = json.dumps({"rules": net.rules.key, "scale": net.scale}).encode()
    parts = [np.asarray(getattr(net, name), dtype="<i2").tobytes() for name in _SHAPES]
    size = len(header).to_bytes(4, "little")
    path.write_bytes(b"".join([MAGIC, size, header, *parts]))


def load_net(path: Path) -> Net:
    """Read a net.

    Raises:
        BrokenNetError: If the file is not one.
    """
    data = path.read_bytes()
    start = len(MAGIC) + 4
    try:
        if not data.startswith(MAGIC):
            raise ValueError("it does not begin like one")
        end = start + int.from_bytes(data[len(MAGIC) : start], "little")
        header = json.loads(data[start:end])
        weights: dict[str, NDArray[np.int16]] = {}
        for name, shape in _SHAPES.items():
            size = 2 * int(np.prod(shape))
            part = np.frombuffer(data[end : end + size], dtype="<i2")
            weights[name] = part.astype(np.int16).reshape(shape)
            end += size
        if end != len(data):
            raise ValueError(f"it has {len(data)} bytes instead of {end}")
        rules, scale = Rules.parse(header["rules"]), float(header["scale"])
    except (ValueError, KeyError, TypeError) as error:
        raise BrokenNetError(f"{path.name} is not a net: {error}") from error
    return Net(rules=rules, scale=scale, **weights)


def find_net(rules: Rules, folder: Path = FOLDER) -> Net | None:
    """Return the shipped net of a rule set, or None where there is none."""
    wanted = rules_of_net(rules)
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        if _rules_in(path) == wanted:
            return load_net(path)
    return None


def _rules_in(path: Path) -> Rules | None:
    """Return the rules that a net's header names, None when they cannot be read."""
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            return None
        header = json.loads(file.read(int.from_bytes(file.read(4), "little")))
    return Rules.parse(header["rules"])
