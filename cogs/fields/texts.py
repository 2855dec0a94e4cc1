"""What is said about printable fields."""

from __future__ import annotations

from collections.abc import Sequence

from bot.language import N_, ngettext
from bot.render.fields import Drawing

CREDIT = N_(
    "-# Strategic Tic-Tac-Toe: game idea and fields by Mikhail Demchenko and Anton Shashkov, "
    "CC-BY 4.0, <https://github.com/echo-Mike/STTT>. This drawing is ours. "
    "Print the PDF at 100 %, without fitting it to the page."
)


def heading(sheets: Sequence[Drawing]) -> str:
    """Name the field, and say how many sheets its game needs."""
    title = f"### {sheets[0].title}"
    if len(sheets) == 1:
        return title
    words = ngettext("{title}, {count} sheet", "{title}, {count} sheets", len(sheets))
    return words.format(title=title, count=len(sheets))
