"""Hostile input: whatever people or forged clients send.

It goes to the real bot in the sandbox, over real WebSocket and HTTP. Each act is a command, a
completion, a press, a choice in a menu or a dialog, in any place and by anybody: legal, absurd,
forged, replayed, or meant for somebody else. After each batch everybody must have been answered,
nothing may have broken, and `Watch` compares every row that was written with who was acting. After
`WORLD` acts a new world begins, with the next seed.
"""

from __future__ import annotations

import asyncio
import gc
import random
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sqlalchemy import Connection, text

from bot import clock
from bot.services import analysis
from deploy.sandbox import Sandbox, running_sandbox
from deploy.sandbox.interactions import Interaction
from deploy.sandbox.model import Channel
from tests.cogs.table import JSON, PATIENCE_S, Board, Table, mistakes_in, running_bot, settings_for
from tests.faults.hands import Act, Hands
from tests.faults.log_lines import noted
from tests.faults.report import Report
from tests.faults.watch import Watch

WORLD = 2000
"""After this many acts a new world begins, so that a failure can be reproduced from its seed."""

AT_ONCE = 12
ANSWERED_WITHIN_S = 30.0
"""A tenth of it once the bot believes that it has answered everybody."""

DEFERRED = 5
THINKING: dict[str, Any] = {
    "HINT_SECONDS": 0.02,
    "MOST_SECONDS_A_MOVE": 0.01,
    "REVIEW_SECONDS": 0.2,
}
"""Short: the analyst's play is judged elsewhere, and took a fifth of the time."""

ODD_NAMES = (
    "**_~||`@everyone",
    "\N{RIGHT-TO-LEFT OVERRIDE}yrollaM </play:1>",
)


async def prepare(table: Table) -> None:
    """Let people have games, challenges and settings of all kinds, in several places."""
    world, people = table.sandbox.world, table.sandbox.people
    ann, ben, cleo = (each.id for each in world.people)
    sandbox = world.guilds[world.channels[table.channel].guild_id or 0]
    mallory, trudy = (world.add_user(name, username=f"u{n}") for n, name in enumerate(ODD_NAMES))
    mallory.has_installed = True
    rivals = world.add_guild(
        world.snowflakes.next(), "Rivals", [trudy, mallory, world.person("ben")]
    )
    for each in (mallory, trudy):
        world.add_member(sandbox, each)
    world.add_channel(Channel(id=world.snowflakes.next(), guild_id=rivals.id, name="general"))
    people.invite_bot(rivals)
    for person in (ann, mallory.id, trudy.id):
        await people.open_direct(person)
    people.open_direct_with(ann, mallory.id)
    people.open_direct_with(mallory.id, ben)
    people.start_thread(cleo, table.channel, "A thread")
    for person, language in ((ben, "de"), (trudy.id, "ru")):
        people.set_person(person, locale=language)
    world.limits.direct_openings = (10**6, 60.0)
    world.limits.late_edits_per_hour = 10**6
    own = next(
        each.id for each in world.channels.values() if each.recipient_ids == [ann, world.bot_id]
    )
    for channel, user, name, options in (
        (own, ann, "play", {"level": 1, "variant": "pie"}),
        (own, ann, "play", {"level": 1}),
        (own, ann, "resign", {}),
        (table.channel, ben, "play", {"level": 2, "first": "computer"}),
        (table.channel, ann, "challenge", {"player": ben, "clock": "3d"}),
        (table.channel, cleo, "challenge", {"player": ben}),
        (table.channel, ben, "challenge", {}),
        (table.channel, ann, "challenge", {"player": cleo, "rated": False}),
        (table.channel, ben, "block", {"player": trudy.id}),
        (table.channel, ann, "server", {"clock": "3d"}),
        (table.channel, ben, "settings", {}),
    ):
        await table.command(name, user=user, channel=channel, **options)
    for user in (ben, cleo):
        standing = [Board(each) for each in table.seen(user)]
        board = next(each for each in standing if each.starting("accept"))
        await table.press(board, board.starting("accept")[0], user=user)


@dataclass(slots=True)
class Tally:
    """The results: how many acts of each kind, and what went wrong."""

    seconds: float = 0.0
    acts: Counter[str] = field(default_factory=Counter)
    used: Counter[str] = field(default_factory=Counter)
    """Commands by their names, buttons and menus by the kind in their custom ids."""
    found: list[str] = field(default_factory=list)


async def play_world(table: Table, seed: int, acts: int, tally: Tally) -> None:
    """Let people act in a world; what goes wrong is noted with its seed and batch."""
    rng = random.Random(seed)
    hands, watch = Hands(table, rng), Watch(table)
    await watch.begin()
    await prepare(table)
    users = [each.id for each in table.sandbox.world.people]
    assert await watch.forbidden(set(users)) == []
    await _look_around(table, hands, watch)
    done = 0
    with noted() as faults:
        while done < acts:
            actors = rng.sample(users, 1 if rng.random() < 0.8 else 2)
            batch = [hands.act(rng.choice(actors)) for _ in range(rng.randint(1, AT_ONCE))]
            if rng.random() < 0.2:
                batch += [rng.choice(batch)] * rng.randint(1, 3)  # pressed again and again
            sent = [(each, hands.begin(each)) for each in batch]
            judged = [_judged(table, *each) for each in sent]
            wrong = [each for each in await asyncio.gather(*judged) if each]
            wrong += [_leak(each, now, hands.secrets, set(actors)) for each, now in sent]
            wrong = [each for each in wrong if each]
            await _settle(table)
            by_id = {each.id: act for act, each in sent}
            wrong += [_told(line, by_id) for line in faults.lines]
            faults.lines.clear()
            wrong += [f"forbidden: {each}" for each in await watch.forbidden(set(actors))]
            wrong += _host_acts(table)
            done += len(batch)
            tally.acts.update(each.kind.name.lower() for each in batch)
            tally.used.update(each.name for each in batch)
            if wrong:
                acts_done = [f"of {each}" for each in batch]
                tally.found.append("\n  ".join([f"seed {seed}, act {done}:", *wrong, *acts_done]))
            await _look_around(table, hands, watch)


