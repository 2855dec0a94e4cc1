"""Texts about a game. Changing a sentence touches no logic."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import discord
from discord.utils import TimestampStyle

from bot.language import _, mark_of, ngettext, short_time, told
from bot.model.clocks import ClockKind, format_span
from bot.model.match import EventKind, Match, last_move_of, refusal_here
from bot.model.ratings.values import MatchRating
from bot.render.describe import board_name, numbers
from engine import (
    MARKS,
    Ending,
    Goal,
    O,
    Position,
    Rules,
    Sending,
    Side,
    Tiebreak,
    X,
    load_variant,
    other,
)
from engine.diagram import draw_hypermap, draw_overview, draw_part, draw_text, tell_sending
from engine.records import EndReason


def headline(match: Match, path: tuple[int, ...], *, is_chosen: bool) -> str:
    """Say who plays whom, what was played last and what to do now.

    Args:
        match: Which match.
        path: Leads to the board whose places are offered.
        is_chosen: Whether a part of it was the player's choice.
    """
    against = heading_of((_name(match, X), _name(match, O)))
    return "\n".join(filter(None, [against, _last_move(match), _status(match, path, is_chosen)]))


def heading_of(names: tuple[str, str]) -> str:
    """Say who plays whom, as a heading; names are written as they are."""
    return _("### {x} ({x_mark}) against {o} ({o_mark})").format(**seated(names))


def seated(names: tuple[str, str]) -> dict[str, str]:
    """Return both names and marks, by what they are called in texts."""
    x, o = names
    return {"x": x, "x_mark": mark_of(X), "o": o, "o_mark": mark_of(O)}


def footer(match: Match, rating: MatchRating | None = None) -> str:
    """Say which game this is; a rated game that does not count is not called rated."""
    parts = [_("Game {number}").format(number=match.id), told(load_variant(match.variant_key).name)]
    if match.opening_code:
        parts.append(_("opening {code}").format(code=match.opening_code))
    if match.rules.depth == 3:
        parts.append(
            _(
                "[Strategic Tic-Tac-Toe](<https://github.com/echo-Mike/STTT>) by M. Demchenko and "
                "A. Shashkov, CC-BY 4.0"
            )
        )
    if match.is_between_people:
        parts.append(told(match.clock.words))
    if match.rated and (rating is None or rating.reason is None):
        parts.append(_("rated"))
    elif match.is_between_people and not match.rated:
        parts.append(_("casual"))
    parts.append(ngettext("{count} move", "{count} moves", match.ply).format(count=match.ply))
    return "-# " + " · ".join([*parts, _("`/rules` explains")])


def rating_lines(match: Match, rating: MatchRating | None) -> list[str]:
    """Say how a rated match changed each person's rating, or why it does not count."""
    if rating is None:
        return []
    if rating.reason is not None:
        return [told(rating.reason.sentence)]
    changes = [
        f"{discord.utils.escape_markdown(seat.name)}: {told(change.words)}"
        for seat in match.seats
        if seat.player_id is not None and (change := rating.of(seat.player_id)) is not None
    ]
    return [_("Ratings: {changes}").format(changes=" · ".join(changes))] if changes else []


def image_status(match: Match, names: Sequence[str] = ()) -> str | None:
    """Say how a game ended off the board; None if the board itself shows the ending.

    `names` may replace the players' names with shorter ones.
    """
    if match.is_annulled:
        return _("Ended by the host: does not count")
    if match.end_reason is EndReason.AGREED:
        return _("A draw, agreed by both")
    if match.end_reason not in LOST or match.winner is None:
        return None
    loser = told((names or match.names)[other(match.winner)])
    words = {
        EndReason.RESIGNED: _("{loser} resigned: {mark} wins"),
        EndReason.TIME: _("{loser} ran out of time: {mark} wins"),
    }[match.end_reason]
    return words.format(loser=loser, mark=mark_of(match.winner))


def moved(match: Match, link: str) -> str:
    """Say where the board went."""
    words = _("-# The board of game {number} is now at the bottom: {link}")
    return words.format(number=match.id, link=link)


def in_thread(match: Match, mention: str) -> str:
    """Say in the channel who plays in which thread."""
    variant = told(load_variant(match.variant_key).name)
    words = _(
        "**{x}** ({x_mark}) against **{o}** ({o_mark}), {variant}: game {number} is played in "
        "{thread}."
    )
    both = seated((_name(match, X), _name(match, O)))
    return words.format(**both, variant=variant, number=match.id, thread=mention)


def resign_question(match: Match) -> str:
    """Ask one of two players in private whether to resign."""
    words = _("Resign game {number}, {x} against {o}?")
    return words.format(number=match.id, x=_name(match, X), o=_name(match, O))


def answered(match: Match) -> str:
    """Tell the player who was asked in private how the game ended."""
    words = _("Game {number}: {result}.")
    return words.format(number=match.id, result=told(match.result_in_words))


