"""What is said about a game. Changing a sentence touches no logic."""

from __future__ import annotations

import discord

from bot.matches import EndReason, Match
from bot.ratings import MatchRating
from cogs.play.choice import chosen_path, number_of
from engine import VARIANTS, BoardStatus, Ending, O, Position, X, load_variant

MARKS = ("X", "O")

STRATEGIC_CREDIT = (
    "[Strategic Tic-Tac-Toe](<https://github.com/echo-Mike/STTT>) by M. Demchenko and "
    "A. Shashkov, CC-BY 4.0"
)


def headline(match: Match, path: tuple[int, ...]) -> str:
    """Say who plays whom and what is to be done now; `path` leads to what is offered."""
    x, o = _name(match, X), _name(match, O)
    return f"### {x} (X) against {o} (O)\n{_status(match, path)}"


def footer(match: Match) -> str:
    """Say which game this is."""
    variant = load_variant(match.variant_key)
    name = variant.name if variant.key in VARIANTS else variant.key
    parts = [f"Game {match.id}", name]
    if match.opening_code:
        parts.append(f"opening {match.opening_code}")
    if match.rules.depth == 3:
        parts.append(STRATEGIC_CREDIT)
    if match.is_between_people:
        parts += [match.clock.words, "rated" if match.rated else "casual"]
    return "-# " + " · ".join([*parts, _moves(match), "`/rules` explains"])


def rating_lines(match: Match, rating: MatchRating | None) -> list[str]:
    """Say what a rated match came to for each of its people, or why it does not count."""
    if rating is None:
        return []
    if rating.reason is not None:
        return [f"Not rated: {rating.reason.sentence}"]
    changes = [
        f"{discord.utils.escape_markdown(seat.name)} {change.words}"
        for seat in match.seats
        if seat.player_id is not None and (change := rating.of(seat.player_id)) is not None
    ]
    return ["Ratings: " + " · ".join(changes)] if changes else []


def image_status(match: Match) -> str | None:
    """Say how a game ended that did not end on the board; None: the board tells it itself."""
    if match.end_reason is EndReason.AGREED:
        return "A draw, agreed by both"
    if match.end_reason not in LOST or match.winner is None:
        return None
    loser = match.names[1 - match.winner]
    return f"{loser} {LOST[match.end_reason]}: {MARKS[match.winner]} wins"


def moved(match: Match, link: str) -> str:
    """Say where the board went."""
    return f"-# The board of game {match.id} moved down: {link}"


def resign_question(match: Match) -> str:
    """Ask one of two players in private."""
    return f"Give up game {match.id}, {_name(match, X)} against {_name(match, O)}?"


def answered(match: Match) -> str:
    """Say to whom the private question was put what has come of it."""
    return f"Game {match.id}: {match.result_in_words}."


def owner_label(position: Position, path: tuple[int, ...]) -> str:
    """Label the button of a board that may not be played in."""
    status = position.board_status(number_of(path), level=len(path))
    if status is BoardStatus.ONGOING:
        return str(path[-1] + 1)
    return "=" if status.winner is None else MARKS[status.winner]


def board_name(path: tuple[int, ...]) -> str:
    """Name a board as its digits: 5, or 53 for tactical board 3 of strategic board 5."""
    return "".join(str(place + 1) for place in path)


def _status(match: Match, path: tuple[int, ...]) -> str:
    if match.is_over:
        return _result(match)
    said = _to_do(match, path)
    if match.swapped and match.ply == 1:
        said = f"Seats were swapped: **{_name(match, X)}** has X now.\n{said}"
    if match.deadline is not None:
        said += f"\nTime runs out {discord.utils.format_dt(match.deadline, 'R')}."
    if match.draw_offer is not None:
        said += f"\n**{_name(match, match.draw_offer)} offers a draw**, until the next move."
    if match.takeback_offer is not None:
        said += f"\n**{_name(match, match.takeback_offer)} asks to take the last move back.**"
    if match.can_swap and match.level_to_move is None:
        said += "\nOr **swap seats**: X and the first move become yours."
    return said


def _name(match: Match, side: int) -> str:
    return discord.utils.escape_markdown(match.names[side])


def _to_do(match: Match, path: tuple[int, ...]) -> str:
    """Say whose turn it is, and what is to be clicked."""
    name = _name(match, match.position.side)
    mark = MARKS[match.position.side]
    if match.level_to_move is not None:
        return f"**{name}** ({mark}) is thinking …"
    depth = match.rules.depth
    if depth == 1:
        return f"**{name}**, pick a cell for your {mark}."
    if len(path) == depth - 1:
        free = path != chosen_path(match.position, ())
        why = "you chose" if free else "you must play in"
        return f"**{name}**, {why} **board {board_name(path)}**: pick a cell for your {mark}."
    if not path:
        what = "board" if depth == 2 else "strategic board"
        return f"**{name}**, you are free to choose: pick a **{what}** first ({mark})."
    return f"**{name}**, in strategic board {board_name(path)} pick a **tactical board** ({mark})."


def _result(match: Match) -> str:
    winner = match.winner
    if match.end_reason is EndReason.AGREED:
        return "**Draw**, agreed by both players."
    if winner is None:
        return "**Draw.** Every board is decided and nobody has three in a row."
    wins = f"**{_name(match, winner)} ({MARKS[winner]}) wins**"
    if match.end_reason in LOST:
        return f"{wins}: {_name(match, 1 - winner)} {LOST[match.end_reason]}."
    return wins + _how(match)


LOST = {EndReason.RESIGNED: "resigned", EndReason.TIME: "ran out of time"}


def _how(match: Match) -> str:
    """Say what won a match on the board."""
    outcome = match.position.outcome
    assert outcome is not None
    places = ", ".join(str(place + 1) for place in outcome.line or ())
    if outcome.ending is Ending.LINE:
        what = "cells" if match.rules.depth == 1 else "boards"
        return f" with {what} {places} in a row."
    count = "five" if outcome.ending is Ending.FIVE else "more"
    return f" with {count} boards: {places}."


def _moves(match: Match) -> str:
    ply = match.position.ply
    return f"{ply} move" if ply == 1 else f"{ply} moves"
