"""A bot to be killed: plays games as fast as it can and says which moves were stored.

Reads lines from standard input. For each it forks a bot, reports its process
id, and later that it was killed. Forking saves each bot the imports, so that most kills
hit it at work.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import structlog

from bot.model.actions import Play, Swap
from bot.model.errors import StorageFailedError
from bot.model.match import FirstMove, Match, Person
from bot.services.computer import ComputerPlayers
from bot.services.matches import MatchService
from bot.services.starting import start_against_computer
from bot.storage import open_storage
from engine import LEVELS, Position, Rules, choose_move

if TYPE_CHECKING:
    from collections.abc import Callable


def say(*words: object) -> None:
    """Write a line at once: what was reported must not be lost with the process."""
    os.write(1, (" ".join(str(word) for word in words) + "\n").encode())


async def play_on(
    matches: MatchService, person: Person, rng: random.Random, tell: Callable[..., None]
) -> None:
    """Play one game after the other, and report each step as stored or refused."""
    ongoing = await matches.ongoing_of(person.id)
    match: Match | None = ongoing[0] if ongoing else None
    while True:
        if match is None or match.is_over:
            with suppress(StorageFailedError):
                match = await start_against_computer(
                    matches, person=person, level=1, first=FirstMove.RANDOM, variant_key="pie"
                )
            continue
        try:
            match = await step(matches, match, person, rng)
        except StorageFailedError:
            tell("refused", match.id)
            match = await matches.load(match.id)
            continue
        swapped_to = match.side_of(person.id) if match.swapped else "-"
        tell("stored", match.id, match.ply - 1, match.moves[-1], match.status, swapped_to)


async def step(matches: MatchService, match: Match, person: Person, rng: random.Random) -> Match:
    """Let the player to move make a move, or swap."""
    if match.level_to_move is not None:
        return await matches.reply(match.id)
    if match.can_swap and rng.random() < 0.5:
        return await matches.perform(match.id, Swap(), user_id=person.id, ply=match.ply)
    move = rng.choice(match.position.legal_moves)
    return await matches.perform(match.id, Play(move), user_id=person.id, ply=match.ply)


async def run(url: str, seed: int, tell: Callable[..., None] = say) -> None:
    """Run a bot with eight people who never tire; `tell` takes the words of each report."""
    async with (
        open_storage(url) as database,
        ComputerPlayers(threads=2, seconds=0.005) as computer,
        MatchService(database, computer) as matches,
        asyncio.TaskGroup() as group,
    ):
        for number in range(8):
            person = Person(id=1000 + number, name=f"Person {number}")
            group.create_task(play_on(matches, person, random.Random(100 * seed + number), tell))


def main() -> None:
    """Fork bots to be killed."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    choose_move(Position.initial(Rules()), LEVELS[0], seed=1, max_seconds=0.01)
    say("ready")
    for line in sys.stdin:
        bot = os.fork()
        if bot == 0:
            asyncio.run(run(sys.argv[1], int(line)))
        say("begun", bot)
        os.waitpid(bot, 0)
        say("gone")


if __name__ == "__main__":
    main()
