"""`/hint`, `/review` and `/replay`: what the engine thinks of a game, and a game shown again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import discord
from discord import app_commands
from discord.ext import commands
from discord.utils import escape_markdown

from bot.language import _, ngettext, percent, pgettext, speaking, told
from bot.model.errors import MatchError, MatchNotOverError, MatchOverError, NotYourTurnError
from bot.model.match import Match
from bot.render import (
    EvaluationPicture,
    NoteKind,
    PlyNote,
    Replay,
    Theme,
    captions,
    describe_evaluation_graph,
    describe_replay,
    draw_evaluation_graph,
    draw_replay,
    status_line,
)
from cogs.after import REPLAY, REVIEW, Shared, share_button
from cogs.answering import GameItem, answering, defer, fulfil, picture, sealed
from cogs.audience import own_presentation, shared_presentation, told_names
from cogs.options import GAME_HELP, complete_any_game, complete_game, game_meant, game_seen
from cogs.play.texts import image_status
from engine import (
    MARKS,
    Analysis,
    Hint,
    Judgement,
    MoveReview,
    Proof,
    format_move,
    load_variant,
)

if TYPE_CHECKING:
    from bot.client import GameBot

ANY_GAME_HELP = "The number of a game; default: your latest in this channel"

LISTED = 6
"""The moves listed in a review; the picture shows them all."""

COSTLY = (Judgement.MISTAKE, Judgement.BLUNDER)

NOTE_KINDS = {
    Judgement.BLUNDER: NoteKind.BLUNDER,
    Judgement.MISTAKE: NoteKind.MISTAKE,
    Judgement.INACCURACY: NoteKind.INACCURACY,
}


class AnalysisCog(commands.Cog):
    """The engine's opinion."""

    def __init__(self, bot: GameBot) -> None:
        self.bot = bot

    @app_commands.command()
    @app_commands.describe(game=GAME_HELP)
    @app_commands.autocomplete(game=complete_game)
    async def hint(
        self, interaction: discord.Interaction[GameBot], game: int | None = None
    ) -> None:
        """See the three best moves with their chances, in private."""
        async with answering(interaction):
            match = await game_meant(interaction, game)
            _require_turn(match, interaction.user.id)
            # Thinking may have to wait for other players' hints.
            await defer(interaction, ephemeral=True)
            found = await self.bot.analyst.hints(match.position)
            await fulfil(interaction, view=sealed(_hints(match, found)))

    @app_commands.command()
    @app_commands.describe(game=ANY_GAME_HELP)
    @app_commands.autocomplete(game=complete_any_game)
    async def review(
        self, interaction: discord.Interaction[GameBot], game: int | None = None
    ) -> None:
        """Analyse a finished game: accuracy, turning points, better moves."""
        async with answering(interaction):
            await post_review(interaction, await finished_game(interaction, game))

    @app_commands.command()
    @app_commands.describe(game=ANY_GAME_HELP)
    @app_commands.autocomplete(game=complete_any_game)
    async def replay(
        self, interaction: discord.Interaction[GameBot], game: int | None = None
    ) -> None:
        """Watch an animated replay of a finished game."""
        async with answering(interaction):
            await post_replay(interaction, await finished_game(interaction, game))


class ReviewButton(GameItem, template=REVIEW):
    """Reviews a finished game."""

    match_id: int

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Answer in private: others may not want to know yet."""
        match = await finished_game(interaction, self.match_id)
        await post_review(interaction, match, private=True)


class ReplayButton(GameItem, template=REPLAY):
    """Shows a finished game again."""

    match_id: int

    async def pressed(self, interaction: discord.Interaction[GameBot]) -> None:
        """Answer in private; what is shown can be shared."""
        match = await finished_game(interaction, self.match_id)
        await post_replay(interaction, match, private=True)


def _require_turn(match: Match, user_id: int) -> None:
    """Raise unless the player is to move: hints are for one's own decisions."""
    if match.is_over:
        raise MatchOverError(match)
    seat = match.seat_to_move
    if seat is None or seat.player_id != user_id:
        raise NotYourTurnError(match)
    if match.rated:
        raise MatchError(match, _("This game is rated: there are no hints in it."))


async def finished_game(interaction: discord.Interaction[GameBot], game: int | None) -> Match:
    """Return the finished match that is meant: any that one may see, else one's latest.

    Raises:
        PlayerError: If there is none, or it is still going on.
    """
    bot = interaction.client
    if game is not None:
        match = await game_seen(interaction, game)
    elif latest := (await bot.ratings.history_of(interaction.user.id, limit=1)).entries:
        match = await bot.matches.load(latest[0].match_id)
    else:
        match = await game_meant(interaction, None)
    if not match.is_over:
        raise MatchNotOverError(match)
    return match


async def post_review(
    interaction: discord.Interaction[GameBot], match: Match, *, private: bool = False
) -> None:
    """Answer with a review; with `private` only who asked sees it, and may share it."""
    await defer(interaction, ephemeral=private, thinking=True)
    analysis = await interaction.client.reviews.review(match)
    presentation = await (own_presentation if private else shared_presentation)(interaction)
    with speaking(presentation.language):
        graph = await asyncio.to_thread(draw_review, match, analysis, presentation.theme)
        gallery, file = picture("review.png", *graph)
        share = [[share_button(match, Shared.REVIEW)]] if private else []
        view = sealed(describe_review(match, analysis), gallery, *share)
    await fulfil(interaction, view=view, files=[file])


