"""On what terms a player takes part: `puct-net@10ms`, `uct*2@2000it`, `level:7`.

After the name come, each optional, `*` with the threads to think in and `@` with a limit
of the player's own, which then takes the place of the match's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from engine.errors import EngineError
from engine.search.mcts import Limit

MOST_THREADS: Final = 64

_TERMS: Final = re.compile(
    r"(?P<name>.*?)(?:\*(?P<threads>[0-9]{1,4}))?(?:@(?P<amount>[0-9]{1,9})(?P<unit>ms|s|it))?"
)
_SECONDS: Final = {"ms": 0.001, "s": 1.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a player's name says.

    Attributes:
        name: The player itself: a reference, a level or a command.
        threads: How many threads it thinks in.
        limit: A limit of its own; None where the match's holds.
    """

    name: str
    threads: int = 1
    limit: Limit | None = None


def parse_terms(text: str) -> Terms:
    """Read a player's name with its terms.

    Raises:
        EngineError: If the time or the threads make no sense.

    Examples:
        >>> terms = parse_terms("puct-net*2@10ms")
        >>> terms.name, terms.threads, terms.limit.seconds
        ('puct-net', 2, 0.01)
        >>> parse_terms("cmd:other --level 3@500it").limit.iterations
        500
    """
    found = _TERMS.fullmatch(text)
    if found is None:  # a line break in a command
        return Terms(name=text)
    threads, amount, unit = found["threads"], found["amount"], found["unit"]
    if threads is not None and not 1 <= int(threads) <= MOST_THREADS:
        raise EngineError(f"{text!r}: a player thinks in 1 to {MOST_THREADS} threads")
    limit = None
    if amount is not None:
        if int(amount) == 0:
            raise EngineError(f"{text!r}: a player needs time or iterations, not 0{unit}")
        if unit == "it":
            limit = Limit(iterations=int(amount))
        else:
            limit = Limit(seconds=int(amount) * _SECONDS[unit])
    return Terms(name=found["name"], threads=int(threads or 1), limit=limit)
