"""The people of `python -m bot load`: they play in the sandbox, and their waits are measured.

Each plays at human pace, against a level of the computer or with both seats of a game between
two, and presses legal buttons at random. Visitors use everything else that the bot draws.
"""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from deploy.sandbox import HandError, NoAnswerError
from deploy.sandbox.components import walk
from deploy.sandbox.interactions import Answer
from deploy.sandbox.model import Channel, ChannelKind

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from deploy.sandbox import Interaction, Sandbox
    from deploy.sandbox.model import User

_REPLY_WITHIN_S: Final = 20.0
_SETTLED_WITHIN_S: Final = 120.0
_LOOK_EVERY_S: Final = 0.05
_STANDSTILL_S: Final = 0.25
"""A process that stands still for this long leaves answers unread."""

_DEFERRED: Final = (Answer.DEFERRED_MESSAGE, Answer.DEFERRED_UPDATE)

_VISITED: Final = (
    *("leaderboard", "profile", "games", "history", "variants", "rules", "help", "settings"),
    *("field", "replay", "review"),
)
_REFUSAL: Final = "try again"
"""What the bot says when it refuses something for now, for any reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadPlan:
    """What people do.

    Attributes:
        stages: How many games are played at once, one stage after the other.
        seconds: How long each stage is measured, after its games have begun.
        think_s: How long people think about a click, on average; exponentially distributed.
        levels: Levels of the computer, dealt in turn; one may be named several times.
        between_people: The share of games in which people have both seats, 0 to 1.
        pictures: How many `/field` one person asks for at the beginning of each stage.
        visitors: How many people look at leaderboards, fields, replays, reviews and the like.
        rests: How often in each stage all of them stop until the bot has nothing to do.
        seed: Makes what people do repeatable, if not when.
    """

    stages: tuple[int, ...] = (200,)
    seconds: float = 30.0
    think_s: float = 4.6
    levels: tuple[int, ...] = tuple(range(1, 11))
    between_people: float = 0.1
    pictures: int = 0
    visitors: int = 0
    rests: int = 0
    seed: int = 1


@dataclass(slots=True)
class Waits:
    """How long people have waited for one kind of thing, in seconds.

    Attributes:
        answers: For the first answer to each click.
        replies: For what they wanted: the computer's move, or a picture that was promised.
        refused: How many were told to try again later; they are among the answers.
        unanswered: How many got no answer while Discord waits.
        unsure: How many of those may have got one: this process had stood still, and read late.
    """

    answers: list[float] = field(default_factory=list)
    replies: list[float] = field(default_factory=list)
    refused: int = 0
    unanswered: int = 0
    unsure: int = 0


class Crowd:
    """People at their games; each game is a task.

    Attributes:
        acknowledged: Every move whose board people were shown, as match, ply and cell.
        plays: Set unless nobody clicks for now; answers to earlier clicks still arrive.
    """

    def __init__(self, sandbox: Sandbox, plan: LoadPlan) -> None:
        self._world, self._people, self._plan = sandbox.world, sandbox.people, plan
        self._games: list[asyncio.Task[None]] = []
        self._waits: dict[str, Waits] = defaultdict(Waits)
        self.acknowledged: dict[tuple[int, int], int] = {}
        self._over: deque[int] = deque(maxlen=50)
        self.plays = asyncio.Event()
        self.plays.set()
        self._looked_at, self._late_until = time.monotonic(), 0.0
        self._looking = asyncio.create_task(self._look())

    async def grow(self, games: int) -> None:
        """Start games until there are `games`, spread over the average time to think."""
        first = len(self._games)
        for number in range(first, games):
            self._games.append(asyncio.create_task(self._play(number)))
            await asyncio.sleep(self._plan.think_s / max(1, games - first))
        self._waits.clear()
        for _ in range(self._plan.pictures):
            self._games.append(asyncio.create_task(self._ask_for_picture()))
        if not first:
            visitors = range(self._plan.visitors)
            self._games += [asyncio.create_task(self._visit(number)) for number in visitors]

    def take_waits(self) -> dict[str, Waits]:
        """Return how long people have waited since the last time, by kind."""
        taken, self._waits = self._waits, defaultdict(Waits)
        return taken

    async def _think(self, rng: random.Random) -> None:
        await asyncio.sleep(rng.expovariate(1 / self._plan.think_s))
        await self.plays.wait()

    async def leave(self) -> None:
        """End all games; raise the error of one that failed."""
        tasks = (*self._games, self._looking)
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        for each in results:
            if isinstance(each, Exception):
                raise each

    async def _look(self) -> None:
        """Note when this process stands still: what was answered meanwhile is read too late."""
        while True:
            await asyncio.sleep(_LOOK_EVERY_S)
            now, before = time.monotonic(), self._looked_at
            self._looked_at = now
            if now - before > _STANDSTILL_S:
                self._late_until = now + _STANDSTILL_S

    def _stood_still(self) -> bool:
        """Return whether this process stands still, or did so a moment ago."""
        now = time.monotonic()
        return now < self._late_until or now - self._looked_at > _STANDSTILL_S

    async def _ask_for_picture(self) -> None:
        user, channel = self._world.people[0], self._world.channel_called("general")
        await self._timed(
            "/field", self._people.slash(user.id, channel.id, "field", {"name": "basic"})
        )

    async def _visit(self, number: int) -> None:
        """Look at everything that is not a game, one thing after the other."""
        rng = random.Random(f"{self._plan.seed} visitor {number}")
        (user, _other), channel = self._settle(f"visitor{number}")
        while True:
            await self._think(rng)
            name, options = rng.choice(_VISITED), dict[str, Any]()
            if name in ("replay", "review"):
                if not self._over:
                    continue
                options = {"game": rng.choice(self._over)}
            elif name == "field":
                options = {"name": "basic"}
            await self._timed(f"/{name}", self._people.slash(user.id, channel.id, name, options))

    def _settle(self, name: str) -> tuple[tuple[User, User], Channel]:
        """Make two people and a channel of their own."""
        guild = self._world.guild_of(self._world.channel_called("general"))
        assert guild is not None
        one, other = (self._world.add_user(f"{name}-{seat}") for seat in range(2))
        for each in (one, other):
            self._world.add_member(guild, each)
        channel = Channel(
            id=self._world.snowflakes.next(),
            kind=ChannelKind.TEXT,
            name=f"load-{name}",
            guild_id=guild.id,
        )
        return (one, other), self._world.add_channel(channel)

    async def _play(self, number: int) -> None:
        """Play one game after the other in a channel of their own."""
        rng = random.Random(f"{self._plan.seed} {number}")
        players, channel = self._settle(f"player{number}")
        level = self._plan.levels[number % len(self._plan.levels)]
        is_between_people = rng.random() < self._plan.between_people
        for game in itertools.count():
            if game:  # people think even after getting no answer
                await self._think(rng)
            if is_between_people:
                message_id = await self._challenge(players, channel.id)
                await self._play_out("two people", players, message_id, rng)
            else:
                options = {"level": level}
                asked = self._people.slash(players[0].id, channel.id, "play", options)
                message_id = await self._timed("/play", asked)
                await self._play_out(f"level {level}", players[:1], message_id, rng)

    async def _challenge(self, players: Sequence[User], channel_id: int) -> int | None:
        first, second = (each.id for each in players)
        asked = self._people.slash(first, channel_id, "challenge", {"player": str(second)})
        message_id = await self._timed("/challenge", asked)
        if message_id is None:
            return None
        accept = next(iter(self._ids(message_id, second, "accept")), None)
        if accept is None:
            return None
        return await self._timed("accept", self._people.press(second, message_id, accept))

    async def _play_out(
        self, kind: str, players: Sequence[User], message_id: int | None, rng: random.Random
    ) -> None:
        """Press buttons until a game is over, or its board is gone."""
        tried = set[int]()
        while message_id is not None:
            await self._think(rng)
            boards = self._ids(message_id, players[0].id, "board")
            offered = boards or self._ids(message_id, players[0].id, "cell")
            if not offered:
                self._over += map(_match_of, self._ids(message_id, players[0].id, "again"))
                return
            chosen = rng.choice(offered)
            ply = int(chosen.split(":")[2])
            mover = players[ply % len(players)].id
            clicked = time.monotonic()
            try:
                pressed = self._people.press(mover, message_id, chosen)
                shown_on = await self._timed("choose a board" if boards else kind, pressed)
            except HandError:
                continue  # the board has changed under the hand
            if not boards and shown_on == message_id and ply not in tried:
                self.acknowledged[_match_of(chosen), ply] = int(chosen.split(":")[-1])
            if not boards:  # of two tries only one can count, and it may be the first
                tried.add(ply)
            if not boards and len(players) == 1 and await self._reply(message_id, mover):
                self._waits[kind].replies.append(time.monotonic() - clicked)

    async def _timed(self, kind: str, begun: Coroutine[Any, Any, Interaction]) -> int | None:
        """Wait for an answer, note how long that took, and return the id of its message.

        A deferred answer is waited for to the end.
        """
        clicked, waits = time.monotonic(), self._waits[kind]
        interaction = await begun
        try:
            first = await interaction.wait()
            waits.answers.append(time.monotonic() - clicked)
            if first["type"] in _DEFERRED:
                await asyncio.wait_for(interaction.settled(), _SETTLED_WITHIN_S)
                waits.replies.append(time.monotonic() - clicked)
        except (NoAnswerError, TimeoutError):
            waits.unanswered += 1
            waits.unsure += self._stood_still()
            return None
        waits.refused += self._is_refusal(interaction)
        return None if interaction.message is None else interaction.message.id

    def _is_refusal(self, interaction: Interaction) -> bool:
        """Return whether somebody was told to try again, in an answer or what followed it."""
        callback = interaction.callback or {}
        said = [(callback.get("data") or {}).get("content") or ""]
        followed = map(self._world.find_message, interaction.followup_ids)
        said += [each.content for each in followed if each is not None]
        return any(_REFUSAL in each for each in said)

    async def _reply(self, message_id: int, user_id: int) -> bool:
        """Wait until the computer has replied; return whether it has."""
        until = time.monotonic() + _REPLY_WITHIN_S
        while time.monotonic() < until:
            if any(self._ids(message_id, user_id, kind) for kind in ("board", "cell", "again")):
                return True
            await asyncio.sleep(_LOOK_EVERY_S)
        return False

    def _ids(self, message_id: int, user_id: int, kind: str) -> list[str]:
        """Return the custom ids of one kind that can be pressed on a message."""
        message = self._world.find_message(message_id)
        if message is None or not self._world.sees_message(user_id, message):
            return []
        return [
            part["custom_id"]
            for part in walk(message.components)
            if part.get("custom_id", "").startswith(f"{kind}:") and not part.get("disabled")
        ]


def _match_of(custom_id: str) -> int:
    return int(custom_id.split(":")[1])
