"""Small neural nets that value positions, and the formula where there is none.

A net belongs to rules, not to a name: rules that differ in their opening alone share one,
and rules without one of their own have that of the rules most like them.
It is a file of whole numbers, 100 to 500 KB, named after its variant or its rules.

A local board has 3^9 configurations: digit p (base three, place 0 first) is 0 for an empty
place, 1 for a mark of one's own, 2 for the other's. What depends on one board alone is a
table over them. Folding multiplies the features of every configuration with the weights
once, exactly, in whole numbers: afterwards a board is one row to add.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine import kernels
from engine.errors import EngineError
from engine.kernels.codes import ALL_NINE
from engine.kernels.valuing import (
    CEILING,
    COMPLETES,
    CONFIGURATIONS,
    EVEN,
    FREE_ROW,
    HAND,
    HIDDEN,
    LOGIT_STEPS,
    MACRO_GROUPS,
    MACRO_ROWS,
    NET,
    ROW_COUNT,
    STAGES,
    STEPS_PER_UNIT,
    TERNARY,
    Evaluator,
)
from engine.rules import DrawnBoard, Goal, Opening, Rules, Tiebreak, WonBoard
from engine.types import LINES

FOLDER: Final = Path(__file__).parent
SUFFIX: Final = ".net"
MAGIC: Final = b"UTTTNET1"
FINENESS: Final = 16  # weights are kept this much finer than the hidden layer adds them up

# 9 own marks, 9 of the other, 9 places that complete a line for each, a line of each,
# and the chances to own it, to lose it and that nobody gets it.
LOCAL_FEATURES: Final = 41
MACRO_FEATURES: Final = 9  # of each group of boards: which belong to it

ONE: Final = 64  # features are whole numbers of 1/64

SHARPNESS: Final = 8.0  # a prior is softmax(SHARPNESS x expectation)

# Weights of the hand-made formula in log-odds: lines, boards, a free move.
_FOR_LINES: Final = (4.0, 0.4, 0.6)
_FOR_MAJORITY: Final = (4.0, 0.6, 0.6)
_FOR_FIVE: Final = (0.0, 1.2, 0.4)
# At depth 3 as well; then those of a strategic board. A game is long: a move is worth less.
_LARGE_FOR_LINES: Final = (1.5, 0.0, 0.3)
_LARGE_FOR_FIVE: Final = (0.0, 0.5, 0.3)
_STRATEGIC: Final = (0.8, 0.0, 0.2)
_LARGE_SHARPNESS: Final = 30.0


class BrokenNetError(EngineError):
    """A file that is not a net of this engine."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Net:
    """The weights of a net, int16 but for what is learned of boards.

    Attributes:
        rules: What it was trained on, the opening left aside.
        learned: [configuration, feature], int8 in 1/ONE: what training has found worth knowing of a
            local board beside `local_features`; the first nets have none.
        learned_macro: [group, mask, feature], int8 in 1/ONE: the same of the boards of a group.
        local: [board, whether it is the target, feature, unit]; the learned features come last.
        macro: [group, feature, unit], of the five groups of `valuing.macro_rows`, likewise.
        free: [unit], added when any board may be played in.
        bias: [unit].
        output: [stage, unit]: by how many boards are decided; one stage is all of them.
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
    """Return a net as its file has it."""
    stages, learned = len(net.output), net.learned.shape[1]
    said = {"rules": net.rules.key, "scale": net.scale, "stages": stages, "learned": learned}
    header = json.dumps(said).encode()
    names = shapes_of_net(stages, learned)
    parts = [np.asarray(getattr(net, name), dtype=_type_of(name)).tobytes() for name in names]
    size = len(header).to_bytes(4, "little")
    return b"".join([MAGIC, size, header, *parts])


def _type_of(weights: str) -> np.dtype[Any]:
    """Return the type of some weights in a file."""
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
    """Read a net as its file has it.

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

    It may have been trained on others: it says on which. To rules of another kind it would be of
    no use (LOG.md).

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
    """Return what a net cannot do without: the goal, and what won boards are good for."""
    is_let_go = rules.no_return and rules.won_board is WonBoard.FORCED  # a choice all the time
    return rules.depth, rules.goal, rules.won_board, is_let_go


