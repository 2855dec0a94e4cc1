"""A review move by move: each position drawn with what was played and what was better.

The custom ids of its buttons stay in use: add forms, never change one.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Final

import discord

from bot.language import _, label, mark_of, percent, pgettext, told
from bot.model.match import Match
from bot.render import (
    Advice,
    BoardPicture,
    CellNote,
    Theme,
    describe_position,
    draw_board,
)
from bot.render.graphs import SIGNS
from cogs.analysis.hints import located
from cogs.answering import Button, button
from cogs.audience import told_names
from cogs.play.layout import MATCH, PLY
from cogs.play.texts import image_status
from engine import Analysis, Judgement, MoveReview, Ply, Position, format_move

SUMMARY: Final = "summary"
REVIEW_AT = (
    rf"review-at:(?P<owner_id>\d{{1,19}}):{MATCH}:{PLY}:"
    rf"(?P<key>first|back|next|last|mistake|{SUMMARY})"
)

COSTLY = (Judgement.MISTAKE, Judgement.BLUNDER)


def steps_of(analysis: Analysis) -> Ply:
    """Return the ply of the last position."""
    return analysis.first_ply + len(analysis.reviews)


def _move_to(analysis: Analysis, ply: Ply) -> MoveReview | None:
    """Return the move that led to a position; None for the first one."""
    return analysis.reviews[ply - analysis.first_ply - 1] if ply > analysis.first_ply else None


def positions_of(match: Match) -> list[Position]:
    """Return the positions of a match: after its opening, then after each move."""
    game = match.game
    moves = game.moves[len(game.opening_moves) :]
    return list(accumulate(moves, Position.after, initial=game.start))


def draw_step(match: Match, analysis: Analysis, ply: Ply, theme: Theme) -> tuple[bytes, str]:
    """Draw a position of a finished match; return the picture and its alt text.

    The move that led there is marked; if it was a bad one, with its sign, and the better one too.
    """
    position = positions_of(match)[ply - analysis.first_ply]
    notes: tuple[CellNote, ...] = ()
    if (found := _move_to(analysis, ply)) is not None:
        is_bad = found.judgement in SIGNS
        sign = (SIGNS[found.judgement],) if is_bad else ()
        notes = (CellNote(found.move, Advice.PLAYED, label=sign),)
        if is_bad:
            notes += (CellNote(found.best_move, Advice.BEST, mark=found.side),)
    is_last = ply == match.ply
    names, status = told_names(match), image_status(match) if is_last else None
    board = BoardPicture(
        position,
        names=names,
        status=status,
        is_over=is_last,
        winner=match.winner if is_last else None,
        notes=notes,
        theme=theme,
    )
    return draw_board(board), describe_position(position, names, status=status, notes=notes)


def describe_step(match: Match, analysis: Analysis, ply: Ply) -> str:
    """Say which move led to a position, what it was worth, and what was better."""
    lines = [_("### Review of game {number}").format(number=match.id)]
    found = _move_to(analysis, ply)
    if found is None:
        opening = " ".join(format_move(move, match.rules) for move in match.game.opening_moves)
        lines.append(
            _("The game begins after the opening {moves}.").format(moves=opening)
            if opening
            else _("Before the first move.")
        )
    else:
        lines += _told_move(match, found)
    if ply == match.ply:
        lines.append(_("Game over: {result}.").format(result=told(match.result_in_words)))
    return "\n".join(lines)


def _told_move(match: Match, found: MoveReview) -> list[str]:
    before, after = percent(found.chance_before), percent(found.chance_after)
    move = _("Move {number}: {side} played {move}").format(
        number=found.ply + 1, side=mark_of(found.side), move=located(found.move, match)
    )
    judgement = judgement_of(found)
    if before == after:
        words = _("Chances of {side}: {after}.")
    else:
        words = _("Chances of {side}: {before} → {after}.")
    lines = [
        f"{move} ({judgement}).",
        words.format(side=mark_of(found.side), before=before, after=after),
    ]
    if found.judgement in SIGNS:
        better = located(found.best_move, match)
        lines.append(_("Better: {move}.").format(move=better))
    return lines


def judgement_of(found: MoveReview) -> str:
    """Judge a move in a word or two."""
    if found.is_forced:
        return pgettext("a move", "the only legal move")
    return {
        Judgement.BEST: pgettext("a move", "the best move"),
        Judgement.GOOD: pgettext("a move", "a good move"),
        Judgement.INACCURACY: pgettext("a bad move", "inaccuracy"),
        Judgement.MISTAKE: pgettext("a bad move", "mistake"),
        Judgement.BLUNDER: pgettext("a bad move", "blunder"),
    }[found.judgement]


def entrance(match: Match, analysis: Analysis, owner_id: int) -> list[Button]:
    """Return the buttons that lead from the summary into the game."""
    if not analysis.reviews:
        return []
    first = analysis.first_ply + 1
    buttons = [_turn(label("Step through the game"), match, owner_id, "next", first)]
    buttons[0].style = discord.ButtonStyle.primary
    if (mistake := _mistake_after(analysis, analysis.first_ply)) is not None:
        buttons.append(_turn(label("First mistake"), match, owner_id, "mistake", mistake))
    return buttons


def turning(match: Match, analysis: Analysis, ply: Ply, owner_id: int) -> list[list[Button]]:
    """Return the rows of buttons below a position."""
    first, last = analysis.first_ply, steps_of(analysis)
    mistake = _mistake_after(analysis, ply)
    here = button(f"{ply}/{last}", "review-at:here", ply, disabled=True)
    return [
        [
            _turn("|◀", match, owner_id, "first", first if ply > first else None),
            _turn("◀", match, owner_id, "back", ply - 1 if ply > first else None),
            here,
            _turn("▶", match, owner_id, "next", ply + 1 if ply < last else None),
            _turn("▶|", match, owner_id, "last", last if ply < last else None),
        ],
        [
            _turn(label("Next mistake"), match, owner_id, "mistake", mistake),
            _turn(label("Summary"), match, owner_id, SUMMARY, ply),
        ],
    ]


def _mistake_after(analysis: Analysis, ply: Ply) -> Ply | None:
    """Return the first position after `ply` that a mistake has led to."""
    return next(
        (each.ply + 1 for each in analysis.reviews if each.ply >= ply and each.judgement in COSTLY),
        None,
    )


def _turn(text: str, match: Match, owner_id: int, key: str, ply: Ply | None) -> Button:
    """Return a button that turns to a ply; one that leads nowhere cannot be pressed."""
    return button(text, "review-at", owner_id, match.id, ply or 0, key, disabled=ply is None)
