"""Tasks of the bot are cancelled wherever they wait, and the bot restarts while people play.

One case is one cancelled task. It may leave somebody without an answer, but whatever was done is
stored as a whole, and after a restart everything is as it should be.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter

from tests.faults.judging import Judge
from tests.faults.log_lines import noted
from tests.faults.report import Report
from tests.faults.world import Company, company, in_haste, serving

ACTS = 60
"""People's acts between two starts of the bot."""

MOST = 25
"""How many tasks are cancelled between two starts."""

OURS = ("publish ", "notices", "what is shown", "announce")
"""Names of the bot's own tasks; others are known by what they run."""

RUNS = ("GameItem", "_dispatch", "_scheduled_task", "wrapper", "Command", "Replies", "_reply")


def own_tasks(people: Company) -> list[tuple[str, asyncio.Task[object]]]:
    """Return the tasks of the bot that may be cancelled, with what each does."""
    found = []
    for task in asyncio.all_tasks():
        runs = getattr(task.get_coro(), "__qualname__", "")
        path = getattr(getattr(task.get_coro(), "cr_code", None), "co_filename", "")
        is_ours = task.get_name().startswith(OURS) or any(each in runs for each in RUNS)
        if is_ours and ("/bot/" in path or "/cogs/" in path or "/discord/" in path):
            found.append((runs.split(".")[-1], task))
    return found


async def run(seed: int, times: int) -> Report:
    """Cancel this many tasks while people play."""
    rng, found, cancelled, part = random.Random(seed), list[str](), Counter[str](), 0
    with in_haste(), noted() as lines:
        async with company(seed) as people:
            judge: Judge | None = None
            while cancelled.total() < times and not found:
                part += 1
                async with serving(people):
                    judge = judge or Judge(people, lines)
                    playing = asyncio.create_task(people.play(ACTS, part))
                    goal = min(times, cancelled.total() + MOST)
                    while cancelled.total() < goal and not playing.done():
                        await asyncio.sleep(rng.uniform(0.0, 0.03))
                        tasks = own_tasks(people)
                        for what, task in rng.sample(tasks, min(len(tasks), rng.randint(1, 3))):
                            task.cancel()
                            cancelled[what] += 1
                    await asyncio.sleep(rng.uniform(0.0, 0.1))
                    judge.excused |= {each.id for each in people.acts}
                await playing
                judge.excused |= {each.id for each in people.acts}
                judge.cut |= judge.excused
                async with serving(people):
                    found = [f"seed {seed}, start {part}: {each}" for each in await judge.look()]
    return Report(
        what="tasks cancelled wherever they wait, and restarts in the midst",
        cases=cancelled.total(),
        bar="0 findings",
        measured=f"{len(found)} findings, {part} restarts, {people.done:,} acts of people; "
        + ", ".join(f"{count} {name}" for name, count in cancelled.most_common()),
        found=tuple(found),
    )
