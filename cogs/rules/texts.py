"""The words of `/rules` and `/help`. The rule of sending comes first: everyone asks for it."""

from __future__ import annotations

from bot.language import N_, _, pgettext
from bot.model.match import Match
from cogs.variants import name_of
from engine import RuleInWords, Rules, Variant, credit_of, explain_rules

VARIANTS_HEADING = N_("### Variants\nName one in `/play variant:`; `/rules variant:` explains it.")

STUDY_NOTE = N_("-# The figures come from random games.")

COMMANDS_HEADING = N_("### Commands")

BUTTONS = N_(
    "### The buttons\n"
    "- Nine **green** buttons are the nine cells of the board you must play in, laid out "
    "as on the image.\n"
    "- Nine **blue** buttons mean that you may choose: first the board, then the cell.\n"
    "- **Other board** lets you choose again. **Bring to bottom** posts the board again "
    "at the bottom. **Resign** asks before it ends the game.\n"
    "- Games are kept: after a restart every button still works."
)


def rules_heading(variant: Variant, match: Match | None, channel_id: int | None) -> str:
    """Name the variant, say in a line what it is, and in which game if none was asked for."""
    lines = [f"## {name_of(variant)}", variant.summary.told(_)]
    if match is not None:
        is_here = match.channel_id == channel_id
        words = (
            _("-# The rules of game {number}, your latest here.")
            if is_here
            else _("-# The rules of game {number}, your latest.")
        )
        lines.append(words.format(number=match.id))
    return "\n".join(lines)


def rule(told: RuleInWords, *, stressed: bool = True) -> str:
    """Say a rule, stressed or not."""
    gist = told.gist.told(_)
    details = (each.told(_) for each in told.details)
    return " ".join([f"**{gist}**" if stressed else gist, *details])


def further_rules(variant: Variant) -> str:
    """Say the rules beside that of sending, what is special about them stressed."""
    usual = explain_rules(Rules(depth=variant.rules.depth))
    lines = [
        f"- {rule(each, stressed=each not in usual)}" for each in explain_rules(variant.rules)[1:]
    ]
    if variant.note is not None:
        lines.append(f"- {variant.note.told(_)}")
    return "\n".join([*lines, *credits_of(variant)])


def credits_of(*variants: Variant) -> list[str]:
    """Name the authors of games that are somebody's, once each."""
    found = {credit.told(_) for each in variants if (credit := credit_of(each.rules)) is not None}
    return [f"-# {credit}" for credit in sorted(found)]


def command_line(name: str, description: str) -> str:
    """Describe one command in the list of all, as clients of this language show it."""
    words = (pgettext("command", word) for word in name.split())
    return f"- `/{' '.join(words)}`: {pgettext('description', description)}"


def variant_line(variant: Variant) -> str:
    """Describe one variant in the list of all."""
    return f"- **{name_of(variant)}** (`{variant.key}`): {variant.summary.told(_)}"