def _host_acts(table: Table) -> list[str]:
    """Return what only the host could have done; nobody who acts here is the host."""
    bot = table.bot
    found: dict[str, object] = {"bans": bot.hosting.bans}
    found |= {"maintenance": bot.hosting.maintenance}
    found |= {"paused": bot.is_paused, "stop": bot.stop_asked.is_set()}
    return [f"forbidden: {name} {value}" for name, value in found.items() if value]


def _told(line: JSON, by_id: dict[int, Act]) -> str:
    """Return a line of the log with the act that it is about."""
    act = by_id.get(line.get("interaction", 0))
    known = ", ".join(f"{key}={value}" for key, value in line.items() if key != "traceback")
    return f"{known}\n  after {act}\n{line.get('traceback', '')}"


async def _judged(table: Table, act: Act, interaction: Interaction) -> str | None:
    """Return what is wrong with how an act was answered."""
    answered = asyncio.create_task(_answer_to(interaction))
    for _ in range(10):
        done, _late = await asyncio.wait({answered}, timeout=ANSWERED_WITHIN_S / 10)
        if done or table.bot.idle.is_set():
            break
    if not answered.done():
        answered.cancel()
        return f"unanswered: {act}"
    return None


def _leak(act: Act, given: Interaction, secrets: dict[int, set[int]], actors: set[int]) -> str:
    """Return what an answer tells about a private match to people who do not play in it."""
    others = {match for match, people in secrets.items() if not people & actors}
    shown, answer = given.message, (given.callback or {}).get("data") or {}
    named = {choice["value"] for choice in answer.get("choices", [])}
    is_new = shown is not None and shown.id != act.message
    if (act.about in others and is_new and shown is not None and shown.attachments) or (
        named & others
    ):
        return f"told what is private: {act}"
    return ""


async def _answer_to(interaction: Interaction) -> None:
    if (await interaction.wait())["type"] == DEFERRED:
        await interaction.settled()


async def _settle(table: Table) -> None:
    bot = table.bot
    async with asyncio.timeout(60):
        await asyncio.sleep(0)
        await bot.idle.wait()
        await bot.replies.settled()
        await bot.publisher.settled()


async def _look_around(table: Table, hands: Hands, watch: Watch) -> None:
    """Note the numbers of the first and newest matches, and which matches are private."""

    def job(connection: Connection) -> tuple[int, list[int]]:
        newest = connection.execute(text("SELECT coalesce(max(id), 1) FROM match")).scalar_one()
        private = connection.execute(text("SELECT id FROM match WHERE guild_id IS NULL")).scalars()
        return newest, list(private)

    newest, private = await table.bot.ratings.database.read(job)
    hands.matches = [*range(1, 9), *range(max(1, newest - 30), newest + 3)]
    hands.secrets = {match: watch.people[match] for match in private}
    hands.players = watch.people


async def run(seed: int, times: int) -> Report:
    """Let people act this many times, in a new world after each `WORLD` acts."""
    tally = Tally()
    late: dict[str, Any] = dict.fromkeys(
        ("REPLY_WITHIN_S", "BEGIN_WITHIN_S", "SEND_WITHIN_S"), PATIENCE_S
    )
    for part in range(-(-times // WORLD)):
        with (
            tempfile.TemporaryDirectory() as folder,
            patch.multiple(clock, **late),
            patch.multiple(analysis, **THINKING),
        ):
            async with running_sandbox() as sandbox:
                sandbox.world.limits.answer_seconds = PATIENCE_S
                settings = settings_for(sandbox, Path(folder), computer_seconds=0.05)
                async with running_bot(settings) as bot:
                    count = min(WORLD, times - part * WORLD)
                    await play_world(Table(sandbox, bot), seed + part, count, tally)
                tally.found += mistakes_in(sandbox) + _loud(sandbox)
        gc.collect()  # worlds are large, and tests look for garbage seldom
    return Report(
        what="hostile acts: " + ", ".join(f"{n:,} {kind}" for kind, n in tally.acts.most_common()),
        cases=tally.acts.total(),
        bar="0 findings",
        measured=f"{len(tally.found)} findings",
        found=tuple(tally.found),
    )


def _loud(sandbox: Sandbox) -> list[str]:
    """Return messages of the bot that may mention everybody, or anything that a name contains."""
    bodies = [each.body for each in sandbox.requests if isinstance(each.body, dict)]
    messages = [each.get("data") if "data" in each else each for each in bodies]
    return [
        f"loud: {each}"
        for each in messages
        if isinstance(each, dict) and (each.get("allowed_mentions") or {}).get("parse")
    ]
