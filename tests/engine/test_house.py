"""The engine's own house rules, checked on its source."""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import engine
from engine import BoardStatus, O, X, position
from engine.kernels import _jit, codes

PACKAGE = Path(engine.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages([str(PACKAGE)], prefix="engine.")
    if module.name != "engine.__main__"
)


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names


def test_only_one_module_knows_the_compiler():
    assert [path.name for path in SOURCES if "numba" in imported(path)] == ["_jit.py"]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_function_says_what_it_does(path: Path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            is_kernel = any(getattr(one, "id", "") == "kernel" for one in node.decorator_list)
            if is_kernel:
                assert ast.get_docstring(node), node.name
            length = (node.end_lineno or 0) - node.lineno
            assert length <= 60, node.name


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name: str):
    module = importlib.import_module(name)
    result = doctest.testmod(module, optionflags=doctest.IGNORE_EXCEPTION_DETAIL)

    assert result.failed == 0


def test_public_names_are_there():
    assert all(hasattr(engine, name) for name in engine.__all__)
    assert len(set(engine.__all__)) == len(engine.__all__)


def test_the_position_and_the_kernels_mean_the_same_places():
    assert (X, O, position.DECIDED, position.FULL) == (codes.X, codes.O, codes.DECIDED, codes.FULL)
    assert (position.PLY, position.RESULT, position.TARGET, position.LAST) == (
        codes.PLY, codes.RESULT, codes.TARGET, codes.LAST,
    )  # fmt: skip
    assert position._STATUS_BY_RESULT == {
        codes.ONGOING: BoardStatus.ONGOING,
        codes.X_WON: BoardStatus.X_WON,
        codes.O_WON: BoardStatus.O_WON,
        codes.DRAWN: BoardStatus.DRAWN,
    }


def test_importing_the_engine_leaves_the_laboratory_alone():
    code = (
        "import sys, engine; engine.warm_up();"
        "print([name for name in sys.modules if name.startswith('engine.lab')])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], cwd=PACKAGE.parent, capture_output=True, text=True, check=True
    ).stdout

    assert shown.strip() == "[]"


def test_a_change_in_the_laboratory_renames_the_cache_too():
    """Its kernels are kept in the same folder."""
    assert PACKAGE / "lab" / "kernels" in _jit._SOURCES
    assert all((folder / "__init__.py").exists() for folder in _jit._SOURCES)


def test_the_cache_is_named_after_the_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ENGINE_CACHE_DIR", str(tmp_path))
    before = _jit.cache_directory()
    changed = tmp_path / "kernels"
    changed.mkdir()
    for source in (PACKAGE / "kernels").glob("*.py"):
        (changed / source.name).write_text(source.read_text())
    monkeypatch.setattr(_jit, "_SOURCES", (changed, *_jit._SOURCES[1:]))
    same = _jit.cache_directory()
    (changed / "bitboard81.py").write_text("# changed")

    assert before == same
    assert before.parent == tmp_path
    assert _jit.cache_directory() != before


def test_an_unwritable_place_sends_the_cache_to_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("ENGINE_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(_jit, "_is_writable", lambda folder: False)

    assert tmp_path in _jit.cache_directory().parents
