"""A PostgreSQL server for tests, with a fresh database for each that asks for one."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import psycopg

from bot.storage import upgrade

_TEMPLATE: Final = "todays_tables"
"""The test databases are copies of this one."""

# Its data need not survive a power cut.
_OPTIONS: Final = "-c listen_addresses= -c fsync=off -c full_page_writes=off -c shared_buffers=32MB"


def find_programs() -> Path | None:
    """Return the folder of PostgreSQL's programs; Debian keeps them off the path."""
    known = shutil.which("initdb")
    places = [Path(known)] if known else sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return places[-1].parent if places else None


@dataclass(slots=True)
class Server:
    """A server in a folder of its own, reached by a socket there.

    Attributes:
        programs: The folder of PostgreSQL's programs.
        folder: Where its data and its socket are.
    """

    programs: Path
    folder: Path
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._control("-w", "-o", f"{_OPTIONS} -k {self.folder}", "start")

    def stop(self, how: str = "fast") -> None:
        """Stop it: "fast" with a goodbye to everybody, "immediate" as if it had crashed."""
        self._control("-w", "-m", how, "stop")

    def url(self, database: str) -> str:
        """Return the `DATABASE_URL` of one of its databases."""
        return f"postgresql+psycopg://bot@/{database}?host={self.folder}"

    def new_database(self) -> str:
        """Make a database with today's tables, and return its `DATABASE_URL`."""
        name = f"test_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {_TEMPLATE}")
        return self.url(name)

    def execute(self, statement: str, database: str = "postgres") -> None:
        """Run a statement outside transactions."""
        with psycopg.connect(host=str(self.folder), user="bot", dbname=database) as connection:
            connection.autocommit = True
            connection.execute(statement.encode())

    def prepare(self) -> None:
        """Create its data, start it, and create the template of all databases."""
        given = ("-U", "bot", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
        self._run("initdb", "-D", str(self.folder / "data"), *given)
        self.start()
        self.execute(f"CREATE DATABASE {_TEMPLATE}")
        upgrade(self.url(_TEMPLATE))

    def _control(self, *given: str) -> None:
        log = ("-l", str(self.folder / "log"))
        self._run("pg_ctl", "-D", str(self.folder / "data"), *log, *given)

    def _run(self, program: str, *given: str) -> None:
        # The server's programs refuse to be run by root.
        user = "postgres" if os.geteuid() == 0 else None
        command = [str(self.programs / program), *given]
        done = subprocess.run(
            command, user=user, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"{command} failed"


@contextmanager
def running_server(programs: Path) -> Iterator[Server]:
    """Run a server until the block ends."""
    # Not below pytest's folders: only their owner may enter those, and a socket's path has to be
    # short.
    with tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as folder:
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        server = Server(programs, Path(folder))
        server.prepare()
        try:
            yield server
        finally:
            server.stop("immediate")
