"""`/rules`, `/variants` and `/help`: what a newcomer reads.

The rule of sending comes first: everyone asks for it.
"""

from __future__ import annotations

import asyncio
import io
from typing import Any, TypeAlias

import discord
from discord import app_commands
from discord.ext import commands

from bot.client import AT_ONCE_S, GameBot, Interaction
from bot.language import N_, _, current_language, number, pgettext, speaking, told
from bot.model.errors import NoMatchError
from bot.model.match import Match
from bot.model.ratings.pools import PLACEMENT_GAMES
from bot.render import BoardPicture, describe_position, draw_board
from bot.render.study_table import StudyPage, describe_study_table, draw_study_table, study_notes
from cogs.answering import answer, answering, picture, sealed
from cogs.options import DEFAULT_VARIANT, complete_variant, game_meant, read_variant
from engine import (
    VARIANTS,
    Position,
    RuleInWords,
    Rules,
    Variant,
    credit_of,
    example_of,
    explain_example,
    explain_rules,
    forced_win,
    load_strong_scores,
    load_study,
    load_variant,
    variant_of,
)

IMAGE_NAME = "example.png"

_BESIDE_BLOCK = ("unblock", "blocks")
"""Commands listed without a line of their own, for lack of room."""

AnyCommand: TypeAlias = app_commands.Command[Any, ..., Any] | app_commands.Group

RULES_HELP = "Which rules: a name, or options such as goal=five; default: your latest game's"

BUTTONS = N_(
    "### The buttons\n"
    "- Nine **green** buttons are the nine cells of the board you must play in, laid out "
    "as on the image.\n"
    "- Nine **blue** buttons mean that you may choose: first the board, then the cell.\n"
    "- **Other board** lets you choose again. **Bring to bottom** posts the board again "
    "at the bottom. **Resign** asks before it ends the game.\n"
    "- Games are kept: after a restart every button still works."
)


class RulesAndHelp(commands.Cog):
    """Explanations, shown to the one who asks and nobody else."""

    @app_commands.command()
    @app_commands.describe(variant=RULES_HELP)
    @app_commands.autocomplete(variant=complete_variant)
    async def rules(self, interaction: Interaction, variant: str | None = None) -> None:
        """Explain the rules, starting with the most important one."""
        async with answering(interaction):
            chosen, match = await _variant_meant(interaction, variant)
            heading = rules_heading(chosen, match, interaction.channel_id)
            # The rules speak of X and O, which the example shows to everybody.
            with speaking(current_language()):
                view = rules_view(chosen, heading)
                png = await asyncio.to_thread(draw_board, BoardPicture(example_of(chosen.rules)))
            file = discord.File(io.BytesIO(png), filename=IMAGE_NAME)
            await answer(interaction, view=view, files=[file], ephemeral=True)

    @app_commands.command()
    async def variants(self, interaction: Interaction) -> None:
        """Compare all variants: how long, how fair, how often drawn."""
        async with answering(interaction):
            view, files = await interaction.client.drawing.run(
                _variants_message, longest_wait_s=AT_ONCE_S
            )
            await answer(interaction, view=view, files=files, ephemeral=True)

    @app_commands.command()
    async def help(self, interaction: Interaction) -> None:
        """See how to play, and all commands."""
        async with answering(interaction):
            # Sorted as they are shown: each language has names of its own.
            there = interaction.client.tree.get_commands(type=discord.AppCommandType.chat_input)
            beside = [each for each in there if each.name in _BESIDE_BLOCK]
            lines = sorted(
                _command_line(each, beside if each.name == "block" else [])
                for each in there
                if each not in beside
            )
            first = _rule(explain_rules(load_variant(DEFAULT_VARIANT).rules)[0])
            credits = _credits_of(*VARIANTS.values())
            lines += _further_lines(interaction.client)
            text = "\n".join([first, _("### Commands"), *lines, _(BUTTONS), *credits])
            await answer(interaction, view=sealed(text), ephemeral=True)


async def _variant_meant(
    interaction: Interaction, text: str | None
) -> tuple[Variant, Match | None]:
    """Return the variant that is named, else that of the reader's latest game, with the game."""
    if text is not None:
        return load_variant(read_variant(text)), None
    try:
        match = await game_meant(interaction, None)
    except NoMatchError:
        return VARIANTS[DEFAULT_VARIANT], None
    return variant_of(match.rules), match


def rules_heading(variant: Variant, match: Match | None, channel_id: int | None) -> str:
    """Name and summarise the variant; say which game it is from if none was asked for."""
    lines = [f"## {told(variant.name)}", told(variant.summary)]
    if match is not None:
        is_here = match.channel_id == channel_id
        words = (
            _("-# The rules of game {number}, your latest here.")
            if is_here
            else _("-# The rules of game {number}, your latest.")
        )
        lines.append(words.format(number=match.id))
    return "\n".join(lines)