def _likeness(one: Rules, other: Rules) -> tuple[bool, ...]:
    """Return what two rule sets have in common, what matters most first.

    That is whether full boards decide games, by a count or by lines that they belong to.
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


@cache
def digits() -> NDArray[np.int8]:
    """Return int8[configurations, 9]: what stands in every place."""
    numbers = np.arange(CONFIGURATIONS)[:, None]
    return (numbers // 3 ** np.arange(9) % 3).astype(np.int8)


@cache
def has_line() -> NDArray[np.bool_]:
    """Return bool[configurations, 2]: whether one and the other have three in a row."""
    marks = digits()
    return np.stack(
        [np.any([np.all(marks[:, line] == mark, axis=1) for line in LINES], axis=0)
         for mark in (1, 2)],
        axis=1,
    )  # fmt: skip


@cache
def threats() -> NDArray[np.bool_]:
    """Return bool[configurations, 2, 9]: empty places that complete a line."""
    marks = digits()
    found = np.zeros((CONFIGURATIONS, 2, 9), dtype=np.bool_)
    for line in LINES:
        for place in line:
            rest = [other for other in line if other != place]
            for side, mark in enumerate((1, 2)):
                completes = (marks[:, place] == 0) & np.all(marks[:, rest] == mark, axis=1)
                found[:, side, place] |= completes
    return found


@cache
def odds() -> NDArray[np.float64]:
    """Return float64[configurations, 2]: the chances of one and the other to own a board.

    Those of a board in which marks of either, as likely, are set at random.
    """
    marks, lines = digits(), has_line()
    chances = lines.astype(np.float64)
    chances[lines.all(axis=1)] = 0.5
    numbers = np.arange(CONFIGURATIONS)
    empty = (marks == 0).sum(axis=1)
    for count in range(1, 10):
        group = numbers[(empty == count) & ~lines.any(axis=1)]
        total = np.zeros((len(group), 2))
        for place in range(9):
            is_empty = (marks[group, place] == 0)[:, None]
            after = chances[np.minimum(group + 3**place, CONFIGURATIONS - 1)]
            after = after + chances[np.minimum(group + 2 * 3**place, CONFIGURATIONS - 1)]
            total += np.where(is_empty, after, 0.0)
        chances[group] = total / (2 * count)
    return chances


@cache
def odds_ahead() -> NDArray[np.float64]:
    """Return the chances as `odds` does, after the best mark of one's own."""
    marks, chances = digits(), odds()
    best = chances.copy()
    gain = np.full(CONFIGURATIONS, -np.inf)
    numbers = np.arange(CONFIGURATIONS)
    is_open = ~has_line().any(axis=1)
    for place in range(9):
        after = chances[np.minimum(numbers + 3**place, CONFIGURATIONS - 1)]
        value = after[:, 0] - after[:, 1]
        better = is_open & (marks[:, place] == 0) & (value > gain)
        best[better] = after[better]
        gain[better] = value[better]
    return best


@cache
def local_features(*, is_closed: bool) -> NDArray[np.int16]:
    """Return int16[configurations, LOCAL_FEATURES] in units of 1/ONE.

    `is_closed` says that a board with a line is out of play: then only the line matters.
    """
    marks, lines, chances = digits(), has_line(), odds()
    nobody = 1.0 - chances.sum(axis=1)
    columns = np.concatenate(
        [marks == 1, marks == 2, threats()[:, 0], threats()[:, 1], lines], axis=1
    ).astype(np.float64)
    if is_closed:
        columns[lines.any(axis=1), :36] = 0.0
    whole = np.concatenate([columns, chances, nobody[:, None]], axis=1)
    features: NDArray[np.int16] = np.rint(whole * ONE).astype(np.int16)
    return features


def hand_evaluator(rules: Rules) -> Evaluator:
    """Return the evaluator of the hand-made formula for rules of depth 2 and 3."""
    is_large, is_for_five = rules.depth == 3, rules.goal is Goal.FIVE
    if is_large:
        weights = _LARGE_FOR_FIVE if is_for_five else _LARGE_FOR_LINES
    elif is_for_five:
        weights = _FOR_FIVE
    else:
        weights = _FOR_MAJORITY if rules.tiebreak is Tiebreak.MOST else _FOR_LINES
    return _evaluator(
        HAND,
        np.zeros((1, HIDDEN), dtype=np.int16),
        np.zeros((STAGES, HIDDEN), dtype=np.int16),
        0.0,
        np.array(weights + _STRATEGIC, dtype=np.float32),
        sharpness=_LARGE_SHARPNESS if is_large else SHARPNESS,
        is_shared=rules.drawn_board is DrawnBoard.BOTH,
    )


