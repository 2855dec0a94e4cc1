"""Documentation that nothing executes rots: this executes it."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from bot.commands import format_reference, load_commands, names_of
from bot.settings import Settings
from engine import VARIANTS, Rules

ROOT = Path(__file__).resolve().parents[1]
LISTED = subprocess.run(
    ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
    cwd=ROOT, capture_output=True, text=True, check=True,
).stdout.split()  # fmt: skip
README = (ROOT / "README.md").read_text()


@pytest.mark.parametrize("name", LISTED)
def test_links_between_files_lead_somewhere(name: str):
    text = (ROOT / name).read_text()
    targets = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", text)
    missing = [target for target in targets if not ((ROOT / name).parent / target).exists()]

    assert missing == []


def test_every_setting_is_in_the_readme():
    names = {name.upper() for name in Settings.model_fields}
    documented = set(re.findall(r"^\| `([A-Z_]+)` \|", README, re.MULTILINE))

    assert documented == names


@pytest.fixture(scope="module")
def commands() -> list[dict[str, Any]]:
    """Every command, as Discord is told about it."""
    return asyncio.run(load_commands())


def test_every_command_is_in_the_readme(commands: list[dict[str, Any]]):
    documented = re.findall(r"^\| `/([\w ]+)` \|", README, re.MULTILINE)

    assert sorted(documented) == sorted(names_of(commands))


def test_every_option_of_every_command_is_in_the_reference(commands: list[dict[str, Any]]):
    """Generated: this fails when a command, an option or a choice has changed since."""
    written = (ROOT / "deploy" / "COMMANDS.md").read_text()

    assert written == format_reference(commands), (
        "deploy/COMMANDS.md is not what the commands say: write it anew with\n\n"
        "    make docs\n\n(or: python -m bot commands deploy/COMMANDS.md)"
    )


def test_every_choice_and_description_is_told(commands: list[dict[str, Any]]):
    """What the reference is made from, looked for in it without its own code."""
    written = (ROOT / "deploy" / "COMMANDS.md").read_text()

    def told(part: Any) -> Iterator[str]:
        if isinstance(part, list):
            for each in part:
                yield from told(each)
        elif isinstance(part, dict):
            yield from (str(part[key]) for key in ("name", "description") if part.get(key))
            yield from told([part.get("options", []), part.get("choices", [])])

    texts = [text.replace("|", "\\|") for text in told(commands)]
    assert len(texts) > 100
    assert [text for text in texts if text not in written] == []


def test_every_make_target_that_the_readme_names_exists():
    makefile = (ROOT / "Makefile").read_text()
    named = set(re.findall(r"`make ([a-z-]+)`", README))
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))

    assert named - targets == set()


@pytest.mark.parametrize("package", ["engine", "bot", "cogs", "deploy", "deploy/sandbox"])
def test_every_package_says_what_it_is(package: str):
    assert (ROOT / package / "README.md").read_text().startswith("# ")


def test_every_option_of_the_rules_is_told_in_prose():
    prose = (ROOT / "engine" / "RULES.md").read_text()
    missing = [field.name for field in fields(Rules) if f"`{field.name}`" not in prose]

    assert missing == []


def test_every_variant_is_told_in_prose():
    prose = (ROOT / "engine" / "RULES.md").read_text()

    assert [key for key in VARIANTS if f"`{key}`" not in prose] == []


@pytest.mark.parametrize("module", ["bot", "engine", "deploy.sandbox"])
def test_every_command_line_explains_itself(module: str):
    shown = subprocess.run(
        [sys.executable, "-m", module, "--help"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip

    assert shown.startswith("usage:")


def test_the_container_takes_along_what_there_is_and_no_secrets():
    """It cannot be built here; at least what it names has to exist."""
    lines = (ROOT / "deploy" / "Containerfile").read_text().splitlines()
    sources = [part for line in lines if line.startswith("COPY ") for part in line.split()[1:-1]]

    assert [part for part in sources if not (ROOT / part).exists()] == []
    assert {"bot/", "cogs/", "engine/", "deploy/requirements.txt"} <= set(sources)
    assert "." not in sources


def test_every_file_that_deploy_holds_is_told_there():
    prose = (ROOT / "deploy" / "README.md").read_text()
    names = [path.name for path in (ROOT / "deploy").iterdir() if path.is_file()]
    told = [name for name in names if name in prose or name.removesuffix(".timer") in prose]

    assert sorted(set(names) - set(told) - {"README.md", "__init__.py"}) == []
