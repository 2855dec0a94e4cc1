"""Discord fails, the network breaks off: every board ends up right, and nobody is told otherwise."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from bot.matches import publisher
from cogs import answering
from cogs.play import posted, showing
from deploy.sandbox import Sandbox
from deploy.sandbox.traffic import Faults
from tests.cogs.table import Board, Table

FIRST_ANSWER = "POST /interactions/*/callback"
BY_CLICK = "PATCH /webhooks/*/messages/*"
BY_BOT = "PATCH /channels/*/messages/*"
EDITS = "PATCH /*/messages/*"

Fault = Callable[[Faults, str], None]


def reset(faults: Faults, pattern: str) -> None:
    faults.reset(pattern)


def reset_after(faults: Faults, pattern: str) -> None:
    faults.reset(pattern, after=True)


def resets(faults: Faults, pattern: str) -> None:
    faults.reset(pattern, times=6)


def limit_of_others(faults: Faults, pattern: str) -> None:
    faults.fail(pattern, status=429)


def outage(faults: Faults, pattern: str) -> None:
    faults.fail(pattern, status=500, times=4)


def refused(status: int, code: int = 0) -> Fault:
    def fault(faults: Faults, pattern: str) -> None:
        faults.fail(pattern, status=status, code=code)

    fault.__name__ = f"{status}_{code}"
    return fault


FAULTS: list[Any] = [
    reset,
    reset_after,
    resets,
    limit_of_others,
    outage,
    refused(401, 50027),
    refused(403, 50013),
    refused(403),
    refused(400, 40060),
    refused(404, 10062),
    refused(404, 10008),
    refused(404, 10015),
    refused(400, 50035),
]


@pytest.fixture(autouse=True)
def soon(patience: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what is tried again be tried soon, and give up waiting for the library's own tries."""
    monkeypatch.setattr(publisher, "FIRST_PAUSE_S", 0.05)
    monkeypatch.setattr(publisher, "LONGEST_PAUSE_S", 0.2)
    monkeypatch.setattr(posted, "EDIT_WITHIN_S", 0.5)
    monkeypatch.setattr(answering, "ANSWER_DEADLINE_S", 0.5)
    monkeypatch.setattr(answering, "LEAST_S", 0.3)
    monkeypatch.setattr(answering, "WHISPERS_AFTER_S", (0.0, 0.1, 0.2, 0.3))
    monkeypatch.setattr(answering, "WHISPER_WITHIN_S", 0.5)


async def ready_to_move(table: Table) -> Board:
    """Return a board with nine cells to press, against the computer."""
    board = await table.start()
    await table.press(board, board.starting("board")[4])
    return table.again(board)


def is_live(board: Board) -> bool:
    return bool(board.starting("cell") or board.starting("board"))


def games(table: Table) -> list[Board]:
    return [board for board in map(Board, table.seen()) if board.alt]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
async def test_a_move_whose_answer_is_lost_is_shown(table: Table, fault: Fault):
    board = await ready_to_move(table)
    fault(table.sandbox.faults, FIRST_ANSWER)

    await table.sandbox.world.press(table.ann, board.id, board.starting("cell")[4])
    await moved(table)

    (shown,) = [each for each in games(table) if "2 moves" in each.text]
    assert is_live(shown)
    assert await table.play(shown)
    assert all("Something broke" not in each for each in table.whispers(table.ann))


async def moved(table: Table, ply: int = 2) -> None:
    """Wait until so many moves have been stored, and all is shown."""
    match = (await table.bot.matches.ongoing_of(table.ann))[0]
    while (await table.bot.matches.load(match.id)).ply < ply:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    await table.quiet()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
async def test_a_late_reply_whose_edit_is_lost_is_shown(
    table: Table, monkeypatch: pytest.MonkeyPatch, fault: Fault
):
    board = await ready_to_move(table)
    monkeypatch.setattr(showing, "REPLY_WITHIN_S", -1.0)
    fault(table.sandbox.faults, EDITS)

    await table.sandbox.world.press(table.ann, board.id, board.starting("cell")[4])
    await moved(table)

    shown = games(table)[-1]
    assert "2 moves" in shown.text
    assert is_live(shown)
    assert table.whispers(table.ann) == []
