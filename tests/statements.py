"""SQL that is compiled once for all databases of a run instead of once for each."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from sqlalchemy import Connection, Engine, event


class _Statements(dict[Any, Any]):
    """What SQLAlchemy has compiled, by all of its key but the engine's own dialect."""

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get(key[1:], default)

    def __setitem__(self, key: Any, compiled: Any) -> None:
        super().__setitem__(key[1:], compiled)


def compile_once() -> None:
    """Let all engines of a dialect and driver share their statements.

    A bot compiles its statements once. Tests open a database each, and spend a quarter of their
    time on compiling the same again.
    """
    compiled: defaultdict[tuple[str, str], _Statements] = defaultdict(_Statements)

    def share(connection: Connection) -> None:
        kind = connection.dialect.name, connection.dialect.driver
        connection.execution_options(compiled_cache=compiled[kind])

    event.listen(Engine, "engine_connect", share)
