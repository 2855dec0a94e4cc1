"""The custom ids of the buttons: written by the layout, read by the buttons.

Boards posted years ago carry them: add forms, never change one.
"""

from __future__ import annotations

from enum import IntEnum


class Agreement(IntEnum):
    """What the two players of a match can settle between them. Append, never renumber."""

    OFFER_DRAW = 1
    ACCEPT_DRAW = 2
    DECLINE_DRAW = 3
    ASK_TAKEBACK = 4
    ACCEPT_TAKEBACK = 5
    DECLINE_TAKEBACK = 6


MATCH = r"(?P<match_id>\d{1,18})"
PLY = r"(?P<ply>\d{1,4})"
REVISION = r"(?P<revision>\d{1,9})"  # it grows with every offer and every move taken back

CELL = rf"cell:{MATCH}:{PLY}:{REVISION}:(?P<move>\d{{1,3}})"
BOARD = rf"board:{MATCH}:{PLY}:(?P<path>[1-9]{{1,2}})"
BACK = rf"back:{MATCH}:{PLY}"
RESIGN = rf"resign:{MATCH}:{PLY}"
REALLY_RESIGN = rf"really-resign:{MATCH}"
AGREE = rf"agree:(?P<agreement>[1-6]):{MATCH}"
UNDO = rf"undo:{MATCH}:{REVISION}"
SWAP = rf"swap:{MATCH}:{PLY}"
BUMP = rf"bump:{MATCH}"
AGAIN = rf"again:{MATCH}"
REMATCH = rf"rematch:{MATCH}"
HERE = rf"here:{MATCH}"


def cell_id(match_id: int, ply: int, revision: int, move: int) -> str:
    """Play `move` in the position numbered `ply`.

    The `revision` counts swaps and moves taken back as well: a board from before
    one of these shows the same ply and is out of date all the same.
    """
    return f"cell:{match_id}:{ply}:{revision}:{move}"


def board_id(match_id: int, ply: int, path: tuple[int, ...]) -> str:
    """Choose the board at `path` to play in; its places are written 1 to 9, as players count."""
    return f"board:{match_id}:{ply}:{''.join(str(place + 1) for place in path)}"


def back_id(match_id: int, ply: int) -> str:
    """Undo a half-made choice in the position numbered `ply`."""
    return f"back:{match_id}:{ply}"


def resign_id(match_id: int, ply: int) -> str:
    """Ask whether to resign in the position numbered `ply`."""
    return f"resign:{match_id}:{ply}"


def really_resign_id(match_id: int) -> str:
    """Resign."""
    return f"really-resign:{match_id}"


def agree_id(agreement: Agreement, match_id: int) -> str:
    """Settle something with the other player."""
    return f"agree:{agreement.value}:{match_id}"


def undo_id(match_id: int, revision: int) -> str:
    """Take one's last turn back in a game against the computer."""
    return f"undo:{match_id}:{revision}"


def swap_id(match_id: int, ply: int) -> str:
    """Take the other seat instead of moving in the position numbered `ply`."""
    return f"swap:{match_id}:{ply}"


def bump_id(match_id: int) -> str:
    """Post the board again below."""
    return f"bump:{match_id}"


def again_id(match_id: int) -> str:
    """Start another game like this one."""
    return f"again:{match_id}"


def rematch_id(match_id: int) -> str:
    """Offer the other player another game like this one."""
    return f"rematch:{match_id}"


def here_id(match_id: int) -> str:
    """Show the board here as well, for whoever does not see it where it stands."""
    return f"here:{match_id}"
