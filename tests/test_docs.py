"""Documentation that nothing executes rots: this executes it."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from bot.commands import format_reference, load_commands
from bot.local import introduction
from bot.pictures import write_pictures
from bot.settings import Settings
from engine import VARIANTS, BoardStatus, O, Rules, WonBoard, X, option_values, parse_position
from engine.types import LINES

ROOT = Path(__file__).resolve().parents[1]
LISTED = subprocess.run(
    ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
    cwd=ROOT, capture_output=True, text=True, check=True,
).stdout.split()  # fmt: skip
MODULES = [
    f"/{path.relative_to(ROOT).as_posix()}"
    for package in ("engine", "bot", "cogs", "deploy", "tests")
    for path in (ROOT / package).rglob("*.py")
]
README = (ROOT / "README.md").read_text()
RULES = (ROOT / "engine" / "RULES.md").read_text()


@pytest.mark.parametrize("name", LISTED)
def test_links_between_files_lead_somewhere(name: str):
    text = (ROOT / name).read_text()
    targets = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", text)
    missing = [target for target in targets if not ((ROOT / name).parent / target).exists()]

    assert missing == []


@pytest.mark.parametrize("name", [each for each in LISTED if each.endswith("/README.md")])
def test_a_map_names_the_modules_that_there_are(name: str):
    """Each named module exists, and the README of a package names each of its modules."""
    folder, text = (ROOT / name).parent, (ROOT / name).read_text()
    named = set(re.findall(r"`((?:[\w-]+/)*[a-z_]+\.py)`", text))
    below = {f"/{path.relative_to(ROOT).as_posix()}" for path in folder.rglob("*.py")}
    unknown = [
        each
        for each in named
        if not any(path.endswith(f"/{each}") for path in (MODULES if "/" in each else below))
    ]
    beside = {path.stem for path in folder.glob("*.py")} - {"__init__", "__main__"}

    assert sorted(unknown) == []
    assert [stem for stem in sorted(beside) if not re.search(rf"\b{stem}(\.py)?\b", text)] == []


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
    names = re.findall(r"^## `/([\w ]+)`$", format_reference(commands), re.MULTILINE)

    assert sorted(documented) == sorted(names)


def test_every_option_of_every_command_is_in_the_reference(commands: list[dict[str, Any]]):
    """Generated: this fails when a command, an option or a choice has changed since."""
    written = (ROOT / "deploy" / "COMMANDS.md").read_text()

    assert written == format_reference(commands), (
        "deploy/COMMANDS.md is not what the commands say: write it again with\n\n"
        "    make docs\n\n(or: python -m bot commands deploy/COMMANDS.md)"
    )


def test_every_choice_and_description_is_told(commands: list[dict[str, Any]]):
    """Checked against what the reference is made from, without the code that writes it."""
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


def test_the_readmes_pictures_are_those_that_the_program_writes(tmp_path: Path):
    """Only sizes are compared: the pixels may depend on the libraries that draw them."""
    write_pictures(tmp_path)
    written, kept = (
        # Width and height are the first things in a PNG.
        {path.name: path.read_bytes()[16:24] for path in folder.iterdir()}
        for folder in (tmp_path, ROOT / "deploy" / "pictures")
    )
    named = re.findall(r'src="deploy/pictures/([^"]+)"', README)

    assert sorted(named) == sorted(written)
    assert kept == written, "write them again: make docs, or python -m bot pictures deploy/pictures"


def test_what_the_sandboxs_page_offers_are_commands_of_the_bot(commands: list[dict[str, Any]]):
    by_name = {each["name"]: each for each in commands}
    intro = introduction()
    grouped = [name for names in intro.groups.values() for name in names]

    assert sorted(grouped) == sorted({*grouped} & by_name.keys())
    for action in intro.actions:
        options = {each["name"]: each for each in by_name[action.command]["options"]}
        assert action.options.keys() <= options.keys()
    assert "The cell you play decides which board" in intro.sentence


@pytest.mark.parametrize("package", ["engine", "bot", "cogs", "deploy", "deploy/sandbox"])
def test_every_package_says_what_it_is(package: str):
    assert (ROOT / package / "README.md").read_text().startswith("# ")


def test_every_option_of_the_rules_is_told_in_prose():
    missing = [field.name for field in fields(Rules) if f"`{field.name}`" not in RULES]

    assert missing == []


def test_every_variant_is_told_in_prose():
    assert [key for key in VARIANTS if f"`{key}`" not in RULES] == []


def test_every_option_written_out_in_the_rules_is_one():
    values = option_values()
    written = set(re.findall(r"\b([a-z_]+)=([a-z0-9_+]+)", RULES))

    assert len(written) > 15
    assert [pair for pair in written if pair[1] not in values.get(pair[0], ())] == []


def test_the_table_of_variants_in_the_rules_is_that_of_the_program():
    rows = re.findall(r"^\| `([\w-]+)` \| ([^|]+) \| ([^|]+) \|$", RULES, re.MULTILINE)

    assert [(key, name) for key, name, _ in rows] == [
        (key, str(variant.name)) for key, variant in VARIANTS.items()
    ]
    for key, _, options in rows[1:]:  # Standard has none
        assert Rules.parse(options.replace(" ", "")) == VARIANTS[key].rules


def test_the_options_of_u3t_are_mapped_and_its_defaults_are_mulloy():
    rows = re.findall(r"^\| \*(.+)\* \| `(\S+)` \| `(\S+)` \|$", RULES, re.MULTILINE)
    selected, cleared = ({name: row[place] for name, *row in rows} for place in (0, 1))
    defaults = [
        selected["Prevent Orlin's gambit"],
        selected["Allow use of conquered boxes"],
        cleared["Allow cat's games"],
    ]

    assert len(rows) == 3
    assert Rules.parse(",".join(defaults)) == VARIANTS["mulloy"].rules
    assert all(selected[name] != cleared[name] for name in selected)
    # Cat's games are drawn games.
    assert selected["Allow cat's games"] == "tiebreak=draw"


def test_a_board_that_nobody_can_win_is_ongoing_to_its_last_place():
    assert "It stays so to its last place" in RULES
    board = "XOXXOOOX1"  # its last cell makes a line for neither

    position = parse_position(f"standard O 58 8 9 9/9/9/9/7X1/9/9/{board}/9")
    assert position.board_status(7) is BoardStatus.ONGOING
    assert position.target == 7
    for mark in (X, O):
        assert not _has_line(board.replace("1", "XO"[mark]))


def _has_line(board: str) -> bool:
    return any(len({board[place] for place in line}) == 1 for line in LINES)


def test_which_presets_of_strategic_tic_tac_toe_close_decided_boards():
    limit = RULES[RULES.index("called 2a here") : RULES.index("*Limit 3*")]
    on, off = limit.split("switch it on, because")
    closed = {key for key, each in VARIANTS.items() if each.rules.won_board is WonBoard.CLOSED}

    presets = set(re.findall(r"`(sttt-\w+)`", on))
    assert presets == {key for key in VARIANTS if key.startswith("sttt-")} <= closed
    assert "`tactical` leaves it off" in off
    assert "tactical" not in closed


@pytest.mark.parametrize("module", ["bot", "engine", "deploy.sandbox", "deploy.scale"])
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

    assert [part for part in sources if not list(ROOT.glob(part))] == []
    assert {"bot/", "cogs/", "engine/", "deploy/requirements.txt"} <= set(sources)
    assert "." not in sources


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")
@pytest.mark.parametrize("unit", sorted((ROOT / "deploy").glob("*.service")), ids=lambda u: u.stem)
def test_a_unit_gives_away_little_of_the_system(unit: Path):
    """At most 3 of 10, by systemd's own count."""
    done = subprocess.run(
        ["systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold=30", unit],
        capture_output=True, text=True,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout[-2000:] + done.stderr


def test_every_file_that_deploy_holds_is_told_there():
    prose = (ROOT / "deploy" / "README.md").read_text()
    names = [path.name for path in (ROOT / "deploy").iterdir() if path.is_file()]
    told = [name for name in names if name in prose or name.removesuffix(".timer") in prose]

    assert sorted(set(names) - set(told) - {"README.md", "__init__.py"}) == []
