"""A strategic game in words: its owners, and the boards in play."""

from collections.abc import Iterable

from bot.language import _
from bot.render.claims import Claim, claim_of
from bot.render.picture import path_in_play
from bot.render.words import LETTERS, numbers, told_marks, told_result
from engine import Position
from engine.diagram import tell_sending


def strategic_sentences(position: Position, selected: tuple[int, ...]) -> list[str]:
    """Tell a game of 81 local boards, what matters most first; the turn is the first of all."""
    path = path_in_play(position, selected)
    sentences = [_turn(position, path), *_last_move(position)]
    strategic = _owners(claim_of(position, board, depth=1) for board in range(9))
    if strategic:
        sentences.append(_("Strategic boards: {owners}.").format(owners=strategic))
    if len(path) == 2:
        sentences += _marks(position, [9 * path[0] + path[1]])
    for board in range(9):
        if claim_of(position, board, depth=1) is Claim.OPEN:
            tactical = _owners(claim_of(position, 9 * board + slot) for slot in range(9))
            if tactical:
                words = _("In {board}: {owners}.")
                sentences.append(words.format(board=board + 1, owners=tactical))
    if len(path) == 1:
        inside = [board for board in position.playable_boards if board // 9 == path[0]]
        sentences += _marks(position, inside)
    if len(path) == 2:
        sentences.append(f"{tell_sending(position, 9 * path[0] + path[1]).told(_)}.")
    return sentences


def _turn(position: Position, path: tuple[int, ...]) -> str:
    """Return who must play where, or the result with its boards."""
    outcome = position.outcome
    if outcome is not None:
        boards = f" ({numbers(outcome.line)})" if outcome.line else ""
        return f"{told_result(outcome, 3)}{boards}."
    side = LETTERS[position.side]
    if len(path) == 2:
        return _(
            "{mark} to move, must play in strategic board {strategic}, tactical board {tactical}."
        ).format(mark=side, strategic=path[0] + 1, tactical=path[1] + 1)
    if path:
        inside = [board % 9 for board in position.playable_boards if board // 9 == path[0]]
        return _(
            "{mark} to move in strategic board {board}, may play in tactical boards {boards}."
        ).format(mark=side, board=path[0] + 1, boards=_boards(inside))
    return _("{mark} to move, may play in strategic boards {boards}.").format(
        mark=side, boards=_boards(position.playable_at(1))
    )


def _boards(places: Iterable[int]) -> str:
    """Return boards by number, or that any will do."""
    chosen = tuple(places)
    return _("1 to 9") if len(chosen) == 9 else numbers(chosen)


def _last_move(position: Position) -> list[str]:
    """Return what was played last, if anything was."""
    if position.last_move is None:
        return []
    board, slot = divmod(position.last_move, 9)
    strategic, tactical = divmod(board, 9)
    return [
        _(
            "Last move: {mark} in strategic board {strategic}, tactical board {tactical}, "
            "cell {cell}."
        ).format(
            mark=LETTERS[1 - position.side],
            strategic=strategic + 1,
            tactical=tactical + 1,
            cell=slot + 1,
        )
    ]


def _owners(claims: Iterable[Claim]) -> str:
    """Return who has which of nine boards, compactly; empty where nobody has any."""
    held = list(claims)
    words = {
        Claim.X: "X",
        Claim.O: "O",
        Claim.NOBODY: _("drawn"),
        Claim.BOTH: _("drawn for both"),
    }
    return "; ".join(
        f"{word} {numbers((place for place in range(9) if held[place] is claim), ' ')}"
        for claim, word in words.items()
        if claim in held
    )


def _marks(position: Position, boards: Iterable[int]) -> list[str]:
    """Return the marks of some tactical boards."""
    return [
        _("Board {board}: {marks}.").format(board=f"{board // 9 + 1}{board % 9 + 1}", marks=marks)
        for board in boards
        if (marks := told_marks(position, board))
    ]
