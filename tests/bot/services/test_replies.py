"""The computer replies wherever it is its turn, even if nobody waits for it."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from bot.model.actions import Play
from bot.services import computer
from bot.services.computer import Replies
from tests.bot.services.conftest import ANNA, Server


async def test_a_move_is_replied_to_with_nobody_waiting(server: Server):
    async with Replies(server.matches) as replies:
        match = await server.begin()
        await server.matches.perform(match.id, Play(40), user_id=ANNA.id, ply=0)
        await replies.settled()

    assert (await server.matches.load(match.id)).ply == 2


async def test_matches_that_wait_are_replied_to_at_the_start(server: Server):
    matches = [await server.begin() for _ in range(5)]
    for match in matches:
        await server.matches.perform(match.id, Play(40), user_id=ANNA.id, ply=0)
    await server.restart()

    async with Replies(server.matches) as replies:
        while await server.matches.awaiting_computer():
            await replies.settled()

    assert [(await server.matches.load(match.id)).ply for match in matches] == [2] * 5


async def test_one_that_fails_is_tried_again_and_stops_no_other(
    server: Server, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("bot.services.computer.FIRST_PAUSE_S", 0.01)
    failed = threading.Event()
    search = computer.KeptTree().search

    def fail_once(*given: Any) -> Any:
        if not failed.is_set():
            failed.set()
            raise RuntimeError("a bug for this test")
        return search(*given)

    await server.stop()
    server.search = fail_once
    await server.start()
    async with Replies(server.matches) as replies:
        matches = [await server.begin() for _ in range(3)]
        for match in matches:
            await server.matches.perform(match.id, Play(40), user_id=ANNA.id, ply=0)
        await replies.settled()

    assert failed.is_set()
    assert [(await server.matches.load(match.id)).ply for match in matches] == [2] * 3


async def test_what_is_told_of_a_reply_comes_after_it_was_stored(server: Server):
    told = []
    server.matches.watchers.append(lambda step: told.append((step.after.ply, step.by)))
    match = await server.begin()
    await server.matches.perform(match.id, Play(40), user_id=ANNA.id, ply=0)
    await server.matches.reply(match.id)

    assert told == [(0, None), (1, ANNA.id), (2, None)]
