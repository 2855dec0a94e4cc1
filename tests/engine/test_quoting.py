"""Refusals quote what somebody gave, shortened: it may be as long as a file."""

from __future__ import annotations

import pytest

from engine import (
    EngineError,
    InvalidNotationError,
    Rules,
    check_opening_code,
    load_variant,
    parse_move,
    shorten,
)
from engine.__main__ import main

LONG = "x" * 6000


@pytest.mark.parametrize("text", [LONG, f"{LONG}=1", f"goal={LONG}", "goal=line," * 600])
def test_a_refusal_of_rules_is_short(text: str):
    with pytest.raises(EngineError) as caught:
        load_variant(text)

    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("variant", ["random-four", "standard"])
def test_a_refusal_of_an_opening_is_short(variant: str):
    with pytest.raises(InvalidNotationError) as caught:
        check_opening_code(Rules.parse(variant), LONG)

    assert len(str(caught.value)) < 200
    assert "'xxxxx" in str(caught.value)


def test_a_refusal_of_a_move_quotes_what_is_short_as_it_is():
    with pytest.raises(InvalidNotationError, match="not '12x'"):
        parse_move("12x", Rules())


@pytest.mark.parametrize(("text", "quoted"), [("x" * 40, "x" * 40), ("x" * 41, "x" * 37 + "...")])
def test_a_quotation_has_forty_characters_at_most(text: str, quoted: str):
    assert shorten(text) == quoted


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "arguments",
    [
        ["ladder", "--levels", "1..99999999999"],
        ["ladder", "--levels", "1..999999999999999999999999"],
        ["study", "--seed", "9" * 5000],
        ["match", "random", "random", "--iterations", "9" * 30],
        ["play", "--seed", "9" * 30],
    ],
)
def test_a_number_that_is_too_large_is_refused_in_short(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)

    said = capsys.readouterr().err.splitlines()[-1]
    assert stopped.value.code == 2
    assert "Traceback" not in said
    assert len(said) < 200
