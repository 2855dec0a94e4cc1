"""What a program of faults has done and found."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The result of a program.

    Attributes:
        what: What was done, such as "kill -9 in the middle of moves".
        cases: How many times.
        bar: The required result.
        measured: The actual result.
        found: What is wrong, as sentences; empty if nothing is.
    """

    what: str
    cases: int
    bar: str
    measured: str
    found: tuple[str, ...] = ()

    @property
    def figure(self) -> dict[str, object]:
        """The arguments for the fixture `figure`."""
        values = asdict(self)
        del values["found"]
        return values

    def __str__(self) -> str:
        lines = (f"{self.what}: {self.cases:,} cases", f"{self.measured} (bar: {self.bar})")
        return "\n".join((*lines, *(f"FOUND: {each}" for each in self.found)))