def rules_view(variant: Variant, heading: str) -> discord.ui.LayoutView:
    """Lay out the rules of `variant`, with its example beside the rule of sending."""
    sending, *others = explain_rules(variant.rules)
    alt = describe_position(example_of(variant.rules), ("", ""))
    image = discord.MediaGalleryItem(f"attachment://{IMAGE_NAME}", description=alt)
    # Rules that differ from the usual ones are stressed.
    usual = explain_rules(Rules(depth=variant.rules.depth))
    lines = [f"- {_rule(each, stressed=each not in usual)}" for each in others]
    if variant.note is not None:
        lines.append(f"- {told(variant.note)}")
    further = "\n".join([*lines, *_credits_of(variant)])
    return sealed(
        f"{heading}\n\n{_rule(sending)}",
        discord.ui.MediaGallery[Any](image),
        f"-# {told(explain_example(variant.rules))}\n{further}",
    )


def _variants_message() -> tuple[discord.ui.LayoutView, list[discord.File]]:
    """Lay out what variants there are and how they compare in our own study."""
    study = load_study()
    heading = _("### Variants\nName one in `/play variant:`; `/rules variant:` explains it.")
    lines = [
        f"- **{told(each.name)}** (`{each.key}`): {told(each.summary)}"
        for each in VARIANTS.values()
    ]
    text = "\n".join([heading, *lines, *_credits_of(*VARIANTS.values())])
    # A gallery each: side by side the tables would be too small to read on a phone.
    parts: list[Any] = [text]
    files = []
    for each in StudyPage:
        table = draw_study_table(study, page=each)
        gallery, file = picture(f"{each}.png", table, describe_study_table(study, each))
        parts += [gallery, "\n".join(f"-# {note}" for note in study_notes(study, each))]
        files.append(file)
    parts.append(_("-# The figures come from random games."))
    return sealed(*parts, _fairness_lines()), files


def _fairness_lines() -> str:
    """Tell how fair variants are under strong play, the fairest first, and which are won."""
    lines = [
        _("**How fair is it?** The first player's score in strong play; 50 % is fair."),
        _("-# A draw counts half. In brackets: how many games."),
    ]
    words = _("- {variant}: {score} ± {error} ({games})")
    won = {
        key: each
        for key, each in VARIANTS.items()
        if not each.rules.needs_opening_code
        and forced_win(Position.initial(each.rules)) is not None
    }
    played = load_strong_scores().items()
    for key, found in sorted(played, key=lambda each: abs(each[1].score.value - 0.5)):
        if key in VARIANTS and key not in won:
            name, score = told(VARIANTS[key].name), f"{number(100 * found.score.value, '0')} %"
            error = number(196 * (found.score.error or 0), "0")  # at 95 % confidence
            games = number(found.games)
            lines.append(words.format(variant=name, score=score, error=error, games=games))
    words = _("- Proved: with best play X always wins in {variants}")
    lines.append(words.format(variants=", ".join(told(each.name) for each in won.values())))
    return "\n".join(lines)


def _rule(said: RuleInWords, *, stressed: bool = True) -> str:
    gist = told(said.gist)
    return " ".join([f"**{gist}**" if stressed else gist, *map(told, said.details)])


def _credits_of(*variants: Variant) -> list[str]:
    """Name the authors of those variants that have one, once each."""
    found = {told(credit) for each in variants if (credit := credit_of(each.rules)) is not None}
    return [f"-# {credit}" for credit in sorted(found)]


def _command_line(command: AnyCommand, beside: list[AnyCommand]) -> str:
    """Describe a command and name others beside it, as clients of this language show it.

    The commands of a group stand beside its first.
    """
    grouped = command.commands if isinstance(command, app_commands.Group) else (command, *beside)
    first, *others = grouped
    names = " ".join(pgettext("command", word) for word in first.qualified_name.split())
    listed = [f"`/{names}`", *(pgettext("command", each.name) for each in others)]
    return f"- {' · '.join(listed)}: {pgettext('description', command.description)}"


def _further_lines(bot: GameBot) -> list[str]:
    """Say what is in the menu of a person, as clients of this language show it; and of ratings."""
    menus = bot.tree.get_commands(type=discord.AppCommandType.user)
    names = " · ".join(f"**{pgettext('menu', each.name)}**" for each in menus)
    words = _("- Right-click someone, or tap their name on a phone, then **Apps**: {menus}")
    ratings = _("- Ratings: games between people count; yours is shown after {count} of them.")
    return [words.format(menus=names), ratings.format(count=PLACEMENT_GAMES)]


async def setup(bot: GameBot) -> None:
    """Add the commands."""
    await bot.add_cog(RulesAndHelp())
