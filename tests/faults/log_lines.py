"""What a bot and its libraries log when something is wrong."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import structlog
from structlog.testing import capture_logs

from tests.cogs.table import JSON


@dataclass(slots=True)
class Lines:
    """What has gone wrong in a batch, from the logs."""

    lines: list[JSON] = field(default_factory=list)

    def note(self, _logger: object, method: str, line: Any) -> Any:
        """Keep errors and lost answers, with the traceback of the exception being handled."""
        if method in ("error", "exception", "critical") or line["event"] == "answer lost":
            if line.get("exc_info"):
                line = line | {"traceback": traceback.format_exc()}
            self.lines.append(dict(line))
        raise structlog.DropEvent

    def emit(self, record: logging.LogRecord) -> None:
        """Keep errors of the libraries."""
        trace = "".join(traceback.format_exception(*record.exc_info)) if record.exc_info else ""
        self.lines.append({"event": record.getMessage(), "traceback": trace})


@contextmanager
def noted() -> Iterator[Lines]:
    """Note errors of the bot and its libraries while the block runs."""
    lines, handler = Lines(), logging.Handler(logging.ERROR)
    handler.emit = lines.emit  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    try:
        with capture_logs(processors=[lines.note]):
            yield lines
    finally:
        logging.getLogger().removeHandler(handler)
