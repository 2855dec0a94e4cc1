"""`/review`: how well both played, which moves decided the game, and the game step by step."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands
from discord.utils import escape_markdown

from bot.client import Interaction
from bot.language import _, mark_of, percent, told
from bot.model.match import Match
from bot.operations import HEAVY
from bot.render import (
    EvaluationPicture,
    PlyNote,
    Theme,
    captions,
    describe_evaluation_graph,
    draw_evaluation_graph,
    status_line,
)
from cogs.after import MATCH, Shared, share_button
from cogs.analysis.steps import (
    COSTLY,
    NOTE_KINDS,
    REVIEW_AT,
    SUMMARY,
    describe_step,
    draw_step,
    entrance,
    judgement_of,
    positions_of,
    steps_of,
    turning,
)
from cogs.answering import Button, GameItem, answering, defer, fulfil, picture, sealed
from cogs.audience import Presentation, own_presentation, shared_presentation, told_names
from cogs.options import ANY_GAME_HELP, complete_any_game, finished_game
from cogs.pages import belongs_to
from cogs.play.layout import chosen_path
from cogs.play.texts import image_status, text_board
from engine import Analysis, MoveReview, O, Ply, X, format_move, load_variant

LISTED = 6
"""The moves listed in a review; the picture shows them all."""


class Reviews(commands.Cog):
    """The engine's opinion."""

    @app_commands.command(extras={"cost": HEAVY})
    @app_commands.describe(game=ANY_GAME_HELP)
    @app_commands.autocomplete(game=complete_any_game)
    async def review(self, interaction: Interaction, game: int | None = None) -> None:
        """Analyse a finished game step by step: accuracy, turning points, better moves."""
        async with answering(interaction):
            await post_review(interaction, await finished_game(interaction, game))


class ReviewButton(GameItem, template=rf"review:{MATCH}"):
    """Reviews a finished game."""

    match_id: int
    cost = HEAVY

    async def pressed(self, interaction: Interaction) -> None:
        """Answer in private: others may not want to know yet."""
        match = await finished_game(interaction, self.match_id)
        await post_review(interaction, match, private=True)


class ReviewAtButton(GameItem, template=REVIEW_AT):
    """Turns a review to a move, or back to its summary."""

    owner_id: int
    match_id: int
    ply: int
    key: str

    async def pressed(self, interaction: Interaction) -> None:
        """Turn the page if the user asked for the review; others get one of their own."""
        message = interaction.message
        update = belongs_to(interaction, self.owner_id)
        private = not update or (message is not None and message.flags.ephemeral)
        match = await finished_game(interaction, self.match_id)
        at = None if self.key == SUMMARY else self.ply
        await post_review(interaction, match, private=private, update=update, at=at)


async def post_review(
    interaction: Interaction,
    match: Match,
    *,
    private: bool = False,
    update: bool = False,
    at: Ply | None = None,
) -> None:
    """Answer with a review, or put another page of it into the clicked message.

    Args:
        interaction: The interaction to answer.
        match: A finished match that the user may see.
        private: Whether only the user sees it; they may share it.
        update: Whether the clicked message is the review.
        at: The ply whose position is shown; None for the summary.
    """
    await defer(interaction, ephemeral=private, thinking=not update)
    who = interaction.user.id
    analysis = await interaction.client.reviews.review(match, who=who)
    presentation = await (own_presentation if private else shared_presentation)(interaction)
    with presentation.spoken():
        text, drawn, rows = await interaction.client.drawing.run(
            _page, match, analysis, at, who, presentation, who=who
        )
        gallery, file = picture("review.png", *drawn)
        if private:
            rows[-1].append(share_button(match, Shared.REVIEW))
        view = sealed(text, gallery, *filter(None, rows))
    await fulfil(interaction, view=view, files=[file])


