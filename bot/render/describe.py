"""Pictures in words: the status line of a position, alt text for screen readers."""

import unicodedata
from collections.abc import Callable, Iterable
from typing import Final

from bot.language import N_, _, mark_of, ngettext, pgettext
from bot.render.masks import writable_text
from bot.render.picture import CellNote, Claim, claim_of, path_in_play
from engine import (
    BoardStatus,
    Cell,
    DrawnBoard,
    Ending,
    O,
    Outcome,
    Position,
    Side,
    WonBoard,
    X,
    format_move,
)
from engine.diagram import tell_sending

_LONGEST: Final = 1024

# Two names and a status of these lengths leave room for the fullest position in an alt text.
_LONGEST_NAME: Final = 40
_LONGEST_STATUS: Final = 100


def status_line(position: Position, selected: tuple[int, ...] = ()) -> str:
    """Return whose turn it is and where, or how the game ended, in a few words.

    `selected` holds the places already picked, as in `BoardPicture`.

    Examples:
        >>> from engine import Rules
        >>> status_line(Position.initial(Rules(depth=3)), (4,))
        'X to move: choose a board in 5'
    """
    if position.outcome is not None:
        return told_result(position.outcome, position.rules.depth)
    path = path_in_play(position, selected)
    if position.rules.depth == 1:
        words = _("{mark} to move")
    elif len(path) == position.rules.depth - 1:
        words = _("{mark} to move: board {board}")
    elif path:
        words = _("{mark} to move: choose a board in {board}")
    else:
        words = _("{mark} to move: choose a board")
    return words.format(mark=mark_of(position.side), board=board_name(path))


def describe_position(
    position: Position,
    names: tuple[str, str],
    *,
    status: str | None = None,
    selected: tuple[int, ...] = (),
    clocks: tuple[str | None, str | None] = (None, None),
    notes: tuple[CellNote, ...] = (),
) -> str:
    """Return the whole position in words, at most 1024 characters.

    Boards and cells are counted 1 to 9 row by row, as on the buttons. A game of 729 cells
    is described as far as it fits: all owners, and the marks of the boards in play.

    Args:
        position: Any position.
        names: Those of X and O; long ones are shortened.
        status: Said instead of whose turn it is, for a game that ended off the
            board ("O resigned"); long ones are shortened.
        selected: The places already picked, as in `BoardPicture`.
        clocks: What the clocks show, as there.
        notes: Marks on cells, as there; told before the position.
    """
    title, tell = _TELLERS[position.rules.depth]
    turn, *details = tell(position, selected)
    outcome = position.outcome
    if outcome is not None:
        line = f" ({numbers(outcome.line)})" if outcome.line else ""
        turn = f"{told_result(outcome, position.rules.depth)}{line}."
    if status is not None:
        turn = f"{one_line(status, _LONGEST_STATUS)}."
    first, second = (
        one_line(name, _LONGEST_NAME) or _("player {mark}").format(mark=mark_of(side))
        for side, name in enumerate(names)
    )
    text = ngettext(
        "{game} after {count} move. {x}: {first}. {o}: {second}.",
        "{game} after {count} moves. {x}: {first}. {o}: {second}.",
        position.ply,
    ).format(
        game=_(title),
        count=position.ply,
        x=mark_of(X),
        first=first,
        o=mark_of(O),
        second=second,
    )
    runs = position.side if outcome is None and status is None else None
    beside = (*_told_clocks(clocks, runs), *_told_notes(position, notes))
    for sentence in (turn, *beside, *details):
        longer = f"{text} {sentence}"
        # Discord counts UTF-16 units in some places: a name of emoji counts double.
        if len(longer.encode("utf-16-le")) <= 2 * _LONGEST:
            text = longer
    return text


def _told_clocks(clocks: tuple[str | None, str | None], runs: Side | None) -> list[str]:
    """Return what the clocks show, if there are any; that of the side `runs` is running."""
    times = [
        (_("{mark} {time} (running)") if side == runs else "{mark} {time}").format(
            mark=mark_of(side), time=time
        )
        for side, time in enumerate(clocks)
        if time is not None
    ]
    return [_("Time left: {times}.").format(times=", ".join(times))] if times else []


def _single_sentences(position: Position, _selected: tuple[int, ...]) -> list[str]:
    """Describe a game of one board, whose turn it is first of all."""
    turn = _("{mark} to move.").format(mark=mark_of(position.side))
    sentences = [turn, *_last_move(position, _("Last move: {mark} in cell {cell}."))]
    if position.last_move is not None:
        sentences.append(f"{told_marks(position, 0)}.")
    return sentences


def _nine_sentences(position: Position, _selected: tuple[int, ...]) -> list[str]:
    playable = position.playable_boards
    if len(playable) == 1:
        words = _("{mark} to move, must play in board {boards}.")
    elif len(playable) == 9:
        words = _("{mark} to move, may play in any board.")
    else:
        words = _("{mark} to move, may play in boards {boards}.")
    turn = words.format(mark=mark_of(position.side), boards=numbers(playable))
    turn = " ".join([turn, *_forbidden(position)])
    last = _last_move(position, _("Last move: {mark} in board {board}, cell {cell}."))
    stays_open = position.rules.won_board is not WonBoard.CLOSED
    open_boards = [
        board
        for board in range(9)
        if position.board_status(board) is BoardStatus.ONGOING
        or (stays_open and position.has_room(board))
    ]
    return [turn, *last, *_owners(position), *_marks(position, open_boards)]


