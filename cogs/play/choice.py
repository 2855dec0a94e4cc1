"""Coming to a cell in steps: which board's nine places are offered next.

Nine buttons show nine places. A local board shows cells; where the choice of
the board is free, the boards of each level come first.
"""

from __future__ import annotations

from engine import Position, format_move, parse_move


def chosen_path(position: Position, chosen: tuple[int, ...]) -> tuple[int, ...]:
    """Return the way to the board whose nine places are offered next, outermost first.

    Where there is only one way on it is taken; otherwise what was `chosen` is
    followed as far as it leads to a legal move. A whole path leads to a local board.
    """
    path: tuple[int, ...] = ()
    while len(path) < position.rules.depth - 1:
        places = playable_places(position, path)
        if len(places) == 1:
            path += places
        elif len(path) < len(chosen) and chosen[len(path)] in places:
            path += (chosen[len(path)],)
        else:
            break
    return path


def playable_places(position: Position, path: tuple[int, ...]) -> tuple[int, ...]:
    """Return the places of the board at `path` that lead to a legal move, ascending."""
    first = 9 * number_of(path)
    boards = position.playable_at(len(path) + 1)
    return tuple(board - first for board in boards if first <= board < first + 9)


def number_of(path: tuple[int, ...]) -> int:
    """Return the number, among those of its level, of the board at `path`."""
    number = 0
    for place in path:
        number = 9 * number + place
    return number


def read_move(text: str, position: Position) -> int:
    """Read a typed move; leading digits may be left out where there is no choice of them.

    Sent to board 5 one may type 3 for 53.

    Raises:
        InvalidNotationError: If the text is no move; whether it is legal is not checked.
    """
    typed = text.strip()
    missing = position.rules.depth - len(typed)
    bound = chosen_path(position, ())
    if typed.isdecimal() and 0 < missing <= len(bound):
        typed = "".join(str(place + 1) for place in bound[:missing]) + typed
    return parse_move(typed, position.rules)


def typed_moves(position: Position, current: str) -> dict[str, int]:
    """Return the legal moves by how they are typed, those that begin with `current`, ascending."""
    moves = {format_move(move, position.rules): move for move in position.legal_moves}
    return {typed: move for typed, move in moves.items() if typed.startswith(current.strip())}
