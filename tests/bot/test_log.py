from __future__ import annotations

import io
import json
import logging
import warnings

import pytest
import structlog

from bot.log import LogFormat, LogLevel, redact, set_up_logging
from bot.settings import Settings

pytestmark = pytest.mark.usefixtures("logging_as_it_was")

BOT_TOKEN = "MTA0NjkyMTQ0NTM2NzMxMjM0" + ".GabcDE." + "q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9"
INTERACTION_TOKEN = "aW50ZXJhY3Rpb246" + "x" * 120
PLAIN_SECRET = "sandbox-secret"


def set_up(form: LogFormat, level: LogLevel = LogLevel.DEBUG) -> io.StringIO:
    stream = io.StringIO()
    settings = Settings(
        _env_file=None, discord_token=PLAIN_SECRET, log_level=level, log_format=form
    )
    set_up_logging(settings, stream=stream)
    return stream


@pytest.mark.parametrize("form", LogFormat)
def test_our_lines_and_the_libraries_come_out_alike(form: LogFormat) -> None:
    stream = set_up(form)

    structlog.get_logger("bot.test").info("move stored", match=7)
    logging.getLogger("discord.gateway").info("shard %s connected", 3)

    ours, theirs = stream.getvalue().splitlines()
    for part in ("move stored", "bot.test", "7", "info"):
        assert part in ours
    for part in ("shard 3 connected", "discord.gateway", "info"):
        assert part in theirs


def test_json_is_one_object_a_line_with_its_traceback() -> None:
    stream = set_up(LogFormat.JSON)

    try:
        raise ValueError("a line\nand another")
    except ValueError:
        structlog.get_logger("bot.test").exception("it broke", incident="0badcafe")

    (line,) = stream.getvalue().splitlines()
    entry = json.loads(line)
    assert list(entry)[:4] == ["timestamp", "level", "event", "logger"]
    assert entry["incident"] == "0badcafe"
    assert "ValueError: a line\nand another" in entry["exception"]


@pytest.mark.parametrize("form", LogFormat)
@pytest.mark.parametrize("secret", [BOT_TOKEN, INTERACTION_TOKEN, PLAIN_SECRET])
def test_no_token_leaves_the_process(form: LogFormat, secret: str) -> None:
    """However it got there: text, argument, value, address, payload, header, error."""
    stream = set_up(form)
    structured, library = structlog.get_logger("bot.test"), logging.getLogger("discord.http")

    structured.info("posting", url=f"https://host/api/v10/webhooks/12/{secret}/messages/@original")
    structured.info(f"POST /interactions/12/{secret}/callback", answered=True)
    library.debug("received %s", {"t": "INTERACTION_CREATE", "d": {"token": secret, "id": "1"}})
    library.debug("received %s", json.dumps({"op": 2, "d": {"token": secret}}))
    library.info("headers %s", {"Authorization": f"Bot {secret}"}, extra={"token": secret})
    try:
        raise RuntimeError(f"404 for /webhooks/12/{secret}")
    except RuntimeError:
        structured.exception("failed")

    written = stream.getvalue()
    assert written.count("[redacted]") >= 6
    # A bare interaction token outside of every known place looks like any other word.
    leaks = [line for line in written.splitlines() if secret in line and "headers" not in line]
    assert leaks == []
    if secret != INTERACTION_TOKEN:
        assert secret not in written


def test_redaction_leaves_the_rest_alone() -> None:
    line = f"PATCH /webhooks/12/{INTERACTION_TOKEN}/messages/@original 200 match=31 ply=12"

    assert redact(line) == "PATCH /webhooks/12/[redacted]/messages/@original 200 match=31 ply=12"


@pytest.mark.parametrize(
    "line",
    ["the token of a player is a mark", "Bot started", "version 2026.11.21", "token=unchanged"],
)
def test_words_that_are_no_tokens_stay(line: str) -> None:
    assert redact(line) == line


def test_the_level_is_kept_and_libraries_that_chatter_are_quiet() -> None:
    stream = set_up(LogFormat.CONSOLE, LogLevel.WARNING)

    structlog.get_logger("bot.test").info("not this")
    logging.getLogger("discord").info("not this")
    logging.getLogger("sqlalchemy.engine").info("not this")
    logging.getLogger("sqlalchemy.engine").warning("but this")

    assert "not this" not in stream.getvalue()
    assert "but this" in stream.getvalue()


def test_set_up_again_replaces_the_first() -> None:
    first = set_up(LogFormat.CONSOLE)
    second = set_up(LogFormat.CONSOLE)

    structlog.get_logger("bot.test").info("once")

    assert first.getvalue() == ""
    assert second.getvalue().count("once") == 1


def test_warnings_become_log_lines() -> None:
    stream = set_up(LogFormat.JSON)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(capture=True)
        warnings.warn("an old way", DeprecationWarning, stacklevel=1)
        logging.captureWarnings(capture=False)

    assert "an old way" in json.loads(stream.getvalue())["event"]