def _status(match: Match, path: tuple[int, ...], is_chosen: bool) -> str:
    if match.is_over:
        return "\n".join(filter(None, [_result(match), _times_left(match)]))
    name, mark = _name(match, match.position.side), mark_of(match.position.side)
    if match.level_to_move is not None:
        said = _("**{name}** ({mark}) is thinking …").format(name=name, mark=mark)
    else:
        said = to_do(match.position, name, path, is_chosen=is_chosen)
    if match.swapped and match.ply == 1:
        words = _("Seats were swapped: **{name}** has {mark} now.")
        swapped = words.format(name=_name(match, X), mark=mark_of(X))
        said = f"{swapped}\n{said}"
    if times := _times(match):
        said += f"\n{times}"
    if match.can_swap and match.level_to_move is None:
        words = _("Or **swap seats**: {mark} and the first move become yours.")
        said += "\n" + words.format(mark=mark_of(X))
    return said


def _last_move(match: Match) -> str:
    """Say what was played last, and by whom; nothing before the first move."""
    last = last_move_of(match)
    if last is None:
        return ""
    side, move = last
    words = _("{name} played **{move}**.")
    places = (move // 81, move // 9 % 9, move % 9)[-match.rules.depth :]
    return words.format(name=_name(match, side), move=numbers(places, ""))


def _times(match: Match) -> str:
    """Say when the time of the side to move runs out, and how much the other side has."""
    mover, waits = match.position.side, 1 - match.position.side
    said = []
    if match.deadline is not None:
        # A live clock runs out today, a correspondence clock on some later day.
        style: TimestampStyle = "T" if match.clock.kind is ClockKind.LIVE else "f"
        said.append(
            _("{name} has until {until} to move ({when}).").format(
                name=_name(match, mover),
                until=discord.utils.format_dt(match.deadline, style),
                when=discord.utils.format_dt(match.deadline, "R"),
            )
        )
    if (time := _time_of(match, waits)) is not None:
        said.append(_("{name} has {time}.").format(name=_name(match, waits), time=time))
    return " ".join(said)


def _times_left(match: Match) -> str:
    """Say how much time both had left when a match ended; nothing without a clock."""
    left = [
        f"{_name(match, side)} {time}"
        for side in (X, O)
        if (time := _time_of(match, side)) is not None
    ]
    return _("Time left: {times}.").format(times=" · ".join(left)) if left else ""


def _time_of(match: Match, side: Side) -> str | None:
    """Return a side's time when the match was stored, in words unless seconds matter."""
    time = match.time_shown(side)
    if time is None or match.clock.kind is ClockKind.LIVE:
        return clock_faces(match)[side]
    return told(format_span(time))


MOST_ON_A_FACE: Final = timedelta(days=99), timedelta(hours=99)
"""The most a correspondence and a live clock can show. A host clock set back can give more."""


def clock_faces(match: Match) -> tuple[str | None, str | None]:
    """Return both clocks' times when the match was stored, in short form, such as 4:32."""
    x, o = (
        None
        if (time := match.time_shown(side)) is None
        else _digits(min(time, MOST_ON_A_FACE[1]))
        if match.clock.kind is ClockKind.LIVE
        else short_time(min(time, MOST_ON_A_FACE[0]))
        for side in (X, O)
    )
    return x, o


def _digits(time: timedelta) -> str:
    minutes, seconds = divmod(time // timedelta(seconds=1), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def draw_offered(match: Match, side: Side) -> str:
    """Say that a side offers a draw, and how long that stands."""
    words = _("**{name} offers a draw**, until {other} moves.")
    return words.format(name=_name(match, side), other=_name(match, other(side)))


def takeback_asked(match: Match, side: Side) -> str:
    """Say that a side asks to take its last turn back, and how long that stands."""
    words = _("**{name} asks to take back their last move**, until {mover} moves.")
    return words.format(name=_name(match, side), mover=_name(match, match.position.side))


def refused(match: Match) -> str:
    """Say what was just declined or withdrawn, if anything."""
    refusal = refusal_here(match)
    if refusal is None:
        return ""
    if refusal.kind is EventKind.DRAW_DECLINED:
        withdrew, declined = _("{name} withdrew the draw offer."), _("{name} declined the draw.")
    else:
        withdrew = _("{name} withdrew the takeback request.")
        declined = _("{name} declined the takeback.")
    words = withdrew if refusal.is_own else declined
    return words.format(name=_name(match, refusal.side))


def _name(match: Match, side: Side) -> str:
    return discord.utils.escape_markdown(told(match.names[side]))


def to_do(position: Position, name: str, path: tuple[int, ...], *, is_chosen: bool) -> str:
    """Tell the player to move, by name, what to click.

    `path` and `is_chosen` are as in `headline`.
    """
    mark = mark_of(position.side)
    if position.rules.depth == 1:
        words = _("**{name}**, pick a cell for your {mark}.")
    elif len(path) == position.rules.depth - 1:
        if is_chosen:
            words = _("**{name}**, you chose **board {board}**: pick a cell for your {mark}.")
        else:
            words = _(
                "**{name}**, you must play in **board {board}**: pick a cell for your {mark}."
            )
    elif path:
        words = _("**{name}**, in board {board} pick a **sub-board** ({mark}).")
    else:
        words = _("**{name}**, you may play anywhere: pick a **board** ({mark}).")
    return words.format(name=name, mark=mark, board=board_name(path))


def _result(match: Match) -> str:
    winner = match.winner
    if match.is_annulled:
        return _("**Ended by the bot's host.** This game does not count.")
    if match.end_reason is EndReason.AGREED:
        return _("**Draw**, agreed by both players.")
    if winner is None:
        return drawn(match.rules)
    outcome = match.position.outcome
    places = "" if outcome is None else ", ".join(str(place + 1) for place in outcome.line or ())
    return _victory(match).format(
        winner=_name(match, winner),
        mark=mark_of(winner),
        loser=_name(match, 1 - winner),
        places=places,
    )


def drawn(rules: Rules) -> str:
    """Say why a game that was played to its end is a draw."""
    if rules.depth == 1:
        return _("**Draw.** The board is full and nobody has three in a row.")
    if rules.tiebreak is Tiebreak.MOST:
        return _("**Draw.** Every board is decided and both have won the same number.")
    if rules.goal is Goal.FIVE:
        return _("**Draw.** Every board is decided and nobody has won five.")
    return _("**Draw.** Every board is decided and nobody has three in a row.")


LOST = (EndReason.RESIGNED, EndReason.TIME)


def _victory(match: Match) -> str:
    """Return the words for a match that somebody has won."""
    if match.end_reason is EndReason.RESIGNED:
        return _("**{winner} ({mark}) wins**: {loser} resigned.")
    if match.end_reason is EndReason.TIME:
        return _("**{winner} ({mark}) wins**: {loser} ran out of time.")
    outcome = match.position.outcome
    assert outcome is not None, "nothing else ends a match"
    if outcome.ending is Ending.FIVE:
        return _("**{winner} ({mark}) wins** with five boards: {places}.")
    if outcome.ending is Ending.MAJORITY:
        return _("**{winner} ({mark}) wins** with more boards: {places}.")
    if match.rules.depth == 1:
        return _("**{winner} ({mark}) wins** with cells {places} in a row.")
    return _("**{winner} ({mark}) wins** with boards {places} in a row.")


def text_board(position: Position, path: tuple[int, ...]) -> str:
    """Return a position as monospaced text, with a line that explains it.

    Args:
        position: Any position.
        path: The places of the boards chosen or forced, outermost first.
    """
    if position.rules.depth < 3:
        return f"{_block(draw_text(position))}\n{_legend(position, path)}"
    parts = [_block(draw_overview(position))]
    # The strategic board chosen or forced, else that of the last move.
    shown = path[0] if path else None
    if shown is None and position.last_move is not None:
        shown = position.last_move // 81
    if shown is not None:
        parts.append(_block(draw_part(position, shown)))
        if _has_hypermap(position, path):
            parts.append(_block(draw_hypermap(position, shown)))
    return "\n".join([*parts, *_sendings(position, path), _legend(position, path)])


def _sendings(position: Position, path: tuple[int, ...]) -> list[str]:
    """Return where the cells of each playable tactical board at `path` send."""
    if not path:
        return []
    boards = [
        board for board in position.playable_boards if (board // 9, board % 9)[: len(path)] == path
    ]
    return [tell_sending(position, board).told(_) for board in boards]


def _block(diagram: str) -> str:
    return f"```\n{diagram}\n```"


def _has_hypermap(position: Position, path: tuple[int, ...]) -> bool:
    """Whether there are numbers of a hypermap that `_sendings` leaves out."""
    return position.rules.sending is Sending.HYPERMAP and len(path) == 2


def _legend(position: Position, path: tuple[int, ...]) -> str:
    explained = {
        1: _("Digits are free cells, (X) is the last move."),
        2: _(
            "[5] is a board to play in, digits are free cells, (X) is the last move. "
            "Beside a board's number: X or O who has it, = drawn."
        ),
        3: _(
            "First all tactical boards: X or O who has one, = drawn, a digit where one may be "
            "played in. Then one strategic board: digits are free cells, (X) is the last move."
        ),
    }
    words = [explained[position.rules.depth]]
    if (marks := (mark_of(X), mark_of(O))) != MARKS:
        words.append(_("X stands for {x}, O for {o}.").format(x=marks[0], o=marks[1]))
    if position.rules.sending is Sending.MAP:
        words.append(_("The number before a row is the strategic board its cells send to."))
    if _has_hypermap(position, path):
        words.append(_("Last its hypermap: the strategic board each empty cell sends to."))
    return f"-# {' '.join(words)}"
