"""Won-Board Play is a forced win for X (arXiv 2006.02353): the strategy beats every reply."""

from __future__ import annotations

from engine import Position, Rules, X

CENTRE = 4


def answer(position: Position, named: int | None) -> int:
    """Return X's move; `named` is the cell with which O filled the centre board."""
    if position.ply == 0:
        return 9 * CENTRE + CENTRE
    if named is None:
        last = position.last_move
        assert last is not None
        return 9 * (last % 9) + CENTRE
    opposite = 8 - named
    board = opposite if position.target is None else position.target
    cell = 9 * board + named
    return cell if position.mark_at(cell) is None else 9 * board + opposite


def test_x_wins_against_every_reply():
    """Every position that can arise is met once; the counts are known."""
    todo: list[tuple[Position, int | None]] = [(Position.initial(Rules.parse("won-board")), None)]
    seen: set[tuple[bytes, int | None]] = set()
    reply_count = 0
    plies: set[int] = set()
    while todo:
        position, named = todo.pop()
        key = (position.search_state().words.tobytes(), named)
        if key in seen:
            continue
        seen.add(key)
        later = position.after(answer(position, named))
        if later.outcome is not None:
            assert later.outcome.winner == X
            plies.add(later.ply)
            continue
        for move in later.legal_moves:
            reply_count += 1
            reply = later.after(move)
            assert reply.outcome is None
            fills_centre = named is None and not reply.has_room(CENTRE)
            todo.append((reply, move % 9 if fills_centre else named))

    assert (min(plies), max(plies)) == (29, 43)
    assert (len(seen), reply_count) == (46_153, 132_984)
