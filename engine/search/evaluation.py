"""Which evaluation a rule set gets; evaluators are made once and shared by all threads."""

from __future__ import annotations

import threading
from enum import StrEnum
from typing import TYPE_CHECKING

from engine.errors import EngineError
from engine.rules import Rules

if TYPE_CHECKING:
    from engine.kernels.valuing import Evaluator


class Evaluation(StrEnum):
    """How a search learns the value of a position.

    `AUTO` takes the best available: the net for the rules, else the hand-made formula for
    depth 2 and 3, else random games.
    """

    AUTO = "auto"
    NET = "net"
    HAND = "hand"
    PLAYOUTS = "playouts"


_LOCK = threading.Lock()
_MADE: dict[tuple[Rules, Evaluation], Evaluator | None] = {}


def load_evaluator(rules: Rules, evaluation: Evaluation | str) -> Evaluator | None:
    """Return the evaluator for rules, None where random games are played.

    The first call for rules with a net takes a fifth of a second.

    Raises:
        EngineError: If there is no such evaluation, or not for these rules.
    """
    if evaluation not in list(Evaluation):
        names = ", ".join(Evaluation)
        raise EngineError(f"There is no evaluation {evaluation!r}: choose {names}")
    chosen = Evaluation(evaluation)
    if chosen is Evaluation.PLAYOUTS or (chosen is Evaluation.AUTO and rules.depth == 1):
        return None
    if rules.depth == 1:
        raise EngineError(f"Rules of depth 1 have no evaluation {chosen.value!r}")
    from engine.nets.net import rules_of_net

    key = (rules_of_net(rules), chosen)
    with _LOCK:
        if key not in _MADE:
            _MADE[key] = _make(rules, chosen)
        return _MADE[key]


def _make(rules: Rules, evaluation: Evaluation) -> Evaluator:
    from engine.nets.evaluators import hand_evaluator, net_evaluator
    from engine.nets.net import find_net

    net = None if evaluation is Evaluation.HAND else find_net(rules)
    if net is not None:  # rules that share a net share its tables
        own = net.rules, Evaluation.NET
        made = _MADE.get(own) or net_evaluator(net)
        _MADE[own] = made
        return made
    if evaluation is Evaluation.NET:
        raise EngineError(f"There is no net for the rules {rules.key!r}")
    return hand_evaluator(rules)
