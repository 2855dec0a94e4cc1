"""Custom ids made from the bot's own templates, with numbers that may mean something."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

NUMBERED = ("match_id", "challenge_id", "ply", "revision")


@cache
def _parsed(pattern: str) -> Any:
    return _parser.parse(pattern)


def made_for(rng: random.Random, pattern: str, number: Callable[[], int]) -> str:
    """Return a text that a custom id's template matches, with known numbers where it has them.

    Examples:
        >>> made_for(random.Random(1), "cell:(?P<match_id>[0-9]{1,18}):x{2}", lambda: 7)
        'cell:7:xx'
    """
    parsed = _parsed(pattern)
    known = {group for name, group in parsed.state.groupdict.items() if name in NUMBERED}
    return _made(rng, parsed, known, number)


def _made(rng: random.Random, parsed: Any, known: set[int], number: Callable[[], int]) -> str:
    text = ""
    for kind, value in parsed:
        match kind:
            case sre.LITERAL:
                text += chr(value)
            case sre.RANGE:
                text += chr(rng.randint(*value))
            case sre.CATEGORY:
                text += rng.choice("٣" if rng.random() < 0.05 else "0123456789")
            case sre.IN:
                text += _made(rng, [rng.choice(value)], known, number)
            case sre.BRANCH:
                text += _made(rng, rng.choice(value[1]), known, number)
            case sre.MAX_REPEAT:
                low, high, inner = value
                times = rng.choice((low, low, high, rng.randint(low, high)))
                text += _made(rng, list(inner) * times, known, number)
            case sre.SUBPATTERN if value[0] in known and rng.random() < 0.8:
                text += str(abs(number()))
            case sre.SUBPATTERN:
                text += _made(rng, value[3], known, number)
    return text


def matches_named(templates: list[re.Pattern[str]], custom_id: str) -> list[str]:
    """Return the numbers of matches in a custom id."""
    found = [each.fullmatch(custom_id) for each in templates]
    return [each["match_id"] for each in found if each and "match_id" in each.groupdict()]
