"""A match and its analysis as the pictures of `bot.render` want them."""

from __future__ import annotations

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
)
from cogs.analysis import texts
from cogs.people import told_names
from cogs.variants import name_of
from engine import Analysis, Judgement, MoveReview, format_move, load_variant


def evaluation(match: Match, analysis: Analysis, theme: Theme) -> tuple[bytes, str]:
    """Draw how the chances went; return the picture and its words."""
    # The moves of an opening were nobody's: the graph begins level with what they led to.
    chances = (analysis.chances[0],) * analysis.first_ply + analysis.chances
    picture = EvaluationPicture(
        chances,
        names=told_names(match),
        title=texts.graph_title(match),
        subtitle=name_of(load_variant(match.variant_key)),
        notes=tuple(_note(match, each) for each in analysis.reviews if each.judgement in _KINDS),
        accuracies=_accuracies(analysis),
        winner=match.winner,
        theme=theme,
        captions=captions(),
    )
    return draw_evaluation_graph(picture), describe_evaluation_graph(picture)


def replay(
    match: Match, ended: str | None, chances: tuple[float, ...] | None, theme: Theme
) -> tuple[bytes, str]:
    """Animate a finished match, with a bar if it was reviewed; return it and its words."""
    game = match.game
    positions = [game.start]
    for move in game.moves[len(game.opening_moves) :]:
        positions.append(positions[-1].after(move))
    off_board = match.outcome is None
    film = draw_replay(
        positions,
        told_names(match),
        evaluations=chances if chances and len(chances) == len(positions) else None,
        status=ended,
        is_over=off_board,
        winner=match.winner if off_board else None,
        theme=theme,
        captions=captions(),
    )
    told = Replay(tuple(positions), names=told_names(match), status=ended, is_over=off_board)
    return film, describe_replay(told)


_KINDS = {
    Judgement.BLUNDER: NoteKind.BLUNDER,
    Judgement.MISTAKE: NoteKind.MISTAKE,
    Judgement.INACCURACY: NoteKind.INACCURACY,
}


def _note(match: Match, found: MoveReview) -> PlyNote:
    return PlyNote(
        ply=found.ply + 1,
        side=found.side,
        kind=_KINDS[found.judgement],
        move=format_move(found.move, match.rules),
        better=format_move(found.best_move, match.rules),
        loss=found.loss,
    )


def _accuracies(analysis: Analysis) -> tuple[float, float] | None:
    accuracy = analysis.accuracy
    if accuracy.x is None or accuracy.o is None:
        return None
    return accuracy.x / 100, accuracy.o / 100
