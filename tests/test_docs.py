"""Documentation that nothing executes rots: this executes it."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from bot.client import EXTENSIONS
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


def test_every_command_is_in_the_readme():
    source = "".join(
        path.read_text()
        for extension in EXTENSIONS
        for path in (ROOT / extension.replace(".", "/")).glob("*.py")
    )
    defined = {
        name.rstrip("_")  # `import` is a word of Python's
        for name in re.findall(
            r"app_commands\.command\([^)]*\)(?:\s+@.*?)*?\s+async def (\w+)", source, re.DOTALL
        )
    }
    documented = set(re.findall(r"^\| `/(\w+)` \|", README, re.MULTILINE))

    assert defined
    assert documented == defined


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
