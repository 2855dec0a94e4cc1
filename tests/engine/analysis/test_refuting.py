"""Wrong moves in puzzles are answered by a reply after which nothing wins any more."""

from __future__ import annotations

from engine import Limit, Proof, load_puzzles, refute
from engine.kernels.solving import make_table
from engine.search.solving import solve

PROOF = Limit(nodes=100_000)


def test_after_the_reply_there_is_no_forced_win_and_what_is_said_of_it_is_so():
    tried = 0
    for puzzle in load_puzzles("standard")[:12]:
        position = puzzle.start().position
        for move in position.legal_moves[:4]:
            after = position.after(move)
            if move == puzzle.solution[0] or after.outcome is not None:
                continue
            found = refute(after)
            end = after.after(found.reply)
            if end.outcome is None:
                proven = solve(end, PROOF, table=make_table(1 << 18)).proven
                assert proven in (Proof.DRAW, Proof.LOSS)
                assert found.proven is proven.opposite
            else:
                assert end.outcome.winner == after.side
            assert refute(after) == found
            tried += 1
    assert tried > 20
