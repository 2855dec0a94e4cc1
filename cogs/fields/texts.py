"""What is said about printable fields."""

from __future__ import annotations

from collections.abc import Sequence

from bot.render.fields import Drawing

CREDIT = (
    "-# Strategic Tic-Tac-Toe: game idea and fields by Mikhail Demchenko and Anton Shashkov, "
    "CC-BY 4.0, <https://github.com/echo-Mike/STTT>. This drawing is ours. "
    "Print the PDF at 100 %, without fitting it to the page."
)


def heading(sheets: Sequence[Drawing]) -> str:
    """Name the field, and say how many sheets its game needs."""
    pages = "" if len(sheets) == 1 else f", {len(sheets)} sheets"
    return f"### {sheets[0].title}{pages}"
