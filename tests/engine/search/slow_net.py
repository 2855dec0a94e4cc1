"""The net again in slow obvious Python, from positions and unfolded weights."""

from __future__ import annotations

import math
import random

import numpy as np

from engine import BoardStatus, Game, Position, Rules, draw_opening_code
from engine.nets.features import odds
from engine.nets.net import Net, shapes_of_net
from engine.rules import DrawnBoard, WonBoard
from engine.types import LINES

ONE, FINENESS, CEILING = 64, 16, 181


def random_net(rules: Rules, seed: int, stages: int = 1, learned: int = 0) -> Net:
    """Return a net of random weights, large enough to matter."""
    rng = np.random.default_rng(seed)

    def draw(*shape: int) -> np.ndarray:
        return np.rint(rng.normal(0, 400, shape)).astype(np.int16)

    weights = {name: draw(*shape) for name, shape in shapes_of_net(stages, learned).items()}
    for name in ("learned", "learned_macro"):
        weights[name] = (weights[name] // 10).clip(-127, 127).astype(np.int8)
    weights["bias"] += np.int16(1000)
    return Net(rules=rules, scale=1 / (CEILING**2 * 256), **weights)


def random_positions(rules: Rules, count: int, seed: int) -> list[Position]:
    """Return running positions of random games, early and late."""
    found = []
    for number in range(count):
        rng = random.Random(f"{seed}/{number}")
        game = Game(rules, draw_opening_code(rules, seed=number))
        plies = rng.randrange(70)
        while game.outcome is None and len(game.moves) < plies:
            found.append(game.position)
            game.push(rng.choice(game.position.legal_moves))
    random.Random(seed).shuffle(found)
    return found[:count]


def lines_of(marks: list[int | None], side: int) -> bool:
    return any(all(marks[place] == side for place in line) for line in LINES)


def completing(marks: list[int | None], side: int) -> list[bool]:
    """Which empty places complete a line of `side`."""
    found = []
    for place in range(9):
        after = [side if here == place else mark for here, mark in enumerate(marks)]
        new = any(all(after[one] == side for one in line) for line in LINES if place in line)
        found.append(marks[place] is None and new)
    return found


def configuration_of(marks: list[int | None], side: int) -> int:
    digits = [0 if mark is None else 1 + (mark != side) for mark in marks]
    return sum(digit * 3**place for place, digit in enumerate(digits))


def local_features(marks: list[int | None], side: int, *, is_closed: bool) -> list[int]:
    """Return the features of a local board in units of 1/64."""
    flags = [mark == side for mark in marks] + [mark == 1 - side for mark in marks]
    flags += completing(marks, side) + completing(marks, 1 - side)
    lines = [lines_of(marks, side), lines_of(marks, 1 - side)]
    if is_closed and any(lines):
        flags = [False] * len(flags)
    own, other = odds()[configuration_of(marks, side)]
    chances = [int(np.rint(ONE * one)) for one in (own, other, 1 - (own + other))]
    return [ONE * flag for flag in flags + lines] + chances


def macro_features(position: Position, side: int) -> list[int]:
    won = {BoardStatus.X_WON: 0, BoardStatus.O_WON: 1}
    status = [position.board_status(board) for board in range(9)]
    is_open = [one is BoardStatus.ONGOING for one in status]
    drawn = [one is BoardStatus.DRAWN for one in status]
    is_shared = position.rules.drawn_board is DrawnBoard.BOTH
    flags, lines = [], []
    for who in (side, 1 - side):
        owns = [won.get(one) == who or (is_shared and one is BoardStatus.DRAWN) for one in status]
        flags += owns
        completes = completing([who if one else None for one in owns], who)
        lines += [a and b for a, b in zip(completes, is_open, strict=True)]
    flags += drawn + lines
    return [int(flag) for flag in flags]


def rounded(sums: np.ndarray, divisor: int) -> list[int]:
    return [math.floor(int(one) / divisor + 0.5) for one in sums]


def hidden_layer(position: Position, net: Net) -> list[int]:
    """Return the hidden layer before activation, as the side to move sees it."""
    side = position.side
    is_closed = position.rules.won_board is WonBoard.CLOSED
    layer = [0] * len(net.bias)
    for board in range(9):
        marks = [position.mark_at(9 * board + cell) for cell in range(9)]
        given = local_features(marks, side, is_closed=is_closed)
        features = np.append(given, net.learned[configuration_of(marks, side)]).astype(np.int64)
        weights = net.local[board, int(position.target == board)].astype(np.int64)
        layer = [
            a + b for a, b in zip(layer, rounded(features @ weights, ONE * FINENESS), strict=True)
        ]
    flags = np.reshape(macro_features(position, side), (5, 9))
    for group in range(5):
        mask = sum(int(flag) << place for place, flag in enumerate(flags[group]))
        features = np.append(ONE * flags[group], net.learned_macro[group, mask]).astype(np.int64)
        sums = features @ net.macro[group].astype(np.int64)
        if group == 0:
            sums = sums + ONE * net.bias.astype(np.int64)
        layer = [a + b for a, b in zip(layer, rounded(sums, ONE * FINENESS), strict=True)]
    if position.target is None:
        free = rounded(net.free.astype(np.int64), FINENESS)
        layer = [a + b for a, b in zip(layer, free, strict=True)]
    return layer


def logit(position: Position, net: Net) -> int:
    """Return the logit of a position for its side to move, 0 to 4096."""
    decided = [position.board_status(board) is not BoardStatus.ONGOING for board in range(9)]
    output = net.output[min(sum(decided), len(net.output) - 1)]
    total = sum(
        min(max(one, 0), CEILING) ** 2 * int(weight)
        for one, weight in zip(hidden_layer(position, net), output, strict=True)
    )
    exact = total * (net.scale * 256) + 2048.5
    return int(min(max(exact, 0.0), 4096.5))
