"""A net's weights, the file that stores them, and which net a rule set uses.

A net belongs to rules, not to a name: rules that differ only in their opening share one,
and rules without a net of their own use that of the rules most like them.
It is a file of whole numbers, 100 to 500 KB, named after its variant or its rules.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.errors import EngineError
from engine.kernels.valuing import CONFIGURATIONS, HIDDEN, MACRO_GROUPS, STAGES
from engine.nets.features import LOCAL_FEATURES, MACRO_FEATURES
from engine.rules import DrawnBoard, Opening, Rules, Tiebreak, WonBoard

FOLDER: Final = Path(__file__).parent
SUFFIX: Final = ".net"
MAGIC: Final = b"UTTTNET1"
FINENESS: Final = 16  # weights are kept this much finer than the hidden layer adds them up


class BrokenNetError(EngineError):
    """A file that is not a net of this engine."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Net:
    """The weights of a net, int16 except the learned features.

    Attributes:
        rules: The rules it was trained on, apart from the opening.
        learned: [configuration, feature], int8 in 1/ONE: features of a local board that training
            found besides `local_features`; the first nets have none.
        learned_macro: [group, mask, feature], int8 in 1/ONE: the same for the boards of a group.
        local: [board, whether it is the target, feature, unit]; the learned features come last.
        macro: [group, feature, unit], of the five groups of `valuing.macro_rows`, likewise.
        free: [unit], added when any board may be played in.
        bias: [unit].
        output: [stage, unit], by how many boards are decided; a single stage serves all.
        scale: Log-odds per unit of the output's sum.
    """

    rules: Rules
    learned: NDArray[np.int8]
    learned_macro: NDArray[np.int8]
    local: NDArray[np.int16]
    macro: NDArray[np.int16]
    free: NDArray[np.int16]
    bias: NDArray[np.int16]
    output: NDArray[np.int16]
    scale: float


def shapes_of_net(stages: int, learned: int = 0) -> dict[str, tuple[int, ...]]:
    """Return the shapes of a net's weights, in the order of its file."""
    return {
        "local": (9, 2, LOCAL_FEATURES + learned, HIDDEN),
        "macro": (MACRO_GROUPS, MACRO_FEATURES + learned, HIDDEN),
        "free": (HIDDEN,),
        "bias": (HIDDEN,),
        "output": (stages, HIDDEN),
        "learned": (CONFIGURATIONS, learned),
        "learned_macro": (MACRO_GROUPS, 512, learned),
    }


def rules_of_net(rules: Rules) -> Rules:
    """Return the rules as a net knows them: how a game begins does not matter."""
    return replace(rules, opening=Opening.FREE)


def pack_net(net: Net) -> bytes:
    """Return the contents of a net's file."""
    stages, learned = len(net.output), net.learned.shape[1]
    said = {"rules": net.rules.key, "scale": net.scale, "stages": stages, "learned": learned}
    header = json.dumps(said).encode()
    names = shapes_of_net(stages, learned)
    parts = [np.asarray(getattr(net, name), dtype=_type_of(name)).tobytes() for name in names]
    size = len(header).to_bytes(4, "little")
    return b"".join([MAGIC, size, header, *parts])


def _type_of(weights: str) -> np.dtype[Any]:
    return np.dtype("i1" if weights.startswith("learned") else "<i2")


def save_net(net: Net, path: Path) -> None:
    """Write a net."""
    path.write_bytes(pack_net(net))


def load_net(path: Path) -> Net:
    """Read a net.

    Raises:
        BrokenNetError: If the file is not one.
    """
    return unpack_net(path.read_bytes(), path.name)


def unpack_net(data: bytes, file: str = "this") -> Net:
    """Read a net from the contents of its file.

    Raises:
        BrokenNetError: If it is not one; `file` says which.
    """
    start = len(MAGIC) + 4
    try:
        if not data.startswith(MAGIC):
            raise ValueError("it does not begin like one")
        end = start + int.from_bytes(data[len(MAGIC) : start], "little")
        header = json.loads(data[start:end])
        stages = int(header.get("stages", 1))
        if stages not in (1, STAGES):
            raise ValueError(f"it has {stages} stages")
        learned = int(header.get("learned", 0))
        weights: dict[str, NDArray[Any]] = {}
        for name, shape in shapes_of_net(stages, learned).items():
            kind = _type_of(name)
            size = kind.itemsize * int(np.prod(shape))
            part = np.frombuffer(data[end : end + size], dtype=kind)
            weights[name] = part.astype(kind.newbyteorder("=")).reshape(shape)
            end += size
        if end != len(data):
            raise ValueError(f"it has {len(data)} bytes instead of {end}")
        rules, scale = Rules.parse(header["rules"]), float(header["scale"])
    except (ValueError, KeyError, TypeError) as error:
        raise BrokenNetError(f"{file} is not a net: {error}") from error
    return Net(rules=rules, scale=scale, **weights)


def find_net(rules: Rules, folder: Path = FOLDER) -> Net | None:
    """Return the shipped net for some rules, or None where there is none.

    It may have been trained on other rules, which it names. For rules of another kind it would be
    of no use (LOG.md).

    Examples:
        >>> find_net(Rules(no_return=True)).rules.key
        'standard'
        >>> find_net(Rules(depth=3)) is None
        True
    """
    wanted = rules_of_net(rules)
    known = {_rules_in(path): path for path in sorted(folder.glob(f"*{SUFFIX}"))}
    alike = [one for one in known if one is not None and _kind_of(one) == _kind_of(wanted)]
    nearest = max(alike, key=lambda one: _likeness(one, wanted), default=None)
    return None if nearest is None else load_net(known[nearest])


def _kind_of(rules: Rules) -> tuple[object, ...]:
    """Return what a net must have in common with rules: the goal, and what won boards are for."""
    is_let_go = rules.no_return and rules.won_board is WonBoard.FORCED  # a choice all the time
    return rules.depth, rules.goal, rules.won_board, is_let_go


def _likeness(one: Rules, other: Rules) -> tuple[bool, ...]:
    """Return what two rule sets have in common, the most important first.

    That is whether full boards decide games, by a count or by the lines they are part of.
    """
    return (
        _has_few_draws(one) == _has_few_draws(other),
        one.drawn_board is other.drawn_board,
        one.tiebreak is other.tiebreak,
        one.no_return == other.no_return,
    )


def _has_few_draws(rules: Rules) -> bool:
    return rules.tiebreak is Tiebreak.MOST or rules.drawn_board is DrawnBoard.BOTH


def _rules_in(path: Path) -> Rules | None:
    """Return the rules that a net's header names, None when they cannot be read."""
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            return None
        header = json.loads(file.read(int.from_bytes(file.read(4), "little")))
    return Rules.parse(header["rules"])
