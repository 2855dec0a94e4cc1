"""Structured logs: one set-up for our lines and for those of the libraries.

Everything goes through the standard library's root logger, so discord.py's,
SQLAlchemy's and alembic's lines come out in the same form. The finished line is
searched for tokens last of all, so none leaves the process, no matter who logged it.
"""

from __future__ import annotations

import logging
import re
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TextIO

import structlog

if TYPE_CHECKING:
    from collections.abc import MutableMapping
    from typing import Any

    from structlog.typing import Processor, WrappedLogger

    from bot.settings import Settings

REDACTED: Final = "[redacted]"

# An application's token is three runs of base64 with dots between them.
_BOT_TOKEN: Final = re.compile(r"[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}")
# Interaction and webhook tokens are part of the addresses they are used with.
_URL_TOKEN: Final = re.compile(r"(/(?:webhooks|interactions)/\d+/)[^/\s\"'?\\]+")
# Payloads that a library logs; the quotes may have been escaped by a JSON line.
_FIELD_TOKEN: Final = re.compile(r"(\\?[\"']token\\?[\"']\s*:\s*\\?[\"'])[^\"'\\]+")
_HEADER_TOKEN: Final = re.compile(r"(\bBo(?:t|t%20) |\bBearer )[\w.-]{20,}")

# These log every statement and every frame at INFO or DEBUG: a flood that nobody reads.
_QUIET: Final = ("aiosqlite", "sqlalchemy.engine", "sqlalchemy.pool", "PIL", "numba", "asyncio")


class LogLevel(StrEnum):
    """The least important line that is written."""

    DEBUG = "DEBUG"
    INFO = "INFO"
    WARNING = "WARNING"
    ERROR = "ERROR"
    CRITICAL = "CRITICAL"


class LogFormat(StrEnum):
    """How a line is written: for people, or one JSON object each for machines."""

    CONSOLE = "console"
    JSON = "json"


def redact(text: str) -> str:
    """Return `text` with everything that looks like a token replaced."""
    text = _BOT_TOKEN.sub(REDACTED, text)
    text = _HEADER_TOKEN.sub(rf"\1{REDACTED}", text)
    text = _URL_TOKEN.sub(rf"\1{REDACTED}", text)
    return _FIELD_TOKEN.sub(rf"\1{REDACTED}", text)


def set_up_logging(settings: Settings, *, stream: TextIO | None = None) -> None:
    """Send every log line to `stream` or standard error, replacing any earlier set-up.

    The token of `settings` is never written, whatever it looks like.
    """
    stream = sys.stderr if stream is None else stream
    token = settings.discord_token.get_secret_value() if settings.discord_token else ""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]

    def redact_line(_logger: WrappedLogger, _method: str, line: str) -> str:
        return redact(line.replace(token, REDACTED) if token else line)

    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *_renderers(settings.log_format, stream),
                redact_line,  # type: ignore[list-item]  # typed for dicts; runs after rendering
            ],
        )
    )
    _route_structlog(shared)
    logging.basicConfig(handlers=[handler], level=settings.log_level.value, force=True)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.captureWarnings(capture=True)


def _route_structlog(shared: list[Processor]) -> None:
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.stdlib.PositionalArgumentsFormatter(),
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,  # loggers made at import must follow a later set-up
    )


def _renderers(form: LogFormat, stream: TextIO) -> list[Processor]:
    if form is LogFormat.JSON:
        return [
            structlog.processors.format_exc_info,
            _event_first,
            structlog.processors.JSONRenderer(ensure_ascii=False, default=str),
        ]
    return [
        structlog.dev.ConsoleRenderer(
            colors=stream.isatty(), exception_formatter=structlog.dev.plain_traceback
        )
    ]


def _event_first(
    _logger: WrappedLogger, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Put the fields everybody looks for in front, so that raw lines can be read."""
    leading = ("timestamp", "level", "event", "logger")
    return {name: event[name] for name in leading if name in event} | dict(event)
