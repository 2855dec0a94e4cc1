"""No regular expression takes more than linear time.

Every pattern in the project's source is found and given hostile text: a piece of something that it
matches, repeated many times, then something that it cannot match.
"""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("engine", "bot", "cogs", "deploy")
SCANS = {"search", "findall", "finditer", "sub", "subn", "split"}
ONCE = {"match", "fullmatch"}
NOTHING = r"(?!)"  # the template of a base class, which no custom id has

LENGTH = 8_000  # characters
SUSPICIOUS_SECONDS = 0.005  # of CPU time; a linear pattern takes a fiftieth of that
LONGER = 4
GROWTH = 8.0  # of the time for a text LONGER times as long; linear 4, quadratic 16
LOOK_BEHIND = re.compile(r"\(\?<=([^()]*)\)")
LOOK = re.compile(r"\(\?<?[=!][^()]*\)")

Use = tuple[str, str, re.Pattern[str]]

LATER = {"known": "vacation start|vacation|play"}
"""What patterns are built from while the bot runs: the names of commands."""


@cache
def sources() -> dict[str, str]:
    """Return the source of every module by its name."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text()
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
    }


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(sources()[module])


def patterns(module: str) -> Iterator[Use]:
    """Yield the place of each pattern of a module, how it is used, and the pattern."""
    for node in ast.walk(tree(module)):
        for wanted, how in _asked(node):
            value = eval(  # the project's own source
                compile(ast.Expression(wanted), module, "eval"),
                LATER | vars(import_module(module)),
            )
            pattern = value if isinstance(value, re.Pattern) else re.compile(value)
            if pattern.pattern != NOTHING:
                yield f"{module}:{wanted.lineno}", how or _use_of(module, node), pattern


def _asked(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Yield patterns in a piece of source: in a call of `re`, or the template of a button."""
    if isinstance(node, ast.ClassDef):
        for keyword in node.keywords:
            if keyword.arg == "template":
                yield keyword.value, "fullmatch"
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    if isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
        if node.func.attr == "compile":
            yield node, ""
        elif node.func.attr in SCANS | ONCE:
            yield node.args[0], node.func.attr


def _use_of(module: str, call: ast.AST) -> str:
    """Return the method called on a compiled pattern, the most demanding one."""
    (name,) = (
        target.id
        for statement in ast.walk(tree(module))
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        and statement.value is not None
        and statement.value.lineno == call.lineno  # type: ignore[attr-defined]  # a call
        for target in (
            statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        )
        if isinstance(target, ast.Name)
    )
    asked = {
        method
        for source in sources().values()
        for method in re.findall(rf"\b{name}\.([a-z]+)\(", source)
    }
    assert asked & (SCANS | ONCE), f"{module}: {name} is not used as a pattern"
    return min(asked & SCANS, default="") or min(asked & ONCE)


MODULES = [name for name, source in sources().items() if re.search(r"\bre\.|template=", source)]
"""Modules that may have patterns: a closer look takes time, and each process collects all."""


def seconds(how: str, pattern: re.Pattern[str], text: str) -> float:
    """Return the CPU time of one use, the shortest measured."""
    taken = []
    for _ in range(3):
        begun = time.process_time()
        if how in SCANS:
            for _match in pattern.finditer(text):
                pass
        else:
            getattr(pattern, how)(text)
        taken.append(time.process_time() - begun)
        if taken[-1] < SUSPICIOUS_SECONDS:
            break
    return min(taken)


def is_slow(how: str, pattern: re.Pattern[str], before: str, piece: str, after: str) -> bool:
    """Whether the time grows faster than the number of pieces."""

    def taken(length: int) -> float:
        return seconds(how, pattern, before + piece * (length // len(piece)) + after)

    first = taken(LENGTH)
    return first > SUSPICIOUS_SECONDS and taken(LONGER * LENGTH) > GROWTH * first


def attacks(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield the text before the piece that is repeated, the piece, and the text after it."""
    for begin in range(min(len(text), 30)):
        for end in range(begin + 1, min(begin + 3, len(text)) + 1):
            for after in ("", "\0", text[end:]):
                yield text[:begin], text[begin:end], after


def test_the_patterns_are_found():
    found = {module for module in MODULES if any(patterns(module))}

    assert {"engine.records.tokens", "bot.log", "cogs.history", "cogs.play.buttons"} <= found
    for module, source in sources().items():
        if re.search(
            r"\bre\.(compile|match|fullmatch|search|findall|finditer|sub|split)\(", source
        ):
            assert module in found


@pytest.mark.sampled(2)
@pytest.mark.parametrize("slow", [r"<.*>", r"[ \t]*\n"])
def test_a_slow_pattern_would_be_noticed(slow: str):
    pattern = re.compile(slow)

    # On a busy machine the shorter text may happen to take as long.
    assert any(is_slow("search", pattern, "", "<" if "<" in slow else " ", "x") for _ in range(5))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("module", MODULES)
def test_a_pattern_takes_time_in_proportion(module: str):
    for use in patterns(module):
        check(use)


@settings(
    max_examples=4, deadline=None, derandomize=True, database=None, phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
@given(data=st.data())
def check(use: Use, data: st.DataObject) -> None:
    where, how, pattern = use
    # Lookarounds are made a part of the match, or left out.
    whole = re.compile(LOOK.sub("", LOOK_BEHIND.sub(r"\1", pattern.pattern)), pattern.flags)
    text = data.draw(st.from_regex(whole, fullmatch=True))
    for before, piece, after in attacks(text):
        assert not is_slow(how, pattern, before, piece, after), (where, before, piece, after)