async def post_replay(
    interaction: discord.Interaction[GameBot], match: Match, *, private: bool = False
) -> None:
    """Answer with a replay; with `private` only who asked sees it, and may share it."""
    await defer(interaction, ephemeral=private, thinking=True)
    chances = await interaction.client.reviews.chances_of(match.id)
    presentation = await (own_presentation if private else shared_presentation)(interaction)
    with speaking(presentation.language):
        film = await asyncio.to_thread(draw_film, match, chances, presentation.theme)
        gallery, file = picture("replay.gif", *film)
        share = [[share_button(match, Shared.REPLAY)]] if private else []
        view = sealed(_describe_film(match, has_bar=chances is not None), gallery, *share)
    await fulfil(interaction, view=view, files=[file])


def draw_review(match: Match, analysis: Analysis, theme: Theme) -> tuple[bytes, str]:
    """Draw how the chances went; return the picture and its words."""
    accuracy, variant = analysis.accuracy, told(load_variant(match.variant_key).name)
    graph = EvaluationPicture(
        # The moves of an opening were nobody's: the graph begins level with what they led to.
        (analysis.chances[0],) * analysis.first_ply + analysis.chances,
        names=told_names(match),
        # The names stand below, each in full: a sentence with two of them would be cut.
        title=image_status(match, MARKS) or status_line(match.position),
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


def draw_film(match: Match, chances: tuple[float, ...] | None, theme: Theme) -> tuple[bytes, str]:
    """Animate a finished match, with a bar if it was reviewed; return it and its words."""
    game = match.game
    positions = [game.start]
    for move in game.moves[len(game.opening_moves) :]:
        positions.append(positions[-1].after(move))
    names, ended = told_names(match), image_status(match, MARKS)
    off_board = match.outcome is None
    film = Replay(
        positions,
        names=names,
        evaluations=chances if chances and len(chances) == len(positions) else None,
        status=ended,
        is_over=off_board,
        winner=match.winner if off_board else None,
        theme=theme,
        captions=captions(),
    )
    return draw_replay(film), describe_replay(film)


def _hints(match: Match, found: Sequence[Hint]) -> str:
    """List the best moves with their chances, for the one whose turn it is."""
    heading = _("### Game {number}: {side} to move").format(
        number=match.id, side=MARKS[match.position.side]
    )
    note = _("-# Chances with good play from both; a draw counts half.")
    return "\n".join([heading, *(_hint(match, hint) for hint in found), note])


def _hint(match: Match, hint: Hint) -> str:
    cells = [format_move(move, match.rules) for move in hint.line]
    said = f"- **{cells[0]}**: {_chance(hint)}"
    if cells[1:]:
        said += _(", then likely {moves}").format(moves=" ".join(cells[1:4]))
    return said


def _chance(hint: Hint) -> str:
    if hint.proven is None:
        return percent(hint.chance)
    sure = {
        Proof.WIN: _("a certain win"),
        Proof.DRAW: _("a certain draw"),
        Proof.LOSS: _("a certain loss"),
    }[hint.proven]
    if not hint.at_most_plies:
        return sure
    within = ngettext(
        "{result} in at most {count} ply",
        "{result} in at most {count} plies",
        hint.at_most_plies,
    )
    return within.format(result=sure, count=hint.at_most_plies)


def describe_review(match: Match, analysis: Analysis) -> str:
    """Say how well both played, and which moves decided the game."""
    x, o = (escape_markdown(name) for name in told_names(match))
    accuracy = analysis.accuracy
    lines = [
        _("### Review of game {number}").format(number=match.id),
        f"**{x}** (X): {_accuracy(accuracy.x)} · **{o}** (O): {_accuracy(accuracy.o)}",
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
    judgement = {
        Judgement.MISTAKE: pgettext("a bad move", "mistake"),
        Judgement.BLUNDER: pgettext("a bad move", "blunder"),
    }[found.judgement]
    if has_turned:
        judgement += ", " + _("the turning point")
    better = format_move(found.best_move, match.rules)
    return words.format(
        number=found.ply + 1,
        side=MARKS[found.side],
        move=format_move(found.move, match.rules),
        judgement=judgement,
        before=percent(found.chance_before),
        after=percent(found.chance_after),
        better=_("better was **{move}**").format(move=better),
    )


def _describe_film(match: Match, *, has_bar: bool) -> str:
    """Say which game is shown again, and how its replay comes to show the chances."""
    x, o = (escape_markdown(name) for name in told_names(match))
    heading = _("### Game {number}: {x} (X) against {o} (O)").format(number=match.id, x=x, o=o)
    said = f"{heading}\n{told(match.result_in_words)}."
    if not has_bar:
        note = _("-# After a `/review` of this game its replay shows the chances as well.")
        said += f"\n{note}"
    return said


BUTTONS = (ReviewButton, ReplayButton)


async def setup(bot: GameBot) -> None:
    """Add the commands and make every button ever sent work again."""
    bot.add_dynamic_items(*BUTTONS)
    await bot.add_cog(AnalysisCog(bot))