def _forbidden(position: Position) -> list[str]:
    """Return which empty cells of the boards in play may not be played, if any."""
    allowed = frozenset(position.legal_moves)
    cells = [
        format_move(cell, position.rules)
        for board in position.playable_boards
        for cell in range(9 * board, 9 * board + 9)
        if position.mark_at(cell) is None and cell not in allowed
    ]
    return [_("Not allowed: {cells}.").format(cells=", ".join(cells))] if cells else []


def _strategic_sentences(position: Position, selected: tuple[int, ...]) -> list[str]:
    """Describe a game of 81 local boards, what matters most first."""
    path = path_in_play(position, selected)
    last = _last_move(
        position,
        _(
            "Last move: {mark} in strategic board {strategic}, tactical board {tactical}, "
            "cell {cell}."
        ),
    )
    sentences = [_strategic_turn(position, path), *last]
    claims = [claim_of(position, board, depth=1) for board in range(9)]
    strategic = _told_claims(claims)
    if strategic:
        sentences.append(_("Strategic boards: {owners}.").format(owners=strategic))
    if len(path) == 2:
        sentences += _marks(position, [9 * path[0] + path[1]])
    for board, claim in enumerate(claims):
        if claim is Claim.OPEN:
            tactical = _told_claims([claim_of(position, 9 * board + slot) for slot in range(9)])
            if tactical:
                words = _("In {board}: {owners}.")
                sentences.append(words.format(board=board + 1, owners=tactical))
    if len(path) == 1:
        inside = [board for board in position.playable_boards if board // 9 == path[0]]
        sentences += _marks(position, inside)
    if len(path) == 2:
        sentences.append(f"{tell_sending(position, 9 * path[0] + path[1]).told(_)}.")
    return sentences


def _strategic_turn(position: Position, path: tuple[int, ...]) -> str:
    side = mark_of(position.side)
    if len(path) == 2:
        return _(
            "{mark} to move, must play in strategic board {strategic}, tactical board {tactical}."
        ).format(mark=side, strategic=path[0] + 1, tactical=path[1] + 1)
    if path:
        inside = [board % 9 for board in position.playable_boards if board // 9 == path[0]]
        return _(
            "{mark} to move in strategic board {board}, may play in tactical boards {boards}."
        ).format(mark=side, board=path[0] + 1, boards=_told_choice(inside))
    return _("{mark} to move, may play in strategic boards {boards}.").format(
        mark=side, boards=_told_choice(position.playable_at(1))
    )


def _told_choice(places: Iterable[int]) -> str:
    chosen = tuple(places)
    return _("1 to 9") if len(chosen) == 9 else numbers(chosen)


def _last_move(position: Position, words: str) -> list[str]:
    if position.last_move is None or (side := position.mark_at(position.last_move)) is None:
        return []
    board, slot = divmod(position.last_move, 9)
    return [
        words.format(
            mark=mark_of(side),
            board=board + 1,
            strategic=board // 9 + 1,
            tactical=board % 9 + 1,
            cell=slot + 1,
        )
    ]


def _owners(position: Position) -> list[str]:
    """Return which of nine boards are decided, and which are still empty."""
    statuses = [position.board_status(board) for board in range(9)]
    x_won, o_won, drawn = (
        [board for board in range(9) if statuses[board] is status]
        for status in (BoardStatus.X_WON, BoardStatus.O_WON, BoardStatus.DRAWN)
    )
    empty = [board for board in range(9) if not told_marks(position, board)]
    drawn_words = ngettext("Drawn: board {boards}.", "Drawn: boards {boards}.", len(drawn))
    if position.rules.drawn_board is DrawnBoard.BOTH:
        drawn_words = ngettext(
            "Drawn, counting for both: board {boards}.",
            "Drawn, counting for both: boards {boards}.",
            len(drawn),
        )
    groups = [
        (_won(len(x_won)), mark_of(X), x_won),
        (_won(len(o_won)), mark_of(O), o_won),
        (drawn_words, "", drawn),
        (ngettext("Empty: board {boards}.", "Empty: boards {boards}.", len(empty)), "", empty),
    ]
    return [
        words.format(mark=mark, boards=numbers(boards)) for words, mark, boards in groups if boards
    ]


def _won(count: int) -> str:
    return ngettext("Won by {mark}: board {boards}.", "Won by {mark}: boards {boards}.", count)


def _told_claims(held: list[Claim]) -> str:
    """Return who owns which of nine boards, compactly; empty if nobody owns any."""
    words = {
        Claim.X: mark_of(X),
        Claim.O: mark_of(O),
        Claim.NOBODY: _("drawn"),
        Claim.BOTH: _("drawn for both"),
    }
    return "; ".join(
        f"{word} {numbers((place for place in range(9) if held[place] is claim), ' ')}"
        for claim, word in words.items()
        if claim in held
    )


def _marks(position: Position, boards: Iterable[int]) -> list[str]:
    """Return the marks of some local boards; at depth 3 board 47 is the seventh in the fourth."""
    return [
        _("Board {board}: {marks}.").format(
            board=numbers(divmod(board, 9) if position.rules.depth == 3 else (board,), ""),
            marks=marks,
        )
        for board in boards
        if (marks := told_marks(position, board))
    ]


_TELLERS: Final[dict[int, tuple[str, Callable[[Position, tuple[int, ...]], list[str]]]]] = {
    1: (N_("Tic-tac-toe"), _single_sentences),
    2: (N_("Ultimate tic-tac-toe"), _nine_sentences),
    3: (N_("Strategic tic-tac-toe"), _strategic_sentences),
}


def board_name(path: tuple[int, ...]) -> str:
    """Return the name of a board: 5, or "5, sub-board 3" where 53 would be unclear."""
    places = [place + 1 for place in path]
    if len(places) < 2:
        return "".join(map(str, places))
    board, inner = places
    return _("{board}, sub-board {inner}").format(board=board, inner=inner)


def writable_side(names: tuple[str, str], side: Side) -> str:
    """Return the name of a side in letters that the font has."""
    nameless = pgettext("somebody without a name", "Player {side}").format(side=mark_of(side))
    return writable_text(names[side], fallback=nameless)


def cell_name(cell: Cell, depth: int) -> str:
    """Return where a cell is.

    Examples:
        >>> cell_name(40, 2), cell_name(4, 1)
        ('board 5, cell 5', 'cell 5')
    """
    places = [cell // 9**level % 9 for level in range(depth - 1, 0, -1)]
    words = _("board {board}, cell {cell}") if places else _("cell {cell}")
    return words.format(board=board_name(tuple(places)), cell=cell % 9 + 1)


def _told_notes(position: Position, notes: tuple[CellNote, ...]) -> list[str]:
    better, depth = _("better"), position.rules.depth
    marked = [
        f"{cell_name(each.cell, depth)} ({', '.join(each.label) or better})"
        for each in notes
        if each.label or each.mark is not None
    ]
    return [_("Marked: {cells}.").format(cells="; ".join(marked))] if marked else []


def told_result(outcome: Outcome, depth: int) -> str:
    """Return how a game ended.

    Examples:
        >>> told_result(Outcome(winner=0, ending=Ending.LINE, line=(0, 1, 2)), 2)
        'X wins: three boards in a row'
    """
    if outcome.winner is None:
        return _("A draw")
    words = {
        Ending.LINE: _("{mark} wins: three boards in a row"),
        Ending.FIVE: _("{mark} wins: five boards"),
        Ending.MAJORITY: _("{mark} wins: more boards"),
    }[outcome.ending]
    if outcome.ending is Ending.LINE and depth == 1:
        words = _("{mark} wins: three in a row")
    return words.format(mark=mark_of(outcome.winner))


def one_line(text: str, longest: int) -> str:
    r"""Return `text` on one line without control characters, shortened.

    Examples:
        >>> one_line("two \n lines", 5)
        'two…'
    """
    visible = "".join(
        character if unicodedata.category(character)[0] not in "CZ" else " "
        for character in text[: 4 * longest]
        if unicodedata.category(character) != "Cf"
    )
    line = " ".join(visible.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def numbers(places: Iterable[int], separator: str = ", ") -> str:
    """Return places, counted from 0, as people read them.

    Examples:
        >>> numbers([0, 8])
        '1, 9'
    """
    return separator.join(str(place + 1) for place in places)


def told_marks(position: Position, board: int) -> str:
    """Return the marks of a local board, empty where there are none.

    Examples:
        >>> from engine import Rules
        >>> told_marks(Position.initial(Rules()).after(40), 4)
        'X 5'
    """
    marks = [position.mark_at(9 * board + slot) for slot in range(9)]
    return "; ".join(
        f"{mark_of(side)} {numbers(slot for slot in range(9) if marks[slot] == side)}"
        for side in (X, O)
        if side in marks
    )


def told(sentences: Iterable[str], longest: int = 1024) -> str:
    """Join the sentences that fit into an alt text, in their order of importance."""
    text = ""
    for sentence in sentences:
        longer = f"{text} {sentence}".strip()
        if len(longer) > longest:
            break
        text = longer
    return text


def rounded(rating: float, is_provisional: bool) -> str:
    """Return a rating as it is shown, with a question mark while it is uncertain."""
    return f"{round(rating)}{'?' * is_provisional}"


def signed(change: float) -> str:
    r"""Return a change of a rating with its sign.

    Examples:
        >>> signed(12.4), signed(-3) == "\N{MINUS SIGN}3", signed(0.2) == "\N{PLUS-MINUS SIGN}0"
        ('+12', True, True)
    """
    number = round(change)
    if number == 0:
        return "\N{PLUS-MINUS SIGN}0"
    return f"{'+' if number > 0 else chr(0x2212)}{abs(number)}"