def _page(
    match: Match, analysis: Analysis, at: Ply | None, owner_id: int, presentation: Presentation
) -> tuple[str, tuple[bytes, str], list[list[Button]]]:
    """Return the text, the picture and the buttons of a page; draws, so it needs a thread."""
    if at is None:
        text, rows = describe_review(match, analysis), [entrance(match, analysis, owner_id)]
        return text, draw_review(match, analysis, presentation.theme), rows
    ply = min(max(at, analysis.first_ply), steps_of(analysis))
    text, rows = describe_step(match, analysis, ply), turning(match, analysis, ply, owner_id)
    if presentation.text_board:
        position = positions_of(match)[ply - analysis.first_ply]
        text += f"\n{text_board(position, chosen_path(position, ()))}"
    return text, draw_step(match, analysis, ply, presentation.theme), rows


def draw_review(match: Match, analysis: Analysis, theme: Theme) -> tuple[bytes, str]:
    """Draw how the chances went; return the picture and its alt text."""
    accuracy, variant = analysis.accuracy, told(load_variant(match.variant_key).name)
    graph = EvaluationPicture(
        # Nobody chose the opening's moves: the graph starts flat, at the chances they led to.
        (analysis.chances[0],) * analysis.first_ply + analysis.chances,
        names=told_names(match),
        # The names stand below, each in full: a sentence with two of them would be cut.
        title=image_status(match, (mark_of(X), mark_of(O))) or status_line(match.position),
        subtitle=f"{_('Game {number}').format(number=match.id)} · {variant}",
        notes=tuple(
            PlyNote(
                ply=each.ply + 1,
                side=each.side,
                kind=NOTE_KINDS[each.judgement],
                move=format_move(each.move, match.rules),
                better=format_move(each.best_move, match.rules),
                loss=each.loss,
            )
            for each in analysis.reviews
            if each.judgement in NOTE_KINDS
        ),
        accuracies=None
        if accuracy.x is None or accuracy.o is None
        else (accuracy.x / 100, accuracy.o / 100),
        winner=match.winner,
        theme=theme,
        captions=captions(),
    )
    return draw_evaluation_graph(graph), describe_evaluation_graph(graph)


def describe_review(match: Match, analysis: Analysis) -> str:
    """Say how well both played, and which moves decided the game."""
    x, o = (escape_markdown(name) for name in told_names(match))
    accuracy = analysis.accuracy
    lines = [
        _("### Review of game {number}").format(number=match.id),
        f"**{x}** ({mark_of(X)}): {_accuracy(accuracy.x)} · "
        f"**{o}** ({mark_of(O)}): {_accuracy(accuracy.o)}",
    ]
    decisive = sorted(analysis.reviews, key=lambda each: each.loss, reverse=True)
    costly = [each for each in decisive if each.judgement in COSTLY][:LISTED]
    if costly:
        lines.append(_("The moves that cost most:"))
        # After the last one the winner was ahead to the end.
        turned = analysis.turning_points[-1:]
        lines += [
            _costly(match, each, has_turned=each in turned)
            for each in sorted(costly, key=lambda each: each.ply)
        ]
    else:
        lines.append(_("Nobody made a mistake worth naming."))
    note = _(
        "-# Accuracy: 100 for playing the best move every time. Percentages are what the player "
        "could expect before and after the move."
    )
    return "\n".join([*lines, note])


def _accuracy(value: float | None) -> str:
    if value is None:
        return _("no choices to judge")
    return _("accuracy {value}").format(value=f"{value:.0f}")


def _costly(match: Match, found: MoveReview, *, has_turned: bool) -> str:
    words = _("- Move {number}, {side} **{move}**: {judgement} ({before} to {after}); {better}")
    judgement = judgement_of(found)
    if has_turned:
        judgement += ", " + _("the turning point")
    better = format_move(found.best_move, match.rules)
    return words.format(
        number=found.ply + 1,
        side=mark_of(found.side),
        move=format_move(found.move, match.rules),
        judgement=judgement,
        before=percent(found.chance_before),
        after=percent(found.chance_after),
        better=_("better was **{move}**").format(move=better),
    )


BUTTONS = (ReviewButton, ReviewAtButton)
