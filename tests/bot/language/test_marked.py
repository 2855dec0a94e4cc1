"""Texts that people read are marked for translation, wherever they are used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.language.checking import CHOICE, COMMAND, DESCRIPTION, MENU, OPTION
from bot.language.extraction import extract

ROOT = Path(__file__).parents[3]

SPOKEN = [
    # Texts that only the host reads are in English, like the log and the doctor.
    *sorted(set((ROOT / "cogs").rglob("*.py")) - set((ROOT / "cogs" / "admin").iterdir())),
    *sorted((ROOT / "bot" / "model").rglob("*.py")),
    *(
        path
        for path in sorted((ROOT / "bot" / "services").glob("*.py"))
        if not path.name.endswith("_bench.py")
    ),
]

# Calls whose texts are found by translators, or are for nobody to read but hosts and programmers.
MARKING = {"_", "N_", "ngettext", "pgettext", "label", "say", "say_count"}
LATER = {"N_", "say", "say_count"}  # translated where it is shown
COMMANDS = {"describe", "Choice", "command", "context_menu"}  # found in the classes
FOR_HOSTS = {"debug", "info", "warning", "error", "exception", "create_task", "TypeAlias"}
BUGS = {"ValueError", "TypeError", "RuntimeError", "AssertionError", "BrokenRecordError"}
NOT_SPOKEN = MARKING | COMMANDS | FOR_HOSTS | BUGS

# Constants that go into `describe`; texts written into files; an error that nobody is shown.
EXEMPT_NAMES = re.compile(r".*HELP$|computer_seat$|FORMAT$")

TWO_WORDS = re.compile(r"[A-Za-z]{2,}[,:;]? [a-z]{2,}|^[A-Z][a-z]+ $|^ [a-z]{2,}")


def unmarked(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the unmarked texts of two words or more, with their lines."""
    if isinstance(tree, ast.Call) and _name(tree.func) in NOT_SPOKEN:
        return
    if isinstance(tree, ast.Assert) or any(map(EXEMPT_NAMES.match, _named(tree))):
        return
    if isinstance(tree, ast.AnnAssign) and _name(tree.annotation) == "TypeAlias":
        return
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        if TWO_WORDS.search(tree.value):
            yield tree.lineno, tree.value
        return
    for child in ast.iter_child_nodes(tree):
        is_docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
        if not is_docstring:
            yield from unmarked(child)


def _named(tree: ast.AST) -> list[str]:
    if isinstance(tree, ast.FunctionDef | ast.ClassDef):
        return [tree.name]
    if isinstance(tree, ast.Assign):
        return [_name(target) for target in tree.targets]
    return [_name(tree.target)] if isinstance(tree, ast.AnnAssign) else []


def _name(tree: ast.AST) -> str:
    return getattr(tree, "id", None) or getattr(tree, "attr", None) or ""


@pytest.mark.parametrize("path", SPOKEN, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_people_read_is_marked(path: Path):
    found = list(unmarked(ast.parse(path.read_text(encoding="utf-8"))))
    assert found == []


@pytest.mark.parametrize(
    "code",
    [
        'tell("Your move")',
        'f"Your move, {name}"',
        'text = "It is your move."',
        'f"Game {number} is over"',
        'Button(label="Play again")',
    ],
)
def test_a_text_that_is_not_marked_is_seen(code: str):
    assert list(unmarked(ast.parse(code)))


def said_on_import(tree: ast.AST) -> Iterator[int]:
    """Yield the lines of texts translated during an import, when no language is chosen."""
    if isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef):
        for each in [*tree.decorator_list, *tree.args.defaults, *tree.args.kw_defaults]:
            if each is not None:
                yield from said_on_import(each)
        return
    if isinstance(tree, ast.Lambda):
        return
    # Queries have a `label` method too.
    if isinstance(tree, ast.Call) and getattr(tree.func, "id", "") in MARKING - LATER:
        yield tree.lineno
    for child in ast.iter_child_nodes(tree):
        yield from said_on_import(child)


@pytest.mark.parametrize("folder", ["bot", "cogs"])
def test_nothing_is_said_while_a_module_is_imported(folder: str):
    found = {
        path.relative_to(ROOT).as_posix(): lines
        for path in sorted((ROOT / folder).rglob("*.py"))
        if (lines := list(said_on_import(ast.parse(path.read_text(encoding="utf-8")))))
    }
    assert found == {}


@pytest.mark.parametrize("code", ['WORDS = _("Hello")', '@describe(a=_("b"))\ndef f(): pass'])
def test_a_text_said_on_import_is_seen(code: str):
    assert list(said_on_import(ast.parse(code)))


def test_every_text_that_is_marked_is_found_for_translators():
    """Babel sees no call inside the braces of an f-string, for one."""
    found = {
        text
        for message in extract()
        if message.context not in (COMMAND, OPTION, DESCRIPTION, CHOICE, MENU)
        for text in ((message.id,) if isinstance(message.id, str) else message.id)
    }
    marked = {
        (path.relative_to(ROOT).as_posix(), text.value)
        for folder in ("bot", "cogs", "engine")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in MARKING
        for text in call.args[getattr(call.func, "id", "") == "pgettext" :]
        if isinstance(text, ast.Constant) and isinstance(text.value, str) and text.value
    }
    assert len(marked) > 500
    assert {each for each in marked if each[1] not in found} == set()
