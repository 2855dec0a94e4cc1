"""The words of `/rules` and `/help`. The rule of sending comes first: everyone asks for it."""

from __future__ import annotations

from bot.language import N_, _, pgettext
from cogs.variants import description_of, summary_of
from engine import Rules, Variant

STANDARD = Rules()
"""The rules that everything else is explained by its differences from."""

SENDING = N_(
    "**The cell you play names the board your opponent must play in next.** "
    "Play the top right cell of any board, and your opponent has to answer in the top right board."
)

EXAMPLE_ALT = N_(
    "Example: X has played the top right cell of the centre board, cell 3 of board 5. "
    "O must now play in the top right board, board 3, which is highlighted."
)

BASICS = N_("""\
- There are nine boards of nine cells. Boards and cells are both numbered 1 to 9, row by row from \
the top left, so `53` is cell 3 of board 5.
- Three of your marks in a row win a board. A board once won stays won.
- Three of your boards in a row win the game.
- If the board you are sent to is won or full, you choose freely among the boards still open.
- When every board is decided and nobody has three in a row, it is a draw.""")

EXAMPLE = N_("In the picture X has just played `53`, so O must play in board 3.")

VARIANTS_HEADING = N_("### Variants\nName one in `/play variant:`; `/rules variant:` explains it.")

STUDY_NOTE = N_(
    "-# The figures are our own, from random play. The published fairness figures beside them "
    "came from 100 games each: chance alone moves them by about 11 points."
)

COMMANDS_HEADING = N_("### Commands")

BUTTONS = N_("""\
### The buttons
- Nine **green** buttons are the nine cells of the board you must play in, laid out as on the image.
- Nine **blue** buttons mean that you may choose: first the board, then the cell.
- **Other board** takes such a choice back. **Move down** posts the board again below. \
**Resign** asks before it ends the game.
- Games are kept: after a restart every button works on.""")


def rules_heading(variant: Variant) -> str:
    """Name the variant and say in a line what it is."""
    name = _(variant.name)
    return f"## {name}\n{summary_of(variant)}"


def differences(variant: Variant) -> str:
    """Say how the variant differs from Standard; empty for Standard itself."""
    if variant.rules == STANDARD or not variant.description:
        return ""
    heading = _("### How {variant} differs").format(variant=_(variant.name))
    return f"{heading}\n{description_of(variant)}"


def command_line(name: str, description: str) -> str:
    """Describe one command in the list of all, as clients of this language show it."""
    words = (pgettext("command", word) for word in name.split())
    return f"- `/{' '.join(words)}`: {pgettext('description', description)}"


def variant_line(variant: Variant) -> str:
    """Describe one variant in the list of all."""
    return f"- **{_(variant.name)}** (`{variant.key}`): {_(variant.summary)}"