def net_evaluator(net: Net) -> Evaluator:
    """Return the evaluator of a net; takes a fifth of a second and 45 MB."""
    scale = net.scale * STEPS_PER_UNIT
    output = np.broadcast_to(net.output, (STAGES, HIDDEN)).copy()
    return _evaluator(NET, folded_rows(net), output, scale, np.zeros(6, dtype=np.float32))


def folded_rows(net: Net) -> NDArray[np.int16]:
    """Return the rows that boards add to the hidden layer, int16[ROW_COUNT, HIDDEN]."""
    rows = np.zeros((ROW_COUNT, HIDDEN), dtype=np.int16)
    given = local_features(is_closed=net.rules.won_board is WonBoard.CLOSED)
    local = rows[:MACRO_ROWS].reshape(9, 2, CONFIGURATIONS, HIDDEN)
    for board in range(9):
        plain, target = (_rounded(_summed(given, net.learned, it)) for it in net.local[board])
        local[board] = plain, target - plain
    bits = ONE * (np.arange(512)[:, None] >> np.arange(9) & 1)
    for group in range(MACRO_GROUPS):
        sums = _summed(bits, net.learned_macro[group], net.macro[group])
        if group == 0:
            sums += ONE * net.bias.astype(np.int32)
        start = MACRO_ROWS + 512 * group
        rows[start : start + 512] = _rounded(sums)
    rows[FREE_ROW] = _rounded(ONE * net.free.astype(np.int32))
    return rows


def _summed(
    given: NDArray[Any], learned: NDArray[np.int8], weights: NDArray[np.int16]
) -> NDArray[np.int32]:
    """Return what features of either kind add up to."""
    count = given.shape[1]
    return _product(given, weights[:count]) + _product(learned, weights[count:])


def _product(features: NDArray[Any], weights: NDArray[np.int16]) -> NDArray[np.int32]:
    """Return a product of whole numbers, by way of floats, which multiply faster."""
    largest = int(np.abs(features.astype(np.int32)).sum(axis=1).max(initial=0))
    # They are exact as long as the sums stay below 2^24 or 2^53.
    is_small = largest * int(np.abs(weights.astype(np.int32)).max(initial=0)) < 2**24
    kind = np.float32 if is_small else np.float64
    product: NDArray[np.int32] = (features.astype(kind) @ weights.astype(kind)).astype(np.int32)
    return product


def _rounded(sums: NDArray[np.int32]) -> NDArray[np.int16]:
    divisor = ONE * FINENESS
    return ((sums + divisor // 2) // divisor).astype(np.int16)


def _evaluator(
    kind: int,
    rows: NDArray[np.int16],
    output: NDArray[np.int16],
    scale: float,
    weights: NDArray[np.float32],
    *,
    sharpness: float = SHARPNESS,
    is_shared: bool = False,
) -> Evaluator:
    largest = int(np.abs(output.astype(np.int64)).sum(axis=1).max())
    assert largest * CEILING**2 < 2**31, "the output overflows"
    values, powers = _scale_tables(sharpness)
    return Evaluator(
        kind=kind,
        rows=rows,
        output=output,
        scale=scale,
        odds=_odds_table(is_shared=is_shared),
        weights=weights,
        masks=mask_table(),
        values=values,
        powers=powers,
    )


@cache
def _scale_tables(sharpness: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    log_odds = (np.arange(LOGIT_STEPS + 1) - EVEN) / STEPS_PER_UNIT
    values = 1.0 / (1.0 + np.exp(-log_odds))
    return values.astype(np.float32), np.exp(sharpness * values).astype(np.float32)


@cache
def _odds_table(*, is_shared: bool) -> NDArray[np.float32]:
    """Return the chances of boards; drawn ones count for both if `is_shared`."""
    parts = [odds(), odds_ahead()]
    if is_shared:
        parts = [1.0 - part[:, ::-1] for part in parts]
    return np.concatenate(parts, axis=1).astype(np.float32)


@cache
def mask_table() -> kernels.codes.Ints:
    """Return the kernels' look-ups by mask, int64[512, 2]."""
    table = np.zeros((512, 2), dtype=np.int64)
    for mask in range(512):
        places = {place for place in range(9) if mask >> place & 1}
        table[mask, TERNARY] = sum(3**place for place in places)
        for line in LINES:
            missing = set(line) - places
            if len(missing) == 1:
                table[mask, COMPLETES] |= 1 << missing.pop()
        table[mask, COMPLETES] &= ALL_NINE & ~mask
    return table
